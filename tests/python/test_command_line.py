"""The `tracelift` command as people meet it: help, names, numbers, signals, and what it prints."""

import collections
import contextlib
import fcntl
import json
import os
import pty
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from test_masters_command import as_json, find_tool, master, run, store  # noqa: F401 (fixtures)

PROJECT = Path(__file__).parents[2]
TARGETS = Path(__file__).parent / "targets"


# --- help, names and numbers ---------------------------------------------------------------------------------------


def test_help_version_and_wrong_usage():
    assert "usage: tracelift [--dir DIR] COMMAND" in run("--help").stdout
    assert re.fullmatch(r"tracelift \d+\.\d+\.\d+\n", run("--version").stdout)
    inner = run("report", "import", "--help")
    assert inner.returncode == 0 and "--keep-going" in inner.stdout and "Example:" in inner.stdout
    assert run("help", "sweep", "run").stdout == run("sweep", "run", "--help").stdout
    nothing = run()
    assert nothing.returncode == 2 and nothing.stdout == "" and "Commands:" in nothing.stderr
    wrong = run("shwo", "add")
    assert wrong.returncode == 2 and "unknown command 'shwo'; did you mean 'show'?" in wrong.stderr
    wrong = run("graph", "svg", "x.json", "--outptu", "y")
    assert wrong.returncode == 2 and "did you mean '--output'?" in wrong.stderr and "usage: tracelift graph svg" in wrong.stderr


def test_the_store_is_named_before_or_after_the_command(store):  # noqa: F811
    assert run("--dir", store, "ops").stdout == run("ops", "--dir", store).stdout != ""


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["sweep", "run", "--all", "--timeout", "1e300"], "--timeout takes a number from 0.001 to 1,000,000"),
        (["sweep", "run", "--all", "--memory", "99999999999999"], "--memory takes a number from 1 to"),
        (["show", "relu", "--limit", "99999999999999999999"], "--limit takes a whole number from 1 to"),
    ],
    ids=["timeout", "memory", "limit"],
)
def test_numbers_out_of_range_are_named(store, arguments, said):  # noqa: F811
    result = run(*arguments, "--dir", store)
    assert result.returncode == 2 and said in result.stderr and result.stdout == ""


def test_misspelt_operations_find_the_beginnings_of_longer_names(tmp_path):
    calls = {"operations": {f"ttnn::{name}": {"configurations": [[{"arg0": "1"}]]} for name in ("sigmoid_accurate", "add", "gelu", "mul")}}
    (tmp_path / "m.json").write_text(json.dumps(calls))
    result = run("show", tmp_path / "m.json", "sigmod")
    assert result.returncode == 1 and "did you mean ttnn::sigmoid_accurate?" in result.stderr
    assert "did you mean ttnn.sigmoid" in run("describe", "sigmod").stderr
    assert "'tracelift ops' lists the 4 that are stored" in run("show", tmp_path / "m.json", "convolution").stderr


def test_diff_tells_differing_from_unreadable(master, tmp_path):  # noqa: F811
    (tmp_path / "broken.json").write_text('{"operations": {')
    other = json.loads(master.read_text())
    del other["operations"]["ttnn.add"]
    (tmp_path / "other.json").write_text(json.dumps(other))
    assert run("diff", master, master).returncode == 0
    assert run("diff", master, tmp_path / "other.json").returncode == 1
    assert run("diff", master, tmp_path / "broken.json").returncode == 2
    assert run("diff", master, tmp_path / "absent.json").returncode == 2
    assert as_json("diff", master, tmp_path / "other.json", status=1)["gone_operations"] == ["ttnn::add"]


@pytest.mark.parametrize("command", ["boards", "describe add", "completion bash", "report tables"])
def test_commands_without_a_store_print_json(command):
    assert as_json(*command.split())


# --- what is shown ------------------------------------------------------------------------------------------------------


def test_a_master_needs_no_import_to_be_looked_at(master, store, tmp_path):  # noqa: F811
    shown = run("show", store, "relu").stdout
    assert "📊 Operation: ttnn::relu\n📊 Configurations: 2\n" in shown
    assert run("show", master, "relu").stdout == run("show", "relu", "--dir", master).stdout == run("show", "relu", "--dir", store).stdout == shown
    for command in (["ops", "--brief"], ["coverage"], ["models"], ["sql", "SELECT name, configurations FROM operations ORDER BY 1"]):
        assert run(*command, "--dir", master).stdout == run(*command, "--dir", store).stdout != ""
    swept = run("sweep", "run", "relu", "--dir", master)
    assert swept.returncode == 0 and f"not kept, since {master} is not a store" in swept.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["master.json", "store"]
    both = run("show", master, "relu", "--dir", store)
    assert both.returncode == 2 and "either FILE or --dir" in both.stderr


