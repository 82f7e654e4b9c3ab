// Every operation that moves data, from N-D shards and into them. What it makes of the same elements in interleaved
// memory is what it has to make of them here.
#include <functional>

#include <gtest/gtest.h>

#include "movement_support.hpp"
#include "ttnn/ops/data_movement/broadcast_to.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/data_movement/concat.hpp"
#include "ttnn/ops/data_movement/copy.hpp"
#include "ttnn/ops/data_movement/expand.hpp"
#include "ttnn/ops/data_movement/fill_implicit_tile_padding.hpp"
#include "ttnn/ops/data_movement/pad.hpp"
#include "ttnn/ops/data_movement/padded_slice.hpp"
#include "ttnn/ops/data_movement/repeat.hpp"
#include "ttnn/ops/data_movement/repeat_interleave.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/reshape_on_device.hpp"
#include "ttnn/ops/data_movement/roll.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/data_movement/slice_write.hpp"
#include "ttnn/ops/data_movement/split.hpp"
#include "ttnn/ops/data_movement/squeeze.hpp"
#include "ttnn/ops/data_movement/tilize.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/data_movement/tosa.hpp"
#include "ttnn/ops/data_movement/transpose.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"
#include "ttnn/ops/data_movement/view.hpp"
#include "ttnn/ops/eltwise/bcast.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/embedding/embedding.hpp"
#include "ttnn/ops/pool/fold.hpp"
#include "ttnn/ops/pool/upsample.hpp"
#include "ttnn/ops/sharding/interleaved_to_sharded.hpp"
#include "ttnn/ops/sharding/reshard.hpp"
#include "ttnn/ops/sharding/sharded_to_interleaved.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn::testing {
namespace {

using enum DataType;
using Config = std::optional<MemoryConfig>;

MemoryConfig nd(const Shape& shard, BufferType buffer, uint32_t cores,
                ShardDistributionStrategy strategy = ShardDistributionStrategy::ROUND_ROBIN_1D,
                ShardOrientation orientation = ShardOrientation::ROW_MAJOR) {
    const CoreRangeSet grid = buffer == BufferType::DRAM ? CoreRangeSet(CoreRange({0, 0}, {cores - 1, 0}))
                                                         : num_cores_to_corerangeset(cores, {8, 8}, true);
    return MemoryConfig(buffer, NdShardSpec{shard, grid, orientation, strategy});
}

struct Way {
    const char* name;
    std::function<Tensor(const Tensor& input, const Config& config)> call;
    // Where it can put its result: shards as well, or only what the input's memory layout allows.
    bool into_shards = true;
    bool tiles = true;  // takes inputs in TILE, in ROW_MAJOR
    bool rows = true;
    bool stays = false;        // a view of shards, whatever shards are asked for
    bool makes_tiles = false;  // also of rows
};

const Padding unaligned{{0, 0}, {0, 1}, {0, 5}, {0, 16}};
const Padding aligned{{0, 1}, {0, 0}, {0, 32}, {0, 0}};

// The partial moves are not here: one takes interleaved tensors only and the other L1 shards that have a height, since
// both count rows of 2-D shards.
const std::vector<Way>& ways() {
    using V = std::vector<int64_t>;
    static const std::vector<Way> list{
        {"concat 0",
         [](auto& x, auto& c) {
             return concat({x, x}, {.dim = 0, .memory_config = c});
         }},
        {"concat 1",
         [](auto& x, auto& c) {
             return concat({x, x, x}, {.dim = 1, .memory_config = c});
         }},
        {"concat 2",
         [](auto& x, auto& c) {
             return concat({x, x}, {.dim = 2, .memory_config = c});
         }},
        {"concat 3",
         [](auto& x, auto& c) {
             return concat({x, x}, {.dim = 3, .memory_config = c});
         }},
        {"concat of one", [](auto& x, auto& c) { return concat({x}, {.dim = 3, .memory_config = c}); }},
        {"slice of tiles",
         [](auto& x, auto& c) {
             return slice(x, V{0, 1, 32, 0}, V{2, 3, 64, 64}, {.memory_config = c});
         }},
        {"slice",
         [](auto& x, auto& c) {
             return slice(x, V{1, 0, 3, 16}, V{2, 3, 50, 80}, {.memory_config = c});
         }},
        {"strided slice",
         [](auto& x, auto& c) {
             return slice(x, V{0, 0, 1, 0}, V{2, 3, 64, 96}, {.slice_step = V{1, 2, 3, 2}, .memory_config = c});
         }},
        {"slice of all",
         [](auto& x, auto& c) {
             return slice(x, V{0, 0, 0, 0}, V{2, 3, 64, 96}, {.memory_config = c});
         }},
        {"split", [](auto& x, auto& c) { return split(x, IntOrList(int64_t{32}), {.dim = 3, .memory_config = c})[1]; }},
        {"chunk", [](auto& x, auto&) { return chunk(x, 3, 1)[2]; }, false},
        {"pad", [](auto& x, auto& c) { return pad(x, unaligned, 2.0, {.memory_config = c}); }},
        {"pad by tiles", [](auto& x, auto& c) { return pad(x, aligned, 2.0, {.memory_config = c}); }},
        {"pad in front",
         [](auto& x, auto& c) {
             return pad(x, Padding{{1, 0}, {0, 0}, {2, 3}, {16, 0}}, 2.0, {.memory_config = c});
         },
         true, false},
        {"permute 0213",
         [](auto& x, auto& c) {
             return permute(x, V{0, 2, 1, 3}, {.memory_config = c});
         }},
        {"permute 3120",
         [](auto& x, auto& c) {
             return permute(x, V{3, 1, 2, 0}, {.memory_config = c});
         }},
        {"permute 0123",
         [](auto& x, auto& c) {
             return permute(x, V{0, 1, 2, 3}, {.memory_config = c});
         }},
        {"transpose 23", [](auto& x, auto& c) { return transpose(x, 2, 3, {.memory_config = c}); }},
        {"transpose 12", [](auto& x, auto& c) { return transpose(x, 1, 2, {.memory_config = c}); }},
        {"transpose 01", [](auto& x, auto& c) { return transpose(x, 0, 1, {.memory_config = c}); }},
        {"transpose 03", [](auto& x, auto& c) { return transpose(x, 0, 3, {.memory_config = c}); }},
        {"reshape view",
         [](auto& x, auto& c) {
             return reshape(x, V{1, 6, 64, 96}, {.memory_config = c});
         },
         true, true, true, true},
        {"reshape to a matrix",
         [](auto& x, auto& c) {
             return reshape(x, V{384, 96}, {.memory_config = c});
         },
         true, true, true, true},
        {"reshape",
         [](auto& x, auto& c) {
             return reshape(x, V{1, 2, 96, 192}, {.memory_config = c});
         }},
        {"relu of a reshape",
         [](auto& x, auto&) {
             return relu(reshape(x, V{6, 64, 96}));
         },
         false},
        {"unsqueeze", [](auto& x, auto&) { return unsqueeze(x, 1); }, false},
        {"squeeze", [](auto& x, auto&) { return squeeze(unsqueeze(x, 0)); }, false},
        {"repeat 0",
         [](auto& x, auto& c) {
             return repeat(x, V{2, 1, 1, 1}, {.memory_config = c});
         }},
        {"repeat 23",
         [](auto& x, auto& c) {
             return repeat(x, V{1, 1, 2, 3}, {.memory_config = c});
         }},
        {"repeat more",
         [](auto& x, auto& c) {
             return repeat(x, V{2, 1, 1, 1, 1}, {.memory_config = c});
         }},
        {"expand",
         [](auto& x, auto& c) {
             return expand(slice(x, V{0, 0, 0, 0}, V{1, 3, 64, 96}), V{4, -1, -1, -1}, {.memory_config = c});
         }},
        {"repeat_interleave", [](auto& x, auto& c) { return repeat_interleave(x, 2, 2, {.memory_config = c}); }},
        {"roll", [](auto& x, auto&) { return roll(x, IntOrList(int64_t{5}), {.dim = IntOrList(int64_t{2})}); }, false},
        {"stack",
         [](auto& x, auto&) {
             return stack({x, x}, 2);
         },
         false},
        {"clone", [](auto& x, auto& c) { return clone(x, {.memory_config = c}); }},
        {"clone as float", [](auto& x, auto& c) { return clone(x, {.dtype = FLOAT32, .memory_config = c}); }, true,
         true, false},
        {"assign", [](auto& x, auto& c) { return assign(x, {.memory_config = c.value_or(x.memory_config())}); }},
        {"copy",
         [](auto& x, auto& c) {
             const TensorSpec spec = c ? x.spec().with_memory_config(*c) : x.spec();
             return copy(x, Tensor::allocate_on_device(spec, x.device()));
         }},
        {"move", [](auto& x, auto& c) { return ttnn::move(clone(x), {.memory_config = c}); }},
        {"typecast", [](auto& x, auto&) { return typecast(x, FLOAT32); }, false},
        {"fill no padding", [](auto& x, auto& c) { return fill_implicit_tile_padding(x, 3.0, {.memory_config = c}); },
         false},
        {"fill padding",
         [](auto& x, auto& c) {
             return fill_implicit_tile_padding(slice(x, V{0, 0, 0, 0}, V{2, 3, 50, 80}), 3.0, {.memory_config = c});
         },
         true, true, false},
        {"to_memory_config", [](auto& x, auto& c) { return to_memory_config(x, c.value_or(MemoryConfig())); }},
        {"to_layout TILE", [](auto& x, auto& c) { return to_layout(x, Layout::TILE, {.memory_config = c}); }, true,
         false, true, false, true},
        {"to_layout ROW_MAJOR", [](auto& x, auto& c) { return to_layout(x, Layout::ROW_MAJOR, {.memory_config = c}); },
         true, true, false},
        {"to_layout as it is", [](auto& x, auto& c) { return to_layout(x, x.layout(), {.memory_config = c}); }, false},
        {"tilize", [](auto& x, auto& c) { return tilize(x, {.memory_config = c}); }, true, false, true, false, true},
        {"tilize_with_zero_padding", [](auto& x, auto& c) { return tilize_with_zero_padding(x, {.memory_config = c}); },
         true, false, true, false, true},
        {"tilize_with_val_padding",
         [](auto& x, auto& c) {
             return tilize_with_val_padding(x, V{2, 3, 96, 128}, Scalar(1.0), {.memory_config = c});
         },
         false, false},
        {"untilize", [](auto& x, auto& c) { return untilize(x, {.memory_config = c}); }, true, true, false},
        {"untilize_with_unpadding",
         [](auto& x, auto& c) {
             return untilize_with_unpadding(x, V{1, 2, 49, 79}, {.memory_config = c});
         },
         false, true, false},
        {"view",
         [](auto& x, auto&) {
             return view(x, V{6, 64, 96});
         },
         false},
        {"experimental view",
         [](auto& x, auto&) {
             return experimental::view(x, V{6, 64, 96});
         },
         false},
        {"reshape_on_device",
         [](auto& x, auto& c) { return reshape_on_device(x, 1, 2, 96, 192, {.memory_config = c}); }},
        {"broadcast_to",
         [](auto& x, auto& c) {
             return experimental::broadcast_to(slice(x, V{0, 0, 0, 0}, V{1, 3, 64, 96}), Shape{4, 3, 64, 96},
                                               {.memory_config = c});
         },
         true, true, false},
        {"bcast",
         [](auto& x, auto& c) {
             const Tensor row = slice(x, V{0, 0, 0, 0}, V{2, 3, 32, 96});
             return bcast(x, row, BcastOpMath::ADD, BcastOpDim::H, {.memory_config = c});
         },
         true, true, true, false, true},
        {"slice_write",
         [](auto& x, auto& c) {
             const TensorSpec spec = x.spec().with_memory_config(c.value_or(MemoryConfig()));
             const Tensor target = copy(x, Tensor::allocate_on_device(spec, x.device()));
             return experimental::slice_write(slice(x, V{0, 0, 0, 0}, V{1, 3, 32, 96}), target, V{1, 0, 32, 0},
                                              V{2, 3, 64, 96}, V{1, 1, 1, 1});
         }},
        {"padded_slice",
         [](auto& x, auto& c) {
             return experimental::padded_slice(
                 x, V{0, 1, 0, 0}, V{2, 3, 50, 80},
                 {.memory_config = c && c->is_sharded() ? *c : height_sharded(4, {50, 80})});
         }},
        {"tosa_gather",
         [](auto& x, auto& c) {
             const Tensor rows = counted(x.device(), {6, 10}, UINT32, x.layout());
             return tosa_gather(reshape(x, V{6, 64, 96}), rows, {.memory_config = c});
         }},
        {"tosa_scatter",
         [](auto& x, auto& c) {
             const Tensor rows = counted(x.device(), {6, 10}, UINT32, x.layout());
             const Tensor images = reshape(x, V{6, 64, 96});
             return tosa_scatter(images, rows, slice(images, V{0, 0, 0}, V{6, 10, 96}), {.memory_config = c});
         }},
        {"fold",
         [](auto& x, auto&) {
             return reshape(fold(x, 3, 2), V{64, 576});
         },
         false},
        {"upsample", [](auto& x, auto& c) { return upsample(x, 2.0, {.memory_config = c}); }},
        {"upsample by a half", [](auto& x, auto& c) { return upsample(x, 1.5, {.memory_config = c}); }},
        {"bilinear upsample",
         [](auto& x, auto& c) { return upsample(x, 2.0, {.mode = "bilinear", .memory_config = c}); }},
        {"embedding in a table",
         [](auto& x, auto& c) {
             const Tensor places = counted(x.device(), {2, 40}, UINT32, Layout::ROW_MAJOR);
             return embedding(places, reshape(x, V{384, 96}), {.memory_config = c});
         }},
        {"embedding of places",
         [](auto& x, auto&) {
             const Tensor table = counted(x.device(), {128, 32}, BFLOAT16, Layout::ROW_MAJOR);
             const Tensor places = slice(x, V{1, 2, 0, 0}, V{2, 3, 64, 96}, {.memory_config = x.memory_config()});
             return embedding(reshape(places, V{64, 96}), table, {.memory_config = MemoryConfig()});
         },
         false},
    };
    return list;
}

class NdSharding : public ::testing::TestWithParam<Layout> {
protected:
    // Of the tensor [2, 3, 64, 96]. They also have to hold it with its dimensions in another order: of a large shard
    // most is padding then, so that several cores have to share the tensor.
    static std::vector<MemoryConfig> shardings(Layout layout) {
        const auto l1 = BufferType::L1;
        const auto dram = BufferType::DRAM;
        std::vector<MemoryConfig> list{
            nd({1, 1, 32, 32}, l1, 8),   nd({1, 3, 64, 96}, l1, 4),  nd({2, 1, 32, 64}, l1, 5),
            nd({1, 2, 64, 32}, l1, 12),  nd({2, 3, 64, 96}, l1, 4),  nd({1, 1, 32, 32}, l1, 1),
            nd({3, 32, 96}, l1, 4),      nd({32, 96}, l1, 12),       nd({64, 64}, l1, 3),
            nd({1, 1, 64, 96}, dram, 6), nd({2, 2, 32, 64}, dram, 4)};
        list.push_back(
            nd({1, 3, 64, 64}, l1, 8, ShardDistributionStrategy::ROUND_ROBIN_1D, ShardOrientation::COL_MAJOR));
        if (layout == Layout::ROW_MAJOR) {
            list.push_back(nd({1, 2, 20, 48}, l1, 7));
            list.push_back(nd({2, 1, 7, 16}, dram, 12));
        }
        return list;
    }
    Tensor input(const MemoryConfig& config) const {
        return counted(device_, {2, 3, 64, 96}, BFLOAT16, GetParam(), config);
    }
    static bool takes(const Way& way) { return GetParam() == Layout::TILE ? way.tiles : way.rows; }

