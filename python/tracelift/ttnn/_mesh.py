"""Placements, mappers and composers for a mesh of one device, where distributing changes nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Sequence

from tracelift import _ttnn
from tracelift._ttnn import MeshCoordinate, MeshDevice, MeshShape, Tensor


@dataclass(frozen=True)
class PlacementReplicate:
    def __repr__(self) -> str:
        return "PlacementReplicate()"


@dataclass(frozen=True)
class PlacementShard:
    dim: int

    def __repr__(self) -> str:
        return f"PlacementShard({self.dim})"


class TensorTopology:
    """How a tensor is spread over its mesh."""

    def __init__(self, placements: Sequence[Any], distribution_shape: Sequence[int]) -> None:
        self._placements = list(placements)
        self._shape = MeshShape(list(distribution_shape))

    def placements(self) -> list[Any]:
        return list(self._placements)

    def distribution_shape(self) -> MeshShape:
        return self._shape

    def mesh_coords(self) -> list[MeshCoordinate]:
        return [MeshCoordinate([0] * len(self._shape))]


def _tensor_topology(tensor: Tensor) -> TensorTopology:
    return TensorTopology([PlacementReplicate()], [1])


setattr(Tensor, "tensor_topology", _tensor_topology)


class MeshCoordinateRange:
    """A box of places in a mesh, both corners inside; or a whole mesh shape."""

    def __init__(self, start: Any, end: Any = None) -> None:
        whole = end is None
        self.start = MeshCoordinate([0] * len(start)) if whole else start
        self.end = MeshCoordinate([size - 1 for size in start]) if whole else end

    def __iter__(self) -> Any:
        import itertools

        spans = [range(low, high + 1) for low, high in zip(self.start, self.end)]
        return (MeshCoordinate(list(place)) for place in itertools.product(*spans))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeshCoordinateRange) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def __repr__(self) -> str:
        return f"MeshCoordinateRange(start={self.start}, end={self.end})"


class MeshCoordinateRangeSet:
    def __init__(self, ranges: Any = ()) -> None:
        self._ranges = [ranges] if isinstance(ranges, MeshCoordinateRange) else list(ranges)

    def ranges(self) -> list[MeshCoordinateRange]:
        return list(self._ranges)


def _check_one_device(shape: Any, what: str) -> None:
    """Meshes have one device here: another shape would be ignored in silence."""
    if shape is not None and math.prod(shape) != 1:
        raise RuntimeError(f"{what} asks for a mesh of {'x'.join(map(str, shape))} devices; the mesh here has one device")


class MeshMapperConfig:
    """One placement per mesh dimension."""

    def __init__(
        self,
        placements: Sequence[Any] | None = None,
        mesh_shape_override: Any = None,
        *,
        row_dim: int | None = None,
        col_dim: int | None = None,
    ) -> None:
        def placed(dim: int | None) -> Any:
            return PlacementReplicate() if dim is None else PlacementShard(dim)

        _check_one_device(mesh_shape_override, "mesh_shape_override")
        self.placements = [placed(row_dim), placed(col_dim)] if placements is None else list(placements)
        self.mesh_shape_override = mesh_shape_override


class MeshComposerConfig:
    def __init__(self, *dims: Any, mesh_shape_override: Any = None) -> None:
        _check_one_device(mesh_shape_override, "mesh_shape_override")
        self.dims = list(dims[0]) if dims and isinstance(dims[0], (list, tuple)) else list(dims)
        self.mesh_shape_override = mesh_shape_override


class TensorToMesh:
    """Distributes a tensor over a mesh."""

    def __init__(self, mesh_device: MeshDevice, placements: Sequence[Any]) -> None:
        self.mesh_device = mesh_device
        self.placements = list(placements)

    def unwrap(self) -> TensorToMesh:
        return self


class MeshToTensor:
    """Puts a distributed tensor together."""

    def __init__(self, mesh_device: MeshDevice, dims: Sequence[Any]) -> None:
        self.mesh_device = mesh_device
        self.dims = list(dims)

    def unwrap(self) -> MeshToTensor:
        return self


def create_mesh_mapper(mesh_device: MeshDevice, config: MeshMapperConfig) -> TensorToMesh:
    return TensorToMesh(mesh_device, config.placements)


def create_mesh_composer(mesh_device: MeshDevice, config: MeshComposerConfig) -> MeshToTensor:
    return MeshToTensor(mesh_device, config.dims)


def ReplicateTensorToMesh(mesh_device: MeshDevice) -> TensorToMesh:
    return TensorToMesh(mesh_device, [PlacementReplicate()])


def ShardTensorToMesh(mesh_device: MeshDevice, dim: int) -> TensorToMesh:
    return TensorToMesh(mesh_device, [PlacementShard(dim)])


def ShardTensor2dMesh(mesh_device: MeshDevice, mesh_shape: Any, dims: Sequence[int | None]) -> TensorToMesh:
    _check_one_device(mesh_shape, "ShardTensor2dMesh")
    return TensorToMesh(mesh_device, [PlacementReplicate() if d is None else PlacementShard(d) for d in dims])


def ConcatMeshToTensor(mesh_device: MeshDevice, dim: int) -> MeshToTensor:
    return MeshToTensor(mesh_device, [dim])


def ConcatMesh2dToTensor(mesh_device: MeshDevice, mesh_shape: Any, dims: Sequence[int]) -> MeshToTensor:
    _check_one_device(mesh_shape, "ConcatMesh2dToTensor")
    return MeshToTensor(mesh_device, dims)


replicate_tensor_to_mesh_mapper = ReplicateTensorToMesh
shard_tensor_to_mesh_mapper = ShardTensorToMesh
concat_mesh_to_tensor_composer = ConcatMeshToTensor


def get_device_tensors(tensor: Tensor) -> list[Tensor]:
    """One tensor per device of the mesh."""
    return [tensor]


def _only(tensors: Sequence[Tensor]) -> Tensor:
    if len(tensors) != 1:
        raise RuntimeError(f"a mesh of one device holds one tensor, got {len(tensors)}")
    return tensors[0]


def combine_device_tensors(tensors: Sequence[Tensor]) -> Tensor:
    return _only(tensors)


def from_host_shards(tensors: Sequence[Tensor], mesh_shape: Any) -> Tensor:
    _check_one_device(mesh_shape, "from_host_shards")
    return _only(tensors)


def check_mapper(function: str, mapper: Any) -> None:
    """A mapper changes nothing on a mesh of one device, but something else in its place is a mistake."""
    if mapper is not None and not isinstance(mapper, TensorToMesh):
        raise TypeError(f"ttnn.{function}(): the mapper must be a TensorToMesh, not {type(mapper).__name__}")


def check_composer(function: str, composer: Any) -> None:
    if composer is not None and not isinstance(composer, MeshToTensor):
        raise TypeError(f"ttnn.{function}(): the composer must be a MeshToTensor, not {type(composer).__name__}")


def aggregate_tensor(tensor: Tensor, composer: MeshToTensor) -> Tensor:
    check_composer("aggregate_tensor", composer)
    return tensor.cpu() if tensor.storage_type() == _ttnn.StorageType.DEVICE else tensor


def distribute_tensor(tensor: Tensor, mapper: TensorToMesh, mesh_device: MeshDevice | None = None) -> Tensor:
    check_mapper("distribute_tensor", mapper)
    return tensor if mesh_device is None else tensor.to(mesh_device)