@pytest.mark.parametrize("command", [["gc"], ["delete-run", "1"]])
def test_commands_that_change_a_store_need_its_folder(master, command):  # noqa: F811
    before = master.read_bytes()
    result = run(*command, "--dir", master)
    assert result.returncode == 1 and f"{master}: expected the folder of a store, but this is a file" in result.stderr
    assert f"tracelift import {master} --dir DIR" in result.stderr
    assert master.read_bytes() == before
    assert "a master file" not in run(*command[:1], "--help").stdout


def test_show_without_an_operation_lists_them_as_the_guide_greps_them(store):  # noqa: F811
    lines = run("show", "--dir", store).stdout.splitlines()
    assert "📊 Operation: ttnn::relu (2 configurations)" in lines
    assert len([line for line in lines if "Operation:" in line]) == 3
    assert as_json("show", "--dir", store) == as_json("ops", "--dir", store)


def test_names_of_parameters_are_added_on_request(store):  # noqa: F811
    plain = run("show", "relu", "--dir", store).stdout
    named = run("show", "relu", "--names", "--dir", store).stdout
    assert "  arg0: Tensor(shape=[1, 1, 32, 64]" in plain
    assert "  arg0 (input_tensor): Tensor(shape=[1, 1, 32, 64]" in named
    assert named.replace(" (input_tensor)", "") == plain


def test_flat_form_has_one_object_a_line(store):  # noqa: F811
    rows = [json.loads(line) for line in run("show", "relu", "--flat", "--dir", store).stdout.splitlines()]
    assert [row["arg0.shape"] for row in rows] == [[1, 1, 32, 64], [1, 1, 128, 32]]
    assert [row["arg0.dtype"] for row in rows] == ["BFLOAT16", "BFLOAT8_B"]
    assert rows[1]["arg0.memory_config.memory_layout"] == "HEIGHT_SHARDED"
    assert all(row["operation"] == "ttnn::relu" and row["count"] == 3 for row in rows)
    assert not any(isinstance(value, dict) for row in rows for value in row.values())
    # Each key is a path that --where takes.
    for key in (key for key in rows[0] if key.startswith("arg")):
        assert run("show", "relu", "--where", key, "--dir", store).returncode == 0, key


def test_where_names_paths_that_lead_nowhere(store):  # noqa: F811
    for path, near in (("arg0.dtyp", "arg0.dtype"), ("arg0.memroy_config.memory_layout", "arg0.memory_config"), ("inptu_tensor.dtype", "input_tensor")):
        result = run("show", "relu", "--where", f"{path}=BFLOAT16", "--dir", store)
        assert result.returncode == 2 and result.stdout == "", path
        assert f"no configuration has '{path}'" in result.stderr and near in result.stderr
    # A parameter that no call gave is known all the same.
    assert as_json("show", "relu", "--where", "memory_config=none", "--dir", store)[0]["count"] == 2
    assert as_json("show", "made_up", "--where", "mode=x", "--dir", store)[0]["count"] == 1
    assert run("show", "relu", "--where", "not arg7.dtype=BFLOAT16", "--dir", store).returncode == 2


def test_export_checks_what_it_is_asked_for(store, tmp_path):  # noqa: F811
    out = tmp_path / "out.json"
    for arguments, said in (
        (["--hardware", "n999"], "stored: n300"),
        (["--since", "yesterday"], "--since takes a date such as"),
        (["--since", "2026-13-01"], "--since takes a date such as"),
        (["--since", "2999-01-01"], "no run began since '2999-01-01'; the 1 stored began from"),
        (["--model", "resnet"], "no stored model matches 'resnet'"),
    ):
        result = run("export", out, *arguments, "--dir", store)
        assert result.returncode == 2 and said in result.stderr, result.stderr
        assert not out.exists()
    for arguments in (["--hardware", "n300"], ["--since", "2020"], ["--since", "2020-01-31T10:00"], ["--model", "bert"]):
        assert as_json("export", out, *arguments, "--dir", store)["configurations"] == 4


def test_the_extension_tells_the_format(master, tmp_path):  # noqa: F811
    for name in ("a.jsonl", "a.csv"):
        by_name, by_option = tmp_path / name, tmp_path / "by_option"
        run("convert", master, by_name)
        run("convert", master, by_option, "--format", name[2:])
        assert by_name.read_bytes() == by_option.read_bytes() != b""
    run("convert", master, tmp_path / "b.csv", "--format", "1")
    assert json.loads((tmp_path / "b.csv").read_text())["operations"]


