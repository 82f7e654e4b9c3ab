"""ttnn.database: the report of a run, written operation by operation while the model runs, for the ttnn-visualizer.

With `ttnn.CONFIG.report_name` and `enable_logging` every outermost operation writes its rows before and after its call
(docs/visualizer.md has the tables). The functions here write and read these rows. `report_path` is the folder of a
report, usually `ttnn.CONFIG.report_path`.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tracelift import _ttnn

from . import _config
from ._report_queries import (
    load_graph,
    query_buffer_pages,
    query_buffers,
    query_captured_graph,
    query_consumer_operation_ids,
    query_device_by_id,
    query_errors,
    query_input_tensors,
    query_latest_operation,
    query_latest_tensor,
    query_operation_arguments,
    query_operation_by_id,
    query_operation_by_id_together_with_previous_and_next,
    query_operations,
    query_output_tensor_by_tensor_id,
    query_output_tensors,
    query_producer_operation_id,
    query_stack_trace,
    query_tensor_by_id,
    query_tensor_comparison_record,
)
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

__all__ = [
    "Buffer",
    "BufferPage",
    "CONFIG_PATH",
    "DEVICE_IDS_IN_DATABASE",
    "Device",
    "ErrorRecord",
    "GRAPHS_PATH",
    "InputTensor",
    "Operation",
    "OperationArgument",
    "OutputTensor",
    "SQLITE_CONNECTION",
    "SQLITE_DB_PATH",
    "TENSORS_PATH",
    "Tensor",
    "TensorComparisonRecord",
    "get_cursor",
    "get_or_create_sqlite_db",
    "get_tensor_file_name_by_id",
    "insert_buffer_pages",
    "insert_buffers",
    "insert_captured_graph",
    "insert_devices",
    "insert_error",
    "insert_input_tensors",
    "insert_operation",
    "insert_operation_arguments",
    "insert_output_tensors",
    "insert_stack_trace",
    "insert_tensor",
    "insert_tensor_comparison_records",
    "load_graph",
    "load_tensor_by_id",
    "query_buffer_pages",
    "query_buffers",
    "query_captured_graph",
    "query_consumer_operation_ids",
    "query_device_by_id",
    "query_errors",
    "query_input_tensors",
    "query_latest_operation",
    "query_latest_tensor",
    "query_operation_arguments",
    "query_operation_by_id",
    "query_operation_by_id_together_with_previous_and_next",
    "query_operations",
    "query_output_tensor_by_tensor_id",
    "query_output_tensors",
    "query_producer_operation_id",
    "query_stack_trace",
    "query_tensor_by_id",
    "query_tensor_comparison_record",
    "store_graph",
    "store_tensor",
    "store_tensors",
]

SQLITE_DB_PATH = "db.sqlite"
TENSORS_PATH = "tensors"
GRAPHS_PATH = "graph"
CONFIG_PATH = "config.json"
_HISTORY_PATH = "operation_history.json"
_HISTORY_END = b"\n]\n"

SQLITE_CONNECTION: sqlite3.Connection | None = None  # the one of the process; who closes it sets it to None
DEVICE_IDS_IN_DATABASE: set[int] = set()

# The pages of a buffer in one bank lie side by side.
_CHUNKS = """
    INSERT INTO buffer_chunks (operation_id, device_id, address, bank_id, core_x, core_y, chunk_address, chunk_size,
                               page_size, num_pages, buffer_type, rank)
    SELECT operation_id, device_id, address, bank_id, MIN(core_x), MIN(core_y), MIN(page_address), SUM(page_size),
           MAX(page_size), COUNT(*), MIN(buffer_type), rank
    FROM buffer_pages WHERE operation_id = ? GROUP BY rank, device_id, address, bank_id
