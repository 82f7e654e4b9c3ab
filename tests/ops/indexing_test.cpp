// Elements and slices by their number, and what chooses them, against figures worked out by hand.
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "math_support.hpp"
#include "ttnn/ops/index/gather.hpp"
#include "ttnn/ops/index/indexed_fill.hpp"
#include "ttnn/ops/index/moe.hpp"
#include "ttnn/ops/index/nonzero.hpp"
#include "ttnn/ops/index/sampling.hpp"
#include "ttnn/ops/index/scatter.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::tensor;
using test::values_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

class IndexingTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor made(const Shape& shape, const std::vector<float>& values, DataType dtype = DataType::BFLOAT16,
                Layout layout = Layout::ROW_MAJOR) const {
        return tensor(device, TensorSpec(shape, dtype, layout), values);
    }
    Tensor numbers(const Shape& shape, const std::vector<float>& values, DataType dtype = DataType::UINT32,
                   Layout layout = Layout::ROW_MAJOR) const {
        return made(shape, values, dtype, layout);
    }
};

TEST_F(IndexingTest, ScatterWritesAlongADimension) {
    const Tensor x = made({2, 4}, {0, 0, 0, 0, 9, 9, 9, 9});
    const Tensor index = numbers({2, 2}, {3, 0, 1, 1});
    const Tensor source = made({2, 3}, {5, 6, 7, 1, 2, 3});
    const Tensor result = scatter(x, 1, index, source);
    EXPECT_THAT(values_of(result), ElementsAre(6, 0, 0, 5, 9, 2, 9, 9));  // the last of two counts
    EXPECT_THAT(values_of(x), ElementsAre(0, 0, 0, 0, 9, 9, 9, 9));
    EXPECT_THAT(values_of(scatter(x, 1, index, source, {.reduce = "add"})), ElementsAre(6, 0, 0, 5, 9, 12, 9, 9));
    EXPECT_THAT(values_of(scatter(x, 1, index, source, {.reduce = "multiply"})), ElementsAre(0, 0, 0, 0, 9, 18, 9, 9));
    EXPECT_THAT(values_of(scatter_add(x, 1, index, source)), ElementsAre(6, 0, 0, 5, 9, 12, 9, 9));
    const Tensor rows = scatter(x, 0, numbers({1, 4}, {1, 0, 1, 0}), made({1, 4}, {1, 2, 3, 4}));
    EXPECT_THAT(values_of(rows), ElementsAre(0, 2, 0, 4, 1, 9, 3, 9));
}

TEST_F(IndexingTest, ScatterKeepsTheLayoutOfTheInput) {
    const Tensor index = numbers({1, 1, 8, 4}, std::vector<float>(32, 2), DataType::UINT16, Layout::TILE);
    const Tensor source = made({1, 1, 8, 4}, std::vector<float>(32, 1));
    EXPECT_EQ(scatter(made({1, 1, 8, 8}, std::vector<float>(64, 0)), 3, index, source).layout(), Layout::ROW_MAJOR);
    // Block floats come out as BFLOAT16: rows in ROW_MAJOR cannot hold them.
    const Tensor blocks = scatter(counting(device, {1, 1, 8, 8}, DataType::BFLOAT8_B), 3, index, source);
    EXPECT_EQ(blocks.layout(), Layout::TILE);
    EXPECT_EQ(blocks.dtype(), DataType::BFLOAT16);
    EXPECT_EQ(values_of(blocks)[2], 1);
}

