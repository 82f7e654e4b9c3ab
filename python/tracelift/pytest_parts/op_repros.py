"""`pytest --op-repros FILE`: a test per distinct recorded call, made when tests are collected.

A suite of the project takes the calls with `parametrize` and `replayed`; without one they are added to the session.
"""

from __future__ import annotations

import contextlib
import json
import pathlib
import warnings
from typing import Any

import pytest

from tracelift import op_replay

ARGUMENT = "op_record"  # of the suite's test


def parametrize(metafunc: pytest.Metafunc) -> None:
    """A test of the suite per recorded call; without `--op-repros` it is skipped."""
    if ARGUMENT in metafunc.fixturenames:
        repros = metafunc.config.pluginmanager.get_plugin("tracelift_op_repros")
        taken = [] if repros is None else repros.take()
        metafunc.parametrize(ARGUMENT, [pytest.param(record, id=name) for name, record in taken])


def replayed(record: dict[str, Any], config: pytest.Config) -> Any:
    """Shapes and dtypes of what a record gives when it is replayed, as `recorded` has them."""
    repros: Any = config.pluginmanager.get_plugin("tracelift_op_repros")
    return repros.replayed(record)


def recorded(output: Any) -> Any:
    if isinstance(output, list):
        return [recorded(item) for item in output]
    if not isinstance(output, dict) or "shape" not in output:
        return None, ""
    return output["shape"], str(output.get("dtype", "")).rpartition(".")[2].upper()


class OpReproItem(pytest.Item):
    def __init__(self, *, record: dict[str, Any], repros: OpRepros, **rest: Any) -> None:
        super().__init__(**rest)
        self._record = record
        self._repros = repros

    def runtest(self) -> None:
        assert self._repros.replayed(self._record) == recorded(self._record.get("output"))

    def reportinfo(self) -> tuple[pathlib.Path, int, str]:
        return pathlib.Path(self._repros.path), 0, self.name


def _described(output: Any) -> Any:
    if isinstance(output, (list, tuple)):
        return [_described(item) for item in output]
    return op_replay.shapes_of(output), str(getattr(output, "dtype", "")).rpartition(".")[2].upper()


class OpRepros:
    def __init__(self, path: str) -> None:
        self.path = path
        self._devices = op_replay.Devices()
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(self._devices)
        self._taken = False

    def take(self) -> list[tuple[str, dict[str, Any]]]:
        """Name and record of every distinct call that returned."""
        self._taken = True
        seen: set[str] = set()
        found = []
        for index, record in op_replay.read_records(self.path):
            if not isinstance(record, (dict, op_replay.Refused)):
                record = op_replay.Refused(f"{self.path}: line {index + 1}: it is not a call")
            if not isinstance(record, dict):  # who wrote it may have died; the other calls are as good
                warnings.warn(pytest.PytestWarning(f"--op-repros: {record}"), stacklevel=1)
                continue
            key = json.dumps([record.get("op_name"), record.get("inputs"), record.get("kwargs")], sort_keys=True)
            if not record.get("error") and key not in seen:
                seen.add(key)
                found.append((f"{index}-{record.get('op_name')}", record))
        return found

    def replayed(self, record: dict[str, Any]) -> Any:
        try:
            return _described(op_replay.replay_op_record(record, self._devices.of(record)))
        except op_replay.Refused as error:
            pytest.fail(f"refused: {error}", pytrace=False)

    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        if self._taken:
            return
        for name, record in self.take():
            items.append(OpReproItem.from_parent(session, name=f"op_repro[{name}]", record=record, repros=self))

    def pytest_sessionfinish(self) -> None:
        self._stack.close()
