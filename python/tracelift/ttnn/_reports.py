"""ttnn._ttnn.reports: what is in the memory of devices now."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from tracelift._ttnn import BufferType, MeshDevice


@dataclasses.dataclass
class BufferInfo:
    device_id: int
    address: int
    max_size_per_bank: int
    buffer_type: BufferType
    buffer_layout: Any


@dataclasses.dataclass
class BufferPageInfo:
    device_id: int
    address: int
    core_y: int
    core_x: int
    bank_id: int
    page_index: int
    page_address: int
    page_size: int
    buffer_type: BufferType


@dataclasses.dataclass
class DeviceInfo:
    num_y_cores: int
    num_x_cores: int
    num_y_compute_cores: int
    num_x_compute_cores: int
    worker_l1_size: int
    l1_num_banks: int
    l1_bank_size: int
    address_at_first_l1_bank: int
    address_at_first_l1_cb_buffer: int
    num_banks_per_storage_core: int
    num_compute_cores: int
    num_storage_cores: int
    total_l1_memory: int
    total_l1_for_tensors: int
    total_l1_for_interleaved_buffers: int
    total_l1_for_sharded_buffers: int
    cb_limit: int


def _list(devices: MeshDevice | Sequence[MeshDevice]) -> Sequence[MeshDevice]:
    return [devices] if isinstance(devices, MeshDevice) else devices


def get_buffers(devices: MeshDevice | Sequence[MeshDevice]) -> list[BufferInfo]:
    """Every buffer, in any memory."""
    rows: list[tuple[MeshDevice, Any]] = [(device, row) for device in _list(devices) for row in device.live_buffers()]
    return [
        BufferInfo(device.id(), row["address"], row["size_per_bank"], row["buffer_type"], row["memory_layout"])
        for device, row in rows
    ]


def get_buffer_pages(devices: MeshDevice | Sequence[MeshDevice]) -> list[BufferPageInfo]:
    """Every page of every buffer in L1."""
    rows: list[Any] = [row for device in _list(devices) for row in device.buffer_pages()]
    return [BufferPageInfo(**row) for row in rows]


def get_device_info(device: MeshDevice) -> DeviceInfo:
    """Grids, banks and sizes."""
    facts = json.loads(device.facts())
    return DeviceInfo(**{field.name: facts[field.name] for field in dataclasses.fields(DeviceInfo)})
