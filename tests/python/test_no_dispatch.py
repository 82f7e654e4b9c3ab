"""Transfers between torch and a device inside a NO_DISPATCH capture, which holds no values."""

import pytest
import torch

from tracelift import ttnn

DTYPES = {
    ttnn.bfloat16: torch.bfloat16,
    ttnn.float32: torch.float32,
    ttnn.int32: torch.int32,
    ttnn.uint32: torch.int64,
    ttnn.uint16: torch.int16,
    ttnn.uint8: torch.uint8,
    ttnn.bfloat8_b: torch.float32,
    ttnn.bfloat4_b: torch.float32,
}
CORES = ttnn.CoreRangeSet({ttnn.CoreRange((0, 0), (1, 0))})
PLACES = {
    "dram": ttnn.DRAM_MEMORY_CONFIG,
    "l1": ttnn.L1_MEMORY_CONFIG,
    "height": ttnn.MemoryConfig(
        ttnn.TensorMemoryLayout.HEIGHT_SHARDED,
        ttnn.BufferType.L1,
        ttnn.ShardSpec(CORES, [32, 64], ttnn.ShardOrientation.ROW_MAJOR),
    ),
    "width": ttnn.MemoryConfig(
        ttnn.TensorMemoryLayout.WIDTH_SHARDED,
        ttnn.BufferType.L1,
        ttnn.ShardSpec(CORES, [64, 32], ttnn.ShardOrientation.ROW_MAJOR),
    ),
}


@pytest.fixture
def inside(device):
    """The device inside a capture."""
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NO_DISPATCH)
    try:
        yield device
    finally:
        ttnn.graph.end_graph_capture()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("layout", ["ROW_MAJOR_LAYOUT", "TILE_LAYOUT"])
@pytest.mark.parametrize("dtype", [dtype.name for dtype in DTYPES])
def test_every_transfer_is_traced_and_moves_nothing(device, dtype, layout, place):
    dtype = getattr(ttnn.DataType, dtype)
    config = PLACES[place]
    source = torch.ones(64, 64).to(DTYPES[dtype])
    layout = getattr(ttnn, layout)
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NO_DISPATCH)
    try:
        made = ttnn.from_torch(source, dtype=dtype, layout=layout, device=device, memory_config=config)
        assert not ttnn.to_torch(made).any()
        host = ttnn.from_torch(source, dtype=dtype, layout=layout)
        moved = ttnn.to_device(host, device, memory_config=config)
        ttnn.copy_host_to_device_tensor(host, moved)
        assert not ttnn.to_torch(ttnn.from_device(moved)).any()
        assert ttnn.to_torch(host).all()
        if made.memory_config().is_sharded():
            assert not ttnn.to_torch(made.extract_shard(0)).any()
        ttnn.deallocate(moved)
    finally:
        nodes = ttnn.graph.end_graph_capture()
    allocated = [node for node in nodes if node["node_type"] == "buffer_allocate"]
    assert len(allocated) == 2
    assert not ttnn.to_torch(made).any()
    assert device.live_buffers() == []


def test_numpy_and_lists_are_traced_too(inside):
    numpy = pytest.importorskip("numpy")
    for source in (numpy.ones((32, 32), dtype="float32"), torch.ones(32, 32, dtype=torch.bool)):
        assert not ttnn.to_torch(ttnn.from_torch(torch.as_tensor(source), device=inside)).any()
    assert ttnn.ones([32, 32], device=inside).shape == [32, 32]
    assert ttnn.full([3], 2.0, device=inside).shape == [3]
