"""ttnn.torch_tracer: what a torch program does, as a graph.

    with ttnn.torch_tracer.trace():
        output = model(torch.rand(1, 3, 32, 32))
    graph = ttnn.torch_tracer.get_graph(output)

The nodes are tensors, functions and calls of modules, which have graphs of their own. The graphs are those of networkx
where it is installed, else alike.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ._digraph import composed, in_order, inputs_of, is_graph, new_graph
from ._traced_operations import (
    MODULE_NAME,
    InputTensorIndex,
    Node,
    PositionalArgumentName,
    TorchFunction,
    TorchModule,
    TorchModuleInput,
    TorchParameter,
    TorchTensor,
    TracedOperation,
    function_name,
    get_arg_name_value_pairs,
    get_unique_id,
    new_node,
)

__all__ = [
    "GRAPH_STACK",
    "InputTensorIndex",
    "LEVEL_COLORS",
    "Node",
    "PositionalArgumentName",
    "TorchFunction",
    "TorchModule",
    "TorchModuleInput",
    "TorchParameter",
    "TorchTensor",
    "TracedOperation",
    "TracedTorchTensor",
    "create_input_tensor",
    "disable_tracing",
    "duration_to_string",
    "enable_tracing",
    "flatten_graph",
    "get_arg_name_value_pairs",
    "get_graph",
    "get_input_tensors",
    "get_unique_id",
    "is_tracing_enabled",
    "process_output",
    "trace",
    "visualize",
]

_log = logging.getLogger("ttnn")

GRAPH_STACK: list[Any] | None = None  # of the call of a module that runs now, innermost last; None: nothing is traced

_CREATORS = """
    as_tensor from_numpy zeros zeros_like ones ones_like arange range linspace logspace eye empty empty_like full
    full_like complex heaviside bernoulli multinomial normal poisson rand rand_like randint randint_like randn
    randn_like randperm
