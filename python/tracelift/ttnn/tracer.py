"""ttnn.tracer: the graph of ttnn.torch_tracer with the operations of ttnn in it.

    with ttnn.tracer.trace():
        output = ttnn.to_torch(ttnn.exp(ttnn.from_torch(torch.rand(32, 32))))
    ttnn.tracer.visualize(output, file_name="model.svg")

Needs CONFIG.enable_fast_runtime_mode to be off, as the original does.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from tracelift import _ttnn

from . import _config, _hooks, torch_tracer
from ._digraph import new_graph
from ._trace_code import codegen as _codegen
from ._traced_operations import TTNNOperation, TTNNTensor, new_node
from .torch_tracer import (
    InputTensorIndex,
    Node,
    PositionalArgumentName,
    TorchFunction,
    TorchModule,
    TorchModuleInput,
    TorchParameter,
    TorchTensor,
    TracedTorchTensor,
    duration_to_string,
    flatten_graph,
    get_arg_name_value_pairs,
    get_graph,
    get_unique_id,
)

__all__ = [
    "ENABLE_TRACER",
    "GRAPH_STACK",
    "InputTensorIndex",
    "Node",
    "PositionalArgumentName",
    "TTNNOperation",
    "TTNNTensor",
    "TorchFunction",
    "TorchModule",
    "TorchModuleInput",
    "TorchParameter",
    "TorchTensor",
    "TracedTTNNTensor",
    "TracedTorchTensor",
    "codegen",
    "disable_tracing",
    "duration_to_string",
    "enable_tracing",
    "flatten_graph",
    "get_graph",
    "get_unique_id",
    "is_tracing_enabled",
    "trace",
    "visualize",
]

_log = logging.getLogger("ttnn")

ENABLE_TRACER = False
GRAPH_STACK: list[Any] | None  # that of torch_tracer

_TENSORS = (_ttnn.Tensor, torch.Tensor)


def __getattr__(name: str) -> Any:
    if name == "GRAPH_STACK":
        return torch_tracer.GRAPH_STACK
    raise AttributeError(f"module 'ttnn.tracer' has no attribute '{name}'")


class TracedTTNNTensor(_ttnn.Tensor):
    """A tensor that knows which node of a graph it comes from."""

    TRACEDTENSOR = True

    def __init__(self, tensor: _ttnn.Tensor, graph: Any, node: Node, output_index: int) -> None:
        super().__init__(tensor)
        self.graph, self.node, self.output_index = graph, node, output_index

    @property
    def name(self) -> str:
        return self.node.name


def _facts(tensors: list[Any]) -> dict[str, Any]:
    ours = [isinstance(tensor, _ttnn.Tensor) for tensor in tensors]
    return {
        "shapes": tuple(tuple(tensor.shape) for tensor in tensors),
        "dtypes": tuple(tensor.dtype for tensor in tensors),
        "layouts": tuple(tensor.layout if own else None for tensor, own in zip(tensors, ours)),
        "memory_configs": tuple(
            tensor.memory_config() if own and tensor.storage_type() == _ttnn.StorageType.DEVICE else None
            for tensor, own in zip(tensors, ours)
        ),
    }


def _input(tensor: Any) -> Any:
    """A tensor of the current graph: what comes from elsewhere becomes an input."""
    if not isinstance(tensor, _ttnn.Tensor):
        return torch_tracer._input(tensor)
    graph = torch_tracer._current_graph()
    if isinstance(tensor, TracedTTNNTensor) and tensor.graph is graph:
        return tensor
    node = new_node("ttnn_input")
    graph.add_node(node, operation=TTNNTensor(), duration=None, **_facts([tensor]))
    return TracedTTNNTensor(tensor, graph, node, 0)


def _plain(tensor: Any) -> Any:
    if not isinstance(tensor, TracedTorchTensor):
        return tensor
    with torch_tracer._TURNED_OFF():
        return tensor.as_subclass(torch.Tensor)


def _checked(output: Any) -> None:
    """Values that may stand in the output of a traced operation."""
    if isinstance(output, (list, tuple)):
        for item in output:
            _checked(item)
    elif isinstance(output, dict):
        _checked(list(output.values()))
    elif output is not None and not isinstance(output, (*_TENSORS, int)):
        raise ValueError(f"Unexpected output type {type(output)} of a traced operation")


def _traced_call(operation: Any, call: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """One node for an outermost operation; what torch does inside it is forgotten."""
    stack = torch_tracer.GRAPH_STACK
    if stack is None:
        return call(args, kwargs)
    plain_args, plain_kwargs = torch_tracer._map((args, kwargs), _plain)
    stack.append(new_graph())
    started = time.perf_counter()
    try:
        output = call(plain_args, plain_kwargs)
    finally:
        stack.pop()
    duration = time.perf_counter() - started
    _checked(output)
    output = torch_tracer._map(output, _plain)
    outputs = torch_tracer._tensors(output, _TENSORS)
    inputs = [_input(tensor) for tensor in torch_tracer._tensors((args, kwargs), _TENSORS)]
    name = operation.python_fully_qualified_name
    node = new_node(name)
    function = operation.function if not operation.is_cpp_operation else operation
    pairs = get_arg_name_value_pairs(function, args, kwargs, _TENSORS)
    graph = torch_tracer.add_node(node, inputs, TTNNOperation(name, operation, pairs), duration, **_facts(outputs))
    graph.nodes[node]["operation_id"] = node.unique_id
    places = iter(range(len(outputs)))

    def traced(tensor: Any) -> Any:
        kind = TracedTTNNTensor if isinstance(tensor, _ttnn.Tensor) else TracedTorchTensor
        return kind(tensor, graph, node, next(places))

    return torch_tracer._map(output, traced, _TENSORS)


def enable_tracing() -> None:
    """Traces torch and the outermost operations of ttnn until disable_tracing()."""
    global ENABLE_TRACER
    if _config.CONFIG.enable_fast_runtime_mode:
        raise ValueError("Tracing is not supported in fast runtime mode.")
    if ENABLE_TRACER:
        raise ValueError("Tracing is already enabled.")
    torch_tracer.enable_tracing()
    ENABLE_TRACER = True
    _hooks.trace_calls_with(_traced_call)


def disable_tracing() -> None:
    """Does nothing where nothing is traced."""
    global ENABLE_TRACER
    if ENABLE_TRACER:
        ENABLE_TRACER = False
        _hooks.trace_calls_with(None)
        torch_tracer.disable_tracing()


def is_tracing_enabled() -> bool:
    return ENABLE_TRACER


@contextlib.contextmanager
def trace() -> Iterator[None]:
    """Traces a with block."""
    enable_tracing()
    try:
        yield
    finally:
        disable_tracing()


def visualize(output: Any, *, file_name: str | os.PathLike[str] | None = None, **options: Any) -> Any:
    """As in ttnn.torch_tracer; where graphviz or its program `dot` is missing, a warning says so and nothing is drawn."""
    try:
        import graphviz  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: F401
    except ImportError:
        _log.warning("graphviz is not installed: no picture of the trace")
        return None
    if shutil.which("dot") is None:
        _log.warning("the program `dot` of Graphviz is not installed: no picture of the trace")
        return None
    return torch_tracer.visualize(output, file_name=file_name, **options)


def codegen(output: Any) -> str:
    """Python text of what was traced, for people to start from."""
    _log.warning("codegen is an experimental feature: its text is to be read, not run")
    return _codegen(get_graph(output))
