"""Meshes of devices: tensors cut for them and put together, operations on the parts, submeshes, refusals."""

import pytest
import torch

from tracelift import ttnn

SHAPES = [(1, 2), (2, 4), (4, 8)]


@pytest.fixture(params=SHAPES, ids=lambda shape: "x".join(map(str, shape)))
def mesh(request):
    with ttnn.create_mesh_device(ttnn.MeshShape(*request.param)) as device:
        yield device


@pytest.fixture
def mesh_2x4():
    with ttnn.create_mesh_device(ttnn.MeshShape(2, 4)) as device:
        yield device


def count(device):
    return device.get_num_devices()


def numbers(*shape):
    """Whole numbers that every dtype holds, those of block floats in blocks of 16 included."""
    return torch.randint(0, 32, shape, generator=torch.Generator().manual_seed(1)).float()


def parts_of(tensor):
    return [ttnn.to_torch(part) for part in ttnn.get_device_tensors(tensor)]


# --- the device ------------------------------------------------------------------------------------------------------


def test_facts_of_a_mesh(mesh):
    rows, columns = mesh.shape
    assert repr(mesh) == f"MeshDevice({rows}x{columns} grid, {rows * columns} devices)"
    assert mesh.get_device_ids() == list(range(rows * columns))
    assert mesh.get_device_id(ttnn.MeshCoordinate(rows - 1, columns - 1)) == rows * columns - 1
    view = mesh.get_view()
    assert view.shape() == mesh.shape and view.num_devices() == count(mesh)
    assert view.is_local(ttnn.MeshCoordinate(0, columns - 1))
    node = mesh.get_fabric_node_id(ttnn.MeshCoordinate(0, 1))
    assert repr(node) == "FabricNodeId(M0, D1)" and node.mesh_id == ttnn.MeshId(0) and node.chip_id == 1
    assert mesh.get_system_mesh_id() == 0 and mesh.board == "n150"
    with pytest.raises(RuntimeError, match="lies outside of a mesh"):
        mesh.get_device_id(ttnn.MeshCoordinate(rows, 0))


@pytest.mark.parametrize("board, shape", [("n150", (1, 1)), ("n300", (1, 2)), ("t3000", (2, 4)), ("galaxy", (4, 8))])
def test_without_a_shape_the_whole_system_is_opened(board, shape):
    with ttnn.create_mesh_device(board=board) as device:
        assert tuple(device.shape) == shape


def test_a_part_of_a_system_has_the_chips_that_lie_there():
    with ttnn.create_mesh_device(ttnn.MeshShape(2, 2), offset=ttnn.MeshCoordinate(0, 2), board="t3000") as device:
        assert device.get_device_ids() == [2, 3, 6, 7] and device.board == "t3000:eth"
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2), physical_device_ids=[5, 3]) as device:
        assert device.get_device_ids() == [5, 3]
    with ttnn.create_mesh_device(ttnn.MeshShape(8, 4), board="galaxy") as device:
        assert device.get_device_ids() == list(range(32))


def test_options_reach_the_mesh_and_its_submeshes():
    options = {"l1_small_size": 64, "trace_region_size": 128, "num_command_queues": 2, "worker_l1_size": 1000000}
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2), **options) as device:
        for opened in (device, device.create_submesh(ttnn.MeshShape(1, 1))):
            assert opened.trace_region_size == 128 and opened.num_command_queues == 2
            assert ttnn.get_memory_view(opened, ttnn.BufferType.L1_SMALL).total_bytes_per_bank == 64


def test_submeshes(mesh_2x4):
    right = mesh_2x4.create_submesh(ttnn.MeshShape(2, 2), ttnn.MeshCoordinate(0, 2))
    assert right.get_device_ids() == [2, 3, 6, 7] and right.id() != mesh_2x4.id()
    columns = mesh_2x4.create_submeshes(ttnn.MeshShape(2, 1))
    assert [column.get_device_ids() for column in columns] == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert mesh_2x4.get_submeshes() == [right, *columns]
    values = numbers(2, 64)
    tensor = ttnn.from_torch(values, device=right, mesh_mapper=ttnn.ShardTensorToMesh(right, dim=1))
    assert torch.equal(ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(right, dim=1)), values)
    ttnn.close_mesh_device(mesh_2x4)
    assert not right.is_open() and not tensor.is_allocated()


