"""Graph capture: operations, tensors, buffers, circular buffers and timing of a run, and what can be learned of them.

    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    ...
    graph = ttnn.graph.end_graph_capture()      # a list of nodes, each a dict

or `with ttnn.graph.capture() as graph: ...`, which fills `graph` at its end.
"""

from __future__ import annotations

import contextlib
import enum
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tracelift import _ttnn
from tracelift._replaced import replaced as _replaced

from ._graph_query import (
    ConstraintQueryResponse,
    QueryStatus,
    ResourceUsage,
    RuntimeQueryResponse,
    query_op_constraints,
    query_op_runtime,
)
from .graph_tracer_utils import GraphTracerUtils

_graph: Any = _ttnn.graph  # type: ignore[attr-defined]

REPORT_VERSION: int = _graph.REPORT_VERSION
TensorInfo = _graph.TensorInfo
PeakMemoryUsagePerCore = _graph.PeakMemoryUsagePerCore

Trace = list[dict[str, Any]]


class RunMode(enum.Enum):
    """NORMAL runs for real; NO_DISPATCH allocates and computes nothing, so tensors may be larger than any memory."""

    NORMAL = 0
    NO_DISPATCH = 1


def _text(graph: Trace) -> str:
    return json.dumps(graph)


def begin_graph_capture(
    run_mode: RunMode = RunMode.NORMAL, *, process_wide: bool = False, literal_sample: bool = False
) -> None:
    """Starts a capture of this thread's events; of all threads' with process_wide. literal_sample leaves out the nodes
    that release circular buffers, as the sample of the guide does."""
    if not isinstance(run_mode, RunMode):
        raise TypeError(f"begin_graph_capture(): run_mode must be RunMode.NORMAL or RunMode.NO_DISPATCH, not {run_mode!r}")
    _graph.begin_graph_capture(run_mode is RunMode.NORMAL, process_wide, literal_sample)


def end_graph_capture() -> Trace:
    """Ends the innermost capture and gives its nodes."""
    return json.loads(_graph.end_graph_capture())


def end_graph_capture_to_file(report_path: str | os.PathLike[str]) -> Trace:
    """The same, and writes the report, for the visualizer and for later."""
    return json.loads(_graph.end_graph_capture_to_file(Path(report_path)))


@contextlib.contextmanager
def capture(
    run_mode: RunMode = RunMode.NORMAL, *, report_path: str | os.PathLike[str] | None = None, **options: bool
) -> Iterator[Trace]:
    """A capture for the length of a `with`; also when an exception leaves it."""
    begin_graph_capture(run_mode, **options)
    graph: Trace = []
    try:
        yield graph
    finally:
        graph.extend(end_graph_capture() if report_path is None else end_graph_capture_to_file(report_path))


def get_current_report() -> dict[str, Any]:
    """The report of the innermost capture so far."""
    return json.loads(_graph.get_current_report())


def is_capturing() -> bool:
    return _graph.is_capturing()


def add_error(error_type: str, error_message: str, error_operation: str = "") -> None:
    """Writes an error node into the innermost capture."""
    _graph.add_error(error_type, error_message, error_operation)


enable_stack_traces = _graph.enable_stack_traces
disable_stack_traces = _graph.disable_stack_traces
is_stack_trace_enabled = _graph.is_stack_trace_enabled
enable_buffer_pages = _graph.enable_buffer_pages
disable_buffer_pages = _graph.disable_buffer_pages
is_buffer_pages_enabled = _graph.is_buffer_pages_enabled
enable_detailed_arguments = _graph.enable_detailed_arguments
disable_detailed_arguments = _graph.disable_detailed_arguments
is_detailed_arguments_enabled = _graph.is_detailed_arguments_enabled
enable_later_names = _graph.enable_later_names
disable_later_names = _graph.disable_later_names
is_later_names_enabled = _graph.is_later_names_enabled


def query_trace(function: Callable[[], Any]) -> Trace:
    """The trace of a function in NO_DISPATCH; what it returns dies before the capture ends."""
    with capture(RunMode.NO_DISPATCH) as graph:
        function()
    return graph


