"""The program cache of a device, as tests of models use it."""

import threading

import pytest
import torch

from tracelift import ttnn


@pytest.fixture
def fresh():
    """A device that has not compiled anything yet."""
    with ttnn.manage_device(device_id=0) as device:
        yield device


def tiles(device, *shape, dtype=ttnn.bfloat16, **options):
    return ttnn.from_torch(torch.ones(shape), dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device, **options)


def test_a_repeated_call_adds_no_entry(fresh):
    for _ in range(2):
        a = tiles(fresh, 64, 64)
        ttnn.to_torch(ttnn.add(a, a))
        dummy = tiles(fresh, 32, 32)  # other addresses next time
    del dummy
    assert fresh.num_program_cache_entries() == 1


def test_torch_tensors_come_and_go_without_a_program(fresh):
    for layout in (ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT):
        for dtype in (ttnn.bfloat16, ttnn.float32):
            ttnn.to_torch(ttnn.from_torch(torch.ones(3, 40), dtype=dtype, layout=layout, device=fresh))
    assert fresh.num_program_cache_entries() == 0


def test_shapes_and_numbers_of_a_sum_do_not_matter(fresh):
    for number, shape in enumerate([(32, 32), (2, 64, 96), (1, 1, 32, 320)]):
        ttnn.add(tiles(fresh, *shape), number)
    assert fresh.num_program_cache_entries() == 1
    ttnn.add(tiles(fresh, 32, 32, dtype=ttnn.float32), 1)
    ttnn.add(tiles(fresh, 32, 32, memory_config=ttnn.L1_MEMORY_CONFIG), 1)
    ttnn.add(tiles(fresh, 32, 32), tiles(fresh, 32, 32))
    assert fresh.num_program_cache_entries() == 4


def test_pad_of_bfloat8_b_has_three_programs(fresh):
    for _ in range(2):
        ttnn.pad(tiles(fresh, 1, 1, 32, 32, dtype=ttnn.bfloat8_b), [(0, 32), (0, 32)], 0)
    assert fresh.num_program_cache_entries() == 3


def test_switches(fresh):
    a = tiles(fresh, 32, 32)
    ttnn.relu(a)
    fresh.clear_program_cache()
    assert fresh.num_program_cache_entries() == 0
    ttnn.relu(a)
    assert fresh.num_program_cache_entries() == 1
    fresh.disable_and_clear_program_cache()
    ttnn.relu(a)
    assert fresh.num_program_cache_entries() == 0
    fresh.enable_program_cache()
    ttnn.relu(a)
    assert fresh.num_program_cache_entries() == 1


def test_a_missing_warm_up_is_an_error(fresh):
    a = tiles(fresh, 32, 32)
    ttnn.relu(a)
    fresh.set_program_cache_misses_allowed(False)
    ttnn.relu(a)
    with pytest.raises(RuntimeError, match="ttnn::prim::softmax: program cache miss occurred.*not allowed"):
        ttnn.softmax(a, dim=-1)
    fresh.set_program_cache_misses_allowed(True)
    ttnn.softmax(a, dim=-1)
    assert fresh.num_program_cache_entries() == 2


def kinds(call, mode=ttnn.graph.RunMode.NORMAL):
    ttnn.graph.begin_graph_capture(mode)
    result = call()
    del result
    return [node["node_type"] for node in ttnn.graph.end_graph_capture()]


def test_a_capture_after_a_warm_up_sees_only_hits(fresh):
    a = tiles(fresh, 64, 64)

    def call():
        return ttnn.softmax(ttnn.add(a, 1), dim=-1)

    cold = kinds(call)
    fresh.clear_program_cache()
    call()
    warm = kinds(call)
    assert "circular_buffer_allocate" in cold
    assert warm == [kind for kind in cold if kind != "circular_buffer_allocate"]


def test_what_is_not_dispatched_is_not_kept(fresh):
    a = tiles(fresh, 32, 32)
    kinds(lambda: ttnn.relu(a), ttnn.graph.RunMode.NO_DISPATCH)
    assert fresh.num_program_cache_entries() == 0


def test_an_operation_written_in_python_is_one_call(fresh):
    """Both programs are compiled for it, whether it uses them once or twice."""
    a = tiles(fresh, 64, 64)

    @ttnn.register_python_operation(name="ttnn.test_program_cache_twice")
    def twice(x):
        return ttnn.relu(ttnn.relu(x))

    twice(a)
    fresh.clear_program_cache()
    assert kinds(lambda: twice(a)).count("circular_buffer_allocate") == 4
    assert kinds(lambda: twice(a)).count("circular_buffer_allocate") == 0


def test_captures_of_one_thread_end_while_others_call_operations(fresh):
    """Ending one waits for events of other threads, which may need the interpreter."""
    a = tiles(fresh, 32, 32)
    stop = threading.Event()

    def call():
        while not stop.is_set():
            ttnn.add(a, 1)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(50):
            assert kinds(lambda: ttnn.relu(a))[0] == "capture_start"
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert fresh.num_program_cache_entries() == 2
