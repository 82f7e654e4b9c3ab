#include "ttnn/device/device.hpp"

#include <algorithm>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"

namespace ttnn {
namespace {

constexpr auto bf16 = DataType::BFLOAT16;

CoreRangeSet range(uint32_t x1, uint32_t y1, uint32_t x2, uint32_t y2) {
    return CoreRangeSet(CoreRange({x1, y1}, {x2, y2}));
}

// `count` bfloat16 tiles.
TensorSpec tiles(uint32_t count, const MemoryConfig& config = l1_memory_config()) {
    return TensorSpec({1, 1, 32, 32 * count}, bf16, Layout::TILE, config);
}

TensorSpec height_sharded(const CoreRangeSet& grid, uint32_t tiles_per_core, BufferType type = BufferType::L1) {
    const ShardSpec spec{grid, {tiles_per_core * 32, 32}, ShardOrientation::ROW_MAJOR};
    return TensorSpec({grid.num_cores() * tiles_per_core * 32, 32}, bf16, Layout::TILE,
                      MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, type, spec));
}

template <class E = Error>
std::string error_of(auto call) {
    try {
        call();
    } catch (const E& error) {
        return error.what();
    }
    return "no error";
}

bool same(const AllocationStatistics& a, const AllocationStatistics& b) {
    return a.total_allocatable == b.total_allocatable && a.total_allocated == b.total_allocated &&
           a.total_free == b.total_free && a.largest_free_block == b.largest_free_block;
}

TEST(Device, PublishedDramTrace) {
    const auto device = Device::open({.board = "n150"});
    const auto large = [&] {
        return Buffer::allocate(device, TensorSpec({1, 1, 1280, 3200}, bf16, Layout::TILE, dram_memory_config()));
    };
    const auto first = large();
    EXPECT_EQ(first->size(), 8192000u);
    EXPECT_EQ(first->address(), 32u);
    EXPECT_EQ(first->reserved_per_bank(), 684032u);
    const auto second =
        Buffer::allocate(device, TensorSpec({1, 1, 640, 640}, bf16, Layout::TILE, dram_memory_config()));
    EXPECT_EQ(second->size(), 819200u);
    EXPECT_EQ(second->address(), 684064u);
    EXPECT_EQ(second->reserved_per_bank(), 69632u);
    const auto third = large();
    EXPECT_EQ(third->address(), 753696u);
    const auto fourth = large();
    EXPECT_EQ(fourth->address(), 1437728u);
}

TEST(Device, OneTileL1BuffersGrowDown) {
    const auto device = Device::open({.board = "n150"});
    const auto first = Buffer::allocate(device, tiles(1));
    const auto second = Buffer::allocate(device, tiles(1));
    EXPECT_EQ(first->address(), 1497088u);
    EXPECT_EQ(second->address(), 1495040u);
    EXPECT_EQ(device->lowest_l1_address(), 1495040u);
    EXPECT_LT(first->id(), second->id());
    EXPECT_EQ(first->pages().num_banks_used(), 64u);
}

TEST(Device, BlackholeRoundsTo64) {
    const auto device = Device::open({.board = "p150"});
    const TensorSpec spec({1, 3}, bf16, Layout::ROW_MAJOR, dram_memory_config());
    const auto first = Buffer::allocate(device, spec);
    const auto second = Buffer::allocate(device, spec);
    EXPECT_EQ(first->address(), 64u);
    EXPECT_EQ(second->address(), 128u);
    EXPECT_EQ(first->size(), 6u);
    const auto in_l1 = Buffer::allocate(device, spec.with_memory_config(l1_memory_config()));
    EXPECT_EQ(in_l1->address(), 1572864u - 64u) << "page of 16 B, block of 64 B";
}

TEST(Device, ConvolutionShardsTakeTheirRangeOnAllCores) {
    const auto device = Device::open({.board = "n150"});
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                              ShardSpec{range(0, 0, 7, 6), {224, 32}});
    const auto sharded = Buffer::allocate(device, TensorSpec({1, 1, 12544, 32}, bf16, Layout::TILE, config));
    EXPECT_EQ(sharded->address(), 1484800u);
    EXPECT_EQ(sharded->reserved_per_bank(), 14336u);
    const auto after = Buffer::allocate(device, height_sharded(range(7, 7, 7, 7), 1));
    EXPECT_EQ(after->address(), 1482752u);
    EXPECT_EQ(sharded->locate(10), (PageLocation{1, {1, 0}, 1484800u + 6144u}));
    EXPECT_EQ(sharded->locate(391), (PageLocation{55, {7, 6}, 1484800u + 12288u}));
    EXPECT_EQ(after->locate(0), (PageLocation{63, {7, 7}, 1482752u}));
    EXPECT_THROW(after->locate(1), Error);
}