def test_sql_never_prints_raw_bytes(store):  # noqa: F811
    question = "SELECT arguments, identity, X'00ff1b' AS blob, 'ü' AS text FROM configurations WHERE operation = 'ttnn::relu' ORDER BY id LIMIT 1"
    (row,) = as_json("sql", question, "--dir", store)
    assert row["blob"] == "X'00FF1B'" and row["text"] == "ü"
    assert row["arguments"]["input_tensor"]["$struct"][0] == "Tensor"
    table = run("sql", question, "--dir", store).stdout
    assert "X'00FF1B'" in table and "BFLOAT16" in table
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\ufffd]", table)


def test_worst_pcc_is_empty_where_nothing_ran(store):  # noqa: F811
    out = run("sweep", "run", "--all", "--dir", store).stdout
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.startswith("ttnn::")}
    assert lines["ttnn::made_up"] == ["ttnn::made_up", "1", "0", "0.0", "1", "not_run"]
    assert lines["ttnn::relu"][3] == "1.000000"


# --- traces ---------------------------------------------------------------------------------------------------------


def test_store_keeps_a_readable_trace_that_the_summary_names(tmp_path):
    out = run("trace", f"{TARGETS}/case_cnn_block.py::test_cnn_block", "--store", "--dir", tmp_path / "a").stdout
    path, size = re.search(r"💾 File: (\S+) \(([\d,]+) bytes\)", out).groups()
    assert re.fullmatch(r"test_cnn_block_ops_\d{8}_\d{6}\.json", Path(path).name)
    assert Path(path).stat().st_size == int(size.replace(",", ""))
    assert list(Path(path).parent.glob("*.tlraw"))
    calls = json.loads(Path(path).read_text())["content"]
    kept = int(re.search(r"📊 Captured: ([\d,]+) operations", out).group(1).replace(",", ""))
    assert len(calls) == kept
    # The same operations, as often, when it is read again.
    (again,) = as_json("import", path, "--dir", tmp_path / "b")
    counts = dict(re.findall(r"• (\S+): \d+ unique configs \((\d+)x executed\)", out))
    assert {name: str(count["executions"]) for name, count in again["operations"].items()} == counts
    first = as_json("show", "sigmoid_accurate", "--dir", tmp_path / "a")[0]["configurations"]
    second = as_json("show", "sigmoid_accurate", "--dir", tmp_path / "b")[0]["configurations"]
    # A file keeps a row per call.
    distinct = [c["arguments"] for i, c in enumerate(second) if c["arguments"] not in [d["arguments"] for d in second[:i]]]
    assert [c["arguments"] for c in first] == distinct


@pytest.mark.parametrize("via", ["params", "calls", "graph"])
def test_store_keeps_a_readable_trace_by_every_road(tmp_path, via):
    target = f"{TARGETS}/case_cnn_block.py::test_cnn_block"
    report = as_json("trace", target, "--store", "--via", via, "--dir", tmp_path / "a")
    executed = {name: count["executions"] for name, count in report["operations"].items()}
    assert executed
    calls = json.loads(Path(report["readable"]).read_text())["content"]
    assert collections.Counter(call["operation"] for call in calls) == executed
    (again,) = as_json("import", report["readable"], "--dir", tmp_path / "b")
    assert {name: count["executions"] for name, count in again["operations"].items()} == executed


def test_the_file_in_the_summary_holds_what_it_says(tmp_path):
    target = f"{TARGETS}/case_cnn_block.py::test_cnn_block"
    out = run("trace", target, "--dir", tmp_path / "a").stdout
    assert "valid operations from the built-in list" in out
    path = Path(re.search(r"💾 File: (\S+) \(", out).group(1))
    assert json.loads(path.read_text())["operations"]
    (tmp_path / "Allops.txt").write_text("ttnn.sigmoid_accurate\nttnn::add\n")
    os.environ["TRACELIFT_MASTER_LIMIT"] = "0.0001"
    try:
        out = run("trace", target, "--dir", tmp_path / "b", "--valid-ops", tmp_path / "Allops.txt").stdout
    finally:
        del os.environ["TRACELIFT_MASTER_LIMIT"]
    assert "📋 Loaded 2 valid operations from Allops.txt" in out
    assert "💾 File:" not in out
    told = re.search(r"tracelift (export master\.json --dir \S+)", out).group(1).split()
    assert subprocess.run([find_tool(), *told], cwd=tmp_path, check=True)
    assert json.loads((tmp_path / "master.json").read_text())["metadata"]["total_configurations"] > 0


# --- names that are not UTF-8 ----------------------------------------------------------------------------------------


