"""`tracelift init --deepseek`: the commands of the guide on capture and replay run as printed."""

import csv
import json
import re

import pytest
from test_guides import guide, shell
from test_masters_command import run

GUIDE = "capture-and-replay-plan.md"
TESTS = "models/demos/deepseek_v3/tests"
UTILS = "models/demos/deepseek_v3/utils"
REPLAY = "python -m models.demos.deepseek_v3.utils.op_replay --jsonl op_calls.jsonl"


@pytest.fixture
def project(tmp_path):
    laid = run("init", "--deepseek", tmp_path)
    assert laid.returncode == 0, laid.stderr
    return tmp_path


def capture(project, *options):
    done = shell(f"pytest {TESTS}/test_mlp_1d.py --ops-jsonl op_calls.jsonl --results-csv results.csv -q {' '.join(options)}", project)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in (project / "op_calls.jsonl").read_text().splitlines()]


def test_every_path_of_the_guide_is_laid(project):
    named = set(re.findall(r"`((?:models|tests)/[\w/.]+)`", guide(GUIDE)))
    assert len(named) >= 6
    for path in named:
        assert (project / path).exists(), path


@pytest.mark.parametrize("options", ["", "-p no:tracelift"], ids=["the plugin of tracelift is on", "and off"])
def test_every_command_runs_as_printed(project, options):
    commands = re.findall(r"`((?:pytest|python -m) [^`]*)`", guide(GUIDE))
    assert len(commands) >= 4
    capture(project)  # the first command on replay reads a file that the guide does not write
    for command in commands:
        command = command.replace("/tmp/", f"{project}/tmp_")
        if command.startswith("pytest"):
            command += f" {options}"
        done = shell(command, project)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        if command.startswith("python"):
            assert re.fullmatch(r"Replay success. Output shape: \[\d+(, \d+)*\]\n", done.stdout), done.stdout
    assert (project / "tmp_op_calls.jsonl").read_text().count("\n") > 10


@pytest.mark.parametrize("options", ["", "-p no:tracelift"], ids=["the plugin of tracelift is on", "and off"])
def test_calls_and_results_are_recorded_once(project, options):
    calls = capture(project, options)
    assert {call["test_nodeid"] for call in calls} == {
        f"{TESTS}/test_mlp_1d.py::test_forward_pass[{mode}-MLP1D]" for mode in ("prefill-64-1", "decode-1-32")
    }
    for node in {call["test_nodeid"] for call in calls}:
        indices = [call["op_index"] for call in calls if call["test_nodeid"] == node]
        assert indices == list(range(len(indices)))  # twice recorded would count twice
    names = {call["op_name"] for call in calls}
    assert {"ttnn.linear", "ttnn.multiply", "ttnn.to_memory_config", "ttnn.embedding", "ttnn.mean"} <= names
    with open(project / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["module"], row["mode"], row["seq_len"], row["batch_size"], row["outcome"]) for row in rows] == [
        ("MLP1D", "prefill", "64", "1", "passed"),
        ("MLP1D", "decode", "1", "32", "passed"),
    ]
    assert all(row["mesh_num_devices"] == "1" and json.loads(row["metrics_json"])[0]["type"] == "pcc" for row in rows)


def test_every_captured_call_is_replayed(project):
    calls = capture(project)
    done = shell(f"{REPLAY} --all", project)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == f"{len(calls)} of {len(calls)} records were replayed"
    # What was recorded is what comes out.
    shapes = [call["output"]["shape"] for call in calls]
    assert lines[:-1] == [f"Replay success. Output shape: {shape}" for shape in shapes]


@pytest.mark.parametrize("options", ["", "-p no:tracelift"], ids=["the plugin of tracelift is on", "and off"])
def test_the_suite_of_repros_is_opt_in(project, options):
    distinct = {json.dumps([call["op_name"], call["inputs"], call["kwargs"]]) for call in capture(project)}
    without = shell(f"pytest tests/ttnn/op_repros -q {options}", project)
    assert without.returncode == 0 and "1 skipped" in without.stdout, without.stdout + without.stderr
    done = shell(f"pytest tests/ttnn/op_repros --op-repros op_calls.jsonl -v {options}", project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(distinct)} passed" in done.stdout, done.stdout
    assert re.search(r"tests/ttnn/op_repros/test_op_repros.py::test_op_repro\[\d+-ttnn.linear\] PASSED", done.stdout)


def test_a_repro_that_gives_something_else_fails(project):
    calls = capture(project)
    call = next(call for call in calls if call["op_name"] == "ttnn.linear")
    call["output"]["shape"][-1] += 1
    (project / "wrong.jsonl").write_text(json.dumps(call) + "\n")
    done = shell("pytest tests/ttnn/op_repros --op-repros wrong.jsonl -q", project)
    assert done.returncode == 1 and "1 failed" in done.stdout, done.stdout


def test_the_serializer_is_tested_without_any_ttnn(project):
    (project / "blocked.py").write_text('import sys\n\nsys.modules["ttnn"] = None\n')
    # `python -m` has this folder on the path when the plugin is looked for.
    done = shell(f"python -m pytest -p no:tracelift -p blocked {TESTS}/test_serialize_configs.py -q -rs", project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed, 2 skipped" in done.stdout and "needs a ttnn" in done.stdout, done.stdout
    with_ttnn = shell(f"pytest {TESTS}/test_serialize_configs.py -q", project)
    assert "8 passed" in with_ttnn.stdout, with_ttnn.stdout


def test_what_a_project_has_is_kept(tmp_path):
    (tmp_path / UTILS).mkdir(parents=True)
    (tmp_path / UTILS / "op_replay.py").write_text("# mine\n")
    (tmp_path / "conftest.py").write_text("# mine too\n")
    laid = json.loads(run("init", "--deepseek", tmp_path, "--json").stdout)
    outcomes = {entry["path"]: entry["outcome"] for entry in laid}
    assert outcomes[f"{UTILS}/op_replay.py"] == outcomes["conftest.py"] == "kept"
    assert outcomes[f"{UTILS}/serialize_configs.py"] == "written"
    assert "op_capture_plugin" in next(entry["note"] for entry in laid if entry["path"] == "conftest.py")
    assert (tmp_path / UTILS / "op_replay.py").read_text() == "# mine\n"
    assert (tmp_path / "conftest.py").read_text() == "# mine too\n"
    # Packages that were there are imported in their own way; new ones are packages.
    assert not (tmp_path / "models/__init__.py").exists() and not (tmp_path / UTILS / "__init__.py").exists()
    assert (tmp_path / TESTS / "__init__.py").exists()
    assert capture(tmp_path), "the plugin of tracelift has the options all the same"
    again = {entry["path"]: entry["outcome"] for entry in json.loads(run("init", "--deepseek", tmp_path, "--json").stdout)}
    assert set(again.values()) == {"present", "kept"}


def test_without_the_option_nothing_of_it_is_laid(tmp_path):
    assert run("init", tmp_path).returncode == 0
    assert not (tmp_path / "models").exists() and not (tmp_path / "conftest.py").exists()
