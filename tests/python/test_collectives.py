"""Collectives as models call them: tensors spread over a mesh, gathered or summed up, and compared with torch."""

import pytest
import torch
from torch_support import Comparisons

from tracelift import ttnn

MESH = (2, 4)
COMPARED = Comparisons()  # the forms of ttnn.experimental, on the mesh


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


@COMPARED(
    "experimental.all_gather_async_reversed", "experimental.strided_all_gather_async",
    "experimental.ring_attention_all_gather_async", exact=True,
)  # fmt: skip
def gathered(mesh):
    values = whole_numbers(1, 1, 64, 256)
    part, expected = spread(values, mesh, (2, 3)), values.expand(1, 4, 64, 256)
    reversed_ = ttnn.experimental.all_gather_async_reversed(part, dim=3, cluster_axis=1)
    yield together(reversed_, mesh, (2, 1)), torch.cat(expected.chunk(4, -1)[::-1], dim=-1)
    strided = ttnn.experimental.strided_all_gather_async(part, dim=3, cluster_axis=1, tiles_per_chunk=2)
    yield together(strided, mesh, (2, 1)), expected
    buffers = [spread(torch.zeros(1, 1, 64, 1024), mesh, (2, 3)) for _ in range(2)]
    for result in ttnn.experimental.ring_attention_all_gather_async(
        [part, part], buffers, dim=3, cluster_axis=1, mesh_device=mesh, topology=ttnn.Topology.Linear
    ):
        yield together(result, mesh, (2, 1)), expected


@COMPARED(
    "experimental.all_reduce", "experimental.reduce_scatter_async", "experimental.llama_reduce_scatter", exact=True
)
def summed_up(mesh):
    values = whole_numbers(2, 4, 32, 128)
    total = ttnn.experimental.all_reduce(spread(values, mesh, (0, 1)), cluster_axis=1)
    yield together(total, mesh, (0, 1)), values.sum(dim=1, keepdim=True).expand(2, 4, 32, 128)
    values = whole_numbers(1, 4, 64, 256)
    expected = values.sum(dim=1, keepdim=True)
    options = dict(cluster_axis=1, mesh_device=mesh)
    scattered = ttnn.experimental.reduce_scatter_async(spread(values, mesh, (2, 1)), 3, **options)
    yield together(scattered, mesh, (2, 3)), expected
    cut = ttnn.create_sharded_memory_config([1, 1, 32, 256], ttnn.CoreGrid(x=8, y=1), ttnn.ShardStrategy.WIDTH)
    sharded = ttnn.to_memory_config(spread(values, mesh, (2, 1)), cut)
    packets = spread(torch.zeros(1, 4, 64, 256), mesh, (2, 1))
    scattered = ttnn.experimental.llama_reduce_scatter(sharded, packets, 3, **options)
    yield together(scattered, mesh, (2, 3)), expected


@COMPARED("experimental.deepseek_moe_reduce_scatter", exact=True)
def parts_summed_up(mesh):
    """A tensor for each chip of a row: the chips of the row add theirs up, and each keeps the sum of its own."""
    parts = [whole_numbers(2, 4, 32, 64) + each for each in range(4)]
    tensors = [spread(each, mesh, (0, 1)) for each in parts]
    result = ttnn.experimental.deepseek_moe_reduce_scatter(tensors, ttnn.DRAM_MEMORY_CONFIG, 3, cluster_axis=1)
    yield together(result, mesh, (0, 1)), torch.stack([each.sum(1) for each in parts], dim=1)


