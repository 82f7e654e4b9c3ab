"""The tensor that point_to_point needs between its ends."""

from __future__ import annotations

from typing import Any

from tracelift._ttnn import DataType, Layout, MeshCoordinate, Tensor, TensorSpec


def p2p_compute_intermediate_tensor_spec(
    input_tensor: Tensor, sender_coord: MeshCoordinate, receiver_coord: MeshCoordinate, topology: Any
) -> TensorSpec:
    """Packets of the input's pages on the way from one chip to the other: a row for each."""
    from ._fabric import packet_payload_bytes

    config = input_tensor.memory_config()
    if input_tensor.layout == Layout.TILE:
        page = input_tensor.tile.get_tile_size(input_tensor.dtype)
        pages = input_tensor.padded_shape
        count = -(-_volume(pages) // (input_tensor.tile.tile_shape[0] * input_tensor.tile.tile_shape[1]))
    else:
        elements = input_tensor.padded_shape[-1]
        page = elements * (input_tensor.tile.get_tile_size(input_tensor.dtype) // 1024)
        count = _volume(input_tensor.padded_shape) // max(elements, 1)
    per_packet = max(packet_payload_bytes() // page, 1)
    packets = -(-count // per_packet)
    width = -(-page * min(per_packet, count) // 4)
    spec = TensorSpec([packets, width], DataType.UINT32, Layout.ROW_MAJOR)
    return spec.with_memory_config(config) if not config.is_sharded() else spec


def _volume(shape: Any) -> int:
    volume = 1
    for size in shape:
        volume *= size
    return volume
