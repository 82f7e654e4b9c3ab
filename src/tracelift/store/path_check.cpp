#include "tracelift/store/path_check.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tracelift/bind/positional_names.hpp"
#include "tracelift/catalog/value_path.hpp"
#include "ttnn/op/nearest.hpp"

namespace tracelift {
namespace {

constexpr size_t looked_at = 200;  // configurations whose paths are collected for the message
constexpr size_t most_listed = 12;
constexpr std::string_view facts[] = {"model", "hardware", "board_type", "card_count", "mesh", "bound", "format"};

std::string first_of(std::string_view path) { return std::string(path.substr(0, path.find_first_of(".["))); }

// Parameters of the declaration, by name and by position.
std::set<std::string> parameters_of(const Configuration& configuration) {
    std::set<std::string> names;
    if (configuration.call.bound) {
        const auto positional = positional_names(configuration.call);
        for (size_t i = 0; i < positional.size(); ++i) {
            names.insert(positional[i]);
            names.insert(fmt::format("arg{}", i));
        }
    }
    return names;
}

void collect(const std::string& name, const Value& value, std::set<std::string>& there) {
    for (const auto& [path, leaf] : leaves_of(value, name)) {
        there.insert(path.substr(0, path.find('[')));
    }
}

}  // namespace

void PathCheck::see(const Configuration& configuration) {
    if (unknown_.empty()) {
        return;
    }
    const auto parameters = parameters_of(configuration);
    std::erase_if(unknown_, [&](const std::string& path) {
        const bool leads_somewhere = !values_at(configuration, path).empty();
        const std::string first = first_of(path);
        return leads_somewhere || (parameters.contains(first) && values_at(configuration, first).empty()) ||
               std::ranges::find(facts, path) != std::end(facts);
    });
    if (++seen_ > looked_at) {
        return;
    }
    if (!configuration.call.bound) {
        for (const auto& entry : configuration.call.arguments) {
            collect(entry.key, entry.value, there_);
        }
        return;
    }
    const auto positional = positional_arguments(configuration.call);
    for (size_t i = 0; i < positional.size(); ++i) {
        if (positional[i]) {
            collect(fmt::format("arg{}", i), *positional[i], there_);
        }
    }
    for (const auto& entry : configuration.call.arguments) {
        collect(entry.key, entry.value, there_);
    }
}

void PathCheck::demand_known() const {
    if (unknown_.empty() || seen_ == 0) {
        return;
    }
    std::vector<std::string> there(there_.begin(), there_.end());
    const auto near = ttnn::nearest_names(unknown_.front(), there);
    const size_t total = there.size();
    there.resize(std::min(total, most_listed));
    throw std::invalid_argument(fmt::format(
        "no configuration has '{}'{} There are {}{}, and {}", unknown_.front(),
        near.empty() ? "." : ttnn::did_you_mean(near), fmt::join(there, ", "),
        total > there.size() ? fmt::format(" and {} more", total - there.size()) : "", fmt::join(facts, ", ")));
}

}  // namespace tracelift
