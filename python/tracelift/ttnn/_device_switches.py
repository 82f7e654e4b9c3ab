"""Switches of the original's device that change nothing here: there is no dispatch, no compiler cache, no report of the
allocator. DeallocateBuffers does what it says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tracelift._ttnn import MeshDevice


def _check(function: str, device: MeshDevice) -> None:
    if not isinstance(device, MeshDevice):
        raise TypeError(f"{function} takes a device, not {type(device).__name__}")


def SetRootDir(root_dir: str) -> None:
    """Where kernels are looked for on hardware."""
    if not isinstance(root_dir, str):
        raise TypeError(f"SetRootDir takes a path as str, not {type(root_dir).__name__}")


def ClearKernelCache() -> None:
    """No kernels are compiled."""


def EnableMemoryReports() -> None:
    """ttnn.dump_device_memory_state writes the memory of a device when it is asked to."""


def DisableMemoryReports() -> None:
    """See EnableMemoryReports."""


def enable_asynchronous_slow_dispatch(device: MeshDevice) -> None:
    """Operations are done when they return."""
    _check("enable_asynchronous_slow_dispatch", device)


def disable_asynchronous_slow_dispatch(device: MeshDevice) -> None:
    _check("disable_asynchronous_slow_dispatch", device)


def initialize_fast_dispatch(device: MeshDevice) -> None:
    _check("initialize_fast_dispatch", device)


def terminate_fast_dispatch(device: MeshDevice) -> None:
    _check("terminate_fast_dispatch", device)


@contextlib.contextmanager
def setup_fast_dispatch(device: MeshDevice) -> Iterator[None]:
    """initialize_fast_dispatch and terminate_fast_dispatch around a with block."""
    initialize_fast_dispatch(device)
    try:
        yield
    finally:
        terminate_fast_dispatch(device)


def DeallocateBuffers(device: MeshDevice) -> None:
    """Frees every buffer of a device, which stays open; tensors there become unallocated."""
    _check("DeallocateBuffers", device)
    device.deallocate_buffers()
