"""The serializer of configurations: with our ttnn, with plain Python objects, and the lines that operations write."""

import dataclasses
import enum
import json
import pathlib

import pytest

from tracelift import ttnn
from tracelift import _tracing as tracing
from tracelift.serialize_configs import from_jsonable, to_jsonable


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Layer:
    size: int
    color: Color
    path: pathlib.Path
    inner: "Layer | None" = None


def round_trip(value, device=None):
    return from_jsonable(json.loads(json.dumps(to_jsonable(value))), device)


def test_plain_python():
    layer = Layer(3, Color.RED, pathlib.Path("a/b"), Layer(1, Color.RED, pathlib.Path("c")))
    assert to_jsonable(layer) == {
        "__type__": f"{__name__}.Layer",
        "fields": {
            "size": 3,
            "color": {"__enum__": f"{__name__}.Color", "name": "RED"},
            "path": {"__type__": "path", "value": "a/b"},
            "inner": {
                "__type__": f"{__name__}.Layer",
                "fields": {
                    "size": 1,
                    "color": {"__enum__": f"{__name__}.Color", "name": "RED"},
                    "path": {"__type__": "path", "value": "c"},
                    "inner": None,
                },
            },
        },
    }
    assert round_trip(layer) == layer
    assert to_jsonable((1, [2.5, None], {"a": True})) == [1, [2.5, None], {"a": True}]


def test_memory_configs(device):
    grid = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(3, 1))})
    spec = ttnn.ShardSpec(grid, [32, 64], ttnn.ShardOrientation.COL_MAJOR)
    sharded = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, spec)
    for config in (ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG, sharded):
        assert round_trip(config) == config
    shown = to_jsonable(sharded)
    assert shown["memory_layout"] == "HEIGHT_SHARDED"
    assert shown["shard_spec"]["shape"] == [32, 64]
    assert shown["shard_spec"]["dims"] is None


def test_program_configs(device):
    config = ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
        compute_with_storage_grid_size=ttnn.CoreCoord(4, 2),
        in0_block_w=2,
        out_subblock_h=1,
        out_subblock_w=1,
        per_core_M=2,
        per_core_N=4,
        transpose_mcast=False,
        fused_activation=None,
    )
    shown = to_jsonable(config)
    assert shown["__type__"] == "ttnn.MatmulMultiCoreReuseMultiCastProgramConfig"
    assert shown["in0_block_w"] == 2 and shown["per_core_N"] == 4
    assert shown["compute_with_storage_grid_size"] == {"__type__": "ttnn.CoreCoord", "x": 4, "y": 2}
    assert round_trip(config) == config


def every_config():
    """One of each class of configuration that can be made without arguments, or with the few that it needs."""
    needed = {
        "compute_with_storage_grid_size": ttnn.CoreCoord(4, 2),
        "per_core_M": 2,
        "per_core_N": 4,
        "in0_block_w": 2,
        "out_subblock_h": 1,
        "out_subblock_w": 2,
        "subblock_w": 1,
        "block_h": 2,
        "block_w": 3,
        "transpose_mcast": False,
        "fused_activation": ttnn.UnaryWithParam(ttnn.UnaryOpType.GELU, 1.0),
        "mcast_in0": True,
        "fuse_batch": True,
        "inplace": False,
        "q_chunk_size": 32,
        "k_chunk_size": 64,
        "slice_type": ttnn.SliceTypeEnum.DRAMSliceHeight,
    }
    for name in sorted(dir(ttnn)):
        kind = getattr(ttnn, name)
        # Other names of the same class are left out.
        own = isinstance(kind, type) and kind.__name__ == name and name != "MemoryConfig"
        if own and name.endswith("Config") and hasattr(kind, "from_json"):
            fields = {field: value for field, value in needed.items() if isinstance(getattr(kind, field, None), property)}
            yield name, kind(**fields)


def test_every_configuration_comes_back_and_is_named_as_users_name_it(device):
    made = dict(every_config())
    assert {"MatmulMultiCoreReuseMultiCast1DProgramConfig", "WormholeComputeKernelConfig"} <= made.keys()
    for name, config in made.items():
        shown = to_jsonable(config)
        assert shown["__type__"] == f"ttnn.{name}"
        assert "tracelift" not in json.dumps(shown), name
        assert round_trip(config) == config, name


def test_geometry_and_activations_come_back():
    cores = ttnn.CoreRangeSet(
        {
            ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(3, 1)),
            ttnn.CoreRange(ttnn.CoreCoord(0, 4), ttnn.CoreCoord(0, 4)),
        }
    )
    relu = ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU)
    for value in (ttnn.CoreCoord(1, 2), ttnn.CoreGrid(x=3, y=2), cores.ranges()[0], cores, relu, ttnn.bfloat16):
        assert round_trip(value) == value
        assert round_trip({"nested": [value]}) == {"nested": [value]}
    assert to_jsonable(ttnn.bfloat16) == {"__enum__": "ttnn.DataType", "name": "BFLOAT16"}


def test_devices_and_tensors_are_placeholders(device):
    tensor = ttnn.full([32, 64], 1.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    shown = to_jsonable({"device": device, "tensor": tensor})
    assert shown["device"] == {"__type__": "ttnn.MeshDevice", "mesh_shape": [1, 1]}
    assert shown["tensor"]["__type__"] == "ttnn.TensorRef"
    assert shown["tensor"]["shape"] == [32, 64]
    assert shown["tensor"]["dtype"] == "DataType.BFLOAT16"
    back = from_jsonable(shown, device)
    assert back["device"] is device
    assert back["tensor"] == shown["tensor"]
    assert from_jsonable(shown)["device"] == shown["device"]


def test_unknown_types_stay_data():
    unknown = {"__type__": "nowhere.Missing", "fields": {"a": 1}}
    assert from_jsonable(unknown) == unknown
    assert from_jsonable({"__enum__": "nowhere.Missing", "name": "A"}) == {"__enum__": "nowhere.Missing", "name": "A"}


@pytest.fixture
def line_of(tmp_path):
    def capture(call):
        path = tmp_path / "calls.jsonl"
        tracing.write_lines(str(path))
        try:
            call()
        finally:
            tracing.write_lines("")
        return json.loads(path.read_text().splitlines()[-1])

    return capture


def test_operations_write_what_the_serializer_says(device, line_of):
    """The compiled writer and this module are two implementations of one format."""
    grid = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))})
    spec = ttnn.ShardSpec(grid, [32, 64], ttnn.ShardOrientation.ROW_MAJOR)
    sharded = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, spec)
    tensor = ttnn.full([64, 64], 1.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    line = line_of(lambda: ttnn.multiply(tensor, 0.5, memory_config=sharded, dtype=ttnn.float32))
    assert line["inputs"] == [to_jsonable(tensor), 0.5]
    assert line["kwargs"]["memory_config"] == to_jsonable(sharded)
    assert line["kwargs"]["dtype"] == {"__enum__": "ttnn.DataType", "name": "FLOAT32"}
    assert from_jsonable(line["kwargs"]["memory_config"]) == sharded
    assert from_jsonable(line["kwargs"]["dtype"]) == ttnn.float32
