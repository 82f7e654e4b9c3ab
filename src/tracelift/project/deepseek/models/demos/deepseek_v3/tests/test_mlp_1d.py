"""A small gated MLP behind an embedding and a norm, as in every layer of the model, against torch.

    pytest models/demos/deepseek_v3/tests/test_mlp_1d.py --ops-jsonl /tmp/op_calls.jsonl --results-csv /tmp/results.csv -q
"""

import pytest
import torch
import ttnn
from tracelift.testing import assert_with_pcc

VOCABULARY = 256
DIM = 64
HIDDEN = 128
EPSILON = 1e-5


class MLP1D:
    """x + down(silu(gate(norm(x))) * up(norm(x)))"""

    def __init__(self, state, device):
        def weight(name, layout=ttnn.TILE_LAYOUT):
            return ttnn.from_torch(state[name], dtype=ttnn.bfloat16, layout=layout, device=device)

        self.table = weight("embedding", ttnn.ROW_MAJOR_LAYOUT)
        self.norm = weight("norm")
        self.gate, self.up, self.down = weight("gate"), weight("up"), weight("down")

    def __call__(self, tokens):
        x = ttnn.embedding(tokens, self.table, layout=ttnn.TILE_LAYOUT)
        square = ttnn.multiply(x, x)
        mean = ttnn.mean(square, dim=-1, keepdim=True)
        scale = ttnn.rsqrt(ttnn.add(mean, EPSILON))
        normed = ttnn.multiply(ttnn.multiply(x, scale), self.norm)
        normed = ttnn.to_memory_config(normed, ttnn.L1_MEMORY_CONFIG)
        gate = ttnn.linear(normed, self.gate, activation="silu", memory_config=ttnn.L1_MEMORY_CONFIG)
        up = ttnn.linear(normed, self.up, memory_config=ttnn.L1_MEMORY_CONFIG)
        hidden = ttnn.mul(gate, up)
        down = ttnn.linear(hidden, self.down, memory_config=ttnn.DRAM_MEMORY_CONFIG)
        return ttnn.add(x, down)


def weights():
    def random(*shape):
        return (torch.randn(shape) / shape[0] ** 0.5).to(torch.bfloat16)

    return {
        "embedding": torch.randn(VOCABULARY, DIM).to(torch.bfloat16),
        "norm": torch.rand(1, DIM).to(torch.bfloat16),
        "gate": random(DIM, HIDDEN),
        "up": random(DIM, HIDDEN),
        "down": random(HIDDEN, DIM),
    }


def reference(state, tokens):
    state = {name: value.float() for name, value in state.items()}
    x = state["embedding"][tokens.long()]
    normed = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * state["norm"]
    hidden = torch.nn.functional.silu(normed @ state["gate"]) * (normed @ state["up"])
    return x + hidden @ state["down"]


@pytest.fixture
def mesh_device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


@pytest.mark.parametrize("MLPClass", [MLP1D])
@pytest.mark.parametrize("mode, seq_len, batch_size", [("prefill", 64, 1), ("decode", 1, 32)])
def test_forward_pass(MLPClass, mode, seq_len, batch_size, mesh_device):
    torch.manual_seed(0)
    state = weights()
    tokens = torch.randint(0, VOCABULARY, (batch_size, seq_len), dtype=torch.int32)
    mlp = MLPClass(state, mesh_device)
    given = ttnn.from_torch(tokens, dtype=ttnn.uint32, layout=ttnn.ROW_MAJOR_LAYOUT, device=mesh_device)
    assert_with_pcc(reference(state, tokens), ttnn.to_torch(mlp(given)).float(), 0.99)
