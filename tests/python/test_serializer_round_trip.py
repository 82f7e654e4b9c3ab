"""The serializer over random objects of every class that it writes: ours, another ttnn's, and with no ttnn at all."""

import dataclasses
import enum
import json
import pathlib
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_masters_command import run

from tracelift import _ttnn, ttnn
from tracelift.serialize_configs import from_jsonable, to_jsonable

STAND_IN = pathlib.Path(__file__).parent / "stand_in"
relaxed = settings(max_examples=60, deadline=None)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, enum.Enum):
    YES = "y"


@dataclasses.dataclass(frozen=True)
class Layer:
    name: str
    level: Level
    parts: object
    made: int = dataclasses.field(init=False, default=7)


def round_trip(value, device=None):
    return from_jsonable(json.loads(json.dumps(to_jsonable(value))), device)


small = st.integers(0, 7)
sizes = st.integers(1, 64)
cores = st.builds(ttnn.CoreCoord, small, small)


@st.composite
def ranges(draw):
    x, y = draw(small), draw(small)
    return ttnn.CoreRange(ttnn.CoreCoord(x, y), ttnn.CoreCoord(x + draw(small), y + draw(small)))


@st.composite
def range_sets(draw):
    """Columns that do not overlap."""
    columns = draw(st.lists(small, min_size=1, max_size=4, unique=True))
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(x, 0), ttnn.CoreCoord(x, draw(small))) for x in columns])


ENUMS = sorted(
    {kind for kind in vars(ttnn).values() if isinstance(kind, type) and issubclass(kind, enum.Enum) and len(kind)},
    key=lambda kind: kind.__name__,
)
activations = st.one_of(
    st.builds(ttnn.UnaryWithParam, st.sampled_from(list(ttnn.UnaryOpType))),
    st.builds(ttnn.UnaryWithParam, st.sampled_from(list(ttnn.UnaryOpType)), st.floats(-8, 8, width=32)),
)


@st.composite
def shard_specs(draw):
    return ttnn.ShardSpec(
        draw(range_sets()), [32 * draw(sizes), 32 * draw(sizes)], draw(st.sampled_from(list(ttnn.ShardOrientation)))
    )


@st.composite
def nd_shard_specs(draw):
    return ttnn.NdShardSpec(
        [draw(sizes), 32 * draw(sizes), 32 * draw(sizes)],
        draw(range_sets()),
        draw(st.sampled_from(list(ttnn.ShardOrientation))),
        draw(st.sampled_from(list(ttnn.ShardDistributionStrategy))),
    )


SHARDED = [
    ttnn.TensorMemoryLayout.HEIGHT_SHARDED,
    ttnn.TensorMemoryLayout.WIDTH_SHARDED,
    ttnn.TensorMemoryLayout.BLOCK_SHARDED,
]
buffers = st.sampled_from([ttnn.BufferType.DRAM, ttnn.BufferType.L1])
memory_configs = st.one_of(
    st.builds(ttnn.MemoryConfig, st.just(ttnn.TensorMemoryLayout.INTERLEAVED), buffers),
    st.builds(ttnn.MemoryConfig, st.sampled_from(SHARDED), buffers),
    st.builds(ttnn.MemoryConfig, st.sampled_from(SHARDED), st.just(ttnn.BufferType.L1), shard_specs()),
    st.builds(ttnn.MemoryConfig, buffers, nd_shard_specs()),
)
tiles = st.builds(ttnn.Tile, st.sampled_from([(32, 32), (16, 32), (32, 16), (16, 16)]), st.booleans())

GEOMETRY = {
    "CoreCoord": cores,
    "CoreGrid": st.builds(lambda x, y: ttnn.CoreGrid(x=x, y=y), sizes, sizes),
    "CoreRange": ranges(),
    "CoreRangeSet": range_sets(),
    "ShardSpec": shard_specs(),
    "NdShardSpec": nd_shard_specs(),
    "MemoryConfig": memory_configs,
    "Tile": tiles,
    "UnaryWithParam": activations,
    "MeshCoordinate": st.builds(ttnn.MeshCoordinate, st.lists(st.integers(0, 31), min_size=1, max_size=3)),
}

