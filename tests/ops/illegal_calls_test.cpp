// Illegal calls: each raises an Error that says which argument, what it was and what is allowed, and leaves the device
// as it was.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"
#include "ttnn/ops/data_movement/concat.hpp"
#include "ttnn/ops/data_movement/pad.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/data_movement/transpose.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/clamp.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/embedding/embedding.hpp"
#include "ttnn/ops/matmul/addmm.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/normalization/softmax.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class IllegalCall : public testing::Test {
protected:
    Tensor tensor(const Shape& shape, DataType dtype = DataType::BFLOAT16, Layout layout = Layout::TILE,
                  const MemoryConfig& memory = {}) {
        return Tensor::allocate_on_device(TensorSpec(shape, dtype, layout, memory), device_);
    }

    // The text of the error that `call` raises, after checking that nothing stays allocated.
    std::string message(const std::function<void()>& call) {
        const auto dram = device_->statistics(BufferType::DRAM).total_allocated;
        const auto l1 = device_->statistics(BufferType::L1).total_allocated;
        std::string text = "no error";
        try {
            call();
        } catch (const Error& error) {
            text = error.what();
        }
        EXPECT_EQ(device_->statistics(BufferType::DRAM).total_allocated, dram);
        EXPECT_EQ(device_->statistics(BufferType::L1).total_allocated, l1);
        return text;
    }

    std::shared_ptr<Device> device_ = Device::open({.board = "n150"});
};

