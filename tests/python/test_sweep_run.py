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


def begun(store):
    return [journal for journal in journals(store) if journal.read_bytes().count(b"\n")]


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    """Only kills of a run that has begun and not ended count; a run that ended first is judged and another one begins."""
    store = fresh_store(tmp_path, 90)
    command = ["sweep", "run", "--all", "--jobs", "2", "--dir", str(store)]
    started = time.monotonic()
    assert run(*command).returncode == 0
    longest = time.monotonic() - started
    chance = random.Random(15)
    kills, runs = 0, 1
    while kills < (100 if LONG else 10):
        assert runs < 100, f"{kills} kills in {runs} runs"
        fresh = lines_of(begun(store)[-1])[2]
        process = subprocess.Popen([find_tool(), *command, *([] if fresh else ["--resume"])], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.01, longest))
        process.kill()
        process.wait()
        if fresh and len(begun(store)) == runs:
            continue  # killed before it began: there is nothing to go on with
        runs += fresh
        assert len(begun(store)) == runs, "what goes on begins no run of its own"
        journal = begun(store)[-1]
        head, lines, finished = lines_of(journal)
        if not finished:
            kills += 1
            # The store learns of a run, and of its results, after the journal.
            own = f"SELECT id FROM sweep_run WHERE started = '{head['run']['started']}'"
            assert rows(store, f"SELECT count(*) FROM sweep_result WHERE sweep_run_id IN ({own})") <= [(len(lines),)]
            if kills % 3:
                continue  # killed again and again before it may end
            text = journal.read_bytes().rpartition(b"\n")[0]
            done = run(*command, "--resume", "--json")
            assert done.returncode == 0 and len(json.loads(done.stdout)) == 120, done.stderr
            assert journal.read_bytes().startswith(text), "every line that was there stays"
            _, lines, finished = lines_of(journal)
        ids = [(line["sweep_name"], line["vector_id"]) for line in lines]
        assert finished and len(ids) == len(set(ids)) == 120
    assert run(*command, "--resume").returncode == 0
    counts = "SELECT count(*), count(DISTINCT vector_id) FROM sweep_result GROUP BY sweep_run_id"
    assert rows(store, counts) == [(120, 120)] * runs
    again = run(*command, "--resume")
    assert "the run is finished" in again.stderr and again.returncode == 0
    assert rows(store, counts) == [(120, 120)] * runs, "nothing was run again"


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


def test_a_shard_without_vectors_runs_nothing_and_the_ledger_balances(tmp_path):
    store = fresh_store(tmp_path, 3)
    for i in (1, 2, 3, 4, 5):
        done = run("sweep", "run", "relu", "--shard", f"{i}/5", "--dir", store)
        assert done.returncode == 0, done.stderr
    assert sorted(len(lines_of(journal)[1]) for journal in journals(store)) == [0, 0, 1, 1, 1]
    assert len(as_json("sweep", "merge", *journals(store), "--dir", store)["results"]) == 3


def test_shards_are_merged_in_another_store_and_beside_journals_that_were_never_begun(tmp_path):
    """The rows of configurations have other numbers there: they are found by their hashes."""
    store = fresh_store(tmp_path, 6)
    for i in (1, 2):
        assert run("sweep", "run", "relu", "--shard", f"{i}/2", "--dir", store).returncode == 0
    (store / "sweeps" / "20990101000000000_1").mkdir()
    (store / "sweeps" / "20990101000000000_1" / "results.jsonl").write_text("")
    assert len(as_json("sweep", "merge", "latest", "latest~1", "--dir", store)["results"]) == 6
    finished = run("sweep", "run", "relu", "--resume", "--dir", store)
    assert finished.returncode == 0 and "6 of 6 configurations have a result; the run is finished" in finished.stderr

    other = tmp_path / "other"
    write_master(tmp_path / "other.json", 9)
    (tmp_path / "first").mkdir()
    add = {"arguments": {"arg0": tensor([1, 1, 64, 64])}, "executions": [execution(uid="u-9")]}
    (tmp_path / "first.json").write_text(json.dumps({"operations": {"ttnn.exp": {"configurations": [add]}}}))
    for file in ("first.json", "m.json"):
        assert run("import", tmp_path / file, "--dir", other).returncode == 0
    shards = [journal for journal in journals(store) if journal.read_text() and lines_of(journal)[0]["run"]["shard"]]
    assert len(as_json("sweep", "merge", *shards, "--dir", other)["results"]) == 6
    joined = "SELECT r.identity = c.identity FROM sweep_result r JOIN configuration c ON c.id = r.configuration_id"
    assert rows(other, joined) == [(1,)] * 6


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

    by_hardware = tmp_path / "by_hardware"
    assert run("sweep", "generate", "add", "--group-by", "hw", "--vectors-dir", by_hardware, "--dir", stored).returncode == 0
    assert [found.name.partition("__")[0] for found in by_hardware.glob("ttnn*")] == ["ttnn.add"]
    for grouped in ("hw", "mesh"):  # the second time the same vectors are in two files
        assert run("sweep", "generate", "add", "--group-by", grouped, "--vectors-dir", by_hardware, "--dir", stored).returncode == 0
        listed = as_json("sweep", "run", "add", "--vector-source", "vectors_export", "--vectors-dir", by_hardware, "--dry-run", "--dir", stored)
        assert sorted(vector["vector_id"] for vector in listed) == sorted(suites["model_traced"])

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


