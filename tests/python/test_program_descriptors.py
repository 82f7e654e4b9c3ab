"""Programs that users write themselves: values that can be built, and what says that they cannot run."""

import copy

import pytest
import torch

import ttnn

CORES = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))])


def sharded(device, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT):
    config = ttnn.create_sharded_memory_config((64, 64), ttnn.CoreGrid(x=2, y=1), ttnn.ShardStrategy.HEIGHT)
    return ttnn.from_torch(torch.rand(64, 64), dtype=dtype, layout=layout, device=device, memory_config=config)


def kernel(source="kernels/reader.cpp", cores=CORES, config=None, **more):
    return ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH,
        core_ranges=cores,
        config=config or ttnn.ReaderConfigDescriptor(),
        **more,
    )


def program(tensors):
    """As the tests of generic_op build one."""
    buffers = [ttnn.cb_descriptor_from_sharded_tensor(index, tensor) for index, tensor in enumerate(tensors)]
    compute = ttnn.ComputeConfigDescriptor(math_fidelity=ttnn.MathFidelity.LoFi)
    kernels = [kernel(compile_time_args=[0, 1]), kernel("kernels/compute.cpp", config=compute)]
    return ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=buffers)


def test_tiles():
    assert ttnn.TileDescriptor() == ttnn.TileDescriptor(32, 32) == ttnn.TileDescriptor(ttnn.Tile((32, 32)))
    small = ttnn.TileDescriptor(ttnn.TileDescriptor(1, 32, True))
    assert (small.height, small.width, small.transpose) == (1, 32, True)
    assert repr(small) == "TileDescriptor(height=1, width=32, transpose=True)"


def test_circular_buffers():
    form = ttnn.CBFormatDescriptor(buffer_index=3, data_format=ttnn.bfloat8_b, page_size=1088, tile=ttnn.Tile((16, 32)))
    buffer = ttnn.CBDescriptor(total_size=2176, core_ranges=CORES, format_descriptors=[form])
    assert buffer.format_descriptors[0].tile == ttnn.TileDescriptor(16, 32) and buffer.address_offset == 0
    same = ttnn.CBDescriptor(2176, CORES, [copy.copy(form)])
    assert same == buffer and ttnn.get_cb_address(buffer) == 0
    same.total_size = 4352
    assert same != buffer and "total_size=4352" in repr(same)
    assert ttnn.CBFormatDescriptor().buffer_index == 0


def test_circular_buffers_in_the_memory_of_tensors(device):
    tensor = sharded(device)
    buffer = ttnn.cb_descriptor_from_sharded_tensor(5, tensor)
    assert buffer.total_size == 2 * 2048 and buffer.core_ranges == CORES
    form = buffer.format_descriptors[0]
    assert (form.buffer_index, form.data_format, form.page_size) == (5, ttnn.bfloat16, 2048)
    assert ttnn.get_cb_address(buffer) == tensor.buffer_address()
    part = ttnn.cb_descriptor_from_sharded_tensor(5, tensor, address_offset=2048, total_size=2048)
    assert ttnn.get_cb_address(part) == tensor.buffer_address() + 2048
    with pytest.raises(RuntimeError, match="Address offset \\+ total size exceeds buffer size"):
        ttnn.cb_descriptor_from_sharded_tensor(5, tensor, address_offset=2048, total_size=4096)
    with pytest.raises(RuntimeError, match="Tensor must be sharded to automatically create a CBDescriptor"):
        ttnn.cb_descriptor_from_sharded_tensor(5, ttnn.to_memory_config(tensor, ttnn.DRAM_MEMORY_CONFIG))
    rows = sharded(device, ttnn.float32, ttnn.ROW_MAJOR_LAYOUT)
    assert ttnn.cb_descriptor_from_sharded_tensor(0, rows).format_descriptors[0].page_size == 64 * 4


