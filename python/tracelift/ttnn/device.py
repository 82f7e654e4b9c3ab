"""ttnn.device: devices, architectures and questions about them."""

from tracelift._ttnn import Arch, CoreGrid, DispatchCoreAxis, DispatchCoreType, MeshDevice, get_memory_view

from ._devices import (
    CloseDevice,
    CloseDevices,
    CreateDevice,
    CreateDevices,
    DispatchCoreConfig,
    GetDefaultDevice,
    GetNumAvailableDevices,
    GetNumPCIeDevices,
    GetPCIeDeviceID,
    ReadDeviceProfiler,
    SetDefaultDevice,
    close_device,
    default_arch,
    default_system,
    dump_device_memory_state,
    init_device_compute_kernel_config,
    manage_device,
    open_device,
    synchronize_device,
)
from ._memory import pad_to_tile_shape
from ._sub_devices import SubDevice, SubDeviceId, SubDeviceManagerId

Device = MeshDevice
DEFAULT_L1_SMALL_SIZE = 0
DEFAULT_TRACE_REGION_SIZE = 0

__all__ = [
    "Arch",
    "CloseDevice",
    "CloseDevices",
    "CreateDevice",
    "CreateDevices",
    "DEFAULT_L1_SMALL_SIZE",
    "DEFAULT_TRACE_REGION_SIZE",
    "Device",
    "DispatchCoreAxis",
    "DispatchCoreConfig",
    "DispatchCoreType",
    "GetDefaultDevice",
    "GetNumAvailableDevices",
    "GetNumPCIeDevices",
    "GetPCIeDeviceID",
    "ReadDeviceProfiler",
    "SetDefaultDevice",
    "SubDevice",
    "SubDeviceId",
    "SubDeviceManagerId",
    "close_device",
    "dump_device_memory_state",
    "get_default_dispatch_core_type",
    "get_device_core_grid",
    "get_memory_view",
    "init_device_compute_kernel_config",
    "is_blackhole",
    "is_wormhole_b0",
    "manage_device",
    "open_device",
    "pad_to_tile_shape",
    "synchronize_device",
]


def _arch(device: MeshDevice | None) -> Arch:
    device = device or GetDefaultDevice()
    return default_arch() if device is None else device.arch()


def is_wormhole_b0(device: MeshDevice | None = None) -> bool:
    return _arch(device) == Arch.WORMHOLE_B0


def is_blackhole(device: MeshDevice | None = None) -> bool:
    return _arch(device) == Arch.BLACKHOLE


def get_device_core_grid(device: MeshDevice) -> CoreGrid:
    return device.core_grid


def get_default_dispatch_core_type() -> DispatchCoreType:
    return default_system().dispatch
