"""Profilers that watch hardware: marks for Tracy, and what the device measured. There is nothing to mark or measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tracelift._ttnn import MeshDevice


def ReadDeviceProfiler(device: MeshDevice, *args: Any, **kwargs: Any) -> None:
    """Fetches profiler results on hardware; an emulated device has none."""


def start_tracy_zone(source: str = "", functName: str = "", lineNum: int = 0, color: int = 0) -> None:
    """Marks a zone for the Tracy profiler, which is not attached here."""


def stop_tracy_zone(name: str = "", color: int = 0) -> bool:
    return True


def tracy_message(source: str, color: int = 0xF0F8FF) -> None:
    """Writes a message into the profile of Tracy."""


def tracy_frame() -> None:
    """Marks the end of a frame in the profile of Tracy."""


@dataclass(frozen=True)
class ProgramExecutionUID:
    """Which run of a program is meant."""

    runtime_id: int
    trace_id: int
    trace_id_counter: int


@dataclass(frozen=True)
class ProgramSingleAnalysisResult:
    """One measurement, in cycles."""

    start_timestamp: int
    end_timestamp: int
    duration: int


@dataclass(frozen=True)
class ProgramAnalysisData:
    """What a device measured of one run of a program."""

    program_execution_uid: ProgramExecutionUID
    program_analyses_results: dict[str, ProgramSingleAnalysisResult] = field(default_factory=dict)
    core_count: int = 0
    num_available_cores: int = 0


def get_latest_programs_perf_data() -> dict[int, list[ProgramAnalysisData]]:
    """By chip, since the profiler was read last; empty, as on hardware without device profiling."""
    return {}


def get_all_programs_perf_data() -> dict[int, list[ProgramAnalysisData]]:
    """By chip, since the device was opened; empty, as on hardware without device profiling."""
    return {}
