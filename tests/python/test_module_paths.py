"""Paths by which models and tests import names of ttnn."""

import importlib
import inspect
import pkgutil
import subprocess
import sys
import types
from unittest import mock

import pytest
import torch

import tracelift.ttnn
import ttnn
from tracelift.ttnn import _exports


def test_the_package_is_in_itself():
    assert ttnn.ttnn is ttnn and ttnn.ttnn.distributed is ttnn.distributed
    assert ttnn.distributed.distributed is ttnn.distributed


@pytest.mark.parametrize("path", sorted(_exports.EXPORTS))
def test_every_module_can_be_imported_and_has_its_names(path):
    module = importlib.import_module(f"ttnn.{path}")
    assert module is importlib.import_module(f"tracelift.ttnn.{path}")
    for name, target in _exports.targets(_exports.EXPORTS[path]).items():
        if target.startswith("moreh_") and not hasattr(ttnn, target):
            continue
        assert getattr(module, name) is _exports.resolve(target), f"{path}.{name}"
        assert name in dir(module)


def test_names_exist_once():
    from ttnn.device import Arch, is_wormhole_b0
    from ttnn.distributed.distributed import ConcatMeshToTensor
    from ttnn.operations.conv2d import Conv2dConfig
    from ttnn.types import BlackholeComputeKernelConfig

    assert Conv2dConfig is ttnn.Conv2dConfig and ConcatMeshToTensor is ttnn.ConcatMeshToTensor
    assert BlackholeComputeKernelConfig is ttnn.BlackholeComputeKernelConfig
    assert is_wormhole_b0() and Arch.BLACKHOLE.name == "BLACKHOLE"
    assert ttnn._ttnn.tensor.Tensor is ttnn.Tensor and ttnn._ttnn.device.SubDeviceId is ttnn.SubDeviceId
    assert ttnn._ttnn.operations.ccl.Topology is ttnn.Topology
    assert ttnn._ttnn.fabric.FabricRouterConfig is ttnn.FabricRouterConfig
    assert ttnn._ttnn.operations.experimental.rotary_embedding is ttnn.experimental.rotary_embedding


def test_a_star_import_takes_the_names():
    names = {}
    exec("from ttnn.types import *", names)
    assert names["bfloat16"] is ttnn.bfloat16 and names["NOC"] is ttnn.NOC


def test_every_path_of_the_compiled_module_can_be_imported():
    for part in tracelift.ttnn._namespace.compiled_parts():
        module = importlib.import_module(f"ttnn._ttnn.{part}")
        assert isinstance(module, types.ModuleType) and module.Tensor is ttnn.Tensor
    with pytest.raises(AttributeError, match="module 'ttnn._ttnn.operations.conv' has no attribute 'no_such_thing'"):
        ttnn._ttnn.operations.conv.no_such_thing


@pytest.mark.parametrize(
    "path",
    [
        "multi_device.MeshDevice",
        "tensor.MemoryConfig",
        "device.MemoryView",
        "global_semaphore.global_semaphore",
        "global_circular_buffer.global_circular_buffer",
        "operations.experimental.ccl_experimental.GlobalSemaphoreArg",
        "operations.ccl.Topology",
    ],
)
def test_compiled_names_are_types_for_annotations(path):
    value = ttnn._ttnn
    for part in path.split("."):
        value = getattr(value, part)
    assert isinstance(value, type)
    assert value | None


def test_own_modules_can_all_be_imported():
    """Also in a process of its own each, so that none relies on another one's import."""
    names = [info.name for info in pkgutil.iter_modules(tracelift.ttnn.__path__)]
    program = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module('tracelift.ttnn.' + name)"
    result = subprocess.run([sys.executable, "-c", program, *reversed(names)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_import_needs_no_torch_and_loads_no_module_that_nobody_uses():
    program = "import ttnn, sys; print([name for name in ('torch', 'numpy', 'networkx', 'graphviz', 'rich') if name in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", "from tracelift import _import_fallback as f; f.install()\n" + program],
        capture_output=True,
        text=True,
    )
    assert result.stdout == "[]\n", result.stderr


def test_unknown_names_below_a_table_are_suggested():
    with pytest.raises(
        AttributeError, match="'ttnn.operations.conv2d' has no attribute 'Conv2dConfg'; did you mean Conv2dConfig"
    ):
        ttnn.operations.conv2d.Conv2dConfg


