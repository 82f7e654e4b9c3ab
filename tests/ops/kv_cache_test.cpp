// Caches: what is written where, what stays to the last byte, and what is refused.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/ccl_support.hpp"
#include "ops/math_support.hpp"
#include "ttnn/check/opcheck.hpp"
#include "ttnn/ops/kv_cache/fill_cache.hpp"
#include "ttnn/ops/kv_cache/nlp_kv_cache_load_slice.hpp"
#include "ttnn/ops/kv_cache/paged_fill_cache.hpp"
#include "ttnn/ops/kv_cache/paged_fused_update_cache.hpp"
#include "ttnn/ops/kv_cache/paged_update_cache.hpp"
#include "ttnn/ops/kv_cache/update_cache.hpp"

namespace ttnn {
namespace {

using test::error_of;
using test::sharded;
using test::tensor;
using test::values_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KvCacheTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor tiles(const Shape& shape, const std::vector<float>& values, DataType dtype = DataType::BFLOAT16,
                 const MemoryConfig& config = {}) const {
        return tensor(device, TensorSpec(shape, dtype, Layout::TILE, config), values);
    }
    Tensor filled(const Shape& shape, float value, DataType dtype = DataType::BFLOAT16) const {
        return tiles(shape, std::vector<float>(shape.volume(), value), dtype);
    }
    // Every row holds its number, counted over all leading dimensions, from `first` on.
    Tensor numbered(const Shape& shape, float first, DataType dtype = DataType::BFLOAT16,
                    const MemoryConfig& config = {}) const {
        std::vector<float> values(shape.volume());
        for (size_t i = 0; i < values.size(); ++i) {
            values[i] = first + static_cast<float>(i / shape[-1]);
        }
        return tiles(shape, values, dtype, config);
    }
    Tensor integers(const Shape& shape, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::INT32, Layout::ROW_MAJOR), values);
    }
    // Rows of users, one user on each core.
    MemoryConfig users(uint32_t count, uint32_t width) const {
        return sharded(TensorMemoryLayout::HEIGHT_SHARDED, {count, 1}, {32, width});
    }
    // The first number of every row.
    static std::vector<float> rows_of(const Tensor& tensor) {
        const std::vector<float> all = values_of(tensor);
        std::vector<float> rows;
        for (size_t i = 0; i < all.size(); i += tensor.logical_shape()[-1]) {
            rows.push_back(all[i]);
        }
        return rows;
    }
};

std::vector<float> count_from(float first, size_t count) {
    std::vector<float> numbers(count);
    for (float& number : numbers) {
        number = first++;
    }
    return numbers;
}

TEST_F(KvCacheTest, PagesGoWhereTheTableSays) {
    const Tensor cache = filled({4, 1, 32, 32}, -1);
    const Tensor input = numbered({1, 1, 64, 32}, 100);
    const Tensor table = integers({2, 2}, {2, 0, 3, -1});
    const Tensor result = experimental::paged_fill_cache(cache, input, table);
    EXPECT_EQ(result, cache);
    std::vector<float> expected(128, -1.0F);
    std::ranges::copy(count_from(100, 32), expected.begin() + 64);  // block 2
    std::ranges::copy(count_from(132, 32), expected.begin());       // block 0
    EXPECT_EQ(rows_of(cache), expected);
    experimental::paged_fill_cache(cache, input, table, {.batch_idx = 1});
    std::ranges::copy(count_from(100, 32), expected.begin() + 96);  // block 3; the other one is left out
    EXPECT_EQ(rows_of(cache), expected);
}

TEST_F(KvCacheTest, PagesOfSeveralHeadsAndTiles) {
    const Tensor cache = filled({2, 2, 64, 64}, 0);
    experimental::paged_fill_cache(cache, numbered({1, 2, 96, 64}, 1), integers({1, 2}, {1, 0}));
    const std::vector<float> rows = rows_of(cache);
    const auto block = [&](size_t index) {
        return std::vector<float>(rows.begin() + static_cast<std::ptrdiff_t>(index * 64),
                                  rows.begin() + static_cast<std::ptrdiff_t>(index * 64 + 64));
    };
    EXPECT_EQ(block(2), count_from(1, 64));   // block 1, head 0
    EXPECT_EQ(block(3), count_from(97, 64));  // block 1, head 1
    std::vector<float> rest = count_from(65, 32);
    rest.resize(64, 0.0F);
    EXPECT_EQ(block(0), rest);  // the last rows of head 0 fill half of block 0
}

