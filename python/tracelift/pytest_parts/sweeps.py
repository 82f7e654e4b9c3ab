"""Sweep modules named on the command line: a test per vector; results go where the runner's go."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Iterable

import pytest

from tracelift.sweep_framework import modules
from tracelift.sweep_framework.devices import DeviceKeeper
from tracelift.sweep_framework.generate import GenerationError, make_vectors
from tracelift.sweep_framework.module_runner import run_vector
from tracelift.sweep_framework.vectors import TooManyPermutations, input_hash

from .sweep_results import PROPERTY

_PASSING = ("pass", "xfail")


def collector(path: pathlib.Path, parent: pytest.Collector) -> SweepFile:
    manager = parent.config.pluginmanager
    if not manager.has_plugin("tracelift_sweeps"):
        manager.register(SweepDevices(parent.config), "tracelift_sweeps")
    made: SweepFile = SweepFile.from_parent(parent, path=path)
    return made


class SweepFailure(AssertionError):
    """A vector that did not pass."""


class SweepFile(pytest.File):
    def collect(self) -> Iterable[pytest.Item]:
        name = modules.name_of(self.path)
        capture = self.config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled():  # what the loader tells is for the user to see
            print()
            module = modules.import_module(name, self.path)
            suites: dict[str, list[dict[str, Any]]] = {}
            problems: dict[str, str] = {}
            for suite, parameters in module.parameters.items():
                try:
                    suites[suite] = make_vectors(name, suite, parameters, module)
                    print(f"SWEEPS - Generated {len(suites[suite])} test vectors for suite {suite}.")
                except (GenerationError, TooManyPermutations) as error:
                    problems[suite] = str(error)
        for suite, vectors in suites.items():
            for index, vector in enumerate(vectors):
                yield SweepItem.from_parent(self, name=f"test_sweep[{suite}-{index}]", module=module, vector=vector)
        for suite, problem in problems.items():
            yield BadSuite.from_parent(self, name=f"test_sweep[{suite}]", problem=problem)


class SweepItem(pytest.Item):
    """One vector; a failure shows what run() said."""

    def __init__(self, *, module: Any, vector: dict[str, Any], **rest: Any) -> None:
        super().__init__(**rest)
        self._module = module
        self._vector = {**vector, "input_hash": input_hash(vector)}

    def runtest(self) -> None:
        keeper = self.config.pluginmanager.getplugin("tracelift_sweeps").keeper
        result = run_vector(self._module, self._vector, keeper.device_of(self._module))
        result["card_type"] = keeper.card_type()
        shown = result.pop("traceback", None)
        self.user_properties.append((PROPERTY, json.dumps([self._vector, result])))
        if result["status"] == "not_run":
            pytest.skip(result["message"])
        if result["status"] not in _PASSING:
            said = result["exception"] or result["message"] or "it passed, and the suite is expected to fail"
            raise SweepFailure(shown or f"{result['status']}: {said}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, SweepFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[pathlib.Path, int, str]:
        return self.path, 0, self.name


class BadSuite(pytest.Item):
    """A suite without vectors, or with too many: fails alone, so that the other suites of its module run."""

    def __init__(self, *, problem: str, **rest: Any) -> None:
        super().__init__(**rest)
        self._problem = problem

    def runtest(self) -> None:
        pytest.fail(self._problem, pytrace=False)

    def reportinfo(self) -> tuple[pathlib.Path, int, str]:
        return self.path, 0, self.name


class SweepDevices:
    """The device of the session; each process that runs tests has its own."""

    def __init__(self, config: pytest.Config) -> None:
        self.keeper = DeviceKeeper(config.getoption("device_id", 0))

    def pytest_sessionfinish(self) -> None:
        self.keeper.close()
