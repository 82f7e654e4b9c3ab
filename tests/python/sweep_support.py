"""What the tests of sweeps share: the real masters where they are, a small one everywhere, and sessions in processes."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "sweeps"
SIGMOID = EXAMPLES / "eltwise" / "unary" / "sigmoid_accurate" / "sigmoid_accurate.py"
EFFICIENTNET = "efficientnet_b0_format1.json"
LLAMA = "llama32_1b_n300_format2.json"
DEEPSEEK = "deepseek_v3_galaxy_format2.json"


def real_master(name):
    folder = pathlib.Path(os.environ.get("TRACELIFT_DATA") or ROOT / ".." / "shared" / "data")
    path = (folder / "masters" / name).resolve()
    if not path.exists():
        pytest.skip(f"no master {name}: set TRACELIFT_DATA to the folder that holds masters/")
    return path


def tensor(shape, memory, dtype="BFLOAT16"):
    """A tensor as graph captures write it."""
    return {
        "Tensor": {
            "storage": {},
            "tensor_spec": {
                "logical_shape": shape,
                "tensor_layout": {
                    "dtype": f"DataType::{dtype}",
                    "memory_config": memory,
                    "alignment": [32, 32],
                },
            },
        }
    }


DRAM = {"buffer_type": "BufferType::DRAM", "memory_layout": "TensorMemoryLayout::INTERLEAVED"}
SHARDED = {
    "buffer_type": "BufferType::L1",
    "memory_layout": "TensorMemoryLayout::HEIGHT_SHARDED",
    "shard_spec": {
        "grid": [{"x": 0, "y": 0}, {"x": 1, "y": 0}],
        "shape": [64, 32],
        "orientation": "ShardOrientation::COL_MAJOR",
    },
}

# Three unary configurations with two shapes and two memory configs, one binary one, one that nobody can read.
SMALL = {
    "operations": {
        "ttnn::sigmoid_accurate": {
            "configurations": [
                [{"arg0": tensor([1, 1, 128, 32], SHARDED)}, {"arg1": "1"}],
                [{"arg0": tensor([1, 1, 32, 32], DRAM)}, {"arg1": "1"}],
                [{"arg0": tensor([1, 1, 128, 32], DRAM)}, {"arg1": "1"}],
            ]
        },
        "ttnn::add": {
            "configurations": [[{"arg0": tensor([1, 1, 32, 32], DRAM)}, {"arg1": tensor([1, 1, 1, 32], DRAM)}]]
        },
        "ttnn::relu": {"configurations": [["not an argument"], [{"arg0": tensor([1, 1, 32, 32], DRAM)}]]},
    },
    "metadata": {"models": ["test_small"]},
}


def python(*arguments, cwd, master=None, path=None, **settings):
    """A Python process of its own; what it prints."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("TTNN_MASTER_JSON_PATH", None)
    if master is not None:
        environment["TTNN_MASTER_JSON_PATH"] = str(master)
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, **settings)
