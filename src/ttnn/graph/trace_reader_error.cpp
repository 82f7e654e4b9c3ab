// Where reading stopped, in words.
#include "ttnn/graph/trace_check.hpp"
#include "ttnn/graph/trace_reader.hpp"

namespace ttnn::graph {

bool TraceReader::parse_error(size_t position, const std::string&, const nlohmann::json::exception& error) {
    // nlohmann's texts begin with "[json.exception...] ", which tells a user nothing.
    const std::string_view text = error.what();
    const size_t prefix = text.find("] ");
    throw TraceError(fmt::format("{}: broken JSON at byte {}: {}", name_, position,
                                 text.substr(prefix == text.npos ? 0 : prefix + 2, 200)));
}

std::string TraceReader::place_text() const {
    if (place_ == Place::ROOT) {
        return name_;
    }
    if (place_ == Place::REPORT || (place_ == Place::SKIPPED && after_skipped_ == Place::REPORT)) {
        return fmt::format("{}: key \"{}\"", name_, shortened(key_text_));
    }
    if (place_ == Place::GRAPH) {
        return fmt::format("{}: node {}", name_, trace_.size());
    }
    const std::string param = place_ == Place::PARAMS ? "." + shortened(param_) : "";
    return fmt::format("{}: node {}: key \"{}{}\"", name_, trace_.size() - 1, shortened(key_text_), param);
}

void TraceReader::fail_here(const std::string& text) const {
    throw TraceError(fmt::format("{}: {}", place_text(), text));
}

void TraceReader::fail_type(std::string_view expected, std::string_view found) const {
    fail_here(fmt::format("expected {}, found {}", expected, found));
}

}  // namespace ttnn::graph
