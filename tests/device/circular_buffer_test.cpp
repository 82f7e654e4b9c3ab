#include "ttnn/device/circular_buffer.hpp"

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

constexpr uint64_t base = 103712;

CoreRangeSet range(uint32_t x1, uint32_t y1, uint32_t x2, uint32_t y2) {
    return CoreRangeSet(CoreRange({x1, y1}, {x2, y2}));
}

std::vector<uint64_t> addresses(const std::vector<CircularBuffer>& requests) {
    std::vector<uint64_t> result;
    for (const PlacedCircularBuffer& placed : place_circular_buffers(requests, base, 32)) {
        result.push_back(placed.address);
    }
    return result;
}

std::string check_error(const Device& device, const std::vector<CircularBuffer>& requests) {
    try {
        device.check_circular_buffers(place_circular_buffers(requests, base, 32), "matmul");
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::shared_ptr<Buffer> one_tile(const std::shared_ptr<Device>& device) {
    return Buffer::allocate(device, TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE, l1_memory_config()));
}

TEST(CircularBuffers, GrowUpFromTheBaseInCreationOrder) {
    const auto all = range(0, 0, 7, 7);
    EXPECT_EQ(addresses({{all, 2048}, {all, 4096}, {all, 100}, {all, 32}}),
              (std::vector<uint64_t>{103712, 105760, 109856, 109984}));
}

TEST(CircularBuffers, DisjointCoresShareAddresses) {
    EXPECT_EQ(
        addresses(
            {{range(0, 0, 3, 3), 2048}, {range(4, 0, 7, 3), 4096}, {range(0, 0, 7, 0), 32}, {range(0, 1, 3, 1), 32}}),
        (std::vector<uint64_t>{103712, 103712, 107808, 105760}));
}

TEST(CircularBuffers, SeveralRangesTakeTheHighestEnd) {
    const CoreRangeSet two({CoreRange({0, 0}, {0, 0}), CoreRange({7, 7}, {7, 7})});
    EXPECT_EQ(addresses({{range(7, 7, 7, 7), 64}, {two, 32}, {range(0, 0, 0, 0), 32}}),
              (std::vector<uint64_t>{103712, 103776, 103808}));
    EXPECT_EQ(addresses({{range(0, 0, 0, 0), 64}, {two, 32}, {range(7, 7, 7, 7), 32}}),
              (std::vector<uint64_t>{103712, 103776, 103808}));
}

TEST(CircularBuffers, GlobalOnesLiveInTheirBuffer) {
    const auto device = Device::open({.board = "n150"});
    const auto buffer = one_tile(device);
    const auto all = range(0, 0, 7, 7);
    EXPECT_EQ(addresses({{all, 2048}, {all, 2048, buffer.get()}, {all, 2048}}),
              (std::vector<uint64_t>{103712, 1497088, 105760}));
    EXPECT_EQ(check_error(*device, {{all, 2048}, {all, 2048, buffer.get()}}), "no error");
    buffer->deallocate();
    EXPECT_THROW(addresses({{all, 2048, buffer.get()}}), Error);
}

TEST(CircularBuffers, MayFillL1ToTheLastByte) {
    const auto device = Device::open({.board = "n150"});
    const auto all = range(0, 0, 7, 7);
    EXPECT_EQ(check_error(*device, {{all, 1395424}}), "no error");
    EXPECT_EQ(check_error(*device, {{all, 1395424}, {all, 64}}),
              "Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=7)] grow to 1499200 B which is "
              "beyond max L1 size of 1499136 B");
}

TEST(CircularBuffers, ClashWithTheLowestL1Buffer) {
    const auto device = Device::open({.board = "n150"});
    const auto buffer = one_tile(device);
    const auto all = range(0, 0, 7, 7);
    EXPECT_EQ(check_error(*device, {{all, 1393376}}), "no error");
    EXPECT_EQ(check_error(*device, {{all, 1393376}, {range(2, 0, 3, 0), 32}}),
              "Statically allocated circular buffers in program matmul clash with L1 buffers on core range [(x=0,y=0) "
              "- (x=7,y=7)]. L1 buffer allocated at 1497088 and static circular buffer region ends at 1497120");
    buffer->deallocate();
    EXPECT_EQ(check_error(*device, {{all, 1393376}, {range(2, 0, 3, 0), 32}}), "no error");
}

// Lock-step allocation: a shard on core (7,7) keeps the address from all cores.
TEST(CircularBuffers, ClashWithShardsOnOtherCores) {
    const auto device = Device::open({.board = "n150"});
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                              ShardSpec{range(7, 7, 7, 7), {32, 32}});
    const auto buffer = Buffer::allocate(device, TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE, config));
    EXPECT_NE(check_error(*device, {{range(0, 0, 0, 0), 1393408}}).find("clash with L1 buffers"), std::string::npos);
}

TEST(CircularBuffers, L1SmallIsNotConsidered) {
    const auto device = Device::open({.board = "n150", .l1_small_size = 32768});
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1_SMALL,
                              ShardSpec{range(0, 0, 0, 0), {32, 32}});
    const auto buffer = Buffer::allocate(device, TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE, config));
    EXPECT_EQ(buffer->address(), 1497088u);
    EXPECT_EQ(check_error(*device, {{range(0, 0, 0, 0), 1395424}}), "no error");
}

TEST(CircularBuffers, MustLieInTheComputeGrid) {
    const auto device = Device::open({.board = "n300"});
    EXPECT_NE(check_error(*device, {{range(0, 0, 7, 7), 32}}).find("must lie inside the compute grid (x=8,y=7)"),
              std::string::npos);
}

}  // namespace
}  // namespace ttnn