TEST_F(IllegalCall, WrongLayout) {
    const Tensor a = tensor({1, 1, 32, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    const Tensor b = tensor({1, 1, 32, 32});
    EXPECT_THAT(message([&] { matmul(a, b); }), AllOf(HasSubstr("ttnn.matmul"), HasSubstr("input_tensor_a"),
                                                      HasSubstr("TILE"), HasSubstr("ROW_MAJOR")));
}

TEST_F(IllegalCall, WrongDtype) {
    const Tensor ids = tensor({1, 32}, DataType::FLOAT32, Layout::ROW_MAJOR);
    const Tensor weight = tensor({64, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    EXPECT_THAT(message([&] { embedding(ids, weight); }), AllOf(HasSubstr("ttnn.embedding"), HasSubstr("input_tensor"),
                                                                HasSubstr("UINT32"), HasSubstr("FLOAT32")));
    EXPECT_THAT(message([&] {
                    sqrt(tensor({32, 32}, DataType::UINT32));
                }),
                AllOf(HasSubstr("ttnn.sqrt"), HasSubstr("input_tensor"), HasSubstr("UINT32")));
}

TEST_F(IllegalCall, ShardNotTileSized) {
    const MemoryConfig memory(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                              ShardSpec{CoreRangeSet(CoreRange({0, 0}, {3, 0})), {20, 64}});
    const Tensor a = tensor({1, 1, 80, 64});
    EXPECT_THAT(message([&] { to_memory_config(a, memory); }), AllOf(HasSubstr("must be tile"), HasSubstr("20")));
}

TEST_F(IllegalCall, MoreShardsThanCores) {
    const MemoryConfig memory(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                              ShardSpec{CoreRangeSet(CoreRange({0, 0}, {1, 0})), {32, 64}});
    const Tensor a = tensor({1, 1, 128, 64});
    EXPECT_THAT(message([&] { to_memory_config(a, memory); }), AllOf(HasSubstr("4"), HasSubstr("2")));
}

TEST_F(IllegalCall, ShardGridOutsideTheDevice) {
    const MemoryConfig memory(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                              ShardSpec{CoreRangeSet(CoreRange({0, 0}, {9, 0})), {32, 64}});
    const Tensor a = tensor({1, 1, 320, 64});
    EXPECT_THAT(message([&] { to_memory_config(a, memory); }), HasSubstr("must lie inside the compute grid"));
}

TEST_F(IllegalCall, OutOfL1) {
    const Tensor a = tensor({1, 1, 8192, 8192});
    const std::string text = message([&] { add(a, a, {.memory_config = l1_memory_config()}); });
    EXPECT_THAT(text,
                AllOf(HasSubstr("Out of Memory: Not enough space to allocate 134217728 B L1 buffer across 64 banks"),
                      HasSubstr("2097152 B"), HasSubstr("bank size is 1395424 B")));
}

TEST_F(IllegalCall, OutOfDram) {
    // 4.25 GiB each: two fit into 12 GiB, the operation's output does not.
    const Tensor a = tensor({1, 1, 65536, 65536}, DataType::BFLOAT8_B);
    const Tensor b = tensor({1, 1, 65536, 65536}, DataType::BFLOAT8_B);
    EXPECT_THAT(message([&] { add(a, b); }),
                AllOf(HasSubstr("Out of Memory: Not enough space to allocate 4563402752 B DRAM buffer across 12 banks"),
                      HasSubstr("bank size is 1073741792 B")));
}

TEST_F(IllegalCall, MismatchedShapes) {
    EXPECT_THAT(message([&] {
                    add(tensor({1, 1, 32, 64}), tensor({1, 1, 32, 96}));
                }),
                AllOf(HasSubstr("64"), HasSubstr("96")));
    EXPECT_THAT(message([&] { matmul(tensor({32, 64}), tensor({96, 32})); }), AllOf(HasSubstr("64"), HasSubstr("96")));
    EXPECT_THAT(message([&] {
                    concat({tensor({1, 1, 32, 64}), tensor({1, 1, 64, 64})}, {.dim = 3});
                }),
                AllOf(HasSubstr("ttnn.concat"), HasSubstr("32"), HasSubstr("64")));
    EXPECT_THAT(message([&] { reshape(tensor({1, 1, 32, 64}), {1, 1, 32, 65}); }), HasSubstr("different volumes"));
}

TEST_F(IllegalCall, DeallocatedInput) {
    Tensor a = tensor({32, 32});
    const Tensor b = tensor({32, 32});
    a.deallocate();
    EXPECT_EQ(message([&] { add(b, a); }),
              "ttnn.add: argument 'input_tensor_b' is not allocated: the tensor was deallocated before this call "
              "(Buffer is not allocated)");
}

TEST_F(IllegalCall, TensorOfAnotherDevice) {
    const auto other = Device::open({.device_id = 1, .board = "p150"});
    const Tensor a = tensor({32, 32});
    const Tensor b = Tensor::allocate_on_device(TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE), other);
    EXPECT_THAT(message([&] { add(a, b); }),
                AllOf(HasSubstr("ttnn.add: argument 'input_tensor_b' is on device 1 (p150)"),
                      HasSubstr("device 0 (n150)"), HasSubstr("must be on the same device")));
}

TEST_F(IllegalCall, HostTensorWhereADeviceTensorIsNeeded) {
    const Tensor host = Tensor::allocate_on_host(TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE));
    EXPECT_EQ(message([&] { add(host, host); }),
              "ttnn.add: argument 'input_tensor_a' must be on device, but its storage type is HOST");
}

TEST_F(IllegalCall, DimensionOutOfRange) {
    EXPECT_THAT(message([&] {
                    softmax(tensor({1, 1, 32, 32}), {.dim = 7});
                }),
                AllOf(HasSubstr("ttnn.softmax"), HasSubstr("dim"), HasSubstr("7")));
    EXPECT_THAT(message([&] {
                    slice(tensor({1, 1, 32, 32}), {0, 0, 0, 0}, {1, 1, 64, 32});
                }),
                AllOf(HasSubstr("ttnn.slice"), HasSubstr("64"), HasSubstr("32")));
}

TEST_F(IllegalCall, CircularBuffersThatClashWithL1Buffers) {
    // All of L1 but 4 KiB per core is taken; the three circular buffers of an addition need 12 KiB.
    const uint64_t free_bytes = device_->statistics(BufferType::L1).largest_free_block;
    const auto tiles = static_cast<uint32_t>((free_bytes - 4096) / 2048 * 64);
    const Tensor hog = tensor({1, 1, 32, tiles * 32}, DataType::BFLOAT16, Layout::TILE, l1_memory_config());
    const Tensor a = tensor({32, 32});
    EXPECT_THAT(
        message([&] { add(a, a); }),
        AllOf(HasSubstr("Statically allocated circular buffers in program ttnn::prim::binary clash with L1 buffers"),
              HasSubstr("static circular buffer region ends at")));
}

// Test suites of others match these words; what is before and after them is ours.
TEST_F(IllegalCall, TextsThatCallersMatch) {
    const Tensor a = tensor({32, 32});
    EXPECT_THAT(message([&] { clamp(a); }),
                HasSubstr("Only one of 'min' or 'max' can be None. Please provide one value"));
    Tensor gone = tensor({32, 32});
    gone.deallocate();
    EXPECT_THAT(message([&] { sqrt(gone); }), HasSubstr("Buffer is not allocated"));
    EXPECT_THAT(message([&] { read<float>(gone); }), HasSubstr("Buffer is not allocated"));
    EXPECT_THAT(message([&] {
                    pad(a, {{1, 0}, {0, 0}}, 0.0);
                }),
                HasSubstr("on device tile padding does not support front padding"));
    EXPECT_THAT(message([&] {
                    pad(a, {{0, 0}, {0, 0}, {0, 1}}, 0.0);
                }),
                HasSubstr("padding len can't be larger than input tensor rank"));
    EXPECT_THAT(message([&] {
                    permute(a, {0, 1, 2});
                }),
                HasSubstr("The number of dimensions in the tensor input does not match the length of the desired "
                          "ordering"));
    EXPECT_THAT(message([&] {
                    matmul(tensor({32, 64}), tensor({96, 32}));
                }),
                HasSubstr("The width of the first tensor must be equal to the height of the second tensor"));
    EXPECT_THAT(message([&] {
                    addmm(tensor({64, 64}), a, a);
                }),
                HasSubstr("input_tensor must have shape matching one of result of mat1_tensor @ mat2_tensor"));
    EXPECT_THAT(message([&] {
                    addmm(a, a, tensor({32, 32}, DataType::BFLOAT4_B));
                }),
                HasSubstr("only ttnn.bfloat16, ttnn.float32 and ttnn.bfloat8_b types are supported"));
}

}  // namespace
}  // namespace ttnn
