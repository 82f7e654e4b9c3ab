"""Every command's help has an example, and the example does what it says in a folder with the files that it names."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from test_masters_command import execution, find_tool, run, tensor


def commands(*names):
    """All commands below, as lists of words; groups are not among them."""
    text = run(*names, "--help").stdout
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
    if listed is None:
        return [list(names)]
    inner = re.findall(r"^  (\S+)", listed.group(1), re.MULTILINE)
    return [each for name in inner for each in commands(*names, name)]


def example_of(words):
    text = run(*words, "--help").stdout
    return re.search(r"^Example:\n?\s*(.*)$", text, re.MULTILINE).group(1)


def write_master(path, uid):
    calls = {
        "ttnn.add": {"arg0": tensor([1, 1, 32, 64]), "arg1": 2.0},
        "ttnn.matmul": {"arg0": tensor([1, 1, 32, 64]), "arg1": tensor([1, 1, 64, 32])},
        "ttnn.softmax": {"arg0": tensor([1, 1, 32, 64])},
        "ttnn.layer_norm": {"arg0": tensor([1, 1, 32, 64])},
    }
    operations = {
        name: {"configurations": [{"arguments": arguments, "executions": [execution(uid=uid)]}]}
        for name, arguments in calls.items()
    }
    path.write_text(json.dumps({"operations": operations}))


def write_report(path):
    from tracelift import ttnn

    device = ttnn.open_device(device_id=0)
    try:
        x = ttnn.zeros([32, 32], device=device, layout=ttnn.TILE_LAYOUT)
        ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
        for _ in range(15):
            x = ttnn.relu(x)
        ttnn.graph.end_graph_capture_to_file(str(path))
    finally:
        ttnn.close_device(device)


@pytest.fixture(scope="module")
def furnished(tmp_path_factory):
    """The files that examples name."""
    folder = tmp_path_factory.mktemp("examples")
    for name in ("master", "a", "b", "before", "after"):
        write_master(folder / f"{name}.json", f"u-{name}")
    shutil.copy(folder / "before.json", folder / "after.json")
    for name in ("a", "b", "before"):
        assert run("import", folder / f"{name}.json", "--dir", folder / "traced_operations").returncode == 0
    wrong = {"arguments": {"arg0": tensor([1, 1, 32, 64]), "arg1": tensor([1, 1, 32, 64])}, "executions": [execution(uid="u-wrong")]}
    (folder / "wrong.json").write_text(json.dumps({"operations": {"ttnn.matmul": {"configurations": [wrong]}}}))
    assert run("import", folder / "wrong.json", "--dir", folder / "traced_operations").returncode == 0
    memory = {"__type__": "ttnn.MemoryConfig", "memory_layout": "INTERLEAVED", "buffer_type": "DRAM"}
    operand = {"__type__": "ttnn.TensorRef", "shape": [1, 1, 32, 64], "dtype": "DataType.BFLOAT16", "layout": "Layout.TILE", "memory_config": memory}
    (folder / "calls.jsonl").write_text(json.dumps({"op_name": "ttnn.matmul", "inputs": [operand, operand], "kwargs": {}}) + "\n")
    for _ in range(2):  # runs to show and to compare, with a failure
        swept = run("sweep", "run", "add", "matmul", "--dir", folder / "traced_operations")
        assert swept.returncode == 1, swept.stderr
    for shard in (1, 2):  # of one sweep on two machines
        machine = folder / f"machine{shard}"
        assert run("import", folder / "a.json", "--dir", machine).returncode == 0
        assert run("sweep", "run", "--all", "--shard", f"{shard}/2", "--dir", machine).returncode == 0
    (folder / "registry.yaml").write_text("targets:\n  all:\n    - trace: 1\nregistry: []\n")
    (folder / "tests").mkdir()
    (folder / "tests" / "test_model.py").write_text(
        "import ttnn\n\n\n"
        "def test_model():\n"
        "    device = ttnn.open_device(device_id=0)\n"
        "    ttnn.relu(ttnn.zeros([32, 32], device=device, layout=ttnn.TILE_LAYOUT))\n"
        "    ttnn.close_device(device)\n"
    )
    write_report(folder / "report.json")
    assert run("report", "import", folder / "report.json", folder / "out").returncode == 0
    assert run("report", "perf", folder / "report.json", folder / "perf").returncode == 0
    return folder


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_the_example_of_a_command_runs(furnished, tmp_path, words):
    folder = tmp_path / "folder"
    shutil.copytree(furnished, folder)
    if words == ["report", "import"]:
        shutil.rmtree(folder / "out")
    example = example_of(words)
    assert " ".join(["tracelift", *words]) in example
    environment = {**os.environ, "PATH": f"{Path(find_tool()).parent}:{os.environ['PATH']}"}
    environment.pop("TRACELIFT_DIR", None)
    result = subprocess.run(
        ["bash", "-c", example], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert result.returncode == 0, f"{example}\n{result.stdout}\n{result.stderr}"
    silent = words == ["completion"]  # what it prints is read by the shell
    assert silent or result.stdout.strip(), f"{example} printed nothing"


def test_all_commands_were_found():
    """By the names that completion knows."""
    listed = run("--help").stdout
    assert {words[0] for words in commands()} == set(re.findall(r"^  ([a-z][a-z-]*) {2,}", listed.split("Commands:")[1], re.MULTILINE))
    assert len(commands()) > 30
