"""`tracelift shrink`: the smallest call that fails alike, and the test that it prints."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest
from test_masters_command import find_tool
from test_replay import record, tensor
from test_replay_generated import OWN_TTNN

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARDS = {
    "__type__": "ttnn.MemoryConfig",
    "memory_layout": "BLOCK_SHARDED",
    "buffer_type": "L1",
    "shard_spec": {
        "__type__": "ttnn.ShardSpec",
        "grid": [{"start": {"x": 0, "y": 0}, "end": {"x": 7, "y": 3}}],
        "shape": [64, 32],
        "orientation": "ROW_MAJOR",
    },
}


def sharded():
    return {**tensor(1, 1, 256, 256), "memory_config": SHARDS}


# What each call of the file is shrunk to is worked out by hand below.
CALLS = [
    record("ttnn.concat", [sharded(), tensor(1, 1, 256, 128), tensor(1, 1, 256, 64)], dim=3),
    record("ttnn.matmul", tensor(2, 1, 128, 256), tensor(2, 1, 128, 256)),
    record("ttnn.add", sharded(), tensor(1, 1, 256, 256)),
    record("ttnn.linear", tensor(1, 1, 32, 64), tensor(64, 96), bias=tensor(1, 96)),
    record("ttnn.layer_norm", tensor(1, 1, 32, 96), epsilon=1e-5),
]


@pytest.fixture
def jsonl(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in CALLS))
    return path


def run(*arguments):
    return subprocess.run([find_tool(), "shrink", *map(str, arguments)], capture_output=True, text=True, check=False)


def shrunk(*arguments):
    result = run(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def plain_pytest(path):
    """Without the plugin of tracelift: the test stands alone."""
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:tracelift", "-p", "no:randomly")
    command = [sys.executable, "-m", "pytest", *options, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent).stdout


def changes(told):
    return {change["field"]: (change["before"], change["after"]) for change in told["changes"]}


def test_a_refused_call_becomes_the_smallest_that_is_refused_alike(jsonl):
    told = shrunk("--jsonl", jsonl, "--index", 0)
    assert (told["operation"], told["outcome"], told["end"], told["steady"]) == ("ttnn::concat", "rejected", "smallest", True)
    assert told["message"] == "ttnn.concat: argument 'tensors' mixes sharded and interleaved ones"
    assert told["signature"] == "OPERATION: argument 'tensors' mixes sharded and interleaved ones"
    # A mixture takes two tensors, of one element each, and a shard takes one core.
    shapes = [each["$struct"][1]["shape"] for each in told["arguments"]["tensors"]]
    assert shapes == [[1], [1]]
    grid = told["arguments"]["tensors"][0]["$struct"][1]["memory_config"]["$struct"][1]["shard_spec"]["$struct"][1]["grid"]
    corner = {"$struct": ["CoreCoord", {"x": 0, "y": 0}]}
    assert grid["$struct"][1]["ranges"] == [{"$struct": ["CoreRange", {"start": corner, "end": corner}]}]
    assert list(told["arguments"]) == ["tensors"]
    assert 0 < told["alike"] < told["tried"]


def test_the_printed_test_shows_the_same_failure(jsonl, tmp_path):
    result = run("--jsonl", jsonl, "--index", 0)
    assert result.returncode == 0
    # What was found is told beside it: the output is a test as it stands.
    assert "signature: rejected: OPERATION: argument 'tensors' mixes" in result.stderr
    assert "no single step makes it smaller" in result.stderr
    test = tmp_path / "test_repro.py"
    test.write_text(result.stdout)
    told = plain_pytest(test)
    assert "1 failed" in told
    assert "RuntimeError: ttnn.concat: argument 'tensors' mixes sharded and interleaved ones" in told


def test_sizes_that_do_not_match_stay_unequal(jsonl, tmp_path):
    told = shrunk("--jsonl", jsonl, "--index", 1)
    assert changes(told)["input_tensor_a.shape"] == ("[2, 1, 128, 256]", "[2]")
    assert changes(told)["input_tensor_b.shape"] == ("[2, 1, 128, 256]", "[1]")
    test = tmp_path / told["file"]
    assert test.name == "test_matmul_repro.py"
    test.write_text(told["test"])
    printed = plain_pytest(test)
    # The refusal of the operation, not that of torch.
    assert "1 failed" in printed and told["message"] in printed


def test_the_same_call_gives_the_same_test(jsonl):
    first, second = (shrunk("--jsonl", jsonl, "--index", 1, "--jobs", jobs) for jobs in (1, 3))
    assert first == second


def test_a_stored_call_is_shrunk_by_its_hash(jsonl, tmp_path):
    store = tmp_path / "store"
    imported = subprocess.run([find_tool(), "import", str(jsonl), "--dir", str(store)], capture_output=True, text=True, check=False)
    assert imported.returncode == 0, imported.stderr
    question = "SELECT identity FROM configurations WHERE operation = 'ttnn.matmul'"
    rows = subprocess.run([find_tool(), "sql", "--dir", str(store), "--json", question], capture_output=True, text=True, check=True)
    (row,) = json.loads(rows.stdout)
    told = shrunk("--hash", row["identity"][:12], "--dir", store)
    assert told["operation"] == "ttnn::matmul"
    assert changes(told)["input_tensor_a.shape"][1] == "[2]"


@pytest.mark.parametrize("index", [2, 3, 4])
def test_the_test_of_a_call_that_passes_passes(jsonl, tmp_path, index):
    """So it fails because of what is wrong, and for no other reason."""
    told = shrunk("--jsonl", jsonl, "--index", index, "--expect", "pass")
    test = tmp_path / told["file"]
    test.write_text(told["test"])
    assert "1 passed" in plain_pytest(test)


@pytest.mark.parametrize("factor, verdict", [(1, "1 passed"), (1.0001, "1 failed")])
def test_the_printed_test_is_as_strict_as_the_reference(tmp_path, factor, verdict):
    path = tmp_path / "calls.jsonl"
    path.write_text(json.dumps(record("ttnn.exp", tensor(32, 32, dtype="FLOAT32"))) + "\n")
    told = shrunk("--jsonl", path, "--index", 0, "--expect", "pass")
    test = tmp_path / told["file"]
    changed = told["test"].replace("listed(operation(*args, **kwargs))", f"listed(operation(*args, **kwargs) * {factor})")
    assert changed != told["test"]
    test.write_text(changed)
    printed = plain_pytest(test)
    assert verdict in printed
    assert ("where the golden function gives" in printed) == (factor != 1)


def test_files_and_folders(jsonl, tmp_path):
    folder = tmp_path / "repros"
    folder.mkdir()
    into_folder = run("--jsonl", jsonl, "--index", 1, "-o", folder)
    assert f"the test is in {folder / 'test_matmul_repro.py'}" in into_folder.stdout
    assert "input_tensor_a.shape" in into_folder.stdout
    file = tmp_path / "mine.cpp"
    assert run("--jsonl", jsonl, "--index", 1, "--format", "gtest", "-o", file).returncode == 0
    assert 'EXPECT_EQ(call.value_problem(), "");' in file.read_text()


@pytest.mark.parametrize(
    "arguments, status, said",
    [
        (["--index", 3], 1, "ttnn::linear: it does not fail, so there is nothing to shrink: matched; `--expect pass`"),
        (["--index", 1, "--expect", "differs"], 1, "expected differs, but it is rejected: ttnn.matmul: The width"),
        (["--index", 1, "--expect", "rejectd"], 2, "--expect takes one of pass, fail, rejected"),
        ([], 2, "5 calls are meant; give --index N"),
        (["--index", 9], 1, "there is no line with index 9"),
    ],
    ids=["passes", "other", "misspelt", "several", "absent"],
)
def test_what_cannot_be_shrunk_says_why(jsonl, arguments, status, said):
    result = run("--jsonl", jsonl, *arguments)
    assert result.returncode == status
    assert said in result.stderr and result.stdout == ""


def test_a_call_has_to_be_named():
    result = run()
    assert result.returncode == 2 and "expected --hash H, or --jsonl FILE with --index N" in result.stderr


def test_an_early_end_is_told(jsonl):
    result = run("--jsonl", jsonl, "--index", 1, "--attempts", 2)
    assert result.returncode == 0
    assert "2 calls tried" in result.stderr and "stopped early: --attempts is used up" in result.stderr


def test_formatters_have_nothing_to_do(jsonl, tmp_path):
    ruff = pathlib.Path(sys.executable).parent / "ruff"
    clang_format = shutil.which("clang-format-14")
    if not ruff.exists() or clang_format is None:
        pytest.skip("needs ruff and clang-format-14")
    for index in range(len(CALLS)):
        expect = () if index < 2 else ("--expect", "pass")
        for form, suffix in (("pytest", "py"), ("gtest", "cpp")):
            test = tmp_path / f"test_{index}.{suffix}"
            assert run("--jsonl", jsonl, "--index", index, *expect, "--format", form, "-o", test).returncode == 0
    for arguments in (("check", *OWN_TTNN), ("format", "--check", "--diff")):
        command = [ruff, *arguments, "--isolated", "--no-cache", tmp_path]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
    style = f"--style=file:{ROOT / '.clang-format'}"
    command = [clang_format, style, "--dry-run", "--Werror", *sorted(tmp_path.glob("*.cpp"))]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
