"""Recorded calls replayed from Python, on our ttnn and on one that is not ours; hostile records."""

import copy
import json
import os
import pathlib
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelift import op_replay, ttnn

STAND_IN = pathlib.Path(__file__).parent / "stand_in"
DRAM = {"__type__": "ttnn.MemoryConfig", "memory_layout": "INTERLEAVED", "buffer_type": "DRAM"}


def tensor(*shape, dtype="BFLOAT16", layout="TILE"):
    return {
        "__type__": "ttnn.TensorRef",
        "shape": list(shape),
        "dtype": f"DataType.{dtype}",
        "layout": f"Layout.{layout}",
        "memory_config": DRAM,
    }


def record(name, *inputs, **kwargs):
    return {"op_name": name, "inputs": list(inputs), "kwargs": kwargs}


def test_a_record_is_replayed(device):
    output = op_replay.replay_op_record(record("ttnn.add", tensor(1, 1, 32, 64), 2.0), device)
    assert op_replay.shapes_of(output) == [1, 1, 32, 64]


def test_the_seed_decides_the_values(device):
    import torch


    call = record("ttnn.relu", tensor(32, 64))
    first, same, other = (ttnn.to_torch(op_replay.replay_op_record(call, device, seed)) for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)
    assert (first == 0).any() and (first > 0).any()


def test_indices_are_legal(device):
    indices = tensor(1, 64, dtype="UINT32", layout="ROW_MAJOR")
    table = tensor(5, 32, layout="ROW_MAJOR")  # five rows: noise would reach behind them
    output = op_replay.replay_op_record(record("ttnn.embedding", indices, table), device)
    assert op_replay.shapes_of(output) == [1, 64, 32]


def inputs_of(call, device, monkeypatch):
    """What a replay gives the operation, as torch tensors."""

    seen = []
    operation = op_replay._operation(call["op_name"])

    def watched(*args, **kwargs):
        seen.extend(ttnn.to_torch(each) for each in [*args, *kwargs.values()] if isinstance(each, ttnn.Tensor))
        return operation(*args, **kwargs)

    monkeypatch.setattr(op_replay, "_operation", lambda name: watched)
    op_replay.replay_op_record(call, device)
    return seen


def test_masks_are_masks(device, monkeypatch):
    call = record("ttnn.scale_mask_softmax", tensor(1, 1, 32, 64), 0.5, mask=tensor(1, 1, 32, 64))
    values, mask = inputs_of(call, device, monkeypatch)
    assert set(mask.flatten().tolist()) == {0.0, -9984.0}  # the bfloat16 next to -10000
    assert values.min() < -1.5 and values.max() > 1.5  # the range that the declaration has for it


def test_integers_reach_every_row_of_a_table_and_none_behind(device, monkeypatch):
    indices = tensor(1, 256, dtype="UINT32", layout="ROW_MAJOR")
    call = record("ttnn.embedding", indices, weight=tensor(5, 32, layout="ROW_MAJOR"))
    given, _ = inputs_of(call, device, monkeypatch)
    assert sorted(set(given.flatten().tolist())) == [0, 1, 2, 3, 4]


def test_integers_of_an_operation_without_a_declaration_are_small(monkeypatch, device):
    """Whatever a page table points into has a page 0 and most often a page 1."""
    call = record("ttnn.from_torch", {"__type__": "torch.Tensor", "shape": [4, 64], "dtype": "torch.int32"})
    seen = []
    monkeypatch.setattr(op_replay, "_operation", lambda name: lambda *args, **kwargs: seen.append(args[0]))
    op_replay.replay_op_record(call, device)
    assert set(seen[0].flatten().tolist()) == {0, 1}


def test_configs_and_sharding_are_built(device):

    grid = [{"start": {"x": 0, "y": 0}, "end": {"x": 1, "y": 0}}]
    config = {
        **DRAM,
        "memory_layout": "HEIGHT_SHARDED",
        "buffer_type": "L1",
        "shard_spec": {"grid": grid, "shape": [32, 64], "orientation": "ROW_MAJOR"},
    }
    output = op_replay.replay_op_record(
        record("ttnn.to_memory_config", tensor(1, 1, 64, 64), memory_config=config), device
    )
    assert output.memory_config().memory_layout == ttnn.TensorMemoryLayout.HEIGHT_SHARDED


