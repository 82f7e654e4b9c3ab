#include "ttnn/tensor/tensor.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/tensor/pack.hpp"

namespace ttnn {
namespace {

constexpr DataType all_dtypes[] = {DataType::BFLOAT16, DataType::FLOAT32, DataType::UINT32,    DataType::INT32,
                                   DataType::UINT16,   DataType::UINT8,   DataType::BFLOAT8_B, DataType::BFLOAT4_B};

std::shared_ptr<Device> open_device() {
    DeviceOptions options;
    options.board = "n150";
    return Device::open(options);
}

CoreRangeSet grid(uint32_t x, uint32_t y) { return CoreRangeSet(CoreRange({0, 0}, {x - 1, y - 1})); }

MemoryConfig sharded(TensorMemoryLayout layout, const CoreRangeSet& cores, std::array<uint32_t, 2> shape) {
    return MemoryConfig(layout, BufferType::L1, ShardSpec{cores, shape});
}

// Small numbers that every dtype holds exactly; the floats all have exponent field 127.
std::vector<float> exact_values(DataType dtype, size_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t mixed = static_cast<uint32_t>(i) * 2654435761U >> 16;
        if (is_integer(dtype)) {
            values[i] = static_cast<float>(mixed % 256);
        } else {
            values[i] = static_cast<float>(4 + mixed % 4) / (mixed & 64 ? 4.0F : -4.0F);
        }
    }
    return values;
}

std::vector<float> values_of(const Tensor& tensor) {
    const auto dense = read<float>(tensor);
    return {dense.begin(), dense.end()};
}

// --- every dtype x layout x placement --------------------------------------------------------------------------------

const Shape case_shape = {1, 2, 60, 90};  // TILE: 128 x 96 physical, ROW_MAJOR: 120 x 90 (or 96 when cut at 32)

struct Case {
    std::string name;
    DataType dtype;
    Layout layout;
    MemoryConfig memory_config;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::vector<Case> all_cases() {
    using enum TensorMemoryLayout;
    std::vector<Case> cases;
    for (const Layout layout : {Layout::TILE, Layout::ROW_MAJOR}) {
        const bool tiled = layout == Layout::TILE;
        const uint32_t height = tiled ? 128 : 120;
        // Edge shards are only partly filled: 3 x 48 (or 2 x 96) rows of 120 (128), 2 x 64 columns of 96.
        const std::pair<std::string, MemoryConfig> places[] = {
            {"Dram", dram_memory_config()},
            {"L1", l1_memory_config()},
            {"Height", sharded(HEIGHT_SHARDED, grid(3, 1), {tiled ? 96U : 48U, tiled ? 96U : 90U})},
            {"Width", sharded(WIDTH_SHARDED, grid(1, 3), {height, 32})},
            {"Block", sharded(BLOCK_SHARDED, grid(3, 4), {tiled ? 32U : 40U, 32})},
            {"DramWidth", MemoryConfig(WIDTH_SHARDED, BufferType::DRAM, ShardSpec{grid(3, 1), {height, 32}})},
            {"Nd", MemoryConfig(BufferType::L1, NdShardSpec{{1, 1, tiled ? 32U : 20U, 64}, grid(3, 1)})},
        };
        for (const auto& [name, config] : places) {
            for (const DataType dtype : all_dtypes) {
                if (tiled || !is_block_float(dtype)) {
                    const std::string kind = tiled ? "Tile" : "RowMajor";
                    cases.push_back({name + kind + std::string(member_name(dtype)), dtype, layout, config});
                }
            }
        }
    }
    return cases;
}

class TensorCases : public testing::TestWithParam<Case> {
protected:
    std::shared_ptr<Device> device_ = open_device();
    TensorSpec spec_{case_shape, GetParam().dtype, GetParam().layout, GetParam().memory_config};
    std::vector<float> values_ = exact_values(GetParam().dtype, case_shape.volume());
};

TEST_P(TensorCases, ReadsBackWhatWasWritten) {
    Tensor tensor = Tensor::allocate_on_device(spec_, device_);
    write<float>(tensor, values_);
    EXPECT_EQ(values_of(tensor), values_);
}

TEST_P(TensorCases, PaddingHoldsThePadValue) {
    Tensor tensor = Tensor::allocate_on_device(spec_, device_);
    write<float>(tensor, values_, 1.5F);
    const float pad = is_integer(GetParam().dtype) ? 1.0F : 1.5F;
    EXPECT_EQ(values_of(tensor), values_);
    const auto padded = read_padded<float>(tensor);
    const uint32_t rows = spec_.padded_shape()[-2];
    const uint32_t columns = spec_.padded_shape()[-1];
    ASSERT_EQ(padded.size(), 2U * rows * columns);
    for (size_t i = 0; i < padded.size(); ++i) {
        const size_t row = i / columns % rows;
        const size_t column = i % columns;
        const size_t matrix = i / columns / rows;
        const float expected = row < 60 && column < 90 ? values_[(matrix * 60 + row) * 90 + column] : pad;
        ASSERT_EQ(padded[i], expected) << i;
    }
}

TEST_P(TensorCases, WritePaddedSetsEveryElement) {
    Tensor tensor = Tensor::allocate_on_device(spec_, device_);
    const auto padded = exact_values(GetParam().dtype, spec_.padded_shape().volume());
    write_padded<float>(tensor, padded);
    const auto back = read_padded<float>(tensor);
    EXPECT_TRUE(std::ranges::equal(back, padded));
}

TEST_P(TensorCases, TravelsToTheHostAndBack) {
    Tensor tensor = Tensor::allocate_on_device(spec_, device_);
    write<float>(tensor, values_, 1.5F);
    const Tensor host = copy_to_host(tensor);
    EXPECT_EQ(host.storage_type(), StorageType::HOST);
    EXPECT_EQ(host.spec(), tensor.spec());
    EXPECT_EQ(host.bytes().size(), spec_.buffer_size());
    EXPECT_EQ(values_of(host), values_);
    const Tensor back = copy_to_device(host, device_);
    EXPECT_EQ(back.spec(), tensor.spec());
    EXPECT_TRUE(std::ranges::equal(back.bytes(), tensor.bytes()));
}

TEST_P(TensorCases, InterleavedHostTensorTakesAnyMemoryConfig) {
    Tensor host = Tensor::allocate_on_host(TensorSpec(case_shape, GetParam().dtype, GetParam().layout));
    write<float>(host, values_);
    const Tensor tensor = copy_to_device(host, device_, GetParam().memory_config);
    EXPECT_EQ(tensor.spec(), spec_);
    EXPECT_EQ(values_of(tensor), values_);
}

// Where an element is, worked out by hand rather than through PageMap.
struct ByteOfElement {
    uint32_t bank = 0;
    uint64_t address = 0;           // of the byte with the low bits of the element
    uint64_t exponent_address = 0;  // block floats
};

std::array<uint64_t, 2> shard_shape(const MemoryConfig& config) {
    if (config.created_with_nd_shard_spec()) {
        return {config.nd_shard_spec()->shard_shape[-2], config.nd_shard_spec()->shard_shape[-1]};
    }
    if (config.is_sharded()) {
        return {config.shard_spec()->shape[0], config.shard_spec()->shape[1]};
    }
    return {0, 0};
}

ByteOfElement find_element(const Tensor& tensor, uint64_t row, uint64_t column) {
    const TensorSpec& spec = tensor.spec();
    const MemoryConfig& config = spec.memory_config();
    const Device& device = *tensor.device();
    const uint64_t width = spec.physical_shape().width;
    const bool tiled = spec.layout() == Layout::TILE;
    const bool nd = config.created_with_nd_shard_spec();
    const auto [h, w] = shard_shape(config);
    const bool across = config.is_sharded() && w != width;
    const uint64_t page_rows = tiled ? 32 : 1;
    const uint64_t page_columns = tiled ? 32 : across ? w : width;
    const uint64_t alignment = config.is_dram() ? device.board().dram_alignment : device.board().l1_alignment;
    const uint64_t aligned = (spec.page_size() + alignment - 1) / alignment * alignment;
    const uint64_t page_row = row / page_rows;
    const uint64_t page_column = column / page_columns;

    ByteOfElement found;
    if (!config.is_sharded()) {
        const uint64_t page = page_row * (width / page_columns) + page_column;
        const uint64_t banks = config.is_dram() ? device.board().dram_banks : device.board().num_compute_cores();
        found.bank = static_cast<uint32_t>(page % banks);
        found.address = tensor.buffer_address() + page / banks * aligned;
    } else {
        // The cases cut matrices into whole shards, and block grids are as wide as the array of shards.
        const CoreRangeSet& cores = nd ? config.nd_shard_spec()->grid : config.shard_spec()->grid;
        const CoreCoord box = cores.bounding_box().grid_size();
        const uint64_t shard = row / h * ((width + w - 1) / w) + column / w;
        const uint64_t core = nd ? shard % cores.num_cores() : shard;
        found.bank = static_cast<uint32_t>(core / box.x * device.compute_grid().x + core % box.x);
        uint64_t page = (row % h) / page_rows * (w / page_columns) + (column % w) / page_columns;
        if (nd) {
            page += shard / cores.num_cores() * (h / page_rows) * (w / page_columns);
        }
        found.address = tensor.buffer_address() + page * aligned;
    }

    uint64_t element = column % page_columns;
    if (tiled) {
        const uint64_t face = row % 32 / 16 * 2 + column % 32 / 16;
        element = face * 256 + row % 16 * 16 + column % 16;
    }
    found.exponent_address = found.address + element / 16;
    switch (spec.dtype()) {
        case DataType::BFLOAT8_B: found.address += 64 + element; break;
        case DataType::BFLOAT4_B: found.address += 64 + element / 2; break;
        default: found.address += element * element_size(spec.dtype());
    }
    return found;
}

void flip(const Tensor& tensor, uint32_t bank, uint64_t address, uint8_t mask) {
    const BufferType type = tensor.memory_config().buffer_type();
    Device& device = *tensor.device();
    device.poke(type, bank, address, device.peek(type, bank, address) ^ static_cast<std::byte>(mask));
}

std::vector<size_t> differences(const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<size_t> result;
    for (size_t i = 0; i < a.size(); ++i) {
        if (std::bit_cast<uint32_t>(a[i]) != std::bit_cast<uint32_t>(b[i])) {
            result.push_back(i);
        }
    }
    return result;
}

TEST_P(TensorCases, OneBitInDeviceMemoryIsOneElement) {
    Tensor tensor = Tensor::allocate_on_device(spec_, device_);
    write<float>(tensor, values_);
    const uint64_t padded_rows = spec_.padded_shape()[-2];
    for (const size_t element : {0UL, 15UL, 16UL, 89UL, 90UL * 17 + 33, 90UL * 59 + 89, 90UL * 60, 90UL * 119 + 40}) {
        const uint64_t row = element / 90 / 60 * padded_rows + element / 90 % 60;
        const uint64_t column = element % 90;
        const auto place = find_element(tensor, row, column);
        const uint8_t mask = GetParam().dtype == DataType::BFLOAT4_B && column % 2 == 1 ? 0x10 : 0x01;
        flip(tensor, place.bank, place.address, mask);
        ASSERT_EQ(differences(values_of(tensor), values_), std::vector<size_t>{element});
        flip(tensor, place.bank, place.address, mask);
        ASSERT_EQ(values_of(tensor), values_);
        if (is_block_float(GetParam().dtype) && column < 80) {
            flip(tensor, place.bank, place.exponent_address, 0x01);
            const auto changed = differences(values_of(tensor), values_);
            ASSERT_EQ(changed.size(), 16U);
            EXPECT_EQ(changed.front(), element - column % 16);
            EXPECT_EQ(changed.back(), element - column % 16 + 15);
            flip(tensor, place.bank, place.exponent_address, 0x01);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, TensorCases, testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

TEST(TensorSharding, NdShardsAreDealtRoundRobin) {
    // [1, 1, 64, 96] in shards of 32 x 64: shards (0,0) (0,1) (1,0) (1,1), the second of each row half empty, on three
    // cores: the fourth shard is the second one of core (0,0).
    const auto device = open_device();
    const MemoryConfig config(BufferType::L1, NdShardSpec{{1, 1, 32, 64}, grid(3, 1)});
    const TensorSpec spec({1, 1, 64, 96}, DataType::BFLOAT16, Layout::TILE, config);
    Tensor tensor = Tensor::allocate_on_device(spec, device);
    const auto values = exact_values(DataType::BFLOAT16, 64 * 96);
    write<float>(tensor, values);
    const struct {
        size_t row, column;
        uint32_t bank;
        uint64_t page;
    } places[] = {{0, 0, 0, 0}, {0, 32, 0, 1}, {0, 64, 1, 0}, {32, 0, 2, 0}, {32, 32, 2, 1}, {32, 64, 0, 2}};
    for (const auto& place : places) {
        const uint64_t address = tensor.buffer_address() + place.page * 2048;
        flip(tensor, place.bank, address, 0x01);
        EXPECT_EQ(differences(values_of(tensor), values), std::vector<size_t>{place.row * 96 + place.column});
        flip(tensor, place.bank, address, 0x01);
    }
}

// --- shapes at the edge ----------------------------------------------------------------------------------------------

TEST(TensorShapes, AnyRankHasItsElements) {
    const auto device = open_device();
    const Shape shapes[] = {{}, {1}, {5}, {40}, {0}, {0, 4}, {4, 0}, {2, 0, 3}, {3, 1, 2, 33, 5}};
    for (const Layout layout : {Layout::TILE, Layout::ROW_MAJOR}) {
        for (const Shape& shape : shapes) {
            for (const bool on_device : {false, true}) {
                const TensorSpec spec(shape, DataType::BFLOAT16, layout);
                Tensor tensor = on_device ? Tensor::allocate_on_device(spec, device) : Tensor::allocate_on_host(spec);
                const auto values = exact_values(DataType::BFLOAT16, shape.volume());
                write<float>(tensor, values);
                EXPECT_EQ(values_of(tensor), values) << shape.to_string() << to_string(layout);
                EXPECT_EQ(read_padded<float>(tensor).size(), spec.padded_shape().volume());
                EXPECT_EQ(values_of(copy_to_host(tensor)), values);
            }
        }
    }
}

TEST(TensorShapes, ScalarFillsItsTile) {
    Tensor tensor = Tensor::allocate_on_host(TensorSpec({}, DataType::FLOAT32, Layout::TILE));
    write<float>(tensor, std::vector<float>{7.0F}, 3.0F);
    const auto padded = read_padded<float>(tensor);
    ASSERT_EQ(padded.size(), 1024U);
    EXPECT_EQ(padded[0], 7.0F);
    EXPECT_EQ(std::ranges::count(padded, 3.0F), 1023);
}

TEST(TensorShapes, LeadingDimensionsMayBePadded) {
    const auto spec = TensorSpec::from_padded({2, 3, 10, 20}, {2, 4, 32, 32}, DataType::BFLOAT16, Layout::TILE);
    ASSERT_EQ(spec.padded_shape(), (Shape{2, 4, 32, 32}));
    Tensor tensor = Tensor::allocate_on_host(spec);
    const auto values = exact_values(DataType::BFLOAT16, 2 * 3 * 10 * 20);
    write<float>(tensor, values, 9.0F);
    EXPECT_EQ(values_of(tensor), values);
    const auto padded = read_padded<float>(tensor);
    EXPECT_EQ(padded[3 * 32 * 32], 9.0F);                 // matrix 3 of 4 is padding
    EXPECT_EQ(padded[4 * 32 * 32], values[3 * 10 * 20]);  // the second group starts after it
    EXPECT_EQ(padded[(4 * 32 + 1) * 32], values[31 * 20]);
}

TEST(TensorShapes, OtherTilesKeepValues) {
    for (const Tile& tile : {Tile({16, 32}), Tile({32, 16}), Tile({4, 32}), Tile({1, 16}), Tile({32, 32}, true)}) {
        for (const DataType dtype : all_dtypes) {
            Tensor tensor = Tensor::allocate_on_host(TensorSpec({2, 21, 37}, dtype, Layout::TILE, {}, tile));
            const auto values = exact_values(dtype, 2 * 21 * 37);
            write<float>(tensor, values);
            EXPECT_EQ(values_of(tensor), values) << tile.to_string() << to_string(dtype);
        }
    }
}

// --- conversions -----------------------------------------------------------------------------------------------------

TEST(TensorValues, FloatsBecomeIntegersByTruncation) {
    Tensor tensor = Tensor::allocate_on_host(TensorSpec({4}, DataType::INT32, Layout::ROW_MAJOR));
    write<float>(tensor, std::vector<float>{1.9F, -1.9F, 1e20F, std::bit_cast<float>(0x7FC00000)});
    EXPECT_EQ(values_of(tensor), (std::vector<float>{1, -1, 2147483648.0F, 0}));
    const auto exact = read<double>(tensor);
    EXPECT_EQ(exact[1], -1.0);
    EXPECT_EQ(exact[2], 2147483647.0);
}

TEST(TensorValues, PatternsOfIntegersAreExact) {
    const std::vector<uint32_t> patterns = {0, 0xFFFFFFFF, 16777217, 0x80000000};
    for (const DataType dtype : {DataType::UINT32, DataType::INT32}) {
        for (const Layout layout : {Layout::TILE, Layout::ROW_MAJOR}) {
            Tensor tensor = Tensor::allocate_on_host(TensorSpec({2, 2}, dtype, layout));
            write<uint32_t>(tensor, patterns);
            EXPECT_TRUE(std::ranges::equal(read<uint32_t>(tensor), patterns));
        }
    }
    Tensor tensor = Tensor::allocate_on_host(TensorSpec({4}, DataType::UINT32, Layout::ROW_MAJOR));
    write<uint32_t>(tensor, patterns);
    EXPECT_EQ(read<float>(tensor)[2], 16777216.0F);  // floats round beyond 2^24
    EXPECT_EQ(read<double>(tensor)[2], 16777217.0);
}

TEST(TensorValues, PatternsOfFloatsAreRefused) {
    Tensor tensor = Tensor::allocate_on_host(TensorSpec({4}, DataType::BFLOAT16, Layout::ROW_MAJOR));
    EXPECT_THROW(read<uint32_t>(tensor), Error);
    EXPECT_THROW(write<uint32_t>(tensor, std::vector<uint32_t>(4)), Error);
}

TEST(TensorValues, CountMustMatch) {
    Tensor tensor = Tensor::allocate_on_host(TensorSpec({4}, DataType::BFLOAT16, Layout::ROW_MAJOR));
    EXPECT_THROW(write<float>(tensor, std::vector<float>(5)), Error);
    EXPECT_THROW(write_padded<float>(tensor, std::vector<float>(3)), Error);
}

TEST(TensorValues, ReshardingKeepsBits) {
    // Page widths differ, so elements move one by one; a NaN that bfloat16 rounding would not make survives.
    const auto device = open_device();
    Tensor host = Tensor::allocate_on_host(TensorSpec({8, 64}, DataType::BFLOAT16, Layout::ROW_MAJOR));
    const uint16_t odd_nan = 0x7F81;
    std::memcpy(host.mutable_bytes().data() + 2 * 100, &odd_nan, 2);
    const auto config = sharded(TensorMemoryLayout::WIDTH_SHARDED, grid(2, 1), {8, 32});
    const Tensor tensor = copy_to_device(host, device, config);
    // Element 100 is row 1, column 36: page 3, which is slot 8 + 1 of the storage.
    EXPECT_EQ(tensor.page_offset(3), 9U * 64U);
    uint16_t stored = 0;
    std::memcpy(&stored, tensor.bytes().data() + tensor.page_offset(3) + 2 * 4, 2);
    EXPECT_EQ(stored, odd_nan);
}

// --- life ------------------------------------------------------------------------------------------------------------

std::string error_of(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(TensorLife, UseAfterDeallocationSaysSo) {
    const auto device = open_device();
    const TensorSpec spec({32, 32}, DataType::BFLOAT16, Layout::TILE);
    for (Tensor tensor : {Tensor::allocate_on_device(spec, device), Tensor::allocate_on_host(spec)}) {
        const Tensor copy = tensor;
        tensor.deallocate();
        tensor.deallocate();
        EXPECT_FALSE(copy.is_allocated());
        EXPECT_EQ(copy.logical_shape(), (Shape{32, 32}));
        for (const auto& text : {error_of([&] { read<float>(copy); }), error_of([&] { copy_to_host(copy); }),
                                 error_of([&] { copy_to_device(copy, device); }),
                                 error_of([&] { write<float>(tensor, std::vector<float>(1024)); }),
                                 error_of([&] { copy.view_as(spec); })}) {
            EXPECT_NE(text.find("Tensor is not allocated"), std::string::npos) << text;
            EXPECT_NE(text.find("was deallocated"), std::string::npos) << text;
        }
    }
}

TEST(TensorLife, ClosedDeviceTakesItsTensorsAlong) {
    const auto device = open_device();
    const TensorSpec spec({32, 32}, DataType::BFLOAT16, Layout::TILE);
    const Tensor tensor = Tensor::allocate_on_device(spec, device);
    const Tensor host = Tensor::allocate_on_host(spec);
    device->close();
    EXPECT_FALSE(tensor.is_allocated());
    EXPECT_NE(error_of([&] { tensor.bytes(); }).find("when its device was closed"), std::string::npos);
    EXPECT_NE(error_of([&] { tensor.buffer_address(); }).find("was deallocated"), std::string::npos);
    EXPECT_NE(error_of([&] { copy_to_device(host, device); }).find("closed"), std::string::npos);
    EXPECT_THROW(copy_to_device(host, nullptr), Error);
}

TEST(TensorLife, BadShardSpecIsRefusedBeforeAnythingIsAllocated) {
    const auto device = open_device();
    const Tensor host = Tensor::allocate_on_host(TensorSpec({64, 64}, DataType::BFLOAT16, Layout::TILE));
    const auto config = sharded(TensorMemoryLayout::HEIGHT_SHARDED, grid(1, 1), {32, 64});
    EXPECT_THROW(copy_to_device(host, device, config), Error);
    EXPECT_TRUE(device->live_buffers().empty());
}

TEST(TensorLife, NoTensorIsAnError) {
    const Tensor none;
    EXPECT_FALSE(none);
    EXPECT_FALSE(none.is_allocated());
    EXPECT_THROW(none.spec(), Error);
}

TEST(TensorLife, HostTensorHasNoAddress) {
    const Tensor host = Tensor::allocate_on_host(TensorSpec({4}, DataType::UINT8, Layout::ROW_MAJOR));
    EXPECT_EQ(host.device(), nullptr);
    EXPECT_THROW(host.buffer_address(), Error);
}

// --- views -------------------------------------------------------------------------------------------------------

TEST(TensorViews, ShareBytesAndTheBuffer) {
    const auto device = open_device();
    const TensorSpec spec({4, 64, 32}, DataType::BFLOAT16, Layout::TILE);
    Tensor tensor = Tensor::allocate_on_device(spec, device);
    const Tensor view = tensor.view_as(TensorSpec({1, 1, 256, 32}, DataType::BFLOAT16, Layout::TILE));
    EXPECT_EQ(view.storage_key(), tensor.storage_key());
    EXPECT_NE(view.id(), tensor.id());
    const auto values = exact_values(DataType::BFLOAT16, 4 * 64 * 32);
    write<float>(tensor, values);
    EXPECT_EQ(values_of(view), values);
    tensor.deallocate();
    EXPECT_FALSE(view.is_allocated());
}

TEST(TensorViews, NeedTheSamePages) {
    const auto device = open_device();
    const Tensor rows = Tensor::allocate_on_device(TensorSpec({4, 32}, DataType::FLOAT32, Layout::ROW_MAJOR), device);
    EXPECT_NO_THROW(rows.view_as(TensorSpec({2, 2, 32}, DataType::FLOAT32, Layout::ROW_MAJOR)));
    EXPECT_THROW(rows.view_as(TensorSpec({8, 16}, DataType::FLOAT32, Layout::ROW_MAJOR)), Error);
    const Tensor host = copy_to_host(rows);
    EXPECT_NO_THROW(host.view_as(TensorSpec({8, 16}, DataType::FLOAT32, Layout::ROW_MAJOR)));
    EXPECT_THROW(host.view_as(TensorSpec({8, 17}, DataType::FLOAT32, Layout::ROW_MAJOR)), Error);
}

}  // namespace
}  // namespace ttnn
