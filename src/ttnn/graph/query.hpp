// Will an operation fit? Asked without running it: inputs are described by their specs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ttnn/device/device.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/graph_processor.hpp"

namespace ttnn::graph {

enum class QueryStatus : uint8_t { SUCCESS, ERROR };

struct ResourceUsage {
    uint64_t cb_peak_size_per_core = 0;
    uint64_t l1_buffers_peak_per_core = 0;
    uint64_t peak_memory_usage_per_core = 0;
    uint64_t l1_output_buffer_per_core = 0;  // sum over the outputs in L1
};

struct ConstraintQueryResponse {
    QueryStatus status = QueryStatus::ERROR;
    ResourceUsage resource_usage;
    std::vector<TensorSpec> output_tensor_specs;
    std::string error_message;
};

struct QueryOptions {
    bool count_inputs = false;  // in the L1 figures
};

// An operation under question: gets device tensors and returns its outputs.
using TensorCall = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// `call` gets device tensors of the given specs and returns the operation's outputs. Also refused by what only a run
// would notice: circular buffers and buffers that do not fit into L1 together.
ConstraintQueryResponse query_op_constraints(const TensorCall& call, const std::shared_ptr<Device>& device,
                                             const std::vector<TensorSpec>& inputs, const QueryOptions& options = {});

struct RuntimeQueryResponse {
    QueryStatus status = QueryStatus::ERROR;
    uint64_t runtime_ns = 0;  // mean of the timed runs
    std::string error_message;
};
// Really runs it, on inputs of zeros: once, 5 times to warm up, and 20 times against the clock. The time is that of the
// emulation.
RuntimeQueryResponse query_op_runtime(const TensorCall& call, const std::shared_ptr<Device>& device,
                                      const std::vector<TensorSpec>& inputs);

// Analyses of query_trace.
uint64_t query_peak_L1_memory_usage(const std::function<void()>& function);
std::vector<TensorInfo> query_output_info(const std::function<void()>& function);

// Bytes per core of a tensor in L1; throws for one in DRAM.
uint64_t extract_l1_output_buffer_allocation_size_per_core(const Tensor& tensor, size_t interleaved_storage_cores);

}  // namespace ttnn::graph
