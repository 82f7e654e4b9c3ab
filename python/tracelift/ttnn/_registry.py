"""The registry of operations: those of the compiled module and those written in Python, in one tree of modules."""

from __future__ import annotations

import csv
import inspect
import sys
import types
from pathlib import Path
from typing import Any, Callable

from tracelift import _ttnn
from tracelift._replaced import replaced

from ._module import PublicModule

_ROOT = __name__.rpartition(".")[0]  # tracelift.ttnn


def module_for(path: list[str]) -> types.ModuleType:
    """The module tracelift.ttnn.<path>, made when it does not exist."""
    module = sys.modules[_ROOT]
    for part in path:
        below = getattr(module, part, None)
        if below is None:
            below = PublicModule(f"{module.__name__}.{part}", f"Operations of ttnn.{'.'.join(path)}.")
            sys.modules[below.__name__] = below
            setattr(module, part, below)
        module = below
    return module


def install(name: str, operation: Any) -> None:
    """Makes an operation reachable under its dotted name."""
    _, *path, last = name.split(".")
    setattr(module_for(path), last, operation)


def install_cpp_operations() -> None:
    for name, operation in _ttnn.operations().items():
        if operation.is_cpp_operation:
            install(name, operation)


def _fields(function: Callable[..., Any]) -> list[tuple[str, bool, bool, Any]]:
    fields = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        has_default = parameter.default is not parameter.empty
        keyword_only = parameter.kind == parameter.KEYWORD_ONLY
        fields.append((parameter.name, keyword_only, has_default, parameter.default if has_default else None))
    return fields


def register_python_operation(
    *,
    name: str,
    is_experimental: bool = False,
    is_method: bool = False,
    golden_function: Callable[..., Any] | None = None,
    preprocess_golden_function_inputs: Callable[..., Any] | None = None,
    postprocess_golden_function_outputs: Callable[..., Any] | None = None,
    doc: str | None = None,
) -> Callable[[Callable[..., Any]], Any]:
    """Decorator: makes an operation of a Python function. Methods are registered but not exported."""
    if not name.startswith("ttnn."):
        raise RuntimeError(f"the name of an operation must start with 'ttnn.', got '{name}'")

    def decorate(function: Callable[..., Any]) -> Any:
        if doc is not None:
            function.__doc__ = doc
        operation = _ttnn.register_python(
            name, function, _fields(function), inspect.getdoc(function) or "", is_experimental
        )
        if golden_function is not None:
            attach_golden_function(
                operation,
                golden_function,
                preprocess_golden_function_inputs=preprocess_golden_function_inputs,
                postprocess_golden_function_outputs=postprocess_golden_function_outputs,
            )
        if not is_method:
            install(name, operation)
        return operation

    return decorate


def query_registered_operations(include_experimental: bool = False) -> list[Any]:
    """All operations, each once, from Z to A as the original gives them; those of ttnn.experimental come last."""
    operations = set(_ttnn.operations().values())
    wanted = [operation for operation in operations if include_experimental or not operation.is_experimental]
    return sorted(sorted(wanted, reverse=True), key=lambda operation: operation.is_experimental)


def dump_operations(csv_file: str | Path, include_experimental: bool = False) -> None:
    """Writes a table of the registered operations."""
    columns = ["python_fully_qualified_name", "is_cpp_operation", "has_golden_function", "is_experimental"]
    with replaced(csv_file, newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for operation in query_registered_operations(include_experimental):
            golden = operation.golden_function is not None
            writer.writerow([operation.__name__, operation.is_cpp_operation, golden, operation.is_experimental])


def attach_golden_function(
    operation: Any,
    golden_function: Callable[..., Any],
    *,
    preprocess_golden_function_inputs: Callable[..., Any] | None = None,
    postprocess_golden_function_outputs: Callable[..., Any] | None = None,
) -> None:
    """Gives an operation the torch function that it must agree with."""
    operation.golden_function = golden_function
    operation.preprocess_golden_function_inputs = preprocess_golden_function_inputs
    operation.postprocess_golden_function_outputs = postprocess_golden_function_outputs


def get_golden_function(operation: Any) -> Callable[..., Any]:
    """The golden function: torch tensors in, in the operation's argument order, torch tensors out."""
    if operation.golden_function is None:
        raise RuntimeError(f"{operation} does not have a golden function")
    return operation.golden_function
