"""Performance reports: from Python, and read by the real tt-perf-report."""

import csv
import os
import subprocess

import pytest
import torch
from viewer_client import programs

from tracelift import ttnn
from tracelift.ttnn import graph_report

LONG = os.environ.get("TRACELIFT_LONG") == "1"


@pytest.fixture
def report(device, tmp_path):
    def make(*shape, dtype=ttnn.bfloat16):
        return ttnn.from_torch(torch.ones(*shape), dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)

    a, weights = make(64, 128), make(128, 256, dtype=ttnn.bfloat8_b)
    path = tmp_path / "block.json"
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    product = ttnn.linear(a, weights)
    ttnn.softmax(ttnn.add(product, product), dim=-1)
    ttnn.layer_norm(product)
    ttnn.graph.end_graph_capture_to_file(path)
    return path


def table_of(folder):
    (path,) = folder.glob("ops_perf_results_*.csv")
    with path.open(newline="") as file:
        return path, list(csv.DictReader(file))


def test_python_writes_the_folder(report, tmp_path):
    summary = graph_report.write_performance_report(report, tmp_path / "perf")
    path, rows = table_of(tmp_path / "perf")
    assert summary["table"] == path
    assert summary["operations"] == len(rows) >= 4
    assert path.name == "ops_perf_results_block.csv"
    assert (tmp_path / "perf/profile_log_device.csv").exists()
    assert "DEVICE KERNEL DURATION [ns]" in summary["empty_columns"]
    product = rows[0]
    assert product["OP CODE"] == "MatmulDeviceOperation"
    assert product["INPUT_0_X_PAD[LOGICAL]"] == "128[128]"
    assert product["INPUT_1_DATATYPE"] == "BFLOAT8_B"
    assert product["OUTPUT_0_X_PAD[LOGICAL]"] == "256[256]"
    assert int(product["HOST DURATION [ns]"]) > 0
    with pytest.raises(RuntimeError, match="nothing.json"):
        graph_report.write_performance_report(tmp_path / "nothing.json", tmp_path / "perf")


@pytest.fixture
def tt_perf_report():
    """The program, in a virtual environment of its own: its requirements are not ours."""
    if not LONG:
        pytest.skip("a long test: TRACELIFT_LONG=1 (make test-long) runs it")
    program = programs.CLIENTS / "tt-perf-report/bin/tt-perf-report"
    assert program.exists(), f"{program} is not there: run scripts/setup_clients.sh"
    return program


def run(program, path, out, *options):
    command = [program, path, "--csv", out, "--no-summary", *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.long
def test_tt_perf_report_reads_what_we_write(tt_perf_report, report, tmp_path):
    graph_report.write_performance_report(report, tmp_path / "perf")
    path, rows = table_of(tmp_path / "perf")
    out = tmp_path / "read.csv"
    text = run(tt_perf_report, path, out, "--raw-op-codes")
    assert "v2.1" in text
    with out.open(newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["Raw OP Code"] for row in read] == [row["OP CODE"] for row in rows]
    assert [row["Cores"] for row in read] == [row["CORE COUNT"] for row in rows]
    assert all(not row["Device Time"] for row in read)
    assert read[0]["OP Code"].startswith("MatmulDeviceOperation")
    assert read[0]["Input 0 Datatype"] == "BFLOAT16"
    assert read[0]["Input 0 Memory"] == "DEV_0_DRAM_INTERLEAVED"
    assert "HiFi2" in read[0]["Math Fidelity"]


@pytest.mark.long
def test_tt_perf_report_computes_with_times_put_into_our_table(tt_perf_report, report, tmp_path):
    """The columns are those it takes its figures from: with times in them it computes rates."""
    graph_report.write_performance_report(report, tmp_path / "perf")
    path, rows = table_of(tmp_path / "perf")
    for i, row in enumerate(rows):
        row["DEVICE KERNEL DURATION [ns]"] = str(10_000 * (i + 1))
        row["OP TO OP LATENCY [ns]"] = "1000"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    out = tmp_path / "read.csv"
    run(tt_perf_report, path, out)
    with out.open(newline="") as file:
        read = list(csv.DictReader(file))
    assert [float(row["Device Time"]) for row in read] == [10.0 * (i + 1) for i in range(len(rows))]
    flops = 2 * 64 * 128 * 256
    assert float(read[0]["FLOPs"]) == pytest.approx(flops / 10e-6 / 1e12, rel=1e-3)