def test_reshape(mesh_2x4):
    mesh_2x4.reshape(ttnn.MeshShape(1, 8))
    assert mesh_2x4.get_device_ids() == [0, 1, 2, 3, 7, 6, 5, 4]  # a ring of neighbours
    mesh_2x4.reshape(ttnn.MeshShape(4, 2))
    assert mesh_2x4.get_device_ids() == list(range(8)) and list(mesh_2x4.shape) == [4, 2]


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda d: d.reshape(ttnn.MeshShape(2, 3)), "must have the same number of devices"),
        (lambda d: d.create_submesh(ttnn.MeshShape(3, 1)), "does not fit within parent mesh"),
        (lambda d: d.create_submesh(ttnn.MeshShape(1, 1), ttnn.MeshCoordinate(2, 0)), "fit within parent mesh"),
        (lambda d: d.create_submesh(ttnn.MeshShape(2)), "the same number of dimensions"),
        (lambda d: d.create_submeshes(ttnn.MeshShape(2, 3)), "is not divisible by submesh shape 2x3 along dimension 1"),
    ],
    ids=["reshape", "too_large", "offset", "rank", "indivisible"],
)
def test_what_a_mesh_cannot_be(mesh_2x4, change, message):
    with pytest.raises(RuntimeError, match=message):
        change(mesh_2x4)


# --- mappers and composers -------------------------------------------------------------------------------------------

KINDS = [
    (ttnn.bfloat16, ttnn.TILE_LAYOUT),
    (ttnn.float32, ttnn.ROW_MAJOR_LAYOUT),
    (ttnn.bfloat8_b, ttnn.TILE_LAYOUT),
    (ttnn.bfloat4_b, ttnn.TILE_LAYOUT),
    (ttnn.int32, ttnn.TILE_LAYOUT),
    (ttnn.uint16, ttnn.ROW_MAJOR_LAYOUT),
]


def made(values, device, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, **options):
    source = values if dtype in (ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b, ttnn.bfloat4_b) else values.int()
    return ttnn.from_torch(source, dtype=dtype, layout=layout, device=device, **options)


@pytest.mark.parametrize("dtype, layout", KINDS, ids=lambda kind: str(kind).rpartition(".")[2])
def test_shards_of_one_dimension(mesh, dtype, layout):
    n = count(mesh)
    values = numbers(1, 2, 32 * n, 64)
    if dtype == ttnn.bfloat4_b:
        values = torch.ones_like(values)
    tensor = made(values, mesh, dtype, layout, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=2))
    assert list(tensor.shape) == [1, 2, 32, 64] and tensor.device() is mesh and tensor.devices() == [mesh]
    expected = ttnn.to_torch(made(values, None, dtype, layout)).float()
    for part, chunk in zip(parts_of(tensor), expected.chunk(n, dim=2), strict=True):
        assert torch.equal(part.float(), chunk)
    whole = ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=2))
    assert torch.equal(whole.float(), expected)
    topology = tensor.tensor_topology()
    assert topology.placements() == [ttnn.PlacementShard(2)] and list(topology.distribution_shape()) == [n]
    assert topology.mesh_coords() == list(ttnn.MeshCoordinateRange(mesh.shape))


@pytest.mark.parametrize("dims", [(2, 3), (3, 2), (None, 3), (2, None), (None, None), (-1, -2)], ids=str)
def test_shards_of_two_dimensions(mesh, dims):
    rows, columns = mesh.shape
    values = numbers(1, 1, 256, 256)
    mapper = ttnn.ShardTensor2dMesh(mesh, mesh_shape=tuple(mesh.shape), dims=dims)
    tensor = made(values, mesh, mesh_mapper=mapper)
    grid = [part.float() for part in parts_of(tensor)]
    for row in range(rows):
        chunk = values if dims[0] is None else values.chunk(rows, dim=dims[0])[row]
        for column in range(columns):
            cell = chunk if dims[1] is None else chunk.chunk(columns, dim=dims[1])[column]
            assert torch.equal(grid[row * columns + column], cell)
    placements = [ttnn.PlacementReplicate() if dim is None else ttnn.PlacementShard(dim) for dim in dims]
    assert tensor.tensor_topology().placements() == placements
    assert tensor.tensor_topology().distribution_shape() == mesh.shape
    if None not in dims:
        composer = ttnn.ConcatMesh2dToTensor(mesh, mesh_shape=tuple(mesh.shape), dims=dims)
        assert torch.equal(ttnn.to_torch(tensor, mesh_composer=composer).float(), values)


def test_copies(mesh):
    values = numbers(32, 64)
    replicated = [ttnn.ReplicateTensorToMesh(mesh), ttnn.replicate_tensor_to_mesh_mapper(mesh), None]
    for mapper in replicated:
        tensor = made(values, mesh, mesh_mapper=mapper)
        assert len(parts_of(tensor)) == count(mesh)
        assert all(torch.equal(part.float(), values) for part in parts_of(tensor))
        assert tensor.tensor_topology().placements() == [ttnn.PlacementReplicate()]
        assert list(tensor.tensor_topology().distribution_shape()) == [count(mesh)]


