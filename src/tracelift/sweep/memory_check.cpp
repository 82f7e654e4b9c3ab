#include "tracelift/sweep/memory_check.hpp"

#include <fmt/ranges.h>

#include "tracelift/sweep/decoded_call.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/op/tensor_placement.hpp"
#include "ttnn/op/type_info.hpp"

namespace tracelift {
namespace {

// More than any machine has; several of them can be added and multiplied by small numbers.
constexpr uint64_t largest = uint64_t{1} << 56;

uint64_t rounded_up(uint64_t size, uint64_t unit) { return (size + unit - 1) / unit * unit; }

uint64_t bytes_of_tensor(const Value& tensor) {
    const Value* shape = tensor.find("shape");
    const auto* sizes = shape != nullptr ? shape->as<Value::List>() : nullptr;
    if (sizes == nullptr) {
        return 0;
    }
    const Value* layout = tensor.find("layout");
    const auto* member = layout != nullptr ? layout->as<Value::Enum>() : nullptr;
    const bool tiled = member == nullptr || member->member == "TILE";
    uint64_t bytes = 4;
    for (size_t i = 0; i < sizes->size(); ++i) {
        const auto* size = (*sizes)[i].as<int64_t>();
        const uint64_t plain = size == nullptr || *size < 0 ? 1 : static_cast<uint64_t>(*size);
        const uint64_t factor = tiled && i + 2 >= sizes->size() ? rounded_up(plain, 32) : plain;
        if (factor != 0 && bytes > largest / factor) {
            return largest;
        }
        bytes *= factor;
    }
    return bytes;
}

uint64_t packed_bytes(const ttnn::TensorSpec& spec, uint32_t parts) {
    const uint64_t bytes = spec.buffer_size();
    return bytes > largest / parts ? largest : bytes * parts;
}

uint64_t packed_bytes_of_tensor(const Value& tensor) {
    try {
        ttnn::Tensor described;
        ttnn::type_info<ttnn::Tensor>().decode(tensor, {nullptr, ttnn::Tensor::without_bytes}, &described);
        const Value* placement = tensor.find(ttnn::placement_field);
        return packed_bytes(described.spec(),
                            placement == nullptr ? 1 : ttnn::TensorPlacement::decode(*placement).num_different_parts());
    } catch (const ttnn::Error&) {
        return 0;  // there is no such tensor, and who makes it tells why
    }
}

// The sum over all tensors in a value.
uint64_t bytes_in(const Value& value, uint64_t (*bytes_of)(const Value&)) {
    uint64_t bytes = 0;
    if (const auto* record = value.as<Value::Struct>(); record != nullptr && record->type == "Tensor") {
        bytes = bytes_of(value);
    } else if (const auto* list = value.as<Value::List>()) {
        for (const Value& item : *list) {
            bytes += bytes_in(item, bytes_of);
        }
    }
    return bytes;
}

uint64_t bytes_in(const Value::Dict& arguments, uint64_t (*bytes_of)(const Value&)) {
    uint64_t bytes = 0;
    for (const Value::Entry& argument : arguments) {
        bytes += bytes_in(argument.value, bytes_of);
    }
    return bytes;
}

// Throws where the operation refuses the call.
void infer(const ttnn::OpInfo& op, const Value::Dict& arguments, const std::shared_ptr<ttnn::Device>& device,
           MemoryCheck& check) {
    ttnn::graph::ScopedGraphCapture outer(ttnn::graph::RunMode::NO_DISPATCH);
    DecodedCall decoded = decode_arguments(op, arguments, device);
    ttnn::require(decoded.params.has_value(), "{}", decoded.message);
    ttnn::graph::ScopedGraphCapture inner(ttnn::graph::RunMode::NO_DISPATCH);
    for (const ttnn::Tensor& output : ttnn::call_operation(*decoded.params)) {
        check.outputs.push_back(output.spec());
        const auto placement = ttnn::TensorPlacement::of(output);
        check.outputs_on_mesh += packed_bytes(output.spec(), placement ? placement->num_different_parts() : 1);
    }
    const size_t banks = device->num_banks(ttnn::BufferType::L1);
    const ttnn::graph::Trace call = inner.end();
    check.per_core = ttnn::graph::extract_resource_usage_per_core(call, banks);
    check.device_peak = ttnn::graph::extract_peak_L1_memory_usage(call);
    decoded.params.reset();
    const ttnn::graph::Trace everything = outer.end();
    check.inferred = true;
    const uint64_t needed = ttnn::graph::extract_resource_usage_per_core(everything, banks).peak_total;
    const uint64_t there = device->bank_size(ttnn::BufferType::L1);
    if (needed > there) {
        check.problem =
            fmt::format("needs {} B of L1 per core including its inputs, but there are only {} B", needed, there);
    }
    const uint64_t dram = ttnn::graph::extract_dram_usage(everything).peak;
    const uint64_t dram_there = device->bank_size(ttnn::BufferType::DRAM) * device->num_banks(ttnn::BufferType::DRAM);
    if (dram > dram_there) {
        check.problem = fmt::format("needs {} B of DRAM, but there are only {} B", dram, dram_there);
    }
}

}  // namespace

uint64_t tensor_bytes(const Value::Dict& arguments) { return bytes_in(arguments, bytes_of_tensor); }

uint64_t bytes_on_mesh(const Value::Dict& arguments) { return bytes_in(arguments, packed_bytes_of_tensor); }

std::vector<Metric> MemoryCheck::metrics() const {
    if (!inferred) {
        return {};
    }
    return {{"num_cores", static_cast<double>(cores)},
            {"peak_cb_per_core_bytes", static_cast<double>(per_core.peak_cb)},
            {"peak_l1_buffers_per_core_bytes", static_cast<double>(per_core.peak_l1)},
            {"peak_l1_memory_aggregate_bytes", static_cast<double>(per_core.peak_total * cores)},
            {"peak_l1_memory_device_bytes", static_cast<double>(device_peak)},
            {"peak_l1_memory_per_core_bytes", static_cast<double>(per_core.peak_total)}};
}

uint64_t MemoryCheck::output_bytes() const {
    uint64_t bytes = 0;
    for (const ttnn::TensorSpec& spec : outputs) {
        bytes += spec.buffer_size();
    }
    return bytes;
}

std::string MemoryCheck::text() const {
    if (!inferred) {
        return fmt::format("nothing could be inferred: {}", problem);
    }
    std::vector<std::string> shapes;
    for (const ttnn::TensorSpec& spec : outputs) {
        shapes.push_back(fmt::format("{} {}", ttnn::member_name(spec.dtype()), spec.logical_shape()));
    }
    return fmt::format("output {}, {} B of L1 per core; {}", fmt::join(shapes, ", "), per_core.peak_total,
                       problem.empty() ? "it fits the device" : "it does not fit the device: " + problem);
}

MemoryCheck check_memory(const ttnn::OpInfo& op, const Value::Dict& arguments,
                         const std::shared_ptr<ttnn::Device>& device) {
    MemoryCheck check;
    check.cores = uint64_t{device->compute_grid().x} * device->compute_grid().y;
    try {
        infer(op, arguments, device, check);
    } catch (const std::exception& error) {
        check.problem = error.what();
    }
    return check;
}

}  // namespace tracelift