TEST_F(KvCacheTest, BlocksMayLieInShards) {
    const MemoryConfig banks(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::DRAM,
                             ShardSpec{CoreRangeSet(CoreRange({0, 0}, {3, 0})), {32, 32}});
    const Tensor cache = numbered({4, 1, 32, 32}, 0, DataType::BFLOAT16, banks);
    experimental::paged_fill_cache(cache, numbered({1, 1, 32, 32}, 200), integers({1, 1}, {2}));
    std::vector<float> expected = count_from(0, 128);
    std::ranges::copy(count_from(200, 32), expected.begin() + 64);
    EXPECT_EQ(rows_of(cache), expected);
}

TEST_F(KvCacheTest, ATensorMayNameTheUser) {
    const Tensor cache = filled({2, 1, 32, 32}, 0);
    const Tensor user = integers({1}, {1});
    experimental::paged_fill_cache(cache, filled({1, 1, 32, 32}, 5), integers({2, 1}, {0, 1}),
                                   {.batch_idx_tensor = user, .batch_idx = 0});
    EXPECT_EQ(rows_of(cache)[0], 0);
    EXPECT_EQ(rows_of(cache)[32], 5);
    EXPECT_THAT(error_of([&] {
                    experimental::paged_fill_cache(cache, filled({1, 1, 32, 32}, 5), integers({2, 1}, {0, 1}),
                                                   {.batch_idx_tensor = integers({1}, {2})});
                }),
                HasSubstr("'batch_idx_tensor' holds 2, but the page table has 2 rows"));
}

// What is not written keeps its bytes, whatever numbers they are.
TEST_F(KvCacheTest, OtherBlocksKeepTheirBytes) {
    const Tensor cache = numbered({3, 1, 32, 64}, 7, DataType::BFLOAT8_B);
    const std::vector<std::byte> before(cache.bytes().begin(), cache.bytes().end());
    experimental::paged_fill_cache(cache, filled({1, 1, 32, 64}, 0.3F), integers({1, 1}, {1}));
    const size_t block = 2 * 1088;
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + block, cache.bytes().begin()));
    EXPECT_FALSE(std::equal(before.begin() + block, before.begin() + 2 * block, cache.bytes().begin() + block));
    EXPECT_TRUE(std::equal(before.begin() + 2 * block, before.end(), cache.bytes().begin() + 2 * block));
}

TEST_F(KvCacheTest, FillRefusesWhatHardwareCannot) {
    const Tensor cache = filled({2, 1, 32, 32}, 0);
    const Tensor input = filled({1, 1, 64, 32}, 1);
    const auto error = [&](const Tensor& in, const Tensor& table, int64_t user = 0) {
        return error_of([&] { experimental::paged_fill_cache(cache, in, table, {.batch_idx = user}); });
    };
    EXPECT_THAT(error(input, integers({1, 2}, {0, 2})), HasSubstr("'page_table' holds 2, but the cache has 2 blocks"));
    EXPECT_THAT(error(input, integers({1, 1}, {0})), HasSubstr("'input_tensor' has 64 rows"));
    EXPECT_THAT(error(input, integers({1, 2}, {0, 1}), 1), HasSubstr("'batch_idx' must be a row of the page table"));
    EXPECT_THAT(error(filled({1, 2, 32, 32}, 1), integers({1, 1}, {0})), HasSubstr("as many heads as the cache"));
    EXPECT_THAT(error(filled({1, 1, 32, 64}, 1), integers({1, 1}, {0})), HasSubstr("as wide as the cache"));
    EXPECT_EQ(rows_of(cache), std::vector<float>(64, 0.0F)) << "a table with a wrong entry writes nothing";
}

TEST_F(KvCacheTest, CircularBuffersOfFilling) {
    const Tensor cache = filled({4, 2, 32, 64}, 0);
    const Tensor input = filled({1, 2, 64, 64}, 1);
    const Tensor pages = integers({2, 2}, {0, 1, 2, 3});
    const Tensor user = integers({1}, {0});
    const test::Recording recording;
    experimental::paged_fill_cache(cache, input, pages, {.batch_idx_tensor = user});
    EXPECT_THAT(recording->sizes,
                ElementsAre(2 * 2 * 2048, 32, 4));  // tiles of a row twice, a page table row, a number
    EXPECT_THAT(recording->names, ElementsAre("ttnn::experimental::paged_fill_cache", "ttnn::prim::paged_fill_cache",
                                              "Device Operation"));
}

