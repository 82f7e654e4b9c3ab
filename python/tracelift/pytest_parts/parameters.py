"""--trace-params: a JSON file per call of an operation, removed after the tests unless they are to be kept."""

from __future__ import annotations

import importlib
from typing import Any, cast

import pytest


class ParameterTracing:
    def __init__(self, config: pytest.Config) -> None:
        self._keep = config.getoption("keep_trace_params", False)
        try:
            self._tracer = cast(Any, importlib.import_module("ttnn.operation_tracer"))
        except ImportError as error:  # a ttnn that is not ours, from before it could trace
            raise pytest.UsageError(f"--trace-params: the installed ttnn has no operation_tracer ({error})") from error
        self._ours = self._tracer.__name__.startswith("tracelift.")
        self._before = (self._tracer._ENABLE_TRACE, self._tracer._SERIALIZE_TENSOR_VALUES)
        self._first = self._tracer._OPERATION_COUNTER
        self._directory = ""
        if self._ours and not self._keep:
            self._native().remember_parameter_files()
        self._tracer._SERIALIZE_TENSOR_VALUES = bool(config.getoption("trace_params_with_values", False))
        self._tracer._ENABLE_TRACE = True

    @staticmethod
    def _native():  # type: ignore[no-untyped-def]
        from tracelift import _tracing as tracing

        return tracing

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        count = self._tracer._OPERATION_COUNTER - self._first
        if not count:
            terminalreporter.write_line("traced parameters: no operation was called in this process")
        elif self._keep or not self._ours:
            terminalreporter.write_line(f"traced parameters: {count} files, kept")
        else:
            terminalreporter.write_line(f"traced parameters: {count} files, removed (--keep-trace-params keeps them)")

    def pytest_unconfigure(self) -> None:
        self._tracer._ENABLE_TRACE, self._tracer._SERIALIZE_TENSOR_VALUES = self._before
        if self._ours and not self._keep:
            self._native().remove_parameter_files()
