"""Vector files of Python modules, and sweep modules under pytest: the guides' commands in processes of their own."""

import json
import pathlib
import sqlite3
import subprocess
import sys
import textwrap

import pytest
from sweep_support import EFFICIENTNET, EXAMPLES, LLAMA, SIGMOID, python, real_master
from test_masters_command import run

GENERATE = ("-m", "tracelift.sweep_framework.generate")
SIGMOID_NAME = "eltwise.unary.sigmoid_accurate.sigmoid_accurate"

MODULE = """
parameters = {
    "nightly": {"a": [1, 2], "b": [(3, 4), None]},
    "xfail_broken": {"a": [5]},
}


def invalidate_vector(vector):
    return (vector["a"] == 2 and vector["b"] is None), "two needs a pair"


def run(a, b=None, *, device):
    if a == 5:
        raise RuntimeError("five is broken")
    return a < 2, "0.5"
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "sweeps" / "family"
    folder.mkdir(parents=True)
    (folder / "small.py").write_text(textwrap.dedent(MODULE))
    (folder / "empty.py").write_text('parameters = {"nightly": {"a": []}}\n\n\ndef run(a, *, device):\n    return True, ""\n')
    (folder / "helpers.py").write_text("VALUE = 1\n")
    huge = 'parameters = {"nightly": {"a": list(range(101)), "b": list(range(100))}}\n'
    (folder / "huge.py").write_text(huge + '\n\ndef run(a, b, *, device):\n    return True, ""\n')
    return tmp_path


def vectors_of(project, name):
    return json.loads((project / "vectors_export" / f"{name}.json").read_text())


@pytest.mark.parametrize("wanted", ["family.small", "small", "sweeps/family/small.py"])
def test_vectors_of_a_module(project, wanted):
    done = python(*GENERATE, "--module-name", wanted, "--tag", "me", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "SWEEPS: Generated 4 test vectors for suite nightly." in done.stdout
    suites = vectors_of(project, "family.small")
    assert list(suites) == ["nightly", "xfail_broken"]
    first, *_, last = suites["nightly"].values()
    assert (first["a"], first["b"], first["validity"], first["tag"]) == (1, "(3, 4)", "VALID", "me")
    assert (last["validity"], last["invalid_reason"]) == ("INVALID", "two needs a pair")
    assert all(key == vector["input_hash"] for key, vector in suites["nightly"].items())
    manifest = json.loads((project / "vectors_export" / "generation_manifest.json").read_text())
    assert manifest["total_vectors"] == 5
    assert manifest["modules"]["family.small"]["suites"]["nightly"]["invalid"] == 1


def test_one_suite_keeps_the_others_and_ids_are_stable(project):
    python(*GENERATE, "--module-name", "small", "--tag", "me", cwd=project)
    before = vectors_of(project, "family.small")
    done = python(*GENERATE, "--module-name", "small", "--suite-name", "nightly", "--randomize", 3, "--dump-file",
                  "--tag", "you", cwd=project)  # fmt: skip
    assert done.returncode == 0, done.stderr
    after = vectors_of(project, "family.small")
    assert after["xfail_broken"] == before["xfail_broken"]
    assert set(after["nightly"]) == set(before["nightly"])


def test_suites_without_vectors_and_huge_ones_are_errors(project):
    done = python(*GENERATE, "--skip-modules", "family.huge", cwd=project)
    assert done.returncode == 1
    assert "family.empty: suite nightly has no vectors: no values for a" in done.stderr
    assert (project / "vectors_export" / "family.small.json").exists()
    done = python(*GENERATE, "--module-name", "huge", cwd=project)
    assert done.returncode == 1 and "10100 permutations" in done.stderr


@pytest.mark.parametrize("arguments, told", [
    (["--module-name", "nothing"], "there is no sweep module 'nothing'; there are family.empty, family.huge, family.small"),
    (["--sweeps-dir", "nowhere"], "nowhere"),
    (["--module-name", "small", "--skip-modules", "x"], "--skip-modules"),
    (["--mesh-shape", "wide"], "ROWSxCOLUMNS"),
])  # fmt: skip
def test_wrong_usage(project, arguments, told):
    done = python(*GENERATE, *arguments, cwd=project)
    assert done.returncode == 2 and told in done.stderr


def test_traced_meshes_get_files_of_their_own(project):
    module = """
        from tracelift.sweep_framework.master_config_loader import MasterConfigLoader
        parameters = {"model_traced": MasterConfigLoader().get_suite_parameters("linear", form="format2")}
        def run(**rest):
            return True, ""
    """
    (project / "sweeps" / "linear.py").write_text(textwrap.dedent(module))
    done = python(*GENERATE, "--module-name", "linear", cwd=project, master=real_master(LLAMA))
    assert done.returncode == 0, done.stderr
    suites = vectors_of(project, "linear__mesh_1x2")
    master = json.loads(real_master(LLAMA).read_text())["operations"]["ttnn.linear"]["configurations"]
    assert list(suites["model_traced"]) == [configuration["config_hash"] for configuration in master]
    done = python(*GENERATE, "--module-name", "linear", "--mesh-shape", "4x8", cwd=project, master=real_master(LLAMA))
    assert done.returncode == 1 and "suite model_traced has no vectors of the mesh 4x8: all 40 are of another" in done.stderr
    (project / "vectors_export" / "linear__mesh_1x2.json").rename(project / "kept.json")
    done = python(*GENERATE, "--module-name", "linear", "--group-by", "hw", cwd=project, master=real_master(LLAMA))
    assert done.returncode == 0, done.stderr
    listed = run("sweep", "run", "--module-name", str(project / "sweeps" / "linear.py"), "--vector-source", "vectors_export", "--dry-run",
                 "--vectors-dir", project / "vectors_export", "--dir", project / "store")  # fmt: skip
    assert "40 vectors of linear, suite model_traced" in listed.stdout, "the runner finds files by hardware, too"


def test_the_guides_headline_by_vector_files(tmp_path):
    done = python(*GENERATE, "--sweeps-dir", EXAMPLES, "--module-name", SIGMOID_NAME, "--model-traced", cwd=tmp_path,
                  master=real_master(EFFICIENTNET))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "✅ Loaded 30 model-traced configurations for sigmoid_accurate\n   • Shapes: 30\n" in done.stdout
    assert "SWEEPS: Generated 30 test vectors for suite model_traced." in done.stdout
    assert len(vectors_of(tmp_path, SIGMOID_NAME)["model_traced"]) == 30
    done = python(*GENERATE, "--sweeps-dir", EXAMPLES, "--module-name", "sigmoid_accurate", "--model-traced", "lead",
                  cwd=tmp_path, master=real_master(EFFICIENTNET))  # fmt: skip
    assert done.returncode == 1 and "has no vectors" in done.stderr  # nobody knows whose the traces are


# --- pytest -----------------------------------------------------------------------------------------------------------


def test_the_guides_headline_under_pytest(tmp_path):
    done = python("-m", "pytest", "-p", "no:cacheprovider", SIGMOID, "-k", "model_traced", "-v", cwd=tmp_path,
                  master=real_master(EFFICIENTNET))  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "✅ Loaded 30 model-traced configurations for sigmoid_accurate\n   • Shapes: 30\n" in done.stdout
    assert "SWEEPS - Generated 30 test vectors for suite model_traced." in done.stdout
    for index in range(30):
        assert f"test_sweep[model_traced-{index}] PASSED" in done.stdout
    assert "30 passed" in done.stdout
    (results,) = (tmp_path / "results_export").glob("eltwise_*.json")
    (run,) = (tmp_path / "results_export").glob("oprun_*.json")
    records = json.loads(results.read_text())
    assert len(records) == 30 and all(record["status"] == "pass" and record["success"] for record in records)
    assert {record["full_test_name"] for record in records} == {SIGMOID_NAME}
    assert all(0.999 <= float(record["message"]) <= 1 for record in records)
    assert all(record["metrics"][0]["metric_name"] == "e2e_perf_ms" for record in records)
    assert json.loads(run.read_text())["status"] == "passed"


def test_several_processes_of_pytest_make_one_run(tmp_path):
    store = tmp_path / "traced_operations"
    tool = pathlib.Path(sys.executable).with_name("tracelift")
    subprocess.run([tool, "import", real_master(EFFICIENTNET), "--dir", store], check=True, capture_output=True)
    done = python("-m", "pytest", "-p", "no:cacheprovider", SIGMOID, "-k", "model_traced", "-n", "2", cwd=tmp_path)
    assert done.returncode == 0 and "30 passed" in done.stdout, done.stdout
    assert "sweep results: 30 in results_export/" in done.stdout
    assert len(list((tmp_path / "results_export").iterdir())) == 2
    (results,) = (tmp_path / "results_export").glob("eltwise_*.json")
    assert len({record["input_hash"] for record in json.loads(results.read_text())}) == 30
    (run,) = (tmp_path / "results_export").glob("oprun_*.json")
    assert len(json.loads(run.read_text())["tests"]) == 30
    with sqlite3.connect(store / "tracelift.db") as database:
        assert database.execute("SELECT COUNT(*) FROM sweep_run").fetchone() == (1,)
        assert database.execute("SELECT COUNT(*) FROM sweep_result").fetchone() == (30,)


def test_failures_under_pytest_and_in_result_files(project):
    path = project / "sweeps" / "family" / "small.py"
    done = python("-m", "pytest", "-p", "no:cacheprovider", path, cwd=project)
    assert done.returncode == 1
    assert "1 failed, 3 passed, 1 skipped" in done.stdout
    (results,) = (project / "results_export").glob("family_*.json")
    records = json.loads(results.read_text())
    assert [record["status"] for record in records] == ["pass", "pass", "fail_assert_exception", "skipped", "xfail"]
    failed = records[2]
    assert (failed["error_message"], failed["message"], failed["success"]) == ("0.5", "0.5", False)
    assert failed["op_params_set"][0] == {
        "param_name": "a", "param_value_numeric": 2.0, "param_value_text": None, "param_value_json": None
    }  # fmt: skip
    assert records[4]["exception"] == "five is broken"
    (run,) = (project / "results_export").glob("oprun_*.json")
    assert json.loads(run.read_text())["status"] == "fail"


def test_only_named_files_are_sweeps(project):
    done = python("-m", "pytest", "-p", "no:cacheprovider", project / "sweeps", cwd=project)
    assert done.returncode == 5 and "no tests ran" in done.stdout
    empty = project / "sweeps" / "family" / "empty.py"
    done = python("-m", "pytest", "-p", "no:cacheprovider", empty, cwd=project)
    assert done.returncode != 0 and "suite nightly has no vectors" in done.stdout


def test_results_under_pytest_reach_the_store(tmp_path):
    tool = pathlib.Path(sys.executable).with_name("tracelift")
    store = tmp_path / "traced_operations"
    command = [tool, "import", real_master(EFFICIENTNET), "--dir", store]
    subprocess.run(command, check=True, capture_output=True)
    done = python("-m", "pytest", "-p", "no:cacheprovider", SIGMOID, "-k", "model_traced", cwd=tmp_path)
    assert done.returncode == 0 and "30 in results_export/ and in the store traced_operations" in done.stdout
    with sqlite3.connect(store / "tracelift.db") as database:
        (run,) = database.execute("SELECT contents, finished FROM sweep_run").fetchall()
        rows = database.execute(
            "SELECT r.status, r.operation, o.name, r.pcc FROM sweep_result r JOIN configuration c"
            " ON c.id = r.configuration_id JOIN operation o ON o.id = c.operation_id"
        ).fetchall()
    assert run[0] == "eltwise.unary.sigmoid_accurate.sigmoid_accurate, model_traced" and run[1]
    assert len(rows) == 30 and {row[:3] for row in rows} == {("pass", "ttnn.sigmoid_accurate", "ttnn.sigmoid_accurate")}
    assert all(0.999 <= pcc <= 1 for *_, pcc in rows)
