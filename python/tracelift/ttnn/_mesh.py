"""Mappers, which cut a tensor for the devices of a mesh, and composers, which put the parts together."""

from __future__ import annotations

from typing import Sequence

from tracelift._ttnn import MeshDevice, MeshShape, MeshToTensor, PlacementReplicate, PlacementShard, TensorToMesh

Placement = PlacementReplicate | PlacementShard
Shape = MeshShape | Sequence[int]


def _placement(dim: int | None) -> Placement:
    return PlacementReplicate() if dim is None else PlacementShard(dim)


def _mesh_shape(shape: Shape | None) -> MeshShape | None:
    return None if shape is None else MeshShape(list(shape))


class MeshMapperConfig:
    """What each dimension of a mesh does to a tensor.

    `MeshMapperConfig(placements, mesh_shape_override)`, or `MeshMapperConfig(row_dim, col_dim, mesh_shape_override)`
    with None for a copy.
    """

    def __init__(
        self,
        placements: Sequence[Placement] | int | None = None,
        *more: Shape | int | None,
        row_dim: int | None = None,
        col_dim: int | None = None,
        mesh_shape_override: Shape | None = None,
    ) -> None:
        rest = list(more)
        if isinstance(placements, (list, tuple)):
            self.placements = list(placements)
        else:
            row = placements if isinstance(placements, int) else row_dim
            column = rest.pop(0) if rest and (rest[0] is None or isinstance(rest[0], int)) else col_dim
            self.placements = [_placement(row), _placement(column if isinstance(column, int) else None)]
        if len(rest) > 1 or (rest and (isinstance(rest[0], int) or mesh_shape_override is not None)):
            raise TypeError(f"MeshMapperConfig() takes placements or two dimensions, and a mesh shape, got {more}")
        override = rest[0] if rest and not isinstance(rest[0], int) else mesh_shape_override
        self.mesh_shape_override = _mesh_shape(override)

    def __repr__(self) -> str:
        return f"MeshMapperConfig(placements={self.placements}, mesh_shape_override={self.mesh_shape_override})"


class MeshComposerConfig:
    """Along which dimensions of the tensor the parts of each dimension of the mesh follow each other.

    `MeshComposerConfig(dims, mesh_shape_override)`, or `MeshComposerConfig(row_dim, col_dim, mesh_shape_override)`.
    """

    def __init__(
        self,
        dims: Sequence[int] | int | None = None,
        *more: Shape | int,
        row_dim: int | None = None,
        col_dim: int | None = None,
        mesh_shape_override: Shape | None = None,
    ) -> None:
        given = list(dims) if isinstance(dims, (list, tuple)) else [dims if isinstance(dims, int) else row_dim, col_dim]
        rest = list(more)
        if not isinstance(dims, (list, tuple)) and rest and isinstance(rest[0], int):
            given[1] = rest.pop(0)
        self.dims: list[int] = [dim for dim in given if dim is not None]
        if len(rest) > 1 or (rest and (isinstance(rest[0], int) or mesh_shape_override is not None)):
            raise TypeError(f"MeshComposerConfig() takes dims or two dimensions, and a mesh shape, got {more}")
        override = rest[0] if rest and not isinstance(rest[0], int) else mesh_shape_override
        self.mesh_shape_override = _mesh_shape(override)

    def __repr__(self) -> str:
        return f"MeshComposerConfig(dims={self.dims}, mesh_shape_override={self.mesh_shape_override})"


class ReplicateTensorToMeshWrapper:
    """A mapper that gives every device the whole tensor; as_tensor keeps one copy in its cache."""

    def __init__(self, mapper: TensorToMesh) -> None:
        self._mapper = mapper

    def unwrap(self) -> TensorToMesh:
        return self._mapper


def create_mesh_mapper(mesh_device: MeshDevice, config: MeshMapperConfig) -> TensorToMesh:
    return TensorToMesh(mesh_device, config.placements, config.mesh_shape_override)


def create_mesh_composer(mesh_device: MeshDevice, config: MeshComposerConfig) -> MeshToTensor:
    return MeshToTensor(mesh_device, config.dims, config.mesh_shape_override)


def _line(mesh_device: MeshDevice) -> MeshShape:
    """All devices one after the other, row by row."""
    return MeshShape([mesh_device.get_num_devices()])


def replicate_tensor_to_mesh_mapper(mesh_device: MeshDevice) -> TensorToMesh:
    return TensorToMesh(mesh_device, [PlacementReplicate()], _line(mesh_device))


def shard_tensor_to_mesh_mapper(mesh_device: MeshDevice, dim: int) -> TensorToMesh:
    return TensorToMesh(mesh_device, [PlacementShard(dim)], _line(mesh_device))


def concat_mesh_to_tensor_composer(mesh_device: MeshDevice, dim: int) -> MeshToTensor:
    return MeshToTensor(mesh_device, [dim], _line(mesh_device))


def ReplicateTensorToMesh(mesh_device: MeshDevice) -> ReplicateTensorToMeshWrapper:
    return ReplicateTensorToMeshWrapper(replicate_tensor_to_mesh_mapper(mesh_device))


def ShardTensorToMesh(mesh_device: MeshDevice, dim: int) -> TensorToMesh:
    return shard_tensor_to_mesh_mapper(mesh_device, dim)


def ConcatMeshToTensor(mesh_device: MeshDevice, dim: int) -> MeshToTensor:
    return concat_mesh_to_tensor_composer(mesh_device, dim)


def ShardTensor2dMesh(mesh_device: MeshDevice, mesh_shape: Shape, dims: Sequence[int | None]) -> TensorToMesh:
    """Row i of the mesh gets chunk i of dims[0], column j chunk j of dims[1]; None: every one gets all of it."""
    return TensorToMesh(mesh_device, [_placement(dim) for dim in dims], _mesh_shape(mesh_shape))


def ConcatMesh2dToTensor(mesh_device: MeshDevice, mesh_shape: Shape, dims: Sequence[int]) -> MeshToTensor:
    if len(set(dims)) != len(dims):
        raise ValueError(f"Both dimensions in 'dims' must be different, got {tuple(dims)}")
    return MeshToTensor(mesh_device, list(dims), _mesh_shape(mesh_shape))
