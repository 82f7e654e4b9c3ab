// Vectors of operations from stored configurations: what was traced, or every combination of what was traced.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/sweep/vector.hpp"
#include "ttnn/core/function_ref.hpp"

namespace tracelift {

inline constexpr const char* traced_suite = "model_traced";

// How to run a configuration again: its call, on its board and mesh, with inputs that follow from its identity.
CallRequest request_of(const Configuration& configuration);

// One vector per configuration. Their ids are the hashes of the configurations; those that a file lists again end in
// their ordinal.
std::vector<Vector> traced_vectors(std::span<const Configuration> configurations);

// The values that a traced dimension of an operation takes: the shapes of all tensors together, the dtype and the
// layout of each tensor, all memory configs together, everything else together.
struct Dimension {
    std::string name{};           // "shapes", "input_tensor.dtype", "input_tensor.layout", "memory", "others"
    std::vector<Value> values{};  // distinct, in the order they were seen
};

// What was traced at a point of a space: the first configuration, and how often models executed all that lie there.
struct TracedPoint {
    std::string identity{};
    int64_t configuration = 0;
    int64_t executions = 0;
};

// The dimensions of configurations that have the same tensors.
class TracedSpace {
public:
    const std::string& operation() const { return operation_; }
    const std::vector<Dimension>& dimensions() const { return dimensions_; }
    // Where each configuration lies, as indices of values; `members` are indices of the configurations given.
    const std::vector<std::vector<uint32_t>>& points() const { return points_; }
    const std::vector<size_t>& members() const { return members_; }
    const TracedPoint* traced_at(const std::vector<uint32_t>& point) const;  // null: nothing was
    const std::string& board() const { return board_; }
    const std::vector<std::string>& slots() const { return slots_; }  // tensors: "input_tensor", "tensors[1]"
    uint64_t combinations() const;                                    // saturates
    std::vector<std::vector<uint32_t>> all_points() const;            // the last dimension fastest

    // The arguments at a point.
    Value::Dict arguments_at(std::span<const uint32_t> point) const;
    // Every combination as canonical text of its vector (dialects/sweep_vector.hpp), the last dimension fastest. Texts
    // are made of parts that were written once; `visit` returns false to stop.
    void visit_texts(const std::string& suite,
                     ttnn::FunctionRef<bool(std::span<const uint32_t>, const std::string&)>) const;

private:
    friend std::vector<TracedSpace> traced_spaces(std::span<const Configuration> configurations);
    std::string operation_{}, board_{};
    std::vector<std::string> slots_{};
    std::vector<Dimension> dimensions_{};
    std::vector<std::vector<uint32_t>> points_{};
    std::vector<size_t> members_{};
    std::map<std::vector<uint32_t>, TracedPoint> traced_{};
};
// By operation and tensors; only of configurations that fit a declaration.
std::vector<TracedSpace> traced_spaces(std::span<const Configuration> configurations);

// Combinations of the traced values, as vectors with ids of their own: all, or those whose numbers (places in
// all_points, ascending) are given.
std::vector<Vector> all_case_vectors(const TracedSpace& space);
std::vector<Vector> all_case_vectors(const TracedSpace& space, std::span<const size_t> numbers);

}  // namespace tracelift
