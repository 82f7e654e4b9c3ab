"""The system that the emulated devices stand for."""

from enum import Enum


class ClusterType(Enum):
    N150 = 0
    N300 = 1
    GALAXY = 2
    P100 = 3
    P150 = 4

    def __repr__(self):
        return str(self)


def get_cluster_type() -> ClusterType:
    from ._devices import default_board

    return ClusterType[default_board().partition(":")[0].upper()]
