import contextlib
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from tracelift import _ttnn, ttnn


def test_open_and_close():
    device = ttnn.open_device(device_id=3, board="galaxy")
    assert device.id() == 3 and device.get_device_ids() == [3] and device.get_num_devices() == 1
    assert device.shape == ttnn.MeshShape(1, 1) and repr(device) == "MeshDevice(1x1 grid, 1 devices)"
    assert ttnn.Device is ttnn.MeshDevice and isinstance(device, ttnn.Device)
    tensor = ttnn.from_torch(torch.ones(2), device=device)
    ttnn.synchronize_device(device)
    ttnn.close_device(device)
    assert not tensor.is_allocated() and not device.is_open()
    with pytest.raises(RuntimeError, match="closed"):
        ttnn.from_torch(torch.ones(2), device=device)


@pytest.mark.parametrize("device_id", [-1, 1, 7])
def test_a_device_that_the_board_does_not_have(device_id):
    with pytest.raises(RuntimeError, match=f"there is no device {device_id}: the board n150 has 1 device, its id is 0"):
        ttnn.open_device(device_id=device_id)
    with pytest.raises(RuntimeError, match="no device 2: the board n300 has 2 devices, their ids are 0 to 1"):
        ttnn.open_device(device_id=2, board="n300:worker")


@pytest.mark.parametrize(
    "open_wrongly, error, message",
    [
        (lambda: ttnn.open_device(device_id=0, num_command_queues=3), RuntimeError, "num_command_queues must be 1 or 2"),
        (lambda: ttnn.open_device(device_id=0, dispatch_core_config="eth"), TypeError, "must be a DispatchCoreConfig"),
        (lambda: ttnn.open_mesh_device(physical_device_ids=[0, 1]), RuntimeError, "needs 1 physical_device_ids"),
        (lambda: ttnn.open_mesh_device(offset=ttnn.MeshCoordinate(0, 1)), RuntimeError, "does not fit into the system"),
        (lambda: ttnn.open_mesh_device(ttnn.MeshShape(0, 2)), RuntimeError, "at least one chip"),
        (lambda: ttnn.set_fabric_config("FABRIC_1D"), TypeError, "takes a FabricConfig, not str"),
    ],
    ids=["command_queues", "dispatch", "physical_ids", "offset", "no_chips", "fabric"],
)
def test_what_an_emulated_device_cannot_do_is_refused(open_wrongly, error, message):
    with pytest.raises(error, match=message):
        open_wrongly()


def test_delays_have_the_shape_of_the_mesh():
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2), board="n300") as mesh:
        assert ttnn.apply_device_delay(mesh, [[0, 1000]], subdevice_id=None) is None
        for delays in ([[0], [1000]], [[0, 1, 2]], []):
            with pytest.raises(RuntimeError, match="a mesh of 1 x 2 needs as many delays"):
                ttnn.apply_device_delay(mesh, delays)
    with pytest.raises(TypeError, match="takes a device, not int"):
        ttnn.apply_device_delay(0, [[0]])


def test_grids_of_the_boards():
    grids = {"n150": (8, 8), "n300": (8, 8), "n300:worker": (8, 7), "p150": (13, 10), "galaxy": (8, 9)}
    for board, (x, y) in grids.items():
        with ttnn.manage_device(device_id=0, board=board) as device:
            assert device.compute_with_storage_grid_size() == ttnn.CoreCoord(x, y), board
            assert device.core_grid == ttnn.CoreGrid(x=x, y=y)
            assert device.arch() == (ttnn.device.Arch.BLACKHOLE if board == "p150" else ttnn.device.Arch.WORMHOLE_B0)
            assert device.dram_grid_size() == ttnn.CoreCoord(8 if board == "p150" else 12, 1)
    with pytest.raises(RuntimeError, match="unknown board"):
        ttnn.open_device(device_id=0, board="n151")


