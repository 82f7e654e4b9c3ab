"""`python -m ttnn.graph_report`, and reports that the examples leave."""

import importlib.util
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tracelift import ttnn
from tracelift.ttnn import graph_report

ROOT = Path(__file__).resolve().parents[2]


def rows(folder, sql):
    with sqlite3.connect(folder / "db.sqlite") as database:
        return database.execute(sql).fetchall()


@pytest.fixture
def relu_report(device, tmp_path):
    path = tmp_path / "relu.json"
    tensor = ttnn.from_torch(torch.ones(1, 1, 32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    ttnn.relu(tensor)
    graph = ttnn.graph.end_graph_capture_to_file(path)
    return path, graph


def run(*arguments):
    command = [sys.executable, "-m", "ttnn.graph_report", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_captured_relu_becomes_a_database(relu_report, tmp_path):
    path, graph = relu_report
    report = json.loads(path.read_text())
    assert report["graph"] == graph
    assert report["version"] == ttnn.graph.REPORT_VERSION
    out = tmp_path / "out"
    result = run("--svg", path, out)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"Imported 1 report(s) into {out}/db.sqlite\n  - 1 devices\n")
    assert ("ttnn::relu",) in rows(out, "SELECT name FROM operations")
    assert len(rows(out, "SELECT * FROM devices")) == 1
    assert len(rows(out, "SELECT * FROM captured_graph")) == len(rows(out, "SELECT * FROM operations"))
    assert (out / "graphs/relu.svg").read_text().startswith("<svg")
    assert (out / "graphs/relu.memory.svg").read_text().startswith("<svg")


def test_a_second_import_is_refused_unless_replaced(relu_report, tmp_path):
    path, _ = relu_report
    out = tmp_path / "out"
    assert run(path, out).returncode == 0
    refused = run(path, out)
    assert refused.returncode == 1
    assert "--replace" in refused.stderr
    assert run("--replace", path, out).returncode == 0


def test_a_broken_report_is_named(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"version": 1, "graph": [{"counter": }]}')
    with pytest.raises(RuntimeError, match="bad.json: node 0"):
        graph_report.import_report(bad, tmp_path / "out")
    assert not (tmp_path / "out/db.sqlite").exists()


def test_import_report_gives_the_path_of_the_database(relu_report, tmp_path):
    path, _ = relu_report
    database = graph_report.import_report(path, tmp_path / "out", "mine.sqlite", True)
    assert database == tmp_path / "out/mine.sqlite" and isinstance(database, Path) and database.exists()
    assert (tmp_path / "out/graphs/relu.svg").exists()
    assert ttnn.graph.import_report(path, tmp_path / "other") == tmp_path / "other/db.sqlite"


@pytest.mark.parametrize("rules", graph_report.RULES)
def test_the_mesh_mapping_is_found_under_its_first_name(tmp_path, rules):
    text = "chips:\n  0: [0, 0]\n"
    report = {"version": 1, "graph": [], "devices": [], "metadata": {"rank": 0}, "mesh_coordinate_mapping": text}
    (tmp_path / "report.json").write_text(json.dumps(report))
    graph_report.import_report(tmp_path / "report.json", tmp_path / "out", rules=rules)
    assert (tmp_path / "out/mesh_coordinate_mapping.yaml").read_text() == text
    result = run("--rules", rules, tmp_path / "report.json", tmp_path / "command")
    assert result.returncode == 0 and (tmp_path / "command/mesh_coordinate_mapping.yaml").read_text() == text


def test_a_schema_and_graphs_go_into_a_database_of_ones_own(relu_report, tmp_path):
    path, graph = relu_report
    report = json.loads(path.read_text())
    devices, names = report["devices"], report["python_io"]
    del report["buffers_at_start"]  # not a part of the graph
    (tmp_path / "report.json").write_text(json.dumps(report))
    graph_report.import_report(tmp_path / "report.json", tmp_path / "out", materialize=True)
    with sqlite3.connect(":memory:") as database:
        cursor = database.cursor()
        with pytest.raises(RuntimeError, match="create_database_schema"):
            graph_report.import_graph(cursor, graph)
        graph_report.create_database_schema(cursor)
        graph_report.create_database_schema(cursor)  # a second time changes nothing
        tables = {name for (name,) in cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert {"devices", "operations", "tensors", "buffers", "captured_graph", "errors", "report_metadata"} <= tables
        statistics = graph_report.import_graph(cursor, graph, devices=devices, python_io=names)
        graph_report.import_graph(cursor, graph, base_operation_id=10000, devices=devices, python_io=names)
        for table in ("operations", "buffers", "input_tensors", "output_tensors", "edges", "operation_arguments"):
            expected = rows(tmp_path / "out", f"SELECT * FROM {table} ORDER BY 1, 2, 3")
            first = cursor.execute(f"SELECT * FROM {table} WHERE operation_id < 10000 ORDER BY 1, 2, 3").fetchall()
            second = cursor.execute(f"SELECT * FROM {table} WHERE operation_id >= 10000").fetchall()
            assert expected and first == expected and len(second) == len(expected), table
        assert statistics["operations"] == len(rows(tmp_path / "out", "SELECT * FROM operations"))
        assert statistics["tensors"] == len(rows(tmp_path / "out", "SELECT * FROM tensors"))
        assert not cursor.execute("SELECT * FROM devices").fetchall()


def test_durations_are_told_in_seconds():
    ends = [("ttnn::add", 5_000_000), ("ttnn::relu", 1_000_000), ("ttnn::add", 2_500_000)]
    graph = [{"counter": 0, "node_type": "capture_start", "params": {}, "connections": []}]
    for name, nanoseconds in ends:
        params = {"name": name, "inputs": "0"}
        begin = {"counter": len(graph), "node_type": "function_start", "params": params, "connections": []}
        end = {"counter": len(graph) + 1, "node_type": "function_end", "params": {"name": name}, "connections": []}
        graph += [begin, end | {"duration_ns": nanoseconds}]
    end = {"counter": len(graph), "node_type": "capture_end", "params": {}, "connections": []}
    graph.append(end | {"duration_ns": 12_000_000})
    assert graph_report.extract_total_duration_from_graph(graph) == pytest.approx(0.012)
    expected = {"ttnn::add": 0.0025, "ttnn::relu": 0.001}  # the last call of a name counts
    assert graph_report.extract_operation_durations(graph) == pytest.approx(expected)


def example(path, name):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return getattr(module, name)


@pytest.mark.parametrize("test", ["bert/test_bert_encoder.py::test_bert_encoder"])
def test_reports_of_the_examples_keep_all_rules(device, tmp_path, test):
    file, name = test.split("::")
    path = tmp_path / "example.json"
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    example(ROOT / "examples" / file, name)(device)
    graph = ttnn.graph.end_graph_capture_to_file(path)
    graph_report.import_report(path, tmp_path / "out")
    tracelift = Path(sys.executable).with_name("tracelift")
    check = subprocess.run([tracelift, "report", "check", tmp_path / "out"], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout
    answer = subprocess.run(
        [tracelift, "report", "peak", tmp_path / "out", "--json"], capture_output=True, text=True, check=True
    )
    (peak,) = json.loads(answer.stdout)
    assert peak["l1"]["bytes"] == ttnn.graph.extract_peak_L1_memory_usage(graph)
    assert peak["dram"]["bytes"] == ttnn.graph.extract_dram_usage(graph)["peak"]
