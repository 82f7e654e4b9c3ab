"""The options for recorded calls and results, and what they switch on.

The package's own plugin uses this, and so may a project's conftest.py: whoever comes second changes nothing.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

OPTIONS: dict[str, dict[str, Any]] = {
    "--ops-jsonl": {
        "metavar": "PATH",
        "default": None,
        "help": "append a JSON line per call of a ttnn operation (or TT_OP_RESULTS_JSONL)",
    },
    "--results-csv": {
        "metavar": "PATH",
        "default": None,
        "help": "append a row per test (or TT_TEST_RESULTS_CSV)",
    },
    "--op-repros": {
        "metavar": "PATH",
        "default": None,
        "help": "add a test per distinct call of a file that --ops-jsonl wrote",
    },
}


def add_options(parser: pytest.Parser, options: dict[str, dict[str, Any]]) -> None:
    """Adds those that nobody has added yet."""
    groups = [parser._anonymous, *parser._groups]
    known = {name for group in groups for option in group.options for name in option.names()}
    group = parser.getgroup("tracelift", "tracelift: tracing of ttnn operations")
    for name, settings in options.items():
        if name not in known:
            group.addoption(name, **settings)


def add_option(parser: pytest.Parser, name: str) -> None:
    add_options(parser, {name: OPTIONS[name]})


def session_of(config: pytest.Config) -> Any:
    """What all outputs of this run share; made by the first that asks."""
    from .session import Session

    found = config.pluginmanager.get_plugin("tracelift_session")
    if found is None:
        found = Session(config)
        config.pluginmanager.register(found, "tracelift_session")
    return found


def _file_name(config: pytest.Config, option: str, variable: str) -> str | None:
    path = config.getoption(option, None) or os.environ.get(variable) or None
    if path and os.path.isdir(path):
        raise pytest.UsageError(f"{option} takes the name of a file, but '{path}' is a folder")
    return path


def record_calls(config: pytest.Config) -> None:
    """--ops-jsonl: a line per call."""
    path = _file_name(config, "--ops-jsonl", "TT_OP_RESULTS_JSONL")
    if path and not config.pluginmanager.has_plugin("tracelift_calls"):
        from .calls import CallCapture

        config.pluginmanager.register(CallCapture(session_of(config), path), "tracelift_calls")


def record_results(config: pytest.Config) -> None:
    """--results-csv: a row per test."""
    path = _file_name(config, "--results-csv", "TT_TEST_RESULTS_CSV")
    if path and not config.pluginmanager.has_plugin("tracelift_results"):
        from .results import Results

        config.pluginmanager.register(Results(session_of(config), path), "tracelift_results")


def add_repros(config: pytest.Config) -> None:
    """--op-repros: a test per recorded call."""
    path = config.getoption("--op-repros", None)
    if not path or config.pluginmanager.has_plugin("tracelift_op_repros"):
        return
    if not os.path.isfile(path):
        raise pytest.UsageError(f"--op-repros takes the name of a file, and '{path}' is none")
    from .op_repros import OpRepros

    config.pluginmanager.register(OpRepros(path), "tracelift_op_repros")
