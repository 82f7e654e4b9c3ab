#include "tracelift/trace/filter.hpp"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/bind/binding.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

// Moves data between host, device, layouts and files, or shows how operations are written: nothing to sweep.
constexpr std::string_view excluded_by_default[] = {
    "ttnn.allocate_tensor_on_device",
    "ttnn.deallocate",
    "ttnn.move",
    "ttnn.reallocate",
    "ttnn.copy_host_to_device_tensor",
    "ttnn.copy_device_to_host_tensor",
    "ttnn.to_device",
    "ttnn.to_dtype",
    "ttnn.to_layout",
    "ttnn.to_memory_config",
    "ttnn.to_torch",
    "ttnn.from_device",
    "ttnn.from_torch",
    "ttnn.view",
    "ttnn.dump_tensor",
    "ttnn.load_tensor",
    "ttnn.as_tensor",
    "ttnn.unary_chain",
    "ttnn.pearson_correlation_coefficient",
    "ttnn.dram_prefetcher",
    "ttnn.complex_tensor",
    "ttnn.prim.binary",
    "ttnn.prim.example",
    "ttnn.prim.example_multiple_return",
    "ttnn.composite_example",
    "ttnn.composite_example_multiple_return",
};

std::set<std::string, std::less<>> read_names(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error(fmt::format("{}: cannot read the list of operations", path.string()));
    }
    std::set<std::string, std::less<>> names;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        line.erase(std::min(line.find('#'), line.size()));
        const size_t first = line.find_first_not_of(" \t\r");
        if (first == line.npos) {
            continue;
        }
        const std::string name = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
        if (name.find_first_of(" \t,\"") != name.npos) {
            throw std::runtime_error(
                fmt::format("{}: line {}: expected the name of an operation, got '{}'", path.string(), number, name));
        }
        names.insert(dotted_name(name));
    }
    return names;
}

}  // namespace

OperationFilter::OperationFilter() : excluded_(std::begin(excluded_by_default), std::end(excluded_by_default)) {
    for (const ttnn::OpInfo* op : ttnn::all_operations()) {
        valid_.emplace(op->name);
    }
}

void OperationFilter::load_valid(const std::filesystem::path& path) {
    valid_ = read_names(path);
    if (valid_.empty()) {
        throw std::runtime_error(fmt::format("{}: contains no operation names", path.string()));
    }
}
void OperationFilter::load_excluded(const std::filesystem::path& path) { excluded_ = read_names(path); }

OperationFilter::Verdict OperationFilter::judge(std::string_view operation) const {
    if (keep_all_) {
        return Verdict::KEPT;
    }
    const std::string name = dotted_name(operation);
    if (excluded_.contains(name)) {
        return Verdict::EXCLUDED;
    }
    return valid_.contains(name) ? Verdict::KEPT : Verdict::NOT_LISTED;
}

}  // namespace tracelift
