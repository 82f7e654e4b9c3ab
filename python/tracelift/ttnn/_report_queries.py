"""What ttnn.database reads out of a report; see there."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._digraph import new_graph
from ._report_rows import (
    Buffer,
    BufferPage,
    Device,
    ErrorRecord,
    InputTensor,
    Operation,
    OperationArgument,
    OutputTensor,
    Tensor,
    TensorComparisonRecord,
    check_comparison_table,
)


def _cursor(report_path: Path) -> Any:
    from . import database

    return database.get_cursor(report_path)


def _select(report_path: Path, kind: Any, table: str, condition: str = "", *values: Any) -> Iterator[Any]:
    columns = ", ".join(field.name for field in dataclasses.fields(kind))
    cursor = _cursor(report_path)
    for row in cursor.execute(f"SELECT {columns} FROM {table} {condition}", values):
        yield kind(*row)


def _first(rows: Iterator[Any]) -> Any:
    return next(rows, None)


def _column(report_path: Path, question: str, *values: Any) -> Any:
    row = _cursor(report_path).execute(question, values).fetchone()
    return None if row is None else row[0]


_OF = "WHERE operation_id = ?"


def query_device_by_id(report_path: Path, device_id: int) -> Device | None:
    return _first(_select(report_path, Device, "devices", "WHERE device_id = ?", device_id))


def query_operation_by_id(report_path: Path, operation_id: int) -> Operation | None:
    return _first(_select(report_path, Operation, "operations", _OF, operation_id))


def query_operation_by_id_together_with_previous_and_next(
    report_path: Path, operation_id: int
) -> tuple[Operation | None, Operation | None, Operation | None]:
    before = "WHERE operation_id < ? ORDER BY operation_id DESC LIMIT 1"
    after = "WHERE operation_id > ? ORDER BY operation_id LIMIT 1"
    return (
        query_operation_by_id(report_path, operation_id),
        _first(_select(report_path, Operation, "operations", before, operation_id)),
        _first(_select(report_path, Operation, "operations", after, operation_id)),
    )


def query_operations(report_path: Path) -> Iterator[Operation]:
    return _select(report_path, Operation, "operations", "ORDER BY operation_id")


def query_latest_operation(report_path: Path) -> Operation | None:
    return _first(_select(report_path, Operation, "operations", "ORDER BY operation_id DESC LIMIT 1"))


def query_operation_arguments(report_path: Path, operation_id: int) -> Iterator[OperationArgument]:
    return _select(report_path, OperationArgument, "operation_arguments", _OF, operation_id)


def query_stack_trace(report_path: Path, operation_id: int) -> str | None:
    return _column(report_path, f"SELECT stack_trace FROM stack_traces {_OF}", operation_id)


def query_buffers(report_path: Path, operation_id: int) -> Iterator[Buffer]:
    return _select(report_path, Buffer, "buffers", _OF, operation_id)


def query_buffer_pages(report_path: Path, operation_id: int) -> Iterator[BufferPage]:
    return _select(report_path, BufferPage, "buffer_pages", _OF, operation_id)


def query_tensor_by_id(report_path: Path, tensor_id: int) -> Tensor | None:
    return _first(_select(report_path, Tensor, "tensors", "WHERE tensor_id = ?", tensor_id))


def query_latest_tensor(report_path: Path) -> Tensor | None:
    return _first(_select(report_path, Tensor, "tensors", "ORDER BY tensor_id DESC LIMIT 1"))


def query_input_tensors(report_path: Path, operation_id: int) -> Iterator[InputTensor]:
    return _select(report_path, InputTensor, "input_tensors", f"{_OF} ORDER BY input_index", operation_id)


def query_output_tensors(report_path: Path, operation_id: int) -> Iterator[OutputTensor]:
    return _select(report_path, OutputTensor, "output_tensors", f"{_OF} ORDER BY output_index", operation_id)


def query_output_tensor_by_tensor_id(report_path: Path, tensor_id: int) -> OutputTensor | None:
    return _first(_select(report_path, OutputTensor, "output_tensors", "WHERE tensor_id = ?", tensor_id))


def query_tensor_comparison_record(
    report_path: Path, table_name: str, tensor_id: int
) -> TensorComparisonRecord | None:
    check_comparison_table(table_name)
    return _first(_select(report_path, TensorComparisonRecord, table_name, "WHERE tensor_id = ?", tensor_id))


def query_producer_operation_id(report_path: Path, tensor_id: int) -> int | None:
    return _column(report_path, "SELECT operation_id FROM output_tensors WHERE tensor_id = ?", tensor_id)


def query_consumer_operation_ids(report_path: Path, tensor_id: int) -> Iterator[int]:
    question = "SELECT operation_id FROM input_tensors WHERE tensor_id = ? ORDER BY operation_id"
    return (row[0] for row in _cursor(report_path).execute(question, (tensor_id,)))


def query_captured_graph(report_path: Path, operation_id: int) -> list[dict[str, Any]] | None:
    text = _column(report_path, f"SELECT captured_graph FROM captured_graph {_OF}", operation_id)
    return None if text is None else json.loads(text)


def query_errors(report_path: Path) -> Iterator[ErrorRecord]:
    return _select(report_path, ErrorRecord, "errors")


def load_graph(report_path: Path, operation_id: int) -> Any:
    """What store_graph wrote, as a networkx.MultiDiGraph (or what stands in for it) of the nodes' numbers."""
    graph = new_graph()
    cursor = _cursor(report_path)
    for number, operation, name in cursor.execute(
        f"SELECT unique_id, node_operation_id, name FROM nodes {_OF}", (operation_id,)
    ):
        graph.add_node(number, operation_id=operation, name=name)
    for source, sink, output, place, key in cursor.execute(
        f"SELECT source_unique_id, sink_unique_id, source_output_index, sink_input_index, key FROM edges {_OF}",
        (operation_id,),
    ):
        graph.add_edge(source, sink, key=key, source_output_index=output, sink_input_index=place)
    return graph
