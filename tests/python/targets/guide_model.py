"""A small model test, at the paths where the guides have large ones."""

import torch
import ttnn


def _upload(values, device, **rest):
    return ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, **rest)


def _forward(device):
    torch.manual_seed(0)
    height_sharded = ttnn.create_sharded_memory_config(
        shape=(1, 1, 256, 32), core_grid=ttnn.CoreGrid(y=2, x=4), strategy=ttnn.ShardStrategy.HEIGHT
    )
    x = _upload(torch.randn(1, 1, 256, 32), device, memory_config=height_sharded)
    gate = ttnn.sigmoid_accurate(x)
    wide = ttnn.sigmoid_accurate(_upload(torch.randn(1, 1, 64, 96), device))
    weights = _upload(torch.randn(1, 1, 96, 32), device)
    scores = ttnn.matmul(wide, weights)
    return gate, ttnn.add(scores, scores)


def test_function(device):
    gate, scores = _forward(device)
    assert list(gate.shape) == [1, 1, 256, 32] and list(scores.shape) == [1, 1, 64, 32]


test_efficientnetb0_model = test_demo = test_my_custom_model = test_function
