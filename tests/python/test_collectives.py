"""Collectives as models call them: tensors spread over a mesh, gathered or summed up, and compared with torch."""

import pytest
import torch

from tracelift import ttnn

MESH = (2, 4)


@pytest.fixture(scope="module")
def mesh():
    device = ttnn.open_mesh_device(ttnn.MeshShape(*MESH))
    yield device
    ttnn.close_mesh_device(device)


def spread(values, mesh, dims, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT):
    mapper = ttnn.ShardTensor2dMesh(mesh, MESH, dims=dims)
    return ttnn.from_torch(values, dtype=dtype, layout=layout, device=mesh, mesh_mapper=mapper)


def together(tensor, mesh, dims):
    return ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMesh2dToTensor(mesh, MESH, dims=dims)).float()


def whole_numbers(*shape):
    """Sums of a few of them are exact in bfloat16."""
    return torch.randint(0, 8, shape, generator=torch.Generator().manual_seed(0)).float()


@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT])
def test_all_gather_along_columns_gives_every_column_the_whole_row(mesh, layout):
    values = whole_numbers(1, 1, 64, 256)
    gathered = ttnn.all_gather(spread(values, mesh, (2, 3), layout=layout), dim=3, cluster_axis=1)
    assert list(gathered.shape) == [1, 1, 32, 256]
    # Columns hold copies now: they are put side by side along a dimension of their own.
    assert torch.equal(together(gathered, mesh, (2, 1)), values.expand(1, 4, 64, 256))


def test_all_gather_async_takes_semaphores_and_a_buffer(mesh):
    values = whole_numbers(1, 1, 64, 256)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(7, 7))])
    semaphores = [ttnn.create_global_semaphore(mesh, cores, 0) for _ in range(2)]
    buffer = spread(torch.zeros(1, 1, 64, 1024), mesh, (2, 3))
    gathered = ttnn.experimental.all_gather_async(
        spread(values, mesh, (2, 3)),
        persistent_output_buffer=buffer,
        dim=3,
        multi_device_global_semaphore=semaphores,
        cluster_axis=1,
        num_links=1,
        topology=ttnn.Topology.Linear,
    )
    assert gathered is buffer
    assert torch.equal(together(gathered, mesh, (2, 1)), values.expand(1, 4, 64, 256))


def test_reduce_scatter_along_columns_sums_rows_up(mesh):
    values = whole_numbers(1, 4, 64, 256)  # of each row of chips four parts, to be summed up
    scattered = ttnn.reduce_scatter(spread(values, mesh, (2, 1)), dim=3, cluster_axis=1)
    assert list(scattered.shape) == [1, 1, 32, 64]
    assert torch.equal(together(scattered, mesh, (2, 3)), values.sum(dim=1, keepdim=True))


def test_a_size_that_chips_cannot_share_is_refused(mesh):
    with pytest.raises(RuntimeError, match="cannot share evenly"):
        ttnn.reduce_scatter(spread(whole_numbers(1, 4, 64, 62), mesh, (2, 1)), dim=3, cluster_axis=1)


def test_all_reduce_gives_every_chip_the_sum(mesh):
    values = whole_numbers(2, 4, 32, 128)  # a part for every chip
    total = ttnn.all_reduce(spread(values, mesh, (0, 1)), cluster_axis=1, topology=ttnn.Topology.Linear, num_links=1)
    assert torch.equal(together(total, mesh, (0, 1)), values.sum(dim=1, keepdim=True).expand(2, 4, 32, 128))


def test_all_reduce_async_takes_a_buffer_or_a_dimension_of_the_mesh(mesh):
    values = whole_numbers(2, 4, 32, 128)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(7, 7))])
    semaphore = ttnn.create_global_semaphore(mesh, cores, 0)
    expected = values.sum(dim=0, keepdim=True).expand(2, 4, 32, 128)
    part = spread(values, mesh, (0, 1))
    buffered = ttnn.experimental.all_reduce_async(
        part,
        spread(torch.zeros(2, 4, 32, 512), mesh, (0, 1)),
        cluster_axis=0,
        mesh_device=mesh,
        multi_device_global_semaphore=semaphore,
        dtype=ttnn.bfloat16,
    )
    along = ttnn.experimental.all_reduce_async(
        part,
        cluster_axis=0,
        mesh_device=mesh,
        barrier_semaphores=[semaphore, semaphore],
        rs_global_semaphores=[semaphore],
        ag_global_semaphores=[semaphore],
        math_op=ttnn.ReduceType.Sum,
    )
    assert torch.equal(together(buffered, mesh, (0, 1)), expected)
    assert torch.equal(together(along, mesh, (0, 1)), expected)