def test_core():
    assert ttnn.core.divup(65, 32) == 3 and ttnn.core.roundup(65, 32) == 96 and ttnn.core.roundup(64, 32) == 64
    tensor = ttnn.from_torch(torch.zeros(3, 32), layout=ttnn.TILE_LAYOUT)
    assert ttnn.core.has_tile_padding(tensor) and not ttnn.core.is_sharded(tensor)


def test_reflection():
    from ttnn.reflection import pop_argument

    assert pop_argument("x", (1, 2), {"y": 3}) == (1, (2,), {"y": 3})
    assert pop_argument("x", (), {"x": 1, "y": 3}) == (1, (), {"y": 3})
    with pytest.raises(ValueError, match="Missing argument: x"):
        pop_argument("x", (), {"y": 3})


def test_profilers_have_nothing_to_say(device):
    ttnn.profiler.start_tracy_zone("file.py", "function", 1)
    assert ttnn.profiler.stop_tracy_zone() is True
    assert ttnn.profiler.tracy_message("here") is None and ttnn.profiler.tracy_frame() is None
    ttnn.ReadDeviceProfiler(device)
    assert ttnn.get_latest_programs_perf_data() == ttnn.get_all_programs_perf_data() == {}


# --- devices ----------------------------------------------------------------------------------------------------------


def test_defaults_of_dispatch(monkeypatch):
    worker, eth = ttnn.DispatchCoreType.WORKER, ttnn.DispatchCoreType.ETH
    row, col = ttnn.DispatchCoreAxis.ROW, ttnn.DispatchCoreAxis.COL
    expected = {
        "n150": (worker, row),
        "n300": (eth, row),
        "t3000": (eth, row),
        "galaxy": (worker, row),
        "p150": (worker, col),
    }
    for board, (kind, axis) in expected.items():
        monkeypatch.setenv("TRACELIFT_BOARD", board)
        assert ttnn.device.get_default_dispatch_core_type() == kind
        assert ttnn.device.get_default_dispatch_core_axis() == axis
        config = ttnn.DispatchCoreConfig(None, None, None)
        assert (config.type, config.axis) == (kind, axis)
    assert ttnn.device.get_default_dispatch_core_axis(ttnn.FabricTensixConfig.MUX) == row
    with pytest.raises(ValueError):
        ttnn.DispatchCoreConfig(worker, row)
    monkeypatch.setenv("TRACELIFT_BOARD", "n300")
    assert ttnn.DispatchCoreConfig(axis=col).type == worker


def test_switches_without_an_effect(device, capsys):
    with ttnn.device.setup_fast_dispatch(device):
        ttnn.enable_asynchronous_slow_dispatch(device)
        ttnn.disable_asynchronous_slow_dispatch(device)
    ttnn.device.ClearKernelCache()
    ttnn.device.EnableMemoryReports()
    ttnn.device.DisableMemoryReports()
    ttnn.device.SetRootDir("/tmp")
    with pytest.raises(TypeError, match="takes a device"):
        ttnn.enable_asynchronous_slow_dispatch(0)


def test_all_buffers_of_a_device_can_be_freed():
    with ttnn.manage_device(device_id=0) as device:
        before = ttnn.get_memory_view(device, ttnn.BufferType.DRAM).total_bytes_allocated_per_bank
        tensors = [ttnn.from_torch(torch.ones(64, 64), device=device) for _ in range(3)]
        ttnn.device.DeallocateBuffers(device)
        assert not any(tensor.is_allocated() for tensor in tensors) and device.is_open()
        assert ttnn.get_memory_view(device, ttnn.BufferType.DRAM).total_bytes_allocated_per_bank == before
        again = ttnn.from_torch(torch.ones(64, 64), device=device)
        assert torch.equal(ttnn.to_torch(again), torch.ones(64, 64))


def test_memory_that_tensors_can_have(monkeypatch):
    for board in ("n150", "p150"):
        monkeypatch.setenv("TRACELIFT_BOARD", board)
        with ttnn.manage_device(device_id=0) as device:
            view = ttnn.get_memory_view(device, ttnn.BufferType.L1)
            assert ttnn.get_max_worker_l1_unreserved_size() == view.total_bytes_per_bank > 1024 * 1024


