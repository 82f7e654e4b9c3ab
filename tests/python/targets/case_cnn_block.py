"""A squeeze-and-excitation block as EfficientNet has it: activations height sharded, the gate width sharded."""

import pytest
import torch

import ttnn
from tracelift.testing import assert_with_pcc

CHANNELS = 64


def gate(pooled, weights):
    """A factor for every channel, from the means over the picture."""
    squeezed = ttnn.linear(pooled, weights[0], activation="relu")
    grid = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (CHANNELS // 32 - 1, 0))])
    spec = ttnn.ShardSpec(grid, (32, 32), ttnn.ShardOrientation.ROW_MAJOR)
    sharded = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.WIDTH_SHARDED, ttnn.BufferType.L1, spec)
    excited = ttnn.to_memory_config(ttnn.linear(squeezed, weights[1]), sharded)
    return ttnn.sharded_to_interleaved(ttnn.sigmoid_accurate(excited), ttnn.L1_MEMORY_CONFIG)


@pytest.mark.parametrize("pixels", [196, 784])
def test_cnn_block(device, pixels):
    torch.manual_seed(0)
    x = torch.randn(1, 1, pixels, CHANNELS)
    weights = [torch.randn(CHANNELS, 32) / 4, torch.randn(32, CHANNELS) / 4]

    def upload(tensor, dtype=ttnn.bfloat16):
        return ttnn.from_torch(tensor, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)

    rows = -(-pixels // 7 // 32) * 32  # seven cores, whole tiles
    grid = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (6, 0))])
    spec = ttnn.ShardSpec(grid, (rows, CHANNELS), ttnn.ShardOrientation.ROW_MAJOR)
    by_pixels = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, spec)

    inputs = ttnn.interleaved_to_sharded(upload(x, ttnn.bfloat8_b), by_pixels)
    active = ttnn.mul(inputs, ttnn.sigmoid_accurate(inputs), memory_config=by_pixels)
    pooled = ttnn.mean(ttnn.sharded_to_interleaved(active, ttnn.L1_MEMORY_CONFIG), dim=2, keepdim=True)
    scaled = ttnn.mul(ttnn.sharded_to_interleaved(active), gate(pooled, [upload(w) for w in weights]))
    output = ttnn.relu(ttnn.add(ttnn.interleaved_to_sharded(scaled, by_pixels), inputs, memory_config=by_pixels))

    active = x * torch.sigmoid(x)
    squeezed = torch.relu(active.mean(dim=2, keepdim=True) @ weights[0])
    expected = torch.relu(active * torch.sigmoid(squeezed @ weights[1]) + x)
    assert_with_pcc(expected, ttnn.to_torch(output).float(), 0.999)
