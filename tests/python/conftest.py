"""A device per module, and bookkeeping of device memory."""

import gc
import json

import pytest
import sweep_support

from tracelift import _import_fallback, ttnn

_import_fallback.install()  # what the installed .pth file does


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
