// Parts of tensors against the whole: what read and write give for all elements at once.
#include "ttnn/tensor/tensor_parts.hpp"

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

using enum DataType;

struct Kind {
    std::string name;
    Layout layout;
    Tile tile{};
    std::optional<MemoryConfig> config{};  // none: on the host
    std::optional<Alignment> alignment{};
};

std::vector<Kind> kinds() {
    const auto sharded = [](TensorMemoryLayout layout, CoreCoord end, std::array<uint32_t, 2> shape) {
        return MemoryConfig(layout, BufferType::L1, ShardSpec{CoreRangeSet(CoreRange({0, 0}, end)), shape});
    };
    const MemoryConfig nd(BufferType::L1, NdShardSpec{{1, 32, 32}, CoreRangeSet(CoreRange({0, 0}, {2, 1}))});
    return {
        {"host tiles", Layout::TILE},
        {"host rows", Layout::ROW_MAJOR},
        {"small tiles", Layout::TILE, Tile({16, 16})},
        {"flat tiles", Layout::TILE, Tile({4, 32})},
        {"transposed tiles", Layout::TILE, Tile({32, 32}, true)},
        {"DRAM tiles", Layout::TILE, {}, MemoryConfig()},
        {"DRAM rows", Layout::ROW_MAJOR, {}, MemoryConfig()},
        {"tiles in height shards", Layout::TILE, {}, sharded(TensorMemoryLayout::HEIGHT_SHARDED, {5, 0}, {32, 96})},
        {"tiles in width shards", Layout::TILE, {}, sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 0}, {192, 32})},
        {"rows in width shards", Layout::ROW_MAJOR, {}, sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 0}, {120, 24})},
        {"tiles in N-D shards", Layout::TILE, {}, nd},
        {"padded rows", Layout::ROW_MAJOR, {}, MemoryConfig(), Alignment{96}},
        {"padded between matrices", Layout::TILE, {}, MemoryConfig(), Alignment{2, 64, 96}}};
}

const Shape shape{3, 40, 70};  // three matrices of two rows of tiles

Tensor tensor_of(const Kind& kind, DataType dtype, const std::shared_ptr<Device>& device) {
    const TensorSpec spec(shape, dtype, kind.layout, kind.config.value_or(MemoryConfig()), kind.tile, kind.alignment);
    return kind.config ? Tensor::allocate_on_device(spec, device) : Tensor::allocate_on_host(spec);
}

std::vector<float> some_numbers(uint64_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>((i * 37) % 251);
    }
    return values;
}

std::vector<double> all_of(const Tensor& tensor) {
    const Dense<double> values = read<double>(tensor);
    return {values.begin(), values.end()};
}

template <class Use>
void for_each_tensor(Use use) {
    const auto device = Device::open({.board = "n150"});
    for (const Kind& kind : kinds()) {
        for (const DataType dtype : {BFLOAT16, FLOAT32, INT32, UINT8, BFLOAT8_B}) {
            if (is_block_float(dtype) && kind.layout == Layout::ROW_MAJOR) {
                continue;
            }
            SCOPED_TRACE(fmt::format("{} of {}", kind.name, member_name(dtype)));
            Tensor tensor = tensor_of(kind, dtype, device);
            write<float>(tensor, some_numbers(shape.volume()));
            use(tensor, device);
        }
    }
}

TEST(TensorParts, ReadsFromAnyElementOn) {
    for_each_tensor([](const Tensor& tensor, const auto&) {
        const auto whole = all_of(tensor);
        for (const uint64_t first : {0, 1, 17, 31, 69, 70, 2239, 2240, 2800, 5599, 8399}) {
            for (const uint64_t count : {1, 15, 16, 53, 70, 71, 700, 2800, 3333}) {
                if (first + count > whole.size()) {
                    continue;
                }
                std::vector<double> part(count);
                read_part<double>(tensor, first, part);
                EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<ptrdiff_t>(first)))
                    << first << " and " << count << " more";
            }
            EXPECT_EQ(read_element(tensor, first), whole[first]);
        }
        std::vector<double> beyond(2);
        EXPECT_THROW(read_part<double>(tensor, shape.volume() - 1, beyond), Error);
    });
}

TEST(TensorParts, BandsWriteWhatWriteDoes) {
    for_each_tensor([](const Tensor& expected, const std::shared_ptr<Device>& device) {
        for (const uint64_t elements : {1, 3000, 1000000}) {
            Tensor tensor = expected.is_on_device() ? Tensor::allocate_on_device(expected.spec(), device)
                                                    : Tensor::allocate_on_host(expected.spec());
            const auto numbers = some_numbers(shape.volume());
            uint64_t next = 0;
            for (const Band& band : bands_of(tensor.spec(), elements)) {
                EXPECT_EQ(band.first, next);
                next += band.size;
                write_band<float>(tensor, band, std::span(numbers).subspan(band.first, band.size));
            }
            EXPECT_EQ(next, shape.volume());
            EXPECT_TRUE(std::ranges::equal(tensor.bytes(), expected.bytes())) << elements;
        }
    });
}

TEST(TensorParts, ElementsAreCopiedBetweenAllKindsAndShapes) {
    const auto device = Device::open({.board = "n150"});
    const Shape other{7, 30, 40};  // the same number of elements in other rows
    for (const DataType dtype : {BFLOAT16, FLOAT32, INT32, UINT8}) {
        for (const Kind& from_kind : kinds()) {
            Tensor from = tensor_of(from_kind, dtype, device);
            write<float>(from, some_numbers(shape.volume()));
            for (const Kind& to_kind : kinds()) {
                Tensor to = tensor_of(to_kind, dtype, device);
                Tensor reshaped = Tensor::allocate_on_host(TensorSpec(other, dtype, to_kind.layout, {}, to_kind.tile));
                if (!same_elements(from.spec(), to.spec())) {
                    EXPECT_THROW(copy_elements(from, to, 0), Error);
                    continue;
                }
                SCOPED_TRACE(fmt::format("{} to {} of {}", from_kind.name, to_kind.name, member_name(dtype)));
                copy_elements(from, to, 5);
                EXPECT_EQ(all_of(to), all_of(from));
                Tensor expected = tensor_of(to_kind, dtype, device);
                write<float>(expected, some_numbers(shape.volume()), 5.0F);
                EXPECT_TRUE(std::ranges::equal(to.bytes(), expected.bytes())) << "padding";
                copy_elements(from, reshaped, 0);
                EXPECT_EQ(all_of(reshaped), all_of(from));
            }
        }
    }
}

}  // namespace
}  // namespace ttnn
