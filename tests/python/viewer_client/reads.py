"""What the viewer reads of a database, as a list: tables, columns, and the forms of texts that its parsers take."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

from .answers import MEMORY_CONFIG

COLUMNS = {
    "devices": "device_id num_y_cores num_x_cores num_y_compute_cores num_x_compute_cores worker_l1_size l1_num_banks "
    "l1_bank_size address_at_first_l1_bank address_at_first_l1_cb_buffer num_banks_per_storage_core num_compute_cores "
    "total_l1_memory total_l1_for_tensors total_l1_for_interleaved_buffers total_l1_for_sharded_buffers cb_limit rank",
    "operations": "operation_id name duration rank",
    "operation_arguments": "operation_id name value rank",
    "tensors": "tensor_id shape dtype layout memory_config device_id address buffer_type rank size",
    "device_tensors": "tensor_id device_id address rank",
    "tensor_lifetime": "tensor_id producer_operation_id last_use_operation_id deallocate_operation_id "
    "producer_source_file producer_source_line last_use_source_file last_use_source_line",
    "input_tensors": "operation_id input_index tensor_id rank",
    "output_tensors": "operation_id output_index tensor_id rank",
    "buffers": "operation_id device_id address max_size_per_bank buffer_type buffer_layout rank",
    "buffer_chunks": "operation_id device_id address bank_id core_x core_y chunk_address chunk_size page_size "
    "num_pages buffer_type rank",
    "captured_graph": "operation_id captured_graph rank",
    "stack_traces": "operation_id stack_trace source_file_id rank",
    "source_files": "id path contents",
    "errors": "operation_id operation_name error_type error_message stack_trace timestamp rank",
    "local_tensor_comparison_records": "tensor_id golden_tensor_id matches desired_pcc actual_pcc",
    "global_tensor_comparison_records": "tensor_id golden_tensor_id matches desired_pcc actual_pcc",
    "report_metadata": "key value",
}

RANGE = r"\[\(x=\d+,y=\d+\) - \(x=\d+,y=\d+\)\]"
TEXTS = {
    ("tensors", "shape"): r"(ttnn\.)?Shape\(\[(\d+(, \d+)*)?\]\)|torch\.Size\(\[.*\]\)",
    ("tensors", "dtype"): r"DataType\.(BFLOAT16|FLOAT32|UINT32|BFLOAT8_B|BFLOAT4_B|UINT8|UINT16|INT32)|torch\.\w+",
    ("tensors", "layout"): r"Layout\.(TILE|ROW_MAJOR)|torch\.strided",
    ("tensors", "memory_config"): MEMORY_CONFIG.pattern,
    ("operations", "name"): r"\S.*",
    ("errors", "operation_name"): r"\S.*",
    ("errors", "error_message"): r"(?s)\S.*",
    # One frame after the other; in a frame of Python the viewer finds the file and the line.
    ("stack_traces", "stack_trace"): r"(?s)\s*\S.*",
}
NUMBERS = {
    ("tensors", "buffer_type"): {0, 1, 2, 3, 4, None},
    ("buffers", "buffer_type"): {0, 1, 2, 3, 4},
    ("buffers", "buffer_layout"): {0, 2, 3, 4, None},  # the viewer has labels for these
    ("buffer_chunks", "buffer_type"): {1, 3},
}
PYTHON_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')

# Parameters of nodes, by type: what the viewer computes with.
DIGITS = r"\d+"
CORES = rf"\{{({RANGE}(, {RANGE})*)?\}}"
NODE_TEXTS: dict[str, dict[str, str]] = {
    "function_start": {"name": r"\S.*"},
    "function_end": {"name": r"\S.*"},
    "buffer_allocate": {"address": DIGITS, "size": DIGITS, "type": "L1|DRAM", "device_id": DIGITS},
    "circular_buffer_allocate": {
        "address": DIGITS,
        "size": DIGITS,
        "device_id": DIGITS,
        "globally_allocated": "[01]",
        "core_range_set": CORES,
    },
    "tensor": {"tensor_id": DIGITS, "shape": TEXTS["tensors", "shape"]},
}
OPTIONAL_NODE_TEXTS = {
    "dtype": r"DataType(\.|::)[A-Z0-9_]+",
    "memory_config": MEMORY_CONFIG.pattern,
}


def problems(folder: Path) -> Iterable[str]:
    """What in a database the viewer would not read, or read wrongly."""
    with sqlite3.connect(folder / "db.sqlite") as database:
        tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table, columns in COLUMNS.items():
            there = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
            if table not in tables:
                yield f"there is no table {table}"
            for column in set(columns.split()) - there:
                yield f"{table} has no column {column}"

        def each(table: str, column: str, is_good: Callable[[object], object]) -> Iterable[str]:
            for (value,) in database.execute(f"SELECT DISTINCT {column} FROM {table}"):
                if not is_good(value):
                    yield f"{table}.{column} is {value!r}"

        for (table, column), pattern in TEXTS.items():
            yield from each(table, column, lambda value, form=pattern: value is None or re.fullmatch(form, value))
        for (table, column), known in NUMBERS.items():
            yield from each(table, column, lambda value, known=known: value in known)
        yield from each("tensors", "size", lambda value: isinstance(value, int) and value >= 0)
        for operation, text in database.execute("SELECT operation_id, captured_graph FROM captured_graph"):
            for problem in graph_problems(json.loads(text)):
                yield f"graph of operation {operation}: {problem}"
        for operation, name in database.execute("SELECT operation_id, operation_name FROM errors"):
            listed = database.execute("SELECT name FROM operations WHERE operation_id = ?", [operation]).fetchall()
            if (name,) not in listed:
                yield f"the error of {name} is at operation {operation}, which is {listed}"


def graph_problems(nodes: list[dict]) -> Iterable[str]:
    for position, node in enumerate(nodes):
        params, kind = node["params"], node["node_type"]
        if node["id"] != position or any(not 0 <= link < len(nodes) for link in node["connections"]):
            yield f"node {position} has id {node['id']} and links {node['connections']}"
        wanted = NODE_TEXTS.get(kind, {}) | {
            name: pattern for name, pattern in OPTIONAL_NODE_TEXTS.items() if name in params
        }
        for name, pattern in wanted.items():
            if not re.fullmatch(pattern, str(params.get(name))):
                yield f"{kind}.{name} is {params.get(name)!r}"
