#include "ttnn/graph/query.hpp"

#include <chrono>

namespace ttnn::graph {
namespace {

bool in_l1(const Tensor& tensor) {
    return tensor.is_on_device() && tensor.memory_config().buffer_type() != BufferType::DRAM;
}

// Both captures of a query. The outer one also sees the inputs being made.
struct Traces {
    Trace with_inputs;
    Trace call_only;
    std::vector<Tensor> outputs;
};

std::vector<Tensor> tensors_of(const std::vector<TensorSpec>& specs, const std::shared_ptr<Device>& device) {
    std::vector<Tensor> tensors;
    for (const TensorSpec& spec : specs) {
        tensors.push_back(Tensor::allocate_on_device(spec, device));
    }
    return tensors;
}

Traces trace_call(const TensorCall& call, const std::shared_ptr<Device>& device, const std::vector<TensorSpec>& specs) {
    Traces traces;
    ScopedGraphCapture outer(RunMode::NO_DISPATCH);
    const std::vector<Tensor> inputs = tensors_of(specs, device);
    ScopedGraphCapture inner(RunMode::NO_DISPATCH);
    traces.outputs = call(inputs);
    traces.call_only = inner.end();
    traces.with_inputs = outer.end();
    return traces;
}

}  // namespace

uint64_t extract_l1_output_buffer_allocation_size_per_core(const Tensor& tensor, size_t interleaved_storage_cores) {
    require(in_l1(tensor), "a tensor of {} is not in L1, so no core holds a part of it", tensor.logical_shape());
    const Buffer& buffer = *tensor.buffer();
    const size_t cores = buffer.pages().identity() ? interleaved_storage_cores : buffer.pages().shard_cores().size();
    return size_per_core(buffer.size(), buffer.pages().page_size(), cores);
}

ConstraintQueryResponse query_op_constraints(const TensorCall& call, const std::shared_ptr<Device>& device,
                                             const std::vector<TensorSpec>& inputs, const QueryOptions& options) {
    ConstraintQueryResponse response;
    try {
        const Traces traces = trace_call(call, device, inputs);
        const size_t banks = device->num_banks(BufferType::L1);
        const auto usage =
            extract_resource_usage_per_core(options.count_inputs ? traces.with_inputs : traces.call_only, banks);
        const auto everything = extract_resource_usage_per_core(traces.with_inputs, banks);
        require(everything.peak_total <= device->bank_size(BufferType::L1),
                "the operation needs {} B of L1 per core including its inputs, but there are only {} B",
                everything.peak_total, device->bank_size(BufferType::L1));
        response.resource_usage = {usage.peak_cb, usage.peak_l1, usage.peak_total, 0};
        for (const Tensor& output : traces.outputs) {
            response.output_tensor_specs.push_back(output.spec());
            if (in_l1(output)) {
                response.resource_usage.l1_output_buffer_per_core +=
                    extract_l1_output_buffer_allocation_size_per_core(output, banks);
            }
        }
        response.status = QueryStatus::SUCCESS;
    } catch (const std::exception& error) {
        response.error_message = error.what();
    }
    return response;
}

RuntimeQueryResponse query_op_runtime(const TensorCall& call, const std::shared_ptr<Device>& device,
                                      const std::vector<TensorSpec>& inputs) {
    constexpr int warm_up_runs = 1 + 5;
    constexpr int timed_runs = 20;
    RuntimeQueryResponse response;
    try {
        const std::vector<Tensor> tensors = tensors_of(inputs, device);
        for (int i = 0; i < warm_up_runs; ++i) {
            call(tensors);
        }
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < timed_runs; ++i) {
            call(tensors);
        }
        const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - start;
        response.runtime_ns = static_cast<uint64_t>(spent.count()) / timed_runs;
        response.status = QueryStatus::SUCCESS;
    } catch (const std::exception& error) {
        response.error_message = error.what();
    }
    return response;
}

uint64_t query_peak_L1_memory_usage(const std::function<void()>& function) {
    return extract_peak_L1_memory_usage(query_trace(function));
}

std::vector<TensorInfo> query_output_info(const std::function<void()>& function) {
    return extract_output_info(query_trace(function));
}

}  // namespace ttnn::graph
