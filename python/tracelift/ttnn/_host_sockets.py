"""Sockets between the host and a device. Data reach the other end through kernels of the user's own, which are not
emulated: sockets can be made and asked, writing and reading say so."""

from __future__ import annotations

from typing import NoReturn

from tracelift._ttnn import BufferType, MeshDevice, StorageType, Tensor

from ._enums import H2DMode
from ._not_emulated import refuse
from ._sockets import MeshCoreCoord

_WHY = "kernels that users write take the data out of it on the device, and they are not emulated"


class _HostSocket:
    def __init__(self, mesh_device: MeshDevice, core: MeshCoreCoord, fifo_size: int) -> None:
        mesh_device.get_device_id(core.device_coord)  # raises for a place that the mesh does not have
        self._device, self._core, self._fifo_size = mesh_device, core, fifo_size
        self._page_size = 0

    def set_page_size(self, page_size: int) -> None:
        if not 0 < page_size <= self._fifo_size:
            raise RuntimeError(f"the page size must be between 1 and the {self._fifo_size} bytes of the queue")
        self._page_size = page_size

    def get_page_size(self) -> int:
        return self._page_size

    def get_active_cores(self) -> list[MeshCoreCoord]:
        return [self._core]

    def get_mesh_device(self) -> MeshDevice:
        return self._device

    def get_config_buffer_address(self) -> int:
        """0: it takes no memory here."""
        return 0

    def barrier(self, timeout_ms: int | None = None) -> None:
        """Nothing is on its way."""

    def _check(self, host_tensor: Tensor) -> None:
        if host_tensor.storage_type() != StorageType.HOST:
            raise RuntimeError("the tensor of a host socket must be on the host")
        if self._page_size == 0:
            raise RuntimeError("set_page_size must be called before the first transfer")
        from tracelift import _ttnn

        if _ttnn.tensor_bytes(host_tensor) % self._page_size != 0:
            raise RuntimeError(f"the bytes of the tensor must be a multiple of the page size {self._page_size}")


class H2DSocket(_HostSocket):
    """From the host to a core."""

    def __init__(
        self,
        mesh_device: MeshDevice,
        recv_core: MeshCoreCoord,
        buffer_type: BufferType,
        fifo_size: int,
        h2d_mode: H2DMode,
    ) -> None:
        super().__init__(mesh_device, recv_core, fifo_size)
        self._buffer_type, self._mode = buffer_type, h2d_mode

    def get_h2d_mode(self) -> H2DMode:
        return self._mode

    def write_tensor(self, host_tensor: Tensor) -> NoReturn:
        self._check(host_tensor)
        refuse("H2DSocket.write_tensor", _WHY)

    def write(self, ptr: int, pages: int) -> NoReturn:
        refuse("H2DSocket.write", _WHY)


class D2HSocket(_HostSocket):
    """From a core to the host."""

    def __init__(self, mesh_device: MeshDevice, sender_core: MeshCoreCoord, fifo_size: int) -> None:
        super().__init__(mesh_device, sender_core, fifo_size)

    def read_tensor(self, host_tensor: Tensor, notify_sender: bool = True) -> NoReturn:
        self._check(host_tensor)
        refuse("D2HSocket.read_tensor", _WHY)

    def read(self, ptr: int, pages: int, notify_sender: bool = True) -> NoReturn:
        refuse("D2HSocket.read", _WHY)
