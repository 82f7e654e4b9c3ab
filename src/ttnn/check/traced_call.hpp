// TracedCall: a call written down in a test, made with fresh inputs and held against what is expected of it. Generated
// tests (`tracelift generate-tests --format gtest`) consist of these.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracelift/value/value.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

class TracedCall {
public:
    // On a board by name, empty: the default one; on a mesh of its chips.
    explicit TracedCall(std::string operation, std::string board = {}, std::vector<uint32_t> mesh = {1, 1});

    // Arguments by name, in their neutral form. Tensors get values that the operation's declaration allows.
    void give(std::string name, tracelift::Value value) { arguments_.push_back({std::move(name), std::move(value)}); }
    void give(std::string name, const MemoryConfig& config);
    void tensor(std::string name, const Shape& shape, DataType dtype, Layout layout, const MemoryConfig& config = {});
    void host_tensor(std::string name, const Shape& shape, DataType dtype, Layout layout);
    void device(std::string name);
    // How a tensor that was given lies on the mesh: which of its dimensions each dimension of the mesh cuts. Those that
    // nothing is said of are whole everywhere. `distribution`: where the tensor sees the chips as another mesh.
    void spread(std::string_view name, const std::vector<std::optional<int32_t>>& dims,
                std::vector<uint32_t> distribution = {});

    // The outputs, in order.
    void expect(const Shape& shape, DataType dtype, Layout layout, const MemoryConfig& config = {});

    // Makes the call. What is wrong with its outputs, or with their values against the reference; empty: nothing. The
    // comparison asks for correlation, which an output of equal elements has only with a reference of equal elements.
    std::string problem();
    // The same without values.
    std::string shape_problem();
    // The other way round: values against the reference, where there is one, and whatever outputs.
    std::string value_problem();

private:
    enum class Judge : uint8_t { EVERYTHING, SHAPES, VALUES };
    std::string made(Judge judge);

    std::string operation_;
    std::string board_;
    MeshShape mesh_;
    tracelift::Value::Dict arguments_;
    std::vector<TensorSpec> expected_;
};

inline constexpr std::nullopt_t whole = std::nullopt;  // not cut

// A tensor among others in a list.
tracelift::Value traced_tensor(const Shape& shape, DataType dtype, Layout layout, const MemoryConfig& config = {});

// Cores that shards lie on, range by range: which shard lies where follows from their order.
class Cores {
public:
    void add(CoreCoord start, CoreCoord end) { ranges_.emplace_back(start, end); }
    operator CoreRangeSet() const { return CoreRangeSet(ranges_); }  // NOLINT(google-explicit-constructor)

private:
    std::vector<CoreRange> ranges_;
};

MemoryConfig sharded(TensorMemoryLayout layout, BufferType buffer, const CoreRangeSet& cores,
                     std::array<uint32_t, 2> shape, ShardOrientation orientation = ShardOrientation::ROW_MAJOR);

// A record of any type, field by field.
class Fields {
public:
    explicit Fields(std::string type) : record_{std::move(type), {}} {}
    void set(std::string name, tracelift::Value value) {
        record_.fields.push_back({std::move(name), std::move(value)});
    }
    tracelift::Value value() const { return record_; }

private:
    tracelift::Value::Struct record_;
};

}  // namespace ttnn