def test_runtime_arguments():
    args = ttnn.RuntimeArgs()
    args[0][0] = [1, 2]
    args[1][0] = (3,)
    args[1].append(0, 4)
    args[1].extend(0, [5, 6])
    args.append(ttnn.CoreCoord(2, 2), [7])
    assert args[0][0] == [1, 2] and args[1][0] == [3, 4, 5, 6] and len(args) == 3
    args[0][0][1] = 9
    assert args[0][0] == [1, 9] and isinstance(args[0], ttnn.RuntimeArgsColProxy)
    assert args.get(2) == (ttnn.CoreCoord(2, 2), [7]) and list(args) == args.to_list()
    with pytest.raises(IndexError, match=r"no runtime arguments for core \(5, 5\)"):
        args[5][5]
    assert args == ttnn.RuntimeArgs(args.to_list())
    args.clear()
    assert len(args) == 0 and repr(args) == "RuntimeArgs([])"


def test_kernels():
    made = kernel(runtime_args=[(ttnn.CoreCoord(0, 0), [1, 2])], defines=[("A", "1")])
    assert made.runtime_args[0][0] == [1, 2] and made.opt_level is None and made.common_runtime_args == []
    made.runtime_args = ttnn.RuntimeArgs([((1, 0), [3])])
    assert len(made.runtime_args) == 1 and made == copy.deepcopy(made)
    moving = ttnn.DataMovementConfigDescriptor(
        processor=ttnn.DataMovementProcessor.RISCV_1, noc=ttnn.NOC.NOC_1, noc_mode=ttnn.NOC_MODE.DM_DYNAMIC_NOC
    )
    assert kernel(config=moving).config.noc == ttnn.NOC.RISCV_1_default
    assert ttnn.DataMovementConfigDescriptor().noc == ttnn.NOC.NOC_0
    assert kernel(config=ttnn.WriterConfigDescriptor()) != kernel(config=ttnn.ReaderConfigDescriptor())
    with pytest.raises(TypeError, match="argument 'core_ranges' is missing"):
        ttnn.KernelDescriptor("x.cpp", config=ttnn.ReaderConfigDescriptor())
    with pytest.raises(TypeError, match="'config' must be a descriptor, not int"):
        kernel(config=5)


def test_semaphores():
    semaphore = ttnn.SemaphoreDescriptor(id=1, core_ranges=CORES, initial_value=0)
    assert semaphore.core_type == ttnn.CoreType.WORKER and "initial_value=0" in repr(semaphore)
    with pytest.raises(AttributeError, match="id is read-only"):
        semaphore.id = 2
    semaphore.initial_value = 3
    assert semaphore == ttnn.SemaphoreDescriptor(1, ttnn.CoreType.WORKER, CORES, 3)


def test_programs_on_a_mesh(device):
    one, other = program([sharded(device)]), ttnn.ProgramDescriptor()
    left = ttnn.MeshCoordinateRange(ttnn.MeshCoordinate(0, 0), ttnn.MeshCoordinate(0, 0))
    right = ttnn.MeshCoordinateRange(ttnn.MeshCoordinate(0, 1), ttnn.MeshCoordinate(0, 1))
    both = ttnn.MeshProgramDescriptor({left: one})
    assert left in both and right not in both and both[left] is one
    with pytest.raises(RuntimeError, match="has no program for"):
        both[right]
    both[right] = other
    assert [place for place, _ in both] == [left, right]


def test_programs_on_different_cores_can_be_merged():
    def on(x):
        return ttnn.ProgramDescriptor(kernels=[kernel(cores=ttnn.CoreRangeSet([ttnn.CoreRange((x, 0), (x, 1))]))])

    merged = ttnn.merge_program_descriptors([on(0), on(1)])
    assert [each.core_ranges.num_cores() for each in merged.kernels] == [2, 2]
    with pytest.raises(RuntimeError, match="Cannot merge ProgramDescriptors with overlapping kernel core ranges"):
        ttnn.merge_program_descriptors([on(0), on(1), on(0)])


