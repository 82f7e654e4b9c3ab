import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelift import ttnn


def test_shape_is_a_short_sequence():
    shape = ttnn.Shape([1, 1, 32, 64])
    assert repr(shape) == "Shape([1, 1, 32, 64])"
    assert len(shape) == shape.rank == 4
    assert shape[0] == 1 and shape[-1] == 64 and shape[1:3] == [1, 32]
    assert list(shape) == [1, 1, 32, 64] and tuple(shape) == (1, 1, 32, 64)
    assert shape == [1, 1, 32, 64] and shape == ttnn.Shape((1, 1, 32, 64)) and shape != [1]
    assert not shape == "no shape"
    with pytest.raises(IndexError):
        shape[4]


def test_shape_to_rank_pads_and_strips_ones():
    assert ttnn.Shape([32, 64]).to_rank(4) == [1, 1, 32, 64]
    assert ttnn.Shape([1, 1, 32, 64]).to_rank(2) == [32, 64]
    with pytest.raises(RuntimeError):
        ttnn.Shape([2, 32, 64]).to_rank(2)


@given(st.lists(st.integers(0, 2**31), max_size=12))
def test_shape_round_trips(dims):
    shape = ttnn.Shape(dims)
    assert list(shape) == dims
    assert pickle.loads(pickle.dumps(shape)) == copy.copy(shape) == shape
    assert hash(shape) == hash(ttnn.Shape(dims))


@pytest.mark.parametrize("wrong", [[-1], [2**33], "12", 3, [1.5]])
def test_shape_refuses_what_is_none(wrong):
    with pytest.raises((TypeError, RuntimeError)):
        ttnn.Shape(wrong)


def test_core_coord():
    core = ttnn.CoreCoord(3, 4)
    assert repr(core) == "(x=3,y=4)" and core == ttnn.CoreCoord((3, 4))
    assert len({core, ttnn.CoreCoord(3, 4)}) == 1
    with pytest.raises(AttributeError):
        core.x = 1


def test_core_range():
    cores = ttnn.CoreRange(ttnn.CoreCoord(0, 0), (7, 7))
    assert repr(cores) == "[(x=0,y=0) - (x=7,y=7)]"
    assert cores.grid_size() == ttnn.CoreCoord(8, 8)
    assert cores.contains(ttnn.CoreCoord(7, 0)) and not cores.contains((8, 0))
    assert cores.contains(ttnn.CoreRangeSet({cores}))
    with pytest.raises(RuntimeError):
        ttnn.CoreRange((1, 0), (0, 0))


def test_core_range_set():
    left, right = ttnn.CoreRange((0, 0), (3, 3)), ttnn.CoreRange((4, 0), (7, 3))
    cores = ttnn.CoreRangeSet([left, right])
    assert repr(cores) == "{[(x=0,y=0) - (x=3,y=3)], [(x=4,y=0) - (x=7,y=3)]}"
    assert cores.num_cores() == 32 and cores.size() == 2 and not cores.empty()
    assert cores.ranges() == [left, right]
    assert cores.bounding_box() == ttnn.CoreRange((0, 0), (7, 3))
    assert cores.subtract(ttnn.CoreRangeSet({right})) == ttnn.CoreRangeSet([left])
    assert cores.merge(ttnn.CoreRangeSet([])).num_cores() == 32
    assert ttnn.CoreRangeSet({left, right}) == cores
    with pytest.raises(RuntimeError, match="overlap"):
        ttnn.CoreRangeSet([left, left])


def test_core_grid_is_keyword_only():
    grid = ttnn.CoreGrid(x=8, y=7)
    assert repr(grid) == "ttnn.CoreGrid(x=8, y=7)" and grid.num_cores == 56
    with pytest.raises(TypeError):
        ttnn.CoreGrid(8, 7)


def test_cores_of_ranges_and_numbers():
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 1))])
    as_pairs = [(core.x, core.y) for core in ttnn.corerange_to_cores(cores, row_wise=True)]
    assert as_pairs == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert len(ttnn.corerange_to_cores(cores, 3)) == 3
    assert (
        repr(ttnn.num_cores_to_corerangeset(9, ttnn.CoreCoord(8, 8), True))
        == "{[(x=0,y=0) - (x=7,y=0)], [(x=0,y=1) - (x=0,y=1)]}"
    )
    inside = ttnn.num_cores_to_corerangeset_in_subcoregrids((1, 0), 2, cores, row_wise=True)
    assert inside.num_cores() == 2 and inside.contains((1, 0)) and inside.contains((0, 1))


