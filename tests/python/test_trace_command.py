"""`tracelift trace`, `import`, `ops`, `show`, `sweep run` and `selfcheck`, as people run them."""

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
TARGETS = Path(__file__).parent / "targets"
TRACELIFT = Path(sys.executable).with_name("tracelift")
BERT = PROJECT / "examples" / "bert" / "test_bert_encoder.py"
MLP = PROJECT / "build" / "bin" / "example_mlp"
LONG = os.environ.get("TRACELIFT_LONG") == "1"
MASTER = "ttnn_operations_master.json"


def tracelift(*arguments, cwd=PROJECT, status=0, **environment):
    """Runs the command and gives its result; the exit status must be the expected one."""
    result = subprocess.run(
        [TRACELIFT, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300, env={**os.environ, **environment}
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result


def as_json(*arguments, **options):
    own = arguments.index("--") if "--" in arguments else len(arguments)
    return json.loads(tracelift(*arguments[:own], "--json", *arguments[own:], **options).stdout)


def master(store):
    return json.loads((store / MASTER).read_text())


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """A store with both examples in it, and what tracing them said."""
    store = tmp_path_factory.mktemp("store")
    bert = as_json("trace", f"{BERT}::test_bert_encoder", "--dir", store, "--name", "bert")
    mlp = as_json("trace", MLP, "--dir", store)
    return store, bert, mlp


@pytest.fixture
def store(traced, tmp_path):
    """The same, to be changed."""
    return Path(shutil.copytree(traced[0], tmp_path / "store"))


def test_summary_reads_as_in_the_guide(tmp_path):
    out = tracelift("trace", f"{TARGETS}/case_cnn_block.py::test_cnn_block", "--dir", tmp_path).stdout
    for line in ("🚀 TTNN Operations Tracer", "📋 RESULTS", "Test Result: ✅ PASSED", "🔧 Unique Configurations (current test):"):
        assert line in out
    added = master(tmp_path)["metadata"]["total_configurations"]
    assert f"Added {added} new unique configurations" in out
    assert f"• ttnn::sigmoid_accurate: {len(master(tmp_path)['operations']['ttnn::sigmoid_accurate']['configurations'])} unique" in out
    assert not (tmp_path / "raw").exists() or not list((tmp_path / "raw").iterdir())


def test_both_examples_are_captured(traced):
    store, bert, mlp = traced
    assert bert["outcome"] == mlp["outcome"] == "passed"
    assert {"ttnn::linear", "ttnn::matmul", "ttnn::layer_norm", "ttnn::embedding"} <= set(bert["operations"])
    assert "ttnn::linear" in mlp["operations"]
    for report in (bert, mlp):
        assert report["captured"] == report["kept"] + report["excluded"] + report["not_listed"] + report["failed_calls"]
        assert report["unbound_configurations"] == 0
        assert sum(report["left_out"].values()) == report["excluded"] + report["not_listed"]
        assert sum(count["executions"] for count in report["operations"].values()) == report["kept"]
    assert master(store)["metadata"]["models"] == ["bert", "build/bin/example_mlp"]


def test_no_path_of_this_machine_is_stored(traced):
    text = (traced[0] / MASTER).read_text()
    assert str(PROJECT) not in text
    assert str(Path.home()) not in text or str(Path.home()) == "/"


def test_tracing_again_adds_no_configuration(store):
    before = master(store)
    report = as_json("trace", f"{BERT}::test_bert_encoder", "--dir", store, "--name", "bert")
    assert report["new_configurations"] == 0
    after = master(store)
    assert after["metadata"]["total_configurations"] == before["metadata"]["total_configurations"]
    assert after["metadata"]["total_operations"] == before["metadata"]["total_operations"] + report["kept"]
    for name in report["operations"]:
        old, new = before["operations"][name], after["operations"][name]
        assert new["configurations"] == old["configurations"]
        # A new run is a new execution of every configuration it used; the old ones stay.
        assert [e for e in new["executions"] if e["trace_uid"] != report["trace_uid"]] == old["executions"]
        assert sum(e["count"] for e in new["executions"] if e["trace_uid"] == report["trace_uid"]) == report["operations"][name]["executions"]


def test_calls_are_counted_as_python_sees_them(tmp_path):
    """Counts against a counter that the script keeps itself."""
    script = tmp_path / "count.py"
    script.write_text(
        "import ttnn, torch\n"
        "device = ttnn.open_device(device_id=0)\n"
        "x = ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)\n"
        "for i in range(17): y = ttnn.relu(x)\n"
        "for i in range(5): y = ttnn.add(x, float(i % 2))\n"
        "z = x + x\n"
        "ttnn.close_device(device)\n"
    )
    report = as_json("trace", script, "--dir", tmp_path / "s")
    assert report["operations"]["ttnn::relu"] == {"configurations": 1, "executions": 17}
    assert report["operations"]["ttnn::add"] == {"configurations": 3, "executions": 6}


def test_operations_inside_python_operations_are_captured(tmp_path):
    script = tmp_path / "inside.py"
    script.write_text(
        "import ttnn, torch\n"
        "@ttnn.register_python_operation(name='ttnn.mine_twice')\n"
        "def twice(x): return ttnn.add(ttnn.relu(x), x)\n"
        "device = ttnn.open_device(device_id=0)\n"
        "x = ttnn.from_torch(torch.ones(2, 32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)\n"
        "twice(x[0:1])\n"
        "ttnn.close_device(device)\n"
    )
    report = as_json("trace", script, "--dir", tmp_path / "s")
    assert set(report["operations"]) == {"ttnn::slice", "ttnn::relu", "ttnn::add"}


def test_threads_are_all_captured(tmp_path):
    report = as_json("trace", f"{TARGETS}/case_threads.py::test_threads", "--dir", tmp_path)
    assert report["outcome"] == "passed"
    assert report["unfinished_calls"] == report["incomplete_records"] == 0


@pytest.mark.parametrize("name, outcome", [("case_failing.py::test_fails", "failed"), ("case_crashing.py::test_crashes", "crashed")])
def test_a_failing_or_crashing_target_keeps_what_was_captured(tmp_path, name, outcome):
    result = tracelift("trace", TARGETS / name, "--dir", tmp_path, status=1)
    assert f"Test Result: {'❌ FAILED' if outcome == 'failed' else '💥 CRASHED'}" in result.stdout
    assert "what was captured is stored" in result.stdout
    assert master(tmp_path)["metadata"]["total_configurations"] > 0
    if outcome == "crashed":
        assert "SIGABRT" in result.stdout


def test_store_keeps_raw_traces_that_import_takes(tmp_path):
    first = as_json("trace", MLP, "--dir", tmp_path / "a", "--store")
    raw = Path(first["raw"])
    assert list(raw.glob("*.tlraw"))
    (imported,) = as_json("import", raw, "--dir", tmp_path / "b")
    assert imported["operations"] == first["operations"]
    assert imported["trace_uid"] == first["trace_uid"]
    a, b = master(tmp_path / "a"), master(tmp_path / "b")
    assert a["operations"] == b["operations"]
    # Importing the same trace once more changes nothing.
    (again,) = as_json("import", raw, "--dir", tmp_path / "b")
    assert again["new_configurations"] == 0
    assert master(tmp_path / "b")["operations"] == b["operations"]
    assert master(tmp_path / "b")["metadata"]["total_operations"] == b["metadata"]["total_operations"]


def test_lists_of_operations_can_be_replaced(tmp_path):
    (tmp_path / "valid.txt").write_text("# only these\nttnn.linear\nttnn::softmax\n")
    (tmp_path / "excluded.txt").write_text("softmax\n")
    report = as_json("trace", MLP, "--dir", tmp_path / "s", "--valid-ops", tmp_path / "valid.txt", "--excluded-ops", tmp_path / "excluded.txt")
    assert set(report["operations"]) == {"ttnn::linear"}
    assert report["excluded"] > 0 and report["not_listed"] > 0


def test_arguments_and_name_reach_the_target(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, ttnn\n"
        "assert sys.argv[1:] == ['--size', '64'], sys.argv\n"
        "device = ttnn.open_device(device_id=0)\n"
        "ttnn.relu(ttnn.zeros([int(sys.argv[2]), 32], device=device, layout=ttnn.TILE_LAYOUT))\n"
    )
    report = as_json("trace", script, "--dir", tmp_path / "s", "--name", "sized", "--", "--size", "64")
    assert report["model"] == "sized"
    (relu,) = as_json("show", "relu", "--dir", tmp_path / "s")
    assert relu["configurations"][0]["executions"][0]["source"] == "sized"


def test_ops_and_show(traced):
    store = traced[0]
    listed = {row["operation"]: row for row in as_json("ops", "--dir", store)}
    assert set(listed) == set(master(store)["operations"])
    assert {row["operation"] for row in as_json("ops", "*norm", "--dir", store)} == {"ttnn::layer_norm"}
    texts = [tracelift("show", name, "--dir", store).stdout for name in ("linear", "ttnn.linear", "ttnn::linear")]
    assert texts[0] == texts[1] == texts[2]
    assert f"📊 Operation: ttnn::linear\n📊 Configurations: {listed['ttnn::linear']['configurations']}\n{'=' * 80}\n" in texts[0]
    assert "\n📋 Configuration 1:\n" + "-" * 40 + "\n  arg0: Tensor(shape=[" in texts[0]
    assert "Configuration 1" not in tracelift("show", "linear", "--brief", "--dir", store).stdout
    of_bert, all_of = (as_json("show", "linear", "--dir", store, *more)[0]["count"] for more in (["--model", "bert"], []))
    assert 0 < of_bert < all_of
    assert tracelift("ops", TRACELIFT_DIR=str(store)).stdout == tracelift("ops", "--dir", store).stdout


def test_sweep_and_selfcheck_of_both_examples(store):
    results = as_json("sweep", "run", "--all", "--dir", store)
    assert {result["status"] for result in results} == {"pass"}
    assert len(results) == master(store)["metadata"]["total_configurations"]
    checked = as_json("selfcheck", "--dir", store)
    assert [entry["problem"] for entry in checked if not entry["same"]] == []
    assert len(checked) == len(results)
    assert "100.0 %" in tracelift("selfcheck", "--dir", store).stdout


def test_selfcheck_notices_another_call(store):
    """A stored argument is changed behind the identity's back."""
    import sqlite3

    database = sqlite3.connect(store / "tracelift.db")
    row, arguments = database.execute(
        "SELECT c.id, arguments FROM configuration c JOIN operation o ON o.id = operation_id WHERE name = 'ttnn.softmax'"
    ).fetchone()
    arguments = arguments.encode("latin1") if isinstance(arguments, str) else arguments
    changed = arguments.replace(b"BFLOAT16", b"FLOAT32\0").replace(b"\x08FLOAT32\0", b"\x07FLOAT32")
    assert changed != arguments
    database.execute("UPDATE configuration SET arguments = ? WHERE id = ?", (changed, row))
    database.commit()
    out = tracelift("selfcheck", "softmax", "--dir", store, status=1).stdout
    assert "the replayed call is ttnn.softmax" in out


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["trace", "no/such/test.py::test_x"], "target not found: there is no file 'no/such/test.py'"),
        (["trace", "README.md"], "expected a pytest node id"),
        (["trace", f"{BERT}::test_no_such"], "no test was collected"),
        (["trace", "{tmp}/test_empty.py"], "no test was collected"),
        (["trace", "{tmp}/idle.py"], "nothing was captured"),
        (["trace", "/bin/true"], "does it link tracelift_runtime?"),
        (["import", "{tmp}/nothing"], "does not exist"),
        (["import", "{tmp}/empty"], "contains no raw trace"),
        (["import", "{tmp}/bad.tlraw"], "not a raw trace"),
        (["import", "{tmp}/half.json"], "half.json: line 1, column"),
        (["ops"], "there is no store here"),
        (["sweep", "run", "--all"], "there is no store here"),
        (["selfcheck"], "there is no store here"),
    ],
)
def test_bad_input_is_named(tmp_path, arguments, message):
    (tmp_path / "empty").mkdir()
    (tmp_path / "test_empty.py").write_text("x = 1\n")
    (tmp_path / "idle.py").write_text("print('nothing')\n")
    (tmp_path / "bad.tlraw").write_text("nonsense")
    (tmp_path / "half.json").write_text('{"operations": {"ttnn::add": {"configu')
    result = tracelift(*(a.format(tmp=tmp_path) for a in arguments), "--dir", tmp_path / "store", status=1)
    assert message in result.stderr
    assert result.stdout == "" or arguments[0] == "trace"


