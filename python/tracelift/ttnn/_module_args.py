"""What the modules of a torch model were made and called with, learned from one run of the model."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from tracelift import _ttnn

from . import _config, torch_tracer
from ._digraph import in_order
from ._parameters import Conv2dArgs, ConvTranspose2dArgs, GroupNormArgs, MaxPool2dArgs, ModuleArgs
from ._traced_operations import MODULE_NAME, TorchModule
from .dot_access import DotAccessDict

_log = logging.getLogger("ttnn")
_BFLOAT16 = _ttnn.DataType.BFLOAT16


def _shape(module: Any, shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    if not shapes:
        raise ValueError(f"{type(module).__name__} '{getattr(module, MODULE_NAME, '')}' was called without a tensor")
    return shapes[0]


def _convolution(module: Any, shape: tuple[int, ...], device: Any) -> dict[str, Any]:
    own = ["in_channels", "out_channels", "kernel_size", "stride", "padding"]
    own += ["output_padding"] if isinstance(module, torch.nn.ConvTranspose2d) else []
    own += ["dilation", "groups", "padding_mode"]
    return {
        **{name: getattr(module, name) for name in own},
        "batch_size": shape[0],
        "input_height": shape[-2],
        "input_width": shape[-1],
        "math_fidelity": _ttnn.MathFidelity.HiFi4,
        "dtype": _BFLOAT16,
        "weights_dtype": _BFLOAT16,
        "use_1d_systolic_array": True,
        "enable_auto_formatting": False,
        "conv_blocking_and_parallelization_config_override": {},
        "device": device,
    }


def _pool(module: Any, shape: tuple[int, ...]) -> dict[str, Any]:
    return {
        **{name: getattr(module, name) for name in ("kernel_size", "stride", "padding", "dilation")},
        "batch_size": shape[0],
        "input_channels": shape[1],
        "input_height": shape[-2],
        "input_width": shape[-1],
        "dtype": _BFLOAT16,
    }


def _norm(module: Any, shape: tuple[int, ...]) -> dict[str, Any]:
    return {
        **{name: getattr(module, name) for name in ("num_groups", "num_channels", "eps", "affine")},
        "batch_size": shape[0],
        "input_height": shape[-2],
        "input_width": shape[-1],
        "dtype": _BFLOAT16,
    }


def _args_of_call(operation: TorchModule, shapes: list[tuple[int, ...]], device: Any) -> Any:
    """Of a module of a known kind its arguments, of others those of the modules that they called."""
    module = operation.module
    shape = _shape(module, shapes)
    if isinstance(module, torch.nn.Conv2d):
        return Conv2dArgs(_convolution(module, shape, device))
    if isinstance(module, torch.nn.ConvTranspose2d):
        return ConvTranspose2dArgs(_convolution(module, shape, device))
    if isinstance(module, torch.nn.MaxPool2d):
        return MaxPool2dArgs(_pool(module, shape))
    if isinstance(module, torch.nn.GroupNorm):
        return GroupNormArgs(_norm(module, shape))
    inside = DotAccessDict()
    for name, args in _calls(operation.graph, device):
        last = name.rpartition(".")[2]
        inside[last] = args
        if last.isdigit():
            inside[int(last)] = args
    return inside


def _calls(graph: Any, device: Any) -> list[tuple[str, Any]]:
    """Path and arguments of every call of a module in a graph."""
    found = []
    for node in in_order(graph):
        operation = graph.nodes[node]["operation"]
        if isinstance(operation, TorchModule):
            shapes = [tuple(tensor.shape) for tensor in operation.inputs]
            found.append((getattr(operation.module, MODULE_NAME), _args_of_call(operation, shapes, device)))
    return found


def _draw(graph: Any) -> None:
    """A picture of the run, where there is something to draw it with."""
    try:
        import graphviz  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: F401
    except ImportError:
        return
    if shutil.which("dot") is None:
        return
    folder = Path(_config.CONFIG.tmp_dir)
    folder.mkdir(parents=True, exist_ok=True)
    torch_tracer.visualize(graph, file_name=folder / "model_graph.svg")


def infer_ttnn_module_args(
    *, model: Any, run_model: Callable[[Any], Any] | None, device: Any
) -> DotAccessDict | ModuleArgs | None:
    """The arguments of the convolutions, pools and group norms of a model, in the tree of the calls that
    `run_model(model)` makes: `args.encoder.conv1.input_height`."""
    if run_model is None:
        return None
    with torch_tracer.trace():
        graph = torch_tracer._current_graph()
        run_model(model)
    _draw(graph)
    roots = _calls(graph, device)
    if not roots:
        raise RuntimeError("run_model called no module")
    return roots[-1][1]