@pytest.mark.parametrize("which", [[], ["--all-cases"]])
def test_vectors_of_files_run_on_the_board_that_they_were_traced_on(tmp_path, which):
    """72 shards need the cores of a galaxy; the default board has fewer."""
    sharded = tensor([1, 1, 72 * 32, 32], layout="HEIGHT_SHARDED", buffer="L1")
    sharded["memory_config"]["shard_spec"]["grid"] = [{"start": {"x": 0, "y": 0}, "end": {"x": 7, "y": 8}}]
    galaxy = execution()
    galaxy["machine_info"].update(device_series="tt-galaxy-wh", card_count=32, device_count=32, mesh_device_shape=[4, 8])
    call = {"arguments": {"arg0": sharded}, "executions": [galaxy]}
    (tmp_path / "m.json").write_text(json.dumps({"operations": {"ttnn.relu": {"configurations": [call]}}}))
    assert run("import", tmp_path / "m.json", "--dir", tmp_path / "store").returncode == 0
    assert run("sweep", "generate", "relu", *which, "--vectors-dir", tmp_path / "v", "--dir", tmp_path / "store").returncode == 0
    (direct,) = as_json("sweep", "run", "relu", *which, "--dir", tmp_path / "store")
    (from_file,) = as_json("sweep", "run", "relu", "--vector-source", "vectors_export", "--vectors-dir", tmp_path / "v", "--dir", tmp_path / "store")
    assert (direct["status"], direct["vector_id"]) == (from_file["status"], from_file["vector_id"]) == ("pass", direct["vector_id"])


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


def test_combinations_that_models_execute_come_first_and_weigh_what_they_weigh(stored):
    done = run("sweep", "run", "relu", "--all-cases", "--weight", "executions", "--dir", stored)
    assert done.returncode == 0, done.stderr
    assert f"weighted by executions: {sum(range(1, 61)):,} of {sum(range(1, 61)):,} pass (100.00%)" in done.stdout
    chosen = as_json("sweep", "run", "add", "--all-cases", "--budget", "21", "--dir", stored)
    assert len(chosen) == 21 and sum(row["identity"] != "" for row in chosen) == 20, "all that was traced, and one more"


def test_an_operation_is_run_once_however_often_it_is_named(stored):
    assert len(as_json("sweep", "run", "add", "ttnn::add", "ttnn.add", "--dry-run", "--dir", stored)) == 20


def test_what_is_too_large_for_the_machine_is_only_inferred(tmp_path):
    call = {"arguments": {"arg0": tensor([1, 1, 8192, 8192])}, "executions": [execution()]}
    (tmp_path / "m.json").write_text(json.dumps({"operations": {"ttnn.relu": {"configurations": [call]}}}))
    done = run("sweep", "run", "relu", "--memory", "200", "--dir", tmp_path / "m.json")
    assert re.search(r"too_large: needs about \d+ MB of host memory, 200 MB allowed; output BFLOAT16 .*8192, 8192.*it fits the device", done.stdout)
    assert "0 of 1 configurations pass, 1 are too large for this machine" in done.stdout and done.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--all", "--vector-id", "1"], "--vector-id needs --module-name or an operation"),
        (["add", "--file-path", "x"], "--file-path goes with --vector-source file"),
        (["add", "--vector-source", "file"], "--vector-source file needs --file-path"),
        (["add", "--vector-source", "vectors_export", "--file-path", "x"], "--file-path goes with --vector-source file"),
        (["add", "--module-name", "x"], "expected --module-name or operations, not both"),
        (["--module-name", "x", "--budget", "3"], "--budget is for operations, not for modules"),
        (["add", "--vector-source", "vectors_export", "--budget", "3"], "--budget is for operations, not for vectors of files"),
        (["add", "--budget", "0"], "--budget takes a whole number from 1"),
        (["add", "--shard", "0/4"], "expected a shard as 1/4, from 1/N to N/N, got '0/4'"),
        (["add", "--suite-name", "nightly"], "operations have the suite model_traced, not 'nightly'"),
    ],
)
def test_rules_between_options(stored, arguments, message):
    refused = run("sweep", "run", *arguments, "--dir", stored)
    assert refused.returncode == 2 and message in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add", "--mesh-shape", "wide"], "--mesh-shape takes ROWSxCOLUMNS, got 'wide'"),
        (["--module-name", "x", "--all-cases"], "--all-cases is for operations, not for modules"),
        (["add", "--module-name", "x"], "expected --module-name or operations, not both"),
    ],
)
def test_rules_between_options_of_generate(stored, arguments, message, tmp_path):
    refused = run("sweep", "generate", *arguments, "--vectors-dir", tmp_path, "--dir", stored)
    assert refused.returncode == 2 and message in refused.stderr