def test_names_that_are_not_utf8(tmp_path, master):  # noqa: F811
    tool = os.fsencode(find_tool())
    folder = os.fsencode(tmp_path)

    def raw(*arguments):
        return subprocess.run([tool, *arguments], capture_output=True, check=False)

    script = folder + b"/bad\xff.py"
    with open(script, "wb") as file:
        file.write((TARGETS / "script_add.py").read_bytes())
    traced = raw(b"trace", script, b"--json", b"--dir", folder + b"/store")
    assert traced.returncode == 0, traced.stderr
    assert json.loads(traced.stdout)["model"] == "bad\\xff.py"
    master_text = (tmp_path / "store" / "ttnn_operations_master.json").read_text()
    assert json.loads(master_text)["metadata"]["models"] == ["bad\\xff.py"]
    named = raw(b"trace", script, b"--name", b"m\xfe", b"--dir", folder + b"/other")
    assert named.returncode == 2 and b"--name takes text in UTF-8" in named.stderr
    assert not (tmp_path / "other").exists()
    copy = folder + b"/m\xff.json"
    with open(copy, "wb") as file:
        file.write(master.read_bytes())
    for arguments in ([b"import", copy, b"--json", b"--dir", folder + b"/s\xff"], [b"export", folder + b"/o\xff.json", b"--json", b"--dir", folder + b"/s\xff"]):
        done = raw(*arguments)
        assert done.returncode == 0, done.stderr
        json.loads(done.stdout)
    assert raw(b"verify", b"--dir", folder + b"/s\xff").returncode == 0
    missing = raw(b"import", folder + b"/none\xff", b"--dir", folder + b"/new")
    assert missing.returncode == 1 and b"does not exist" in missing.stderr and not (tmp_path / "new").exists()


# --- names of operations -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report_database(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    nodes = [{"counter": 0, "node_type": "capture_start", "params": {}, "connections": [1, 3]}]
    for name in ("ttnn::add", "ttnn.relu"):
        first = len(nodes)
        nodes.append({"counter": first, "node_type": "function_start", "params": {"name": name}, "connections": [first + 1]})
        nodes.append({"counter": first + 1, "node_type": "function_end", "params": {"name": name}, "connections": []})
    (folder / "report.json").write_text(json.dumps({"version": 1, "devices": [], "metadata": {}, "graph": nodes}))
    assert run("report", "import", folder / "report.json", folder / "out").returncode == 0
    return folder / "out"


