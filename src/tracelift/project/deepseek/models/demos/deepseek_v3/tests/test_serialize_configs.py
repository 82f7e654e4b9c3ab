"""The serializer of configurations: the first part needs no ttnn, the second one checks objects of the one installed."""

import dataclasses
import enum
import json
import pathlib

import pytest

from models.demos.deepseek_v3.utils.serialize_configs import from_jsonable, to_jsonable


class Mode(enum.Enum):
    PREFILL = "prefill"
    DECODE = "decode"


@dataclasses.dataclass
class LinearConfig:
    weights: pathlib.Path
    mode: Mode
    input: object = None
    program_config: object = None


@dataclasses.dataclass
class MLPConfig:
    hidden: int
    w1: LinearConfig
    w2: LinearConfig
    mesh_device: object = None


class MemoryConfig:
    """As a ttnn has it, as far as the serializer looks."""

    memory_layout = "INTERLEAVED"
    buffer_type = "DRAM"
    shard_spec = None


class Tensor:
    shape = (1, 1, 32, 64)
    dtype = "bfloat16"

    def memory_config(self):
        return MemoryConfig()


class MeshDevice:
    shape = (4, 8)


class MatmulProgramConfig:
    def __init__(self, in0_block_w):
        self.in0_block_w = in0_block_w


def round_trip(value, mesh_device=None):
    return from_jsonable(json.loads(json.dumps(to_jsonable(value))), mesh_device)


def test_dataclasses_enums_and_paths_come_back():
    w1 = LinearConfig(pathlib.Path("weights/w1.bin"), Mode.PREFILL)
    config = MLPConfig(128, w1, dataclasses.replace(w1, mode=Mode.DECODE))
    assert round_trip(config) == config
    assert to_jsonable(config)["fields"]["w1"]["fields"]["mode"] == {"__enum__": f"{__name__}.Mode", "name": "PREFILL"}
    assert to_jsonable(w1.weights) == {"__type__": "path", "value": "weights/w1.bin"}


def test_plain_values_stay_what_they_are():
    assert round_trip({"a": [1, 2.5, None, True, "text"], "b": (3, 4)}) == {"a": [1, 2.5, None, True, "text"], "b": [3, 4]}


def test_a_device_is_injected():
    shown = to_jsonable(MLPConfig(1, None, None, MeshDevice()))
    assert shown["fields"]["mesh_device"] == {"__type__": "ttnn.MeshDevice", "mesh_shape": [4, 8]}
    device = MeshDevice()
    assert from_jsonable(shown, device).mesh_device is device
    assert from_jsonable(shown).mesh_device == shown["fields"]["mesh_device"]


def test_a_tensor_stays_a_reference():
    shown = to_jsonable(Tensor())
    assert shown["__type__"] == "ttnn.TensorRef" and shown["shape"] == [1, 1, 32, 64]
    assert shown["memory_config"] == {
        "__type__": "ttnn.MemoryConfig",
        "memory_layout": "INTERLEAVED",
        "buffer_type": "DRAM",
    }
    assert from_jsonable(shown) == shown


def test_program_configs_show_their_attributes():
    assert to_jsonable(MatmulProgramConfig(2)) == {"__type__": f"{__name__}.MatmulProgramConfig", "in0_block_w": 2}


def test_what_is_unknown_keeps_type_text_and_reason():
    class Kernel:
        def __repr__(self):
            return "a kernel"

    shown = to_jsonable([Kernel()])[0]
    assert shown["__type__"] == "repr" and shown["value"] == "a kernel"
    assert shown["type"].endswith("Kernel") and shown["reason"]
    assert from_jsonable(shown) == shown


@pytest.fixture
def ttnn():
    return pytest.importorskip("ttnn", reason="needs a ttnn")


def test_memory_configs_of_the_installed_ttnn(ttnn):
    grid = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(3, 1))})
    spec = ttnn.ShardSpec(grid, [32, 64], ttnn.ShardOrientation.ROW_MAJOR)
    sharded = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, spec)
    for config in (ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG, sharded):
        assert round_trip(config) == config


def test_a_program_config_of_the_installed_ttnn(ttnn):
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
    back = round_trip(config)
    assert type(back) is type(config) and repr(back) == repr(config)
