"""Operations that are best written in Python: they consist of others, or of objects that only Python has."""

from __future__ import annotations

from typing import Any

from tracelift import _ttnn

from ._registry import register_python_operation
from ._sockets import MeshSocket, SocketEndpoint


def _operation(name: str) -> Any:
    return _ttnn.operations()[f"ttnn.{name}"]


# --- sockets ----------------------------------------------------------------------------------------------------------


def _check_end(function: str, socket: MeshSocket, endpoint: SocketEndpoint) -> None:
    if not isinstance(socket, MeshSocket):
        raise TypeError(f"{function} takes a MeshSocket, not {type(socket).__name__}")
    if socket.get_socket_endpoint_type() != endpoint or socket.peer is None:
        raise RuntimeError(f"{function} takes the {endpoint.name.lower()} of a pair that create_socket_pair made")


@register_python_operation(name="ttnn.experimental.send_async", is_experimental=True)
def send_async(input_tensor: _ttnn.Tensor, mesh_socket: MeshSocket) -> None:
    """Puts a tensor into a socket, where recv_async on the other end finds it."""
    _check_end("ttnn.experimental.send_async", mesh_socket, SocketEndpoint.SENDER)
    mesh_socket.sent.append(input_tensor.cpu())  # as it is now, whatever becomes of it


@register_python_operation(name="ttnn.experimental.recv_async", is_experimental=True)
def recv_async(output_tensor: _ttnn.Tensor, mesh_socket: MeshSocket) -> None:
    """Fills a tensor with what was sent first: each device gets what the one that it is connected with sent."""
    _check_end("ttnn.experimental.recv_async", mesh_socket, SocketEndpoint.RECEIVER)
    sender = mesh_socket.peer
    if sender is None or not sender.sent:
        raise RuntimeError("ttnn.experimental.recv_async(): nothing was sent through this socket")
    sent = _ttnn.get_device_tensors(sender.sent.pop(0))
    received = _ttnn.get_device_tensors(output_tensor)
    from_mesh, to_mesh = sender.get_mesh_device(), mesh_socket.get_mesh_device()
    for connection in mesh_socket.get_connection_config().connections:
        source = from_mesh.get_device_ids().index(from_mesh.get_device_id(connection.sender_core.device_coord))
        target = to_mesh.get_device_ids().index(to_mesh.get_device_id(connection.receiver_core.device_coord))
        _ttnn.copy_into(sent[min(source, len(sent) - 1)], received[target])


# --- several operations at once ---------------------------------------------------------------------------------------


@register_python_operation(name="ttnn.experimental.all_gather_concat", is_experimental=True)
def all_gather_concat(
    input_tensor: _ttnn.Tensor,
    buffer_tensor: _ttnn.Tensor | None,
    dim: int,
    *,
    cluster_axis: int,
    mesh_device: _ttnn.MeshDevice,
    topology: _ttnn.Topology,
    multi_device_global_semaphore: Any,
    num_heads: int,
    memory_config: _ttnn.MemoryConfig | None = None,
    num_links: int | None = None,
    subdevice_id: Any = None,
    use_noc1_only: bool = False,
) -> _ttnn.Tensor:
    """Gathers the users of all devices along an axis of the mesh, and puts their heads side by side.

    `buffer_tensor`, semaphores, links and sub-devices have no effect here.
    """
    interleaved = _operation("to_memory_config")(input_tensor, _ttnn.MemoryConfig())
    gathered = _operation("all_gather")(interleaved, dim, cluster_axis=cluster_axis, topology=topology)
    users, width = gathered.shape[1], gathered.padded_shape[-1]
    cores = _ttnn.num_cores_to_corerangeset(users, mesh_device.compute_with_storage_grid_size(), True)
    shards = _ttnn.ShardSpec(cores, [gathered.padded_shape[-2], width], _ttnn.ShardOrientation.ROW_MAJOR)
    layout = _ttnn.TensorMemoryLayout.HEIGHT_SHARDED
    one_user_on_each = _ttnn.MemoryConfig(layout, _ttnn.BufferType.L1, shards)
    gathered = _operation("to_memory_config")(gathered, one_user_on_each)
    joined = _operation("experimental.nlp_concat_heads_decode")(gathered, num_heads=num_heads)
    return joined if memory_config is None else _operation("to_memory_config")(joined, memory_config)
