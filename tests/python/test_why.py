"""`tracelift why`: the nearest calls that pass, and what sets those that fail apart, on a small store."""

import json

import pytest

from test_masters_command import execution, run, tensor


def row_major(shape):
    return {**tensor(shape), "layout": "Layout.ROW_MAJOR"}


def import_calls(folder, store, operations, uid="u-1"):
    """operations: name -> list of arguments."""
    made = {
        name: {"configurations": [{"arguments": arguments, "executions": [execution(uid=uid)]} for arguments in calls]}
        for name, calls in operations.items()
    }
    master = folder / f"{uid}.json"
    master.write_text(json.dumps({"operations": made}))
    result = run("import", master, "--dir", store)
    assert result.returncode == 0, result.stderr


def hash_of(store, operation, condition):
    """The hash of the only configuration of an operation whose flat form is like this."""
    lines = run("show", operation, "--flat", "--json", "--dir", store).stdout.splitlines()
    shown = [json.loads(line) for line in lines]
    found = [each["identity"] for each in shown if condition(each)]
    assert len(found) == 1, shown
    return found[0]


GOOD_PAIR = {"arg0": tensor([1, 1, 32, 64]), "arg1": tensor([1, 1, 64, 32])}
MATMULS = [
    GOOD_PAIR,
    {"arg0": tensor([1, 1, 32, 64], "BFLOAT8_B"), "arg1": tensor([1, 1, 64, 96])},
    {"arg0": tensor([1, 4, 64, 64]), "arg1": tensor([1, 4, 64, 64])},
    {"arg0": row_major([1, 1, 32, 64]), "arg1": tensor([1, 1, 64, 32])},  # products need tiles
    {"arg0": row_major([1, 1, 64, 64]), "arg1": tensor([1, 1, 64, 64])},
    {"arg0": tensor([1, 1, 32, 64]), "arg1": tensor([1, 1, 32, 64])},  # does not fit together
]


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "store"
    import_calls(tmp_path, path, {"ttnn.matmul": MATMULS, "ttnn.relu": [{"arg0": tensor([1, 1, 32, 32])}]})
    return path


@pytest.fixture
def swept(store):
    assert run("sweep", "run", "--all", "--dir", store).returncode == 1
    return store


def is_row_major(width):
    return lambda flat: flat["arg0.layout"] == "ROW_MAJOR" and flat["arg0.shape"][2] == width


def test_the_nearest_that_passes_and_the_field(swept):
    wanted = hash_of(swept, "matmul", is_row_major(32))
    result = run("why", "--hash", wanted[:12], "--dir", swept)
    assert result.returncode == 0, result.stderr
    assert f"ttnn::matmul {wanted[:12]}: rejected (run 1)" in result.stdout
    nearest = hash_of(swept, "matmul", lambda flat: flat["arg0.layout"] == "TILE" and flat["arg1.shape"] == [1, 1, 64, 32])
    assert f"  {nearest[:12]} (distance 1)\n    input_tensor_a.layout: works with TILE, fails with ROW_MAJOR\n" in result.stdout
    assert "run now" not in result.stdout


def test_what_sets_the_failing_ones_apart(swept):
    wanted = hash_of(swept, "matmul", is_row_major(32))
    told = json.loads(run("why", "--hash", wanted, "--dir", swept, "--json").stdout)
    assert told["status"] == "rejected" and told["reason"]
    assert (told["passing"], told["failing_alike"]) == (3, 2)  # the third failure has another signature
    first = told["fields"][0]
    assert (first["path"], first["apart"]) == ("input_tensor_a.layout", 2)
    assert (first["fails"], first["passes"]) == ({"ROW_MAJOR": 2}, {"TILE": 3})
    assert "2 fail like this" in run("why", "--hash", wanted, "--dir", swept).stdout


