"""Questions about devices, and what dispatch takes where nothing is asked for."""

from __future__ import annotations

from typing import Any

from tracelift._ttnn import Arch, CoreGrid, DispatchCoreAxis, DispatchCoreType, MeshDevice

from ._enums import FabricTensixConfig

DEFAULT_L1_SMALL_SIZE = 0
DEFAULT_TRACE_REGION_SIZE = 0

# Clusters whose chips have ethernet cores to spare for dispatch.
_DISPATCH_ON_ETHERNET = ("N300", "T3K", "N300_2x2")


def _arch(device: MeshDevice | None) -> Arch:
    from ._devices import GetDefaultDevice, default_arch

    device = device or GetDefaultDevice()
    return default_arch() if device is None else device.arch()


def is_wormhole_b0(device: MeshDevice | None = None) -> bool:
    return _arch(device) == Arch.WORMHOLE_B0


def is_blackhole(device: MeshDevice | None = None) -> bool:
    return _arch(device) == Arch.BLACKHOLE


def get_device_core_grid(device: MeshDevice) -> CoreGrid:
    return device.core_grid


def get_default_dispatch_core_type() -> DispatchCoreType:
    from ._devices import default_system

    on_ethernet = default_system().cluster_type in _DISPATCH_ON_ETHERNET
    return DispatchCoreType.ETH if on_ethernet else DispatchCoreType.WORKER


def get_default_dispatch_core_axis(fabric_tensix_config: Any = None) -> DispatchCoreAxis:
    """Rows, except on Blackhole, where only cores that forward packets may be in rows."""
    by_row = not is_blackhole() or fabric_tensix_config == FabricTensixConfig.MUX
    return DispatchCoreAxis.ROW if by_row else DispatchCoreAxis.COL


def get_max_worker_l1_unreserved_size() -> int:
    """Bytes of a worker's L1 that buffers can use on the default board."""
    from tracelift._ttnn import board_l1_size, default_board

    return board_l1_size(default_board())