def test_split_work():
    cores, everything, first, second, most, least = ttnn.split_work_to_cores(ttnn.CoreGrid(x=8, y=8), 100)
    assert cores == 64 == everything.num_cores()
    assert first.num_cores() * most + second.num_cores() * least == 100


def test_split_work_over_a_set_of_cores():
    ranges = [ttnn.CoreRange((1, 0), (2, 1)), ttnn.CoreRange((5, 3), (5, 5))]  # 4 and 3 cores
    cores, everything, first, second, most, least = ttnn.split_work_to_cores(ttnn.CoreRangeSet(ranges), 16)
    assert (cores, most, least) == (7, 3, 2)
    assert everything == ttnn.CoreRangeSet(ranges)
    # Column by column: (1,0) and (1,1) get one more.
    assert first == ttnn.CoreRangeSet([ttnn.CoreRange((1, 0), (1, 1))])
    assert second == ttnn.CoreRangeSet([ttnn.CoreRange((2, 0), (2, 1)), ranges[1]])
    few = ttnn.split_work_to_cores(ttnn.CoreRangeSet(ranges), 3, row_wise=True)
    assert few[0] == 3 and few[4] == 1 and few[3].num_cores() == 0
    assert few[1] == ttnn.CoreRangeSet([ttnn.CoreRange((1, 0), (2, 0)), ttnn.CoreRange((1, 1), (1, 1))])


def test_mesh_shapes_and_coordinates():
    assert repr(ttnn.MeshShape(4, 8)) == "MeshShape([4, 8])"
    assert ttnn.MeshShape([4, 8]).mesh_size() == 32 and ttnn.MeshShape(2, 2, 2).dims() == 3
    assert list(ttnn.MeshShape(4, 8)) == [4, 8]
    place = ttnn.MeshCoordinate(2, 3)
    assert repr(place) == "MeshCoordinate([2, 3])" and place[-1] == 3 and {place: 1}[ttnn.MeshCoordinate([2, 3])] == 1
    assert len(list(ttnn.MeshCoordinateRange(ttnn.MeshShape(2, 3)))) == 6


def test_cores_and_shard_specs_as_json():
    grid = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 0)), ttnn.CoreRange((3, 2), (3, 2))])
    shards = ttnn.ShardSpec(grid, [32, 64], ttnn.ShardOrientation.COL_MAJOR)
    nd_shards = ttnn.NdShardSpec([1, 32, 64], grid, ttnn.ShardOrientation.COL_MAJOR)
    for value in (ttnn.CoreCoord(2, 5), grid.ranges()[0], grid, shards, nd_shards):
        assert type(value).from_json(value.to_json()) == value
    assert json.loads(ttnn.CoreCoord(2, 5).to_json()) == {"x": 2, "y": 5}
    ends = {"start": {"x": 3, "y": 2}, "end": {"x": 3, "y": 2}}
    assert json.loads(grid.to_json())[1] == json.loads(grid.ranges()[1].to_json()) == ends
    config = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.BLOCK_SHARDED, ttnn.BufferType.L1, shards)
    assert json.loads(config.to_json())["shard_spec"] == json.loads(shards.to_json())
    with pytest.raises(RuntimeError, match="not JSON: {"):
        ttnn.CoreCoord.from_json("{")
    with pytest.raises(RuntimeError, match="needs a field 'y'"):
        ttnn.CoreCoord.from_json('{"x": 1}')


def test_specs_are_sharded_by_an_nd_shard_spec():
    grid = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 0))])
    spec = ttnn.TensorSpec([2, 64, 64], ttnn.bfloat16, ttnn.TILE_LAYOUT, ttnn.BufferType.L1)
    shards = ttnn.NdShardSpec([1, 32, 64], grid)
    assert spec.sharded(shards) == spec.sharded([1, 32, 64], grid)
    narrow = ttnn.NdShardSpec([1, 16, 64], grid)
    assert spec.sharded(narrow, ttnn.ShardShapeAlignment.REQUIRED).memory_config.nd_shard_spec.shard_shape == [1, 32, 64]