    std::shared_ptr<Device> device_ = Device::open({.board = "n150"});
};

TEST_P(NdSharding, InputsMayLieInThem) {
    for (const Way& way : ways()) {
        if (!takes(way)) {
            continue;
        }
        const Tensor expected = way.call(input({}), std::nullopt);
        for (const MemoryConfig& config : shardings(GetParam())) {
            for (const Config& given : {Config(), Config(MemoryConfig())}) {
                SCOPED_TRACE(fmt::format("{} of {}{}", way.name, config.nd_shard_spec()->to_string(),
                                         given ? " into DRAM" : ""));
                try {
                    const Tensor result = way.call(input(config), given);
                    EXPECT_EQ(result.logical_shape(), expected.logical_shape());
                    EXPECT_EQ(result.dtype(), expected.dtype());
                    EXPECT_EQ(result.layout(), expected.layout());
                    EXPECT_TRUE(elements(result) == elements(expected)) << "other elements";
                } catch (const std::exception& error) {
                    ADD_FAILURE() << error.what();
                }
            }
        }
    }
}

TEST_P(NdSharding, ResultsMayLieInThem) {
    for (const Way& way : ways()) {
        if (!takes(way) || !way.into_shards) {
            continue;
        }
        const Tensor expected = way.call(input({}), std::nullopt);
        for (const MemoryConfig& config : shardings(way.makes_tiles ? Layout::TILE : GetParam())) {
            for (const MemoryConfig& from : {MemoryConfig(), nd({1, 2, 32, 96}, BufferType::L1, 4)}) {
                if (way.stays && from.is_sharded()) {
                    continue;
                }
                SCOPED_TRACE(fmt::format("{} into {} from {}", way.name, config.nd_shard_spec()->to_string(),
                                         from.is_sharded() ? "shards" : "DRAM"));
                try {
                    const Tensor result = way.call(input(from), config);
                    EXPECT_EQ(result.memory_config(), config);
                    EXPECT_EQ(result.logical_shape(), expected.logical_shape());
                    EXPECT_TRUE(elements(result) == elements(expected)) << "other elements";
                } catch (const std::exception& error) {
                    ADD_FAILURE() << error.what();
                }
            }
        }
    }
}

TEST_P(NdSharding, TensorsMoveBetweenThem) {
    const Tensor plain = input({});
    const auto all = shardings(GetParam());
    for (const MemoryConfig& from : all) {
        const Tensor there = interleaved_to_sharded(plain, from);
        EXPECT_EQ(there.memory_config(), from);
        EXPECT_EQ(elements(sharded_to_interleaved(there)), elements(plain));
        for (const MemoryConfig& to : all) {
            const Tensor moved = to_memory_config(there, to);
            EXPECT_EQ(moved.memory_config(), to);
            EXPECT_TRUE(elements(moved) == elements(plain)) << from.to_string() << " " << to.to_string();
            const bool same_rows = from.nd_shard_spec()->shard_shape[-1] == to.nd_shard_spec()->shard_shape[-1];
            if (GetParam() == Layout::TILE || same_rows) {
                EXPECT_TRUE(elements(reshard(there, to)) == elements(plain));
            } else {
                EXPECT_NE(error_of([&] { reshard(there, to); }).find("shard width"), std::string::npos);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Layouts, NdSharding, ::testing::Values(Layout::TILE, Layout::ROW_MAJOR),
                         [](const auto& instance) { return std::string(member_name(instance.param)); });

}  // namespace
}  // namespace ttnn::testing
