import json
import pickle

import pytest

from tracelift import ttnn

GRID = ttnn.CoreRangeSet({ttnn.CoreRange((0, 0), (7, 0))})
ROW_MAJOR = ttnn.ShardOrientation.ROW_MAJOR


def test_text_is_that_of_the_original():
    assert repr(ttnn.DRAM_MEMORY_CONFIG) == (
        "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM,shard_spec=std::nullopt,"
        "nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0)"
    )
    spec = ttnn.ShardSpec(GRID, [32, 64], ROW_MAJOR)
    assert repr(spec) == (
        'ShardSpec{grid=[{"start":{"x":0,"y":0},"end":{"x":7,"y":0}], shape=[32, 64], orientation=ShardOrientation::ROW_MAJOR}'
    )
    nd = ttnn.NdShardSpec([224, 32], GRID)
    assert json.loads(str(nd)) == {
        "shard_shape": [224, 32],
        "grid": [{"start": {"x": 0, "y": 0}, "end": {"x": 7, "y": 0}}],
        "orientation": "ShardOrientation::ROW_MAJOR",
        "shard_distribution_strategy": "ShardDistributionStrategy::ROUND_ROBIN_1D",
    }


def test_members():
    config = ttnn.MemoryConfig(
        ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, ttnn.ShardSpec(GRID, [32, 64], ROW_MAJOR)
    )
    assert config.is_sharded() and not config.interleaved
    assert config.shard_spec.shape == [32, 64] and config.shard_spec.grid == GRID
    assert config.shard_spec.num_cores() == 8
    assert config.with_shard_spec(None).shard_spec is None
    assert ttnn.MemoryConfig() == ttnn.DRAM_MEMORY_CONFIG != ttnn.L1_MEMORY_CONFIG
    assert hash(ttnn.MemoryConfig()) == hash(ttnn.DRAM_MEMORY_CONFIG) != hash(ttnn.L1_MEMORY_CONFIG)
    by_nd = ttnn.MemoryConfig(ttnn.BufferType.L1, ttnn.NdShardSpec([1, 32, 64], GRID))
    assert by_nd.memory_layout == ttnn.TensorMemoryLayout.BLOCK_SHARDED and by_nd.nd_shard_spec.num_cores() == 8


def test_shard_spec_is_writable():
    spec = ttnn.ShardSpec(GRID, [32, 64], ROW_MAJOR)
    spec.shape = (64, 64)
    spec.orientation = ttnn.ShardOrientation.COL_MAJOR
    assert spec.shape == [64, 64] and spec.orientation == ttnn.ShardOrientation.COL_MAJOR
    with pytest.raises(TypeError):
        ttnn.ShardSpec(GRID, [32, 64])


@pytest.mark.parametrize(
    "config",
    [
        ttnn.DRAM_MEMORY_CONFIG,
        ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG,
        ttnn.create_sharded_memory_config([256, 64], ttnn.CoreGrid(x=8, y=1), ttnn.ShardStrategy.HEIGHT),
        ttnn.MemoryConfig(ttnn.BufferType.DRAM, ttnn.NdShardSpec([1, 32, 64], GRID)),
    ],
)
def test_json_and_pickle_round_trip(config):
    assert ttnn.MemoryConfig.from_json(config.to_json()) == config == pickle.loads(pickle.dumps(config))


def shard(config):
    return config.shard_spec.shape


def test_create_sharded_memory_config():
    create, strategy = ttnn.create_sharded_memory_config, ttnn.ShardStrategy
    grid = ttnn.CoreGrid(x=4, y=2)
    assert shard(create((2, 128, 64), grid, strategy.HEIGHT)) == [32, 64]
    assert shard(create((2, 128, 64), grid, strategy.WIDTH)) == [256, 8]
    assert shard(create((2, 128, 64), grid, strategy.BLOCK)) == [128, 16]
    assert shard(create((2, 128, 64), grid, strategy.BLOCK, ttnn.ShardOrientation.COL_MAJOR)) == [64, 32]
    assert shard(create((96, 64), GRID, strategy.HEIGHT, use_height_and_width_as_shard_shape=True)) == [96, 64]
    pair = create(
        (96, 64),
        [ttnn.CoreGrid(x=8, y=2), ttnn.CoreGrid(x=3, y=1)],
        strategy.HEIGHT,
        use_height_and_width_as_shard_shape=True,
    )
    assert pair.shard_spec.num_cores() == 19
    assert create((2, 128, 64), grid, strategy.HEIGHT).buffer_type == ttnn.BufferType.L1