""".split()
_TURNED_OFF: Any = getattr(torch._C, "DisableTorchFunctionSubclass", torch._C.DisableTorchFunction)

# What visualize() paints the boxes of modules with, by depth.
LEVEL_COLORS = ["#E8F0FE", "#E6F4EA", "#FEF7E0", "#FCE8E6", "#F3E8FD", "#E4F7FB"]


class TracedTorchTensor(torch.Tensor):
    """A tensor that knows which node of a graph it comes from; torch functions on it make further nodes."""

    TRACEDTENSOR = True

    graph: Any
    node: Node
    output_index: int

    @staticmethod
    def __new__(cls: Any, tensor: torch.Tensor, graph: Any, node: Node, output_index: int) -> Any:
        with _TURNED_OFF():
            return tensor.as_subclass(cls)

    def __init__(self, tensor: torch.Tensor, graph: Any, node: Node, output_index: int) -> None:
        self._came_from(graph, node, output_index)

    def _came_from(self, graph: Any, node: Node, output_index: int) -> None:
        self.graph, self.node, self.output_index = graph, node, output_index

    @property
    def name(self) -> str:
        return self.node.name

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = {} if kwargs is None else kwargs
        started = time.perf_counter()
        with _TURNED_OFF():
            result = function(*args, **kwargs)
        duration = time.perf_counter() - started
        if GRAPH_STACK is None:
            return result
        return _record_function(function, args, kwargs, result, duration)


# --- nodes ------------------------------------------------------------------------------------------------------------


def _map(value: Any, change: Callable[[Any], Any], kind: Any = torch.Tensor, deep: bool = False) -> Any:
    """The value with the tensors in its lists, tuples and dicts replaced; deep: also in what models return, in place."""
    if isinstance(value, kind):
        return change(value)
    if deep and dataclasses.is_dataclass(value) and not isinstance(value, type):
        _map_attributes(value, [entry.name for entry in dataclasses.fields(value)], change, kind)
    elif isinstance(value, (list, tuple)):
        items = [_map(item, change, kind, deep) for item in value]
        if any(new is not old for new, old in zip(items, value)):
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    elif isinstance(value, dict):
        return type(value)((name, _map(item, change, kind, deep)) for name, item in value.items())
    elif deep and hasattr(value, "key_cache") and hasattr(value, "value_cache"):
        _map_attributes(value, ["key_cache", "value_cache"], change, kind)
    return value


def _map_attributes(value: Any, names: list[str], change: Callable[[Any], Any], kind: Any) -> None:
    for name in names:
        old = getattr(value, name)
        new = _map(old, change, kind, deep=True)
        if new is not old:
            setattr(value, name, new)


def _tensors(value: Any, kind: Any = torch.Tensor) -> list[Any]:
    """The tensors in lists, tuples and dicts, in the order in which they appear."""
    if isinstance(value, kind):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors(item, kind)]
    if isinstance(value, dict):
        return [tensor for item in value.values() for tensor in _tensors(item, kind)]
    return []


def _facts(tensors: list[Any]) -> dict[str, Any]:
    with _TURNED_OFF():
        shapes = tuple(tuple(tensor.shape) for tensor in tensors)
        return {"shapes": shapes, "dtypes": tuple(tensor.dtype for tensor in tensors)}


def _current_graph() -> Any:
    if GRAPH_STACK is None:
        raise RuntimeError("nothing is being traced: `with ttnn.torch_tracer.trace():` starts it")
    return GRAPH_STACK[-1]


def create_input_tensor(tensor: torch.Tensor) -> TracedTorchTensor:
    """A plain tensor as a node of the current graph."""
    graph = _current_graph()
    is_parameter = isinstance(tensor, torch.nn.Parameter)
    node = new_node("torch_parameter" if is_parameter else "torch_input")
    operation = TorchParameter(tensor) if is_parameter else TorchTensor(tensor)
    graph.add_node(node, operation=operation, duration=None, **_facts([tensor]))
    return TracedTorchTensor(tensor, graph, node, 0)


def get_input_tensors(value: Any) -> list[Any]:
    """The traced tensors in the arguments of a call."""
    return [tensor for tensor in _tensors(value) if isinstance(tensor, TracedTorchTensor)]


def _input(tensor: Any) -> Any:
    """A tensor of the current graph: those from outside of it (plain, or of another graph) become inputs."""
    known = isinstance(tensor, TracedTorchTensor) and tensor.graph is _current_graph()
    if known:
        return tensor
    if isinstance(tensor, TracedTorchTensor):
        with _TURNED_OFF():
            tensor = tensor.as_subclass(torch.Tensor)
    return create_input_tensor(tensor)


def add_node(node: Node, inputs: list[Any], operation: Any, duration: float | None, **facts: Any) -> Any:
    """A node of the current graph, with edges from the tensors that it takes."""
    graph = _current_graph()
    graph.add_node(node, operation=operation, duration=duration, **facts)
    for place, tensor in enumerate(inputs):
        graph.add_edge(tensor.node, node, source_output_index=tensor.output_index, sink_input_index=place)
    return graph


def _is_in_place(name: str) -> bool:
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__")) or name.startswith("__i")


def _record_function(function: Any, args: Any, kwargs: Any, result: Any, duration: float) -> Any:
    name = function_name(function)
    changed = args[0] if args and _is_in_place(name) and isinstance(args[0], TracedTorchTensor) else None
    outputs = [changed] if name == "__setitem__" else _tensors(result)
    if not outputs:  # a question about a tensor
        return result
    inputs = [_input(tensor) for tensor in _tensors((args, kwargs))]
    node = new_node(name)
    operation = TorchFunction(function, get_arg_name_value_pairs(function, args, kwargs))
    graph = add_node(node, inputs, operation, duration, **_facts(outputs))
    if changed is not None and outputs[0] is changed:
        changed._came_from(graph, node, 0)
        return result
    places = iter(range(len(outputs)))
    return _map(result, lambda tensor: TracedTorchTensor(tensor, graph, node, next(places)))


# --- modules ----------------------------------------------------------------------------------------------------------


def _name_modules(root: Any) -> None:
    """Writes its path into every module and parameter below one that is called from outside, once."""
    if hasattr(root, MODULE_NAME):
        return
    for name, module in root.named_modules():
        setattr(module, MODULE_NAME, name)
    for name, parameter in root.named_parameters():
        setattr(parameter, MODULE_NAME, name)


def process_output(value: Any, change: Callable[[Any], Any]) -> Any:
    """What a module returned, with its tensors replaced; of types that may hide tensors a warning tells."""
    known = (torch.Tensor, list, tuple, dict, int, float, str, bool, type(None))
    if not isinstance(value, known) and not dataclasses.is_dataclass(value) and not hasattr(value, "key_cache"):
        _log.warning("a traced module returned %s: tensors inside it are not followed", type(value).__name__)
        return value
    return _map(value, change, deep=True)


def _traced_module_call(call: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
    assert GRAPH_STACK is not None  # the call is replaced only while tracing
    _name_modules(module)
    outer = [_input(tensor) for tensor in _tensors((args, kwargs))]
    inner_graph = new_graph()
    GRAPH_STACK.append(inner_graph)
    try:
        inner = [_module_input(tensor) for tensor in outer]
        rest = iter(inner)
        inner_args, inner_kwargs = _map((args, dict(kwargs)), lambda _: next(rest))
        started = time.perf_counter()
        result = call(module, *inner_args, **inner_kwargs)
        duration = time.perf_counter() - started
        outputs: list[Any] = []

        def collected(tensor: Any) -> Any:
            outputs.append(_input(tensor))
            return outputs[-1]

        result = process_output(result, collected)
    finally:
        GRAPH_STACK.pop()
    node = new_node(getattr(module, MODULE_NAME))
    arguments = get_arg_name_value_pairs(module.forward, args, kwargs)
    operation = TorchModule(module, inner_graph, inner, outputs, arguments)
    graph = add_node(node, outer, operation, duration, **_facts(outputs))
    places = iter(range(len(outputs)))
    return _map(
        result, lambda tensor: TracedTorchTensor(tensor, graph, node, next(places)), TracedTorchTensor, deep=True
    )


def _module_input(tensor: Any) -> TracedTorchTensor:
    graph = _current_graph()
    node = new_node("module_input")
    graph.add_node(node, operation=TorchModuleInput(node.name), duration=None, **_facts([tensor]))
    with _TURNED_OFF():
        plain = tensor.as_subclass(torch.Tensor)
    return TracedTorchTensor(plain, graph, node, 0)


# --- switching --------------------------------------------------------------------------------------------------------


class _Switch:
    """What tracing replaces in torch."""

    def __init__(self) -> None:
        self.replaced: list[tuple[Any, str, Any]] = []

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        original = getattr(owner, name)
        self.replaced.append((owner, name, original))
        setattr(owner, name, make(original))

    def put_back(self) -> None:
        while self.replaced:
            owner, name, original = self.replaced.pop()
            setattr(owner, name, original)


_switch = _Switch()


def _creating(function: Any) -> Any:
    @functools.wraps(function)
    def create(*args: Any, **kwargs: Any) -> Any:
        with _TURNED_OFF():
            tensor = function(*args, **kwargs)
        return tensor if GRAPH_STACK is None else create_input_tensor(tensor)

    return create


def _calling(call: Any) -> Any:
    @functools.wraps(call)
    def traced(module: Any, *args: Any, **kwargs: Any) -> Any:
        return _traced_module_call(call, module, *args, **kwargs)

    return traced


def enable_tracing() -> None:
    """Replaces the call of modules and the functions of torch that make tensors, until disable_tracing()."""
    global GRAPH_STACK
    if GRAPH_STACK is not None:
        raise RuntimeError("Cannot nest trace calls")
    GRAPH_STACK = [new_graph()]
    _switch.replace(torch.nn.Module, "__call__", _calling)
    for name in _CREATORS:
        if hasattr(torch, name):
            _switch.replace(torch, name, _creating)


def disable_tracing() -> None:
    """Puts everything back; does nothing where nothing is traced."""
    global GRAPH_STACK
    _switch.put_back()
    GRAPH_STACK = None


def is_tracing_enabled() -> bool:
    return GRAPH_STACK is not None


@contextlib.contextmanager
def trace() -> Iterator[None]:
    """Traces what torch does in a with block."""
    enable_tracing()
    try:
        yield
    finally:
        disable_tracing()


# --- graphs -----------------------------------------------------------------------------------------------------------


_NO_GRAPH = (int, float, str, type(None))  # what models return beside tensors


def _is_traced(value: Any) -> bool:
    return isinstance(value, TracedTorchTensor) or hasattr(type(value), "TRACEDTENSOR")


def _graphs(value: Any) -> list[Any]:
    if is_graph(value):
        return [value]
    if _is_traced(value):
        return [value.graph]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _graphs([getattr(value, entry.name) for entry in dataclasses.fields(value)])
    if isinstance(value, dict):
        return _graphs(list(value.values()))
    if isinstance(value, (list, tuple)):
        return [graph for item in value if not isinstance(item, _NO_GRAPH) for graph in _graphs(item)]
    raise RuntimeError(f"Unexpected type {type(value)}")


def get_graph(value: Any, flatten: bool = False) -> Any:
    """The graph of a traced tensor, or of several in a list, tuple or dict; flat without modules."""
    graphs = list({id(graph): graph for graph in _graphs(value)}.values())
    graph = graphs[0] if len(graphs) == 1 else composed(graphs)
    return flatten_graph(graph) if flatten else graph


def flatten_graph(graph: Any) -> Any:
    """The graph with what happened inside of modules in their place."""
    flat = new_graph()
    _add_flat(graph, flat, {})
    return flat


Places = dict[tuple[Any, int], tuple[Any, int]]


def _add_flat(graph: Any, flat: Any, places: Places) -> None:
    """Adds the nodes of a graph; `places` is where outputs of its nodes are found in the flat one."""
    for node in in_order(graph):
        attributes = graph.nodes[node]
        operation = attributes["operation"]
        sources = [places.get(source, source) for source in inputs_of(graph, node)]
        if isinstance(operation, TorchModuleInput) and (node, 0) in places:
            continue
        if isinstance(operation, TorchModule):
            inner: Places = {(tensor.node, 0): source for tensor, source in zip(operation.inputs, sources)}
            _add_flat(operation.graph, flat, inner)
            for place, tensor in enumerate(operation.outputs):
                key = (tensor.node, tensor.output_index)
                places[node, place] = inner.get(key, key)
            continue
        flat.add_node(node, **attributes)
        for place, (source, output) in enumerate(sources):
            flat.add_edge(source, node, source_output_index=output, sink_input_index=place)


def duration_to_string(duration: float) -> str:
    """Seconds as text, `1.2 ms`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if duration >= size:
            return f"{duration / size:.1f} {unit}"
    return f"{duration * 1e9:.1f} ns"


from ._trace_picture import visualize  # noqa: E402  (it uses the names above)