HOSTILE = {
    "a function of Python": record("os.system", "true"),
    "a module that ttnn imports": record("ttnn.importlib.import_module", "antigravity"),
    "a private name": record("ttnn.__class__", 1),
    "a name with code": record("ttnn.add(1)", 1),
    "a class": record("ttnn.MemoryConfig"),
    "an operation that reads files": record("ttnn.load_tensor", "x"),
    "an argument that names a file": record("ttnn.as_tensor", tensor(1), cache_file_name="x"),
    "a text that is a path": record("ttnn.add", tensor(32, 32), "../../secret"),
    "a path": record("ttnn.add", tensor(32, 32), {"__type__": "path", "value": "x"}),
    "a type of another module": record("ttnn.add", tensor(32, 32), {"__type__": "subprocess.Popen", "args": ["true"]}),
    "a class that is no config": record("ttnn.add", {"__type__": "ttnn.Tensor", "shape": [1]}),
    "a huge shape": record("ttnn.relu", tensor(1 << 20, 1 << 20)),
    "huge by product": record("ttnn.relu", tensor(*[1 << 15] * 8)),
    "a negative size": record("ttnn.relu", tensor(-1, 32)),
    "a shape of texts": record("ttnn.relu", {**tensor(1), "shape": ["32"]}),
    "inputs that are no list": {"op_name": "ttnn.relu", "inputs": {"a": 1}, "kwargs": {}},
    "no object": [1, 2],
    "an enum with code": record("ttnn.relu", {"__enum__": "ttnn.DataType", "name": "__class__"}),
    "an unknown type": record("ttnn.relu", {"__type__": "some.Thing", "x": 1}),
    "a huge output": record("ttnn.full", [1 << 15, 1 << 15], 1.0),
    "a huge repetition": record("ttnn.repeat", tensor(32, 32), [4096, 4096]),
    "a placeholder": record("ttnn.relu", {"__type__": "repr", "value": "<a kernel>", "type": "x.Kernel", "reason": "?"}),
    "code as a text": record("ttnn.relu", tensor(32, 32), "__import__('os').system('true')"),
    "code as a dtype": record("ttnn.relu", {**tensor(32, 32), "dtype": "__import__('os')"}, {"__enum__": "os", "name": "x"}),
    "a board that is a path": {**record("ttnn.relu", {**tensor(32, 32), "layout": "/etc/passwd"}), "board": "/etc/passwd"},
}


