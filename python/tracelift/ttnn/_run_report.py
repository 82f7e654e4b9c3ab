"""What one operation writes into the report database while a model runs, and comparison mode around it."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
import weakref
from datetime import datetime
from pathlib import Path
from typing import Any

from tracelift import _ttnn
from tracelift._replaced import replaced

from . import _comparison, _config, database
from ._comparison import tensor_id_of
from ._hooks import tensors_in

_log = logging.getLogger("ttnn")
_graph: Any = _ttnn.graph  # type: ignore[attr-defined]
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

_warned_without_name = False
_devices_seen: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def _report_path() -> Path | None:
    """The folder of the report; without a name for it there is none, which is said once."""
    global _warned_without_name
    path = _config.CONFIG.report_path
    if path is None and _config.CONFIG.writes_report() and not _warned_without_name:
        _warned_without_name = True
        _log.warning("ttnn.CONFIG.report_name is not set: no report will be written")
    return path


def reported_call(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any], visible: dict[str, Any]) -> Any:
    """Calls an operation; `visible` are the keyword arguments without the number of the queue."""
    config, path = _config.CONFIG, _report_path()
    inputs = _identified((args, visible))
    comparison = _comparison.compare(operation, args, visible) if config.enable_comparison_mode else None
    record = _Record(path, operation) if path is not None and config.writes_report() else None
    if record is None:
        output = _ttnn.call_directly(operation, args, kwargs)
    else:
        record.before(args, visible, inputs)
        output = record.run(args, kwargs, inputs)
    outputs = _identified(output)
    if record is not None:
        record.after(outputs)
    if comparison is not None:
        _compare(comparison, path, output, outputs)
    elif config.enable_comparison_mode and outputs:
        _comparison.warn_without_golden(operation)
    return output


def _identified(value: Any) -> list[Any]:
    """The tensors in a value, of ttnn and of torch, each with its tensor_id."""
    torch = sys.modules.get("torch")  # a program that never imported it has no tensors of it
    kinds = (_ttnn.Tensor,) if torch is None else (_ttnn.Tensor, torch.Tensor)
    tensors = list(tensors_in(value, kinds))
    for tensor in tensors:
        tensor_id_of(tensor)
    return tensors


def _compare(comparison: _comparison.Comparison, path: Path | None, output: Any, outputs: list[Any]) -> None:
    local_records, global_records, problems = comparison.records(output)
    if path is not None:
        database.store_tensors(path, outputs)
        database.store_tensors(path, comparison.goldens)
        database.insert_tensor_comparison_records(path, "local_tensor_comparison_records", local_records)
        database.insert_tensor_comparison_records(path, "global_tensor_comparison_records", global_records)
    _comparison.report(problems)


def _caller_frames() -> list[str]:
    """The frames of the program, newest last, as Python writes them."""
    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith(_PACKAGE):
        frames.pop()
    return traceback.format_list(frames)


def _named(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names of the operation's parameters; those that no overload knows keep their place."""
    names: list[str] = []
    if operation.is_cpp_operation:
        for form in _ttnn.describe(operation):
            positional = [p["python_name"] for p in form["parameters"] if not p["keyword_only"]]
            if len(positional) >= len(args) and not set(positional[: len(args)]) & set(kwargs):
                names = positional
                break
    else:
        code = getattr(operation.function, "__code__", None)
        names = list(code.co_varnames[: code.co_argcount]) if code is not None else []
    named = {names[place] if place < len(names) else str(place): value for place, value in enumerate(args)}
    return {**named, **kwargs}


class _Record:
    """The rows of one call: what is known before it, then what it did."""

    def __init__(self, path: Path, operation: Any) -> None:
        self._path = path
        self._operation = operation
        latest = database.query_latest_operation(path)
        self._id = 1 if latest is None else latest.operation_id + 1
        self._inputs: list[Any] = []
        self._duration = 0.0
        database.insert_operation(path, self._id, operation, None)

    def before(self, args: tuple[Any, ...], kwargs: dict[str, Any], inputs: list[Any]) -> None:
        database.insert_stack_trace(self._path, self._id, [*_caller_frames(), "", ""])
        database.insert_operation_arguments(self._path, self._id, (), _named(self._operation, args, kwargs))
        self._inputs = inputs
        database.store_tensors(self._path, inputs)
        database.insert_input_tensors(self._path, self._id, inputs)

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any], inputs: list[Any]) -> Any:
        _graph.begin_graph_capture(True, False, False)
        started = time.perf_counter()
        try:
            output = _ttnn.call_directly(self._operation, args, kwargs)
        except Exception as error:
            self._ended(started, _devices(inputs, args, kwargs))
            database.insert_error(
                self._path,
                self._id,
                self._operation.python_fully_qualified_name,
                type(error).__name__,
                str(error),
                "".join(traceback.format_exception(error)),
                datetime.now().astimezone().isoformat(),
            )
            self._list_in_history([])
            raise
        self._ended(started, _devices([inputs, output], args, kwargs))
        return output

    def _ended(self, started: float, devices: list[Any]) -> None:
        self._duration = time.perf_counter() - started
        report = json.loads(_graph.get_current_report())
        captured = json.loads(_graph.end_graph_capture())
        self._write_side_files(report)
        database.insert_operation(self._path, self._id, self._operation, self._duration)
        database.insert_devices(self._path, devices)
        database.insert_buffers(self._path, self._id, devices)
        if _config.CONFIG.enable_detailed_buffer_report:
            database.insert_buffer_pages(self._path, self._id, devices)
        database.insert_captured_graph(self._path, self._id, captured, report.get("devices", []))
        if _config.CONFIG.enable_graph_report:
            from .graph import visualize

            visualize(captured, self._path / database.GRAPHS_PATH / f"{self._id}.svg")

    def _write_side_files(self, report: dict[str, Any]) -> None:
        """What the visualizer looks for beside the database, from the first operation that saw a device."""
        names = {
            "cluster_descriptor": "cluster_descriptor.yaml",
            "mesh_coordinate_mapping": "physical_chip_mesh_coordinate_mapping.yaml",
        }
        for key, name in names.items():
            if key in report and not (self._path / name).exists():
                with replaced(self._path / name, encoding="utf-8") as file:
                    file.write(report[key])

    def after(self, outputs: list[Any]) -> None:
        database.store_tensors(self._path, outputs)
        database.insert_output_tensors(self._path, self._id, outputs)
        self._list_in_history(outputs)

    def _list_in_history(self, outputs: list[Any]) -> None:
        database.append_to_history(self._path, self._id, self._operation, self._duration, self._inputs, outputs)


def _devices(*values: Any) -> list[Any]:
    """Every open device that a value of this or an earlier call named or lived on."""
    for value in values:
        for item in tensors_in(value, (_ttnn.Tensor, _ttnn.MeshDevice)):
            device = item.device() if isinstance(item, _ttnn.Tensor) else item
            if device is not None:
                _devices_seen[id(device)] = device
    return [device for device in _devices_seen.values() if device.is_open()]
