#include "tracelift/report/perf_tensor.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace tracelift::report {
namespace {

constexpr uint64_t tile_side = 32;

// "BFLOAT16" of "DataType::BFLOAT16", "DataType.BFLOAT16" and "bfloat16".
std::string unscoped(std::string_view text) {
    const size_t at = text.find_last_of(":.");
    std::string name(at == std::string_view::npos ? text : text.substr(at + 1));
    std::ranges::transform(name, name.begin(),
                           [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
    return name;
}

// Of "Shape([1, 384, 1024])".
std::vector<uint64_t> dims_of(std::string_view text) {
    std::vector<uint64_t> dims;
    const size_t begin = text.find('[');
    const char* at = text.data() + (begin == std::string_view::npos ? text.size() : begin);
    const char* const end = text.data() + text.size();
    while (at != end && *at != ']') {
        uint64_t value = 0;
        const auto read = std::from_chars(at, end, value);
        if (read.ec == std::errc() && value <= std::numeric_limits<uint32_t>::max()) {
            dims.push_back(value);
            at = read.ptr;
        } else {
            ++at;
        }
    }
    return dims;
}

// The member after "TensorMemoryLayout::" in the text of a memory config.
std::string memory_layout(std::string_view config) {
    constexpr std::string_view scope = "TensorMemoryLayout";
    const size_t at = config.find(scope);
    if (at == std::string_view::npos) {
        return "INTERLEAVED";
    }
    config.remove_prefix(at + scope.size());
    config.remove_prefix(std::min(config.find_first_not_of(":."), config.size()));
    return std::string(config.substr(0, config.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_")));
}

std::string memory_of(const NodeView& tensor) {
    const auto number = tensor.integer("buffer_type");  // newer reports have numbers
    std::string type = unscoped(tensor.text("buffer_type"));
    if (number) {
        constexpr std::array<std::string_view, 5> names = {"DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL", "TRACE"};
        type = *number >= 0 && static_cast<size_t>(*number) < names.size() ? names[static_cast<size_t>(*number)] : "";
    }
    if (type.empty()) {
        return "HOST";
    }
    return fmt::format("DEV_{}_{}_{}", tensor.integer("device_id").value_or(0), type,
                       memory_layout(tensor.text("memory_config")));
}

}  // namespace

PerfTensor perf_tensor(const NodeView& tensor) {
    PerfTensor result;
    std::vector<uint64_t> dims = dims_of(tensor.text("shape"));
    while (dims.size() > 4) {  // the table has four: the leading ones are one
        dims[1] *= dims[0];
        dims.erase(dims.begin());
    }
    dims.insert(dims.begin(), 4 - dims.size(), 1);
    result.layout = unscoped(tensor.text("layout"));
    for (size_t i = 0; i < 4; ++i) {
        const bool tiled = i >= 2 && result.layout.starts_with("TILE");
        const uint64_t padded = tiled ? (dims[i] + tile_side - 1) / tile_side * tile_side : dims[i];
        result.dims[i] = fmt::format("{}[{}]", padded, dims[i]);
    }
    result.dtype = unscoped(tensor.text("dtype"));
    result.memory = memory_of(tensor);
    result.device_id = tensor.integer("device_id").value_or(0);
    return result;
}

}  // namespace tracelift::report
