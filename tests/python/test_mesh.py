"""Mappers and composers on a mesh of one device: they change nothing, and what cannot be is refused."""

import pytest
import torch

from tracelift import ttnn


def test_mappers_and_composers_change_nothing(device):
    values = torch.arange(8.0).reshape(2, 4)
    mappers = [ttnn.ReplicateTensorToMesh(device), ttnn.ShardTensorToMesh(device, dim=0)]
    mappers.append(ttnn.ShardTensor2dMesh(device, (1, 1), dims=(0, None)))
    for mapper in mappers:
        tensor = ttnn.from_torch(values, device=device, mesh_mapper=mapper)
        assert torch.equal(ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(device, dim=0)), values)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda d, t: ttnn.from_torch(torch.ones(2), mesh_mapper="x"), TypeError, "from_torch.* TensorToMesh, not str"),
        (lambda d, t: ttnn.as_tensor(torch.ones(2), mesh_mapper=0), TypeError, "as_tensor.* TensorToMesh, not int"),
        (lambda d, t: ttnn.to_torch(t, mesh_composer=0), TypeError, "to_torch.* MeshToTensor, not int"),
        (lambda d, t: ttnn.distribute_tensor(t, None, d) and ttnn.distribute_tensor(t, 1), TypeError, "not int"),
        (lambda d, t: ttnn.aggregate_tensor(t, "x"), TypeError, "MeshToTensor, not str"),
        (lambda d, t: ttnn.ShardTensor2dMesh(d, (2, 4), (0, 1)), RuntimeError, "a mesh of 2x4 devices"),
        (lambda d, t: ttnn.ConcatMesh2dToTensor(d, (1, 2), (0, 1)), RuntimeError, "a mesh of 1x2 devices"),
        (lambda d, t: ttnn.MeshMapperConfig([], ttnn.MeshShape(2, 1)), RuntimeError, "a mesh of 2x1 devices"),
        (lambda d, t: ttnn.MeshComposerConfig(0, mesh_shape_override=[8]), RuntimeError, "a mesh of 8 devices"),
        (lambda d, t: ttnn.from_host_shards([t], ttnn.MeshShape(1, 2)), RuntimeError, "a mesh of 1x2 devices"),
        (lambda d, t: ttnn.dump_tensor("x.tensorbin", t, distribute={}), RuntimeError, "leave `distribute` out"),
    ],
    ids="from_torch as_tensor to_torch distribute aggregate shard_2d concat_2d mapper composer host_shards dump".split(),
)
def test_what_would_be_ignored_is_refused(device, call, error, message):
    with pytest.raises(error, match=message):
        call(device, ttnn.from_torch(torch.ones(2)))