def test_shards_smaller_than_tiles_are_padded_each(mesh_2x4):
    values = numbers(1, 80)
    tensor = made(values, mesh_2x4, mesh_mapper=ttnn.ShardTensorToMesh(mesh_2x4, dim=1))
    assert list(tensor.shape) == [1, 10] and list(tensor.padded_shape) == [32, 32]
    assert torch.equal(ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh_2x4, dim=1)).float(), values)


def test_memory_configs_are_those_of_a_shard(mesh_2x4):
    config = ttnn.create_sharded_memory_config([64, 64], ttnn.CoreGrid(x=1, y=2), ttnn.ShardStrategy.HEIGHT)
    values = numbers(512, 64)
    tensor = made(values, mesh_2x4, memory_config=config, mesh_mapper=ttnn.ShardTensorToMesh(mesh_2x4, dim=0))
    assert tensor.memory_config() == config and list(tensor.shape) == [64, 64]
    assert torch.equal(ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh_2x4, dim=0)).float(), values)


def test_mapper_and_composer_configs(mesh_2x4):
    values = numbers(4, 64)
    shard, copy = ttnn.PlacementShard, ttnn.PlacementReplicate()
    small = ttnn.MeshShape(2, 2)
    config = ttnn.MeshMapperConfig([shard(0), shard(1)], small)
    tensor = made(values, mesh_2x4, mesh_mapper=ttnn.create_mesh_mapper(mesh_2x4, config))
    assert [tuple(place) for place in tensor.tensor_topology().mesh_coords()] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert len(ttnn.get_device_tensors(tensor)) == 4
    composer = ttnn.create_mesh_composer(mesh_2x4, ttnn.MeshComposerConfig([0, 1], small))
    assert torch.equal(ttnn.to_torch(tensor, mesh_composer=composer).float(), values)
    for same in (ttnn.MeshMapperConfig(0, None), ttnn.MeshMapperConfig(row_dim=0)):
        assert same.placements == [shard(0), copy] and same.mesh_shape_override is None
    line = ttnn.MeshMapperConfig(placements=[shard(1)], mesh_shape_override=ttnn.MeshShape(8))
    tensor = made(values, mesh_2x4, mesh_mapper=ttnn.create_mesh_mapper(mesh_2x4, line))
    assert list(tensor.shape) == [4, 8]
    both = ttnn.create_mesh_composer(mesh_2x4, ttnn.MeshComposerConfig(0, 1))
    assert list(ttnn.to_torch(tensor, mesh_composer=both).shape) == [8, 32]


def test_fewer_chunks_than_devices_leave_the_last_ones_out(mesh_2x4):
    values = numbers(4, 32)
    tensor = made(values, mesh_2x4, mesh_mapper=ttnn.ShardTensorToMesh(mesh_2x4, dim=0))
    assert [list(part.shape) for part in ttnn.get_device_tensors(tensor)] == [[1, 32]] * 4
    assert torch.equal(ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh_2x4, dim=0)).float(), values)


