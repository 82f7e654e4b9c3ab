"""`tracelift sweep run`, `generate` and `merge`: journals, kills, shards, files, budgets, and modules that misbehave."""

import contextlib
import hashlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from test_masters_command import as_json, execution, find_tool, run, tensor

LONG = os.environ.get("TRACELIFT_LONG") == "1"
HEIGHTS = [32, 64, 96, 128, 160]


def write_master(path, count=60):
    """relu and add in many shapes, executed by two models more or less often."""
    relu = [
        {"arguments": {"arg0": tensor([1, 1, HEIGHTS[i % 5], 32 * (1 + i // 5)])}, "executions": [execution(count=i + 1)]}
        for i in range(count)
    ]
    add = [
        {
            "arguments": {"arg0": tensor([1, 1, 32, 32 * (1 + i)]), "arg1": tensor([1, 1, 32, 32 * (1 + i)], buffer=["DRAM", "L1"][i % 2])},
            "executions": [execution("models/x.py", 1)],
        }
        for i in range(count // 3)
    ]
    path.write_text(json.dumps({"operations": {"ttnn.relu": {"configurations": relu}, "ttnn.add": {"configurations": add}}}))


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweeps")
    write_master(folder / "m.json")
    assert run("import", folder / "m.json", "--dir", folder / "store").returncode == 0
    return folder / "store"


def fresh_store(folder, count=60):
    write_master(folder / "m.json", count)
    assert run("import", folder / "m.json", "--dir", folder / "store").returncode == 0
    return folder / "store"


def journals(store):
    return sorted((store / "sweeps").glob("*/results.jsonl"))


def lines_of(journal):
    """(head, results, finished) of the whole lines."""
    whole = journal.read_bytes().rpartition(b"\n")[0].split(b"\n")
    lines = [json.loads(line) for line in whole if line]
    return lines[0], [line for line in lines[1:] if "vector_id" in line], any("finished" in line for line in lines)


def rows(store, query):
    with contextlib.closing(sqlite3.connect(f"file:{store}/tracelift.db?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()


# --- journals, kills, resuming ------------------------------------------------------------------------------------------


def test_every_result_is_in_the_journal_and_in_the_store(tmp_path):
    store = fresh_store(tmp_path)
    results = as_json("sweep", "run", "relu", "--dir", store)
    assert len(results) == 60 and {row["status"] for row in results} == {"pass"}
    (journal,) = journals(store)
    head, lines, finished = lines_of(journal)
    assert finished and head["total"] == head["own"] == 60
    assert {line["vector_id"] for line in lines} == {row["vector_id"] for row in results}
    assert lines[0]["parameters"]["input_tensor_dtype"] == "DataType.BFLOAT16"
    assert rows(store, "SELECT count(*), count(DISTINCT vector_id) FROM sweep_result") == [(60, 60)]
    assert rows(store, "SELECT count(*) FROM sweep_run WHERE finished IS NOT NULL") == [(1,)]


def kill_and_resume(store, command, tries, longest):
    """Kills the command at random moments, then lets it finish; every journal line that was there stays."""
    chance = random.Random(15)
    kept = []
    for _ in range(tries):
        process = subprocess.Popen([find_tool(), *command, "--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.01, longest))
        process.kill()
        process.wait()
        for journal in journals(store):
            text = journal.read_bytes().rpartition(b"\n")[0]
            kept.append((journal, text))
    done = run(*command, "--resume", "--json")
    assert done.returncode == 0, done.stderr
    for journal, text in kept:
        assert journal.read_bytes().startswith(text)
    return json.loads(done.stdout)


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    store = fresh_store(tmp_path, 90)
    results = kill_and_resume(store, ["sweep", "run", "--all", "--jobs", "2", "--dir", str(store)], 100 if LONG else 10, 1.0)
    begun = [lines_of(journal) for journal in journals(store) if journal.read_bytes().count(b"\n")]
    assert len(begun) == 1, "one run, however often it was killed"
    _, lines, finished = begun[0]
    ids = [(line["sweep_name"], line["vector_id"]) for line in lines]
    assert finished and len(ids) == len(set(ids)) == 120 == len(results)
    assert rows(store, "SELECT count(*), count(DISTINCT vector_id) FROM sweep_result") == [(120, 120)]
    again = run("sweep", "run", "--all", "--jobs", "2", "--resume", "--dir", store)
    assert "the run is finished" in again.stderr and again.returncode == 0
    assert len(lines_of(journals(store)[0])[1]) == 120, "nothing was run again"


def test_resume_refuses_other_vectors(tmp_path):
    store = fresh_store(tmp_path, 6)
    assert run("sweep", "run", "relu", "--dir", store).returncode == 0
    write_master(tmp_path / "more.json", 9)
    assert run("import", tmp_path / "more.json", "--merge-known", "--dir", store).returncode == 0
    refused = run("sweep", "run", "relu", "--resume", "--dir", store)
    assert refused.returncode == 1 and "the vectors of this command have changed since (there were 6, there are 9)" in refused.stderr


# --- shards -------------------------------------------------------------------------------------------------------------


def test_four_shards_merged_are_one_run(tmp_path):
    store = fresh_store(tmp_path)
    whole = as_json("sweep", "run", "--all", "--dir", store)
    before = set(journals(store))
    processes = [
        subprocess.Popen([find_tool(), "sweep", "run", "--all", "--jobs", "1", "--shard", f"{i}/4", "--dir", str(store)], stdout=subprocess.PIPE, text=True)
        for i in (1, 2, 3, 4)
    ]
    for process in processes:
        assert process.wait(timeout=300) == 0
        process.stdout.close()
    shards = sorted(set(journals(store)) - before)
    assert len(shards) == 4
    merged = as_json("sweep", "merge", *shards, "--dir", store)
    key = lambda row: (row["sweep_name"], row["vector_id"], row["status"], row["pcc"])  # noqa: E731
    assert sorted(map(key, merged["results"])) == sorted(map(key, whole))
    assert sorted(shard["shard"] for shard in merged["shards"]) == ["1/4", "2/4", "3/4", "4/4"]
    assert all(shard["results"] > 0 for shard in merged["shards"])

    missing = run("sweep", "merge", shards[0], shards[1], shards[3], "--dir", store)
    lost = lines_of(shards[2])[0]["run"]["shard"]
    assert missing.returncode == 1 and f"cannot merge: shard {lost} is missing" in missing.stderr
    wrong = run("sweep", "run", "--all", "--shard", "5/4", "--dir", store)
    assert wrong.returncode == 2 and "expected a shard as 1/4" in wrong.stderr


# --- files --------------------------------------------------------------------------------------------------------------


def test_vector_files_have_the_documented_form_and_run_again(stored, tmp_path):
    folder = tmp_path / "vectors_export"
    made = run("sweep", "generate", "add", "--vectors-dir", folder, "--tag", "me", "--dir", stored)
    assert made.returncode == 0 and "SWEEPS: Generated 20 test vectors for suite model_traced." in made.stdout
    (file,) = folder.glob("ttnn.add*.json")
    suites = json.loads(file.read_text())
    assert list(suites) == ["model_traced"] and len(suites["model_traced"]) == 20
    for name, vector in suites["model_traced"].items():
        assert vector["input_hash"] == name == vector["config_hash"]
        assert vector["tag"] == "me" and vector["validity"] == "VALID" and vector["sweep_name"] == "ttnn.add"
        assert re.fullmatch(r"\(1, 1, 32, \d+\)", vector["input_tensor_a_shape"])
        assert vector["input_tensor_a_dtype"] == "DataType.BFLOAT16" and vector["input_tensor_a_layout"] == "Layout.TILE"
        assert vector["input_tensor_b_memory_config"]["type"] == "ttnn._ttnn.tensor.MemoryConfig"
        assert set(vector["input_tensor_b_memory_config"]["data"]) == {"buffer_type", "created_with_nd_shard_spec", "memory_layout"}
    manifest = json.loads((folder / "generation_manifest.json").read_text())
    assert manifest["total_vectors"] == 20 and manifest["tag"] == "me"
    text = file.read_bytes()
    again = run("sweep", "generate", "add", "--vectors-dir", folder, "--tag", "me", "--dir", stored)
    assert "unchanged" in again.stdout and file.read_bytes() == text

    from_file = as_json("sweep", "run", "add", "--vector-source", "file", "--file-path", file, "--dir", stored)
    assert len(from_file) == 20 and {row["status"] for row in from_file} == {"pass"}
    assert {row["vector_id"] for row in from_file} == set(suites["model_traced"])


def test_all_cases_have_ids_by_the_documented_rule(stored, tmp_path):
    assert run("sweep", "generate", "add", "--all-cases", "--vectors-dir", tmp_path, "--dir", stored).returncode == 0
    vectors = json.loads((tmp_path / "ttnn.add.json").read_text())["model_traced"]
    assert len(vectors) == 20 * 2, "shapes x pairs of memory configs"
    for name, vector in vectors.items():
        hashed = {key: value for key, value in vector.items() if key not in ("timestamp", "input_hash", "tag")}
        text = json.dumps(hashed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha224(text.encode()).hexdigest() == name == vector["input_hash"]
    swept = as_json("sweep", "run", "add", "--all-cases", "--dir", stored)
    assert {row["vector_id"] for row in swept} == set(vectors) and {row["status"] for row in swept} == {"pass"}


def test_suites_that_are_too_large_are_refused_with_advice(tmp_path):
    relu = [{"arguments": {"arg0": tensor([1, 1, 32 * (1 + i), 32], dtype=["BFLOAT16", "FLOAT32"][i % 2], buffer=["DRAM", "L1"][i // 2 % 2])}, "executions": [execution()]} for i in range(2600)]
    (tmp_path / "m.json").write_text(json.dumps({"operations": {"ttnn.relu": {"configurations": relu}}}))
    refused = run("sweep", "generate", "relu", "--all-cases", "--dir", tmp_path / "m.json", "--vectors-dir", tmp_path / "v")
    assert refused.returncode == 1 and "10,400 permutations, at most 10,000 are allowed" in refused.stderr and "--budget" in refused.stderr
    none = run("sweep", "generate", "relu", "--model-traced", "lead", "--dir", tmp_path / "m.json", "--vectors-dir", tmp_path / "v")
    assert none.returncode == 1 and "zero vectors" in none.stderr
    assert not (tmp_path / "v").exists()


def test_result_files_have_the_documented_keys(stored, tmp_path):
    folder = tmp_path / "results_export"
    done = run("sweep", "run", "add", "--result-dest", "results_export", "--results-dir", folder, "--perf", "--measure-memory", "--dir", stored)
    assert done.returncode == 0, done.stderr
    digest = hashlib.sha256(b"ttnn.add").hexdigest()[:12]
    (file,) = folder.glob(f"ttnn_{digest}_????????_??????.json")
    (whole,) = folder.glob("oprun_*.json")
    records = json.loads(file.read_text())
    assert len(records) == 20
    assert list(records[0]) == (
        "github_job_id full_test_name test_start_ts test_end_ts test_case_name filepath success skipped error_message error_hash "
        "config frontend model_name op_kind op_name framework_op_name inputs outputs op_params git_sha status card_type backend "
        "data_source input_hash message exception metrics op_params_set"
    ).split()
    first = records[0]
    assert first["status"] == "pass" and first["success"] and first["error_message"] == "None" and first["model_name"] == "models/x.py"
    assert first["error_hash"] == hashlib.sha256(b"None").hexdigest() and re.fullmatch(r"\w+ \(.+\)", first["card_type"])
    metrics = {metric["metric_name"]: metric["metric_value"] for metric in first["metrics"]}
    assert list(metrics) == sorted(metrics) == [
        "e2e_perf_ms", "num_cores", "peak_cb_per_core_bytes", "peak_l1_buffers_per_core_bytes", "peak_l1_memory_aggregate_bytes",
        "peak_l1_memory_device_bytes", "peak_l1_memory_per_core_bytes",
    ]  # fmt: skip
    assert metrics["peak_l1_memory_aggregate_bytes"] == metrics["peak_l1_memory_per_core_bytes"] * metrics["num_cores"] > 0
    parameters = {entry["param_name"]: entry for entry in first["op_params_set"]}
    assert parameters["input_tensor_a_memory_config.buffer_type"]["param_value_text"] == "DRAM"
    summary = json.loads(whole.read_text())
    assert summary["status"] == "passed" and summary["run_type"] == "sweeps" and summary["tests"] == records


# --- budgets, weights, limits -------------------------------------------------------------------------------------------


def test_a_budget_tells_its_coverage_and_weights_tell_what_models_see(stored):
    done = run("sweep", "run", "relu", "--budget", "15", "--weight", "executions", "--dir", stored)
    assert done.returncode == 0 and "15 of 15 configurations pass" in done.stdout
    covered = re.search(r"the budget of 15 covers (\d+) of (\d+) values .* and (\d+) of (\d+) pairs", done.stdout)
    assert int(covered[1]) <= int(covered[2]) and int(covered[3]) <= int(covered[4])
    assert re.search(r"weighted by executions: [\d,]+ of [\d,]+ pass \(100.00%\)", done.stdout)


def test_what_is_too_large_for_the_machine_is_only_inferred(tmp_path):
    call = {"arguments": {"arg0": tensor([1, 1, 8192, 8192])}, "executions": [execution()]}
    (tmp_path / "m.json").write_text(json.dumps({"operations": {"ttnn.relu": {"configurations": [call]}}}))
    done = run("sweep", "run", "relu", "--memory", "200", "--dir", tmp_path / "m.json")
    assert re.search(r"too_large: about \d+ MB of host memory are needed, 200 MB allowed; output BFLOAT16 .*8192, 8192.*it fits the device", done.stdout)
    assert "0 of 1 configurations pass, 1 are too large for this machine" in done.stdout and done.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--all", "--vector-id", "1"], "--vector-id needs --module-name or an operation"),
        (["add", "--file-path", "x"], "--file-path goes with --vector-source file"),
        (["add", "--vector-source", "file"], "--vector-source file needs --file-path"),
        (["add", "--vector-source", "vectors_export", "--file-path", "x"], "--file-path goes with --vector-source file"),
        (["add", "--module-name", "x"], "expected --module-name or operations, not both"),
        (["--module-name", "x", "--budget", "3"], "--budget is for operations"),
    ],
)
def test_rules_between_options(stored, arguments, message):
    refused = run("sweep", "run", *arguments, "--dir", stored)
    assert refused.returncode == 2 and message in refused.stderr


# --- Python modules -----------------------------------------------------------------------------------------------------

MISBEHAVING = '''
import os, sys, time

TIMEOUT = 8

parameters = {"nightly": {"behaviour": ["fine", "segfaults", "fine2", "loops", "eats", "rubbish", "prints", "forks", "exits", "raises", "fine3"]}}


def run(behaviour, *, device):
    if behaviour == "segfaults":
        os.kill(os.getpid(), 11)
    elif behaviour == "loops":
        with open(os.environ["FORKED"] + ".loops", "a") as log:
            log.write("x")
        while True:
            time.sleep(0.01)
    elif behaviour == "eats":
        kept = []
        while True:
            kept.append(b"x" * 100_000_000)
    elif behaviour == "rubbish":
        return object()
    elif behaviour == "prints":
        for _ in range(40):
            print("y" * 100_000)
    elif behaviour == "forks":
        child = os.fork()
        if child == 0:
            time.sleep(600)
        with open(os.environ["FORKED"], "w") as log:
            log.write(str(child))
    elif behaviour == "exits":
        os._exit(7)
    elif behaviour == "raises":
        raise ValueError("not like this")
    return True, "0.9999"
'''


def needs_framework():
    probe = subprocess.run([sys.executable, "-c", "import tracelift.sweep_framework.worker"], capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip("tracelift.sweep_framework is not installed")


def test_modules_that_misbehave_have_their_status_and_the_others_pass(tmp_path, monkeypatch):
    needs_framework()
    (tmp_path / "sweeps").mkdir()
    (tmp_path / "sweeps" / "bad.py").write_text(MISBEHAVING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORKED", str(tmp_path / "forked"))
    done = run("sweep", "run", "--module-name", "bad", "--jobs", "1", "--memory", "900", "--json", "--dir", tmp_path / "store")
    assert done.returncode == 1, done.stderr
    with contextlib.closing(sqlite3.connect(tmp_path / "store" / "tracelift.db")) as database:
        found = {
            json.loads(parameters)["behaviour"]: (status, exception)
            for status, exception, parameters in database.execute("SELECT status, exception, parameters FROM sweep_result")
        }
    statuses = {name: status for name, (status, _) in found.items()}
    assert statuses == {
        "fine": "pass", "fine2": "pass", "fine3": "pass", "prints": "pass", "forks": "pass", "segfaults": "fail_crash",
        "exits": "fail_crash", "loops": "fail_timeout", "eats": "fail_host_memory", "rubbish": "fail", "raises": "fail",
    }  # fmt: skip
    assert "SIGSEGV" in found["segfaults"][1] and "not like this" in found["raises"][1]
    assert "TEST TIMED OUT (CRASH / HANG)" in found["loops"][1]
    assert (tmp_path / "forked.loops").read_text() == "xx", "tried twice"
    child = int((tmp_path / "forked").read_text())
    for _ in range(100):
        if not Path(f"/proc/{child}").exists():
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        raise AssertionError("what the module forked outlived the sweep")


COUNTING = '''
import os, time

parameters = {"nightly": {"number": list(range(40))}, "xfail_odd": {"number": [1, 2]}}


def run(number, *, device):
    with open(os.environ["COUNTED"], "a") as log:
        log.write(f"{number}\\n")
    time.sleep(0.02)
    return number >= 0, "1.0"
'''


def test_modules_killed_and_resumed_run_no_vector_twice_that_had_a_result(tmp_path, monkeypatch):
    needs_framework()
    (tmp_path / "sweeps").mkdir()
    (tmp_path / "sweeps" / "counting.py").write_text(COUNTING)
    monkeypatch.chdir(tmp_path)
    counted = tmp_path / "counted"
    monkeypatch.setenv("COUNTED", str(counted))
    store = tmp_path / "store"
    command = [find_tool(), "sweep", "run", "--module-name", "counting", "--suite-name", "nightly", "--jobs", "2", "--resume", "--dir", str(store)]
    chance = random.Random(4)
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(2, 6))
        process.kill()
        process.wait()
        time.sleep(0.3)  # the workers die with it
        had = {line["parameters"]["number"] for journal in journals(store) for line in lines_of(journal)[1]} if journals(store) else set()
        counted.write_text("")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not had & set(map(int, counted.read_text().split())), "a vector that had a result ran again"
    _, lines, finished = lines_of(journals(store)[-1])
    assert finished and sorted(line["parameters"]["number"] for line in lines) == list(range(40))


def test_a_suite_that_is_expected_to_fail(tmp_path, monkeypatch):
    needs_framework()
    (tmp_path / "sweeps").mkdir()
    (tmp_path / "sweeps" / "counting.py").write_text(COUNTING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTED", str(tmp_path / "counted"))
    results = as_json("sweep", "run", "--module-name", "counting", "--suite", "xfail_odd", "--dir", tmp_path / "store", status=1)
    assert {row["status"] for row in results} == {"xpass"}
    listed = as_json("sweep", "run", "--module-name", "counting", "--suite", "xfail_odd", "--dry-run", "--dir", tmp_path / "store")
    assert len(listed) == 2 and not (tmp_path / "counted.dry").exists()
