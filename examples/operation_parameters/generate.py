"""Writes the example traces beside this file: one folder per example, one JSON file per call of an operation.

    python examples/operation_parameters/generate.py [FOLDER]

Times are replaced by fixed ones, so that two runs give the same files.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch

import ttnn
import ttnn.operation_tracer


def addition(device: ttnn.MeshDevice) -> None:
    a = ttnn.rand(shape=[2, 3], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    b = ttnn.rand(shape=[2, 3], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.add(a, b)


def upload(device: ttnn.MeshDevice) -> None:
    tensor = torch.zeros([2, 3], dtype=torch.bfloat16)
    on_host = ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    ttnn.to_device(on_host, device=device, memory_config=ttnn.DRAM_MEMORY_CONFIG)


def addition_with_values(device: ttnn.MeshDevice) -> None:
    ttnn.operation_tracer.enable_tensor_value_serialization(True)
    a = ttnn.from_torch(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), layout=ttnn.TILE_LAYOUT, device=device)
    b = ttnn.from_torch(torch.tensor([[0.5, 0.25, 0.0], [-0.5, -0.25, 0.0]]), layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.add(a, b)


EXAMPLES: tuple[Callable[[ttnn.MeshDevice], None], ...] = (addition, upload, addition_with_values)


def _with_fixed_time(file: Path, folder: Path) -> None:
    number, _, rest = file.stem.partition("_")
    name, timestamp = rest[: -len("_20260115_104616_345678")], rest[-len("20260115_104616_345678") :]
    fixed = f"20260115_104616_{int(number):06}"
    text = file.read_text().replace(f'"timestamp": "{timestamp}"', f'"timestamp": "{fixed}"')
    (folder / f"{number}_{name}_{fixed}.json").write_text(text)


def write_example(example: Callable[[ttnn.MeshDevice], None], folder: Path) -> None:
    """Traces one example into a folder of its own, which is made anew."""
    tracer = ttnn.operation_tracer
    with tempfile.TemporaryDirectory() as written, ttnn.manage_device(device_id=0, board="n150") as device:
        with ttnn.manage_config("operation_parameter_log_dir", written):
            tracer._OPERATION_COUNTER = 0
            tracer.enable_tracing(True)
            try:
                example(device)
            finally:
                tracer.enable_tracing(False)
                tracer.enable_tensor_value_serialization(False)
        shutil.rmtree(folder / example.__name__, ignore_errors=True)
        (folder / example.__name__).mkdir(parents=True)
        for file in Path(written).glob("*.json"):
            _with_fixed_time(file, folder / example.__name__)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for example in EXAMPLES:
        write_example(example, folder)


if __name__ == "__main__":
    main()