TEST_F(KvCacheTest, OnlyChipsThatAreNamedTakePart) {
    const auto mesh = testing::mesh_of(1, 2);
    const auto on_mesh = [&](const Shape& shape, float value, DataType dtype, Layout layout) {
        return tensor(mesh, TensorSpec(shape, dtype, layout), std::vector<float>(shape.volume(), value));
    };
    const Tensor cache = on_mesh({2, 1, 32, 32}, 0, DataType::BFLOAT16, Layout::TILE);
    const Tensor input = on_mesh({1, 1, 32, 32}, 3, DataType::BFLOAT16, Layout::TILE);
    const Tensor table = on_mesh({1, 1}, 1, DataType::INT32, Layout::ROW_MAJOR);
    const auto only = [](uint32_t column) { return MeshCoordinateSet({MeshCoordinate{{0, column}}}); };
    experimental::paged_fill_cache(cache, input, table, {.mesh_coords = only(1)});
    EXPECT_EQ(rows_of(cache.part(0)), std::vector<float>(64, 0.0F));
    EXPECT_EQ(rows_of(cache.part(1))[31], 0);
    EXPECT_EQ(rows_of(cache.part(1))[32], 3);
    EXPECT_THAT(error_of([&] { experimental::paged_fill_cache(cache, input, table, {.mesh_coords = only(2)}); }),
                HasSubstr("'mesh_coords' must be a place in a mesh of 1x2"));
    experimental::paged_fill_cache(cache, input, table);
    EXPECT_EQ(rows_of(cache.part(0))[32], 3);
}

// As lists, as the texts of Python's tracers, and as readers of C++ texts leave them.
TEST(MeshCoordinateSets, AreReadInEveryForm) {
    using tracelift::Value;
    const MeshCoordinateSet expected({MeshCoordinate{{0, 1}}, MeshCoordinate{{1, 0}}});
    const auto coordinate = [](std::string_view field, Value inside) {
        return Value(Value::Struct{"MeshCoordinate", {{std::string(field), std::move(inside)}}});
    };
    const Value::List list{coordinate("values", Value::List{1, 0}), coordinate("value", Value::List{0, 1})};
    const std::string text = "{MeshCoordinate([1, 0]), MeshCoordinate([0, 1])}";
    const TypeInfo& type = type_info<std::optional<MeshCoordinateSet>>();
    for (const Value& value : {Value(list), Value(Value::Struct{"set", {{"value", list}}}),
                               Value(Value::Struct{"set", {{"value", text}}}), Value(Value::Object{"set", text})}) {
        std::optional<MeshCoordinateSet> read;
        type.decode(value, {}, &read);
        EXPECT_EQ(read, expected) << value.to_text();
        EXPECT_EQ(type.encode(&read).to_text(), "set(value=\"{MeshCoordinate([0, 1]), MeshCoordinate([1, 0])}\")");
    }
}

TEST_F(KvCacheTest, RowsOfUsersGoToTheirPositions) {
    const Tensor cache = filled({4, 2, 32, 32}, 0);  // blocks
    const Tensor input = numbered({1, 2, 2, 32}, 1, DataType::BFLOAT16, users(2, 32));
    const Tensor table = integers({2, 2}, {3, 1, 0, 2});
    const Tensor result = experimental::paged_update_cache(
        cache, input, {.update_idxs_tensor = integers({2}, {40, 5}), .page_table = table});
    EXPECT_EQ(result, cache);
    std::vector<float> expected(4 * 2 * 32, 0.0F);
    expected[(1 * 2 + 0) * 32 + 8] = 1;  // user 0: position 40 is row 8 of its second block, 1
    expected[(1 * 2 + 1) * 32 + 8] = 2;
    expected[(0 * 2 + 0) * 32 + 5] = 3;  // user 1: block 0
    expected[(0 * 2 + 1) * 32 + 5] = 4;
    EXPECT_EQ(rows_of(cache), expected);
}

TEST_F(KvCacheTest, RowsWithoutPages) {
    const Tensor cache = filled({2, 1, 64, 32}, 0);
    const Tensor input = numbered({1, 2, 1, 32}, 1, DataType::BFLOAT16, users(2, 32));
    experimental::paged_update_cache(cache, input, {.update_idxs = {-1, 63}});
    std::vector<float> expected(128, 0.0F);
    expected[127] = 2;
    EXPECT_EQ(rows_of(cache), expected) << "user 0 is left out";
    const Tensor shared = filled({1, 1, 32, 32}, 0);
    experimental::paged_update_cache(shared, input, {.update_idxs = {4, 9}, .share_cache = true});
    EXPECT_EQ(rows_of(shared)[4], 1);
    EXPECT_EQ(rows_of(shared)[9], 2);
}