TEST(Device, InterleavedPagesAreLocated) {
    const auto device = Device::open({.board = "n300"});
    const auto l1 = Buffer::allocate(device, tiles(60));
    EXPECT_EQ(l1->address(), 1499136u - 4096u);
    EXPECT_EQ(l1->locate(57), (PageLocation{1, {1, 0}, l1->address() + 2048u}));
    EXPECT_EQ(l1->locate(15), (PageLocation{15, {7, 1}, l1->address()}));
    const auto dram = Buffer::allocate(device, tiles(60, dram_memory_config()));
    EXPECT_EQ(dram->locate(26), (PageLocation{2, {2, 0}, 32u + 4096u}));
}

TEST(Device, DramShardsNameBanks) {
    const auto device = Device::open({.board = "n150"});
    const auto spec = [](const CoreRangeSet& grid) {
        const ShardSpec shard{grid, {32, 64}, ShardOrientation::ROW_MAJOR};
        return TensorSpec({1, 1, 32, grid.num_cores() * 64}, bf16, Layout::TILE,
                          MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, BufferType::DRAM, shard));
    };
    const auto buffer = Buffer::allocate(device, spec(range(0, 0, 11, 0)));
    EXPECT_EQ(buffer->address(), 32u);
    EXPECT_EQ(buffer->reserved_per_bank(), 4096u);
    EXPECT_EQ(buffer->locate(23), (PageLocation{11, {11, 0}, 32u + 2048u}));
    for (const CoreRangeSet& grid : {range(0, 0, 12, 0), range(0, 0, 0, 1)}) {
        EXPECT_NE(error_of([&] { Buffer::allocate(device, spec(grid)); }).find("must lie inside the DRAM banks"),
                  std::string::npos);
    }
}

TEST(Device, FirstFitReusesFreedBlocks) {
    const auto device = Device::open({.board = "n150"});
    const auto a = Buffer::allocate(device, tiles(64 * 4));  // 4 tiles per bank
    const auto b = Buffer::allocate(device, tiles(1));
    const auto c = Buffer::allocate(device, tiles(1));
    const auto d = Buffer::allocate(device, tiles(1));
    const uint64_t hole_of_a = a->address();
    const uint64_t hole_of_c = c->address();
    a->deallocate();
    c->deallocate();
    // The hole of a is higher than the exactly fitting one of c, and its high end is taken.
    const auto e = Buffer::allocate(device, tiles(1));
    EXPECT_EQ(e->address(), hole_of_a + 3 * 2048);
    const auto f = Buffer::allocate(device, tiles(64 * 3));
    EXPECT_EQ(f->address(), hole_of_a);
    const auto g = Buffer::allocate(device, tiles(1));
    EXPECT_EQ(g->address(), hole_of_c);
    EXPECT_EQ(Buffer::allocate(device, tiles(64))->address(), d->address() - 2048);
    EXPECT_EQ(device->free_blocks(BufferType::L1).size(), 1u);
    EXPECT_EQ(device->allocated_blocks(BufferType::L1).size(), 5u);
}

TEST(Device, DirectionCanBeOverridden) {
    const auto device = Device::open({.board = "n150"});
    EXPECT_EQ(Buffer::allocate(device, tiles(1), Direction::BOTTOM_UP)->address(), 103712u);
    EXPECT_EQ(Buffer::allocate(device, tiles(1, dram_memory_config()), Direction::TOP_DOWN)->address(),
              1073741824u - 2048u);
}

TEST(Device, OutOfMemoryTellsTheWholeStory) {
    const auto device = Device::open({.board = "n150"});
    const auto held = Buffer::allocate(device, tiles(64 * 100));
    const AllocationStatistics before = device->statistics(BufferType::L1);
    EXPECT_EQ(error_of<OutOfMemory>([&] { Buffer::allocate(device, tiles(64 * 600)); }),
              "Out of Memory: Not enough space to allocate 78643200 B L1 buffer across 64 banks, where each bank needs "
              "to store 1228800 B, but bank size is 1395424 B (allocated: 204800 B, free: 1190624 B, largest free "
              "block: 1190624 B)");
    EXPECT_EQ(
        error_of<OutOfMemory>([&] { Buffer::allocate(device, height_sharded(range(0, 0, 1, 0), 600)); }),
        "Out of Memory: Not enough space to allocate 2457600 B L1 buffer across 2 banks, where each bank needs "
        "to store 1228800 B, but bank size is 1395424 B (allocated: 204800 B, free: 1190624 B, largest free block: "
        "1190624 B)");
    EXPECT_TRUE(same(before, device->statistics(BufferType::L1)));
    EXPECT_EQ(device->live_buffers(), std::vector<const Buffer*>{held.get()});
}

