"""Questions about a call that is only described: will it fit, what does it need, how long does it take."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterator
from typing import Any

from tracelift import _ttnn

_graph: Any = _ttnn.graph  # type: ignore[attr-defined]


class QueryStatus(enum.Enum):
    Success = 0
    Error = 1


@dataclasses.dataclass(frozen=True)
class ResourceUsage:
    """Bytes per core."""

    cb_peak_size_per_core: int
    l1_buffers_peak_per_core: int
    peak_memory_usage_per_core: int
    l1_output_buffer_per_core: int


@dataclasses.dataclass(frozen=True)
class ConstraintQueryResponse:
    status: QueryStatus
    resource_usage: ResourceUsage
    output_tensor_specs: list[_ttnn.TensorSpec]
    error_message: str | None


@dataclasses.dataclass(frozen=True)
class RuntimeQueryResponse:
    status: QueryStatus
    runtime: int  # nanoseconds, mean
    error_message: str | None


def _specs(value: Any) -> Iterator[_ttnn.TensorSpec]:
    if isinstance(value, _ttnn.TensorSpec):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _specs(item)


def _with_tensors(value: Any, tensors: Iterator[Any]) -> Any:
    if isinstance(value, _ttnn.TensorSpec):
        return next(tensors)
    if isinstance(value, (list, tuple)):
        return type(value)(_with_tensors(item, tensors) for item in value)
    return value


def _tensors(result: Any) -> list[Any]:
    if isinstance(result, _ttnn.Tensor):
        return [result]
    return [tensor for item in result for tensor in _tensors(item)] if isinstance(result, (list, tuple)) else []


class _Call:
    """The call with its specs replaced by tensors; keeps the text of what went wrong."""

    def __init__(self, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.op, self.args, self.kwargs = op, args, kwargs
        self.specs = [*_specs(args), *_specs(list(kwargs.values()))]
        self.error = ""

    def __call__(self, tensors: list[Any]) -> list[Any]:
        source = iter(tensors)
        args = [_with_tensors(value, source) for value in self.args]
        kwargs = {name: _with_tensors(value, source) for name, value in self.kwargs.items()}
        try:
            return _tensors(self.op(*args, **kwargs))
        except Exception as error:
            self.error = str(error)
            raise

    def status(self, answer: dict[str, Any]) -> dict[str, Any]:
        success = answer["success"]
        message = None if success else self.error or answer["error_message"]
        return {"status": QueryStatus.Success if success else QueryStatus.Error, "error_message": message}


def query_op_constraints(
    op: Callable[..., Any], device: Any, *args: Any, count_inputs: bool = False, **kwargs: Any
) -> ConstraintQueryResponse:
    """Calls `op` in NO_DISPATCH with a tensor for every TensorSpec among the arguments. Inputs count as L1 buffers only
    with count_inputs; whether everything fits counts them in any case."""
    call = _Call(op, args, kwargs)
    answer = _graph.query_op_constraints(call, device, call.specs, count_inputs)
    return ConstraintQueryResponse(
        resource_usage=ResourceUsage(*answer["usage"]), output_tensor_specs=answer["specs"], **call.status(answer)
    )


def query_op_runtime(op: Callable[..., Any], device: Any, *args: Any, **kwargs: Any) -> RuntimeQueryResponse:
    """Runs `op` on zeros: once, 5 times to warm up, 20 times against the clock. The time is that of the emulation."""
    call = _Call(op, args, kwargs)
    answer = _graph.query_op_runtime(call, device, call.specs)
    return RuntimeQueryResponse(runtime=answer["runtime_ns"], **call.status(answer))