"""

_lock = threading.RLock()
_open_path: Path | None = None  # of the report that SQLITE_CONNECTION belongs to


# --- the database ------------------------------------------------------------------------------------------------------


def get_or_create_sqlite_db(report_path: Path) -> sqlite3.Connection:
    """The connection of the process, to the report in this folder; another one that was open is closed."""
    global SQLITE_CONNECTION, _open_path
    report_path = Path(report_path).absolute()
    with _lock:
        if SQLITE_CONNECTION is not None and _open_path != report_path:
            SQLITE_CONNECTION.close()
            SQLITE_CONNECTION = None
        if SQLITE_CONNECTION is None:
            SQLITE_CONNECTION = _open(report_path)
            _open_path = report_path
        return SQLITE_CONNECTION


def _open(report_path: Path) -> sqlite3.Connection:
    report_path.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(report_path / SQLITE_DB_PATH, check_same_thread=False)
    # A process that dies loses nothing: the system has the pages. Waiting for the disk costs more than an operation.
    connection.execute("PRAGMA synchronous = OFF")
    if connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0:
        for statement in _ttnn.report_schema():
            connection.execute(statement)
        facts = {"schema_version": _ttnn.REPORT_SCHEMA_VERSION, "capture_timestamp_ns": str(time.time_ns())}
        connection.executemany("INSERT INTO report_metadata (key, value) VALUES (?, ?)", facts.items())
        # Tells `tracelift report` which tables to expect.
        row = (1, report_path.name, "s", 1, 1)
        connection.execute("INSERT INTO reports (report_id, name, rules, base_id, last_id) VALUES (?, ?, ?, ?, ?)", row)
        connection.commit()
    if not (report_path / CONFIG_PATH).exists():
        _config.save_config_to_json_file(report_path / CONFIG_PATH)
    DEVICE_IDS_IN_DATABASE.clear()
    DEVICE_IDS_IN_DATABASE.update(row[0] for row in connection.execute("SELECT device_id FROM devices"))
    return connection


def get_cursor(report_path: Path) -> sqlite3.Cursor:
    return get_or_create_sqlite_db(report_path).cursor()


def _insert(report_path: Path, table: str, rows: Iterable[dict[str, Any]], verb: str = "INSERT") -> None:
    """Rows by the names of their columns; one commit."""
    connection = get_or_create_sqlite_db(report_path)
    with _lock, connection:
        for row in rows:
            places = ", ".join("?" * len(row))
            connection.execute(f"{verb} INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))


# --- writing -----------------------------------------------------------------------------------------------------------


def insert_devices(report_path: Path, devices: Iterable[Any]) -> None:
    """One row per chip and mesh, once."""
    names = [field.name for field in dataclasses.fields(Device)]
    rows = []
    for device in devices:
        facts = json.loads(device.facts())
        # Tensors are on chips, buffers on the mesh.
        for number in sorted({*device.get_device_ids(), device.id()} - DEVICE_IDS_IN_DATABASE):
            rows.append({name: facts[name] for name in names} | {"device_id": number})
            DEVICE_IDS_IN_DATABASE.add(number)
    _insert(report_path, "devices", rows)


def _name_of(operation: Any) -> str:
    return getattr(operation, "python_fully_qualified_name", None) or str(operation)


def insert_operation(report_path: Path, operation_id: int, operation: Any, duration: float | None) -> None:
    """The row of an operation; of one that is there already, the duration."""
    name = _name_of(operation)
    connection = get_or_create_sqlite_db(report_path)
    with _lock, connection:
        connection.execute(
            "INSERT INTO operations (operation_id, name, duration) VALUES (?, ?, ?) "
            "ON CONFLICT (operation_id, rank) DO UPDATE SET duration = EXCLUDED.duration",
            (operation_id, name, duration),
        )
        connection.execute("UPDATE reports SET last_id = MAX(last_id, ?)", (operation_id,))


def insert_stack_trace(report_path: Path, operation_id: int, stack_trace: Sequence[str]) -> None:
    """`stack_trace` as traceback.format_stack() gives it: newest last, and its last two frames are the recorder's own."""
    text = "\n".join(line.strip("\n") for line in reversed(stack_trace[:-2]))
    operation = query_operation_by_id(report_path, operation_id)
    name = None if operation is None else operation.name
    row = {"operation_id": operation_id, "operation_name": name, "stack_trace": text}
    _insert(report_path, "stack_traces", [row])


def _config_text(config: Any) -> str:
    """A memory config in the form that the visualizer takes apart."""
    spec = config.shard_spec
    shards = "std::nullopt"
    if spec is not None:
        height, width = spec.shape
        shards = (
            f"ShardSpec(grid={spec.grid},shape={{{height}, {width}}},"
            f"orientation=ShardOrientation::{spec.orientation.name},halo=0)"
        )
    return (
        f"MemoryConfig(memory_layout=TensorMemoryLayout::{config.memory_layout.name},"
        f"buffer_type=BufferType::{config.buffer_type.name},shard_spec={shards})"
    )