def test_compute_distribution_to_mesh_mapping():
    def places(distribution, mesh):
        found = ttnn.compute_distribution_to_mesh_mapping(ttnn.MeshShape(*distribution), ttnn.MeshShape(*mesh))
        return [tuple(place) for place in found]

    assert places((2, 2), (2, 4)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert places((3,), (2, 2)) == [(0, 0), (0, 1), (1, 0)]


# --- tensors ---------------------------------------------------------------------------------------------------------


def test_host_tensors_keep_their_parts(mesh_2x4):
    values = numbers(1, 1, 64, 128)
    host = made(values, None, mesh_mapper=ttnn.ShardTensor2dMesh(mesh_2x4, (2, 4), dims=(2, 3)))
    assert host.device() is None and host.host_buffer().shape() == ttnn.MeshShape(2, 4)
    assert host.host_buffer().is_local(ttnn.MeshCoordinate(1, 3))
    assert not host.host_buffer().is_local(ttnn.MeshCoordinate(2, 0))
    rows = ttnn.to_layout(host, ttnn.ROW_MAJOR_LAYOUT)  # on the host
    whole = ttnn.to_dtype(rows, ttnn.float32)
    for tensor in (host, rows, whole, host.to(mesh_2x4), ttnn.to_device(rows, mesh_2x4), host.to(mesh_2x4).cpu()):
        assert torch.equal(torch.cat([part.float() for part in parts_of(tensor)[:4]], dim=3), values[:, :, :32])
        assert tensor.tensor_topology().placements() == [ttnn.PlacementShard(2), ttnn.PlacementShard(3)]


def test_copies_into_tensors_that_are_there(mesh_2x4):
    mapper = ttnn.ShardTensorToMesh(mesh_2x4, dim=0)
    first, second = numbers(256, 32), numbers(256, 32) + 1
    tensor = made(first, mesh_2x4, mesh_mapper=mapper)
    address = tensor.buffer_address()
    ttnn.copy_host_to_device_tensor(made(second, None, mesh_mapper=mapper), tensor)
    assert tensor.buffer_address() == address
    assert torch.equal(torch.cat(parts_of(tensor)).float(), second)
    host = ttnn.allocate_tensor_on_host(ttnn.Shape([32, 32]), ttnn.bfloat16, ttnn.TILE_LAYOUT, mesh_2x4)
    ttnn.copy_device_to_host_tensor(tensor, host)
    assert torch.equal(torch.cat(parts_of(host)).float(), second)


def test_device_tensors_are_taken_apart_and_put_together(mesh):
    values = numbers(32 * count(mesh), 32)
    tensor = made(values, mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))
    parts = ttnn.get_device_tensors(tensor)
    assert all(part.device() is mesh and part.buffer_address() == tensor.buffer_address() for part in parts)
    again = ttnn.combine_device_tensors(tensors=parts)
    assert again.buffer_address() == tensor.buffer_address()
    assert torch.equal(torch.cat(parts_of(again)).float(), values)
    others = [ttnn.get_device_tensors(ttnn.neg(tensor))[0], *parts[1:]]
    mixed = torch.cat(parts_of(ttnn.combine_device_tensors(tensors=others))).float()
    assert torch.equal(mixed, torch.cat([-values[:32], values[32:]]))
    shards = [part.cpu() for part in parts]
    host = ttnn.from_host_shards(shards, mesh.shape)
    assert torch.equal(torch.cat(parts_of(host.to(mesh))).float(), values)


def test_aggregate_and_distribute_tensor(mesh_2x4):
    values = numbers(32, 256)
    tensor = ttnn.distribute_tensor(made(values, None), ttnn.ShardTensorToMesh(mesh_2x4, dim=1), mesh_2x4)
    assert tensor.storage_type() == ttnn.StorageType.DEVICE and list(tensor.shape) == [32, 32]
    whole = ttnn.aggregate_tensor(tensor, ttnn.ConcatMeshToTensor(mesh_2x4, dim=1))
    assert whole.storage_type() == ttnn.StorageType.HOST and whole.layout == ttnn.TILE_LAYOUT
    assert torch.equal(ttnn.to_torch(whole).float(), values)


def test_distribute_sets_the_default(mesh_2x4):
    values = numbers(256, 32)
    before = ttnn.from_torch, ttnn.to_torch
    with ttnn.distribute(ttnn.ShardTensorToMesh(mesh_2x4, dim=0)):
        tensor = ttnn.from_torch(values, device=mesh_2x4)
    assert list(tensor.shape) == [32, 32]
    with pytest.raises(ZeroDivisionError), ttnn.distribute(ttnn.ConcatMeshToTensor(mesh_2x4, dim=0)):
        assert torch.equal(ttnn.to_torch(tensor), values)
        1 / 0
    assert (ttnn.from_torch, ttnn.to_torch) == before
    with pytest.raises(ValueError, match="either TensorToMesh or MeshToTensor"), ttnn.distribute(0):
        pass


def test_files_keep_all_parts(mesh_2x4, tmp_path):
    values = numbers(64, 128)
    tensor = made(values, mesh_2x4, mesh_mapper=ttnn.ShardTensor2dMesh(mesh_2x4, (2, 4), dims=(None, 1)))
    path = tmp_path / "x.tensorbin"
    ttnn.dump_tensor(path, tensor)
    assert path.stat().st_size < 2 * values.numel() * 2  # rows of the mesh are copies, which are stored once
    for loaded in (ttnn.load_tensor(path), ttnn.load_tensor(path, device=mesh_2x4)):
        assert loaded.tensor_topology().placements() == tensor.tensor_topology().placements()
        assert torch.equal(torch.cat(parts_of(loaded)[4:], dim=1).float(), values)


