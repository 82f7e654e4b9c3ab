#include "ttnn/device/allocator.hpp"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"

namespace ttnn {
namespace {

using Blocks = std::vector<BankAllocator::Block>;

TEST(BankAllocator, BottomUpTakesTheLowEnd) {
    BankAllocator banks(32, 1056, 32);
    EXPECT_EQ(banks.allocate(100, Direction::BOTTOM_UP), 32u);
    EXPECT_EQ(banks.allocate(32, Direction::BOTTOM_UP), 160u);
    EXPECT_EQ(banks.allocate(0, Direction::BOTTOM_UP), 192u);
    EXPECT_EQ(banks.allocated_blocks(), (Blocks{{32, 128}, {160, 32}, {192, 32}}));
    EXPECT_EQ(banks.free_blocks(), (Blocks{{224, 832}}));
}

TEST(BankAllocator, TopDownTakesTheHighEnd) {
    BankAllocator banks(0, 1024, 64);
    EXPECT_EQ(banks.allocate(64, Direction::TOP_DOWN), 960u);
    EXPECT_EQ(banks.allocate(65, Direction::TOP_DOWN), 832u);
    EXPECT_EQ(banks.lowest_allocated_address(), 832u);
    EXPECT_EQ(banks.allocate(64, Direction::BOTTOM_UP), 0u);
    EXPECT_EQ(banks.lowest_allocated_address(), 0u);
}

TEST(BankAllocator, FirstFitIsNotBestFit) {
    BankAllocator banks(0, 1024, 32);
    const auto a = banks.allocate(256, Direction::BOTTOM_UP);  // 0
    banks.allocate(32, Direction::BOTTOM_UP);                  // 256
    const auto c = banks.allocate(64, Direction::BOTTOM_UP);   // 288
    banks.allocate(32, Direction::BOTTOM_UP);                  // 352
    banks.deallocate(*a);
    banks.deallocate(*c);
    // 64 bytes fit the hole at 288 exactly, but the one at 0 comes first.
    EXPECT_EQ(banks.allocate(64, Direction::BOTTOM_UP), 0u);
    EXPECT_EQ(banks.allocate(256, Direction::BOTTOM_UP), 384u);
    // From the top: [640, 1024) is highest; once it is gone the hole at 288 is.
    EXPECT_EQ(banks.allocate(384, Direction::TOP_DOWN), 640u);
    EXPECT_EQ(banks.allocate(32, Direction::TOP_DOWN), 320u);
    EXPECT_EQ(banks.allocate(64, Direction::TOP_DOWN), 192u);
}

TEST(BankAllocator, FreeingMergesWithBothNeighbours) {
    BankAllocator banks(0, 128, 32);
    for (int i = 0; i < 4; ++i) {
        banks.allocate(32, Direction::BOTTOM_UP);
    }
    EXPECT_EQ(banks.free_blocks(), Blocks{});
    banks.deallocate(0);
    banks.deallocate(64);
    EXPECT_EQ(banks.free_blocks(), (Blocks{{0, 32}, {64, 32}}));
    banks.deallocate(32);
    EXPECT_EQ(banks.free_blocks(), (Blocks{{0, 96}}));
    banks.deallocate(96);
    EXPECT_EQ(banks.free_blocks(), (Blocks{{0, 128}}));
}

TEST(BankAllocator, UnknownAddressesAreIgnored) {
    BankAllocator banks(0, 1024, 32);
    banks.allocate(128, Direction::BOTTOM_UP);
    banks.deallocate(32);
    banks.deallocate(512);
    banks.deallocate(5000);
    EXPECT_EQ(banks.allocated_blocks(), (Blocks{{0, 128}}));
}

TEST(BankAllocator, FailureChangesNothing) {
    BankAllocator banks(0, 256, 32);
    banks.allocate(96, Direction::BOTTOM_UP);
    const auto middle = banks.allocate(32, Direction::BOTTOM_UP);
    banks.allocate(96, Direction::BOTTOM_UP);
    banks.deallocate(*middle);
    EXPECT_EQ(banks.allocate(64, Direction::BOTTOM_UP), std::nullopt) << "64 B are free, but not in one piece";
    EXPECT_EQ(banks.allocate(UINT64_MAX, Direction::TOP_DOWN), std::nullopt);
    const AllocationStatistics statistics = banks.statistics();
    EXPECT_EQ(statistics.total_allocatable, 256u);
    EXPECT_EQ(statistics.total_allocated, 192u);
    EXPECT_EQ(statistics.total_free, 64u);
    EXPECT_EQ(statistics.largest_free_block, 32u);
}

TEST(BankAllocator, AnEmptyRangeHoldsNothing) {
    BankAllocator banks(1024, 1024, 32);
    EXPECT_EQ(banks.allocate(0, Direction::TOP_DOWN), std::nullopt);
    EXPECT_EQ(banks.statistics().total_allocatable, 0u);
    EXPECT_EQ(banks.lowest_allocated_address(), std::nullopt);
    EXPECT_THROW(BankAllocator(10, 64, 32), Error);
    EXPECT_THROW(BankAllocator(64, 32, 32), Error);
}

// One flag per byte; every question is answered by looking at all of them.
class NaiveBank {
public:
    NaiveBank(uint64_t begin, uint64_t end, uint64_t granularity)
        : begin_(begin), granularity_(granularity), used_(end - begin, false) {}

