"""The pytest plugin of tracelift: options that trace, and the fixtures that TT-NN's own tests ask for.

Every pytest run in the environment imports this file, so it imports little; what traces is imported when asked for.
"""

from __future__ import annotations

import pathlib
from typing import Any, Iterator

import pytest

from .pytest_parts import outputs, sweep_results
from .pytest_parts.fixtures import (  # noqa: F401  (pytest finds fixtures by their names here)
    device,
    device_params,
    function_level_defaults,
    is_ci_env,
    mesh_device,
    module_device,
    pcie_mesh_device,
    report_metric,
    reset_seeds,
    silicon_arch_blackhole,
    silicon_arch_name,
    silicon_arch_wormhole_b0,
)

_OPTIONS: dict[str, dict[str, Any]] = {
    "--trace-params": {
        "action": "store_true",
        "default": False,
        "help": "write a JSON file per call of a ttnn operation; removed after the tests",
    },
    "--trace-params-with-values": {
        "action": "store_true",
        "default": False,
        "help": "with --trace-params: values of tensors as well",
    },
    "--keep-trace-params": {
        "action": "store_true",
        "default": False,
        "help": "with --trace-params: leave the files where they are",
    },
    **outputs.OPTIONS,
    "--device-id": {"type": int, "default": 0, "help": "the device that the device fixture opens"},
    "--tt-arch": {"default": None, "help": "wormhole_b0 or blackhole; default: the emulated board's"},
}

_MARKERS = (
    "use_module_device(params): one device for all tests of the module",
    "requires_grid_size(grid): needs a device with this many cores",
    "requires_fast_runtime_mode_off: only in slow runtime mode",
    "slow: takes long",
)


@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Iterator[None]:
    """Adds our options after the project's conftest.py files had their say: theirs of the same name win."""
    yield
    outputs.add_options(parser, _OPTIONS)


def pytest_configure(config: pytest.Config) -> None:
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    parameters = config.getoption("trace_params", False)
    if config.getoption("trace_params_with_values", False) and not parameters:
        raise pytest.UsageError("--trace-params-with-values needs --trace-params")
    outputs.add_repros(config)
    if parameters:
        from .pytest_parts.parameters import ParameterTracing

        outputs.session_of(config)
        config.pluginmanager.register(ParameterTracing(config), "tracelift_parameters")
    if not hasattr(config, "workerinput"):  # all reports arrive here, those of other processes as well
        config.pluginmanager.register(sweep_results.SweepResults(), "tracelift_sweep_results")
    outputs.record_calls(config)
    outputs.record_results(config)


def pytest_pycollect_makemodule(module_path: pathlib.Path, parent: pytest.Collector) -> Any:
    """A sweep module that was named on the command line becomes a test per vector."""
    from .sweep_framework.modules import has_tests, is_sweep_module

    if not parent.session.isinitpath(module_path) or not is_sweep_module(module_path) or has_tests(module_path):
        return None
    from .pytest_parts.sweeps import collector

    return collector(module_path, parent)