@pytest.mark.parametrize("command", ["show", "sweep run", "selfcheck", "ops"])
def test_unknown_operations_are_answered_with_the_nearest(traced, command):
    result = tracelift(*command.split(), "linaer", "--dir", traced[0], status=1)
    assert "no stored operation matches 'linaer'; did you mean ttnn::linear?" in result.stderr


@pytest.mark.parametrize("arguments", [["trace"], ["trace", "a", "b"], ["show", "a", "b", "c"], ["sweep"], ["sweep", "run"], ["show", "--bad"]])
def test_wrong_usage_shows_the_usage(traced, arguments):
    assert "usage: tracelift" in tracelift(*arguments, "--dir", traced[0], status=2).stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder_is_named(tmp_path):
    tmp_path.chmod(0o500)
    result = tracelift("trace", MLP, "--dir", tmp_path / "store", status=1)
    assert str(tmp_path / "store") in result.stderr


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    result = tracelift("trace", MLP, "--dir", tmp_path / "file" / "store", status=1)
    assert str(tmp_path / "file" / "store") in result.stderr


def test_a_broken_master_stops_the_trace_and_keeps_the_raw_one(store):
    text = (store / MASTER).read_text()
    (store / MASTER).write_text(text[: len(text) // 2])
    result = tracelift("trace", MLP, "--dir", store, status=1)
    assert f"{MASTER}: line" in result.stderr and "tracelift import" in result.stderr
    (store / MASTER).write_text(text)
    (raw,) = (store / "raw").iterdir()
    (report,) = as_json("import", raw, "--dir", store)
    assert report["new_configurations"] == 0 and report["kept"] > 0


def test_several_tracers_at_once_lose_nothing(tmp_path):
    rounds, processes = (20, 4)
    uids = []
    for _ in range(rounds):
        running = [
            subprocess.Popen([TRACELIFT, "trace", MLP, "--dir", tmp_path, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(processes)
        ]
        for process in running:
            out, err = process.communicate(timeout=300)
            assert process.returncode == 0, err.decode()
            uids.append(json.loads(out)["trace_uid"])
    final = master(tmp_path)
    for operation in final["operations"].values():
        for index in range(len(operation["configurations"])):
            executed = [e["trace_uid"] for e in operation["executions"] if e["configuration"] == index]
            assert sorted(executed) == sorted(uids)
    assert as_json("ops", "--dir", tmp_path) == sorted(
        (
            {"operation": name, "configurations": len(o["configurations"]), "executions": sum(e["count"] for e in o["executions"])}
            for name, o in final["operations"].items()
        ),
        key=lambda row: row["operation"].replace("::", "."),
    )


def test_kill_at_any_moment_loses_nothing_that_was_stored(tmp_path):
    """kill -9 of the tracer: the store opens, the master is the old or a new one, and what was captured can be imported."""
    store = tmp_path / "store"
    tracelift("trace", MLP, "--dir", store)
    script = tmp_path / "slow.py"
    script.write_text(
        "import ttnn, torch, time, pathlib, sys\n"
        "device = ttnn.open_device(device_id=0)\n"
        "x = ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)\n"
        "done = open(sys.argv[1], 'w')\n"
        "for i in range(400):\n"
        "    ttnn.add(x, float(i))\n"
        "    done.seek(0); done.write(f'{i + 1}\\n'); done.flush()\n"
        "    time.sleep(0.001)\n"
    )
    chance = random.Random(7)
    begin = time.monotonic()
    tracelift("trace", script, "--dir", tmp_path / "other", "--", tmp_path / "done")
    whole = time.monotonic() - begin
    moments = {"before": 0, "during": 0, "after": 0}
    for attempt in range(200 if LONG else 20):
        before = master(store)
        done = tmp_path / f"done{attempt}"
        process = subprocess.Popen(
            [TRACELIFT, "trace", script, "--dir", store, "--", done], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if attempt % 2 == 0:
            time.sleep(chance.uniform(0.3, 1.1) * whole)
        else:  # while it calls
            while process.poll() is None and not (done.exists() and done.read_text()):
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        killed = process.wait() == -signal.SIGKILL
        after = master(store)  # readable, so old or new and never half
        if after != before:
            assert after["metadata"]["total_operations"] > before["metadata"]["total_operations"]
        tracelift("ops", "--dir", store)
        completed = int(done.read_text() or 0) if done.exists() else 0
        left = [folder for folder in (store / "raw").iterdir() if not (folder / "stored").exists()] if (store / "raw").exists() else []
        moments["after" if not killed or after != before else "during" if completed else "before"] += 1
        for folder in left:
            if not list(folder.glob("*.tlraw")) or completed == 0:
                shutil.rmtree(folder)  # killed before the first call
                continue
            (report,) = as_json("import", folder, "--dir", store)
            assert report["operations"]["ttnn::add"]["executions"] >= completed
            shutil.rmtree(folder)
    assert moments["during"] > 0, moments


# --- roads -------------------------------------------------------------------------------------------------------------


def identities(store):
    """(operation, identity, calls) of all configurations."""
    question = (
        "SELECT o.name, c.identity, sum(e.count) FROM configuration c JOIN operation o ON o.id = c.operation_id "
        "JOIN execution e ON e.configuration_id = c.id GROUP BY c.id ORDER BY 1, 2"
    )
    with contextlib.closing(sqlite3.connect(store / "tracelift.db")) as database:
        return database.execute(question).fetchall()


@pytest.mark.parametrize("road", ["params", "calls", "graph"])
@pytest.mark.parametrize("target", [BERT, MLP], ids=["bert", "mlp"])
def test_all_roads_end_in_the_same_configurations(tmp_path, road, target):
    raw = as_json("trace", target, "--dir", tmp_path / "raw", "--name", "model")
    other = as_json("trace", target, "--dir", tmp_path / road, "--name", "model", "--via", road)
    assert other["outcome"] == "passed"
    assert other["unbound_configurations"] == 0
    assert other["kept"] == raw["kept"]
    assert identities(tmp_path / road) == identities(tmp_path / "raw")
    assert not any((tmp_path / road / "raw").iterdir())


def test_run_tells_arguments_and_commit(tmp_path):
    uid = as_json("trace", BERT, "--dir", tmp_path, "--", "-k", "encoder")["trace_uid"]
    with contextlib.closing(sqlite3.connect(tmp_path / "tracelift.db")) as database:
        rows = database.execute("SELECT uid, arguments, git_commit FROM trace_run").fetchall()
    # git itself refuses to look into a clone of another user's unless it is told that this is safe
    git = ["git", "-c", "safe.directory=*", "rev-parse", "HEAD"]
    head = subprocess.run(git, cwd=PROJECT, capture_output=True, text=True, check=False).stdout.strip()
    assert rows == [(uid, "-k encoder", head or None)]


def test_unknown_road(tmp_path):
    result = tracelift("trace", MLP, "--dir", tmp_path, "--via", "air", status=2)
    assert "--via takes raw, params, calls or graph, got 'air'" in result.stderr
