"""The fixtures that TT-NN's own tests ask for, so that such a test runs where no conftest.py brings them.

A fixture of the same name in a test module or a conftest.py is nearer to the test and wins.
"""

# Every pytest run in the environment imports this file: ttnn, numpy and torch are imported inside the fixtures.
from __future__ import annotations

import contextlib
import inspect
import os
import random
from typing import Any, Iterator

import pytest

from tracelift import _metrics

_SEED = 213919


def _known(open_device: Any, params: dict[str, Any]) -> dict[str, Any]:
    """The params that `open_device` takes: tests also write settings of the fabric and of the dispatch there."""
    accepted = inspect.signature(open_device).parameters.values()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in accepted):
        return dict(params)
    names = {parameter.name for parameter in accepted} - {"device_id"}
    return {name: value for name, value in params.items() if name in names}


@contextlib.contextmanager
def _as_default(device: Any) -> Iterator[Any]:
    """The device is the default one, and is closed at the end."""
    import ttnn

    set_default = getattr(ttnn, "SetDefaultDevice", lambda device: None)
    set_default(device)
    try:
        yield device
    finally:
        set_default(None)
        ttnn.close_device(device)


def _opened(params: dict[str, Any], device_id: int = 0) -> contextlib.AbstractContextManager[Any]:
    import ttnn

    return _as_default(ttnn.open_device(device_id=device_id, **_known(ttnn.open_device, params)))


@pytest.fixture
def device_params(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Arguments of open_device; given by parametrize("device_params", [{"l1_small_size": 24576}], indirect=True)."""
    return getattr(request, "param", {})


@pytest.fixture(scope="module")
def module_device(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The device of tests marked with use_module_device, open for the whole module."""
    marker = request.node.get_closest_marker("use_module_device")
    if marker is None:  # only the tests are marked, not the module
        marked = (item.get_closest_marker("use_module_device") for item in request.session.items)
        marker = next((found for found in marked if found is not None), None)
    params = marker.args[0] if marker is not None and marker.args else {}
    with _opened(params, request.config.getoption("device_id", 0)) as opened:
        yield opened


@pytest.fixture
def device(request: pytest.FixtureRequest, device_params: dict[str, Any]) -> Iterator[Any]:
    """A device that is open for one test, or for the module where the test is marked with use_module_device."""
    if request.node.get_closest_marker("use_module_device") is not None:
        if device_params:
            raise ValueError("use_module_device and parametrised device_params cannot be combined")
        yield request.getfixturevalue("module_device")
        return
    with _opened(device_params, request.config.getoption("device_id", 0)) as opened:
        yield opened


@contextlib.contextmanager
def _fabric(config: Any) -> Iterator[None]:
    """The network between chips, where a test asks for it by the device_params."""
    import ttnn

    if config is None or isinstance(config, bool):
        yield
        return
    ttnn.set_fabric_config(config)
    try:
        yield
    finally:
        ttnn.set_fabric_config(type(config).DISABLED)


@pytest.fixture
def mesh_device(request: pytest.FixtureRequest, device_params: dict[str, Any]) -> Iterator[Any]:
    """A mesh: of as many devices as the parameter says in a row, of the shape that it is, or of the whole system."""
    import ttnn

    asked = getattr(request, "param", None)
    shape = None if asked is None else ttnn.MeshShape(1, asked) if isinstance(asked, int) else ttnn.MeshShape(*asked)
    with _fabric(device_params.get("fabric_config")):
        device = ttnn.open_mesh_device(shape, **_known(ttnn.open_mesh_device, device_params))
        with _as_default(device) as opened:
            yield opened


@pytest.fixture
def pcie_mesh_device(mesh_device: Any) -> Any:
    """The mesh of all devices that the host reaches by itself: here all."""
    return mesh_device


@pytest.fixture
def reset_seeds() -> None:
    """The same random numbers in every test that asks for this."""
    import numpy

    random.seed(_SEED)
    numpy.random.seed(_SEED)
    with contextlib.suppress(ImportError):  # torch is optional
        import torch

        torch.manual_seed(_SEED)


@pytest.fixture
def function_level_defaults(reset_seeds: None) -> None:
    """What every test of an operation starts from."""


@pytest.fixture(scope="session")
def is_ci_env() -> bool:
    return os.environ.get("CI") == "true"


@pytest.fixture(scope="session")
def silicon_arch_name(request: pytest.FixtureRequest) -> str:
    """The architecture that tests are for: --tt-arch, else that of the default board."""
    import ttnn

    return request.config.getoption("tt_arch", None) or ttnn.get_arch_name()


def _only_for(arch: str, name: str) -> str:
    if name != arch:
        pytest.skip(f"the test is for {arch}, the architecture is {name}")
    return name


@pytest.fixture(scope="session")
def silicon_arch_wormhole_b0(silicon_arch_name: str) -> str:
    return _only_for("wormhole_b0", silicon_arch_name)


@pytest.fixture(scope="session")
def silicon_arch_blackhole(silicon_arch_name: str) -> str:
    return _only_for("blackhole", silicon_arch_name)


class _Reporter:
    """What a test tells about its results; --results-csv writes it into metrics_json."""

    def pcc(self, value: float, passed: bool) -> None:
        _metrics.report_pcc(value, passed)

    def allclose(self, message: str, passed: bool) -> None:
        _metrics.report_message("allclose", message, passed)

    def ulp(self, message: str, passed: bool) -> None:
        _metrics.report_message("ulp", message, passed)


@pytest.fixture
def report_metric() -> _Reporter:
    """report_metric.pcc(value, passed), .allclose(message, passed), .ulp(message, passed)."""
    return _Reporter()
