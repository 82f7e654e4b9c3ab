"""The system that the emulated devices stand for."""

from __future__ import annotations

import tempfile
from enum import Enum
from pathlib import Path


class ClusterType(Enum):
    """With the numbers of the original, which has more than there are boards here."""

    INVALID = 0
    N150 = 1
    N300 = 2
    T3K = 3
    GALAXY = 4
    TG = 5
    P100 = 6
    P150 = 7
    P150_X2 = 8
    P150_X4 = 9
    SIMULATOR_WORMHOLE_B0 = 10
    SIMULATOR_BLACKHOLE = 11
    N300_2x2 = 12
    P150_X8 = 13
    P300 = 14
    BLACKHOLE_GALAXY = 16
    P300_X2 = 17

    def __repr__(self) -> str:
        return str(self)


def get_cluster_type() -> ClusterType:
    from ._devices import default_system

    return ClusterType[default_system().cluster_type]


def serialize_cluster_descriptor() -> str:
    """Writes a YAML file about the chips of the default board's system, and gives its path."""
    from ._devices import SystemMeshDescriptor, default_arch

    rows, columns = SystemMeshDescriptor().shape()
    chips = [(row * columns + column, row, column) for row in range(rows) for column in range(columns)]
    arch = default_arch().name.lower()
    lines = ["arch:", *(f"  {chip}: {arch}" for chip, _, _ in chips)]
    lines += ["chips:", *(f"  {chip}: [{column}, {row}, 0, 0]" for chip, row, column in chips)]
    lines += ["chips_with_mmio:", *(f"  - {chip}: {chip}" for chip, _, _ in chips)]
    path = Path(tempfile.mkdtemp(prefix="tracelift_")) / "cluster_descriptor.yaml"
    path.write_text("\n".join(lines) + "\n")
    return str(path)