def insert_tensor(report_path: Path, tensor: Any) -> None:
    """The row of a ttnn or torch tensor that has a tensor_id; one that is there already stays as it is."""
    row: dict[str, Any] = {"tensor_id": tensor.tensor_id, "shape": str(tensor.shape), "dtype": str(tensor.dtype)}
    row["layout"] = str(tensor.layout)
    if isinstance(tensor, _ttnn.Tensor):
        row["size"] = _ttnn.tensor_bytes(tensor)
        device = tensor.device()
        if device is not None:
            config = tensor.memory_config()
            row["memory_config"] = _config_text(config)
            row["buffer_type"] = config.buffer_type.value
            row["device_id"] = device.id()
            row["address"] = tensor.buffer_address() if tensor.is_allocated() else None
    else:
        row["size"] = tensor.numel() * tensor.element_size()
    known = get_or_create_sqlite_db(report_path).execute(
        "SELECT 1 FROM tensors WHERE tensor_id = ?", (tensor.tensor_id,)
    )
    if known.fetchone() is not None:
        return
    _insert(report_path, "tensors", [row])
    if row.get("address") is not None:
        places = (
            {"tensor_id": tensor.tensor_id, "device_id": chip, "address": row["address"]}
            for chip in tensor.device().get_device_ids()
        )
        _insert(report_path, "device_tensors", places)


def _insert_of_operation(
    report_path: Path, table: str, index: str, operation_id: int, tensors: Iterable[Any]
) -> None:
    tensors = list(tensors)
    for tensor in tensors:
        insert_tensor(report_path, tensor)
    rows = (
        {"operation_id": operation_id, index: place, "tensor_id": tensor.tensor_id}
        for place, tensor in enumerate(tensors)
    )
    _insert(report_path, table, rows)


def insert_input_tensors(report_path: Path, operation_id: int, tensors: Iterable[Any]) -> None:
    _insert_of_operation(report_path, "input_tensors", "input_index", operation_id, tensors)


def insert_output_tensors(report_path: Path, operation_id: int, tensors: Iterable[Any]) -> None:
    _insert_of_operation(report_path, "output_tensors", "output_index", operation_id, tensors)


def insert_buffers(report_path: Path, operation_id: int, devices: Iterable[Any]) -> None:
    """What is in the memories of the devices now."""
    rows = (
        {
            "operation_id": operation_id,
            "device_id": device.id(),
            "address": buffer["address"],
            "max_size_per_bank": buffer["size_per_bank"],
            "buffer_type": buffer["buffer_type"].value,
            "buffer_layout": buffer["memory_layout"].value,
        }
        for device in devices
        for buffer in device.live_buffers()
    )
    _insert(report_path, "buffers", rows)


def insert_buffer_pages(report_path: Path, operation_id: int, devices: Iterable[Any]) -> None:
    """The pages of everything in L1 now, and the same by bank, as the visualizer draws them."""
    rows = (
        {"operation_id": operation_id, **page, "buffer_type": page["buffer_type"].value}
        for device in devices
        for page in device.buffer_pages()
    )
    _insert(report_path, "buffer_pages", rows)
    connection = get_or_create_sqlite_db(report_path)
    with _lock, connection:
        connection.execute(_CHUNKS, (operation_id,))


def insert_captured_graph(
    report_path: Path,
    operation_id: int,
    captured_graph: list[dict[str, Any]],
    devices: Sequence[dict[str, Any]] = (),
) -> None:
    """The nodes in the form that the visualizer reads. `devices` are those of the capture's report: without them an
    allocation counts as one bank's."""
    text = _ttnn.viewer_graph(json.dumps(captured_graph), json.dumps(list(devices)))
    _insert(report_path, "captured_graph", [{"operation_id": operation_id, "captured_graph": text}])


def _argument_text(value: Any) -> str:
    """Short: the values of a tensor belong to no table."""
    if isinstance(value, _ttnn.MemoryConfig):
        return _config_text(value)
    if isinstance(value, _ttnn.Tensor):
        return f"ttnn.Tensor(shape={value.shape}, dtype={value.dtype}, layout={value.layout})"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{type(value).__module__.partition('.')[0]}.Tensor(shape={value.shape}, dtype={value.dtype})"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_argument_text(item) for item in value) + "]"
    return str(value)


def insert_operation_arguments(
    report_path: Path, operation_id: int, function_args: Sequence[Any], function_kwargs: dict[str, Any]
) -> None:
    """Positional arguments are named by their place."""
    named = {**{str(place): value for place, value in enumerate(function_args)}, **function_kwargs}
    rows = (
        {"operation_id": operation_id, "name": name, "value": _argument_text(value)} for name, value in named.items()
    )
    _insert(report_path, "operation_arguments", rows)


