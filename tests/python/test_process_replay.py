"""`tracelift replay --record` and `--against`: what a build does is what the recorded one did, over our own examples."""

import json
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from test_masters_command import execution, find_tool, run, tensor

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "replay" / "corpus" / "examples.json"


def read(path):
    return json.loads(path.read_text())


def run_with(environment, *arguments):
    return subprocess.run(
        [find_tool(), *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def changes(result):
    """(kind, what, operation) of each change that the command told as JSON."""
    return [(each["kind"], each["what"], each["operation"]) for each in json.loads(result.stdout)["changes"]]


# --- the corpus -----------------------------------------------------------------------------------------------------


def test_no_call_of_our_examples_changed():
    """On any processor. Where a change is meant: tests/replay/corpus/record.py."""
    result = run("replay", "--against", CORPUS)
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    count = len(read(CORPUS)["calls"])
    assert f"{count} as recorded, 0 changed, 0 missing, 0 new" in result.stdout


def test_the_corpus_is_small_and_covers_the_examples():
    text = CORPUS.read_text()
    assert len(text) < 150_000
    calls = read(CORPUS)["calls"]
    operations = {call["operation"] for call in calls}
    assert {"ttnn.linear", "ttnn.softmax", "ttnn.layer_norm", "ttnn.embedding", "ttnn.add", "ttnn.sigmoid_accurate"} <= operations
    assert len(operations) >= 15
    assert all(call["outcome"] in ("matched", "not_judged") for call in calls), "an example must run"
    assert any(call["outputs"] and "SHARDED" in call["outputs"][0]["spec"] for call in calls)
    assert str(Path.home()) not in text and str(ROOT) not in text


def operand(shape, dtype="BFLOAT16"):
    """A tensor as lines of calls have it."""
    memory = {"__type__": "ttnn.MemoryConfig", "memory_layout": "INTERLEAVED", "buffer_type": "DRAM"}
    return {"__type__": "ttnn.TensorRef", "shape": shape, "dtype": f"DataType.{dtype}", "layout": "Layout.TILE", "memory_config": memory}


def write_lines(path, *calls):
    """calls: (operation, inputs)."""
    lines = [json.dumps({"op_name": name, "inputs": inputs, "kwargs": {}}) + "\n" for name, inputs in calls]
    path.write_text("".join(lines))
    return path


def products(path):
    """Products that a library splits among threads, in fp32: with few rows, with few columns, with neither."""
    sizes = ((1, 4096, 512), (512, 4096, 1), (32, 2048, 768), (37, 515, 129))
    shapes = [[operand([m, k], "FLOAT32"), operand([k, n], "FLOAT32")] for m, k, n in sizes]
    return write_lines(path, *(("ttnn.matmul", inputs) for inputs in shapes))


@pytest.mark.parametrize("calls", ["examples", "products"])
def test_results_do_not_depend_on_threads_or_jobs(tmp_path, calls):
    chosen = ["--against", CORPUS] if calls == "examples" else ["--jsonl", products(tmp_path / "calls.jsonl")]
    texts = []
    for threads, jobs in (("1", "1"), ("2", "4"), ("3", "2")):
        file = tmp_path / f"{threads}.json"
        result = run_with({"OPENBLAS_NUM_THREADS": threads}, "replay", *chosen, "--jobs", jobs, "--record", file)
        assert result.returncode == 0, result.stdout
        texts.append(file.read_text())
    assert texts[0] == texts[1] == texts[2]


@pytest.mark.parametrize(("core", "needed"), [("Nehalem", "sse4_2"), ("Haswell", "avx2"), ("Zen", "avx2")])
def test_another_processor_has_other_bits_and_the_same_accuracy(core, needed):
    """The library of matrix products takes the kernels of another processor; libm keeps to old instructions."""
    if f" {needed} " not in Path("/proc/cpuinfo").read_text():
        pytest.skip(f"this processor cannot run the kernels of a {core}")
    tunables = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F" if core == "Nehalem" else ""
    environment = {"OPENBLAS_CORETYPE": core, "GLIBC_TUNABLES": tunables}
    result = run_with(environment, "replay", "--against", CORPUS)
    assert result.returncode == 0, result.stdout
    if "bits are compared: " in result.stdout:
        pytest.skip(f"this is a {core}")
    assert "bits are compared only of operations that allow no error: the " in result.stdout


# --- what is noticed --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A part of the corpus as recorded by this build on this machine."""
    file = tmp_path_factory.mktemp("recorded") / "recorded.json"
    assert run("replay", "--against", CORPUS, "--op", "layer_norm", "--record", file).returncode == 0
    return file


def edited(recorded, tmp_path, edit):
    json_text = read(recorded)
    edit(json_text, json_text["calls"][0])
    file = tmp_path / "edited.json"
    file.write_text(json.dumps(json_text))
    return file


def flip_bit(call):
    bits = call["outputs"][0]["bits"]
    call["outputs"][0]["bits"] = f"{int(bits[0], 16) ^ 1:x}{bits[1:]}"


EDITS = {
    "a bit": (lambda _, call: flip_bit(call), ("bits", "output 0"), "bits: output 0 "),
    "a shape": (
        lambda _, call: call["outputs"][0].update(spec="FLOAT32 [1] TILE DRAM_INTERLEAVED"),
        ("outputs", "output 0"),
        "outputs: output 0 FLOAT32 [1] TILE DRAM_INTERLEAVED -> ",
    ),
    "an output": (lambda _, call: call["outputs"].pop(), ("outputs", "output 0"), "outputs: output 0 none -> "),
    "the accuracy": (lambda _, call: call["accuracy"].update(pcc=0.5), ("accuracy", "pcc"), "accuracy: pcc 0.5 -> "),
    "the memory": (
        lambda _, call: call["memory"].update(peak_cb_per_core_bytes=17),
        ("memory", "peak_cb_per_core_bytes"),
        "memory: peak_cb_per_core_bytes 17 -> ",
    ),
    "the outcome": (lambda _, call: call.update(outcome="rejected"), ("outcome", ""), "outcome: rejected -> matched"),
    "the hash": (lambda _, call: call.update(identity="0" * 64), ("identity", ""), "identity: 000"),
}


@pytest.mark.parametrize(("edit", "expected", "line"), EDITS.values(), ids=EDITS.keys())
def test_a_change_is_listed(recorded, tmp_path, edit, expected, line):
    file = edited(recorded, tmp_path, edit)
    result = run("replay", "--against", file)
    assert result.returncode == 1
    assert line in result.stdout
    assert ", 1 changed, 0 missing, 0 new" in result.stdout
    told = run("replay", "--against", file, "--json")
    assert told.returncode == 1
    assert changes(told) == [(*expected, "ttnn::layer_norm")]


def test_what_was_recorded_is_as_recorded(recorded):
    result = run("replay", "--against", recorded, "--json")
    assert result.returncode == 0
    told = json.loads(result.stdout)
    assert told["bits_compared"] and told["changes"] == [] and told["same"] == len(read(recorded)["calls"])


def test_on_another_processor_only_large_changes_count(recorded, tmp_path):
    def elsewhere(pcc, bits=True):
        def edit(whole, call):
            whole["environment"]["processor"] = "Another 9000"
            call["accuracy"]["pcc"] += pcc
            if bits:
                flip_bit(call)

        return edited(recorded, tmp_path, edit)

    small = run("replay", "--against", elsewhere(-5e-6))
    assert small.returncode == 0, small.stdout
    assert "the processor is another: Another 9000, here " in small.stdout
    large = run("replay", "--against", elsewhere(-5e-4), "--json")
    assert large.returncode == 1
    assert changes(large) == [("accuracy", "pcc", "ttnn::layer_norm")]


def test_calls_on_one_side_only(tmp_path):
    """The calls of a file of lines against a record that lacks one of them and has one more."""
    lines = tmp_path / "calls.jsonl"
    write_lines(lines, *(("ttnn.relu", [operand([32, width])]) for width in (32, 64)))
    file = tmp_path / "lines.json"
    assert run("replay", "--jsonl", lines, "--record", file).returncode == 0
    write_lines(lines, *(("ttnn.relu", [operand([32, width])]) for width in (64, 96)))
    told = run("replay", "--jsonl", lines, "--against", file, "--json")
    assert told.returncode == 1
    assert sorted(kind for kind, _, _ in changes(told)) == ["missing", "new"]
    assert json.loads(told.stdout)["same"] == 1
    one = run("replay", "--jsonl", lines, "--index", "0", "--against", file)
    assert one.returncode == 0, one.stdout


def test_bad_files_and_options_are_refused(recorded, tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    result = run("replay", "--against", wrong)
    assert result.returncode == 1 and "wrong.json: is not a recorded replay" in result.stderr
    assert "gone.json: no such file" in run("replay", "--against", tmp_path / "gone.json").stderr
    for options in (["--seed", "3"], ["--board", "p150"], ["--no-compare"]):
        refused = run("replay", "--against", recorded, *options)
        assert refused.returncode == 2, options
        assert options[0] in refused.stderr
    nothing = run("replay", "--against", recorded, "--op", "matmul")
    assert nothing.returncode == 1 and "no recorded call" in nothing.stderr


# --- runs of sweeps ---------------------------------------------------------------------------------------------------


@pytest.fixture
def swept(tmp_path):
    """A store with a sweep that measured memory."""
    calls = {
        "ttnn.add": {"arg0": tensor([1, 1, 32, 64]), "arg1": 2.0},
        "ttnn.matmul": {"arg0": tensor([1, 1, 32, 64]), "arg1": tensor([1, 1, 64, 32])},
        "ttnn.softmax": {"arg0": tensor([1, 1, 32, 64])},
    }
    operations = {name: {"configurations": [{"arguments": call, "executions": [execution()]}]} for name, call in calls.items()}
    (tmp_path / "master.json").write_text(json.dumps({"operations": operations}))
    store = tmp_path / "store"
    assert run("import", tmp_path / "master.json", "--dir", store).returncode == 0
    assert run("sweep", "run", "--all", "--measure-memory", "--dir", store).returncode == 0
    return store


def change_result(store, operation, assignment):
    with sqlite3.connect(store / "tracelift.db") as database:
        changed = database.execute(f"UPDATE sweep_result SET {assignment} WHERE operation = ?", [operation]).rowcount
    assert changed == 1


def test_a_run_of_a_sweep_is_compared_too(swept):
    same = run("replay", "--against", "latest", "--dir", swept)
    assert same.returncode == 0, same.stdout
    assert "a sweep keeps no bits" in same.stdout
    assert "3 as recorded, 0 changed" in same.stdout
    change_result(swept, "ttnn.softmax", "pcc = 0.9")
    change_result(swept, "ttnn.add", "metrics = json_set(metrics, '$.peak_l1_memory_device_bytes', 1)")
    change_result(swept, "ttnn.matmul", "status = 'fail_timeout'")
    told = run("replay", "--against", "1", "--dir", swept, "--json")
    assert told.returncode == 1
    assert sorted(changes(told)) == [
        ("accuracy", "pcc", "ttnn::softmax"),
        ("memory", "peak_l1_memory_device_bytes", "ttnn::add"),
        ("outcome", "", "ttnn::matmul"),
    ]


def test_a_run_that_is_not_there(swept):
    result = run("replay", "--against", "latest~7", "--dir", swept)
    assert result.returncode == 1
    assert "no run 'latest~7' of a sweep" in result.stderr
