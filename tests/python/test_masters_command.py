"""`tracelift convert`, `merge`, `diff`, `verify`, `select`, `sql`, `coverage`, `show --where` and friends on a small master."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def find_tool():
    installed = Path(sys.executable).parent / "tracelift"
    return os.environ.get("TRACELIFT_TOOL") or str(installed if installed.exists() else ROOT / "build" / "bin" / "tracelift")


def run(*arguments):
    return subprocess.run([find_tool(), *map(str, arguments)], capture_output=True, text=True, check=False)


def as_json(*arguments, status=0):
    result = run(*arguments, "--json")
    assert result.returncode == status, result.stderr
    return json.loads(result.stdout)


def tensor(shape, dtype="BFLOAT16", layout="INTERLEAVED", buffer="DRAM"):
    shard = None
    if layout != "INTERLEAVED":
        grid = [{"start": {"x": 0, "y": 0}, "end": {"x": 3, "y": 0}}]
        shard = {"grid": grid, "shape": [32, 32], "orientation": "ROW_MAJOR"}
    return {
        "type": "ttnn.Tensor",
        "original_shape": shape,
        "original_dtype": f"DataType.{dtype}",
        "layout": "Layout.TILE",
        "storage_type": "StorageType.DEVICE",
        "memory_config": {
            "memory_layout": f"TensorMemoryLayout.{layout}",
            "buffer_type": f"BufferType.{buffer}",
            "shard_spec": shard,
            "is_sharded": shard is not None,
            "interleaved": shard is None,
            "hash": 17,
        },
    }


def execution(source="models/demos/bert/demo.py", count=3, uid="u-1"):
    machine = {"board_type": "Wormhole", "device_series": "n300", "card_count": 1, "mesh_device_shape": [1, 1], "device_count": 1}
    return {"source": source, "machine_info": machine, "count": count, "trace_uid": uid}


@pytest.fixture
def master(tmp_path):
    relu = [
        {"arg0": tensor([1, 1, 32, 64])},
        {"arg0": tensor([1, 1, 128, 32], "BFLOAT8_B", "HEIGHT_SHARDED", "L1")},
    ]
    add = [{"arg0": tensor([1, 1, 32, 64]), "arg1": 2.0}]
    operations = {}
    number = 0
    for name, calls in {"ttnn.relu": relu, "ttnn.add": add, "ttnn.made_up": [{"arg0": 1, "mode": "x"}]}.items():
        configurations = []
        for arguments in calls:
            number += 1
            configurations.append({"config_id": number, "config_hash": f"{number:064x}", "arguments": arguments, "executions": [execution()]})
        operations[name] = {"configurations": configurations}
    path = tmp_path / "master.json"
    path.write_text(json.dumps({"operations": operations, "metadata": {"models": ["m"]}}, indent=2))
    return path


@pytest.fixture
def store(master, tmp_path):
    assert run("import", master, "--dir", tmp_path / "store").returncode == 0
    return tmp_path / "store"


def test_where_finds_by_the_values_of_arguments(store):
    (found,) = as_json("show", "relu", "--where", "arg0.dtype=BFLOAT8_B and arg0.memory.layout=HEIGHT_SHARDED", "--dir", store)
    assert found["count"] == 1
    (none,) = as_json("show", "relu", "--where", "arg0.dtype=FLOAT32", "--dir", store)
    assert none["count"] == 0
    text = run("show", "relu", "--limit", 1, "--dir", store).stdout
    assert "Configurations: 2" in text and "... and 1 more" in text
    bad = run("show", "relu", "--where", "arg0.dtype=", "--dir", store)
    assert bad.returncode == 2 and "expected a value" in bad.stderr


def test_show_in_the_form_of_the_original(store, tmp_path):
    out = run("show", "relu", "--original", "--dir", store).stdout
    assert "🔧 Operation: ttnn::relu" in out and "  arg0: Dict(6 keys)" in out
    again = tmp_path / "format1.json"
    assert run("convert", store, again, "--format", "1").returncode == 0
    as_json("import", again, "--dir", tmp_path / "again")
    out = run("show", "relu", "--original", "--dir", tmp_path / "again").stdout
    assert "  arg0: {arg0: Tensor(shape=[1, 1, 32, 64], dtype=BFLOAT16, memory=DRAM_INTERLEAVED)}" in out
    for asked in ("--list", "--stats"):
        assert run("show", asked, "--dir", store).stdout == run("ops", asked, "--dir", store).stdout != ""


def test_convert_there_and_back_differs_in_nothing(master, tmp_path):
    assert run("convert", master, tmp_path / "one.json", "--format", 1).returncode == 0
    assert run("convert", master, tmp_path / "two.json", "--format", 2).returncode == 0
    assert as_json("diff", master, tmp_path / "two.json")["configurations"] == []
    one = json.loads((tmp_path / "one.json").read_text())
    assert set(one["operations"]) == {"ttnn::relu", "ttnn::add", "ttnn::made_up"}
    assert run("convert", tmp_path / "one.json", tmp_path / "again.json").returncode == 0
    ids = lambda path: {line["identity"] for line in lines(path, tmp_path)}
    assert ids(tmp_path / "again.json") == ids(master)
    assert run("convert", master, tmp_path / "rows.csv", "--format", "csv").returncode == 0
    assert (tmp_path / "rows.csv").read_bytes().count(b"\r\n") == 5


def lines(path, tmp_path):
    assert run("convert", path, tmp_path / "rows.jsonl", "--format", "jsonl").returncode == 0
    return [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]


def test_diff_shows_exactly_the_leaf_that_changed(master, tmp_path):
    changed = json.loads(master.read_text())
    changed["operations"]["ttnn.add"]["configurations"][0]["arguments"]["arg1"] = 2.5
    (tmp_path / "changed.json").write_text(json.dumps(changed))
    (change,) = as_json("diff", master, tmp_path / "changed.json", status=1)["configurations"]
    assert change["kind"] == "changed" and change["operation"] == "ttnn::add"
    assert change["leaves"] == [{"path": "arguments.arg1", "before": "2.0", "after": "2.5"}]
    assert as_json("diff", master, master)["same"] == 4


def test_merge_keeps_what_is_equal_once(master, tmp_path):
    other = json.loads(master.read_text())
    fresh = copy.deepcopy(other["operations"]["ttnn.relu"]["configurations"][0])
    fresh["arguments"]["arg0"]["original_shape"] = [1, 1, 32, 96]
    other["operations"]["ttnn.relu"]["configurations"].append(fresh)
    (tmp_path / "other.json").write_text(json.dumps(other))
    report = as_json("merge", master, tmp_path / "other.json", "-o", tmp_path / "merged.json")
    assert [one["new_configurations"] for one in report["inputs"]] == [4, 1]
    assert report["configurations"] == 5
    merged = json.loads((tmp_path / "merged.json").read_text())
    assert merged["metadata"]["total_configurations"] == 5


def test_several_paths_are_imported_one_after_the_other(master, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"operations": {"ttnn::made_up": {"configurations": [[{"arg0": "7"}]]}}}))
    reports = as_json("import", master, other, "--dir", tmp_path / "both")
    assert [report["model"] for report in reports] == [master.name, other.name]
    one_by_one = tmp_path / "one_by_one"
    as_json("import", master, "--dir", one_by_one)
    as_json("import", other, "--dir", one_by_one)
    assert as_json("diff", one_by_one, tmp_path / "both")["configurations"] == []


def test_paths_are_checked_before_any_is_imported(master, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for wrong, said in ((tmp_path / "absent.json", "does not exist"), (pipe, "expected a file or a folder")):
        result = run("import", master, wrong, "--dir", tmp_path / "nothing")
        assert result.returncode != 0
        assert str(wrong) in result.stderr and said in result.stderr
    assert not (tmp_path / "nothing").exists()
    assert "expected at least 1 argument (PATH...), got 0" in run("import").stderr


def test_a_known_uid_is_refused_unless_merged(master, store, tmp_path):
    more = json.loads(master.read_text())
    fresh = copy.deepcopy(more["operations"]["ttnn.relu"]["configurations"][0])
    fresh["arguments"]["arg0"]["original_shape"] = [1, 1, 32, 96]
    more["operations"]["ttnn.relu"]["configurations"].append(fresh)
    (tmp_path / "more.json").write_text(json.dumps(more))
    before = as_json("ops", "--dir", store)
    refused = run("import", tmp_path / "more.json", "--dir", store)
    assert refused.returncode == 1 and "u-1 is already in the store" in refused.stderr
    assert as_json("ops", "--dir", store) == before
    (report,) = as_json("import", tmp_path / "more.json", "--merge-known", "--dir", store)
    assert report["new_configurations"] == 1
    assert len(as_json("runs", "--dir", store)) == 1


def test_known_call_lines_are_refused_unless_merged(tmp_path):
    line = {"op_name": "ttnn.relu", "run_id": "r-7", "op_index": 0, "inputs": [], "kwargs": {}, "error": None}
    (tmp_path / "calls.jsonl").write_text(json.dumps(line) + "\n")
    assert run("import", tmp_path / "calls.jsonl", "--dir", tmp_path / "store").returncode == 0
    refused = run("import", tmp_path / "calls.jsonl", "--dir", tmp_path / "store")
    assert refused.returncode == 1 and "is already in the store" in refused.stderr
    (report,) = as_json("import", tmp_path / "calls.jsonl", "--merge-known", "--dir", tmp_path / "store")
    assert report["new_configurations"] == 0


def test_verify_and_delete_run(store):
    report = as_json("verify", "--dir", store)
    assert report["errors"] == [] and report["configurations"] == 4
    assert report["config_hash_unknown"] == 4  # made up ones
    assert report["ledger"]["unbound"] == 1
    (one,) = as_json("runs", "--dir", store)
    assert one["uid"] == "u-1" and one["executions"] == 12 and one["models"] == ["bert"]
    assert run("delete-run", "u-1", "--dir", store).returncode == 0
    assert as_json("ops", "--dir", store) == []
    assert run("gc", "--dir", store).returncode == 0
    assert run("delete-run", "u-1", "--dir", store).returncode == 1


def test_sql_asks_and_never_changes(store):
    rows = as_json("sql", "SELECT name, configurations FROM operations ORDER BY name", "--dir", store)
    assert rows[0] == {"name": "ttnn.add", "configurations": 1}
    shapes = as_json("sql", "SELECT arg(arguments, 'input_tensor.shape[2]') AS height FROM configurations WHERE operation = 'ttnn.relu' ORDER BY 1", "--dir", store)
    assert [row["height"] for row in shapes] == [32, 128]
    for change in ("DELETE FROM execution", "SELECT 1; SELECT 2"):
        assert run("sql", change, "--dir", store).returncode != 0
    assert len(as_json("sql", "SELECT * FROM execution", "--dir", store)) == 4


def test_coverage_and_stats(store):
    rows = as_json("coverage", "--dir", store)
    sharded = [row for row in rows if row["memory"] == "L1_HEIGHT_SHARDED"]
    assert len(sharded) == 1 and sharded[0]["dtype"] == "BFLOAT8_B" and sharded[0]["executions"] == 3
    stats = as_json("stats", "--dir", store)
    lines = [line.split() for line in run("stats", "--dir", store).stdout.splitlines()]
    assert lines[lines.index(["Models"]) + 1] == ["model", "operations", "configurations", "executions"]
    assert stats["ledger"][0]["configurations"] == 4 and stats["unbound"][0]["operation"] == "ttnn::made_up"


def test_select_resolves_a_registry(store, tmp_path):
    registry = tmp_path / "registry.yaml"
    assert as_json("select", "--registry", registry, "--add-drafts", "--dir", store)["added"] == 1
    text = registry.read_text().replace("status: draft", "status: active").replace("targets: {}", "targets:\n  lead:\n    - model: bert")
    registry.write_text(text)
    chosen = as_json("select", "--registry", registry, "-o", tmp_path / "chosen.json", "--dir", store)
    assert chosen["configurations"] == 4 and chosen["warnings"] == []
    assert json.loads((tmp_path / "chosen.json").read_text())["metadata"]["total_configurations"] == 4


def test_parameter_files_and_call_lines(tmp_path):
    folder = tmp_path / "params"
    folder.mkdir()
    call = {"operation_id": 1, "operation_name": "ttnn.relu", "args": [{"position": 0, "value": tensor([1, 1, 32, 64])}], "kwargs": {}}
    (folder / "1_ttnn_relu_x.json").write_text(json.dumps(call))
    (folder / "2_ttnn_relu_x.json").write_text(json.dumps(call))
    (folder / "3_broken_x.json").write_text('{"operation_name"')
    (report,) = as_json("import", folder, "--dir", tmp_path / "store")
    assert report["operations"]["ttnn::relu"] == {"configurations": 1, "executions": 2}
    assert report["unread_pieces"] == 1
    assert as_json("stats", "--dir", tmp_path / "store")["unread"][0]["place"].endswith("column 18")
    line = {"op_name": "ttnn.relu", "inputs": [{"__type__": "ttnn.TensorRef", "shape": [1, 1, 32, 64], "dtype": "DataType.BFLOAT16",
            "memory_config": {"__type__": "ttnn.MemoryConfig", "memory_layout": "INTERLEAVED", "buffer_type": "DRAM"}}], "kwargs": {}, "output": None}
    (tmp_path / "calls.jsonl").write_text(json.dumps(line) + "\n")
    (report,) = as_json("import", tmp_path / "calls.jsonl", "--dir", tmp_path / "store")
    assert report["known_configurations"] == 1  # the same call by another road
    (tmp_path / "strange.json").write_text('{"a": 1}')
    assert "unknown kind of input" in run("import", tmp_path / "strange.json", "--dir", tmp_path / "store").stderr


def hand_written_master():
    """The least that a master of format 1 can say, as people write it down: no machine, no namespace in the name of the
    operation, a grid as the two corners of its range."""
    layout = {
        "dtype": "DataType::BFLOAT16",
        "memory_config": {
            "buffer_type": "BufferType::L1",
            "memory_layout": "TensorMemoryLayout::HEIGHT_SHARDED",
            "shard_spec": {
                "grid": [{"x": 0, "y": 0}, {"x": 5, "y": 3}],
                "shape": [96, 64],
                "orientation": "ShardOrientation::ROW_MAJOR",
            },
        },
    }
    argument = {"Tensor": {"tensor_spec": {"logical_shape": [1, 1, 2304, 64], "tensor_layout": layout}}}
    return {
        "operations": {"sigmoid_accurate": {"configurations": [[{"arg0": argument}]]}},
        "metadata": {"models": ["test_of_a_model"], "unique_operations": 1, "total_configurations": 1},
    }


def check_that_it_replays(master, store):
    """Imports a master of one configuration of sigmoid_accurate, records it again and compares it with its reference."""
    (imported,) = as_json("import", master, "--dir", store)
    assert imported["new_configurations"] == 1 and imported["unbound_configurations"] == 0
    (shown,) = as_json("show", "sigmoid_accurate", "--dir", store)
    (checked,) = as_json("selfcheck", "--dir", store)
    assert checked["same"] and checked["operation"] == "ttnn::sigmoid_accurate"
    assert "1 of 1 configurations" in run("selfcheck", "--dir", store).stdout
    (swept,) = as_json("sweep", "run", "--all", "--dir", store)
    assert swept["status"] == "pass"
    return json.dumps(shown["configurations"])


def test_a_hand_written_master_without_a_machine_replays(tmp_path):
    (tmp_path / "master.json").write_text(json.dumps(hand_written_master()))
    shown = check_that_it_replays(tmp_path / "master.json", tmp_path / "store")
    assert "2304" in shown and "HEIGHT_SHARDED" in shown and "[96, 64]" in shown
    assert [model["source"] for model in as_json("models", "--dir", tmp_path / "store")] == ["test_of_a_model"]
