"""Every operation that torch has too, through the whole road: from_torch, the operation, to_torch."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
import test_attention_against_torch
import test_collectives
import test_images_against_torch
import test_indexing_against_torch
import test_state_space_against_torch
from torch_support import check

from tracelift import _ttnn, ttnn

ANY, POSITIVE, UNIT, WIDE = (-3.0, 3.0), (0.1, 4.0), (-0.95, 0.95), (1.1, 5.0)

UNARY = {
    "abs": (torch.abs, ANY),
    "acos": (torch.acos, UNIT),
    "acosh": (torch.acosh, WIDE),
    "asin": (torch.asin, UNIT),
    "asinh": (torch.asinh, ANY),
    "atan": (torch.atan, ANY),
    "atanh": (torch.atanh, UNIT),
    "cbrt": (lambda x: x.sign() * x.abs() ** (1 / 3), ANY),
    "ceil": (torch.ceil, ANY),
    "cos": (torch.cos, ANY),
    "cosh": (torch.cosh, ANY),
    "celu": (F.celu, ANY),
    "deg2rad": (torch.deg2rad, ANY),
    "digamma": (torch.digamma, WIDE),
    "eqz": (lambda x: x == 0, ANY),
    "erf": (torch.erf, ANY),
    "erfc": (torch.erfc, ANY),
    "erfinv": (torch.erfinv, UNIT),
    "exp": (torch.exp, ANY),
    "exp2": (torch.exp2, ANY),
    "expm1": (torch.expm1, ANY),
    "floor": (torch.floor, ANY),
    "frac": (torch.frac, ANY),
    "gelu": (F.gelu, ANY),
    "gez": (lambda x: x >= 0, ANY),
    "gtz": (lambda x: x > 0, ANY),
    "hardshrink": (F.hardshrink, ANY),
    "hardsigmoid": (F.hardsigmoid, ANY),
    "hardswish": (F.hardswish, ANY),
    "hardtanh": (F.hardtanh, ANY),
    "i0": (torch.i0, ANY),
    "i1": (torch.special.i1, ANY),
    "identity": (torch.clone, ANY),
    "isfinite": (torch.isfinite, ANY),
    "isinf": (torch.isinf, ANY),
    "isnan": (torch.isnan, ANY),
    "isneginf": (torch.isneginf, ANY),
    "isposinf": (torch.isposinf, ANY),
    "lez": (lambda x: x <= 0, ANY),
    "lgamma": (torch.lgamma, WIDE),
    "log": (torch.log, POSITIVE),
    "log10": (torch.log10, POSITIVE),
    "log1p": (torch.log1p, POSITIVE),
    "log2": (torch.log2, POSITIVE),
    "log_sigmoid": (F.logsigmoid, ANY),
    "logical_not": (torch.logical_not, ANY),
    "ltz": (lambda x: x < 0, ANY),
    "mish": (F.mish, ANY),
    "multigammaln": (lambda x: torch.special.multigammaln(x, 4), (2.0, 6.0)),
    "neg": (torch.neg, ANY),
    "nez": (lambda x: x != 0, ANY),
    "rad2deg": (torch.rad2deg, ANY),
    "reciprocal": (torch.reciprocal, POSITIVE),
    "relu": (torch.relu, ANY),
    "relu6": (F.relu6, ANY),
    "round": (torch.round, ANY),
    "rsqrt": (torch.rsqrt, POSITIVE),
    "selu": (F.selu, ANY),
    "sigmoid": (torch.sigmoid, ANY),
    "sigmoid_accurate": (torch.sigmoid, ANY),
    "sign": (torch.sign, ANY),
    "signbit": (torch.signbit, ANY),
    "silu": (F.silu, ANY),
    "sin": (torch.sin, ANY),
    "sinh": (torch.sinh, ANY),
    "softplus": (F.softplus, ANY),
    "softshrink": (F.softshrink, ANY),
    "softsign": (F.softsign, ANY),
    "sqrt": (torch.sqrt, POSITIVE),
    "square": (torch.square, ANY),
    "swish": (F.silu, ANY),
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
    "addalpha": torch.add,
    "bias_gelu": lambda a, b: F.gelu(a + b),
    "div": torch.div,
    "div_no_nan": torch.div,
    "floor_div": torch.floor_divide,
    "fmod": torch.fmod,
    "isclose": torch.isclose,
    "ldexp": lambda a, b: a * 2.0**b,
    "mul": torch.mul,
    "remainder": torch.remainder,
    "rsub": lambda a, b: b - a,
    "sub": torch.sub,
    "subalpha": torch.sub,
    "xlogy": torch.xlogy,
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
# (call of ttnn, the same in torch) on one tensor of shape [2, 64, 128]
OTHER = {
    "clamp": (lambda x: ttnn.clamp(x, -1.0, 0.5), lambda x: x.clamp(-1.0, 0.5)),
    "clip": (lambda x: ttnn.clip(x, -1.0, 0.5), lambda x: x.clip(-1.0, 0.5)),
    "leaky_relu": (lambda x: ttnn.leaky_relu(x, 0.1), lambda x: F.leaky_relu(x, 0.1)),
    "elu": (lambda x: ttnn.elu(x, 1.0), F.elu),
    "fill": (lambda x: ttnn.fill(x, 2.5), lambda x: torch.full_like(x, 2.5)),
    "full_like": (lambda x: ttnn.full_like(x, 2.5), lambda x: torch.full_like(x, 2.5)),
    "ones_like": (lambda x: ttnn.ones_like(x), torch.ones_like),
    "zeros_like": (lambda x: ttnn.zeros_like(x), torch.zeros_like),
    "heaviside": (lambda x: ttnn.heaviside(x, 0.5), lambda x: torch.heaviside(x, torch.full_like(x, 0.5))),
    "logit": (lambda x: ttnn.logit(ttnn.sigmoid(x), eps=0.1), lambda x: torch.logit(held_as(x, torch.sigmoid(x)), eps=0.1)),
    "threshold": (lambda x: ttnn.threshold(x, 0.5, -2.0), lambda x: F.threshold(x, 0.5, -2.0)),
    "pow": (lambda x: ttnn.pow(x, 2), lambda x: x**2),
    "rpow": (lambda x: ttnn.rpow(x, 2.0), lambda x: 2.0**x),
    "rdiv": (lambda x: ttnn.rdiv(ttnn.clamp(x, 0.5, 2.0), 3.0), lambda x: 3.0 / x.clamp(0.5, 2.0)),
    "polygamma": (lambda x: ttnn.polygamma(ttnn.clamp(x, 1.0, 3.0), 2), lambda x: torch.polygamma(2, x.clamp(1.0, 3.0))),
    "polyval": (lambda x: ttnn.polyval(x, [1.0, -2.0, 0.5]), lambda x: x**2 - 2 * x + 0.5),
    "prelu": (lambda x: ttnn.prelu(x, 0.25), lambda x: F.prelu(x, torch.tensor([0.25], dtype=x.dtype))),
    "relu_max": (lambda x: ttnn.relu_max(x, 0.5), lambda x: x.clamp(0.0, 0.5)),
    "relu_min": (lambda x: ttnn.relu_min(x, 0.5), lambda x: x.clamp_min(0.5).relu()),
    "glu": (lambda x: ttnn.squeeze(ttnn.glu(ttnn.unsqueeze_to_4D(x)), 0), F.glu),
    "reglu": (lambda x: ttnn.squeeze(ttnn.reglu(ttnn.unsqueeze_to_4D(x)), 0), lambda x: x.chunk(2, -1)[0] * x.chunk(2, -1)[1].relu()),
    "geglu": (lambda x: ttnn.squeeze(ttnn.geglu(ttnn.unsqueeze_to_4D(x)), 0), lambda x: x.chunk(2, -1)[0] * F.gelu(x.chunk(2, -1)[1])),
    "swiglu": (lambda x: ttnn.squeeze(ttnn.swiglu(ttnn.unsqueeze_to_4D(x)), 0), lambda x: x.chunk(2, -1)[0] * F.silu(x.chunk(2, -1)[1])),
    "move": (lambda x: ttnn.move(ttnn.clone(x)), lambda x: x),
    "assign": (lambda x: ttnn.assign(x, memory_config=ttnn.DRAM_MEMORY_CONFIG), lambda x: x),
    "copy": (lambda x: ttnn.copy(x, ttnn.zeros_like(x)), lambda x: x),
    "typecast": (lambda x: ttnn.typecast(x, ttnn.float32), lambda x: x),
    "typecast to int32": (lambda x: ttnn.typecast(x, ttnn.int32), lambda x: x.to(torch.int32)),
    "view": (lambda x: ttnn.view(x, [128, 128]), lambda x: x.view(128, 128)),
    "unsqueeze_to_4D": (lambda x: ttnn.unsqueeze_to_4D(x), lambda x: x[None]),
    "to_memory_config": (lambda x: ttnn.to_memory_config(x, ttnn.DRAM_MEMORY_CONFIG), lambda x: x),
    "to_layout": (lambda x: ttnn.to_layout(ttnn.to_layout(x, ttnn.ROW_MAJOR_LAYOUT), ttnn.TILE_LAYOUT), lambda x: x),
    "tilize": (lambda x: ttnn.tilize(ttnn.to_layout(x, ttnn.ROW_MAJOR_LAYOUT)), lambda x: x),
    "untilize": (lambda x: ttnn.untilize(x), lambda x: x),
    "sharded_to_interleaved": (lambda x: ttnn.sharded_to_interleaved(ttnn.to_memory_config(x, memory_config("BLOCK", x.shape))), lambda x: x),
    "reallocate": (lambda x: ttnn.reallocate(ttnn.clone(x)), lambda x: x),
    "transpose": (lambda x: ttnn.transpose(x, 1, 2), lambda x: x.transpose(1, 2)),
    "permute": (lambda x: ttnn.permute(x, (2, 0, 1)), lambda x: x.permute(2, 0, 1)),
    "reshape": (lambda x: ttnn.reshape(x, [64, 256]), lambda x: x.reshape(64, 256)),
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
    "sum over two": (lambda x: ttnn.sum(x, dim=[0, 2], keepdim=True), lambda x: x.sum([0, 2], keepdim=True)),
    "prod": (lambda x: ttnn.prod(ttnn.typecast(x, ttnn.bfloat16), dim=0), lambda x: x.prod(0)),
    "std": (lambda x: ttnn.std(x, dim=-1), lambda x: x.std(-1)),
    "var": (lambda x: ttnn.var(x, dim=-1), lambda x: x.var(-1)),
    "argmax": (lambda x: ttnn.argmax(x, dim=-1), lambda x: x.argmax(-1)),
    "rms_norm": (lambda x: ttnn.rms_norm(x, epsilon=1e-5), lambda x: x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt()),
    "scale_mask_softmax": (
        lambda x: ttnn.squeeze(ttnn.scale_mask_softmax(ttnn.unsqueeze(x, 1), 0.5, row_mask(x)), 1),
        lambda x: (x * 0.5).softmax(-1),
    ),
    "softmax_in_place": (lambda x: ttnn.softmax_in_place(x), lambda x: x.softmax(-1)),
    "softmax": (lambda x: ttnn.softmax(x, dim=-1), lambda x: x.softmax(-1)),
    "layer_norm": (lambda x: ttnn.layer_norm(x), lambda x: F.layer_norm(x, x.shape[-1:])),
}
# three tensors of one shape; the first is the predicate where there is one
TERNARY = {
    "addcmul": (lambda a, b, c: ttnn.addcmul(a, b, c, value=0.5), lambda a, b, c: torch.addcmul(a, b, c, value=0.5)),
    "addcdiv": (lambda a, b, c: ttnn.addcdiv(a, b, c, value=0.5), lambda a, b, c: torch.addcdiv(a, b, c, value=0.5)),
    "lerp": (lambda a, b, c: ttnn.lerp(a, b, c), torch.lerp),
    "mac": (lambda a, b, c: ttnn.mac(a, b, c), lambda a, b, c: a * b + c),
    "where": (lambda a, b, c: ttnn.where(ttnn.gtz(a), b, c), lambda a, b, c: torch.where(a > 0, b, c)),
    "linear": (
        lambda a, b, c: ttnn.linear(a, ttnn.reshape(b, [1, 128, 64])[:, :64, :], transpose_b=True),
        lambda a, b, c: F.linear(a, b.reshape(128, 64)[:64]),
    ),
}
# exact on int32; the operands are positive, the second below 31
INTEGER = {
    "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or,
    "bitwise_xor": torch.bitwise_xor,
    "bitwise_left_shift": torch.bitwise_left_shift,
    "bitwise_right_shift": torch.bitwise_right_shift,
    "logical_left_shift": torch.bitwise_left_shift,
    "logical_right_shift": torch.bitwise_right_shift,
    "gcd": torch.gcd,
    "lcm": torch.lcm,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "eq": torch.eq,
    "lt": torch.lt,
}
CREATION = {
    "zeros": (lambda device: ttnn.zeros([2, 64, 96], device=device), lambda: torch.zeros(2, 64, 96)),
    "ones": (lambda device: ttnn.ones([2, 64, 96], device=device), lambda: torch.ones(2, 64, 96)),
    "full": (lambda device: ttnn.full([2, 64, 96], 1.5, device=device), lambda: torch.full((2, 64, 96), 1.5)),
    "arange": (lambda device: ttnn.arange(3, 99, 2, device=device), lambda: torch.arange(3, 99, 2)),
}
IN_PLACE = ["add", "subtract", "multiply", "divide", "gt", "ge", "lt", "le", "eq", "ne", "logical_and", "logical_or",
            "logical_xor", "logaddexp", "logaddexp2", "squared_difference", "rsub", "ldexp", "bias_gelu", "sub", "mul", "div"]
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


def row_mask(x):
    return ttnn.zeros([2, 1, 1, x.shape[-1]], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=x.device())


def held_as(like, values):
    """The values as bfloat16 would hold them between two operations: near enough for every dtype."""
    return values.bfloat16().to(like.dtype)


def run(call, dtype, layout, memory):
    """The result as torch; skips where the operation refuses the combination, which interleaved TILE floats never are."""
    try:
        return ttnn.to_torch(call())
    except RuntimeError as error:
        if layout == ttnn.TILE_LAYOUT and dtype != ttnn.bfloat8_b and memory in ("DRAM", "L1"):
            raise
        pytest.skip(f"refused: {error}")


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
    x, held = upload(torch.randn(2, 64, 128) * torch.linspace(0.5, 2.0, 64)[:, None], dtype, layout, device, memory)
    actual = run(lambda: call(x), dtype, layout, memory)
    check(actual, function(held), dtype)


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", TERNARY)
def test_ternary(device, name, dtype, layout, memory):
    torch.manual_seed(len(name))
    call, function = TERNARY[name]
    tensors, held = zip(*(upload(torch.rand(2, 64, 64) + low, dtype, layout, device, memory) for low in (-0.5, 0.5, 1.0)))
    actual = run(lambda: call(*tensors), dtype, layout, memory)
    check(actual, function(*held), dtype)


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place(device, name, memory):
    torch.manual_seed(len(name))
    a, b = torch.randn(2, 64, 64), torch.rand(2, 64, 64) + 0.5
    (x, held_a), (y, held_b) = (upload(each, ttnn.bfloat16, ttnn.TILE_LAYOUT, device, memory) for each in (a, b))
    address = x.buffer_address()
    result = getattr(ttnn, name + "_")(x, y)
    assert result.buffer_address() == address
    check(ttnn.to_torch(x), BINARY[name](held_a, held_b), ttnn.bfloat16)


@pytest.mark.parametrize("name", CREATION)
def test_creation(device, name):
    call, function = CREATION[name]
    check(ttnn.to_torch(call(device)), function(), ttnn.bfloat16)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_embedding(device, layout):
    torch.manual_seed(3)
    indices, weight = torch.randint(0, 100, (2, 64)), torch.randn(100, 96)
    held_weight = ttnn.from_torch(weight, dtype=ttnn.bfloat16, device=device)
    held_indices = ttnn.from_torch(indices, dtype=ttnn.uint32, device=device)
    actual = ttnn.embedding(held_indices, held_weight, layout=layout)
    assert torch.equal(ttnn.to_torch(actual), F.embedding(indices, ttnn.to_torch(held_weight)))


def test_addmm_and_outer(device):
    torch.manual_seed(4)
    (c, held_c), (a, held_a), (b, held_b) = (
        upload(torch.randn(*shape), ttnn.bfloat16, ttnn.TILE_LAYOUT, device, "DRAM") for shape in ((64, 96), (64, 32), (32, 96))
    )
    check(ttnn.to_torch(ttnn.addmm(c, a, b, alpha=0.5, beta=2.0)), torch.addmm(held_c, held_a, held_b, alpha=0.5, beta=2.0), ttnn.bfloat16)
    (u, held_u), (v, held_v) = (
        upload(torch.randn(*shape), ttnn.bfloat16, ttnn.TILE_LAYOUT, device, "DRAM") for shape in ((1, 1, 64, 1), (1, 1, 1, 96))
    )
    check(ttnn.to_torch(ttnn.outer(u, v))[0, 0], torch.outer(held_u.flatten(), held_v.flatten()), ttnn.bfloat16)


def test_nextafter(device):
    a, b = torch.randn(64, 64), torch.randn(64, 64)
    tensors = [ttnn.from_torch(each, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device) for each in (a, b)]
    assert torch.allclose(ttnn.to_torch(ttnn.nextafter(*tensors)), torch.nextafter(a, b), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", INTEGER)
def test_integer_operations(device, name):
    torch.manual_seed(len(name))
    a, b = torch.randint(1, 1 << 12, (64, 64), dtype=torch.int32), torch.randint(1, 12, (64, 64), dtype=torch.int32)
    x, y = (ttnn.from_torch(each, dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT, device=device) for each in (a, b))
    assert torch.equal(ttnn.to_torch(getattr(ttnn, name)(x, y)).to(torch.int32), INTEGER[name](a, b).to(torch.int32))


def test_bitwise_not(device):
    a = torch.randint(-1000, 1000, (64, 64), dtype=torch.int32)
    x = ttnn.from_torch(a, dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT, device=device)
    assert torch.equal(ttnn.to_torch(ttnn.bitwise_not(x)), torch.bitwise_not(a))


# Torch has no such operation, or it moves tensors between host, files and device and is tested elsewhere.
NOT_IN_TORCH = set(
    """Tensor.__getitem__ allocate_tensor_on_device allocate_tensor_on_host alt_complex_rotate90 as_tensor barrier bernoulli bitcast
    composite_example copy_device_to_host_tensor copy_host_to_device_tensor deallocate dram_prefetcher dump_tensor empty empty_like
    fill_implicit_tile_padding from_buffer from_device from_numpy from_torch generic_op halo hardmish interleaved_to_sharded load_tensor manual_seed
    normalize_global normalize_hw rand reshard scale_causal_mask_hw_dims_softmax_in_place scale_mask_softmax_in_place std_hw
    tilize_with_val_padding tilize_with_zero_padding to_device to_dtype to_numpy to_torch unary_chain uniform
    untilize_with_unpadding var_hw xielu""".split()
)
# They spread tokens over the chips of experts: checked against their references, and in tests/ops/expert_transport_test.cpp.
OF_EXPERTS = set("all_to_all_combine all_to_all_dispatch moe_expert_token_remap moe_routing_remap".split())
ELSEWHERE_HERE = {"embedding", "addmm", "outer", "nextafter", "bitwise_not", "logical_not_"}
# Compared with torch by the tests of these files, in calls that name them.
ELSEWHERE = {
    "test_collectives.py": """all_broadcast all_gather all_reduce broadcast mesh_partition point_to_point reduce_scatter
        experimental.all_gather_async experimental.all_reduce_async experimental.all_to_all_async_generic
        experimental.reduce_scatter_minimal_async""",
    "test_composed.py": """from_buffer experimental.all_gather_concat experimental.dit_minimal_matmul_addcmul_fused
        experimental.recv_async experimental.send_async""",
    "test_convolution.py": "conv1d experimental.conv3d",
    "test_norm_helpers.py": """batch_norm group_norm layer_norm_post_all_gather layer_norm_pre_all_gather
        experimental.wan_fused_rmsnorm_post_allgather experimental.wan_fused_rmsnorm_pre_allgather""",
}
MODULES = [
    test_attention_against_torch,
    test_collectives,
    test_images_against_torch,
    test_indexing_against_torch,
    test_state_space_against_torch,
]


def test_no_operation_is_forgotten():
    operations = {each.__name__.removeprefix("ttnn.") for each in _ttnn.operations().values()}  # without their other names
    operations = {name for name in operations if "made_here" not in name}  # nor those of tests
    compared = {*UNARY, *BINARY, *OTHER, *TERNARY, *INTEGER, *CREATION, *(name + "_" for name in IN_PLACE), *ELSEWHERE_HERE}
    for module in MODULES:
        compared |= module.COMPARED.keys()
    for names in ELSEWHERE.values():
        compared |= set(names.split())
    assert operations - compared - OF_EXPERTS - NOT_IN_TORCH == set()


@pytest.mark.parametrize("file", ELSEWHERE)
def test_what_is_compared_elsewhere_is_called_there(file):
    text = (Path(__file__).parent / file).read_text()
    assert [name for name in ELSEWHERE[file].split() if f"ttnn.{name}(" not in text] == []


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
@pytest.mark.parametrize("dtype", [ttnn.int32, ttnn.uint32], ids=str)
def test_integers_are_exact(device, name, dtype):
    a = torch.randint(100, 1000, (64, 64), dtype=torch.int64)
    b = torch.randint(0, 100, (64, 64), dtype=torch.int64)

    def upload_integers(values):
        return ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)

    actual = ttnn.to_torch(getattr(ttnn, name)(upload_integers(a), upload_integers(b)))
    assert torch.equal(actual.to(torch.int64), BINARY[name](a, b))