def test_reduce_scatter_minimal_async_writes_into_the_last_buffer(mesh):
    values = whole_numbers(1, 4, 64, 256)
    buffers = [spread(torch.zeros(1, 4, 64, 256), mesh, (2, 1)), spread(torch.zeros(1, 1, 64, 256), mesh, (2, 3))]
    scattered = ttnn.experimental.reduce_scatter_minimal_async(
        spread(values, mesh, (2, 1)), persistent_output_buffers=buffers, dim=3, cluster_axis=1
    )
    assert scattered.buffer_address() == buffers[1].buffer_address()
    assert torch.equal(together(scattered, mesh, (2, 3)), values.sum(dim=1, keepdim=True))


def test_all_broadcast_gives_a_tensor_for_every_chip_of_a_row(mesh):
    values = whole_numbers(1, 1, 64, 128)
    tensors = ttnn.all_broadcast(spread(values, mesh, (2, 3)), cluster_axis=1)
    assert len(tensors) == 4
    for column, tensor in enumerate(tensors):
        part = values[..., 32 * column : 32 * (column + 1)]
        assert torch.equal(together(tensor, mesh, (2, 1)), part.expand(1, 4, 64, 32))


def test_broadcast_gives_all_chips_what_one_of_them_holds(mesh):
    values = whole_numbers(2, 4, 32, 32)
    sent = ttnn.broadcast(spread(values, mesh, (0, 1)), sender_coord=ttnn.MeshCoordinate(1, 2))
    assert torch.equal(together(sent, mesh, (0, 1)), values[1:2, 2:3].expand(2, 4, 32, 32))


def test_point_to_point_changes_the_receiver_only(mesh):
    values = whole_numbers(2, 4, 32, 32)
    target = spread(torch.zeros(2, 4, 32, 32), mesh, (0, 1))
    sent = ttnn.point_to_point(
        spread(values, mesh, (0, 1)), ttnn.MeshCoordinate(0, 1), ttnn.MeshCoordinate(1, 3), output_tensor=target
    )
    assert sent is target
    expected = torch.zeros(2, 4, 32, 32)
    expected[1, 3] = values[0, 1]
    assert torch.equal(together(sent, mesh, (0, 1)), expected)


def test_mesh_partition_undoes_all_gather(mesh):
    values = whole_numbers(1, 1, 64, 128)
    whole = ttnn.all_gather(spread(values, mesh, (2, 3)), dim=3, cluster_axis=1)
    assert torch.equal(together(ttnn.mesh_partition(whole, 3, 1), mesh, (2, 3)), values)


def test_all_to_all_spreads_a_tensor_along_another_dimension(mesh):
    values = whole_numbers(1, 4, 256, 64)  # rows of chips cut the last dimension, columns the one before
    turned = ttnn.experimental.all_to_all_async_generic(
        spread(values, mesh, (3, 2)), in_dim=2, out_dim=1, cluster_axis=1
    )
    assert list(turned.shape) == [1, 1, 256, 32]
    assert torch.equal(together(turned, mesh, (3, 1)), values)


def test_topologies_follow(mesh):
    tensor = spread(whole_numbers(1, 1, 64, 128), mesh, (2, 3))
    gathered = ttnn.all_gather(tensor, dim=3, cluster_axis=1).tensor_topology().placements()
    assert [str(placement) for placement in gathered] == ["PlacementShard(2)", "PlacementReplicate()"]
    scattered = ttnn.reduce_scatter(tensor, dim=2, cluster_axis=1).tensor_topology().placements()
    assert [str(placement) for placement in scattered] == ["PlacementShard(2)", "PlacementShard(2)"]


def test_semaphores_have_addresses_of_their_own(mesh):
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    first, second = (ttnn.create_global_semaphore(mesh, cores, 0) for _ in range(2))
    assert ttnn.get_global_semaphore_address(first) != ttnn.get_global_semaphore_address(second)
    ttnn.reset_global_semaphore_value(first, 3)


def test_on_one_chip_collectives_give_the_values_of_their_input():
    device = ttnn.open_device(device_id=0)
    values = whole_numbers(1, 1, 32, 64)
    tensor = ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    results = [
        ttnn.all_gather(tensor, dim=3),
        ttnn.reduce_scatter(tensor, dim=3),
        ttnn.all_reduce(tensor),
        ttnn.all_broadcast(tensor)[0],
        ttnn.mesh_partition(tensor, 3),
        ttnn.barrier(tensor),
    ]
    for result in results:
        assert torch.equal(ttnn.to_torch(result).float(), values)
    ttnn.close_device(device)
