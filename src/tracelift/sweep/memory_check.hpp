// What a call takes of memory, found out without running it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tracelift/catalog/result_record.hpp"
#include "tracelift/value/value.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {

// Bytes of the tensors among the arguments, tiles padded; a little too much where elements are smaller than four bytes.
// Of one chip.
uint64_t tensor_bytes(const Value::Dict& arguments);
// Packed bytes of the tensors on all chips of a mesh; chips with equal parts count once, as they share them.
uint64_t bytes_on_mesh(const Value::Dict& arguments);

struct MemoryCheck {
    std::string problem{};  // why nothing could be inferred, or what does not fit; empty: it fits the device
    bool inferred = false;  // what follows is known
    ttnn::graph::PeakMemoryUsagePerCore per_core{};
    uint64_t device_peak = 0;  // of L1, as the original sums it
    uint64_t cores = 0;        // of the compute grid
    std::vector<ttnn::TensorSpec> outputs{};
    uint64_t outputs_on_mesh = 0;  // their packed bytes, as bytes_on_mesh counts them

    std::vector<Metric> metrics() const;  // the six of `--measure-memory`; none where nothing is known
    std::string text() const;             // for people: outputs, memory, fits or not
    uint64_t output_bytes() const;
};

// By a capture in NO_DISPATCH: no bytes are made, no kernel runs.
MemoryCheck check_memory(const ttnn::OpInfo& op, const Value::Dict& arguments,
                         const std::shared_ptr<ttnn::Device>& device);

}  // namespace tracelift
