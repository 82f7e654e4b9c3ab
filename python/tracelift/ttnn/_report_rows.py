"""Rows of a report database as ttnn.database gives them: the columns that every era of the database has."""

from __future__ import annotations

import dataclasses
from typing import Any

from tracelift import _ttnn


def _buffer_type(number: Any) -> Any:
    return number if number is None else _ttnn.BufferType(number)


@dataclasses.dataclass
class Device:
    device_id: int
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


@dataclasses.dataclass
class Operation:
    operation_id: int
    name: str
    duration: float | None


@dataclasses.dataclass
class Buffer:
    operation_id: int
    device_id: int
    address: int
    max_size_per_bank: int
    buffer_type: Any
    buffer_layout: int

    def __post_init__(self) -> None:
        self.buffer_type = _buffer_type(self.buffer_type)


@dataclasses.dataclass
class BufferPage:
    operation_id: int
    device_id: int
    address: int
    core_y: int
    core_x: int
    bank_id: int
    page_index: int
    page_address: int
    page_size: int
    buffer_type: Any

    def __post_init__(self) -> None:
        self.buffer_type = _buffer_type(self.buffer_type)


@dataclasses.dataclass
class Tensor:
    tensor_id: int
    shape: str
    dtype: str
    layout: str
    memory_config: str | None
    device_id: int | None
    address: int | None
    buffer_type: Any

    def __post_init__(self) -> None:
        self.buffer_type = _buffer_type(self.buffer_type)


@dataclasses.dataclass
class InputTensor:
    operation_id: int
    input_index: int
    tensor_id: int


@dataclasses.dataclass
class OutputTensor:
    operation_id: int
    output_index: int
    tensor_id: int


@dataclasses.dataclass
class TensorComparisonRecord:
    tensor_id: int
    golden_tensor_id: int
    matches: bool
    desired_pcc: float
    actual_pcc: float

    def __post_init__(self) -> None:
        self.matches = bool(self.matches)


@dataclasses.dataclass
class OperationArgument:
    operation_id: int
    name: str
    value: str


@dataclasses.dataclass
class ErrorRecord:
    operation_id: int
    operation_name: str
    error_type: str
    error_message: str
    stack_trace: str
    timestamp: str


def check_comparison_table(table_name: str) -> None:
    if table_name not in ("local_tensor_comparison_records", "global_tensor_comparison_records"):
        raise ValueError(f"comparison records are kept in local_ or global_tensor_comparison_records, not {table_name}")
