"""A device per module, bookkeeping of device memory, and names of parametrised tests."""

import gc
import json
import os

import hypothesis
import pytest
import sweep_support

from tracelift import _import_fallback, ttnn

# The same examples on every machine; only the long run looks for new ones.
hypothesis.settings.register_profile("same", derandomize=True)
if os.environ.get("TRACELIFT_LONG") != "1":
    hypothesis.settings.load_profile("same")

_import_fallback.install()  # what the installed .pth file does


def pytest_make_parametrize_id(val):
    """Names values by their text that pytest would only number, so that the name of a test says what it tests."""
    if isinstance(val, (list, tuple)) and val and all(isinstance(each, str) for each in val):
        return " ".join(val)
    if val is None or isinstance(val, (str, bytes, bool, int, float, complex, type)) or hasattr(val, "__name__"):
        return None  # pytest has names for these
    text = str(val)
    return type(val).__name__ if " at 0x" in text else text[:100]


@pytest.fixture(scope="module")
def device():
    with ttnn.manage_device(device_id=0) as device:
        yield device


@pytest.fixture
def allocated_bytes(device):
    """A function that tells how many bytes of each kind are allocated now."""

    def measure():
        gc.collect()  # tensors in the tracebacks of errors seen before
        kinds = (ttnn.BufferType.DRAM, ttnn.BufferType.L1)
        return [ttnn.get_memory_view(device, kind).total_bytes_allocated_per_bank for kind in kinds]

    return measure


@pytest.fixture
def small_master(tmp_path):
    """A master of a few made-up configurations (sweep_support.SMALL)."""
    path = tmp_path / "master.json"
    path.write_text(json.dumps(sweep_support.SMALL))
    return path