@pytest.mark.parametrize(
    "words",
    [
        ["ops"],
        ["show"],
        ["describe"],
        ["opcheck", "--json"],
        ["selfcheck", "--json"],
        ["sweep", "run", "--dry-run", "--json"],
        ["coverage", "--json", "--op"],
        ["export", "-", "--op"],
        ["report", "ops", "DB", "--json", "--name"],
        ["report", "buffers", "DB", "--json", "--name"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", ["add", "relu"])
def test_a_name_may_be_spelled_as_python_or_cpp_has_it(store, report_database, words, name):  # noqa: F811
    """Also where the database has it the other way."""

    def answer(spelling):
        words_here = [str(report_database) if word == "DB" else word for word in words]
        folder = [] if words[0] in ("describe", "opcheck", "report") else ["--dir", store]
        result = run(*words_here, spelling, *folder)
        assert result.returncode == 0, result.stderr
        timeless = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "", result.stdout)  # of the export
        return re.sub(r'"(milliseconds|seconds|total_ms|[a-z_]*_?ms)": [\d.e-]+', "", timeless)

    plain = answer(name)
    assert name in plain
    assert answer(f"ttnn.{name}") == plain
    assert answer(f"ttnn::{name}") == plain


def test_tensors_of_an_operation_are_those_it_takes_and_gives(tmp_path):
    nodes = [
        {"counter": 0, "node_type": "tensor", "params": {"tensor_id": "7", "shape": "Shape([1])"}, "connections": [1]},
        {"counter": 1, "node_type": "function_start", "params": {"name": "ttnn::a"}, "connections": [2], "input_tensors": [0]},
        {"counter": 2, "node_type": "function_end", "params": {"name": "ttnn::a"}, "connections": [3]},
        {"counter": 3, "node_type": "tensor", "params": {"tensor_id": "8", "shape": "Shape([2])"}, "connections": [4]},
        {"counter": 4, "node_type": "function_start", "params": {"name": "ttnn::b"}, "connections": [5], "input_tensors": [3]},
        {"counter": 5, "node_type": "function_end", "params": {"name": "ttnn::b"}, "connections": []},
    ]
    (tmp_path / "r.json").write_text(json.dumps({"version": 1, "devices": [], "metadata": {}, "graph": nodes}))
    assert run("report", "import", tmp_path / "r.json", tmp_path / "out").returncode == 0

    def ids(*options):
        return [row["tensor_id"] for row in as_json("report", "tensors", tmp_path / "out", *options)]

    assert (ids(), ids("--op", 1), ids("--op", 2), ids("--op", 9)) == ([7, 8], [7, 8], [8], [])
    assert ids("--name", "[2]", "--op", 1) == [8]


# --- signals ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def started(*arguments):
    process = subprocess.Popen([find_tool(), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def wait_for(condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen within a minute")


def results_in(folder):
    with contextlib.closing(sqlite3.connect(f"file:{folder}/tracelift.db?mode=ro", uri=True)) as database:
        return database.execute("SELECT count(*) FROM sweep_result").fetchone()[0]


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A store with enough to do that a signal comes in the middle."""
    from test_masters_command import execution, tensor

    folder = tmp_path_factory.mktemp("many")
    calls = [{"arguments": {"arg0": tensor([1, 1, 1024, 32 * (1 + i)])}, "executions": [execution()]} for i in range(120)]
    (folder / "m.json").write_text(json.dumps({"operations": {"ttnn.gelu": {"configurations": calls}, "ttnn.relu": {"configurations": calls[:40]}}}))
    assert run("import", folder / "m.json", "--dir", folder / "store").returncode == 0
    return folder / "store"


def linked(store, folder):
    """The store by a name that a shell would take apart."""
    (folder / "it's a store").symlink_to(store)
    return folder / "it's a store"


def command_told(err):
    """The arguments of the command that people are told to run."""
    (line,) = re.findall(r"To (?:continue|replay all): tracelift (.*)", err)
    return shlex.split(line)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_signal_ends_a_sweep_that_tells_what_was_done(many, tmp_path, number):
    many = linked(many, tmp_path)
    before = results_in(many)
    with started("sweep", "run", "--all", "--jobs", 2, "--json", "--dir", many) as process:
        wait_for(lambda: results_in(many) > before + 3)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    done = json.loads(out)
    assert 3 < len(done) < 160 and {row["status"] for row in done} == {"pass"}
    assert len(done) == results_in(many) - before
    assert f"ended by {number.name} after {len(done)} of 160 configurations" in err
    told = command_told(err)
    assert told[:2] == ["sweep", "run"] and "--resume" in told
    rest = run(*told)
    assert rest.returncode == 0 and len(json.loads(rest.stdout)) == 160 == results_in(many) - before


def test_a_signal_ends_a_selfcheck_that_tells_how_to_go_on(many, tmp_path):
    store = linked(many, tmp_path)
    options = ["--dir", str(store), "--jobs", "1", "--json", "--memory", "3000", "--model", "bert", "--timeout", "50"]
    with started("selfcheck", "--all", *options) as process:
        wait_until_signals_are_noted(process)
        out, err = ended_by(process, signal.SIGTERM)
    assert f"ended by SIGTERM after {len(json.loads(out))} of 160 configurations. To continue: tracelift selfcheck" in err
    told = command_told(err)
    assert told[0] == "selfcheck" and set(told[1:-len(options)]) <= {"ttnn::gelu", "ttnn::relu"} and told[-len(options):] == options
    rest = run("selfcheck", "relu", *options)  # the rest of the command as it was told, on less
    assert rest.returncode == 0 and len(json.loads(rest.stdout)) == 40


def test_a_signal_ends_an_opcheck_that_tells_how_to_go_on():
    options = ["--board", "n300@1x2", "--json", "--mutate", "scale"]
    operations = ["relu", "softmax", "gelu", "exp"]
    with started("opcheck", *operations, *options) as process:
        wait_until_signals_are_noted(process)
        out, err = ended_by(process, signal.SIGINT)
    done = [each["operation"] for each in json.loads(out)]
    assert f"ended by SIGINT after {len(done)} of 4 operations" in err
    told = command_told(err)
    assert told == ["opcheck", *(f"ttnn::{name}" for name in operations[len(done):]), *options]
    rest = run(*told)
    assert rest.returncode == 1, "mutated results are found"
    assert done + [each["operation"] for each in json.loads(rest.stdout)] == [f"ttnn::{name}" for name in operations]


def test_a_signal_ends_a_replay_that_tells_how_to_begin_again(many, tmp_path):
    arguments = ["--dir", str(linked(many, tmp_path)), "--jobs", "1", "--json", "--op", "relu", "--seed", "3"]
    with started("replay", *arguments) as process:
        wait_until_signals_are_noted(process)
        out, err = ended_by(process, signal.SIGTERM)
    assert f"ended by SIGTERM after {len(json.loads(out)['calls'])} of 40 calls, none of which is kept" in err
    assert command_told(err) == ["replay", *arguments]
    again = run(*command_told(err))
    assert again.returncode == 0 and len(json.loads(again.stdout)["calls"]) == 40


def test_a_signal_to_a_trace_ends_the_target_and_keeps_what_it_called(tmp_path):
    script = tmp_path / "slow.py"
    script.write_text(
        "import pathlib, sys, time, ttnn\n"
        "device = ttnn.open_device(device_id=0)\n"
        "ttnn.relu(ttnn.zeros([32, 32], device=device, layout=ttnn.TILE_LAYOUT))\n"
        "pathlib.Path(sys.argv[1]).touch()\n"
        "time.sleep(600)\n"
    )
    with started("trace", script, "--json", "--dir", tmp_path / "s", "--", tmp_path / "called") as process:
        wait_for((tmp_path / "called").exists)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    report = json.loads(out)
    assert report["operations"]["ttnn::relu"]["executions"] == 1 and report["end"] == "killed by SIGTERM"
    assert "To continue, trace it again" in err


# --- completion in the real shells -------------------------------------------------------------------------------------


def has_shell(name):
    return subprocess.run(["which", name], capture_output=True, check=False).returncode == 0


def environment():
    return {**os.environ, "PATH": f"{Path(find_tool()).parent}:{os.environ['PATH']}"}


@pytest.fixture
def elsewhere(tmp_path):
    """Where no file is that could be offered."""
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "elsewhere"


def test_completion_in_bash(store, elsewhere):  # noqa: F811
    def complete(*words):
        script = 'source <(tracelift completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tracelift; printf "%s\\n" "${COMPREPLY[@]}"'
        out = subprocess.run(["bash", "--norc", "-c", script, "bash", "tracelift", *map(str, words)], capture_output=True, text=True, cwd=elsewhere, env=environment(), check=True)
        return out.stdout.split()

    assert complete("sel") == ["selfcheck", "select"]
    assert complete("report", "imp") == ["import"]
    assert complete("show", "--dir", store, "re") == ["relu"]
    assert complete("convert", "a", "b", "--format", "") == ["1", "2", "jsonl", "csv"]
    assert complete("import", f"{store}/ttnn_") == [f"{store}/ttnn_operations_master.json"]


@pytest.mark.skipif(not has_shell("fish"), reason="there is no fish")
def test_completion_in_fish(store, tmp_path, elsewhere):  # noqa: F811
    def complete(line):
        out = subprocess.run(
            ["fish", "--no-config", "-c", f"tracelift completion fish | source; complete -C {json.dumps(line)}"],
            capture_output=True, text=True, cwd=elsewhere, env={**environment(), "HOME": str(tmp_path)}, check=True,
        )
        return [row.split("\t")[0] for row in out.stdout.splitlines()]

    assert sorted(complete("tracelift sel")) == ["select", "selfcheck"]
    assert complete("tracelift report imp") == ["import"]
    assert complete(f"tracelift show --dir {store} re") == ["relu"]
    assert complete(f"tracelift import {store}/ttnn_") == [f"{store}/ttnn_operations_master.json"]


@pytest.mark.skipif(not has_shell("zsh"), reason="there is no zsh")
def test_completion_in_zsh(store, tmp_path, elsewhere):  # noqa: F811
    """zsh completes at its prompt only: one is opened on a terminal, and a key writes what became of the line to a file."""
    setup, out, ready = tmp_path / "setup.zsh", tmp_path / "out", tmp_path / "ready"
    setup.write_text(
        "autoload -U compinit && compinit -u -D\n"
        "source <(tracelift completion zsh)\n"
        "show() { BUFFER=$LINE; CURSOR=$#BUFFER; zle complete-word; print -rn -- $BUFFER > $OUT.part; mv $OUT.part $OUT }\n"
        "zle -N show && bindkey '^T' show && : > $READY\n"
    )

    def complete(line):
        for file in (out, ready):
            file.unlink(missing_ok=True)
        ours, theirs = pty.openpty()
        variables = {"HOME": str(tmp_path), "TERM": "xterm", "LINE": line, "OUT": str(out), "READY": str(ready)}
        shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=elsewhere, env={**environment(), **variables}, start_new_session=True)
        os.close(theirs)
        reader = threading.Thread(target=read_all, args=(ours,))
        reader.start()
        try:
            os.write(ours, f"source {setup}\n".encode())
            wait_for(ready.exists)
            os.write(ours, b"\x14")
            wait_for(out.exists)
        finally:
            shell.kill()
            shell.wait()
            reader.join()
            os.close(ours)
        return out.read_text()

    assert complete("tracelift report imp") == "tracelift report import "
    assert complete("tracelift sel") == "tracelift sel"  # two begin so
    assert complete(f"tracelift show --dir {store} re") == f"tracelift show --dir {store} relu "
    assert complete(f"tracelift import {store}/ttnn_") == f"tracelift import {store}/ttnn_operations_master.json "


def read_all(terminal):
    """Nobody looks at it, but it must not fill up."""
    with contextlib.suppress(OSError):
        while os.read(terminal, 4096):
            pass


# --- the pytest plugin -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--ops-jsonl", "--results-csv"])
def test_a_folder_in_the_place_of_a_file_is_a_usage_error(tmp_path, option):
    (tmp_path / "test_x.py").write_text("def test_x(): pass\n")
    result = subprocess.run(
        [sys.executable, "-m", "pytest", option, str(tmp_path), "test_x.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )
    assert result.returncode == 4
    assert f"{option} takes the name of a file, but '{tmp_path}' is a folder" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith((".", "__"))) == ["test_x.py"]


def wait_until_signals_are_noted(process):
    """A signal that comes earlier ends the process as any other."""
    bit = 1 << (signal.SIGTERM - 1)

    def noted():
        status = Path(f"/proc/{process.pid}/status").read_text()
        return int(re.search(r"SigCgt:\s*(\w+)", status).group(1), 16) & bit

    wait_for(noted)


def is_stopped(process):
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def stop_when(process, condition):
    """Stops a process while a condition holds."""
    for _ in range(20000):
        process.send_signal(signal.SIGSTOP)
        while process.poll() is None and not is_stopped(process):
            time.sleep(0.001)
        assert process.poll() is None, "it ended before"
        if condition():
            return
        process.send_signal(signal.SIGCONT)
        time.sleep(0.01)
    raise AssertionError("it did not happen")


@contextlib.contextmanager
def held_up(path, *arguments):
    """A command that waits for the lock of what it is about to write: a signal then comes in the middle of its work."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with started(*arguments) as process:
            wait_until_signals_are_noted(process)
            yield process, lambda: fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


def ended_by(process, number, go_on=lambda: None):
    process.send_signal(number)
    go_on()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 128 + number, err
    return out, err


def large_master(path, uid, configurations=20000):
    from test_masters_command import execution, tensor

    calls = [{"arguments": {"arg0": tensor([1, 1, 32, 32 * (1 + i)])}, "executions": [execution(uid=uid)]} for i in range(configurations)]
    path.write_text(json.dumps({"operations": {"ttnn.neg": {"configurations": calls}}}))
    return path


SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])


@SIGNALS
def test_a_signal_ends_an_import_that_stores_nothing_of_what_it_read(master, tmp_path, number):  # noqa: F811
    folder = tmp_path / "the store"
    as_json("import", master, "--dir", folder)
    more = large_master(tmp_path / "more of it.json", "u-2", 100)
    rows, text = as_json("ops", "--dir", folder), (folder / "ttnn_operations_master.json").read_bytes()
    with held_up(folder / ".lock", "import", more, master, "--merge-known", "--json", "--dir", folder) as (process, go_on):
        out, err = ended_by(process, number, go_on)
    assert json.loads(out) == []
    assert f"ended by {number.name} after 0 of 2 paths" in err
    told = command_told(err)
    assert told[:3] == ["import", str(more), str(master)]
    assert as_json("ops", "--dir", folder) == rows
    assert (folder / "ttnn_operations_master.json").read_bytes() == text
    assert not list(folder.glob("*.tmp"))
    rest = run(*told)
    assert rest.returncode == 0 and len(json.loads(rest.stdout)) == 2
    assert operations_in(folder) == {"ttnn::relu", "ttnn::add", "ttnn::made_up", "ttnn::neg"}


def operations_in(folder):
    return {each["operation"] for each in as_json("ops", "--dir", folder)}


def test_an_import_that_a_signal_ends_tells_what_it_stored(master, tmp_path):  # noqa: F811
    large = large_master(tmp_path / "large.json", "u-2")
    folder = tmp_path / "store"

    def stored():
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(f"file:{folder}/tracelift.db?mode=ro", uri=True)) as database:
            return database.execute("SELECT count(*) FROM trace_run").fetchone()[0] == 1
        return False

    with started("import", master, large, "--json", "--dir", folder) as process:
        stop_when(process, stored)
        out, err = ended_by(process, signal.SIGTERM, lambda: process.send_signal(signal.SIGCONT))
    (report,) = json.loads(out)
    assert report["new_configurations"] == 4
    assert "after 1 of 2 paths" in err and command_told(err) == ["import", str(large), "--dir", str(folder), "--json"]
    assert operations_in(folder) == {"ttnn::relu", "ttnn::add", "ttnn::made_up"}


@SIGNALS
@pytest.mark.parametrize("output", ["merged.json", "merged"])
def test_a_signal_ends_a_merge_that_writes_nothing(master, tmp_path, number, output):  # noqa: F811
    large = large_master(tmp_path / "large.json", "u-2")
    (tmp_path / "out").mkdir()
    with started("merge", large, master, "-o", tmp_path / "out" / output, "--json") as process:
        wait_until_signals_are_noted(process)
        out, err = ended_by(process, number)
    told = json.loads(out)
    assert told["output"] is None and told["ended_by"] == number.name and len(told["inputs"]) < 2
    assert f"ended by {number.name} after {len(told['inputs'])} of 2 inputs" in err and "run the same command again" in err
    assert list((tmp_path / "out").iterdir()) == []


@SIGNALS
@pytest.mark.parametrize("command", ["export", "convert"])
def test_a_signal_ends_an_export_that_leaves_the_file(many, tmp_path, number, command):
    out = tmp_path / "out" / "o.json"
    out.parent.mkdir()
    out.write_text("old")
    # What is converted is imported first, which notes signals, too.
    large = large_master(tmp_path / "large.json", "u-2")
    arguments = ["export", out, "--dir", large] if command == "export" else ["convert", large, out]
    with started(*arguments, "--json") as process:
        stop_when(process, lambda: list(out.parent.glob("*.tmp")))
        told, err = ended_by(process, number, lambda: process.send_signal(signal.SIGCONT))
    assert json.loads(told) == {"file": None, "operations": 0, "configurations": 0, "new_hashes": 0, "ended_by": number.name}
    assert f"tracelift {command}: ended by {number.name}; {out} was not written. To continue, run the same command again." in err
    assert [path.name for path in out.parent.iterdir()] == ["o.json"] and out.read_text() == "old"


def test_a_signal_ends_an_export_into_a_pipe(many, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with started("export", pipe, "--dir", many) as process:
        wait_until_signals_are_noted(process)
        got = []
        reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
        _, err = ended_by(process, signal.SIGTERM, reader.start)
        reader.join()
    assert f"ended by SIGTERM; {pipe} is not complete" in err
    with pytest.raises(json.JSONDecodeError):
        json.loads(got[0])


@pytest.mark.parametrize("command", ["export", "convert", "verify", "diff", "select"])
def test_what_goes_through_a_store_tells_how_far_it_is(store, tmp_path, command):  # noqa: F811
    """On a terminal at once; elsewhere it would be a line every ten seconds."""
    (run_id,) = {each["id"] for each in as_json("runs", "--dir", store)}
    registry = tmp_path / "registry.yaml"
    registry.write_text(f"targets:\n  all:\n    - trace: {run_id}\nregistry: []\n")
    out = tmp_path / "out.json"
    arguments = {
        "export": [out, "--dir", store],
        "convert": [store, out],
        "verify": [store],
        "diff": [store, store],
        "select": ["--registry", registry, "-o", out, "--dir", store],
    }[command]
    ours, theirs = pty.openpty()
    result = subprocess.run([find_tool(), command, *map(str, arguments)], stdout=subprocess.PIPE, stderr=theirs, check=False)
    os.close(theirs)
    told = b""
    with contextlib.suppress(OSError):  # a terminal that all have closed
        while part := os.read(ours, 4096):
            told += part
    os.close(ours)
    assert result.returncode == 0 and b"1 configurations" in told and told.endswith(b"\r\x1b[K")


def test_a_merged_store_may_replace_an_empty_folder(master, tmp_path):  # noqa: F811
    (tmp_path / "merged").mkdir()
    assert as_json("merge", master, master, "-o", f"{tmp_path}/merged/")["configurations"] == 4
    assert run("verify", tmp_path / "merged").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["master.json", "merged"]


@SIGNALS
@pytest.mark.parametrize("rules", ["r", "s"])
def test_a_signal_ends_a_report_import_that_leaves_the_database(tmp_path, number, rules):
    node = '{"counter":0,"node_type":"capture_start","params":{},"connections":[]}'
    report = tmp_path / "report.json"
    report.write_text(f'{{"version": 1, "devices": [], "metadata": {{}}, "graph": [{node}]}}')
    arguments = ["report", "import", "--rules", rules, report, tmp_path / "out"]
    assert run(*arguments).returncode == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with held_up(tmp_path / "out", *arguments, "--replace", "--json") as (process, go_on):
        out, err = ended_by(process, number, go_on)
    assert json.loads(out) == {"database": str(tmp_path / "out" / "db.sqlite"), "reports": 0, "ended_by": number.name}
    assert f"ended by {number.name}" in err and "is unchanged. To continue, run the same command again." in err
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