TEST(Device, FragmentationCounts) {
    const auto device = Device::open({.board = "n150"});
    std::vector<std::shared_ptr<Buffer>> buffers;
    for (int i = 0; i < 6; ++i) {
        buffers.push_back(Buffer::allocate(device, tiles(64 * 100)));
    }
    for (const int i : {0, 2, 4}) {
        buffers[static_cast<size_t>(i)]->deallocate();
    }
    const AllocationStatistics now = device->statistics(BufferType::L1);
    EXPECT_EQ(now.total_allocated, 614400u);
    EXPECT_EQ(now.total_free, 781024u);
    EXPECT_EQ(now.largest_free_block, 204800u);
    EXPECT_THROW(Buffer::allocate(device, tiles(64 * 101)), OutOfMemory);
    EXPECT_TRUE(same(now, device->statistics(BufferType::L1)));
    EXPECT_NO_THROW(Buffer::allocate(device, tiles(64 * 100)));
}

TEST(Device, DramRunsOutWithoutTouchingHostMemory) {
    const auto device = Device::open({.board = "n150"});
    const TensorSpec spec({1024, 32768, 32768}, DataType::FLOAT32, Layout::TILE);
    EXPECT_THROW(Buffer::allocate(device, spec), OutOfMemory);
    EXPECT_EQ(device->statistics(BufferType::DRAM).total_allocated, 0u);
}

TEST(Device, BuffersLargerThanThisMachineCanBeHad) {
    const auto device = Device::open({.board = "p150"});
    const auto buffer = Buffer::allocate(device, TensorSpec({65536, 131072}, bf16, Layout::TILE));  // 16 GiB
    EXPECT_EQ(buffer->bytes().read(0).size(), uint64_t{16} << 30);
    EXPECT_EQ(buffer->bytes().read(0).back(), std::byte{0});
}

TEST(Device, ShardGridsMustFit) {
    const auto device = Device::open({.board = "n300"});
    EXPECT_NE(error_of([&] {
                  Buffer::allocate(device, height_sharded(range(0, 0, 7, 7), 1));
              }).find("expected number of shards 64 to be less than or equal to total number of L1 banks 56"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                  Buffer::allocate(device, height_sharded(range(0, 7, 0, 7), 1));
              }).find("must lie inside the compute grid [(x=0,y=0) - (x=7,y=6)]"),
              std::string::npos);
    const MemoryConfig nd(BufferType::L1, NdShardSpec{{32, 32}, range(8, 0, 8, 0)});
    EXPECT_THROW(Buffer::allocate(device, TensorSpec({32, 32}, bf16, Layout::TILE, nd)), Error);
    const MemoryConfig no_spec(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1);
    EXPECT_NE(error_of([&] { Buffer::allocate(device, tiles(1, no_spec)); }).find("needs a shard spec"),
              std::string::npos);
    EXPECT_EQ(device->statistics(BufferType::L1).total_allocated, 0u);
}

TEST(Device, L1SmallTakesShardsOnly) {
    const auto device = Device::open({.board = "n150", .l1_small_size = 32760});
    EXPECT_EQ(device->l1_small_size(), 32768u);
    EXPECT_EQ(device->bank_size(BufferType::L1_SMALL), 32768u);
    EXPECT_EQ(device->bank_size(BufferType::L1), 1395424u - 32768u);
    const auto shard = Buffer::allocate(device, height_sharded(range(0, 0, 3, 0), 1, BufferType::L1_SMALL));
    EXPECT_EQ(shard->address(), 1497088u);
    EXPECT_EQ(Buffer::allocate(device, tiles(1))->address(), 1499136u - 32768u - 2048u);
    const MemoryConfig interleaved(TensorMemoryLayout::INTERLEAVED, BufferType::L1_SMALL);
    EXPECT_NE(error_of([&] {
                  Buffer::allocate(device, tiles(1, interleaved));
              }).find("L1_SMALL only supports sharded allocations"),
              std::string::npos);
    EXPECT_THROW(Device::open({.board = "n150", .l1_small_size = 1395424}), Error);
}