def insert_tensor_comparison_records(
    report_path: Path, table_name: str, records: Iterable[TensorComparisonRecord]
) -> None:
    check_comparison_table(table_name)
    _insert(report_path, table_name, (dataclasses.asdict(record) for record in records), "INSERT OR REPLACE")


def insert_error(
    report_path: Path,
    operation_id: int,
    operation_name: str,
    error_type: str,
    error_message: str,
    stack_trace: str,
    timestamp: str,
) -> None:
    record = ErrorRecord(operation_id, operation_name, error_type, error_message, stack_trace, timestamp)
    _insert(report_path, "errors", [{**dataclasses.asdict(record), "error_operation": operation_name}])


def store_graph(report_path: Path, operation_id: int, graph: Any) -> None:
    """A networkx.MultiDiGraph whose nodes have unique_id and, as data, an operation with operation_id."""
    nodes = [
        {
            "operation_id": operation_id,
            "unique_id": node.unique_id,
            "node_operation_id": data.get("operation_id"),
            "name": str(node.name),
        }
        for node, data in graph.nodes(data=True)
    ]
    edges = [
        {
            "operation_id": operation_id,
            "source_unique_id": source.unique_id,
            "sink_unique_id": sink.unique_id,
            "source_output_index": data["source_output_index"],
            "sink_input_index": data["sink_input_index"],
            "key": key,
        }
        for source, sink, key, data in graph.edges(data=True, keys=True)
    ]
    _insert(report_path, "nodes", nodes)
    _insert(report_path, "edges", edges)


def append_to_history(
    report_path: Path,
    operation_id: int,
    operation: Any,
    duration: float,
    inputs: Iterable[Any],
    outputs: Iterable[Any],
) -> None:
    """One more operation in the list that the visualizer looks for beside the database."""
    entry = {
        "ttnn_operation_id": operation_id,
        "operation_name": _name_of(operation),
        "duration_ns": round(duration * 1e9),
        "input_tensor_ids": [tensor.tensor_id for tensor in inputs],
        "output_tensor_ids": [tensor.tensor_id for tensor in outputs],
        "rank": 0,
    }
    path = Path(report_path) / _HISTORY_PATH
    # The end of the list is written over, in one go: the file is whole after every operation, at the cost of one line.
    with _lock, open(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - len(_HISTORY_END)))
        file.write((b",\n" if size else b"[\n") + json.dumps(entry).encode() + _HISTORY_END)


def _tensor_file(report_path: Path, tensor_id: int, suffix: str) -> Path:
    return Path(report_path) / TENSORS_PATH / f"{tensor_id}{suffix}"


def store_tensor(report_path: Path, tensor: Any) -> None:
    """The values in a file of the report, .tensorbin or (torch) .pt; a file that is there stays."""
    is_ttnn = isinstance(tensor, _ttnn.Tensor)
    file = _tensor_file(report_path, tensor.tensor_id, ".tensorbin" if is_ttnn else ".pt")
    if file.exists() or (is_ttnn and not tensor.is_allocated()):
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    if is_ttnn:
        from ._interop import dump_tensor

        on_device = tensor.storage_type() == _ttnn.StorageType.DEVICE
        dump_tensor.function(file, tensor.cpu() if on_device else tensor)  # not a call of the program
    else:
        import torch

        torch.save(tensor, file)


def store_tensors(report_path: Path, tensors: Iterable[Any]) -> None:
    """Rows of tensors; with CONFIG.enable_detailed_tensor_report their values, too."""
    for tensor in tensors:
        insert_tensor(report_path, tensor)
        if _config.CONFIG.enable_detailed_tensor_report:
            store_tensor(report_path, tensor)


def get_tensor_file_name_by_id(report_path: Path, tensor_id: int) -> Path | None:
    for suffix in (".tensorbin", ".pt"):
        file = _tensor_file(report_path, tensor_id, suffix)
        if file.exists():
            return file
    return None


def load_tensor_by_id(report_path: Path, tensor_id: int, device: Any = None) -> Any:
    """What store_tensor wrote, or None."""
    file = get_tensor_file_name_by_id(report_path, tensor_id)
    if file is None:
        return None
    if file.suffix == ".tensorbin":
        from ._interop import load_tensor

        return load_tensor.function(file, device=device)
    import torch

    return torch.load(file)