def test_as_tensor_caches_parts(mesh_2x4, tmp_path):
    values = numbers(256, 32)
    shard, copy = ttnn.ShardTensorToMesh(mesh_2x4, dim=0), ttnn.ReplicateTensorToMesh(mesh_2x4)
    for name, mapper in (("shards", shard), ("copies", copy)):
        options = {"dtype": ttnn.bfloat16, "layout": ttnn.TILE_LAYOUT, "device": mesh_2x4, "mesh_mapper": mapper}
        options |= {"memory_config": ttnn.DRAM_MEMORY_CONFIG, "cache_file_name": tmp_path / name}
        for source in (values, torch.zeros_like(values)):  # the second time from the file
            parts = parts_of(ttnn.as_tensor(source, **options))
            expected = values.chunk(8) if name == "shards" else [values] * 8
            assert all(torch.equal(part.float(), chunk) for part, chunk in zip(parts, expected, strict=True))


def test_printing_shows_every_part(mesh_2x4):
    tensor = ttnn.from_torch(torch.arange(8.0), device=mesh_2x4, mesh_mapper=ttnn.ShardTensorToMesh(mesh_2x4, dim=0))
    lines = str(tensor).splitlines()
    assert lines[0] == "device_id: 0, MeshCoordinate([0, 0])" and lines[-2] == "device_id: 7, MeshCoordinate([1, 3])"
    assert lines[-1].startswith("ttnn.Tensor([ 7.0000], shape=Shape([1])")
    assert str(tensor.cpu()).splitlines()[0] == "MeshCoordinate([0])"


def test_pictures(mesh_2x4, capsys):
    tensor = made(numbers(64, 32), mesh_2x4, mesh_mapper=ttnn.ShardTensor2dMesh(mesh_2x4, (2, 4), dims=(0, None)))
    ttnn.visualize_mesh_device(mesh_2x4)
    ttnn.visualize_tensor(tensor)
    ttnn.distributed.visualize_tensor(tensor.cpu())
    text = capsys.readouterr().out
    assert "MeshDevice(rows=2, cols=4)" in text and "Dev. ID: 7" in text
    assert "Tensor(storage: StorageType.DEVICE)" in text and "[32:64, :]" in text


# --- operations ------------------------------------------------------------------------------------------------------


def test_elementwise_operations_run_on_every_device(mesh):
    n = count(mesh)
    a, b = numbers(1, 1, 32 * n, 64), numbers(1, 1, 32, 64)
    shards = made(a, mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=2))
    copies = made(b, mesh, mesh_mapper=ttnn.ReplicateTensorToMesh(mesh))
    result = ttnn.relu(ttnn.subtract(ttnn.add(shards, copies), 20.0))
    assert result.tensor_topology().placements() == [ttnn.PlacementShard(2)]
    for part, chunk in zip(parts_of(result), a.chunk(n, dim=2), strict=True):
        assert torch.equal(part.float(), torch.relu(chunk + b - 20))


def test_products_of_shards_and_copies(mesh):
    n = count(mesh)
    a, b = numbers(1, 1, 32, 64), numbers(1, 1, 64, 32 * n)
    weights = made(b, mesh, ttnn.float32, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=3))
    product = ttnn.matmul(made(a, mesh, ttnn.float32), weights)
    whole = ttnn.to_torch(product, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=3))
    assert torch.allclose(whole, a @ b, rtol=0.02)
    for part, chunk in zip(parts_of(product), b.chunk(n, dim=3), strict=True):
        assert torch.allclose(part, a @ chunk, rtol=0.02)


def test_what_is_created_is_on_every_device(mesh):
    options = {"device": mesh, "layout": ttnn.TILE_LAYOUT}
    for tensor, value in (
        (ttnn.zeros([32, 32], **options), 0),
        (ttnn.ones([32, 32], **options), 1),
        (ttnn.full([32, 32], 3.0, **options), 3),
    ):
        assert len(parts_of(tensor)) == count(mesh)
        assert all(torch.equal(part.float(), torch.full((32, 32), float(value))) for part in parts_of(tensor))
    steps = ttnn.arange(0, 32, 1, device=mesh)
    assert all(part.flatten().tolist() == list(range(32)) for part in parts_of(steps))


def test_outputs_can_be_given(mesh_2x4):
    values = numbers(256, 32)
    shards = made(values, mesh_2x4, mesh_mapper=ttnn.ShardTensorToMesh(mesh_2x4, dim=0))
    output = ttnn.zeros([32, 32], device=mesh_2x4, layout=ttnn.TILE_LAYOUT)
    ttnn.add(shards, 1.0, output_tensor=output)
    assert torch.equal(torch.cat(parts_of(output)).float(), values + 1)
    assert output.tensor_topology().placements() == [ttnn.PlacementShard(0)]
    whole = ttnn.to_torch(output, mesh_composer=ttnn.ConcatMeshToTensor(mesh_2x4, dim=0))
    assert torch.equal(whole.float(), values + 1)


