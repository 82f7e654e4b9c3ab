// CaseMaker: makes the inputs of an operation's own test cases, in every dtype, layout and memory kind.
//
// A declaration's `static void cases(CaseMaker& make)` is called once per combination; it asks for tensors of the
// combination and adds parameter sets. What a combination cannot express (a block float in row-major, a shard that does
// not fit) is left out by throwing NotApplicable from the maker, not by the operation.
#pragma once

#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "ttnn/op/op_info.hpp"

namespace ttnn {

enum class MemoryKind : uint8_t { DRAM, L1, HEIGHT_SHARDED, WIDTH_SHARDED, BLOCK_SHARDED };
template <>
struct EnumInfo<MemoryKind> {
    static constexpr std::string_view type = "MemoryKind";
    static constexpr EnumMember<MemoryKind> members[] = {{MemoryKind::DRAM, "DRAM"},
                                                         {MemoryKind::L1, "L1"},
                                                         {MemoryKind::HEIGHT_SHARDED, "HEIGHT_SHARDED"},
                                                         {MemoryKind::WIDTH_SHARDED, "WIDTH_SHARDED"},
                                                         {MemoryKind::BLOCK_SHARDED, "BLOCK_SHARDED"}};
};

struct Combination {
    DataType dtype = DataType::BFLOAT16;
    Layout layout = Layout::TILE;
    MemoryKind memory = MemoryKind::DRAM;
    std::string to_string() const;  // "BFLOAT16 TILE L1"
};

class NotApplicable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class CaseMaker {
public:
    CaseMaker(const OpInfo& op, const std::shared_ptr<Device>& device, const Combination& combination)
        : op_(op), device_(device), combination_(combination) {}

    const std::shared_ptr<Device>& device() const { return device_; }
    DataType dtype() const { return combination_.dtype; }
    Layout layout() const { return combination_.layout; }
    MemoryKind memory() const { return combination_.memory; }
    bool sharded() const { return memory() != MemoryKind::DRAM && memory() != MemoryKind::L1; }
    bool floating() const { return is_floating(dtype()); }
    // Leaves the combination out unless the condition holds.
    void only_if(bool condition) const;

    // A device tensor of the combination's dtype, layout and memory kind; values come later, from the domain.
    Tensor tensor(const Shape& shape) const { return tensor(shape, dtype()); }
    Tensor tensor(const Shape& shape, DataType dtype) const;
    // A device tensor where the combination's memory kind must not matter.
    Tensor interleaved(const Shape& shape, DataType dtype, Layout layout, BufferType buffer = BufferType::DRAM) const;
    Tensor on_host(const Shape& shape, DataType dtype, Layout layout) const;
    // The memory configuration that the combination's kind means for a tensor of this shape.
    MemoryConfig memory_config(const Shape& shape) const;

    // Adds one call.
    template <class Params>
    void add(const Params& params) {
        cases_.emplace_back(op_, &params);
    }
    std::vector<AnyParams> take() { return std::move(cases_); }

private:
    Tensor allocate(const TensorSpec& spec) const;

    const OpInfo& op_;
    std::shared_ptr<Device> device_;
    Combination combination_;
    std::vector<AnyParams> cases_;
};

// What the operation says of this argument, where that makes sense for the dtype.
Domain domain_of(const AnyParams& params, std::string_view field, DataType dtype);

// Fills every tensor argument with legal values: the operation's domain for that argument, reproducible from `seed`.
void fill_inputs(AnyParams& params, uint64_t seed);

}  // namespace ttnn