// A row of a block float has its exponents to itself.
TEST_F(KvCacheTest, ARowLeavesTheOthersOfItsTilesAlone) {
    for (const DataType dtype : {DataType::BFLOAT8_B, DataType::BFLOAT4_B, DataType::FLOAT32, DataType::BFLOAT16}) {
        const Tensor cache = numbered({1, 1, 64, 64}, 1, dtype);
        const std::vector<float> before = values_of(cache);
        experimental::paged_update_cache(
            cache, tiles({1, 1, 1, 64}, std::vector<float>(64, -96.0F), DataType::FLOAT32, users(1, 64)),
            {.update_idxs = {50}});
        std::vector<float> expected = before;
        std::fill(expected.begin() + 50 * 64, expected.begin() + 51 * 64, -96.0F);
        EXPECT_EQ(values_of(cache), expected) << fmt::format("{}", dtype);
    }
}

TEST_F(KvCacheTest, UpdatesRefuseWhatHardwareCannot) {
    const Tensor cache = filled({2, 1, 32, 32}, 0);
    const Tensor input = numbered({1, 2, 1, 32}, 1, DataType::BFLOAT16, users(2, 32));
    using Params = PagedUpdateCache::Params;
    const auto error = [&](const Tensor& rows, const Params& params) {
        return error_of([&] { experimental::paged_update_cache(cache, rows, params); });
    };
    EXPECT_THAT(error(input, {}), HasSubstr("exactly one of the arguments 'update_idxs' and 'update_idxs_tensor'"));
    EXPECT_THAT(error(input, {.update_idxs = {1}}), HasSubstr("'update_idxs' has 1 numbers for 2 users"));
    EXPECT_THAT(error(input, {.update_idxs = {1, 32}}), HasSubstr("there is room for 32 rows"));
    EXPECT_THAT(error(input, {.update_idxs = {1, 2}, .batch_offset = 1}), HasSubstr("'batch_offset' must be 0"));
    EXPECT_THAT(error(input, {.update_idxs = {1, 2}, .page_table = integers({2, 1}, {0, 1})}),
                HasSubstr("a page table needs 'update_idxs_tensor'"));
    EXPECT_THAT(error(numbered({1, 2, 1, 32}, 1), {.update_idxs = {1, 2}}), HasSubstr("must be sharded by users"));
}

TEST_F(KvCacheTest, BothCachesAtOnce) {
    const Tensor keys = filled({2, 1, 32, 32}, 0);
    const Tensor values = filled({2, 1, 32, 32}, 0);
    const MemoryConfig second(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                              ShardSpec{CoreRangeSet(CoreRange({0, 1}, {1, 1})), {32, 32}});
    const Tensor k = numbered({1, 2, 1, 32}, 1, DataType::BFLOAT16, users(2, 32));
    const Tensor v = numbered({1, 2, 1, 32}, 11, DataType::BFLOAT16, second);
    const auto [first, other] = experimental::paged_fused_update_cache(keys, k, values, v, {.update_idxs = {3, 4}});
    EXPECT_EQ(first, keys);
    EXPECT_EQ(other, values);
    EXPECT_EQ(rows_of(keys)[3], 1);
    EXPECT_EQ(rows_of(keys)[36], 2);
    EXPECT_EQ(rows_of(values)[3], 11);
    EXPECT_EQ(rows_of(values)[36], 12);
    EXPECT_THAT(error_of([&] {
                    experimental::paged_fused_update_cache(keys, k, values, k, {.update_idxs = {3, 4}});
                }),
                HasSubstr("different cores"));
}

TEST_F(KvCacheTest, BothCachesMayHaveTheirOwnDtype) {
    const Tensor keys = filled({1, 1, 32, 32}, 0, DataType::BFLOAT8_B);
    const Tensor values = filled({1, 1, 32, 32}, 0, DataType::BFLOAT4_B);
    const MemoryConfig second(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                              ShardSpec{CoreRangeSet(CoreRange({0, 1}, {0, 1})), {32, 32}});
    experimental::paged_fused_update_cache(keys, numbered({1, 1, 1, 32}, 2, DataType::BFLOAT16, users(1, 32)), values,
                                           numbered({1, 1, 1, 32}, 3, DataType::BFLOAT16, second),
                                           {.update_idxs = {7}});
    EXPECT_EQ(rows_of(keys)[7], 2);
    EXPECT_EQ(rows_of(values)[7], 3);
}

