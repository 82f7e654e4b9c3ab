"""Sockets between meshes: what describes them, and the tensors that are on their way."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Sequence

from tracelift._ttnn import BufferType, CoreCoord, FabricNodeId, MeshCoordinate, MeshDevice, Tensor

from ._sub_devices import SubDeviceId


@dataclass(unsafe_hash=True)
class MeshCoreCoord:
    """A core of a device of a mesh."""

    device_coord: MeshCoordinate
    core_coord: CoreCoord

    def __repr__(self) -> str:
        return f"MeshCoreCoord(device={self.device_coord}, core=({self.core_coord.x},{self.core_coord.y}))"


@dataclass
class SocketConnection:
    sender_core: MeshCoreCoord
    receiver_core: MeshCoreCoord


@dataclass
class SocketMemoryConfig:
    socket_storage_type: BufferType
    fifo_size: int
    sender_sub_device: SubDeviceId | None = None
    receiver_sub_device: SubDeviceId | None = None


@dataclass
class SocketConfig:
    connections: Sequence[SocketConnection]
    memory_config: SocketMemoryConfig
    sender_rank: int | None = None
    receiver_rank: int | None = None
    sender_mesh_id: int | None = field(default=None, kw_only=True)
    receiver_mesh_id: int | None = field(default=None, kw_only=True)


class SocketEndpoint(Enum):
    SENDER = 0
    RECEIVER = 1

    def __repr__(self) -> str:
        return str(self)


class MeshSocket:
    """One end of connections between the cores of two meshes."""

    def __init__(
        self, device: MeshDevice, config: SocketConfig, endpoint: SocketEndpoint = SocketEndpoint.SENDER
    ) -> None:
        self._device = device
        self._config = config
        self._endpoint = endpoint
        self.peer: MeshSocket | None = None  # the other end, where create_socket_pair made both
        self.sent: list[Tensor] = []  # on the host, until the other end takes them
        for core in self.get_active_cores():
            device.get_device_id(core.device_coord)  # raises for a place that the mesh does not have

    def get_mesh_device(self) -> MeshDevice:
        return self._device

    def get_connection_config(self) -> SocketConfig:
        return self._config

    def get_socket_endpoint_type(self) -> SocketEndpoint:
        return self._endpoint

    def get_config_buffer_address(self) -> int:
        """0: it takes no memory here."""
        return 0

    def get_active_cores(self) -> list[MeshCoreCoord]:
        sends = self._endpoint == SocketEndpoint.SENDER
        return [link.sender_core if sends else link.receiver_core for link in self._config.connections]

    def get_fabric_node_id(self, endpoint: SocketEndpoint, coord: MeshCoordinate) -> FabricNodeId:
        end = self if endpoint == self._endpoint or self.peer is None else self.peer
        return end._device.get_fabric_node_id(coord)


def create_socket_pair(
    sender_mesh_device: MeshDevice, receiver_mesh_device: MeshDevice, socket_config: SocketConfig
) -> tuple[MeshSocket, MeshSocket]:
    """Both ends of the connections of a config."""
    sender = MeshSocket(sender_mesh_device, socket_config, SocketEndpoint.SENDER)
    receiver = MeshSocket(receiver_mesh_device, socket_config, SocketEndpoint.RECEIVER)
    sender.peer, receiver.peer = receiver, sender
    return sender, receiver