RECORDS = _ttnn.record_types()  # as declared: a new one is tested, and a type without a strategy fails
CONFIGS = {name: getattr(ttnn, name) for name in RECORDS}
LEAVES = {
    "bool": st.booleans(),
    "int": sizes,
    "float": st.floats(-8, 8, width=32),
    "str": st.text(max_size=8),
    "tuple[int, int, int]": st.tuples(sizes, sizes, sizes),
    "UnaryWithParam": activations,
    "CoreCoord": cores,
    "CoreRangeSet": range_sets(),
    **{kind.__name__: st.sampled_from(list(kind)) for kind in ENUMS},
}


def strategy_of(type_name):
    names = type_name.split(" | ")
    return st.one_of([st.none() if name == "None" else LEAVES[name] for name in names])


def configs(name):
    """Every declared field drawn at random."""
    drawn = {field: strategy_of(type_name) for field, type_name in RECORDS[name].items()}
    return st.fixed_dictionaries(drawn).map(lambda values: CONFIGS[name](**values))


def test_every_class_that_an_operation_takes_is_covered():
    """A tensor and a device are placeholders; everything else is made again."""
    signatures = " ".join(form["signature"] for each in json.loads(run("describe", "--json").stdout) for form in each["forms"])
    classes = {word for word in re.findall(r"[A-Z]\w+", signatures) if isinstance(getattr(ttnn, word, None), type)}
    assert {"Tensor", "MemoryConfig", "DataType", "SoftmaxDefaultProgramConfig"} <= classes
    covered = {kind.__name__ for kind in ENUMS} | set(GEOMETRY) | set(CONFIGS)
    assert classes - covered == {"Tensor", "MeshDevice", "Shape"}
    assert round_trip([ttnn.Shape([1, 2, 3])]) == [[1, 2, 3]]  # which an operation takes as well
    shown = {
        name
        for name, kind in vars(ttnn).items()
        if isinstance(kind, type) and name == kind.__name__ and name.endswith("Config") and hasattr(kind, "from_json")
    }
    assert shown - {"MemoryConfig"} == set(CONFIGS)


def same(a, b):
    """Equal, and the same texts: what == leaves out of a class, its text may show."""
    return type(a) is type(b) and a == b and repr(a) == repr(b)


@pytest.mark.parametrize("kind", ENUMS, ids=lambda kind: kind.__name__)
def test_every_member_of_every_enum(kind):
    for member in kind:
        assert to_jsonable(member) == {"__enum__": f"ttnn.{kind.__name__}", "name": member.name}
        assert round_trip([member]) == [member]


@pytest.mark.parametrize("name", sorted(GEOMETRY))
def test_geometry(name):
    @relaxed
    @given(GEOMETRY[name])
    def check(value):
        shown = to_jsonable({"a": [value]})
        assert shown["a"][0]["__type__"] == f"ttnn.{name}"
        assert same(round_trip({"a": [value]})["a"][0], value), shown

    check()


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_configurations(name):
    @relaxed
    @given(configs(name))
    def check(value):
        shown = to_jsonable(value)
        assert shown["__type__"] == f"ttnn.{name}"
        assert same(round_trip(value), value), shown

    check()


@relaxed
@given(st.text(max_size=8), st.sampled_from(Level), st.recursive(st.none() | st.integers() | memory_configs, st.lists))
def test_dataclasses(name, level, parts):
    layer = Layer(name, level, parts)
    assert round_trip({"layer": [layer]}) == {"layer": [layer]}


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats() | st.text(max_size=4)
    | st.builds(pathlib.Path, st.text("ab/", min_size=1, max_size=4)) | st.one_of(*GEOMETRY.values()),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    | st.builds(Layer, st.text(max_size=3), st.sampled_from(Level), inner),
    max_leaves=12,
)


