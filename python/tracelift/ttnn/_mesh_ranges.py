"""Boxes of places in a mesh."""

from __future__ import annotations

import itertools
from typing import Iterator, Sequence

from tracelift._ttnn import MeshCoordinate, MeshShape


class MeshCoordinateRange:
    """A box of places in a mesh, both corners inside; or a whole mesh shape."""

    def __init__(self, start: MeshCoordinate | MeshShape, end: MeshCoordinate | None = None) -> None:
        if end is None:
            self.start = MeshCoordinate([0] * len(start))
            self.end = MeshCoordinate([size - 1 for size in start])
        else:
            self.start = MeshCoordinate(list(start))
            self.end = end

    def __iter__(self) -> Iterator[MeshCoordinate]:
        spans = [range(low, high + 1) for low, high in zip(self.start, self.end)]
        return (MeshCoordinate(list(place)) for place in itertools.product(*spans))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeshCoordinateRange) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def __repr__(self) -> str:
        return f"MeshCoordinateRange(start={self.start}, end={self.end})"


class MeshCoordinateRangeSet:
    def __init__(self, ranges: MeshCoordinateRange | Sequence[MeshCoordinateRange] = ()) -> None:
        self._ranges = [ranges] if isinstance(ranges, MeshCoordinateRange) else list(ranges)

    def ranges(self) -> list[MeshCoordinateRange]:
        return list(self._ranges)
