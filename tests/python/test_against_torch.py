"""Every operation that torch has too, through the whole road: from_torch, the operation, to_torch."""

import pytest
import torch
import torch.nn.functional as F

from tracelift import ttnn
from tracelift.testing import comp_pcc

ANY, POSITIVE, UNIT, WIDE = (-3.0, 3.0), (0.1, 4.0), (-0.95, 0.95), (1.1, 5.0)

UNARY = {
    "abs": (torch.abs, ANY),
    "acos": (torch.acos, UNIT),
    "acosh": (torch.acosh, WIDE),
    "asin": (torch.asin, UNIT),
    "asinh": (torch.asinh, ANY),
    "atan": (torch.atan, ANY),
    "atanh": (torch.atanh, UNIT),
    "ceil": (torch.ceil, ANY),
    "cos": (torch.cos, ANY),
    "cosh": (torch.cosh, ANY),
    "deg2rad": (torch.deg2rad, ANY),
    "digamma": (torch.digamma, WIDE),
    "erf": (torch.erf, ANY),
    "erfc": (torch.erfc, ANY),
    "erfinv": (torch.erfinv, UNIT),
    "exp": (torch.exp, ANY),
    "exp2": (torch.exp2, ANY),
    "expm1": (torch.expm1, ANY),
    "floor": (torch.floor, ANY),
    "frac": (torch.frac, ANY),
    "gelu": (F.gelu, ANY),
    "hardshrink": (F.hardshrink, ANY),
    "hardsigmoid": (F.hardsigmoid, ANY),
    "hardswish": (F.hardswish, ANY),
    "i0": (torch.i0, ANY),
    "isfinite": (torch.isfinite, ANY),
    "lgamma": (torch.lgamma, WIDE),
    "log": (torch.log, POSITIVE),
    "log10": (torch.log10, POSITIVE),
    "log1p": (torch.log1p, POSITIVE),
    "log2": (torch.log2, POSITIVE),
    "log_sigmoid": (F.logsigmoid, ANY),
    "mish": (F.mish, ANY),
    "neg": (torch.neg, ANY),
    "rad2deg": (torch.rad2deg, ANY),
    "reciprocal": (torch.reciprocal, POSITIVE),
    "relu": (torch.relu, ANY),
    "relu6": (F.relu6, ANY),
    "rsqrt": (torch.rsqrt, POSITIVE),
    "selu": (F.selu, ANY),
    "sigmoid": (torch.sigmoid, ANY),
    "sign": (torch.sign, ANY),
    "silu": (F.silu, ANY),
    "sin": (torch.sin, ANY),
    "sinh": (torch.sinh, ANY),
    "softplus": (F.softplus, ANY),
    "softsign": (F.softsign, ANY),
    "sqrt": (torch.sqrt, POSITIVE),
    "square": (torch.square, ANY),
    "tan": (torch.tan, UNIT),
    "tanh": (torch.tanh, ANY),
    "tanhshrink": (F.tanhshrink, ANY),
    "trunc": (torch.trunc, ANY),
}
BINARY = {
    "add": torch.add,
    "subtract": torch.sub,
    "multiply": torch.mul,
    "divide": torch.div,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "atan2": torch.atan2,
    "hypot": torch.hypot,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    "squared_difference": lambda a, b: (a - b) ** 2,
    "gt": torch.gt,
    "ge": torch.ge,
    "lt": torch.lt,
    "le": torch.le,
    "eq": torch.eq,
    "ne": torch.ne,
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
    "matmul": torch.matmul,
}
# (call of ttnn, the same in torch) on one tensor of shape [2, 64, 96]
OTHER = {
    "clamp": (lambda x: ttnn.clamp(x, -1.0, 0.5), lambda x: x.clamp(-1.0, 0.5)),
    "leaky_relu": (lambda x: ttnn.leaky_relu(x, 0.1), lambda x: F.leaky_relu(x, 0.1)),
    "elu": (lambda x: ttnn.elu(x, 1.0), F.elu),
    "transpose": (lambda x: ttnn.transpose(x, 1, 2), lambda x: x.transpose(1, 2)),
    "permute": (lambda x: ttnn.permute(x, (2, 0, 1)), lambda x: x.permute(2, 0, 1)),
    "reshape": (lambda x: ttnn.reshape(x, [64, 192]), lambda x: x.reshape(64, 192)),
    "concat": (lambda x: ttnn.concat([x, x], dim=1), lambda x: torch.cat([x, x], 1)),
    "stack": (lambda x: ttnn.stack([x, x], dim=0), lambda x: torch.stack([x, x], 0)),
    "repeat": (lambda x: ttnn.repeat(x, [1, 2, 1]), lambda x: x.repeat(1, 2, 1)),
    "slice": (lambda x: ttnn.slice(x, [0, 32, 0], [2, 64, 64]), lambda x: x[:, 32:64, :64]),
    "pad": (lambda x: ttnn.pad(x, [(0, 0), (0, 32), (0, 32)], 1.0), lambda x: F.pad(x, (0, 32, 0, 32), value=1.0)),
    "squeeze": (lambda x: ttnn.squeeze(ttnn.unsqueeze(x, 1), 1), lambda x: x),
    "unsqueeze": (lambda x: ttnn.unsqueeze(x, 0), lambda x: x[None]),
    "expand": (lambda x: ttnn.expand(ttnn.unsqueeze(x, 0), [3, -1, -1, -1]), lambda x: x[None].expand(3, -1, -1, -1)),
    "split": (lambda x: ttnn.split(x, 32, 1)[1], lambda x: x.split(32, 1)[1]),
    "chunk": (lambda x: ttnn.chunk(x, 2, 0)[1], lambda x: x.chunk(2, 0)[1]),
    "tril": (lambda x: ttnn.tril(x), torch.tril),
    "triu": (lambda x: ttnn.triu(x), torch.triu),
    "clone": (lambda x: ttnn.clone(x), lambda x: x),
    "sum": (lambda x: ttnn.sum(x, dim=-1), lambda x: x.sum(-1)),
    "mean": (lambda x: ttnn.mean(x, dim=-1), lambda x: x.mean(-1)),
    "max": (lambda x: ttnn.max(x, dim=-1), lambda x: x.max(-1).values),
    "min": (lambda x: ttnn.min(x, dim=-1), lambda x: x.min(-1).values),
    "softmax": (lambda x: ttnn.softmax(x, dim=-1), lambda x: x.softmax(-1)),
    "layer_norm": (lambda x: ttnn.layer_norm(x), lambda x: F.layer_norm(x, x.shape[-1:])),
}
DTYPES = [ttnn.float32, ttnn.bfloat16, ttnn.bfloat8_b]
MEMORY = ["DRAM", "L1", "HEIGHT", "WIDTH", "BLOCK"]
LAYOUTS = [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT]


