"""--ops-jsonl: a line per call of an operation, of our ttnn or of the one that is installed."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any, Iterator, Protocol

import pytest

from tracelift import _tracing as tracing

from .session import Session, module_of


class _Writer(Protocol):
    def set_context(self, run_id: str, test_nodeid: str, module: str) -> None: ...
    def close(self) -> None: ...


class _Ours:
    """The emulated ttnn writes its calls itself."""

    def __init__(self, path: str) -> None:
        tracing.write_lines(path)

    def set_context(self, run_id: str, test_nodeid: str, module: str) -> None:
        tracing.set_context(run_id, test_nodeid, module)

    def close(self) -> None:
        tracing.write_lines("")


class _Foreign:
    """A ttnn that is not ours is wrapped when it is imported."""

    def __init__(self, path: str, run_id: str) -> None:
        from tracelift.call_hook import CallHook, CallLines

        self._lines = CallLines(path, run_id)
        self._hook = CallHook(self._lines)
        self._hook.install()
        self.set_context = self._lines.set_context

    def close(self) -> None:
        self._hook.remove()
        self._lines.close()


def is_ttnn_ours() -> bool:
    loaded = sys.modules.get("ttnn")
    if loaded is not None:
        return loaded.__name__ == "tracelift.ttnn"
    spec = importlib.util.find_spec("ttnn")
    return spec is None or type(spec.loader).__module__ == "tracelift._import_fallback"


class CallCapture:
    def __init__(self, session: Session, path: str) -> None:
        self._session = session
        self._path = path
        self._writer: Any = _Ours(path) if is_ttnn_ours() else _Foreign(path, session.run_id)
        self._writer.set_context(session.run_id, "<unknown>", "")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._writer.set_context(self._session.run_id, item.nodeid, module_of(item))
        yield
        self._writer.set_context(self._session.run_id, "<unknown>", "")

    def pytest_unconfigure(self) -> None:
        self._writer.close()
        tracing.collect_parts(self._path)  # of workers that crashed
