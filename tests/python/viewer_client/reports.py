"""Captures that the viewer's tests show, each with the database made of it."""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import torch

from tracelift import ttnn
from tracelift.ttnn import database

from . import failing_model

ROOT = Path(__file__).resolve().parents[3]
TRACELIFT = Path(sys.executable).with_name("tracelift")
# Reports whose every operation is compared with the capture.
NAMES = ("bert", "failing", "loop")


@dataclass
class Made:
    capture: Path | None  # none of what was written while the program ran
    folder: Path
    facts: dict = field(default_factory=dict)  # what the program itself knows


@contextlib.contextmanager
def captured(path: Path, pages: bool = True):
    ttnn.graph.enable_stack_traces()
    if pages:
        ttnn.graph.enable_buffer_pages()
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    try:
        yield
    finally:
        ttnn.graph.end_graph_capture_to_file(path)
        ttnn.graph.disable_buffer_pages()
        ttnn.graph.disable_stack_traces()


def run(*arguments: object) -> None:
    subprocess.run([TRACELIFT, *arguments], check=True, capture_output=True)


def imported(capture: Path, facts: dict | None = None) -> Made:
    folder = capture.with_suffix(".report")
    run("report", "import", "--source-files", capture, folder)
    return Made(capture, folder, facts or {})


def performance(made: Made, folder: Path) -> Path:
    """A performance report of a capture."""
    out = folder / "performance"
    run("report", "perf", made.capture, out)
    logs = [path.parent for path in out.rglob("profile_log_device.csv")]
    assert len(logs) == 1
    return logs[0]


def example(name: str):
    path = ROOT / "examples" / name
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def bert(device, folder: Path) -> Made:
    """The whole example, from the loading of its weights on."""
    capture = folder / "bert.json"
    with captured(capture):
        example("bert/test_bert_encoder.py").test_bert_encoder(device)
    return imported(capture)


def forward(device, folder: Path) -> Made:
    """The same model, captured after its weights were loaded."""
    module = example("bert/test_bert_encoder.py")
    torch.manual_seed(0)
    config = module.Config(layers=1)
    model = module.Encoder(config, module.random_weights(config), device)
    ids = torch.randint(config.vocabulary, (config.batch, config.sequence))
    mask = module.attention_mask(config, torch.tensor([config.sequence, 77]))
    device_ids = ttnn.from_torch(ids.int(), dtype=ttnn.uint32, device=device)
    device_mask = ttnn.from_torch(mask, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    capture = folder / "forward.json"
    with captured(capture):
        results = model(device_ids, device_mask)
    del results
    weights = {name: weight.buffer_address() for name, weight in model.weights.items()}
    return imported(capture, {"weights": weights})


def tensor(device, *shape: int):
    return ttnn.from_torch(torch.ones(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def failing(device, folder: Path) -> Made:
    capture = folder / "failing.json"
    with captured(capture):
        inputs = tensor(device, 1, 1, 64, 64), tensor(device, 1, 1, 64, 64), tensor(device, 1, 1, 96, 64)
        kept, message = failing_model.run(*inputs)
    del kept
    return imported(capture, {"message": message})


def logged(device, folder: Path) -> Made:
    """What the model itself writes while it runs, through a failure and on."""
    before = ttnn.Config(ttnn.CONFIG)
    ttnn.CONFIG.root_report_path = folder
    ttnn.CONFIG.report_name = "logged"
    ttnn.CONFIG.enable_logging = True
    ttnn.CONFIG.enable_detailed_buffer_report = True
    report = ttnn.CONFIG.report_path
    device.clear_program_cache()  # circular buffers belong to the making of a program
    try:
        example("bert/test_bert_encoder.py").test_bert_encoder(device)
        inputs = tensor(device, 1, 1, 64, 64), tensor(device, 1, 1, 64, 64), tensor(device, 1, 1, 96, 64)
        kept, message = failing_model.run(*inputs)
        del kept
    finally:
        ttnn.CONFIG = before
        database.SQLITE_CONNECTION.close()
        database.SQLITE_CONNECTION = None
    return Made(None, report, {"message": message})


def loop(device, folder: Path, nodes: int = 20_000) -> Made:
    capture = folder / "loop.json"
    with captured(capture, pages=False):
        x, y = tensor(device, 1, 1, 64, 64), tensor(device, 1, 1, 64, 64)
        for _ in range(nodes // 25):
            x = ttnn.relu(ttnn.add(x, y, memory_config=ttnn.L1_MEMORY_CONFIG))
    return imported(capture)
