"""A test that runs three operations and then fails: what it ran is still worth having."""

import ttnn


def test_fails(device):
    x = ttnn.ones([1, 1, 64, 64], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    x = ttnn.multiply(ttnn.add(x, x), 3.0)
    assert ttnn.to_torch(ttnn.exp(x)).max().item() == 0.0, "wrong on purpose"


def test_passes(device):
    x = ttnn.ones([1, 1, 32, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    assert ttnn.to_torch(ttnn.relu(x)).min().item() == 1.0
