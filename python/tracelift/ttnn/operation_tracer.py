"""ttnn.operation_tracer: writes every call of an operation, with its arguments and its result, into a JSON file.

The variables of this module may be set at any time:
_ENABLE_TRACE, _SERIALIZE_TENSOR_VALUES, _OPERATION_COUNTER. _IS_SERIALIZING and _TRACE_PARAMS_IN_ARGV are for reading.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from typing import Any, Callable

from tracelift import _tracing

from ._module import PublicModule

_TRACE_PARAMS_FLAG = "--trace-params"
# For type checkers; what they stand for are the properties below.
_ENABLE_TRACE: bool
_SERIALIZE_TENSOR_VALUES: bool
_OPERATION_COUNTER: int
_IS_SERIALIZING: bool


class _Tracer(PublicModule):
    """This module: its variables are those of the compiled tracer, so that operations need not look here."""

    @property
    def _ENABLE_TRACE(self) -> bool:
        return _tracing.traces_parameters()

    @_ENABLE_TRACE.setter
    def _ENABLE_TRACE(self, value: bool) -> None:
        _tracing.trace_parameters(bool(value))

    @property
    def _SERIALIZE_TENSOR_VALUES(self) -> bool:
        return _tracing.traces_values()

    @_SERIALIZE_TENSOR_VALUES.setter
    def _SERIALIZE_TENSOR_VALUES(self, value: bool) -> None:
        _tracing.trace_values(bool(value))

    @property
    def _OPERATION_COUNTER(self) -> int:
        return _tracing.parameter_count()

    @_OPERATION_COUNTER.setter
    def _OPERATION_COUNTER(self, value: int) -> None:
        _tracing.set_parameter_count(int(value))

    @property
    def _IS_SERIALIZING(self) -> bool:
        return _tracing.is_serializing()


def enable_tracing(enable: bool = True) -> None:
    _tracing.trace_parameters(bool(enable))


def is_tracing_enabled() -> bool:
    return _tracing.traces_parameters()


def enable_tensor_value_serialization(enable: bool = True) -> None:
    _tracing.trace_values(bool(enable))


def serialize_value(value: Any, serialize_tensor_values: bool | None = None) -> Any:
    """`value` as the files show it: plain data that json.dumps takes. Tensors become dicts, inside lists and dicts too.
    The values of tensors are in it when asked for; default: as enable_tensor_value_serialization says."""
    wanted = _tracing.traces_values() if serialize_tensor_values is None else serialize_tensor_values
    return json.loads(_tracing.value_text(value, wanted))


def serialize_operation_parameters(
    operation_name: str,
    function_args: tuple[Any, ...],
    function_kwargs: dict[str, Any],
    log_dir: str | os.PathLike[str],
    return_value: Any = None,
    serialize_tensor_values: bool = True,
) -> str:
    """Writes the file of one call into `log_dir` and gives its path."""
    return _tracing.write_parameters(
        operation_name, tuple(function_args), function_kwargs, return_value, os.fspath(log_dir), serialize_tensor_values
    )


def wrap_function_for_tracing(original_function: Callable[..., Any], operation_name: str) -> Callable[..., Any]:
    """`original_function` with its calls traced as `operation_name` while tracing is on."""

    @functools.wraps(original_function)
    def traced(*args: Any, **kwargs: Any) -> Any:
        result = original_function(*args, **kwargs)
        if _tracing.traces_parameters() and not _tracing.is_serializing():
            _tracing.write_parameters(operation_name, args, kwargs, result, "", _tracing.traces_values())
        return result

    return traced


sys.modules[__name__].__class__ = _Tracer
_TRACE_PARAMS_IN_ARGV = _TRACE_PARAMS_FLAG in sys.argv
if _TRACE_PARAMS_IN_ARGV:
    _tracing.trace_parameters(True)
