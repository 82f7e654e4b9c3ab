"""Tensors to and from the parts that the devices of a mesh hold."""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import Any, Iterator, Sequence

from tracelift import _ttnn
from tracelift._ttnn import MeshDevice, MeshShape, MeshToTensor, PlacementShard, StorageType, Tensor, TensorToMesh

from ._mesh import ReplicateTensorToMeshWrapper, Shape

_ROOT = __name__.rpartition(".")[0]


def unwrapped(function: str, mapper: Any) -> TensorToMesh | None:
    """The mapper of a keyword argument."""
    inner = mapper.unwrap() if isinstance(mapper, ReplicateTensorToMeshWrapper) else mapper
    if inner is not None and not isinstance(inner, TensorToMesh):
        raise TypeError(f"ttnn.{function}(): the mapper must be a TensorToMesh, not {type(mapper).__name__}")
    return inner


def from_host_shards(tensors: Sequence[Tensor], mesh_shape: Shape, shard_dim: int = 0) -> Tensor:
    """One tensor of parts on the host, one for each device of a mesh, row by row."""
    count = MeshShape(list(mesh_shape)).mesh_size()
    if len(tensors) != count:
        mesh = "x".join(map(str, mesh_shape))
        raise RuntimeError(f"from_host_shards needs {count} tensors for a mesh of {mesh}, got {len(tensors)}")
    if any(tensor.storage_type() != StorageType.HOST for tensor in tensors):
        raise RuntimeError("from_host_shards needs tensors on the host; combine_device_tensors takes those on devices")
    if count == 1:
        return tensors[0]
    return _ttnn.tensor_from_parts(list(tensors), [PlacementShard(shard_dim)], MeshShape([count]))


def distribute_tensor(
    tensor: Tensor, mapper: TensorToMesh | ReplicateTensorToMeshWrapper | None, mesh_device: MeshDevice | None = None
) -> Tensor:
    """The parts of a tensor, on the host or on the devices of a mesh."""
    cut = unwrapped("distribute_tensor", mapper)
    host = tensor.cpu() if tensor.storage_type() == StorageType.DEVICE else tensor
    parts = host if cut is None else _ttnn.distribute_on_host(host, cut)
    return parts if mesh_device is None else parts.to(mesh_device)


def aggregate_tensor(tensor: Tensor, composer: MeshToTensor) -> Tensor:
    """One tensor on the host of the parts of a distributed one."""
    if not isinstance(composer, MeshToTensor):
        raise TypeError(f"ttnn.aggregate_tensor(): the composer must be a MeshToTensor, not {type(composer).__name__}")
    return _ttnn.compose_on_host(tensor, composer)


@contextlib.contextmanager
def distribute(default: TensorToMesh | ReplicateTensorToMeshWrapper | MeshToTensor) -> Iterator[None]:
    """Makes a mapper the default of ttnn.from_torch, or a composer that of ttnn.to_torch, for a with block."""
    if isinstance(default, (TensorToMesh, ReplicateTensorToMeshWrapper)):
        name, keyword = "from_torch", "mesh_mapper"
    elif isinstance(default, MeshToTensor):
        name, keyword = "to_torch", "mesh_composer"
    else:
        raise ValueError("Argument must be an instance of either TensorToMesh or MeshToTensor.")
    module = sys.modules[_ROOT]
    before = getattr(module, name)
    setattr(module, name, functools.partial(before, **{keyword: default}))
    try:
        yield
    finally:
        setattr(module, name, before)