TEST_F(IndexingTest, ScatterErrors) {
    const Tensor x = made({2, 4}, std::vector<float>(8, 0));
    const Tensor source = made({2, 2}, {1, 2, 3, 4});
    const auto error = [&](int64_t dim, const Tensor& index, Scatter::Params params = {}) {
        return error_of([&] { scatter(x, dim, index, source, params); });
    };
    const Tensor index = numbers({2, 2}, {0, 1, 2, 3});
    EXPECT_THAT(error(2, index), HasSubstr("argument 'dim'"));
    EXPECT_THAT(error(1, numbers({2, 3}, {0, 1, 2, 3, 0, 1})), HasSubstr("must not be larger than 'src'"));
    EXPECT_THAT(error(1, numbers({2, 2}, {0, 1, 2, 4})), HasSubstr("holds 4, but the dimension has 4"));
    EXPECT_THAT(error(1, index, {.reduce = "max"}), HasSubstr("argument 'reduce'"));
    EXPECT_THAT(error(1, made({2, 2}, {0, 1, 2, 3})), HasSubstr("argument 'index'"));
    EXPECT_THAT(error_of([&] {
                    scatter(counting(device, {32, 32}, DataType::FLOAT32), 1, index, counting(device, {2, 2}));
                }),
                HasSubstr("ROW_MAJOR for FLOAT32"));
}

TEST_F(IndexingTest, ScatterSteps) {
    const Tensor x = made({1, 1, 8, 8}, std::vector<float>(64, 0));
    const Tensor index = numbers({1, 1, 8, 4}, std::vector<float>(32, 2), DataType::UINT16);
    const Tensor source = made({1, 1, 8, 4}, std::vector<float>(32, 1));
    const test::Recording recording;
    scatter(x, 3, index, source);
    EXPECT_THAT(recording->names, ::testing::Contains("ttnn::prim::scatter"));
    // Rows of 8 and 4 elements of 2 bytes, in units of 32.
    EXPECT_THAT(recording->sizes, ElementsAre(32, 32, 32, 32));
}

TEST_F(IndexingTest, GatherReadsAlongADimension) {
    const Tensor x = made({2, 3}, {1, 2, 3, 4, 5, 6}, DataType::FLOAT32, Layout::TILE);
    const Tensor index = numbers({2, 4}, {2, 2, 0, 1, 0, 0, 1, 2}, DataType::UINT16, Layout::TILE);
    const Tensor result = gather(x, 1, index);
    EXPECT_THAT(values_of(result), ElementsAre(3, 3, 1, 2, 4, 4, 5, 6));
    EXPECT_EQ(result.spec(), TensorSpec({2, 4}, DataType::FLOAT32, Layout::TILE));
    const Tensor columns = numbers({3, 1}, {1, 0, 1}, DataType::UINT32, Layout::TILE);
    EXPECT_THAT(values_of(gather(x, 0, columns)), ElementsAre(4, 1, 4));
    EXPECT_THAT(error_of([&] { gather(x, 1, index, {.sparse_grad = true}); }), HasSubstr("argument 'sparse_grad'"));
    EXPECT_THAT(error_of([&] { gather(x, 0, index); }), HasSubstr("must not be larger than 'input'"));
    EXPECT_THAT(error_of([&] {
                    gather(x, 1, numbers({2, 1}, {3, 0}, DataType::UINT32, Layout::TILE));
                }),
                HasSubstr("holds 3, but the dimension has 3"));
}

// Ranks above four are folded on the way: the rows of a smaller index must still be those at the front of every
// dimension.
TEST_F(IndexingTest, SmallIndicesOfHighRanksNameTheRowsInFront) {
    const Shape shape{1, 3, 2, 1, 4};
    std::vector<float> places(shape.volume());
    std::iota(places.begin(), places.end(), 0.0F);
    const Tensor x = made(shape, places, DataType::FLOAT32, Layout::TILE);
    const Tensor last = numbers({1, 2, 1, 1, 2}, {3, 1, 0, 2}, DataType::UINT32, Layout::TILE);
    EXPECT_THAT(values_of(gather(x, 4, last)), ElementsAre(3, 1, 8, 10));
    const Tensor second = numbers({1, 1, 2, 1, 2}, {2, 0, 1, 2}, DataType::UINT32, Layout::TILE);
    EXPECT_THAT(values_of(gather(x, 1, second)), ElementsAre(16, 1, 12, 21));

    const Tensor zeros = made(shape, std::vector<float>(shape.volume(), 0), DataType::FLOAT32);
    const Tensor source = made({1, 2, 1, 1, 2}, {5, 6, 7, 8}, DataType::FLOAT32);
    std::vector<float> expected(shape.volume(), 0);
    expected[3] = 5;
    expected[1] = 6;
    expected[8] = 7;
    expected[10] = 8;
    EXPECT_EQ(values_of(scatter(zeros, 4, numbers({1, 2, 1, 1, 2}, {3, 1, 0, 2}, DataType::UINT32), source)), expected);
    EXPECT_EQ(values_of(scatter_add(zeros, 4, numbers({1, 2, 1, 1, 2}, {3, 1, 0, 2}, DataType::UINT32), source)),
              expected);
}

