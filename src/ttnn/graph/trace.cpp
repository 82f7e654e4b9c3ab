#include "ttnn/graph/trace.hpp"

#include <charconv>

#include "ttnn/graph/trace_check.hpp"

namespace ttnn::graph {

std::optional<std::string_view> Node::find(std::string_view name) const {
    for (const auto& [key, value] : params) {
        if (key == name) {
            return value;
        }
    }
    return std::nullopt;
}

std::string_view Node::text(std::string_view name) const {
    const auto found = find(name);
    if (!found) {
        fail_at(*this, "has no parameter \"{}\"", name);
    }
    return *found;
}

uint64_t Node::number(std::string_view name) const {
    const std::string_view digits = text(name);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) {
        fail_at(*this, "parameter \"{}\" is \"{}\", not a decimal number of 64 bits", name, shortened(digits));
    }
    return value;
}

}  // namespace ttnn::graph
