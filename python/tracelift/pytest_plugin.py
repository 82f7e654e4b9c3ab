"""The fixtures that TT-NN's own tests ask for, so that such a test runs where no conftest.py brings them.

A fixture of the same name in a test module or a conftest.py is nearer to the test and wins.
"""

# Every pytest run in the environment imports this file: ttnn, numpy and torch are imported inside the fixtures.
from __future__ import annotations

import contextlib
import inspect
import math
import random
from typing import Any, Iterator

import pytest

_SEED = 213919


def _known(open_device: Any, params: dict[str, Any]) -> dict[str, Any]:
    """The params that `open_device` takes: tests also write settings of the fabric and of the dispatch there."""
    accepted = inspect.signature(open_device).parameters.values()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in accepted):
        return dict(params)
    names = {parameter.name for parameter in accepted} - {"device_id"}
    return {name: value for name, value in params.items() if name in names}


@contextlib.contextmanager
def _opened(params: dict[str, Any]) -> Iterator[Any]:
    import ttnn

    device = ttnn.open_device(device_id=0, **_known(ttnn.open_device, params))
    try:
        yield device
    finally:
        ttnn.close_device(device)


@pytest.fixture
def device_params(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Arguments of open_device; given by parametrize("device_params", [{"l1_small_size": 24576}], indirect=True)."""
    return getattr(request, "param", {})


@pytest.fixture
def device(device_params: dict[str, Any]) -> Iterator[Any]:
    """Device 0, open for one test."""
    with _opened(device_params) as opened:
        yield opened


@pytest.fixture
def mesh_device(request: pytest.FixtureRequest, device_params: dict[str, Any]) -> Iterator[Any]:
    """A mesh of one device. The parameter is a number of devices or a mesh shape; a test of a larger one is skipped."""
    asked = getattr(request, "param", 1)
    if (asked if isinstance(asked, int) else math.prod(asked)) != 1:
        shape = asked if isinstance(asked, int) else tuple(asked)
        pytest.skip(f"tracelift opens meshes of one device, the test asks for {shape}")
    with _opened(device_params) as opened:
        yield opened


@pytest.fixture
def reset_seeds() -> None:
    """The same random numbers in every test that asks for this."""
    import numpy

    random.seed(_SEED)
    numpy.random.seed(_SEED)
    with contextlib.suppress(ImportError):  # torch is optional
        import torch

        torch.manual_seed(_SEED)
