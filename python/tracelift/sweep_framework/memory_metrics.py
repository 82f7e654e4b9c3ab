"""--measure-memory: what a call takes of L1, from a graph captured without dispatch."""

from __future__ import annotations

from typing import Any, Callable

from ..ttnn_objects import ttnn_module


def measure(call: Callable[[], Any], device: Any) -> dict[str, float]:
    """Six figures, or none where the call or this ttnn does not allow it: measuring never fails a vector."""
    try:
        return _measure(call, device)
    except Exception:
        return {}


def _measure(call: Callable[[], Any], device: Any) -> dict[str, float]:
    graph = ttnn_module().graph
    graph.begin_graph_capture(graph.RunMode.NO_DISPATCH)
    try:
        call()
    except Exception:  # comparing with numbers that were never computed may do anything
        pass
    finally:
        trace = graph.end_graph_capture()
    grid = device.compute_with_storage_grid_size()
    cores = int(grid.x) * int(grid.y)
    usage = graph.extract_resource_usage_per_core(trace, cores)
    circular, buffers = int(usage.peak_cb), int(usage.peak_l1)
    total = circular + buffers
    return {
        "peak_l1_memory_per_core_bytes": total,
        "peak_cb_per_core_bytes": circular,
        "peak_l1_buffers_per_core_bytes": buffers,
        "num_cores": cores,
        "peak_l1_memory_aggregate_bytes": total * cores,
        "peak_l1_memory_device_bytes": int(graph.extract_peak_L1_memory_usage(trace)),
    }
