"""What happens around an operation in slow runtime mode: hooks, and tensor ids for logs."""

from __future__ import annotations

import contextlib
import itertools
import threading
from typing import Any, Callable, Iterator

from tracelift import _ttnn

from ._config import CONFIG

Hook = Callable[..., None]

_pre_hooks: list[Hook] = []
_post_hooks: list[Hook] = []
_next_tensor_id = itertools.count(0)


class _Stack(threading.local):
    def __init__(self) -> None:
        self.names: list[str] = []


_stack = _Stack()


@contextlib.contextmanager
def _registered(hooks: list[Hook], hook: Hook) -> Iterator[None]:
    hooks.append(hook)
    try:
        yield
    finally:
        hooks.remove(hook)


def register_pre_operation_hook(hook: Hook) -> contextlib.AbstractContextManager[None]:
    """Calls hook(operation, args, kwargs) before every outermost operation of a with block (slow mode only)."""
    return _registered(_pre_hooks, hook)


def register_post_operation_hook(hook: Hook) -> contextlib.AbstractContextManager[None]:
    """Calls hook(operation, args, kwargs, output) after every outermost operation of a with block (slow mode only)."""
    return _registered(_post_hooks, hook)


def tensors_in(value: Any) -> Iterator[_ttnn.Tensor]:
    if isinstance(value, _ttnn.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)


def _run(kind: str, hooks: list[Hook], *arguments: Any) -> None:
    for hook in list(hooks):
        if hook(*arguments) is not None:
            raise RuntimeError(f"{kind}-operation hook {hook} returned a value; hooks must return None")


def slow_call(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The interceptor of slow mode."""
    if _stack.names:
        return _ttnn.call_directly(operation, args, kwargs)
    _stack.names.append(operation.__name__)
    try:
        visible = {name: value for name, value in kwargs.items() if name not in ("queue_id", "cq_id")}
        _run("pre", _pre_hooks, operation, args, visible)
        identified = CONFIG.enable_logging or CONFIG.enable_comparison_mode
        if identified:
            for tensor in tensors_in((args, visible)):
                if tensor.tensor_id is None:
                    tensor.tensor_id = next(_next_tensor_id)
        output = _ttnn.call_directly(operation, args, kwargs)
        if identified:
            for tensor in tensors_in(output):
                tensor.tensor_id = next(_next_tensor_id)
        _run("post", _post_hooks, operation, args, visible, output)
        return output
    finally:
        _stack.names.pop()


def start() -> None:
    """Called once, at the end of the import: the mode of that moment holds for the whole process."""
    if not CONFIG.enable_fast_runtime_mode:
        _ttnn.set_interceptor(slow_call)
