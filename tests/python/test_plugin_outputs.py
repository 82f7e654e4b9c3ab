"""--trace-params, --ops-jsonl and --results-csv, seen from projects that use them: every run is a process of its own."""

import csv
import getpass
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

MLP = pathlib.Path(__file__).resolve().parents[2] / "build" / "bin" / "example_mlp"
PLUGIN = ("-p", "tracelift.pytest_plugin")


@pytest.fixture
def project(tmp_path):
    """Runs pytest over the given files in an empty folder and gives the finished process."""

    def run(*options, env=None, plugin=PLUGIN, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TT_"))}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *options],
            cwd=tmp_path,
            env={**clean, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(env or {})},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


THREE_CALLS = """
import ttnn

def test_add(device):
    a = ttnn.rand(shape=[2, 3], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    b = ttnn.rand(shape=[2, 3], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.add(a, b)
"""
DEFAULT_FOLDER = "generated/ttnn/operation_parameters"

# --- --trace-params ----------------------------------------------------------------------------------------------------


def test_parameter_files_are_removed_after_the_tests(project, tmp_path):
    counts = """
import pathlib
import re

def test_files_are_there():
    assert len(list(pathlib.Path("generated/ttnn/operation_parameters").glob("*.json"))) == 3
"""
    done = project("--trace-params", test_a=THREE_CALLS, test_b=counts)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 files, removed" in done.stdout
    assert not (tmp_path / DEFAULT_FOLDER).exists()


def test_parameter_files_are_kept_when_asked(project, tmp_path):
    done = project("--trace-params", "--keep-trace-params", test_a=THREE_CALLS)
    assert done.returncode == 0, done.stdout + done.stderr
    files = sorted((tmp_path / DEFAULT_FOLDER).glob("*.json"))
    stamp = re.compile(r"_\d{8}_\d{6}_\d{6}\.json$")
    assert [stamp.sub("", file.name) for file in files] == ["1_ttnn_rand", "2_ttnn_rand", "3_ttnn_add"]
    assert "values" not in files[2].read_text()


def test_parameter_files_with_values(project, tmp_path):
    done = project("--trace-params", "--trace-params-with-values", "--keep-trace-params", test_a=THREE_CALLS)
    assert done.returncode == 0, done.stdout + done.stderr
    (add,) = (tmp_path / DEFAULT_FOLDER).glob("3_*.json")
    call = json.loads(add.read_text())
    a, b = (argument["value"]["values"] for argument in call["args"])
    total = call["return_value"]["values"]
    assert len(total) == 2 and len(total[0]) == 3
    for row in range(2):
        for column in range(3):
            assert total[row][column] == pytest.approx(a[row][column] + b[row][column], rel=2**-7)


def test_values_need_tracing(project):
    done = project("--trace-params-with-values", test_a=THREE_CALLS)
    assert done.returncode == 4
    assert "--trace-params-with-values needs --trace-params" in done.stderr + done.stdout


def test_custom_folder(project, tmp_path):
    custom = """
import ttnn

def test_folder(tmp_path):
    before = ttnn.CONFIG.root_report_path
    ttnn.CONFIG.root_report_path = str(tmp_path)
    ttnn.from_torch(__import__("torch").zeros(2))
    ttnn.CONFIG.root_report_path = before
    assert len(list((tmp_path / "operation_parameters").glob("1_ttnn_from_torch_*.json"))) == 1
"""
    done = project("--trace-params", test_a=custom)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / "generated").exists()


def test_project_options_and_fixtures_of_the_same_name_win(project):
    conftest = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--trace-params", action="store_true", help="the project's own")
    parser.addoption("--device-id", type=int, default=7)

@pytest.fixture
def device(request):
    return request.config.getoption("--device-id")
"""
    test = """
def test_own(device):
    assert device == 7
"""
    done = project(conftest=conftest, test_a=test)
    assert done.returncode == 0, done.stdout + done.stderr
    done = project("--help")
    assert "the project's own" in done.stdout and "--keep-trace-params" in done.stdout


def test_nothing_is_imported_without_an_option(project):
    test = """
import sys

def test_modules():
    loaded = [name for name in sys.modules if name.startswith("tracelift")]
    assert "tracelift._ttnn" not in loaded and "torch" not in sys.modules, loaded
    assert "tracelift.pytest_parts.results" not in loaded
"""
    done = project(test_a=test)
    assert done.returncode == 0, done.stdout + done.stderr


def test_plugin_can_be_switched_off(project):
    done = project("-p", "no:tracelift.pytest_plugin", "--trace-params", plugin=(), test_a=THREE_CALLS)
    assert done.returncode == 4 and "unrecognized arguments: --trace-params" in done.stderr


# --- --ops-jsonl -------------------------------------------------------------------------------------------------------


def test_lines_link_calls_to_tests(project, tmp_path):
    second = """