def test_where_a_tensor_is(device):
    in_l1, in_dram = sharded(device), ttnn.from_torch(torch.rand(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
    args = [ttnn.TensorAccessorArgs(tensor) for tensor in (in_l1, in_dram)]
    assert [each.get_compile_time_args() for each in args] == [[1, 2048], [2, 4096]]
    assert args[0].get_common_runtime_args() == []


def test_running_one_says_why_it_cannot(device):
    x, y = sharded(device), sharded(device)
    descriptor = program([x, y])
    with pytest.raises(
        NotImplementedError, match="ttnn.generic_op is not emulated: kernels that users write are programs"
    ):
        ttnn.generic_op([x, y], descriptor)
    with pytest.raises(RuntimeError, match="an input and an output tensor are needed, got 1"):
        ttnn.generic_op([x], descriptor)
    with pytest.raises(RuntimeError, match="must be on the device"):
        ttnn.generic_op([x, ttnn.from_torch(torch.ones(1))], descriptor)
    with pytest.raises(TypeError, match="not a program descriptor: dict"):
        ttnn.generic_op([x, y], {})


def test_it_is_traced_where_nothing_runs(device):
    x, y = sharded(device), sharded(device)
    descriptor = program([x, y])
    with ttnn.graph.capture(ttnn.graph.RunMode.NO_DISPATCH) as graph:
        result = ttnn.generic_op([x, y], descriptor)
    assert result is y
    calls = [node for node in graph if node["node_type"] == "function_start"]
    assert [node["params"]["name"] for node in calls] == ["ttnn::generic_op"]
    assert "kernels/compute.cpp" in str(calls[0]["arguments"])


def test_connections_between_chips():
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2)) as mesh:
        source, target = (mesh.get_fabric_node_id(ttnn.MeshCoordinate(0, column)) for column in range(2))
        descriptor, core = ttnn.ProgramDescriptor(), ttnn.CoreCoord(0, 0)
        args = ttnn.setup_fabric_connection(source, target, 0, descriptor, core)
        assert all(isinstance(value, int) for value in args) and len(descriptor.semaphores) == 2
        more = ttnn.setup_routing_plane_connection(source, [target], [0], descriptor, 0, core)
        assert len(more) > 2 and [semaphore.id for semaphore in descriptor.semaphores] == [0, 1, 2, 3]


def test_shared_circular_buffers_take_memory(device, allocated_bytes):
    before = allocated_bytes()[1]
    mapping = [(ttnn.CoreCoord(0, 0), ttnn.CoreRangeSet([ttnn.CoreRange((1, 0), (2, 0))]))]
    buffer = ttnn.create_global_circular_buffer(device, mapping, 4096)
    assert type(buffer) is ttnn._ttnn.global_circular_buffer.global_circular_buffer
    assert allocated_bytes()[1] - before == 4096 and "size=4096" in repr(buffer)
    a = ttnn.from_torch(torch.rand(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
    assert list(ttnn.linear(a, a, global_cb=buffer).shape) == [32, 32]
    del buffer
    assert allocated_bytes()[1] == before


def test_semaphores_as_arguments(device):
    one = ttnn.create_global_semaphore(device, CORES, 0)
    kind = ttnn._ttnn.operations.experimental.ccl_experimental.GlobalSemaphoreArg
    assert kind(one) == kind([one]) and kind(one).semaphores == [one]
    with pytest.raises(TypeError, match="takes global semaphores, not int"):
        kind(5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ttnn.light_metal_begin_capture(),
        lambda: ttnn.light_metal_end_capture(),
        lambda: ttnn.LightMetalReplay.create(None),
        lambda: ttnn._ttnn.multi_device.experimental.generate_blitz_decode_pipeline(None),
    ],
)
def test_what_else_is_not_emulated_says_so(call):
    with pytest.raises(NotImplementedError, match="is not emulated: "):
        call()