@pytest.mark.parametrize(
    "arguments, text",
    [
        (((33, 64), ttnn.CoreGrid(x=8, y=1), ttnn.ShardStrategy.HEIGHT), "Invalid sharding core_grid"),
        (((32, 64), GRID, ttnn.ShardStrategy.HEIGHT), "height and width must be shard shape with CoreRangeSet"),
        ((32, GRID, ttnn.ShardStrategy.HEIGHT), "Invalid input shape"),
        (((32, 64), 8, ttnn.ShardStrategy.HEIGHT), "Invalid core_grid type"),
        (((32, 64), GRID, "height"), "Invalid sharding strategy"),
        (((32, 64), GRID, ttnn.ShardStrategy.HEIGHT, 1), "Invalid shard orientation"),
    ],
)
def test_create_sharded_memory_config_errors(arguments, text):
    with pytest.raises(RuntimeError, match=text):
        ttnn.create_sharded_memory_config(*arguments)


def test_create_sharded_memory_config_rounds_up():
    create = ttnn.create_sharded_memory_config_
    assert shard(create((100, 64), GRID, ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ROW_MAJOR)) == [13, 64]
    assert shard(create((100, 60), ttnn.CoreGrid(x=8, y=4), ttnn.ShardStrategy.BLOCK, ROW_MAJOR, tile_layout=True)) == [
        32,
        8,
    ]
    with pytest.raises(RuntimeError, match="Invalid shard orientation"):
        create((100, 64), GRID, ttnn.ShardStrategy.HEIGHT, None)


def test_specs_and_tiles():
    tile = ttnn.Tile((32, 32))
    assert repr(tile) == "Tile with shape: [32, 32]" and tile.num_faces == 4 and tile.face_shape == (16, 16)
    assert tile.get_tile_size(ttnn.bfloat8_b) == 1088 and tile.get_tile_size(ttnn.bfloat4_b) == 576
    assert ttnn.Tile((16, 32)) != tile and ttnn.Tile([8, 32]).partial_face
    spec = ttnn.TensorSpec([2, 64, 96], ttnn.bfloat16, ttnn.TILE_LAYOUT, ttnn.BufferType.L1)
    assert spec.shape == [2, 64, 96] and spec.memory_config == ttnn.L1_MEMORY_CONFIG
    assert spec == ttnn.TensorSpec(
        ttnn.Shape([2, 64, 96]),
        ttnn.bfloat16,
        ttnn.TILE_LAYOUT,
        ttnn.TensorMemoryLayout.INTERLEAVED,
        buffer_type=ttnn.BufferType.L1,
    )
    assert spec.height_sharded(GRID).memory_config.shard_spec.shape == [32, 96]
    assert spec.width_sharded(ttnn.CoreRangeSet({ttnn.CoreRange((0, 0), (2, 0))})).memory_config.shard_spec.shape == [
        128,
        32,
    ]
    assert spec.block_sharded(ttnn.CoreRange((0, 0), (2, 1))).memory_config.shard_spec.shape == [64, 32]
    assert spec.sharded([1, 33, 40], GRID).memory_config.nd_shard_spec.shard_shape == [1, 64, 64]
    assert spec.sharded_across_dims([0], GRID).memory_config.nd_shard_spec.shard_shape == [1, 64, 96]
    assert spec.sharded_across_dims_except([-1, -2], GRID).memory_config.nd_shard_spec.shard_shape == [1, 64, 96]


def test_block_shards_over_a_set_of_one_range():
    spec = ttnn.TensorSpec([128, 96], ttnn.bfloat16, ttnn.TILE_LAYOUT, ttnn.BufferType.L1)
    one = ttnn.CoreRange((0, 0), (2, 1))
    assert spec.block_sharded(ttnn.CoreRangeSet({one})) == spec.block_sharded(one)
    with pytest.raises(RuntimeError, match="one rectangle"):
        spec.block_sharded(ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 0)), ttnn.CoreRange((2, 0), (2, 0))]))


@pytest.mark.parametrize("dtype, unit", [("float32", 16), ("bfloat16", 32), ("uint8", 64)])
def test_row_major_shards_are_rounded_to_64_bytes_where_recommended(dtype, unit):
    spec = ttnn.TensorSpec([3, 50, 70], getattr(ttnn, dtype), ttnn.ROW_MAJOR_LAYOUT, ttnn.BufferType.L1)
    wide = -(-70 // unit) * unit
    assert spec.sharded_across_dims([0], GRID).memory_config.nd_shard_spec.shard_shape == [1, 50, wide]
    assert spec.sharded_across_dims_except([1, 2], GRID).memory_config.nd_shard_spec.shard_shape == [1, 50, wide]
    assert spec.sharded([1, 10, 7], GRID).memory_config.nd_shard_spec.shard_shape == [1, 10, unit]
    required = spec.sharded([1, 10, 7], GRID, shard_alignment=ttnn.ShardShapeAlignment.REQUIRED)
    assert required.memory_config.nd_shard_spec.shard_shape == [1, 10, 7]
    # 150 rows over 2, 70 columns over 3.
    block = spec.block_sharded(ttnn.CoreRange((0, 0), (2, 1)))
    assert block.memory_config.shard_spec.shape == [75, -(-24 // unit) * unit]
    three = ttnn.CoreRangeSet({ttnn.CoreRange((0, 0), (2, 0))})
    assert spec.width_sharded(three).memory_config.shard_spec.shape == [150, 24]