@pytest.mark.parametrize("call", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_records_are_refused(device, call):
    with pytest.raises(op_replay.Refused) as refused:
        op_replay.replay_op_record(call, device)
    assert str(refused.value)


def test_hostile_records_touch_nothing(device, tmp_path):
    """No file is opened, no module imported, no code compiled and no process started for any of them."""
    script = """
import json, sys
from tracelift import op_replay
lines = open(sys.argv[1]).read().splitlines()
op_replay.main(["--jsonl", sys.argv[2], "--index", "0"])
touched = []
watched = ("open", "import", "exec", "compile", "os.", "subprocess.", "socket.", "ctypes.", "shutil.")
with op_replay.Devices() as devices:
    device = devices.of({})
    getattr(op_replay.ttnn_module(), "nothing", None)  # ours imports its list of other names when it is first needed
    refused = op_replay.Refused
    on = False
    sys.addaudithook(lambda name, args: touched.append((name, str(args)[:80])) if on and name.startswith(watched) else None)
    on = True
    for line in lines:
        try:
            op_replay.replay_op_record(json.loads(line), device)
            on = False
            sys.exit("was replayed: " + line[:200])
        except refused as error:
            assert str(error)
    on = False
for each in touched:
    print(each)
"""
    hostile, good = tmp_path / "hostile.jsonl", tmp_path / "good.jsonl"
    hostile.write_text("".join(json.dumps(each) + "\n" for each in HOSTILE.values()))
    warm_up = record("ttnn.relu", tensor(32, 32), memory_config=DRAM)  # what is imported once is
    good.write_text(json.dumps(warm_up) + "\n")
    done = subprocess.run([sys.executable, "-c", script, hostile, good], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Replay success. Output shape: [32, 32]\n"


def test_memory_stays_bounded(tmp_path):
    """All hostile records in a process that may have little more than Python, torch and the module need."""
    path = tmp_path / "hostile.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in HOSTILE.values()))
    script = "import resource, sys; from tracelift import op_replay; op_replay.main(['--jsonl', sys.argv[1], '--all']); " \
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    *_, told, kilobytes = done.stdout.splitlines()
    assert told == f"0 of {len(HOSTILE)} records were replayed", done.stdout
    assert done.stderr.count(": refused: ") == len(HOSTILE), done.stderr
    assert int(kilobytes) < 1_500_000


CORPUS = pathlib.Path(__file__).parents[1] / "fuzz/corpus/replay/calls.jsonl"
STRANGE = [0, -1, 31, 2**31, 2**63, 0.5, 1e300, True, None, "", "x", [], {}, [32, 32], "DataType.UINT32", "L1"]


def places(value, path=()):
    """Of everything in a record, from the outside in."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_changed_records_are_replayed_or_refused(device, data):
    """Whatever a record says: an output, Refused, or an exception of the operation; the same again afterwards."""
    lines = CORPUS.read_text().splitlines()
    call = json.loads(data.draw(st.sampled_from(lines)))
    for _ in range(data.draw(st.integers(0, 3))):
        *outer, last = data.draw(st.sampled_from(list(places(call)) or [("op_name",)]))
        target = call
        for key in outer:
            target = target[key]
        target[last] = copy.deepcopy(data.draw(st.sampled_from(STRANGE)))  # a later change may go into it
    try:
        op_replay.replay_op_record(call, device, most_elements=2**20)
    except op_replay.Refused as error:
        assert str(error)
    except (RuntimeError, TypeError, ValueError) as error:  # what operations raise
        assert str(error)


def described(output):
    """Tensors as `tracelift replay --json` lists them."""
    if isinstance(output, (list, tuple)):
        return [text for item in output for text in described(item)]
    return [f"{output.dtype.name} {list(output.shape)}"] if isinstance(output, ttnn.Tensor) else []


def test_both_roads_give_the_corpus_the_same_outputs(device):
    tool = pathlib.Path(sys.executable).parent / "tracelift"
    command = [str(tool), "replay", "--jsonl", str(CORPUS), "--no-compare", "--json"]
    native = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["calls"]
    lines = CORPUS.read_text().splitlines()
    assert len(native) == len(lines)
    for line, call in zip(lines, native):
        call_outputs = described(op_replay.replay_op_record(json.loads(line), device))
        assert call_outputs == call["outputs"], call["place"]


def test_deep_nesting_is_refused(device):
    value = 1
    for _ in range(100):
        value = [value]
    with pytest.raises(op_replay.Refused, match="deep"):
        op_replay.replay_op_record(record("ttnn.relu", value), device)


def replay(path, *options, **environment):
    return subprocess.run(
        [sys.executable, "-m", "tracelift.op_replay", "--jsonl", str(path), *options],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def test_the_command_tells_the_shape_or_why_not(tmp_path):
    path = tmp_path / "calls.jsonl"
    lines = [json.dumps(record("ttnn.relu", tensor(32, 64))), "{broken", "[" * 100_000]
    path.write_text("\n".join(lines) + "\n")
    good = replay(path, "--index", "0")
    assert good.returncode == 0, good.stderr
    assert good.stdout == "Replay success. Output shape: [32, 64]\n"
    everything = replay(path, "--all")
    assert everything.returncode == 1
    assert "1 of 3 records were replayed" in everything.stdout
    assert "line 2" in everything.stderr
    assert "no record with index 7" in replay(path, "--index", "7").stderr


VALUES = pathlib.Path(__file__).parents[2] / "examples/operation_parameters/addition_with_values"


def test_recorded_values(tmp_path, device):
    """The example's sums are exact, so they come out as they were recorded."""
    import torch


    (file,) = VALUES.glob("3_ttnn_add_*.json")
    recorded = json.loads(file.read_text())
    call = record("ttnn.add", tensor(2, 3, dtype="FLOAT32"), tensor(2, 3, dtype="FLOAT32"))
    output = op_replay.replay_op_record(call, device, values=op_replay.read_values(str(file), "ttnn.add"))
    assert torch.equal(ttnn.to_torch(output), torch.tensor(recorded["return_value"]["values"]))
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (call, record("ttnn.relu", tensor(2, 3)))))
    assert replay(path, "--index", "0", "--values", str(file)).stdout == "Replay success. Output shape: [2, 3]\n"
    assert "a call of ttnn.add, and the record one of ttnn.relu" in replay(path, "--index", "1", "--values", str(file)).stderr
    path.write_text(json.dumps(record("ttnn.add", tensor(2, 2), tensor(2, 2))))
    assert "has the shape [2, 2], but the file has 6 values" in replay(path, "--index", "0", "--values", str(file)).stderr
    assert "No such file" in replay(path, "--index", "0", "--values", str(tmp_path / "none")).stderr
    recorded["args"][0]["value"].pop("values")
    (tmp_path / "without.json").write_text(json.dumps(recorded))
    assert "--trace-params-with-values" in replay(path, "--index", "0", "--values", str(tmp_path / "without.json")).stderr