def test_traces_run_again_on_every_device():
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2), trace_region_size=1 << 20) as device:
        mapper = ttnn.ShardTensorToMesh(device, dim=0)
        first = made(numbers(64, 32), device, mesh_mapper=mapper)
        ttnn.neg(first)
        trace = ttnn.begin_trace_capture(device, cq_id=0)
        output = ttnn.neg(first)
        ttnn.end_trace_capture(device, trace, cq_id=0)
        values = numbers(64, 32) + 5
        ttnn.copy_host_to_device_tensor(made(values, None, mesh_mapper=mapper), first)
        ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
        assert torch.equal(torch.cat(parts_of(output)).float(), -values)


# --- on the part of one device ---------------------------------------------------------------------------------------

PARTS = 8


def shards_of(values, mesh):
    return made(values, mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))


def expected_with(values, number, part):
    """The values as shards, one of them replaced."""
    chunks = [chunk.clone() for chunk in values.chunk(PARTS)]
    chunks[number] = part
    return torch.cat(chunks)


@pytest.mark.parametrize("number", [0, 1, 7])
def test_one_part_is_changed_in_place(mesh_2x4, number):
    values = numbers(256, 32)
    tensor = shards_of(values, mesh_2x4)
    part = ttnn.get_device_tensors(tensor)[number]
    ttnn.add_(part, 100.0)
    changed = values.chunk(PARTS)[number] + 100
    assert torch.equal(torch.cat(parts_of(tensor)).float(), expected_with(values, number, changed))


@pytest.mark.parametrize("replicated", [False, True])
def test_one_part_is_given_as_output(mesh_2x4, replicated):
    values = numbers(256, 32)
    tensor = shards_of(values, mesh_2x4)
    if replicated:  # all chips share the bytes that one of them writes
        values = numbers(32, 32).repeat(PARTS, 1)
        tensor = made(values[:32], mesh_2x4)
    parts = ttnn.get_device_tensors(tensor)
    first = values.chunk(PARTS)[1]
    ttnn.multiply(parts[1], 2.0, output_tensor=parts[1])
    assert torch.equal(torch.cat(parts_of(tensor)).float(), expected_with(values, 1, first * 2))
    ttnn.subtract(shards_of(numbers(256, 32), mesh_2x4), 50.0, output_tensor=parts[1])  # of a whole tensor its part
    changed = numbers(256, 32).chunk(PARTS)[1] - 50
    assert torch.equal(torch.cat(parts_of(tensor)).float(), expected_with(values, 1, changed))


def test_a_whole_output_takes_one_part(mesh_2x4):
    values = numbers(256, 32)
    output = shards_of(values, mesh_2x4)
    part = ttnn.get_device_tensors(shards_of(values + 7, mesh_2x4))[3]
    assert ttnn.neg(part, output_tensor=output) is output
    assert torch.equal(torch.cat(parts_of(output)).float(), expected_with(values, 3, -(values.chunk(PARTS)[3] + 7)))
    assert output.tensor_topology().placements() == [ttnn.PlacementShard(0)]


def test_operations_on_parts_make_parts(mesh_2x4):
    values, weights = numbers(256, 32), numbers(32, 32) - 16
    parts = ttnn.get_device_tensors(shards_of(values, mesh_2x4))
    results = [ttnn.relu(ttnn.add(part, made(weights, mesh_2x4))) for part in parts]
    expected = torch.relu(values + weights.repeat(PARTS, 1))
    for result, chunk in zip(results, expected.chunk(PARTS), strict=True):
        assert result.device() is mesh_2x4 and torch.equal(ttnn.to_torch(result).float(), chunk)
    again = ttnn.combine_device_tensors(tensors=results)
    assert torch.equal(torch.cat(parts_of(again)).float(), expected)
    assert list(ttnn.to_torch(ttnn.sum(ttnn.matmul(parts[2], parts[2], transpose_b=True), dim=-1)).shape) == [32]
    pieces = ttnn.split(ttnn.reshape(parts[1], [16, 64]), 32, dim=1)
    assert torch.equal(ttnn.to_torch(pieces[1]).float(), values.chunk(PARTS)[1].reshape(16, 64)[:, 32:])


def test_dropout_of_a_part_is_that_of_its_device(mesh_2x4):
    tensor = made(torch.ones(64, 64), mesh_2x4)
    whole = parts_of(ttnn.experimental.dropout(tensor, 0.5, 2.0, 42))
    of_part = ttnn.experimental.dropout(ttnn.get_device_tensors(tensor)[5], 0.5, 2.0, 42)
    assert torch.equal(ttnn.to_torch(of_part), whole[5]) and not torch.equal(whole[5], whole[0])
    drawn = ttnn.get_device_tensors(tensor)[2]
    ttnn.uniform(drawn, 5.0, 6.0)
    assert [bool((part >= 5).all()) for part in parts_of(tensor)] == [number == 2 for number in range(PARTS)]