def test_dispatch_core_config():
    config = ttnn.DispatchCoreConfig(ttnn.DispatchCoreType.WORKER)
    with ttnn.manage_device(device_id=0, board="n300", dispatch_core_config=config) as device:
        assert device.compute_with_storage_grid_size() == ttnn.CoreCoord(8, 7)
    with pytest.raises(ValueError):
        ttnn.DispatchCoreConfig("worker")
    with pytest.raises(ValueError):
        ttnn.DispatchCoreConfig(ttnn.DispatchCoreType.ETH, ttnn.DispatchCoreAxis.COL)


def test_other_ways_to_open():
    device = ttnn.CreateDevice(0, l1_small_size=32768)
    ttnn.CloseDevice(device)
    devices = ttnn.CreateDevices([0, 1], board="n300")
    assert sorted(devices) == [0, 1]
    ttnn.CloseDevices(devices)
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 1)) as mesh:
        assert mesh.is_open() and mesh.id() == 0


def test_default_device():
    assert ttnn.GetDefaultDevice() is None
    with ttnn.manage_device(device_id=0) as device:
        ttnn.SetDefaultDevice(device)
        assert ttnn.GetDefaultDevice() is device
    assert ttnn.GetDefaultDevice() is None


def test_memory_view(device):
    tensor = ttnn.from_torch(torch.ones(1, 1, 320, 320), layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16, device=device)
    view = ttnn.get_memory_view(device, ttnn.BufferType.DRAM)
    assert view.num_banks == 12
    assert view.total_bytes_allocated_per_bank >= 9 * 2048
    assert view.total_bytes_free_per_bank + view.total_bytes_allocated_per_bank == view.total_bytes_per_bank
    assert view.largest_contiguous_bytes_free_per_bank <= view.total_bytes_free_per_bank
    taken = [block for block in view.block_table if block["allocated"]]
    assert any(block["address"] == tensor.buffer_address() for block in taken)


def test_dump_device_memory_state(device, tmp_path):
    tensor = ttnn.from_torch(torch.ones(4), device=device)
    with ttnn.manage_config("root_report_path", tmp_path):
        ttnn.dump_device_memory_state(device, "after_")
    assert "DRAM,12," in (tmp_path / "after_memory_usage_summary.csv").read_text()
    assert str(tensor.buffer_address()) in (tmp_path / "after_detailed_memory_usage.csv").read_text()


def test_facts_about_the_system(monkeypatch):
    assert ttnn.get_arch_name() == "wormhole_b0" and ttnn.device.is_wormhole_b0() and not ttnn.device.is_blackhole()
    monkeypatch.setenv("TRACELIFT_BOARD", "p150")
    assert ttnn.get_arch_name() == "blackhole" and ttnn.cluster.get_cluster_type() is ttnn.cluster.ClusterType.P150
    monkeypatch.setenv("TRACELIFT_BOARD", "n300")
    assert ttnn.GetNumAvailableDevices() == 2 == len(ttnn.get_device_ids())
    with ttnn.manage_device(device_id=0) as device:
        assert device.board == "n300:eth"


def test_sub_devices(device):
    sub_device = ttnn.SubDevice([ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (3, 3))])])
    manager = device.create_sub_device_manager([sub_device], 0)
    device.load_sub_device_manager(manager)
    device.set_sub_device_stall_group([ttnn.SubDeviceId(0)])
    device.reset_sub_device_stall_group()
    with pytest.raises(RuntimeError, match="loaded"):
        device.remove_sub_device_manager(manager)
    device.clear_loaded_sub_device_manager()
    device.remove_sub_device_manager(manager)
    assert repr(ttnn.SubDeviceId(0)) == "SubDeviceId(0)" == repr(ttnn.SubDeviceId(0))


