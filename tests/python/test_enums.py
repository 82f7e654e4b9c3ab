import enum
import pickle

import pytest

from tracelift import _ttnn, ttnn

MEMBERS = {
    "DataType": {
        "BFLOAT16": 0,
        "FLOAT32": 1,
        "UINT32": 2,
        "BFLOAT8_B": 3,
        "BFLOAT4_B": 4,
        "UINT8": 5,
        "UINT16": 6,
        "INT32": 7,
        "INVALID": 8,
    },
    "Layout": {"ROW_MAJOR": 0, "TILE": 1, "INVALID": 2},
    "StorageType": {"HOST": 0, "DEVICE": 1},
    "TensorMemoryLayout": {"INTERLEAVED": 0, "HEIGHT_SHARDED": 2, "WIDTH_SHARDED": 3, "BLOCK_SHARDED": 4},
    "BufferType": {"DRAM": 0, "L1": 1, "L1_SMALL": 3, "TRACE": 4},
    "ShardOrientation": {"ROW_MAJOR": 0, "COL_MAJOR": 1},
    "ShardDistributionStrategy": {"ROUND_ROBIN_1D": 0, "GRID_2D": 1},
    "ShardShapeAlignment": {"NONE": 0, "REQUIRED": 1, "RECOMMENDED": 2},
    "ShardStrategy": {"HEIGHT": 1, "WIDTH": 2, "BLOCK": 3},
    "MathFidelity": {"LoFi": 0, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4, "Invalid": 255},
    "ThrottleLevel": {"NO_THROTTLE": 0, "LEVEL_1": 1, "LEVEL_2": 2, "LEVEL_3": 3, "LEVEL_4": 4, "LEVEL_5": 5},
    "Topology": {"Linear": 1, "Ring": 2, "Mesh": 3, "Torus": 4},
    "DispatchCoreType": {"WORKER": 0, "ETH": 1},
    "DispatchCoreAxis": {"ROW": 0, "COL": 1},
    "EmbeddingsType": {"GENERIC": 0, "PADDED": 1, "BINARY": 2},
    "SigmoidMode": {"Accurate": 0, "AccurateWithFastExp": 1, "FastApproximate": 2},
    "TileReshapeMapMode": {"CACHE": 0, "RECREATE": 1},
    "SliceTypeEnum": {"DRAMSliceHeight": 0, "DRAMSliceWidth": 1, "L1Full": 2},
    "BcastOpMath": {"ADD": 0, "SUB": 1, "MUL": 2},
    "BcastOpDim": {"H": 0, "W": 1, "HW": 2},
}


@pytest.mark.parametrize("name", MEMBERS)
def test_members_have_the_values_of_the_original(name):
    python_enum = getattr(ttnn, name)
    assert issubclass(python_enum, enum.Enum)
    assert {member.name: member.value for member in python_enum} == MEMBERS[name]


def test_enums_of_operations_are_those_that_operations_take():
    """One of the same name that is written in Python would hide the compiled one, and no operation would take it."""
    compiled = {name: kind for name, kind in vars(_ttnn).items() if isinstance(kind, enum.EnumMeta) and name != "Arch"}
    assert {"DataType", "BcastOpDim"} <= compiled.keys()
    assert [name for name, kind in compiled.items() if getattr(ttnn, name) is not kind] == []


@pytest.mark.parametrize("name", [*MEMBERS, "UnaryOpType", "BinaryOpType"])
def test_str_and_repr_are_class_and_member(name):
    for member in getattr(ttnn, name):
        assert str(member) == repr(member) == f"{name}.{member.name}"


def test_members_hash_compare_and_pickle():
    assert ttnn.DataType.BFLOAT16 == ttnn.bfloat16 and ttnn.bfloat16 != ttnn.float32
    assert {ttnn.bfloat16: 1}[ttnn.DataType.BFLOAT16] == 1
    assert pickle.loads(pickle.dumps(ttnn.TILE_LAYOUT)) is ttnn.TILE_LAYOUT
    assert ttnn.DataType.__members__["INT32"] is ttnn.int32


def test_unary_op_types_are_consecutive_from_exp():
    values = [member.value for member in ttnn.UnaryOpType]
    assert values == list(range(len(values)))
    assert ttnn.UnaryOpType.EXP.value == 0 and ttnn.UnaryOpType.RELU.value == 3


def test_short_names():
    assert ttnn.ROW_MAJOR_LAYOUT is ttnn.Layout.ROW_MAJOR
    assert ttnn.DEVICE_STORAGE_TYPE is ttnn.StorageType.DEVICE
    assert ttnn.TILE_SIZE == 32
    assert ttnn.device.Arch.WORMHOLE_B0.name == "WORMHOLE_B0"
    assert not hasattr(ttnn, "float16") and not hasattr(ttnn, "int64")


def test_unary_with_param_text():
    assert repr(ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU)) == "UnaryWithParam(op_type=UnaryOpType::RELU)"
    with_two = ttnn.UnaryWithParam(ttnn.UnaryOpType.HARDTANH, -1.0, 1.0)
    assert repr(with_two).startswith("UnaryWithParam(op_type=UnaryOpType::HARDTANH, params=[")
    assert with_two.op_type is ttnn.UnaryOpType.HARDTANH and with_two.params == [-1.0, 1.0]