def test_vectors_that_are_not_there_are_errors_that_name_them(stored, tmp_path):
    for arguments, message in [
        (["add", "--vector-id", "zzz"], "there is no vector zzz"),
        (["nonsense"], "no stored operation matches 'nonsense'"),
        (["add", "--vector-source", "file", "--file-path", str(tmp_path / "absent.json")], "absent.json: cannot be read"),
        (["add", "--vector-source", "vectors_export", "--vectors-dir", str(tmp_path)], "there are no vectors of add"),
    ]:
        refused = run("sweep", "run", *arguments, "--dir", stored)
        assert refused.returncode == 1 and message in refused.stderr
    for text, message in [("[]", "expected a vector file, an object of suites"), ('{"s": []}', "suite 's': expected an object of vectors"),
                          ('{"s": {"v": 3}}', "suite 's', vector v: expected an object"), ('{"s": {"v": {"a": ', "expected a vector file")]:  # fmt: skip
        (tmp_path / "bad.json").write_text(text)
        refused = run("sweep", "run", "add", "--vector-source", "file", "--file-path", tmp_path / "bad.json", "--dir", stored)
        assert refused.returncode == 1 and f"bad.json: {message}" in refused.stderr


# --- Python modules -----------------------------------------------------------------------------------------------------

MISBEHAVING = '''
import os, sys, time

TIMEOUT = 8

parameters = {"nightly": {"behaviour": ["fine", "segfaults", "fine2", "loops", "eats", "its child eats", "rubbish", "half", "endless", "prints", "forks", "exits", "raises", "fine3"]}}


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
    elif behaviour == "its child eats":
        if os.fork() == 0:
            kept = []
            while True:
                kept.append(b"x" * 100_000_000)
        os.wait()
    elif behaviour == "rubbish":
        return object()
    elif behaviour == "half":  # of a surrogate pair, as names of files have them that are no UTF-8
        return False, "a half \\udcff\\x00 of a name"
    elif behaviour == "endless":
        return {"passed": True, "message": "1.0", "metrics": {"endless": float("inf")}}
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
        "half": "fail", "endless": "pass", "its child eats": "fail_host_memory",
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
    time.sleep(0.05)
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
    for wanted in (5, 15, 25):
        counted.write_text("")
        had = {line["parameters"]["number"] for journal in begun(store) for line in lines_of(journal)[1]}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not begun(store) or len(lines_of(begun(store)[-1])[1]) < wanted:
            assert process.poll() is None, f"it ended before it had {wanted} results"
            time.sleep(0.01)
        process.kill()
        process.wait()
        assert not lines_of(begun(store)[-1])[2], "it ended before it was killed"
        time.sleep(0.3)  # the workers die with it
        assert not had & set(map(int, counted.read_text().split())), "a vector that had a result ran again"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (journal,) = begun(store)
    _, lines, finished = lines_of(journal)
    assert finished and sorted(line["parameters"]["number"] for line in lines) == list(range(40))


TRACED = """
from tracelift.sweep_framework.master_config_loader import MasterConfigLoader, unpack_traced_config

parameters = {"model_traced": MasterConfigLoader().get_suite_parameters("relu")}


def run(traced_config_name, *, device):
    shape, *_ = unpack_traced_config(traced_config_name)
    return shape[-1] % 32 == 0, "1.0"
"""


def test_a_module_traces_the_store_that_is_named_and_its_results_know_their_configurations(tmp_path, monkeypatch):
    needs_framework()
    store = fresh_store(tmp_path, 6)
    (tmp_path / "sweeps" / "deep").mkdir(parents=True)
    (tmp_path / "sweeps" / "deep" / "traced.py").write_text(TRACED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TTNN_MASTER_JSON_PATH", raising=False)
    results = as_json("sweep", "run", "--module-name", "traced, deep,,deep.traced", "--dir", store)
    assert len(results) == 6 and {(row["status"], row["operation"]) for row in results} == {("pass", "deep.traced")}
    known = rows(store, "SELECT identity FROM configuration c JOIN operation o ON o.id = c.operation_id WHERE o.name = 'ttnn.relu'")
    assert sorted(known) == sorted((row["identity"],) for row in results)
    stored = "SELECT r.operation, r.source, r.identity = c.identity FROM sweep_result r LEFT JOIN configuration c ON c.id = r.configuration_id"
    assert rows(store, stored) == [("ttnn.relu", "models/demos/bert/demo.py", 1)] * 6
    none = run("sweep", "run", "--module-name", " ,", "--dir", store)
    assert none.returncode == 1 and "expected names of sweep modules, got ' ,'" in none.stderr


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
