"""ttnn.device: architectures and questions about them."""

from tracelift._ttnn import Arch, MeshDevice

from ._devices import GetDefaultDevice, close_device, default_arch, manage_device, open_device

__all__ = ["Arch", "close_device", "is_blackhole", "is_wormhole_b0", "manage_device", "open_device"]


def _arch(device: MeshDevice | None) -> Arch:
    device = device or GetDefaultDevice()
    return default_arch() if device is None else device.arch()


def is_wormhole_b0(device: MeshDevice | None = None) -> bool:
    return _arch(device) == Arch.WORMHOLE_B0


def is_blackhole(device: MeshDevice | None = None) -> bool:
    return _arch(device) == Arch.BLACKHOLE
