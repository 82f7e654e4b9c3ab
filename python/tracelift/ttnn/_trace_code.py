"""A traced graph as Python text, for people: a function per module, a line per node."""

from __future__ import annotations

from typing import Any

from ._digraph import in_order, inputs_of
from ._traced_operations import (
    InputTensorIndex,
    PositionalArgumentName,
    TorchFunction,
    TorchModule,
    TorchModuleInput,
    TorchParameter,
    TorchTensor,
    TTNNOperation,
    TTNNTensor,
    _torch_name,
)


def _variable(name: str) -> str:
    name = name.replace(".", "_").lstrip("_")
    return name if name.isidentifier() else f"x_{name}"


def _below(path: str) -> str:
    """The parameters of a module that is called in a function for the module around it."""
    last = path.rpartition(".")[2]
    return f"parameters.{last}" if last.isidentifier() else f"parameters[{last}]" if last else "parameters"


class _Function:
    """The text of one function: names of what nodes give, and lines."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._names: dict[Any, str] = {}
        self.inputs: list[str] = []
        self.lines: list[str] = []
        for node in in_order(graph):
            self._add(node)

    def name_of(self, source: tuple[Any, int]) -> str:
        node, output = source
        several = len(self._graph.nodes[node]["shapes"]) > 1
        return self._names[node] + (f"[{output}]" if several else "")

    def _add(self, node: Any) -> None:
        attributes = self._graph.nodes[node]
        operation = attributes["operation"]
        name = self._names[node] = _variable(node.name)
        if isinstance(operation, (TorchModuleInput, TorchTensor, TTNNTensor)):
            self.inputs.append(name)
            return
        if isinstance(operation, TorchParameter):
            path = operation.to_string().partition("\n")[2].rpartition(".")[2]
            self._names[node] = f"parameters.{path}" if path else name
            return
        self.lines.append(f"    {name} = {self._call(node, operation)}    # {_facts(attributes)}")

    def _call(self, node: Any, operation: Any) -> str:
        sources = [self.name_of(source) for source in inputs_of(self._graph, node)]
        if isinstance(operation, TorchModule):
            parameters = _below(operation.to_string().partition("\n")[2])
            return f"{type(operation.module).__name__}(config, {', '.join(sources)}, parameters={parameters})"
        called = operation.pretty_name if isinstance(operation, TTNNOperation) else _torch_name(operation.function)
        return (
            f"{called}({', '.join(_argument(name, value, sources) for name, value in operation.arg_name_value_pairs)})"
        )


def _argument(name: Any, value: Any, sources: list[str]) -> str:
    text = _value(value, sources)
    return text if isinstance(name, PositionalArgumentName) or isinstance(value, InputTensorIndex) else f"{name}={text}"


def _value(value: Any, sources: list[str]) -> str:
    if isinstance(value, InputTensorIndex):
        return sources[value.index]
    if isinstance(value, (list, tuple)):
        inside = ", ".join(_value(item, sources) for item in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    return repr(value)


def _facts(attributes: dict[str, Any]) -> str:
    from .torch_tracer import duration_to_string

    shapes = ", ".join(map(str, attributes["shapes"]))
    dtypes = ", ".join(map(str, attributes["dtypes"]))
    text = f"shapes: {shapes}, dtypes: {dtypes}"
    duration = attributes.get("duration")
    return text if duration is None else f"{text}; duration: {duration_to_string(duration)}"


def _text(title: str, function: _Function, results: list[str]) -> str:
    returned = ", ".join(results)
    return "\n".join([f"def {title}:", *function.lines, f"    return {returned}"]) + "\n"


def _results(graph: Any, function: _Function) -> list[str]:
    """What no other node takes."""
    last = [node for node in in_order(graph) if not list(graph.successors(node))]
    return [function.name_of((node, output)) for node in last for output in range(len(graph.nodes[node]["shapes"]))]


def codegen(graph: Any) -> str:
    """A function for each module that is called at the top, then one that calls them."""
    texts = []
    for node in in_order(graph):
        operation = graph.nodes[node]["operation"]
        if isinstance(operation, TorchModule):
            inside = _Function(operation.graph)
            results = [inside.name_of((tensor.node, tensor.output_index)) for tensor in operation.outputs]
            parameters = ", ".join(["config", *inside.inputs, "*", "parameters"])
            texts.append(_text(f"{type(operation.module).__name__}({parameters})", inside, results))
    top = _Function(graph)
    texts.append(_text("top_level_module()", top, _results(graph, top)))
    return "\n\n".join(texts)