def test_traces_run_again_on_the_same_buffers():
    with ttnn.manage_device(device_id=0, trace_region_size=1 << 20) as device:
        first = ttnn.from_torch(torch.full((32, 32), 4.0), layout=ttnn.TILE_LAYOUT, device=device)
        ttnn.neg(ttnn.sqrt(first))
        trace = ttnn.begin_trace_capture(device, cq_id=0)
        middle = ttnn.sqrt(first)
        output = ttnn.neg(middle)
        with pytest.raises(RuntimeError, match="not allowed during trace capture"):
            ttnn.to_torch(output)
        for read in ("cpu", "to_torch", "to_numpy", "to_list", "to_torch_with_padded_shape"):
            with pytest.raises(RuntimeError, match=f"Tensor.{read}: .* not allowed during trace capture"):
                getattr(output, read)()
        on_host = ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT)
        with pytest.raises(RuntimeError, match="Tensor.to: .* not allowed during trace capture"):
            on_host.to(device)
        assert ttnn.to_torch(on_host).sum() == 1024  # between host and host nothing is in the way
        ttnn.end_trace_capture(device, trace, cq_id=0)
        address = output.buffer_address()
        ttnn.deallocate(middle)
        ttnn.copy_host_to_device_tensor(ttnn.from_torch(torch.full((32, 32), 9.0), layout=ttnn.TILE_LAYOUT), first)
        ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
        assert output.buffer_address() == address
        assert torch.equal(ttnn.to_torch(output), torch.full((32, 32), -3.0))
        ttnn.release_trace(device, trace)
        with pytest.raises(RuntimeError):
            ttnn.execute_trace(device, trace)
        event = ttnn.record_event(device, 0)
        ttnn.wait_for_event(1, event)
        ttnn.event_synchronize(event)
        with ttnn.command_queue(1):
            ttnn.exp(first)


def test_a_trace_frees_outputs_that_are_dropped_while_it_is_captured():
    with ttnn.manage_device(device_id=0, trace_region_size=1 << 20) as device:
        first = ttnn.from_torch(torch.full((32, 32), 4.0), layout=ttnn.TILE_LAYOUT, device=device)
        ttnn.neg(ttnn.add(first, 1.0))
        trace = ttnn.begin_trace_capture(device, cq_id=0)
        x = first
        for _ in range(5):
            x = ttnn.add(x, 1.0)  # drops the one before
        output = ttnn.neg(x)
        del x
        ttnn.end_trace_capture(device, trace, cq_id=0)
        assert len(device.live_buffers()) == 2
        ttnn.copy_host_to_device_tensor(ttnn.from_torch(torch.full((32, 32), 9.0), layout=ttnn.TILE_LAYOUT), first)
        ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
        assert torch.equal(ttnn.to_torch(output), torch.full((32, 32), -14.0))
        assert len(device.live_buffers()) == 2
        del output
        assert len(device.live_buffers()) == 1
        ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
        ttnn.release_trace(device, trace)


def test_traces_need_a_region(device):
    x = ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.exp(x)
    trace = ttnn.begin_trace_capture(device)
    ttnn.exp(x)
    with pytest.raises(RuntimeError, match="but only 0B is allocated for trace region"):
        ttnn.end_trace_capture(device, trace)


@pytest.fixture
def pair():
    """Two devices, each with a tensor for which ttnn.neg and ttnn.add were run."""
    with contextlib.ExitStack() as stack:
        options = {"board": "n300", "trace_region_size": 1 << 20}
        devices = [stack.enter_context(ttnn.manage_device(device_id=i, **options)) for i in range(2)]
        values = torch.full((32, 32), 4.0)
        tensors = [ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device) for device in devices]
        for tensor in tensors:
            ttnn.add(ttnn.neg(tensor), 1.0)
        yield list(zip(devices, tensors))


def refill(tensor, value):
    host = ttnn.from_torch(torch.full((32, 32), value), dtype=tensor.dtype, layout=ttnn.TILE_LAYOUT)
    ttnn.copy_host_to_device_tensor(host, tensor)


def value_of(tensor):
    (value,) = ttnn.to_torch(tensor).unique().tolist()
    return value


@pytest.mark.parametrize("first_ended", [0, 1])
def test_two_devices_are_captured_at_a_time(pair, first_ended):
    (one, x), (other, y) = pair
    traces = [ttnn.begin_trace_capture(device) for device in (one, other)]
    outputs = [ttnn.neg(x), ttnn.add(y, 1.0)]
    for number in (first_ended, 1 - first_ended):
        ttnn.end_trace_capture(pair[number][0], traces[number])
    for tensor in (x, y):
        refill(tensor, 9.0)
    ttnn.execute_trace(one, traces[0])
    assert [value_of(output) for output in outputs] == [-9.0, 5.0]
    ttnn.execute_trace(other, traces[1])
    assert [value_of(output) for output in outputs] == [-9.0, 10.0]
    assert _ttnn.get_interceptor() is None