def query_peak_L1_memory_usage(function: Callable[[], Any]) -> int:  # noqa: N802
    return extract_peak_L1_memory_usage(query_trace(function))


def query_output_info(function: Callable[[], Any]) -> list[Any]:
    return extract_output_info(query_trace(function))


def extract_l1_output_buffer_allocation_size_per_core(tensor: _ttnn.Tensor, interleaved_storage_cores: int) -> int:
    """Bytes per core of a tensor in L1."""
    return _graph.extract_l1_output_buffer_allocation_size_per_core(tensor, interleaved_storage_cores)


def extract_calltrace(graph: Trace) -> list[str]:
    return _graph.extract_calltrace(_text(graph))


def extract_peak_L1_memory_usage(graph: Trace) -> int:  # noqa: N802
    return _graph.extract_peak_L1_memory_usage(_text(graph))


def count_intermediate_and_output_tensors(graph: Trace) -> tuple[int, int]:
    return _graph.count_intermediate_and_output_tensors(_text(graph))


def extract_output_info(graph: Trace) -> list[Any]:
    return _graph.extract_output_info(_text(graph))


def extract_output_tensors(graph: Trace) -> set[int]:
    return _graph.extract_output_tensors(_text(graph))


def extract_resource_usage_per_core(graph: Trace, interleaved_storage_cores: int) -> Any:
    return _graph.extract_resource_usage_per_core(_text(graph), interleaved_storage_cores)


def extract_dram_usage(graph: Trace) -> dict[str, int]:
    return _graph.extract_dram_usage(_text(graph))


def extract_arguments(graph: Trace) -> list[dict[str, Any]]:
    return _graph.extract_arguments(_text(graph))


def extract_operation_durations(graph: Trace) -> dict[str, float]:
    """Seconds by operation; the last call of a name counts."""
    return _graph.extract_operation_durations(_text(graph))


def extract_total_duration_from_graph(graph: Trace) -> float:
    """Seconds from the beginning of the capture to its end."""
    return _graph.extract_total_duration(_text(graph))


def explain_peak(graph: Trace, memory: str = "L1") -> dict[str, Any]:
    """What the peak of "L1" or "DRAM" is made of: tensors, buffers, circular buffers, and whose they are."""
    if memory not in ("L1", "DRAM"):
        raise ValueError(f"memory must be 'L1' or 'DRAM', got {memory!r}")
    return json.loads(_graph.explain_peak(_text(graph), memory == "DRAM"))


def extract_levelized_graph(graph: Trace, max_level: int = 1) -> list[dict[str, Any]]:
    """The data flow between operations, down to a level of nesting."""
    return json.loads(_graph.extract_levelized_graph(_text(graph), max_level))


def memory_table(graph: Trace) -> str:
    """The tabular view: current_op, event, total_cb, total_buffer."""
    return _graph.format_memory_table(_text(graph))


def pretty_format(graph: Trace) -> str:
    return _graph.pretty_format(_text(graph))


def pretty_print(graph: Trace) -> None:
    print(pretty_format(graph))


def visualize(graph: Trace, file_name: str | os.PathLike[str] | None = None, *, calls: str = "") -> str:
    """The call graph as SVG text; written to `file_name` when given, which must end in .svg.

    Few calls are drawn with every step inside of them, more as boxes with the data flow between them, repeated layers
    once. `calls` chooses some: "17" or "17-30", counted from 1.
    """
    svg = _graph.to_svg(_text(graph), calls)
    if file_name is not None:
        path = Path(file_name)
        if path.suffix != ".svg":
            raise ValueError(f"visualize writes .svg files, got '{path.name}'")
        path.parent.mkdir(parents=True, exist_ok=True)
        with _replaced(path, encoding="utf-8") as file:
            file.write(svg)
    return svg


def import_report(
    report_path: str | os.PathLike[str], output_dir: str | os.PathLike[str], *args: Any, **options: Any
) -> Path:
    """A report, or a folder of reports, as a database for the ttnn-visualizer; see ttnn.graph_report.import_report."""
    from tracelift.ttnn import graph_report  # not before: `python -m ttnn.graph_report` is to load it itself

    return graph_report.import_report(report_path, output_dir, *args, **options)