@COMPARED(
    "experimental.all_gather_matmul", "experimental.all_gather_matmul_async", "experimental.matmul_reduce_scatter_async"
)
def products(mesh):
    """Chips have columns of the first operand; and, for sums of products, the rows of the second that go with them."""

    def put(values, mapper):
        return ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper)

    values, weights = torch.randn(1, 1, 64, 256).bfloat16().double(), torch.randn(1, 1, 256, 128).bfloat16().double()
    part, every = put(values, ttnn.ShardTensorToMesh(mesh, 3)), put(weights, ttnn.ReplicateTensorToMesh(mesh))
    older = ttnn.experimental.all_gather_matmul(part, every, 3, ttnn.CoreCoord(0, 0))
    for whole, product in (older, ttnn.experimental.all_gather_matmul_async(part, every, dim=3)):
        yield together(whole, mesh, (0, 1)), values.expand(2, 4, 64, 256)
        yield together(product, mesh, (0, 1)), (values @ weights).expand(2, 4, 64, 128)
    own = put(weights, ttnn.ShardTensorToMesh(mesh, 2))
    buffers = [spread(torch.zeros(2, 4, *shape), mesh, (0, 1)) for shape in ((64, 128), (64, 16))]
    product, slices = ttnn.experimental.matmul_reduce_scatter_async(part, own, *buffers, 3)
    sums = [each @ rows for each, rows in zip(values.chunk(8, 3), weights.chunk(8, 2))]
    yield together(product, mesh, (0, 1)), torch.cat(sums, dim=1).reshape(2, 4, 64, 128)
    yield ttnn.to_torch(slices, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=3)), values @ weights


@COMPARED(
    "experimental.all_to_all_async", "experimental.neighbor_pad_async", "experimental.slice_reshard_async", exact=True
)
def moved(mesh):
    values = whole_numbers(1, 1, 256, 256)
    line = ttnn.from_torch(
        values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, 2)
    )
    buffers = [spread(torch.zeros(2, 4, 256, 32), mesh, (0, 1)) for _ in range(2)]
    turned = ttnn.experimental.all_to_all_async(line, *buffers, 2, 3)
    yield ttnn.to_torch(turned, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=3)), values
    values = whole_numbers(2, 16, 4, 32)
    part = spread(values, mesh, (0, 1), layout=ttnn.ROW_MAJOR_LAYOUT)
    padded = ttnn.experimental.neighbor_pad_async(part, 1, 1, 2, "zeros", 1)
    around = torch.nn.functional.pad(values, (0, 0, 0, 0, 1, 2)).unfold(1, 7, 4).movedim(-1, 2)
    yield together(padded, mesh, (0, 1)), around.reshape(2, 28, 4, 32)
    again = ttnn.experimental.slice_reshard_async(padded, 1, 3, 8, 1)
    yield together(again, mesh, (0, 1)), around.reshape(2, 28, 4, 32)[:, 3:11]


@COMPARED("fused_rms_minimal")
def rms_norm_of_spread_rows(mesh):
    values, residual = torch.randn(1, 1, 64, 512).bfloat16(), torch.randn(1, 1, 64, 512).bfloat16()
    cut = ttnn.create_sharded_memory_config([1, 1, 32, 128], ttnn.CoreGrid(x=4, y=1), ttnn.ShardStrategy.WIDTH)
    part, added = (ttnn.to_memory_config(spread(each, mesh, (2, 3)), cut) for each in (values, residual))
    factors = torch.rand(4, 4, 32).bfloat16()
    weight = ttnn.from_torch(
        factors.reshape(1, 1, 16, 32), dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=mesh,
        mesh_mapper=ttnn.ShardTensor2dMesh(mesh, MESH, dims=(None, 2)),
    )  # fmt: skip
    program = ttnn.LayerNormShardedMultiCoreProgramConfig(
        compute_with_storage_grid_size=ttnn.CoreCoord(4, 1), subblock_w=1, block_h=1, block_w=1, inplace=False
    )
    stats = spread(torch.zeros(1, 1, 64, 512), mesh, (2, 3))
    result = ttnn.fused_rms_minimal(
        part, program, 1, mesh, residual_input_tensor=added, epsilon=1e-5, weight=weight, stats=stats
    )
    total = values.double() + residual.double()
    normal = total * (total.square().mean(-1, keepdim=True) + 1e-5).rsqrt()
    yield together(result, mesh, (2, 3)), normal * factors.flatten()
    yield together(added, mesh, (2, 3)), total


@pytest.mark.parametrize("name", COMPARED)
def test_experimental_collective(mesh, name):
    COMPARED.run(name, mesh)


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