def test_parts_of_different_devices_do_not_meet(mesh_2x4):
    parts = ttnn.get_device_tensors(shards_of(numbers(256, 32), mesh_2x4))
    with pytest.raises(RuntimeError, match=r"parts on the same chip of a mesh, got some on \[0, 1\] and on \[1, 0\]"):
        ttnn.add(parts[1], parts[4])


# --- one device ------------------------------------------------------------------------------------------------------


def test_mappers_and_composers_change_nothing_on_one_device(device):
    values = torch.arange(8.0).reshape(2, 4)
    mappers = [ttnn.ReplicateTensorToMesh(device), ttnn.ShardTensorToMesh(device, dim=0)]
    mappers.append(ttnn.ShardTensor2dMesh(device, (1, 1), dims=(0, None)))
    for mapper in mappers:
        tensor = ttnn.from_torch(values, device=device, mesh_mapper=mapper)
        assert torch.equal(ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(device, dim=0)), values)
        assert tensor.tensor_topology().placements() == [ttnn.PlacementReplicate()]
        assert ttnn.get_device_tensors(tensor)[0].buffer_address() == tensor.buffer_address()


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda d, t: ttnn.from_torch(torch.ones(2), mesh_mapper="x"), TypeError, "from_torch.* TensorToMesh, not str"),
        (lambda d, t: ttnn.as_tensor(torch.ones(2), mesh_mapper=0), TypeError, "as_tensor.* TensorToMesh, not int"),
        (lambda d, t: ttnn.to_torch(t, mesh_composer=0), TypeError, "to_torch.* MeshToTensor, not int"),
        (lambda d, t: ttnn.distribute_tensor(t, 1), TypeError, "TensorToMesh, not int"),
        (lambda d, t: ttnn.aggregate_tensor(t, "x"), TypeError, "MeshToTensor, not str"),
        (lambda d, t: ttnn.ShardTensor2dMesh(d, (4, 4), (0, 1)), RuntimeError, "4x4 devices does not fit a mesh"),
        (lambda d, t: ttnn.ShardTensor2dMesh(d, (2, 4), (0,)), RuntimeError, "2x4 has 2 dimensions, but 1 is given"),
        (lambda d, t: ttnn.ConcatMesh2dToTensor(d, (2, 4), (1, 1)), ValueError, "must be different"),
        (lambda d, t: ttnn.ConcatMesh2dToTensor(d, (3, 4), (0, 1)), RuntimeError, "does not fit a mesh of 2x4"),
        (lambda d, t: ttnn.from_host_shards([t], ttnn.MeshShape(1, 2)), RuntimeError, "needs 2 tensors"),
        (lambda d, t: ttnn.combine_device_tensors(tensors=[t]), RuntimeError, "from_host_shards"),
        (lambda d, t: ttnn.dump_tensor("x.tensorbin", t, distribute={}), RuntimeError, "leave `distribute` out"),
    ],
    ids="from_torch as_tensor to_torch distribute aggregate grid rank same_dims concat shards combine dump".split(),
)
def test_refusals(mesh_2x4, call, error, message):
    with pytest.raises(error, match=message):
        call(mesh_2x4, ttnn.from_torch(torch.ones(2)))


def test_chunks_of_different_sizes_are_refused(mesh_2x4):
    with pytest.raises(RuntimeError, match="all devices must get the same shape"):
        made(numbers(20, 32), mesh_2x4, mesh_mapper=ttnn.ShardTensorToMesh(mesh_2x4, dim=0))


@pytest.mark.parametrize("read", [ttnn.to_torch, lambda t: t.to_torch(), lambda t: t.to_numpy(), lambda t: t.to_list()])
def test_several_parts_are_no_array(mesh_2x4, read):
    tensor = made(numbers(32, 32), mesh_2x4)
    with pytest.raises(RuntimeError, match="Supply a mesh composer .* ttnn.get_device_tensors"):
        read(tensor)
    assert list(read(ttnn.get_device_tensors(tensor)[3]))


def test_parts_do_not_go_to_a_smaller_mesh(mesh_2x4, device):
    host = made(numbers(256, 32), None, mesh_mapper=ttnn.ShardTensorToMesh(mesh_2x4, dim=0))
    with pytest.raises(RuntimeError, match="a tensor of 8 parts does not fit 1 chips"):
        host.to(device)


# --- what hardware needs besides -------------------------------------------------------------------------------------


