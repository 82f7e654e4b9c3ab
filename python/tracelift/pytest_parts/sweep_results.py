"""Results of sweep vectors, collected where all reports arrive: with xdist the tests run in other processes."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

PROPERTY = "tracelift_sweep"  # of a report: vector and result


class SweepResults:
    """The files at the end of the session. Registered in every session, so that it imports little."""

    def __init__(self) -> None:
        self._results: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._store: pathlib.Path | None = None
        self._written: list[pathlib.Path] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call":
            return
        for name, text in report.user_properties:
            if name == PROPERTY:
                self._add(*json.loads(str(text)))

    def _add(self, vector: dict[str, Any], result: dict[str, Any]) -> None:
        if not self._results:
            from tracelift.sweep_framework import results

            self._store = results.store_of_sweeps()
        self._results.append((vector, result))

    def pytest_sessionfinish(self) -> None:
        if self._results:
            from tracelift.sweep_framework import results

            self._written = results.write(self._results, store=self._store)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._written:
            stored = "" if self._store is None else f" and in the store {self._store}"
            terminalreporter.write_line(f"sweep results: {len(self._results)} in {self._written[0].parent}/{stored}")
