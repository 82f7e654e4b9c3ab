"""Operations that consist of others, and sockets between meshes, compared with torch."""

import pytest
import torch

import ttnn


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture
def mesh():
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2)) as mesh:
        yield mesh


def socket_pair(sender, receiver, places):
    core = ttnn.CoreCoord(0, 0)
    connections = [
        ttnn.SocketConnection(
            ttnn.MeshCoreCoord(ttnn.MeshCoordinate(0, source), core),
            ttnn.MeshCoreCoord(ttnn.MeshCoordinate(0, target), core),
        )
        for source, target in places
    ]
    config = ttnn.SocketConfig(connections, ttnn.SocketMemoryConfig(ttnn.BufferType.L1, 4096))
    return ttnn.create_socket_pair(sender, receiver, config)


def test_tensors_go_through_sockets(mesh):
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2)) as other:
        sender, receiver = socket_pair(mesh, other, [(0, 1), (1, 0)])
        values = torch.rand(2, 1, 32, 32)
        x = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, 0))
        y = ttnn.allocate_tensor_on_device(x.spec, other)
        ttnn.experimental.send_async(x, sender)
        ttnn.deallocate(x)
        ttnn.experimental.recv_async(y, receiver)
        parts = [ttnn.to_torch(part) for part in ttnn.get_device_tensors(y)]
        assert torch.equal(parts[0][0], values[1]) and torch.equal(parts[1][0], values[0])
        with pytest.raises(RuntimeError, match="nothing was sent through this socket"):
            ttnn.experimental.recv_async(y, receiver)
        with pytest.raises(RuntimeError, match="send_async takes the sender of a pair"):
            ttnn.experimental.send_async(y, receiver)
        with pytest.raises(TypeError, match="takes a MeshSocket, not int"):
            ttnn.experimental.recv_async(y, 5)


def test_tensors_arrive_in_the_order_in_which_they_were_sent(device):
    sender, receiver = socket_pair(device, device, [(0, 0)])
    first, second = (ttnn.from_torch(torch.full((4, 8), value), device=device) for value in (1.0, 2.0))
    for tensor in (first, second):
        ttnn.experimental.send_async(tensor, sender)
    target = ttnn.from_torch(torch.zeros(4, 8), device=device)
    for value in (1.0, 2.0):
        ttnn.experimental.recv_async(target, receiver)
        assert torch.equal(ttnn.to_torch(target), torch.full((4, 8), value))


def test_tensors_of_numbers(device):
    tensor = ttnn.from_buffer([1, 2, 3, 4, 5, 6], ttnn.Shape([2, 3]), ttnn.int32, device, ttnn.ROW_MAJOR_LAYOUT)
    assert ttnn.to_torch(tensor).tolist() == [[1, 2, 3], [4, 5, 6]] and tensor.device() is device
    tiled = ttnn.from_buffer(
        buffer=[0.5] * 1024,
        shape=[32, 32],
        dtype=ttnn.bfloat16,
        device=device,
        layout=ttnn.TILE_LAYOUT,
        memory_config=ttnn.L1_MEMORY_CONFIG,
    )
    assert tiled.memory_config() == ttnn.L1_MEMORY_CONFIG and ttnn.to_torch(tiled).float().sum() == 512


@pytest.mark.parametrize("with_bias", [True, False])
def test_a_product_in_a_gated_sum(device, with_bias):
    shapes = [(64, 96), (96, 32), (64, 32), (64, 32), (1, 32)]
    x, w, residual, gate, bias = (torch.rand(1, 1, *shape) for shape in shapes)
    given = [
        ttnn.from_torch(each, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        for each in (x, w, residual, gate, bias)
    ]
    result = ttnn.experimental.dit_minimal_matmul_addcmul_fused(
        *given[:2], 0.5, *given[2:4], bias_tensor=given[4] if with_bias else None
    )
    expected = torch.addcmul(residual, x @ w + (bias if with_bias else 0), gate, value=0.5)
    torch.testing.assert_close(ttnn.to_torch(result).float(), expected, rtol=2e-2, atol=5e-2)


def test_heads_of_all_devices_side_by_side(mesh):
    heads, width, users = 8, 32, 2
    values = torch.rand(1, users * 2, heads, width)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (users * 2 - 1, 0))])
    x = ttnn.from_torch(
        values,
        dtype=ttnn.bfloat16,
        layout=ttnn.TILE_LAYOUT,
        device=mesh,
        mesh_mapper=ttnn.ShardTensorToMesh(mesh, 1),
    )
    semaphore = ttnn.create_global_semaphore(mesh, cores, 0)
    gathered = ttnn.to_memory_config(
        ttnn.all_gather(x, 1),
        ttnn.create_sharded_memory_config(
            (32, width), cores, ttnn.ShardStrategy.HEIGHT, use_height_and_width_as_shard_shape=True
        ),
    )
    wanted = ttnn.to_torch(
        ttnn.get_device_tensors(ttnn.experimental.nlp_concat_heads_decode(gathered, num_heads=heads))[0]
    )
    result = ttnn.experimental.all_gather_concat(
        x,
        None,
        1,
        cluster_axis=1,
        mesh_device=mesh,
        topology=ttnn.Topology.Linear,
        multi_device_global_semaphore=semaphore,
        num_links=1,
        num_heads=heads,
        memory_config=ttnn.DRAM_MEMORY_CONFIG,
    )
    for part in ttnn.get_device_tensors(result):
        assert torch.equal(ttnn.to_torch(part), wanted)
    assert torch.equal(wanted[0, 0, : users * 2], values.bfloat16().reshape(users * 2, heads * width))
