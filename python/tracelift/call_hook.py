"""Captures the calls of a `ttnn` that is not ours: an import hook wraps its functions, nothing in the model changes."""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import sys
import threading
import time
import types
from typing import Any, Callable

from tracelift import _tracing, _ttnn

_ROOT = "ttnn"
_WRAPPED = "__tracelift_wrapped__"


class CallLines:
    """Writes a line per call; the line is there before the call begins and is completed after it."""

    def __init__(self, path: str, run_id: str) -> None:
        self._file = _tracing.LineFile(path)
        self._lock = threading.Lock()
        self._inside = threading.local()
        self._complained = False
        self.set_context(run_id, "<unknown>", "")

    def set_context(self, run_id: str, test_nodeid: str, module: str) -> None:
        with self._lock:
            self._context = {"run_id": run_id, "test_nodeid": test_nodeid, "module": module or None}
            self._index = 0

    def close(self) -> None:
        del self._file

    def _line(self, index: int, record: dict[str, Any]) -> str:
        ordered = {**self._context, "op_index": index, **record}
        return json.dumps(ordered, ensure_ascii=False) + "\n"

    def call(self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if getattr(self._inside, "serializing", False):
            return function(*args, **kwargs)
        record = {"op_name": name, "start_ts": time.time(), "duration_ms": 0.0}
        ticket = self._begin(record, args, kwargs)
        begun = time.perf_counter()
        try:
            output = function(*args, **kwargs)
        except BaseException as error:
            spent = time.perf_counter() - begun
            text = {"type": type(error).__name__, "message": _tracing.private_text(str(error))}
            self._finish(ticket, record, spent, None, text)
            raise
        self._finish(ticket, record, time.perf_counter() - begun, output, None)
        return output

    def _begin(self, record: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        try:
            record.update(inputs=self._plain(list(args)), kwargs=self._plain(kwargs), output=None)
            unfinished = {**record, "error": {"type": "Unfinished", "message": "the call has not returned"}}
            with self._lock:
                return self._file.begin(self._line(self._index, unfinished))
        except Exception as error:  # a full disk is not the model's problem
            self._complain(error)
            return None

    def _finish(
        self, ticket: int | None, record: dict[str, Any], seconds: float, output: Any, error: dict[str, str] | None
    ) -> None:
        if ticket is None:
            return
        try:
            record.update(duration_ms=seconds * 1000, output=self._plain(output))
            if error is not None:
                record["error"] = error
            with self._lock:
                self._file.finish(ticket, self._line(self._index, record))
                self._index += 1
        except Exception as problem:
            self._complain(problem)

    def _complain(self, error: Exception) -> None:
        if not self._complained:
            self._complained = True
            print(f"tracelift: a call is not traced: {error} (reported once)", file=sys.stderr)

    def _plain(self, value: Any) -> Any:
        """JSON data without anything about the user; operations that describing a value calls are not captured."""
        self._inside.serializing = True
        try:
            return json.loads(_ttnn.serialized(value, False))
        finally:
            self._inside.serializing = False


def _is_operation(name: str, value: Any) -> bool:
    """Operation objects, and functions that ttnn defines; not what it imported from elsewhere."""
    if name.startswith("_") or isinstance(value, (type, types.ModuleType)) or hasattr(value, _WRAPPED):
        return False
    if hasattr(value, "__ttnn_operation__") or hasattr(value, "python_fully_qualified_name"):
        return callable(value)
    home = getattr(value, "__module__", None)
    return inspect.isroutine(value) and isinstance(home, str) and home.partition(".")[0] == _ROOT


def _operation_name(module: str, name: str, value: Any) -> str:
    full = getattr(value, "python_fully_qualified_name", None)
    return full if isinstance(full, str) else f"{module}.{name}"


class CallHook(importlib.abc.MetaPathFinder):
    """First on sys.meta_path; wraps the functions of ttnn and its submodules once they are loaded."""

    def __init__(self, lines: CallLines) -> None:
        self.lines = lines
        self._undo: list[tuple[types.ModuleType, str, Any]] = []
        self._looking = threading.local()

    def install(self) -> None:
        sys.meta_path.insert(0, self)
        for name, module in list(sys.modules.items()):
            if module is not None and (name == _ROOT or name.startswith(_ROOT + ".")):
                self.wrap(module)

    def remove(self) -> None:
        sys.meta_path.remove(self)
        for module, name, original in reversed(self._undo):
            setattr(module, name, original)
        self._undo.clear()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        ours = name == _ROOT or name.startswith(_ROOT + ".")
        if not ours or getattr(self._looking, "now", False):
            return None
        self._looking.now = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking.now = False
        if spec is not None and spec.loader is not None:
            spec.loader = _WrappingLoader(spec.loader, self)
        return spec

    def wrap(self, module: types.ModuleType) -> None:
        for name, value in list(vars(module).items()):
            if _is_operation(name, value):
                wrapped = self._wrapped(_operation_name(module.__name__, name, value), value)
                try:
                    setattr(module, name, wrapped)
                except (AttributeError, TypeError):  # a module that does not let itself be changed
                    continue
                self._undo.append((module, name, value))

    def _wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        if not inspect.isroutine(function):
            return _TracedObject(self.lines, name, function)

        def call(*args: Any, **kwargs: Any) -> Any:
            return self.lines.call(name, function, args, kwargs)

        functools.update_wrapper(call, function, updated=())
        setattr(call, _WRAPPED, True)
        return call


class _TracedObject:
    """An operation object whose calls are captured; everything else is the object's own."""

    def __init__(self, lines: CallLines, name: str, operation: Any) -> None:
        self.__dict__.update({"_lines": lines, "_name": name, "_operation": operation, _WRAPPED: True})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._lines.call(self._name, self._operation, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._operation, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._operation, name, value)


class _WrappingLoader(importlib.abc.Loader):
    def __init__(self, loader: Any, hook: CallHook) -> None:
        self._loader = loader
        self._hook = hook

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        self._loader.exec_module(module)
        self._hook.wrap(module)