@pytest.mark.parametrize("board, banks", [("n150", 12), ("n300:worker", 12), ("galaxy", 12), ("p150", 8)])
def test_cores_beside_the_banks_of_dram(board, banks):
    with ttnn.manage_device(device_id=0, board=board) as device:
        cores = device.get_optimal_dram_bank_to_logical_worker_assignment(ttnn.NOC.NOC_0)
        grid = device.compute_with_storage_grid_size()
        assert len(set(cores)) == banks and all(core.x < grid.x and core.y < grid.y for core in cores)
        # The first network asked for decides.
        assert ttnn.device.get_optimal_dram_bank_to_logical_worker_assignment(device, 1) == cores
        assert ttnn.device.get_optimal_dram_bank_to_logical_worker_assignment(device, 0) == cores
        with pytest.raises(ValueError, match="noc must be"):
            device.get_optimal_dram_bank_to_logical_worker_assignment(2)


def test_published_cores_beside_dram():
    with ttnn.manage_device(device_id=0, board="p150") as device:
        cores = device.get_optimal_dram_bank_to_logical_worker_assignment(ttnn.NOC.NOC_1)
        assert [(core.x, core.y) for core in cores] == [(0, 0), (0, 8), (0, 2), (0, 5), (7, 0), (7, 8), (7, 2), (7, 5)]


def test_distances_in_the_network(device):
    a, b = ttnn.CoreCoord(0, 0), ttnn.CoreCoord(3, 2)
    there = device.get_worker_noc_hop_distance(a, b, ttnn.NOC.NOC_0)
    assert there == 3 + 2 and device.get_worker_noc_hop_distance(b, a, ttnn.NOC.NOC_1) == there
    assert device.get_worker_noc_hop_distance(b, a, ttnn.NOC.NOC_0) == (10 - 3) + (12 - 2)


def test_the_cluster(tmp_path, monkeypatch):
    monkeypatch.setenv("TRACELIFT_BOARD", "n300")
    text = open(ttnn.cluster.serialize_cluster_descriptor()).read()
    assert "arch:\n  0: wormhole_b0\n  1: wormhole_b0\n" in text and "chips_with_mmio" in text
    assert ttnn.cluster.get_cluster_type() is ttnn._ttnn.cluster.ClusterType.N300


def test_sockets_between_host_and_device(device):
    core = ttnn.MeshCoreCoord(ttnn.MeshCoordinate(0, 0), ttnn.CoreCoord(0, 0))
    socket = ttnn.H2DSocket(device, core, ttnn.BufferType.L1, 1024, ttnn.H2DMode.HOST_PUSH)
    assert socket.get_active_cores() == [core] and socket.get_mesh_device() is device
    assert socket.get_h2d_mode() is ttnn.H2DMode.HOST_PUSH and socket.get_config_buffer_address() == 0
    tensor = ttnn.from_torch(torch.zeros(1, 64, dtype=torch.int32))
    with pytest.raises(RuntimeError, match="set_page_size must be called"):
        socket.write_tensor(tensor)
    socket.set_page_size(64)
    assert socket.get_page_size() == 64 and socket.barrier() is None
    with pytest.raises(NotImplementedError, match="H2DSocket.write_tensor is not emulated: kernels that users write"):
        socket.write_tensor(tensor)
    back = ttnn.D2HSocket(device, core, 1024)
    back.set_page_size(48)
    with pytest.raises(RuntimeError, match="must be a multiple of the page size 48"):
        back.read_tensor(tensor)
    with pytest.raises(RuntimeError, match="page size must be between 1 and the 1024 bytes"):
        back.set_page_size(2048)
    with pytest.raises(RuntimeError, match="must be on the host"):
        back.read_tensor(ttnn.to_device(tensor, device))


# --- queues -----------------------------------------------------------------------------------------------------------


def test_numbers_of_queues(device):
    queue = ttnn.QueueId(1)
    assert int(queue) == 1 and queue == ttnn.QueueId(1) and repr(queue) == "QueueId(1)"
    x = ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
    assert ttnn.to_torch(ttnn.relu(x, queue_id=queue)).sum() == 1024
    with ttnn.command_queue(1):
        assert ttnn.core.get_current_command_queue_id_for_thread() == 1
    assert ttnn.core.get_current_command_queue_id_for_thread() is None
    with pytest.raises(ValueError):
        with ttnn.command_queue(None):
            pass


# --- reports ----------------------------------------------------------------------------------------------------------