import pytest, ttnn

@pytest.mark.parametrize("size", [32, 64])
def test_scaled(device, size):
    a = ttnn.full([size, 32], 1.0, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.multiply(a, 2.0, memory_config=ttnn.L1_MEMORY_CONFIG)

def test_refused(device):
    a = ttnn.full([32, 32], 1.0, layout=ttnn.TILE_LAYOUT, device=device)
    with pytest.raises(RuntimeError):
        ttnn.matmul(a, ttnn.full([64, 32], 1.0, layout=ttnn.TILE_LAYOUT, device=device))
"""
    done = project("--ops-jsonl", "deep/calls.jsonl", test_a=THREE_CALLS, test_mla_1d=second)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = lines_of(tmp_path / "deep/calls.jsonl")
    seen = [(line["test_nodeid"], line["op_index"], line["op_name"], line["module"]) for line in lines]
    assert seen == [
        ("test_a.py::test_add", 0, "ttnn.rand", None),
        ("test_a.py::test_add", 1, "ttnn.rand", None),
        ("test_a.py::test_add", 2, "ttnn.add", None),
        ("test_mla_1d.py::test_scaled[32]", 0, "ttnn.full", "MLA1D"),
        ("test_mla_1d.py::test_scaled[32]", 1, "ttnn.multiply", "MLA1D"),
        ("test_mla_1d.py::test_scaled[64]", 0, "ttnn.full", "MLA1D"),
        ("test_mla_1d.py::test_scaled[64]", 1, "ttnn.multiply", "MLA1D"),
        ("test_mla_1d.py::test_refused", 0, "ttnn.full", "MLA1D"),
        ("test_mla_1d.py::test_refused", 1, "ttnn.full", "MLA1D"),
        ("test_mla_1d.py::test_refused", 2, "ttnn.matmul", "MLA1D"),
    ]
    assert len({line["run_id"] for line in lines}) == 1
    multiply = lines[4]
    assert multiply["inputs"][1] == 2.0
    assert multiply["kwargs"]["memory_config"]["buffer_type"] == "L1"
    assert multiply["output"]["memory_config"]["buffer_type"] == "L1"
    assert "error" not in multiply
    assert lines[-1]["output"] is None and lines[-1]["error"]["type"] == "RuntimeError"


def test_lines_by_environment_and_appending(project, tmp_path):
    for _ in range(2):
        done = project(env={"TT_OP_RESULTS_JSONL": "calls.jsonl"}, test_a=THREE_CALLS)
        assert done.returncode == 0, done.stdout + done.stderr
    assert len(lines_of(tmp_path / "calls.jsonl")) == 6


CRASHES = """
import os, signal, ttnn

def test_before(device):
    ttnn.full([32, 32], 1.0, layout=ttnn.TILE_LAYOUT, device=device)

def test_crash(device):
    def dies(tensor):
        os.kill(os.getpid(), signal.SIGKILL)
    operation = ttnn.register_python_operation(name="ttnn.dies")(dies)
    operation(ttnn.full([32, 64], 1.0, layout=ttnn.TILE_LAYOUT, device=device))
"""


def test_crash_keeps_all_lines_and_that_of_the_call_itself(project, tmp_path):
    done = project("--ops-jsonl", "calls.jsonl", "--results-csv", "results.csv", test_a=CRASHES)
    assert done.returncode == -9
    lines = lines_of(tmp_path / "calls.jsonl")
    assert [line["op_name"] for line in lines] == ["ttnn.full", "ttnn.full", "ttnn.dies"]
    assert lines[-1]["error"]["type"] == "Unfinished"
    assert lines[-1]["inputs"][0]["shape"] == [32, 64]
    assert lines[-1]["test_nodeid"] == "test_a.py::test_crash"
    assert [row["test_nodeid"] for row in rows_of(tmp_path / "results.csv")] == ["test_a.py::test_before"]


# --- --results-csv -----------------------------------------------------------------------------------------------------

OUTCOMES = """
import pytest
from tracelift.testing import assert_with_pcc, assert_allclose, assert_with_ulp
import torch

def test_passed(device, report_metric):
    report_metric.pcc(0.5, False)
    assert_with_pcc(torch.ones(3, 3), torch.ones(3, 3))
    assert_allclose(torch.ones(3), torch.ones(3))
    assert_with_ulp(torch.ones(3), torch.ones(3))

@pytest.mark.parametrize("mode,seq_len,batch_size", [("decode", 1, 32)])
def test_failed(mode, seq_len, batch_size):
    assert_with_pcc(torch.arange(9.0), -torch.arange(9.0))

def test_skipped():
    pytest.skip('has "quotes", commas')

@pytest.mark.xfail(reason="known")
def test_xfailed():
    assert False

@pytest.fixture
def broken():
    raise OSError("no device")

def test_error(broken):
    pass

@pytest.fixture
def breaks_later():
    yield
    raise OSError("cannot close")

def test_teardown_error(breaks_later):
    pass
"""


def test_rows_of_every_outcome(project, tmp_path):
    done = project("--results-csv", "results.csv", test_a=OUTCOMES)
    assert done.returncode == 1, done.stdout + done.stderr
    rows = {row["test_nodeid"].rpartition("::")[2]: row for row in rows_of(tmp_path / "results.csv")}
    outcomes = {name: row["outcome"] for name, row in rows.items()}
    assert outcomes == {
        "test_passed": "passed",
        "test_failed[decode-1-32]": "failed",
        "test_skipped": "skipped",
        "test_xfailed": "skipped",
        "test_error": "failed",
        "test_teardown_error": "failed",
    }
    metrics = json.loads(rows["test_passed"]["metrics_json"])
    assert metrics[0] == {"type": "pcc", "value": 0.5, "passed": False}
    assert metrics[1] == {"type": "pcc", "value": 1.0, "passed": True}
    assert [(metric["type"], metric["passed"]) for metric in metrics[2:]] == [("allclose", True), ("ulp", True)]
    assert metrics[2]["message"].startswith("Max ATOL Delta")
    assert rows["test_passed"]["mesh_shape"] == "(1, 1)" and rows["test_passed"]["mesh_num_devices"] == "1"
    failed = rows["test_failed[decode-1-32]"]
    assert (failed["mode"], failed["seq_len"], failed["batch_size"]) == ("decode", "1", "32")
    assert json.loads(failed["metrics_json"])[0]["passed"] is False
    assert "AssertionError" in failed["error"]
    assert 'has "quotes", commas' in rows["test_skipped"]["error"]
    assert "no device" in rows["test_error"]["error"]
    assert "cannot close" in rows["test_teardown_error"]["error"]
    run_ids = {row["run_id"] for row in rows.values()}
    assert len(run_ids) == 1 and run_ids.pop().endswith("Z")
    for row in rows.values():
        assert row["session_timestamp"] == row["run_id"] <= row["start_timestamp"] <= row["end_timestamp"]
        assert float(row["duration_sec"]) >= 0
        assert row["git_commit"] == "unknown" and row["ttnn_version"]


# --- xdist -------------------------------------------------------------------------------------------------------------

XDIST = ("-p", "xdist")


def test_eight_workers_four_hundred_tests(project, tmp_path):
    test = """
import pytest, ttnn

@pytest.fixture(scope="session")
def tensor():
    device = ttnn.open_device(device_id=0)
    yield ttnn.full([32, 32], 1.0, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.close_device(device)

@pytest.mark.parametrize("number", range(400))
def test_number(tensor, number):
    for step in range(3):
        ttnn.multiply(tensor, float(number))
"""
    done = project(*XDIST, "-n", "8", "--ops-jsonl", "calls.jsonl", "--results-csv", "results.csv", test_a=test)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = rows_of(tmp_path / "results.csv")
    assert sorted(row["test_nodeid"] for row in rows) == sorted(f"test_a.py::test_number[{i}]" for i in range(400))
    lines = lines_of(tmp_path / "calls.jsonl")
    calls = sorted(
        (line["test_nodeid"], line["op_index"], line["inputs"][1]) for line in lines if line["op_name"] == "ttnn.multiply"
    )
    expected = []
    for number in range(400):
        start = min(call[1] for call in calls if call[0] == f"test_a.py::test_number[{number}]")
        assert start in (0, 1)  # the first test of a worker makes the tensor
        expected += [(f"test_a.py::test_number[{number}]", start + step, float(number)) for step in range(3)]
    assert calls == sorted(expected)
    assert 1 <= len([line for line in lines if line["op_name"] == "ttnn.full"]) <= 8
    assert len({line["run_id"] for line in lines} | {row["run_id"] for row in rows}) == 1
    assert not list(tmp_path.glob("*.part"))


def test_worker_that_crashes(project, tmp_path):
    done = project(*XDIST, "-n", "2", "--ops-jsonl", "calls.jsonl", "--results-csv", "results.csv", test_a=CRASHES)
    assert done.returncode == 1, done.stdout + done.stderr
    rows = {row["test_nodeid"]: row["outcome"] for row in rows_of(tmp_path / "results.csv")}
    assert rows == {"test_a.py::test_before": "passed", "test_a.py::test_crash": "failed"}
    lines = lines_of(tmp_path / "calls.jsonl")
    assert sorted(line["op_name"] for line in lines) == ["ttnn.dies", "ttnn.full", "ttnn.full"]
    (dead,) = [line for line in lines if line["op_name"] == "ttnn.dies"]
    assert dead["error"]["type"] == "Unfinished"


def test_parameter_files_of_workers_are_removed(project, tmp_path):
    many = "import pytest\n" + THREE_CALLS.replace(
        "def test_add(device)", '@pytest.mark.parametrize("n", range(8))\ndef test_add(device, n)'
    )
    done = project(*XDIST, "-n", "4", "--trace-params", test_a=many)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list((tmp_path / "generated").rglob("*.json"))
    done = project(*XDIST, "-n", "4", "--trace-params", "--keep-trace-params", test_a=many)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list((tmp_path / DEFAULT_FOLDER).glob("*.json"))) == 24


def test_lines_tell_nothing_about_the_user(project, tmp_path):
    home = os.path.expanduser("~")
    test = f"""
import pytest, ttnn, torch

def test_it(device):
    with pytest.raises(RuntimeError):
        ttnn.load_tensor({home!r} + "/nothing.tensorbin")
    ttnn.from_torch(torch.full((2, 2), 1234.5), layout=ttnn.TILE_LAYOUT, device=device)
"""
    done = project("--ops-jsonl", "calls.jsonl", test_a=test, env={"SECRET_OF_TEST": "abc-secret-xyz"})
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "calls.jsonl").read_text()
    assert len(lines_of(tmp_path / "calls.jsonl")) == 2
    assert home + "/" not in text and f"/{getpass.getuser()}/" not in text
    assert "1234" not in text and "abc-secret-xyz" not in text


# --- programs ----------------------------------------------------------------------------------------------------------


def run_program(tmp_path, command, **environment):
    return subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
    )


def test_programs_are_traced_by_environment(tmp_path):
    done = run_program(
        tmp_path,
        [MLP],
        TRACELIFT_TRACE_PARAMS="1",
        TT_OP_RESULTS_JSONL="calls.jsonl",
        TT_TEST_RESULTS_CSV="results.csv",
    )
    assert done.returncode == 0, done.stderr
    lines = lines_of(tmp_path / "calls.jsonl")
    assert {"ttnn.linear"} <= {line["op_name"] for line in lines}
    assert [line["op_index"] for line in lines] == list(range(len(lines)))
    assert {line["test_nodeid"] for line in lines} == {"<unknown>"}
    files = sorted((tmp_path / DEFAULT_FOLDER).glob("*.json"), key=lambda path: int(path.name.partition("_")[0]))
    assert [json.loads(file.read_text())["operation_name"] for file in files] == [line["op_name"] for line in lines]
    (row,) = rows_of(tmp_path / "results.csv")
    assert (row["test_nodeid"], row["outcome"], row["error"]) == ("example_mlp", "passed", "")


def test_values_of_programs(tmp_path):
    done = run_program(tmp_path, [MLP], TRACELIFT_TRACE_PARAMS="values", TTNN_OPERATION_TRACE_DIR="here")
    assert done.returncode == 0, done.stderr
    texts = [path.read_text() for path in (tmp_path / "here").glob("*.json")]
    assert texts and any('"values"' in text for text in texts)


def test_scripts_are_traced_by_environment_and_argument(tmp_path):
    (tmp_path / "model.py").write_text("import ttnn, torch\nttnn.from_torch(torch.zeros(2))\n")
    done = run_program(tmp_path, [sys.executable, "model.py"], TT_OP_RESULTS_JSONL="calls.jsonl")
    assert done.returncode == 0, done.stderr
    assert [line["op_name"] for line in lines_of(tmp_path / "calls.jsonl")] == ["ttnn.from_torch"]
    done = run_program(tmp_path, [sys.executable, "model.py", "--trace-params"])
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / DEFAULT_FOLDER).glob("1_ttnn_from_torch_*.json"))) == 1


def test_forked_children_write_lines_of_their_own(tmp_path):
    (tmp_path / "model.py").write_text(
        """
import os, ttnn, torch
ttnn.from_torch(torch.zeros(1))
children = []
for number in range(4):
    child = os.fork()
    if child == 0:
        for _ in range(5):
            ttnn.from_torch(torch.zeros(2 + number))
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
ttnn.from_torch(torch.zeros(1))
"""
    )
    done = run_program(tmp_path, [sys.executable, "model.py"], TT_OP_RESULTS_JSONL="calls.jsonl")
    assert done.returncode == 0, done.stderr
    sizes = [line["inputs"][0]["shape"][0] for line in lines_of(tmp_path / "calls.jsonl")]
    assert sorted(sizes) == sorted([1, 1] + [2 + number for number in range(4) for _ in range(5)])
