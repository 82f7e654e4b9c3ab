"""Calls of a ttnn that is not ours are captured by the same plugin, through its import hook."""

import json
import os
import pathlib
import subprocess
import sys

STAND_IN = pathlib.Path(__file__).parent / "stand_in"

TEST = """
import pytest
import ttnn
from ttnn import full
import ttnn.experimental

def test_calls():
    assert ttnn.__file__.endswith("stand_in/ttnn/__init__.py")
    a = full([32, 64], 1.0, memory_config=ttnn.MemoryConfig())
    ttnn.add(a, a, program_config=ttnn.MatmulProgramConfig(2))
    assert ttnn.add.golden_function is None
    ttnn.add.golden_function = "set"
    assert ttnn.add.function is not None
    with pytest.raises(RuntimeError):
        ttnn.refuse(a)
    ttnn.experimental.rotate(a, float("inf"))
    assert ttnn.cast(int, 3) == 3

def test_nested():
    ttnn.nested(ttnn.Tensor([1]))
"""


def run(tmp_path, *options):
    (tmp_path / "test_model.py").write_text(TEST)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TT_"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tracelift.pytest_plugin", *options],
        cwd=tmp_path,
        env={**clean, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(STAND_IN)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_foreign_calls_are_captured(tmp_path):
    done = run(tmp_path, "--ops-jsonl", "calls.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    seen = [(line["test_nodeid"].rpartition("::")[2], line["op_index"], line["op_name"]) for line in lines]
    assert seen == [
        ("test_calls", 0, "ttnn.full"),
        ("test_calls", 1, "ttnn.add"),
        ("test_calls", 2, "ttnn.refuse"),
        ("test_calls", 3, "ttnn.experimental.rotate"),
        ("test_nested", 0, "ttnn.add"),
        ("test_nested", 1, "ttnn.nested"),
    ]
    full, add, refused, rotate = lines[:4]
    assert full["module"] == "Model1D"
    assert full["inputs"] == [[32, 64], 1.0]
    assert full["kwargs"]["memory_config"] == {
        "__type__": "ttnn.MemoryConfig",
        "memory_layout": "INTERLEAVED",
        "buffer_type": "DRAM",
    }
    assert full["output"] == {
        "__type__": "ttnn.TensorRef",
        "shape": [32, 64],
        "dtype": "DataType.BFLOAT16",
        "memory_config": full["kwargs"]["memory_config"],
    }
    assert add["kwargs"]["program_config"] == {"__type__": "ttnn.MatmulProgramConfig", "in0_block_w": 2}
    assert refused["output"] is None
    assert refused["error"] == {"type": "RuntimeError", "message": "shapes do not fit"}
    assert rotate["inputs"][1] == {"__type__": "float", "value": "inf"}
    assert all(line["duration_ms"] >= 0 for line in lines)


def test_without_the_option_nothing_is_wrapped(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / "calls.jsonl").exists()


def test_foreign_ttnn_without_a_tracer(tmp_path):
    done = run(tmp_path, "--trace-params")
    assert done.returncode == 4
    assert "the installed ttnn has no operation_tracer" in done.stderr + done.stdout