TEST(Device, TraceRegionShortensDram) {
    const auto device = Device::open({.board = "n150", .trace_region_size = 1000000});
    EXPECT_EQ(device->bank_size(BufferType::TRACE), 1000000u);
    EXPECT_EQ(device->bank_size(BufferType::DRAM), 1073741824u - 32u - 1000000u);
    const MemoryConfig config(TensorMemoryLayout::INTERLEAVED, BufferType::TRACE);
    EXPECT_EQ(Buffer::allocate(device, tiles(1, config))->address(), 1073741824u - 2048u);
    const auto plain = Device::open({.board = "n150"});
    EXPECT_THROW(Buffer::allocate(plain, tiles(1, config)), OutOfMemory);
}

TEST(Device, InterleavingNeedsAKnownBankCount) {
    Board board = find_board("n150");
    board.compute_grid = {5, 3};
    const auto device = Device::open({.custom_board = board});
    EXPECT_NE(error_of([&] { Buffer::allocate(device, tiles(1)); }).find("power of two or one of 7, 12, 20"),
              std::string::npos);
    EXPECT_NO_THROW(Buffer::allocate(device, height_sharded(range(0, 0, 4, 2), 1)));
    for (const char* name : {"n150", "n300", "galaxy", "p150", "p100", "galaxy:eth", "n150:col", "p150:row"}) {
        EXPECT_NO_THROW(Buffer::allocate(Device::open({.board = name}), tiles(1))) << name;
    }
}

TEST(Device, SystemMemoryIsNotOnTheDevice) {
    const auto device = Device::open({.board = "n150"});
    const MemoryConfig config(TensorMemoryLayout::INTERLEAVED, BufferType::SYSTEM_MEMORY);
    EXPECT_THROW(Buffer::allocate(device, tiles(1, config)), Error);
    EXPECT_THROW(Buffer::allocate(nullptr, tiles(1)), Error);
}

TEST(Device, EmptyTensorsTakeOneUnit) {
    const auto device = Device::open({.board = "n150"});
    const auto rows = Buffer::allocate(device, TensorSpec({4, 0}, bf16, Layout::ROW_MAJOR));
    EXPECT_EQ(rows->size(), 0u);
    EXPECT_EQ(rows->pages().page_size(), 4u);
    EXPECT_EQ(rows->reserved_per_bank(), 32u);
    EXPECT_TRUE(rows->bytes().read(0).empty());
    const auto empty_tiles = Buffer::allocate(device, TensorSpec({0, 32}, bf16, Layout::TILE));
    EXPECT_EQ(empty_tiles->address(), 64u);
}

TEST(Device, BytesAreZeroedOnEveryAllocation) {
    const auto device = Device::open({.board = "n150"});
    for (int round = 0; round < 3; ++round) {
        const auto buffer = Buffer::allocate(device, tiles(3));
        ASSERT_EQ(buffer->bytes().read(0).size(), 3u * 2048u);
        EXPECT_TRUE(std::ranges::all_of(buffer->bytes().read(0), [](std::byte b) { return b == std::byte{0}; }));
        std::ranges::fill(buffer->bytes().write(0), std::byte{0xff});
    }
}

TEST(Device, PeekSeesWhatTheBankHolds) {
    const auto device = Device::open({.board = "n150"});
    const auto rows = Buffer::allocate(device, TensorSpec({14, 5}, bf16, Layout::ROW_MAJOR));
    rows->bytes().write(0)[13 * 10 + 9] = std::byte{42};  // last byte of row 13: bank 1, second page there
    EXPECT_EQ(device->peek(BufferType::DRAM, 1, 32 + 32 + 9), std::byte{42});
    EXPECT_THROW(device->peek(BufferType::DRAM, 1, 32 + 32 + 10), Error) << "alignment gap";
    EXPECT_THROW(device->peek(BufferType::DRAM, 2, 32 + 32), Error) << "no page 14";
    const auto shards = Buffer::allocate(device, height_sharded(range(2, 1, 3, 1), 1));
    device->poke(BufferType::L1, 11, shards->address() + 5, std::byte{7});
    EXPECT_EQ(shards->bytes().read(0)[2048 + 5], std::byte{7});
    EXPECT_THROW(device->peek(BufferType::L1, 0, shards->address()), Error) << "no shard on core (0,0)";
    shards->deallocate();
    EXPECT_THROW(device->peek(BufferType::L1, 11, shards->address() + 5), Error);
}