def test_buffers_and_pages_in_memory(device):
    pages, buffers = ttnn._ttnn.reports.get_buffer_pages, ttnn._ttnn.reports.get_buffers
    config = ttnn.create_sharded_memory_config((64, 32), ttnn.CoreGrid(x=2, y=1), ttnn.ShardStrategy.HEIGHT)
    before = len(pages(device)), len(buffers(device))
    x = ttnn.from_torch(torch.rand(64, 32), layout=ttnn.TILE_LAYOUT, device=device, memory_config=config)
    y = ttnn.from_torch(torch.rand(64, 32), layout=ttnn.TILE_LAYOUT, device=device)
    assert (len(pages(device)) - before[0], len(buffers([device])) - before[1]) == (2, 2)  # none of DRAM
    page = next(page for page in pages(device) if page.address == x.buffer_address() and page.page_index == 1)
    assert (page.core_x, page.core_y, page.page_size) == (1, 0, 4096) and page.buffer_type == ttnn.BufferType.L1
    buffer = next(
        each
        for each in buffers(device)
        if each.buffer_type == ttnn.BufferType.DRAM and each.address == y.buffer_address()
    )
    assert buffer.device_id == device.id() and buffer.max_size_per_bank == 4096
    output = ttnn.relu(x, memory_config=config)
    count = len(pages(device))
    ttnn.relu(x, memory_config=config, output_tensor=output)
    assert len(pages(device)) == count


def test_facts_about_a_device(device):
    info = ttnn._ttnn.reports.get_device_info(device)
    assert (info.num_x_cores, info.num_storage_cores, info.l1_num_banks) == (8, 0, 64)
    assert info.cb_limit == info.worker_l1_size - info.address_at_first_l1_cb_buffer


def test_counters():
    start = ttnn._ttnn.get_tensor_id()
    assert ttnn._ttnn.fetch_and_increment_tensor_id() == start and ttnn._ttnn.get_tensor_id() == start + 1
    ttnn._ttnn.set_python_operation_id(7)
    assert ttnn._ttnn.fetch_and_increment_python_operation_id() == 7


def test_files_of_tensors_go_through_the_compiled_function(tmp_path):
    tensor, path = ttnn.from_torch(torch.rand(3, 3)), tmp_path / "tensor.tensorbin"
    with mock.patch("ttnn._ttnn.tensor.dump_tensor_flatbuffer") as dump:
        ttnn.dump_tensor(path, tensor)
    dump.assert_called_once_with(str(path), tensor)
    assert not path.exists()
    ttnn.dump_tensor(path, tensor)
    loaded = ttnn._ttnn.tensor.load_tensor_flatbuffer(str(path))
    assert torch.equal(ttnn.to_torch(loaded), ttnn.to_torch(tensor))


# --- what golden functions are made of --------------------------------------------------------------------------------


def test_golden_functions_of_activations():
    from ttnn.operations.activations import get_golden_function_for_activation

    x = torch.linspace(-3, 3, 50)
    assert get_golden_function_for_activation(None) is None
    torch.testing.assert_close(get_golden_function_for_activation("gelu_approx")(x), torch.nn.functional.gelu(x))
    activation = ttnn.UnaryWithParam(ttnn.UnaryOpType.SILU)
    assert torch.equal(get_golden_function_for_activation(activation)(x), torch.nn.functional.silu(x))
    assert torch.equal(get_golden_function_for_activation(ttnn.UnaryOpType.RELU6)(x), torch.nn.functional.relu6(x))
    with pytest.raises(RuntimeError, match="Unsupported activation: no_such"):
        get_golden_function_for_activation("no_such")
    with pytest.raises(RuntimeError, match="is not supported as activation function"):
        get_golden_function_for_activation(ttnn.UnaryOpType.COS)


def test_activations_in_a_row():
    from ttnn.operations.binary import apply_activations, torch_squared_difference

    x = torch.linspace(-3, 3, 50)
    both = [ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU), ttnn.UnaryWithParam(ttnn.UnaryOpType.TANH)]
    assert torch.equal(apply_activations(x, both), torch.tanh(torch.relu(x)))
    with pytest.raises(RuntimeError, match="not supported"):
        apply_activations(x, [ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU6)])
    assert torch.equal(torch_squared_difference(x, 1), (x - 1) ** 2)


def test_gated_activations():
    x = torch.rand(2, 8)
    first, second = x.chunk(2, -1)
    assert torch.equal(ttnn.operations.unary.torch_swiglu(x), first * torch.nn.functional.silu(second))
    assert torch.equal(ttnn.operations.unary.torch_reglu(x), first * second)
    assert ttnn.relu in ttnn.operations.unary.TTNN_ELTWISE_UNARY_CPP_FUNCTIONS