def test_what_happens_on_another_device_is_not_captured(pair):
    (one, x), (_, y) = pair
    trace = ttnn.begin_trace_capture(one)
    output = ttnn.neg(x)
    elsewhere = ttnn.exp(y)  # which was never run
    assert value_of(y) == 4.0
    ttnn.end_trace_capture(one, trace)
    refill(x, 9.0)
    refill(y, 0.0)
    ttnn.execute_trace(one, trace)
    assert value_of(output) == -9.0 and value_of(elsewhere) > 50


def test_each_thread_captures_its_device(pair):
    meet = threading.Barrier(2, timeout=60)

    def work(device, tensor):
        meet.wait()
        trace = ttnn.begin_trace_capture(device)
        meet.wait()
        output = tensor
        for _ in range(20):
            output = ttnn.add(output, 1.0)
        meet.wait()
        ttnn.end_trace_capture(device, trace)
        refill(tensor, 10.0 * device.id())
        ttnn.execute_trace(device, trace)
        return value_of(output) - 10.0 * device.id()

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda each: work(*each), pair)) == [20.0, 20.0]


def test_what_happens_on_a_submesh_is_not_captured():
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2), trace_region_size=1 << 20) as mesh:
        part = mesh.create_submesh(ttnn.MeshShape(1, 1))
        x, y = (ttnn.full([32, 32], 4.0, layout=ttnn.TILE_LAYOUT, device=device) for device in (mesh, part))
        for tensor in (x, y):
            ttnn.neg(tensor)
        trace = ttnn.begin_trace_capture(mesh)
        ttnn.neg(x)
        result = ttnn.neg(y)
        ttnn.end_trace_capture(mesh, trace)
        refill(y, 9.0)
        ttnn.execute_trace(mesh, trace)
        assert value_of(result) == -4.0


def test_a_program_must_have_been_run_before_it_is_captured(pair):
    (device, x), _ = pair
    trace = ttnn.begin_trace_capture(device)
    output = ttnn.neg(x)
    with pytest.raises(RuntimeError, match="ttnn.exp: a program must have been run once before it is captured"):
        ttnn.exp(x)
    ttnn.end_trace_capture(device, trace)
    ttnn.execute_trace(device, trace)
    assert value_of(output) == -4.0


def test_a_device_has_one_capture_at_a_time(pair):
    (device, x), _ = pair
    trace = ttnn.begin_trace_capture(device)
    with pytest.raises(RuntimeError, match="a trace is being captured on MeshDevice.* already"):
        ttnn.begin_trace_capture(device)
    ttnn.release_trace(device, trace)
    trace = ttnn.begin_trace_capture(device)
    ttnn.end_trace_capture(device, trace)
    assert value_of(x) == 4.0


def test_two_devices_in_two_threads():
    failures = []

    def work(board, seed):
        try:
            generator = torch.Generator().manual_seed(seed)
            values = torch.rand(256, 512, generator=generator)
            with ttnn.manage_device(device_id=0, board=board) as device:
                for _ in range(20):
                    x = ttnn.from_torch(values, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
                    y = ttnn.to_torch(ttnn.neg(ttnn.abs(x)))
                    assert torch.equal(y, -values)
                    assert x.device() is device
        except Exception as error:  # shown by the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=arguments) for arguments in (("n150", 1), ("p150", 2))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_nothing_leaks_at_exit():
    program = (
        "import torch\nfrom tracelift import ttnn\n"
        "device = ttnn.open_device(device_id=0)\nttnn.SetDefaultDevice(device)\n"
        "x = ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT, device=device)\n"
        "y = ttnn.exp(x)\nttnn.get_golden_function(ttnn.exp)(torch.ones(2))\n"
        "ttnn.exp.kept = y\nprint(y.shape)\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "leak" not in result.stderr and result.stdout == "Shape([32, 32])\n"