def memory_config(kind, shape):
    """Shards of one tile where the kind cuts, so that every core holds part of the tensor."""
    if kind in ("DRAM", "L1"):
        return ttnn.DRAM_MEMORY_CONFIG if kind == "DRAM" else ttnn.L1_MEMORY_CONFIG
    rows, columns = shape[0] * shape[1] // 32, shape[2] // 32
    x, y = {"HEIGHT": (rows, 1), "WIDTH": (columns, 1), "BLOCK": (columns, rows)}[kind]
    return ttnn.create_sharded_memory_config(shape, ttnn.CoreGrid(x=x, y=y), ttnn.ShardStrategy[kind])


def upload(values, dtype, layout, device, memory):
    tensor = ttnn.from_torch(values, dtype=dtype, layout=layout, device=device, memory_config=memory_config(memory, values.shape))
    return tensor, ttnn.to_torch(tensor).double()


def run(call, dtype, layout, memory):
    """The result as torch; skips where the operation refuses the combination, which interleaved TILE floats never are."""
    try:
        return ttnn.to_torch(call())
    except RuntimeError as error:
        if layout == ttnn.TILE_LAYOUT and dtype != ttnn.bfloat8_b and memory in ("DRAM", "L1"):
            raise
        pytest.skip(f"refused: {error}")


def check(actual, expected, dtype):
    assert list(actual.shape) == list(expected.shape)
    if dtype == ttnn.bfloat8_b:  # what the output's dtype can hold of it
        expected = ttnn.to_torch(ttnn.from_torch(expected.float(), dtype=dtype, layout=ttnn.TILE_LAYOUT))
    passed, pcc = comp_pcc(expected.double(), actual.double(), 0.9999)
    assert passed, pcc
    ratio = actual.double().norm() / expected.double().norm().clamp_min(1e-9)
    assert 0.98 < ratio < 1.02 or not expected.any()  # PCC does not see a factor


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_unary(device, name, dtype, layout, memory):
    function, (low, high) = UNARY[name]
    torch.manual_seed(len(name))
    x, held = upload(torch.rand(2, 64, 96) * (high - low) + low, dtype, layout, device, memory)
    held = held.clamp(low, high) if high < 1 else held
    actual = run(lambda: getattr(ttnn, name)(x), dtype, layout, memory)
    check(actual, function(held), dtype)


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_binary(device, name, dtype, layout, memory):
    torch.manual_seed(len(name))
    a, b = torch.randn(2, 64, 64), torch.rand(2, 64, 64) + 0.5
    b[0, :16] = a[0, :16].abs() + 0.5
    (x, held_a), (y, held_b) = upload(a, dtype, layout, device, memory), upload(b, dtype, layout, device, memory)
    actual = run(lambda: getattr(ttnn, name)(x, y), dtype, layout, memory)
    check(actual, BINARY[name](held_a, held_b), dtype)


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", OTHER)
def test_other(device, name, dtype, layout, memory):
    torch.manual_seed(len(name))
    call, function = OTHER[name]
    x, held = upload(torch.randn(2, 64, 96), dtype, layout, device, memory)
    actual = run(lambda: call(x), dtype, layout, memory)
    check(actual, function(held), dtype)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
@pytest.mark.parametrize("dtype", [ttnn.int32, ttnn.uint32], ids=str)
def test_integers_are_exact(device, name, dtype):
    a = torch.randint(100, 1000, (64, 64), dtype=torch.int64)
    b = torch.randint(0, 100, (64, 64), dtype=torch.int64)

    def upload_integers(values):
        return ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)

    actual = ttnn.to_torch(getattr(ttnn, name)(upload_integers(a), upload_integers(b)))
    assert torch.equal(actual.to(torch.int64), BINARY[name](a, b))