def test_recorded_values_of_every_chip(tmp_path):
    import torch

    def placed(placement, distribution):
        text = {"placement": placement, "distribution_shape": distribution, "mesh_device_shape": "[1, 2]"}
        return record("ttnn.neg", tensor(1, 2, dtype="FLOAT32") | {"tensor_placement": text})

    def values(numbers):
        value = {"type": "ttnn.Tensor", "shape": [1, 2], "dtype": "float32", "values": numbers}
        call = {"operation_name": "ttnn.neg", "args": [{"position": 0, "value": value}], "kwargs": {}}
        (tmp_path / "values.json").write_text(json.dumps(call))
        return op_replay.read_values(str(tmp_path / "values.json"), "ttnn.neg")

    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2)) as mesh:

        def replayed(call, numbers):
            output = op_replay.replay_op_record(call, mesh, values=values(numbers))
            return [ttnn.to_torch(part).tolist() for part in ttnn.get_device_tensors(output)]

        several, one = [[[1, 2]], [[3, 4]]], [[1, 2]]
        rows = placed("['PlacementShard(0)']", "[2]")
        for call in (rows, placed("['PlacementReplicate', 'PlacementShard(1)']", "[1, 2]")):
            assert replayed(call, several) == [[[-1, -2]], [[-3, -4]]]
            assert replayed(call, one) == [[[-1, -2]], [[-1, -2]]]
        copies = placed("['PlacementReplicate']", "[2]")
        assert replayed(copies, [one, one]) == [[[-1, -2]], [[-1, -2]]]
        with pytest.raises(op_replay.Refused, match="held different ones"):
            replayed(copies, several)


def test_each_record_gets_its_board(tmp_path):
    """A grid of 13 columns is there on a p150 alone."""
    grid = [{"start": {"x": 0, "y": 0}, "end": {"x": 12, "y": 0}}]
    spec = {"grid": grid, "shape": [32, 32], "orientation": "ROW_MAJOR"}
    config = {**DRAM, "memory_layout": "HEIGHT_SHARDED", "buffer_type": "L1", "shard_spec": spec}
    call = record("ttnn.to_memory_config", tensor(1, 1, 416, 32), memory_config=config)
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps({**call, "board": board}) + "\n" for board in ("n150", "p150", "n150", "x/y")))
    done = replay(path, "--all", TRACELIFT_BOARD="")
    assert done.stdout.splitlines() == ["Replay success. Output shape: [1, 1, 416, 32]", "1 of 4 records were replayed"]
    assert [f"index {index}:" in done.stderr for index in range(4)] == [True, False, True, True]
    assert "index 3: refused: no device of board 'x/y'" in done.stderr


def test_a_ttnn_that_is_not_ours(tmp_path):
    path = tmp_path / "calls.jsonl"
    calls = [
        record("ttnn.add", tensor(3, 5), tensor(3, 5), program_config={"__type__": "x.MatmulProgramConfig", "in0_block_w": 2}),
        record("ttnn.experimental.rotate", tensor(2, 7), 1.5),
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in calls))
    result = replay(path, "--all", PYTHONPATH=str(STAND_IN))
    assert result.stdout.splitlines() == [
        "Replay success. Output shape: [3, 5]",
        "Replay success. Output shape: [2, 7]",
        "2 of 2 records were replayed",
    ], result.stderr


class Mesh:
    shape = (2, 4)

    def get_num_devices(self):
        return 8


@pytest.mark.parametrize(
    "dims, mapper, expected",
    [
        ([0, 1], "recorded", ("shard", (2, 4), (0, 1))),
        (None, "recorded", ("replicate",)),
        ([0, 1], "replicate", ("replicate",)),
        ([0, 1], "none", None),
    ],
)
def test_mappers_follow_the_record(monkeypatch, dims, mapper, expected):
    class Module:
        @staticmethod
        def ShardTensor2dMesh(device, mesh_shape, dims):
            return "shard", mesh_shape, dims

        @staticmethod
        def ReplicateTensorToMesh(device):
            return ("replicate",)

    monkeypatch.setattr(op_replay, "ttnn_module", lambda: Module)
    inputs = object.__new__(op_replay._Inputs)
    inputs._device, inputs._mapper = Mesh(), mapper
    assert inputs._mesh_mapper({"shard_spec": {"shape": [1, 1], "dims": dims}}) == expected