TEST_F(KvCacheTest, UnpagedCaches) {
    const Tensor cache = filled({2, 1, 64, 32}, 0);
    EXPECT_EQ(fill_cache(cache, numbered({1, 1, 32, 32}, 1), 1), cache);
    std::vector<float> expected(128, 0.0F);
    std::ranges::copy(count_from(1, 32), expected.begin() + 64);
    EXPECT_EQ(rows_of(cache), expected);
    kv_cache::fill_cache_for_user_(cache, filled({1, 1, 64, 32}, 7), 0);
    std::fill(expected.begin(), expected.begin() + 64, 7.0F);
    EXPECT_EQ(rows_of(cache), expected);
    // Sequence 0 gets row 3 of the input, sequence 1 row 4.
    EXPECT_EQ(update_cache(cache, numbered({1, 1, 32, 32}, 100), 10, {.batch_offset = 3}), cache);
    expected[10] = 103;
    expected[74] = 104;
    EXPECT_EQ(rows_of(cache), expected);
    kv_cache::update_cache_for_token_(cache, numbered({1, 1, 32, 32}, 50), 63);
    expected[63] = 50;
    expected[127] = 51;
    EXPECT_EQ(rows_of(cache), expected);
}

TEST_F(KvCacheTest, UnpagedCachesRefuse) {
    const Tensor cache = filled({2, 1, 64, 32}, 0);
    EXPECT_THAT(error_of([&] {
                    fill_cache(cache, filled({1, 1, 32, 32}, 1), 2);
                }),
                HasSubstr("'batch_idx' must be a sequence of the cache (0 to 1), got 2"));
    EXPECT_THAT(error_of([&] {
                    kv_cache::fill_cache_for_user_(cache, filled({1, 1, 96, 32}, 1), 0);
                }),
                HasSubstr("argument 'input'"));
    EXPECT_THAT(error_of([&] {
                    fill_cache(cache, filled({1, 1, 32, 32}, 1, DataType::FLOAT32), 0);
                }),
                HasSubstr("must have dtype"));
    EXPECT_THAT(error_of([&] {
                    update_cache(cache, filled({1, 1, 32, 32}, 1), 64);
                }),
                HasSubstr("'update_idx' must be a row of the cache (0 to 63), got 64"));
    EXPECT_THAT(error_of([&] {
                    update_cache(cache, filled({1, 1, 32, 32}, 1), 1, {.batch_offset = 31});
                }),
                HasSubstr("'batch_offset' must leave room"));
}

TEST_F(KvCacheTest, ASliceLiesOnACoreForEveryHead) {
    const Tensor cache = numbered({2, 2, 96, 64}, 0, DataType::FLOAT32);
    const Tensor slice = experimental::nlp_kv_cache_load_slice(cache, {.seq_len_start = 32, .seq_len_end = 96});
    EXPECT_EQ(slice.memory_config(), sharded(TensorMemoryLayout::HEIGHT_SHARDED, {4, 1}, {64, 64}));
    EXPECT_EQ(slice.logical_shape(), Shape({2, 2, 64, 64}));
    EXPECT_EQ(rows_of(slice)[0], 32);
    EXPECT_EQ(rows_of(slice)[64], 96 + 32);
    EXPECT_THAT(
        error_of([&] { experimental::nlp_kv_cache_load_slice(cache, {.seq_len_start = 16, .seq_len_end = 96}); }),
        HasSubstr("multiples of 32"));
}

// Operations that may be limited to some chips are not among those that all references judge.
TEST_F(KvCacheTest, AgreeWithTheirReferences) {
    for (const std::string_view name : {PagedFillCache::name, PagedUpdateCache::name, PagedFusedUpdateCache::name}) {
        const OpInfo* op = find_operation(name);
        ASSERT_NE(op, nullptr);
        const OpCheck check = check_operation(*op, device);
        EXPECT_TRUE(check.pass()) << op->name << (check.failures.empty() ? "" : check.failures[0].scorecard.reason);
        EXPECT_EQ(check.worst_ulp, 0) << op->name;
        EXPECT_GT(check_operation(*op, device, Mutation::SCALE).failed, 0U) << op->name;
        EXPECT_GT(check_operation(*op, device, Mutation::DROP_COLUMN).failed, 0U) << op->name;
        const auto mesh = testing::mesh_of(2, 2);
        EXPECT_TRUE(check_operation(*op, mesh).pass()) << op->name;
    }
}

}  // namespace
}  // namespace ttnn
