"""--results-csv: a row per test. Rows are written as tests end, so that a crash keeps those before it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from typing import Any, Iterator

import pytest

from tracelift import _metrics
from tracelift import _tracing as tracing

from .session import Session, arguments_of, module_of, utc_text

_PROPERTY = "tracelift_result"  # carries what only the process of the test knows to the one that writes


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _first(arguments: dict[str, Any], *names: str) -> Any:
    return next((arguments[name] for name in names if arguments.get(name) is not None), None)


def _mesh_shape(arguments: dict[str, Any]) -> tuple[int, ...] | None:
    found = _first(arguments, "mesh_device", "device")
    shape = getattr(found, "shape", None)
    if shape is None:
        return None
    return tuple(int(size) for size in shape)


def _mode(value: Any) -> Any:
    return getattr(value, "value", value)


def _facts(item: pytest.Item) -> dict[str, str]:
    """The columns that come from the test itself."""
    arguments = arguments_of(item)
    mesh = _mesh_shape(arguments)
    config = _first(arguments, "hf_config", "hf_config_short", "hf_config_single_layer")
    return {
        "module": module_of(item),
        "mode": _text(_mode(arguments.get("mode"))),
        "seq_len": _text(arguments.get("seq_len")),
        "batch_size": _text(_first(arguments, "batch_size", "batch_size_per_row")),
        "hf_max_seq_len": _text(_first({"seq": getattr(config, "max_seq_len", None)}, "seq")),
        "mesh_shape": _text(mesh),
        "mesh_num_devices": "" if mesh is None else str(_product(mesh)),
        "weights_type": _text(arguments.get("weights_type")),
        "module_path": _text(arguments.get("module_path")),
    }


def _product(sizes: tuple[int, ...]) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product


def _git_commit(root: os.PathLike[str]) -> str:
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip() or "unknown"


def _ttnn_version() -> str:
    from importlib import metadata

    for name in ("ttnn", "tracelift"):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return "unknown"


class _Test:
    """The phases of a test as they are reported."""

    def __init__(self) -> None:
        self.reports: list[pytest.TestReport] = []

    def row(self) -> dict[str, str]:
        outcome, error = "passed", ""
        for wanted in ("failed", "skipped"):
            found = next((report for report in self.reports if report.outcome == wanted), None)
            if found is not None:
                outcome = wanted
                error = _reason(found)
                break
        started = min((getattr(report, "start", time.time()) for report in self.reports), default=time.time())
        ended = max((getattr(report, "stop", time.time()) for report in self.reports), default=time.time())
        facts: dict[str, str] = {"metrics_json": "[]"}
        for report in self.reports:
            for name, value in report.user_properties:
                if name == _PROPERTY and isinstance(value, dict):
                    facts.update(value)
        return {
            **facts,
            "outcome": outcome,
            "duration_sec": f"{sum(report.duration for report in self.reports):.6f}",
            "error": tracing.private_text(error),
            "start_timestamp": utc_text(started),
            "end_timestamp": utc_text(ended),
        }


def _reason(report: pytest.TestReport) -> str:
    if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    return report.longreprtext or _text(getattr(report, "wasxfail", ""))


class Results:
    def __init__(self, session: Session, path: str) -> None:
        self._session = session
        self._path = path
        self._open: dict[str, _Test] = {}
        self._run = {
            "run_id": session.run_id,
            "session_timestamp": session.run_id,
            "hostname": socket.gethostname(),
            "git_commit": "" if session.is_worker else _git_commit(session.root),
            "ttnn_version": _ttnn_version(),
        }

    # --- in the process that runs the test ---

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        _metrics.current = []
        self._facts: dict[str, str] = {}
        yield
        _metrics.current = None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        self._facts = _facts(item)  # fixtures are made, and not yet gone
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        outcome: Any = yield
        report = outcome.get_result()
        if report.when == "teardown":
            facts = self._facts or {"module": module_of(item)}
            metrics = json.dumps(_metrics.current or [])
            report.user_properties.append((_PROPERTY, {**facts, "metrics_json": metrics}))

    # --- in the process that hears of all tests ---

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._session.is_worker:
            return
        test = self._open.setdefault(report.nodeid, _Test())
        test.reports.append(report)
        if report.when in ("setup", "call"):
            return
        # "teardown" is the last phase; a worker that crashed sends a phase of its own.
        del self._open[report.nodeid]
        tracing.append_result(self._path, {"test_nodeid": report.nodeid, **self._run, **test.row()})

    def pytest_sessionfinish(self) -> None:
        """Tests that were interrupted."""
        if self._session.is_worker:
            return
        for nodeid, test in self._open.items():
            row = {"test_nodeid": nodeid, **self._run, **test.row()}
            if row["outcome"] == "passed":
                row.update(outcome="failed", error="the run ended before the test did")
            tracing.append_result(self._path, row)
        self._open.clear()
