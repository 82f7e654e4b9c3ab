"""`tracelift replay` on what was recorded: values, boards, traces; hostile lines; the calls of every example."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from test_masters_command import run
from test_replay import DRAM, HOSTILE, record, tensor

ROOT = pathlib.Path(__file__).resolve().parents[2]
VALUES = ROOT / "examples/operation_parameters/addition_with_values"
PYTHON_ONLY = {"ttnn::from_torch", "ttnn::to_torch"}


@pytest.fixture
def lines(tmp_path):
    def write(*calls):
        path = tmp_path / "calls.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in calls))
        return path

    return write


def told(*options):
    done = run("replay", *options, "--json")
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_the_printed_lines(lines):
    done = run("replay", "--jsonl", lines(record("ttnn.relu", tensor(32, 64))), "--index", 0)
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert first.endswith("calls.jsonl: line 1: ttnn::relu: matched")
    assert second == "Replay success. Output shape: BFLOAT16 [32, 64]"
    assert re.fullmatch(r"  PCC 1.000000, ULP 0, absolute 0, relative 0, equal", third)


# --- values ----------------------------------------------------------------------------------------------------------


def values_of(*indices):
    """A parameter file of an embedding: these rows of a table that has seven."""
    described = {"storage_type": "DEVICE_STORAGE", "memory_config": None, "type": "ttnn.Tensor"}
    numbers = {"shape": [1, len(indices)], "dtype": "uint32", "layout": "ROW_MAJOR", "values": [list(indices)]}
    table = {"shape": [7, 32], "dtype": "float32", "original_dtype": "DataType.BFLOAT16", "layout": "ROW_MAJOR"}
    table["values"] = [[float(row)] * 32 for row in range(7)]
    args = [{"position": 0, "value": {**described, **numbers}}, {"position": 1, "value": {**described, **table}}]
    return json.dumps({"operation_name": "ttnn.embedding", "args": args, "kwargs": {}})


def test_recorded_values_alone_and_with_a_record(lines, tmp_path):
    """An index behind the table is refused: nothing else than the file could say it."""
    file = tmp_path / "values.json"
    indices = tensor(1, 32, dtype="UINT32", layout="ROW_MAJOR")
    path = lines(record("ttnn.embedding", indices, tensor(7, 32, layout="ROW_MAJOR")))
    for options in ((), ("--jsonl", path, "--index", 0), ("--jsonl", path, "--seed", 5)):
        file.write_text(values_of(*[6, 0] * 16))
        (call,) = told(*options, "--values", file)["calls"]
        assert (call["outcome"], call["outputs"]) == ("matched", ["BFLOAT16 [1, 32, 32]"]), call
        file.write_text(values_of(*[6, 0] * 15, 6, 7))
        (call,) = told(*options, "--values", file)["calls"]
        assert call["outcome"] == "rejected" and "7" in call["reason"], call


def test_values_of_a_stored_configuration(tmp_path):
    store = tmp_path / "store"
    assert run("import", VALUES, "--dir", store).returncode == 0
    (stored,) = told("--op", "add", "--dir", store)["calls"]
    (file,) = VALUES.glob("3_ttnn_add_*.json")
    result = told("--hash", stored["identity"][:12], "--values", file, "--dir", store)
    assert (result["total"], result["matched"]) == (1, 1), result


def test_values_that_do_not_fit_are_refused(lines, tmp_path):
    (file,) = VALUES.glob("3_ttnn_add_*.json")
    two = lines(record("ttnn.add", tensor(2, 2), tensor(2, 2)), record("ttnn.add", tensor(2, 3), tensor(2, 3)))
    done = run("replay", "--jsonl", two, "--values", file)
    assert done.returncode == 2 and "--values has the inputs of one call, but 2 are chosen" in done.stderr
    (call,) = told("--jsonl", two, "--index", 0, "--values", file)["calls"]
    assert call["outcome"] == "rejected" and "6 values for argument" in call["reason"]
    assert "No such file" in run("replay", "--values", tmp_path / "none.json").stderr


# --- boards and traces -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board, columns, outcome", [("n150", 8, "matched"), ("n150", 9, "rejected"), ("p150", 13, "matched")])
def test_what_if_on_another_board(lines, board, columns, outcome):
    """A Wormhole has 8 columns of cores for programs, a p150 has 13."""
    grid = [{"start": {"x": 0, "y": 0}, "end": {"x": columns - 1, "y": 0}}]
    spec = {"grid": grid, "shape": [32, 32], "orientation": "ROW_MAJOR"}
    config = {**DRAM, "memory_layout": "HEIGHT_SHARDED", "buffer_type": "L1", "shard_spec": spec}
    path = lines({**record("ttnn.to_memory_config", tensor(1, 1, 32 * columns, 32), memory_config=config), "board": "p150"})
    (call,) = told("--jsonl", path, "--board", board)["calls"]
    assert call["outcome"] == outcome, call
    assert (call["reason"] != "") == (outcome == "rejected")


def test_a_traced_replay_is_the_same_configuration(lines, tmp_path):
    both = record("ttnn.add", tensor(1, 1, 32, 64), 2.0), record("ttnn.relu", tensor(40, 64))
    path = lines(*({**call, "board": "n150"} for call in both))
    calls = told("--jsonl", path, "--trace", tmp_path / "trace")["calls"]
    store = tmp_path / "store"
    done = run("import", tmp_path / "trace", "--dir", store)
    assert done.returncode == 0, done.stdout + done.stderr
    again = told("--dir", store)["calls"]
    assert sorted(call["operation"] for call in again) == ["ttnn::add", "ttnn::relu"]
    assert {call["outcome"] for call in calls} == {call["outcome"] for call in again} == {"matched"}
    done = run("diff", path, store)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hash_chooses_one_configuration(lines, tmp_path):
    path = lines(record("ttnn.add", tensor(1, 1, 32, 64), 2.0), record("ttnn.relu", tensor(40, 64)))
    first, second = told("--master", path)["calls"]
    for call in (first, second):
        result = told("--master", path, "--hash", call["identity"][:10])
        assert [each["operation"] for each in result["calls"]] == [call["operation"]]


# --- hostile lines ---------------------------------------------------------------------------------------------------


def test_hostile_lines_are_refused_with_a_reason(lines):
    """Lines that are no calls are told on standard error; the others are never matched."""
    calls = list(HOSTILE.values())
    done = run("replay", "--jsonl", lines(*calls), "--json", "--memory", 500)
    result = json.loads(done.stdout)
    unread = [line for line in done.stderr.splitlines() if "calls.jsonl: line " in line]
    assert result["total"] + len(unread) == len(calls)
    accepted = [call for call in result["calls"] if call["outcome"] in ("matched", "matched_with_lost_arguments", "differs")]
    # Masters have sizes as texts, so that a shape of texts is a shape here.
    assert [int(call["place"].rpartition(" ")[2]) - 1 for call in accepted] == [list(HOSTILE).index("a shape of texts")]
    assert all(call["reason"] for call in result["calls"] if call not in accepted)


def test_hostile_lines_open_no_file(lines, tmp_path):
    """Files that records name are pipes here: opening one would hang, and reading it would show."""
    trap = tmp_path / "trap"
    os.mkfifo(trap)
    calls = [
        record("ttnn.load_tensor", str(trap)),
        record("ttnn.add", tensor(32, 32), str(trap)),
        record("ttnn.relu", tensor(32, 32), {"__type__": "path", "value": str(trap)}),
        record("ttnn.as_tensor", tensor(32, 32), cache_file_name=str(trap)),
        {**record("ttnn.relu", tensor(32, 32)), "board": str(trap)},
    ]
    result = told("--jsonl", lines(*calls), "--timeout", 20)
    assert {call["outcome"] for call in result["calls"][:4]} <= {"unknown", "undecodable", "rejected"}
    assert all(call["reason"] for call in result["calls"][:4])


# --- examples --------------------------------------------------------------------------------------------------------


PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
EXAMPLES = {
    "bert": [*PYTEST, ROOT / "examples/bert"],
    "mlp": [ROOT / "build/bin/example_mlp"],
    "operation_parameters": [sys.executable, ROOT / "examples/operation_parameters/generate.py", "written"],
    **{f"sweep of {path.stem}": [*PYTEST, path, "-k", "nightly"] for path in sorted((ROOT / "examples/sweeps").rglob("*.py"))},
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_calls_of_every_example_are_replayed_to_the_last(tmp_path, name):
    jsonl = tmp_path / "calls.jsonl"
    command = EXAMPLES[name]
    if not pathlib.Path(command[0]).exists():
        pytest.skip(f"{command[0]} is not built")
    environment = {**os.environ, "TT_OP_RESULTS_JSONL": str(jsonl), "TRACELIFT_DIR": str(tmp_path / "store")}
    captured = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert captured.returncode == 0, captured.stdout + captured.stderr
    calls = [json.loads(line) for line in jsonl.read_text().splitlines()]
    assert calls and not any("error" in call for call in calls)
    # Python's road: every record, with the recorded shapes.
    done = subprocess.run(
        [sys.executable, "-m", "tracelift.op_replay", "--jsonl", jsonl, "--all"], capture_output=True, text=True
    )
    assert done.stderr == "" and done.returncode == 0
    *shapes, total = done.stdout.splitlines()
    assert total == f"{len(calls)} of {len(calls)} records were replayed"
    assert shapes == [f"Replay success. Output shape: {shapes_in(call['output'])}" for call in calls]
    # The compiled one: every record of an operation that is not Python's alone.
    result = told("--jsonl", jsonl)
    assert result["total"] == len(calls)
    bad = [call for call in result["calls"] if call["outcome"] not in ("matched", "not_judged")]
    assert {call["operation"] for call in bad} <= PYTHON_ONLY, bad
    assert {call["outcome"] for call in bad} <= {"unknown"}


def shapes_in(output):
    return [shapes_in(item) for item in output] if isinstance(output, list) else output["shape"] if output else None