    std::optional<uint64_t> allocate(uint64_t bytes, Direction direction) {
        const uint64_t size = std::max((bytes + granularity_ - 1) / granularity_ * granularity_, granularity_);
        if (size > used_.size()) {
            return std::nullopt;
        }
        const uint64_t last = used_.size() - size;
        for (uint64_t i = 0; i <= last; i += granularity_) {
            const uint64_t at = direction == Direction::BOTTOM_UP ? i : last - i;
            if (std::find(used_.begin() + static_cast<long>(at), used_.begin() + static_cast<long>(at + size), true) ==
                used_.begin() + static_cast<long>(at + size)) {
                std::fill_n(used_.begin() + static_cast<long>(at), size, true);
                sizes_[begin_ + at] = size;
                return begin_ + at;
            }
        }
        return std::nullopt;
    }

    void deallocate(uint64_t address) {
        std::fill_n(used_.begin() + static_cast<long>(address - begin_), sizes_.at(address), false);
        sizes_.erase(address);
    }

    AllocationStatistics statistics() const {
        AllocationStatistics result{used_.size(), 0, 0, 0};
        uint64_t run = 0;
        for (const bool used : used_) {
            run = used ? 0 : run + 1;
            (used ? result.total_allocated : result.total_free) += 1;
            result.largest_free_block = std::max(result.largest_free_block, run);
        }
        return result;
    }

    const std::map<uint64_t, uint64_t>& sizes() const { return sizes_; }

private:
    uint64_t begin_;
    uint64_t granularity_;
    std::vector<bool> used_;
    std::map<uint64_t, uint64_t> sizes_;
};

TEST(BankAllocator, AgreesWithANaiveByteMap) {
    for (const uint32_t granularity : {32u, 64u}) {
        const uint64_t begin = granularity * 5;
        const uint64_t end = begin + granularity * 200;
        BankAllocator banks(begin, end, granularity);
        NaiveBank naive(begin, end, granularity);
        std::mt19937 random(granularity);
        int failures = 0;
        for (int step = 0; step < 3000; ++step) {
            const bool free_one = !naive.sizes().empty() && random() % 100 < (step / 300 % 2 == 0 ? 35 : 60);
            if (free_one) {
                const auto nth = static_cast<long>(random() % naive.sizes().size());
                const uint64_t address = std::next(naive.sizes().begin(), nth)->first;
                banks.deallocate(address);
                naive.deallocate(address);
            } else {
                const uint64_t bytes = random() % 8 == 0 ? random() % 4000 : random() % 700;
                const Direction direction = random() % 2 == 0 ? Direction::BOTTOM_UP : Direction::TOP_DOWN;
                const auto address = banks.allocate(bytes, direction);
                ASSERT_EQ(address, naive.allocate(bytes, direction)) << "step " << step << ", " << bytes << " B";
                failures += address ? 0 : 1;
            }
            const AllocationStatistics got = banks.statistics();
            const AllocationStatistics expected = naive.statistics();
            ASSERT_EQ(got.total_allocatable, expected.total_allocatable);
            ASSERT_EQ(got.total_allocated, expected.total_allocated) << "step " << step;
            ASSERT_EQ(got.total_free, expected.total_free);
            ASSERT_EQ(got.largest_free_block, expected.largest_free_block);
            ASSERT_EQ(banks.allocated_blocks().size(), naive.sizes().size());
        }
        EXPECT_GT(failures, 50) << "the walk should also meet full banks";
    }
}

}  // namespace
}  // namespace ttnn