TEST(Device, LiveBuffersAreSortedById) {
    const auto device = Device::open({.board = "n150"});
    const auto a = Buffer::allocate(device, tiles(1));
    const auto b = Buffer::allocate(device, tiles(1, dram_memory_config()));
    const auto c = Buffer::allocate(device, tiles(1));
    EXPECT_EQ(device->live_buffers(), (std::vector<const Buffer*>{a.get(), b.get(), c.get()}));
    b->deallocate();
    b->deallocate();
    EXPECT_EQ(device->live_buffers(), (std::vector<const Buffer*>{a.get(), c.get()}));
    EXPECT_FALSE(b->bytes());
    EXPECT_FALSE(b->is_allocated());
}

TEST(Device, CloseFreesEveryBuffer) {
    auto device = Device::open({.board = "n150"});
    const auto a = Buffer::allocate(device, tiles(1));
    auto b = Buffer::allocate(device, tiles(1, dram_memory_config()));
    device->close();
    device->close();
    EXPECT_FALSE(device->is_open());
    EXPECT_FALSE(a->is_allocated());
    EXPECT_FALSE(a->bytes());
    EXPECT_EQ(device->statistics(BufferType::L1).total_allocated, 0u);
    EXPECT_EQ(device->statistics(BufferType::DRAM).total_free, 1073741792u);
    EXPECT_NE(error_of([&] { Buffer::allocate(device, tiles(1)); }).find("is closed"), std::string::npos);
    b.reset();
    device.reset();
    a->deallocate();
}

TEST(Device, BuffersKeepTheirDevice) {
    auto device = Device::open({.device_id = 3, .board = "n150"});
    const auto buffer = Buffer::allocate(device, tiles(1));
    device.reset();
    EXPECT_EQ(buffer->device()->id(), 3);
}

// Each thread owns one device and one model of what it holds; a third one keeps asking both for statistics.
TEST(Device, TwoBoardsLiveSideBySideInTwoThreads) {
    const auto wormhole = Device::open({.board = "n150"});
    const auto blackhole = Device::open({.board = "p150"});
    std::atomic<bool> done = false;
    const auto walk = [](const std::shared_ptr<Device>& device, unsigned seed) {
        std::mt19937 random(seed);
        std::vector<std::shared_ptr<Buffer>> held;
        for (int step = 0; step < 3000; ++step) {
            if (held.size() > 40 || (!held.empty() && random() % 3 == 0)) {
                held.erase(held.begin() + static_cast<long>(random() % held.size()));
                continue;
            }
            held.push_back(Buffer::allocate(device, tiles(1 + random() % 300)));
        }
        uint64_t expected = 0;
        for (const auto& buffer : held) {
            expected += buffer->reserved_per_bank();
        }
        EXPECT_EQ(device->statistics(BufferType::L1).total_allocated, expected);
        EXPECT_EQ(device->live_buffers().size(), held.size());
        EXPECT_TRUE(std::ranges::is_sorted(device->live_buffers(), {}, &Buffer::id));
    };
    std::thread watcher([&] {
        while (!done) {
            for (const auto& device : {wormhole, blackhole}) {
                const AllocationStatistics now = device->statistics(BufferType::L1);
                EXPECT_EQ(now.total_allocated + now.total_free, now.total_allocatable);
            }
        }
    });
    std::thread first(walk, wormhole, 1);
    std::thread second(walk, blackhole, 2);
    first.join();
    second.join();
    done = true;
    watcher.join();
    EXPECT_EQ(wormhole->statistics(BufferType::L1).total_allocated, 0u);
    EXPECT_EQ(blackhole->statistics(BufferType::L1).total_allocated, 0u);
}

TEST(Device, OneDeviceServesSeveralThreads) {
    const auto device = Device::open({.board = "n150"});
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) {
        threads.emplace_back([&device] {
            std::vector<std::shared_ptr<Buffer>> held;
            for (int step = 0; step < 500; ++step) {
                held.push_back(Buffer::allocate(device, tiles(1)));
                if (held.size() > 20) {
                    held.erase(held.begin());
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(device->statistics(BufferType::L1).total_allocated, 0u);
    EXPECT_TRUE(device->live_buffers().empty());
}

}  // namespace
}  // namespace ttnn