TEST_F(IndexingTest, FillsReplaceSlices) {
    const Tensor a = made({3, 1, 1, 2}, {1, 2, 3, 4, 5, 6});
    const Tensor b = made({2, 1, 1, 2}, {10, 20, 30, 40});
    const Tensor ids = numbers({1, 1, 1, 2}, {2, 0});
    EXPECT_THAT(values_of(indexed_fill(ids, a, b)), ElementsAre(30, 40, 3, 4, 10, 20));
    EXPECT_THAT(error_of([&] { indexed_fill(ids, a, b, {.dim = 1}); }), HasSubstr("argument 'dim'"));
    EXPECT_THAT(error_of([&] { indexed_fill(numbers({1, 1, 1, 2}, {3, 0}), a, b); }), HasSubstr("number 3"));

    const Tensor x = made({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_THAT(values_of(index_fill(x, 1, numbers({2}, {0, 2}), Scalar(8.0))), ElementsAre(8, 2, 8, 8, 5, 8));
    EXPECT_THAT(values_of(index_fill(x, 0, numbers({1}, {1}), Scalar(0.5))), ElementsAre(1, 2, 3, 0.5, 0.5, 0.5));
    EXPECT_THAT(error_of([&] { index_fill(x, 0, numbers({1}, {1}), Scalar(int64_t{1})); }),
                HasSubstr("argument 'value'"));
    EXPECT_THAT(error_of([&] { index_fill(x, -1, numbers({1}, {1}), Scalar(1.0)); }), HasSubstr("argument 'dim'"));
}

TEST_F(IndexingTest, NonzeroGivesCountAndIndices) {
    const auto found = nonzero(made({1, 1, 1, 5}, {0, 3, 0, -1, 2}));
    EXPECT_THAT(values_of(found[0]), ElementsAre(3, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_EQ(found[0].logical_shape(), Shape({1, 1, 1, 8}));
    EXPECT_THAT(values_of(found[1]), ElementsAre(1, 3, 4, 0, 0));
    EXPECT_EQ(found[1].dtype(), DataType::UINT32);
    EXPECT_THAT(error_of([&] { nonzero(made({1, 2}, {0, 1})); }), HasSubstr("[1, 1, 1, X]"));
}

// Without masks and with equal scores each of the first 32 experts gets 1/32; a lower score leaves expert 0 out.
TEST_F(IndexingTest, MoeWeighsExpertZero) {
    const auto masks = [&](uint32_t width) {
        return made({1, 1, 32, width}, std::vector<float>(size_t{32} * width, 0), DataType::BFLOAT16, Layout::TILE);
    };
    std::vector<float> scores(size_t{32} * 64, 1);
    scores[64] = 0;                                        // row 1: below 63 others
    scores[128] = static_cast<float>(1 + std::log(31.0));  // row 2: as much as 31 others together, nearly
    const Tensor x = made({1, 1, 32, 64}, scores, DataType::BFLOAT16, Layout::TILE);
    const Tensor weights = moe(x, masks(64), masks(32));
    EXPECT_EQ(weights.spec(), TensorSpec({1, 1, 32, 1}, DataType::BFLOAT16, Layout::TILE));
    EXPECT_EQ(values_of(weights)[0], 1.0F / 32);
    EXPECT_EQ(values_of(weights)[1], 0);
    const Tensor near =
        tensor(device, TensorSpec(x.logical_shape(), DataType::BFLOAT16, Layout::TILE, l1_memory_config()), scores);
    EXPECT_EQ(moe(near, masks(64), masks(32)).memory_config(), l1_memory_config());
    EXPECT_EQ(moe(near, masks(64), masks(32), {.memory_config = MemoryConfig()}).memory_config(), MemoryConfig());
    EXPECT_THAT(values_of(weights)[2], FloatNear(0.5, 0.01));
    EXPECT_THAT(error_of([&] { moe(x, masks(64), masks(32), {.k = 16}); }), HasSubstr("argument 'k'"));
}

// As models make them: one row for all tokens.
TEST_F(IndexingTest, MoeMasksOfOneRowStandForAllTokens) {
    const auto mask = [&](uint32_t width, uint32_t open) {
        std::vector<float> values(width, -INFINITY);
        std::fill_n(values.begin(), open, 0.0F);
        return made({1, 1, 1, width}, values, DataType::BFLOAT16, Layout::TILE);
    };
    const Tensor x = made({1, 1, 32, 64}, std::vector<float>(size_t{32} * 64, 1), DataType::BFLOAT16, Layout::TILE);
    EXPECT_THAT(values_of(moe(x, mask(64, 8), mask(32, 2))), Each(0.5F));
    EXPECT_THAT(values_of(moe(x, mask(64, 1), mask(32, 2))), Each(1.0F));
    EXPECT_THAT(error_of([&] { moe(x, mask(32, 8), mask(32, 2)); }), HasSubstr("argument 'expert_mask_tensor'"));
}

class SamplingTest : public IndexingTest {
protected:
    static constexpr uint32_t users = 32;
    // Row u prefers column u, then u + 1 and so on; indices are 1000 and more.
    Tensor values = [this] {
        std::vector<float> scores(users * 64);
        for (uint32_t user = 0; user < users; ++user) {
            for (uint32_t i = 0; i < 64; ++i) {
                scores[user * 64 + (user + i) % 64] = 4.0F - static_cast<float>(i) / 8;
            }
        }
        return made({1, 1, users, 64}, scores, DataType::BFLOAT16, Layout::TILE);
    }();
    Tensor indices = [this] {
        std::vector<float> columns(users * 64);
        for (size_t i = 0; i < columns.size(); ++i) {
            columns[i] = 1000 + static_cast<float>(i % 64);
        }
        return numbers({1, 1, users, 64}, columns);
    }();
    Tensor per_user(float value, DataType dtype) const {
        return made({users}, std::vector<float>(users, value), dtype);
    }

    std::vector<float> drawn(float k, float p, float heat, std::optional<int64_t> seed) const {
        return values_of(sampling(values, indices, per_user(k, DataType::UINT32), per_user(p, DataType::BFLOAT16),
                                  per_user(heat, DataType::BFLOAT16), {.seed = seed}));
    }
    // How far the draw of each user is from the best.
    std::vector<int> distances(const std::vector<float>& chosen) const {
        std::vector<int> result;
        for (size_t user = 0; user < chosen.size(); ++user) {
            result.push_back((static_cast<int>(chosen[user]) - 1000 - static_cast<int>(user) + 64) % 64);
        }
        return result;
    }
};

TEST_F(SamplingTest, IsGreedyWithOneEntryOrNoShare) {
    EXPECT_THAT(distances(drawn(1, 1, 1, 7)), Each(0));
    EXPECT_THAT(distances(drawn(32, 0, 1, 7)), Each(0));
    EXPECT_THAT(distances(drawn(32, 1, 100, 7)), Each(0));  // cold: everything is on the best
    const Tensor result = sampling(values, indices, per_user(1, DataType::UINT32), per_user(0, DataType::BFLOAT16),
                                   per_user(1, DataType::BFLOAT16));
    EXPECT_EQ(result.spec(), TensorSpec({1, 1, 1, users}, DataType::UINT32, Layout::ROW_MAJOR));
}

TEST_F(SamplingTest, DrawsFromThePrefixInProportion) {
    // Four equal entries: a share of 0.5 is exceeded by the third.
    std::vector<int> seen(4, 0);
    for (int64_t seed = 1; seed <= 60; ++seed) {
        for (const int distance : distances(drawn(4, 0.5, 1e-6F, seed))) {
            ASSERT_LT(distance, 3);
            ++seen[static_cast<size_t>(distance)];
        }
    }
    for (int entry = 0; entry < 3; ++entry) {  // 640 each, with a deviation of 21
        EXPECT_NEAR(seen[static_cast<size_t>(entry)], 640, 105);
    }
}

TEST_F(SamplingTest, SeedsRepeat) {
    const auto draw = [&](std::optional<int64_t> seed) { return drawn(32, 1, 0.01F, seed); };
    EXPECT_EQ(draw(5), draw(5));
    EXPECT_NE(draw(5), draw(6));
    manual_seed({.seeds = int64_t{11}, .device = device});
    const auto first = draw(std::nullopt);
    const auto second = draw(std::nullopt);
    EXPECT_NE(first, second);
    EXPECT_EQ(draw(5), draw(5));  // a seed of its own leaves the generators where they are
    manual_seed({.seeds = int64_t{11}, .device = device});
    EXPECT_EQ(draw(std::nullopt), first);
    EXPECT_EQ(draw(std::nullopt), second);
}

TEST_F(SamplingTest, SeedsOfSomeUsers) {
    const auto draw = [&] { return drawn(32, 1, 0.01F, std::nullopt); };
    manual_seed({.seeds = int64_t{11}, .device = device});
    const auto all = draw();
    manual_seed({.seeds = int64_t{12}, .device = device});
    const auto others = draw();
    manual_seed({.seeds = int64_t{12}, .device = device});
    manual_seed({.seeds = int64_t{11}, .device = device, .user_ids = TensorOrScalar(int64_t{3})});
    const Tensor seeds = Tensor::allocate_on_device(TensorSpec({2}, DataType::UINT32, Layout::ROW_MAJOR), device);
    const std::vector<uint32_t> bits{11, UINT32_MAX};
    Tensor held = seeds;
    write<uint32_t>(held, bits);
    manual_seed({.seeds = seeds, .user_ids = TensorOrScalar(numbers({2}, {4, 5}))});
    auto expected = others;
    expected[3] = all[3];
    expected[4] = all[4];
    EXPECT_EQ(draw(), expected);
    EXPECT_THAT(error_of([&] { manual_seed({.seeds = seeds, .user_ids = TensorOrScalar(int64_t{1})}); }),
                HasSubstr("Seeds were provided as a tensor, so user_ids must not be provided as a scalar"));
    EXPECT_THAT(error_of([&] { manual_seed(ManualSeed::Params{}); }), HasSubstr("argument 'device'"));
    EXPECT_THAT(error_of([&] {
                    manual_seed({.seeds = int64_t{1}, .device = device, .user_ids = TensorOrScalar(int64_t{32})});
                }),
                HasSubstr("users are 0 to 31"));
}

TEST_F(SamplingTest, Errors) {
    const Tensor one = per_user(1, DataType::UINT32);
    const Tensor share = per_user(0, DataType::BFLOAT16);
    EXPECT_THAT(error_of([&] {
                    sampling(counting(device, {1, 1, 16, 64}), indices, one, share, share);
                }),
                HasSubstr("argument 'input_values_tensor'"));
    EXPECT_THAT(error_of([&] { sampling(values, indices, share, share, share); }), HasSubstr("argument 'k'"));
    EXPECT_THAT(error_of([&] { sampling(values, indices, one, share, share, {.seed = -1}); }),
                HasSubstr("argument 'seed'"));
}

}  // namespace
}  // namespace ttnn
