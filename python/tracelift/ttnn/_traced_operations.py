"""What the nodes of a traced graph are: tensors, functions and modules of torch, tensors and operations of ttnn."""

from __future__ import annotations

import inspect
import itertools
from dataclasses import dataclass, field
from typing import Any

import torch

MODULE_NAME = "__ttnn_tracer_name__"  # the attribute that keeps the path of a module

_ids = itertools.count()


def get_unique_id() -> int:
    """A number that no node of this process has."""
    return next(_ids)


@dataclass(frozen=True, eq=False)
class Node:
    """A step of a trace. Its number says when it was taken."""

    name: str
    unique_id: int

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.name == other.name

    def __lt__(self, other: Node) -> bool:
        return self.unique_id < other.unique_id

    def __repr__(self) -> str:
        return self.name


def new_node(name: str) -> Node:
    number = get_unique_id()
    return Node(f"{name}_{number}", number)


@dataclass(frozen=True)
class PositionalArgumentName:
    """Stands for the name of an argument where only its place is known."""

    index: int

    def __repr__(self) -> str:
        return str(self.index)


@dataclass(frozen=True)
class InputTensorIndex:
    """Stands for a tensor among the arguments: which of the node's inputs it is."""

    index: int

    def __repr__(self) -> str:
        return f"${self.index}"


Arguments = list[tuple[Any, Any]]


class TracedOperation:
    """What a node stands for."""

    def to_string(self, verbose: bool = False) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.to_string()


def _with_arguments(text: str, arguments: Arguments, verbose: bool) -> str:
    shown = ", ".join(f"{name}={value}" for name, value in arguments)
    return f"{text}({shown})" if verbose else text


@dataclass(repr=False)
class TorchTensor(TracedOperation):
    tensor: Any

    def to_string(self, verbose: bool = False) -> str:
        return "torch.Tensor"


@dataclass(repr=False)
class TorchParameter(TracedOperation):
    parameter: Any

    def to_string(self, verbose: bool = False) -> str:
        name = getattr(self.parameter, MODULE_NAME, None)
        return "torch.nn.Parameter" + ("" if name is None else f"\n{name}")


@dataclass(repr=False)
class TorchFunction(TracedOperation):
    function: Any
    arg_name_value_pairs: Arguments

    def to_string(self, verbose: bool = False) -> str:
        return _with_arguments(_torch_name(self.function), self.arg_name_value_pairs, verbose)


@dataclass(repr=False)
class TorchModule(TracedOperation):
    """A call of a module; `graph` has what happened inside, from `inputs` to `outputs`."""

    module: Any
    graph: Any = field(repr=False)
    inputs: list[Any]
    outputs: list[Any]
    arg_name_value_pairs: Arguments

    def to_string(self, verbose: bool = False) -> str:
        kind = type(self.module)
        text = f"{kind.__module__}.{kind.__qualname__}\n{getattr(self.module, MODULE_NAME, '')}"
        return _with_arguments(text, self.arg_name_value_pairs, verbose)


@dataclass(repr=False)
class TorchModuleInput(TracedOperation):
    name: str

    def to_string(self, verbose: bool = False) -> str:
        return self.name


@dataclass(repr=False)
class TTNNTensor(TracedOperation):
    def to_string(self, verbose: bool = False) -> str:
        return "ttnn.Tensor"


@dataclass(repr=False)
class TTNNOperation(TracedOperation):
    pretty_name: str
    operation: Any
    arg_name_value_pairs: Arguments

    def to_string(self, verbose: bool = False) -> str:
        return _with_arguments(self.pretty_name, self.arg_name_value_pairs, verbose)


def function_name(function: Any) -> str:
    """`T` for what reads tensor.T, else the name of the function."""
    name = getattr(function, "__name__", type(function).__name__)
    return getattr(getattr(function, "__self__", None), "__name__", name) if name == "__get__" else name


def _torch_name(function: Any) -> str:
    resolve = getattr(torch.overrides, "resolve_name", None)
    name = None if resolve is None else resolve(function)
    if name:
        return str(name)
    owner = getattr(function, "__objclass__", None)
    return f"{'torch.Tensor' if owner is not None else 'torch'}.{function_name(function)}"


# --- arguments --------------------------------------------------------------------------------------------------------


def _numbered(value: Any, kinds: Any, numbers: Any) -> Any:
    if isinstance(value, kinds):
        return InputTensorIndex(next(numbers))
    if isinstance(value, (list, tuple)):
        items = [_numbered(item, kinds, numbers) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {name: _numbered(item, kinds, numbers) for name, item in value.items()}
    return value


def _is_default(value: Any, default: Any) -> bool:
    if value is default:
        return True
    try:
        return type(value) is type(default) and bool(value == default)
    except Exception:  # objects that cannot be compared
        return False


def get_arg_name_value_pairs(
    function: Any, function_args: Any, function_kwargs: dict[str, Any], kinds: Any = torch.Tensor
) -> Arguments:
    """Arguments by name; those without one by place. Tensors are numbered, what equals its default is left out."""
    numbers = itertools.count()
    args = [_numbered(value, kinds, numbers) for value in function_args]
    kwargs = {name: _numbered(value, kinds, numbers) for name, value in function_kwargs.items()}
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    pairs: Arguments = []
    named = {parameter.name: parameter for parameter in parameters}
    for place, value in enumerate(args):
        parameter = parameters[place] if place < len(parameters) else None
        if parameter is None or parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            pairs.append((PositionalArgumentName(place), value))
        elif not _is_default(value, parameter.default):
            pairs.append((parameter.name, value))
    for name, value in kwargs.items():
        if name not in named or not _is_default(value, named[name].default):
            pairs.append((name, value))
    return pairs
