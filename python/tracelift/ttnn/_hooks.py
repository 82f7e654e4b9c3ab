"""What happens around an outermost operation when asked for: hooks, comparison mode, the report of the run.

Operations are intercepted only while one of them is wanted; otherwise a call costs nothing more.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import Any, Callable, Iterator

from tracelift import _ttnn

from . import _config

Hook = Callable[..., None]

_pre_hooks: list[Hook] = []
_post_hooks: list[Hook] = []
# Called as tracer(operation, call, args, kwargs) in place of call(args, kwargs), while ttnn.tracer traces.
_tracer: Callable[..., Any] | None = None


class _Stack(threading.local):
    def __init__(self) -> None:
        self.names: list[str] = []


_stack = _Stack()


@contextlib.contextmanager
def _registered(hooks: list[Hook], hook: Hook) -> Iterator[None]:
    hooks.append(hook)
    intercept_as_wanted()
    try:
        yield
    finally:
        hooks.remove(hook)
        intercept_as_wanted()


def register_pre_operation_hook(hook: Hook) -> contextlib.AbstractContextManager[None]:
    """Calls hook(operation, args, kwargs) before every outermost operation of a with block."""
    return _registered(_pre_hooks, hook)


def register_post_operation_hook(hook: Hook) -> contextlib.AbstractContextManager[None]:
    """Calls hook(operation, args, kwargs, output) after every outermost operation of a with block."""
    return _registered(_post_hooks, hook)


def tensors_in(value: Any, kind: type | tuple[type, ...] = _ttnn.Tensor) -> Iterator[Any]:
    """Every tensor in `value` and in lists, tuples and dicts inside it."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item, kind)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item, kind)


def _run(kind: str, hooks: list[Hook], *arguments: Any) -> None:
    for hook in list(hooks):
        if hook(*arguments) is not None:
            raise RuntimeError(f"{kind}-operation hook {hook} returned a value; hooks must return None")


def trace_calls_with(tracer: Callable[..., Any] | None) -> None:
    """Hands outermost operations to a tracer, until None is given."""
    global _tracer
    _tracer = tracer
    intercept_as_wanted()


def _without_queue(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in kwargs.items() if name not in ("queue_id", "cq_id")}


def _reported(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call, written into the report and compared where that is wanted."""
    if not _config.CONFIG.writes_report() and not _config.CONFIG.enable_comparison_mode:
        return _ttnn.call_directly(operation, args, kwargs)
    from ._run_report import reported_call

    return reported_call(operation, args, kwargs, _without_queue(kwargs))


def observed_call(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The interceptor."""
    if _stack.names:
        return _ttnn.call_directly(operation, args, kwargs)
    _stack.names.append(operation.__name__)
    try:
        visible = _without_queue(kwargs)
        _run("pre", _pre_hooks, operation, args, visible)
        if _tracer is None:
            output = _reported(operation, args, kwargs)
        else:
            output = _tracer(operation, functools.partial(_reported, operation), args, visible)
        _run("post", _post_hooks, operation, args, visible, output)
        return output
    finally:
        _stack.names.pop()


def intercept_as_wanted() -> None:
    """Puts the interceptor in or takes it out; below one that others put in place meanwhile (a trace capture)."""
    config = _config.CONFIG
    wanted = bool(_pre_hooks or _post_hooks or _tracer or config.writes_report() or config.enable_comparison_mode)
    mine = observed_call if wanted else None
    outer = None
    present = _ttnn.get_interceptor()
    while present is not None and present is not observed_call:
        outer, present = present, getattr(present, "before", None)
    if present is mine:
        return
    if outer is None:
        _ttnn.set_interceptor(mine)
    else:
        outer.before = mine


def start() -> None:
    """Called once, at the end of the import: settings of the environment may ask for an interceptor."""
    _config.watch(intercept_as_wanted)
    intercept_as_wanted()