def test_global_semaphores(mesh_2x4):
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (7, 7))])
    one, two = (ttnn.create_global_semaphore(mesh_2x4, cores, 0) for _ in range(2))
    assert ttnn.get_global_semaphore_address(one) != ttnn.get_global_semaphore_address(two)
    ttnn.reset_global_semaphore_value(one, 3)
    assert one.value == 3 and two.value == 0
    assert isinstance(one, ttnn._ttnn.global_semaphore.global_semaphore)


def test_fabric():
    with pytest.raises(RuntimeError, match="needs a fabric"):
        ttnn.get_tt_fabric_max_payload_size_bytes()
    router = ttnn.FabricRouterConfig()
    router.max_packet_payload_size_bytes = 8192
    modes = (ttnn.FabricReliabilityMode.RELAXED_INIT, None, ttnn.FabricTensixConfig.MUX)
    ttnn.set_fabric_config(
        ttnn.FabricConfig.FABRIC_1D, *modes, ttnn.FabricUDMMode.DISABLED, ttnn.FabricManagerMode.DEFAULT, router
    )
    try:
        assert ttnn.get_tt_fabric_max_payload_size_bytes() == 8192
        assert ttnn.get_tt_fabric_packet_header_size_bytes() == 48
    finally:
        ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)
    with pytest.raises(TypeError, match="reliability_mode takes a FabricReliabilityMode, not int"):
        ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D, 1)


def test_sockets(mesh_2x4):
    sender = ttnn.MeshCoreCoord(ttnn.MeshCoordinate(0, 1), ttnn.CoreCoord(2, 3))
    receiver = ttnn.MeshCoreCoord(ttnn.MeshCoordinate(1, 0), ttnn.CoreCoord(0, 0))
    assert repr(sender) == "MeshCoreCoord(device=MeshCoordinate([0, 1]), core=(2,3))"
    memory = ttnn.SocketMemoryConfig(ttnn.BufferType.L1, 4096)
    config = ttnn.SocketConfig([ttnn.SocketConnection(sender, receiver)], memory)
    left, right = ttnn.create_socket_pair(mesh_2x4, mesh_2x4, config)
    assert left.get_active_cores() == [sender] and right.get_active_cores() == [receiver]
    assert right.get_socket_endpoint_type() == ttnn.SocketEndpoint.RECEIVER and left.get_mesh_device() is mesh_2x4
    node = left.get_fabric_node_id(ttnn.SocketEndpoint.RECEIVER, ttnn.MeshCoordinate(1, 0))
    assert repr(node) == "FabricNodeId(M0, D4)"
    elsewhere = ttnn.MeshCoreCoord(ttnn.MeshCoordinate(2, 0), ttnn.CoreCoord(0, 0))
    with pytest.raises(RuntimeError, match="lies outside of a mesh"):
        ttnn.MeshSocket(mesh_2x4, ttnn.SocketConfig([ttnn.SocketConnection(elsewhere, receiver)], memory))


def test_one_host(monkeypatch):
    assert not ttnn.using_distributed_env()
    monkeypatch.setattr("tracelift.ttnn._distributed_context._initialized", False)
    with pytest.raises(RuntimeError, match="Distributed context not initialized"):
        ttnn.distributed_context_get_rank()
    ttnn.init_distributed_context()
    assert repr(ttnn.distributed_context_get_rank()) == "Rank(0)" and ttnn.distributed_context_get_size() == 1
    ttnn.distributed_context_barrier()


def test_the_system(monkeypatch):
    monkeypatch.setenv("TRACELIFT_BOARD", "t3000")
    assert ttnn.get_num_devices() == 8 and ttnn.get_num_pcie_devices() == 4
    assert ttnn.cluster.get_cluster_type() is ttnn.cluster.ClusterType.T3K
    system = ttnn._ttnn.multi_device.SystemMeshDescriptor()
    assert system.shape() == ttnn.MeshShape(2, 4) and system.get_device_id(ttnn.MeshCoordinate(1, 1)) == 5
    assert system.all_local() and system.is_local(ttnn.MeshCoordinate(1, 3))
    assert ttnn.device.get_default_dispatch_core_type() == ttnn.DispatchCoreType.ETH


def test_every_board_has_a_cluster_type(monkeypatch):
    for board in ttnn._ttnn.board_names():
        monkeypatch.setenv("TRACELIFT_BOARD", board)
        assert ttnn.cluster.get_cluster_type().name == ttnn._ttnn.find_system(board).cluster_type
        assert len(ttnn.get_device_ids()) == ttnn.GetNumAvailableDevices() >= ttnn.GetNumPCIeDevices()