@pytest.mark.parametrize("padding", [(1, 1), (0, 1, 1, 0)])
def test_the_golden_of_max_pool(padding, device):
    from ttnn.operations.pool import golden_maxpool2d

    images = torch.rand(2, 4, 7, 9)
    rows = images.permute(0, 2, 3, 1).reshape(1, 1, -1, 4)
    golden = golden_maxpool2d(rows, 2, 7, 9, 4, (3, 3), (2, 2), padding, (1, 1))
    given = ttnn.from_torch(rows, dtype=ttnn.bfloat16, device=device)
    result = ttnn.max_pool2d(given, 2, 7, 9, 4, [3, 3], [2, 2], list(padding), [1, 1])
    torch.testing.assert_close(ttnn.to_torch(result).float(), golden, rtol=1e-2, atol=1e-2)


def test_goldens_of_other_image_operations():
    pool, images = ttnn.operations.pool, torch.rand(2, 5, 6, 3)
    torch.testing.assert_close(pool.golden_global_avg_pool2d(images), images.mean((1, 2), keepdim=True))
    turned = pool.golden_rotate(images, 0.0)
    torch.testing.assert_close(turned.float(), images, rtol=1e-3, atol=1e-3)


def test_helpers_of_normalization():
    from ttnn.operations.normalization import find_closest_largest_divisor, find_max_tile_span

    assert find_closest_largest_divisor(48, 10) == 8 and find_closest_largest_divisor(7, 6) == 1
    assert find_max_tile_span(320, 10, 32) == 2 and find_max_tile_span(64, 32, 32) == 1


def test_program_configs_have_families():
    config = ttnn.MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=1, per_core_M=1, per_core_N=1)
    assert isinstance(config, ttnn.MatmulProgramConfig) and not isinstance(config, ttnn.LayerNormProgramConfig)
    assert isinstance(ttnn.LayerNormDefaultProgramConfig(), ttnn.operations.normalization.LayerNormProgramConfig)


def test_layer_norm_below_its_operation(device):
    x = ttnn.from_torch(torch.rand(64, 64), layout=ttnn.TILE_LAYOUT, device=device)
    params, inputs = ttnn.LayerNormParams(), ttnn.LayerNormInputs()
    params.norm_type, params.eps, params.dtype = ttnn.LayerNormType.RMSNORM, 1e-6, ttnn.bfloat16
    inputs.input = x
    operation = ttnn.LayerNormDeviceOperation
    output = operation.create_output_tensors(params, inputs)
    assert list(output.shape) == [64, 64] and output.dtype == ttnn.bfloat16 and output.device() is device
    factory = operation.select_program_factory(params, inputs)
    assert isinstance(factory, ttnn.LayerNormMultiCoreProgramFactory)
    assert factory.default_core_range(device).num_cores() == 64
    params.distributed_norm_stage = ttnn.DistributedLayerNormStage.PRE_ALL_GATHER
    assert list(operation.compute_output_specs(params, inputs).shape) == [64, 32]
    with pytest.raises(NotImplementedError, match="is not emulated"):
        factory.create_descriptor(params, inputs, output)


def test_the_tensor_between_two_chips():
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2)) as mesh:
        x = ttnn.from_torch(torch.rand(64, 64), layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16, device=mesh)
        places = ttnn.MeshCoordinate(0, 0), ttnn.MeshCoordinate(0, 1)
        compute = ttnn._ttnn.operations.point_to_point.p2p_compute_intermediate_tensor_spec
        spec = compute(x, *places, ttnn.Topology.Linear)
        between = ttnn.allocate_tensor_on_device(spec, mesh)
        sent = ttnn.point_to_point(x, *places, topology=ttnn.Topology.Linear, intermediate_tensor=between)
        assert list(sent.shape) == [64, 64]


# --- public signatures ------------------------------------------------------------------------------------------------


def test_public_functions_have_docs_and_annotations():
    """Of modules that are mostly functions: what an editor shows."""
    for module in (ttnn.model_preprocessing, ttnn.torch_tracer, ttnn.tracer, ttnn.decorators):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) and value.__module__.startswith("tracelift"):
                assert inspect.signature(value).return_annotation is not inspect.Signature.empty, (
                    f"{module.__name__}.{name}"
                )
