"""The operations of Mamba models, and device operations that users call by themselves."""

import pytest
import torch
from torch_support import Comparisons, put, rows

from tracelift import ttnn

COMPARED = Comparisons()


@COMPARED("experimental.hc_sum_reduce")
def sums_of_neighbours(device):
    tensor, held = put(device, torch.randn(1, 1, 64, 2048))
    yield ttnn.experimental.hc_sum_reduce(tensor), held.reshape(1, 1, 64, 64, 32).sum(-1)


@COMPARED("experimental.prefix_scan")
def scan(device):
    def shards(height):
        return ttnn.create_sharded_memory_config(
            (1, 1, height, 256), ttnn.CoreGrid(x=4, y=1), ttnn.ShardStrategy.WIDTH
        )

    decay, a = put(device, torch.rand(1, 1, 64, 256), memory_config=shards(64))
    step, x = put(device, torch.randn(1, 1, 64, 256), memory_config=shards(64))
    state, before = rows(device, torch.randn(1, 1, 1, 256), memory_config=shards(1))
    states = [before[0, 0, 0]]
    for row in range(64):
        states.append(a[0, 0, row] * states[-1] + x[0, 0, row])
    yield ttnn.experimental.prefix_scan(decay, step, state), torch.stack(states[1:])[None, None]
    yield state, states[-1][None, None, None]


@COMPARED("experimental.repeat_and_interleave_eltwise_mul")
def outer_products(device):
    (a, x), (b, y) = put(device, torch.randn(1, 1, 32, 32)), put(device, torch.randn(1, 1, 32, 5120))
    expected = x.repeat(1, 1, 1, 5120) * y.repeat_interleave(32, -1)
    yield ttnn.experimental.repeat_and_interleave_eltwise_mul(a, b), expected


@COMPARED("prim.binary")
def told_functions(device):
    (a, x), (b, y) = put(device, torch.randn(2, 64, 64)), put(device, torch.randn(2, 64, 64))
    for kind, function in (("ADD", torch.add), ("MUL", torch.mul), ("GT", torch.gt), ("RSUB", lambda p, q: q - p)):
        yield ttnn.prim.binary(a, b, ttnn.BinaryOpType[kind]), function(x, y)


@COMPARED("prim.example", "prim.example_multiple_return", "composite_example_multiple_return", exact=True)
def copies(device):
    tensor, held = put(device, torch.randn(2, 33, 65))
    yield ttnn.prim.example(tensor), held
    for copies_of in (ttnn.prim.example_multiple_return, ttnn.composite_example_multiple_return):
        for copy in copies_of(tensor, True, True):
            yield copy, held
        first, second = copies_of(tensor, False, True)
        assert first is None
        yield second, held


@pytest.mark.parametrize("name", COMPARED)
def test_operation(device, name):
    COMPARED.run(name, device)