def test_without_results_calls_are_run_now(store):
    wanted = hash_of(store, "matmul", is_row_major(32))
    told = json.loads(run("why", "--hash", wanted, "--dir", store, "--json").stdout)
    assert (told["from"], told["run_now"], told["without_result"]) == ("run now", 5, 0)
    assert (told["passing"], told["failing_alike"]) == (3, 2)
    few = run("why", "--hash", wanted, "--dir", store, "--runs", "2")
    assert "2 configurations of ttnn::matmul without a result were run now, the nearest ones; 3 have none (--runs)" in few.stdout
    assert "works with TILE, fails with ROW_MAJOR" in few.stdout  # the nearest was among them


def test_a_call_of_a_file_or_as_text(swept, tmp_path):
    def reference(shape, layout):
        memory = {"__type__": "ttnn.MemoryConfig", "memory_layout": "INTERLEAVED", "buffer_type": "DRAM"}
        return {"__type__": "ttnn.TensorRef", "shape": shape, "dtype": "DataType.BFLOAT16", "layout": f"Layout.{layout}", "memory_config": memory}

    call = {"op_name": "ttnn.matmul", "inputs": [reference([1, 1, 32, 64], "ROW_MAJOR"), reference([1, 1, 64, 32], "TILE")], "kwargs": {}}
    lines = tmp_path / "calls.jsonl"
    lines.write_text("\n" + json.dumps(call) + "\n")
    of_file = run("why", "--jsonl", lines, "--index", "1", "--dir", swept)
    as_text = run("why", json.dumps(call), "--dir", swept)
    for result in (of_file, as_text):
        assert result.returncode == 0, result.stderr
        assert "rejected (run now)" in result.stdout
        assert "input_tensor_a.layout: works with TILE, fails with ROW_MAJOR" in result.stdout
    assert "ttnn::matmul the call: rejected" in as_text.stdout


def test_a_call_that_passes_needs_no_explanation(swept):
    wanted = hash_of(swept, "relu", lambda _: True)
    result = run("why", "--hash", wanted, "--dir", swept)
    assert result.returncode == 0
    assert "ttnn::relu" in result.stdout and "pass (run 1)" in result.stdout
    assert "there is nothing to explain" in result.stdout


def test_where_nothing_passes_there_is_nothing_to_compare_with(tmp_path):
    store = tmp_path / "store"
    import_calls(tmp_path, store, {"ttnn.matmul": MATMULS[3:]})
    wanted = hash_of(store, "matmul", is_row_major(32))
    result = run("why", "--hash", wanted, "--dir", store)
    assert result.returncode == 1
    assert "None of the 2 other configurations of ttnn::matmul in the store passes" in result.stdout
    told = run("why", "--hash", wanted, "--dir", store, "--json")
    assert told.returncode == 1
    assert json.loads(told.stdout)["neighbours"] == []


def test_the_store_is_left_as_it_was(store):
    wanted = hash_of(store, "matmul", is_row_major(32))
    assert run("why", "--hash", wanted, "--dir", store).returncode == 0
    assert json.loads(run("sql", "SELECT count(*) AS n FROM results", "--dir", store, "--json").stdout) == [{"n": 0}]


def test_wrong_questions(swept, tmp_path):
    for arguments, words in (
        ([], "expected one call"),
        (["--hash", "ab", "--jsonl", "x"], "expected one call"),
        (["--jsonl", tmp_path / "x.jsonl"], "--jsonl needs --index"),
        (["--index", "0", "--hash", "ab"], "--index needs --jsonl"),
        (["--hash", ""], "give more of it"),
    ):
        result = run("why", *arguments, "--dir", swept)
        assert result.returncode == 2, arguments
        assert words in result.stderr, arguments
    for arguments, words in (
        (["--hash", "x"], "no recorded call"),
        (["{broken"], "the call"),
        (["[" * 1000], "nested deeper"),
        (['{"op_name": "ttnn.matmul", "inputs": [1], "kwargs": {}}'], "cannot be compared with other calls"),
    ):
        result = run("why", *arguments, "--dir", swept)
        assert result.returncode == 1, arguments
        assert words in result.stderr, arguments