@relaxed
@given(NESTED)
def test_whatever_stands_in_whatever(value):
    back = round_trip(value)
    assert type(back) is type(value) and repr(back) == repr(value)  # a NaN has a text, and equals nothing


@relaxed
@given(NESTED)
def test_devices_are_injected_and_tensors_stay_wherever_they_stand(inner):
    tensor = {"__type__": "ttnn.TensorRef", "shape": [1], "dtype": "DataType.BFLOAT16", "memory_config": None}
    shown = {"deep": [to_jsonable(inner), {"mesh": {"__type__": "ttnn.MeshDevice", "mesh_shape": [4, 8]}, "t": tensor}]}
    device = object()
    back = from_jsonable(shown, device)["deep"][1]
    assert back["mesh"] is device and back["t"] == tensor
    assert from_jsonable(shown)["deep"][1] == shown["deep"][1]


def test_members_that_are_also_numbers_or_texts():
    assert to_jsonable([Level.HIGH, Word.YES]) == [
        {"__enum__": f"{__name__}.Level", "name": "HIGH"},
        {"__enum__": f"{__name__}.Word", "name": "YES"},
    ]
    back = round_trip([Level.HIGH, Word.YES, 2, "y"])
    assert back == [Level.HIGH, Word.YES, 2, "y"]
    assert [type(each) for each in back] == [Level, Word, int, str]


class OwnProgramConfig:
    def __init__(self, block):
        self.width = block
        self.grid = ttnn.CoreCoord(1, 2)


@dataclasses.dataclass
class DataProgramConfig:
    width: int
    grid: object


def test_program_configs_of_another_module():
    """Written by their attributes; made again by them where the constructor wants something else."""
    shown = to_jsonable(OwnProgramConfig(5))
    grid = {"__type__": "ttnn.CoreCoord", "x": 1, "y": 2}
    assert shown == {"__type__": f"{__name__}.OwnProgramConfig", "grid": grid, "width": 5}
    back = round_trip({"p": OwnProgramConfig(5)})["p"]
    assert type(back) is OwnProgramConfig and vars(back) == {"width": 5, "grid": ttnn.CoreCoord(1, 2)}
    config = DataProgramConfig(5, ttnn.CoreCoord(1, 2))
    assert round_trip([config]) == [config]


def test_paths_are_kept_as_they_are():
    home = pathlib.Path.home() / "weights"
    assert round_trip([home, str(home)]) == [home, str(home)]


class Strange:
    def __repr__(self):
        return f"Strange at {hex(id(self))}"

    @property
    def shape(self):
        raise RuntimeError("not now")


class Broken:
    def __repr__(self):
        raise RuntimeError("no text either")


def test_unknown_objects_keep_type_text_and_reason():
    shown = to_jsonable([Strange(), Broken()])
    assert shown[0] == {
        "__type__": "repr",
        "value": "Strange",
        "type": f"{__name__}.Strange",
        "reason": "a value of this type cannot be rebuilt from its text",
    }
    assert shown[1]["type"] == f"{__name__}.Broken" and shown[1]["value"] == ""
    assert round_trip([Strange()]) == shown[:1]


def test_data_names_no_code():
    """Classes that are not loaded are not imported, and what is neither enum, dataclass nor config is not called."""
    assert "antigravity" not in sys.modules
    for hostile in (
        {"__type__": "antigravity.Anything", "fields": {}},
        {"__type__": "subprocess.Popen", "fields": {"args": ["touch", "made_by_data"]}},
        {"__type__": "ttnn.open_device", "device_id": 0},
        {"__type__": "ttnn.MeshDevices", "device_id": 0},
        {"__type__": "ttnn.graph.GraphCapture"},
        {"__type__": "builtins.eval", "fields": {"source": "1"}},
        {"__enum__": "os.environ", "name": "PATH"},
        {"__enum__": ["os"], "name": {}},
        {"__type__": 3},
    ):
        assert from_jsonable(hostile) == hostile
    assert "antigravity" not in sys.modules
    assert not pathlib.Path("made_by_data").exists()


OTHER = """
import json, sys, types
from tracelift.serialize_configs import from_jsonable, to_jsonable
import ttnn
assert "stand_in" in ttnn.__file__, ttnn.__file__
def round_trip(value, device=None):
    return from_jsonable(json.loads(json.dumps(to_jsonable(value))), device)
config = ttnn.MemoryConfig()
assert to_jsonable(config) == {
    "__type__": "ttnn.MemoryConfig", "memory_layout": "INTERLEAVED", "buffer_type": "DRAM"
}
back = round_trip(config)
assert type(back) is ttnn.MemoryConfig and vars(back) == vars(config)
program = round_trip({"p": ttnn.MatmulProgramConfig(2)})["p"]
assert type(program) is ttnn.MatmulProgramConfig and program.in0_block_w == 2
assert round_trip(ttnn.DataType.BFLOAT16) is ttnn.DataType.BFLOAT16
tensor = to_jsonable(ttnn.Tensor([1, 32]))
assert tensor == {
    "__type__": "ttnn.TensorRef", "shape": [1, 32], "dtype": "DataType.BFLOAT16", "memory_config": to_jsonable(config)
}
assert from_jsonable(tensor) == tensor
mesh = type("MeshDevice", (), {"shape": (4, 8), "__module__": "ttnn"})()
shown = to_jsonable({"mesh": mesh})
assert shown == {"mesh": {"__type__": "ttnn.MeshDevice", "mesh_shape": [4, 8]}}, shown
assert from_jsonable(shown, mesh)["mesh"] is mesh
# A class that takes other arguments than it has attributes is made by its attributes.
class PickyProgramConfig:
    def __init__(self, block): self.width = block
PickyProgramConfig.__module__ = "ttnn"
ttnn.PickyProgramConfig = PickyProgramConfig
assert round_trip(PickyProgramConfig(5)).width == 5
# One that the module does not show by name.
hidden = types.ModuleType("ttnn.hidden")
sys.modules["ttnn.hidden"] = hidden
class InnerProgramConfig:
    def __init__(self, width): self.width = width
InnerProgramConfig.__module__ = "ttnn.hidden"
hidden.InnerProgramConfig = InnerProgramConfig
shown = to_jsonable(InnerProgramConfig(5))
assert shown == {"__type__": "ttnn.hidden.InnerProgramConfig", "width": 5}, shown
assert round_trip(InnerProgramConfig(5)).width == 5
"""

NONE = """
import json, sys
sys.modules["ttnn"] = None
from tracelift.serialize_configs import from_jsonable, to_jsonable
import dataclasses, pathlib
shown = {"__type__": "ttnn.MemoryConfig", "memory_layout": "INTERLEAVED", "buffer_type": "DRAM"}
assert from_jsonable(shown) == shown
assert from_jsonable({"__enum__": "ttnn.DataType", "name": "BFLOAT16"})["name"] == "BFLOAT16"
@dataclasses.dataclass
class Layer:
    path: pathlib.Path
    memory: object
layer = Layer(pathlib.Path("a"), shown)
assert to_jsonable(layer) == {
    "__type__": "__main__.Layer", "fields": {"path": {"__type__": "path", "value": "a"}, "memory": shown}
}
assert from_jsonable(to_jsonable(layer)) == layer
assert "tracelift.ttnn" not in sys.modules
"""


@pytest.mark.parametrize("code, path", [(OTHER, str(STAND_IN)), (NONE, "")], ids=["another ttnn", "no ttnn"])
def test_other_installations(tmp_path, code, path):
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
