import pytest
import torch

from tracelift import ttnn

CASES = {
    "exp": (torch.exp, 1),
    "log": (lambda x: torch.log(x), 1),
    "sqrt": (torch.sqrt, 1),
    "relu": (torch.relu, 1),
    "gelu": (torch.nn.functional.gelu, 1),
    "silu": (torch.nn.functional.silu, 1),
    "tanh": (torch.tanh, 1),
    "sigmoid": (torch.sigmoid, 1),
    "erf": (torch.erf, 1),
    "abs": (torch.abs, 1),
    "neg": (torch.neg, 1),
    "floor": (torch.floor, 1),
    "reciprocal": (torch.reciprocal, 1),
    "rsqrt": (torch.rsqrt, 1),
    "cos": (torch.cos, 1),
    "isfinite": (torch.isfinite, 1),
    "gtz": (lambda x: x > 0, 1),
    "add": (torch.add, 2),
    "subtract": (torch.sub, 2),
    "multiply": (torch.mul, 2),
    "gt": (torch.gt, 2),
    "eq": (torch.eq, 2),
    "maximum": (torch.maximum, 2),
    "matmul": (torch.matmul, 2),
}


@pytest.mark.parametrize("name", CASES)
def test_goldens_agree_with_torch(name):
    function, count = CASES[name]
    torch.manual_seed(0)
    inputs = [torch.rand(32, 32) + 0.1 for _ in range(count)]
    expected = function(*inputs)
    actual = ttnn.get_golden_function(getattr(ttnn, name))(*inputs)
    assert actual.dtype == expected.dtype
    assert torch.allclose(actual.double(), expected.double(), rtol=1e-5, atol=1e-6)


def test_goldens_ignore_unknown_keywords_and_keep_dtypes():
    golden = ttnn.get_golden_function(ttnn.exp)
    x = torch.rand(4, 4).to(torch.bfloat16)
    assert golden(x, device=None, something=1).dtype == torch.bfloat16
    assert golden(x).dtype == torch.bfloat16


PLACES = {
    "topk": (lambda x: ttnn.get_golden_function(ttnn.topk)(x, 8)[1], lambda x: x.float().topk(8).indices),
    "sort": (lambda x: ttnn.get_golden_function(ttnn.sort)(x)[1], lambda x: x.float().sort().indices),
    "argmax": (lambda x: ttnn.get_golden_function(ttnn.argmax)(x, -1), lambda x: x.float().argmax(-1)),
}


@pytest.mark.parametrize("name", PLACES)
def test_places_stay_whole_numbers(name):
    """As bfloat16 those beyond 256 would be others."""
    golden, in_torch = PLACES[name]
    # Distinct in bfloat16, so that there is one right order.
    order = torch.randperm(1024, generator=torch.Generator().manual_seed(0))
    row = torch.arange(0x3000, 0x3000 + 1024, dtype=torch.int16).view(torch.bfloat16)[order]
    x = torch.stack((row, row.flip(0)))
    places = golden(x)
    assert places.dtype == torch.int64
    assert places.max() > 256
    assert torch.equal(places, in_torch(x))


def test_the_fallback_keeps_places_whole(device):
    row = torch.arange(0x3000, 0x3000 + 1024, dtype=torch.int16).view(torch.bfloat16)[None]
    x = ttnn.from_torch(row, layout=ttnn.TILE_LAYOUT, device=device)
    values, places = ttnn.get_fallback_function(ttnn.topk)(x, 32)
    assert (values.dtype, places.dtype) == (ttnn.bfloat16, ttnn.uint32)
    assert ttnn.to_torch(places).flatten().tolist() == list(range(1023, 991, -1))


@pytest.mark.parametrize("name", ["logical_not_", "gt_", "add_", "divide_"])
def test_in_place_goldens_leave_their_argument_alone(name):
    for dtype in (torch.float32, torch.int32):
        x = torch.tensor([0, 1, 2], dtype=dtype)
        others = [] if name == "logical_not_" else [torch.tensor([1, 1, 1], dtype=dtype)]
        result = ttnn.get_golden_function(getattr(ttnn, name))(x, *others)
        assert x.tolist() == [0, 1, 2] and x.dtype == dtype
        assert result is not x and result.dtype == dtype
        expected = {"logical_not_": [1, 0, 0], "gt_": [0, 0, 1], "add_": [1, 2, 3], "divide_": [0, 1, 2]}[name]
        assert result.tolist() == expected


@pytest.mark.parametrize("mode", [None, "floor", "trunc"])
def test_div_takes_the_rounding_mode_by_position(mode):
    golden = ttnn.get_golden_function(ttnn.div)
    a, b = torch.tensor([7.0, -7.0, 1.0]), torch.tensor([2.0, 2.0, 4.0])
    expected = torch.div(a, b, rounding_mode=mode)
    assert torch.equal(golden(a, b, mode), expected)
    assert torch.equal(golden(a, b, rounding_mode=mode), expected)
    assert torch.equal(golden(a, b), torch.div(a, b))
    assert torch.equal(golden(a, 2.0, mode), torch.div(a, 2.0, rounding_mode=mode))
    assert golden(a.bfloat16(), b.bfloat16(), mode).dtype == torch.bfloat16


def test_rms_norm_takes_the_weight_by_position():
    torch.manual_seed(0)
    x, weight = torch.randn(2, 32, 64), torch.rand(64)
    golden = ttnn.get_golden_function(ttnn.rms_norm)
    plain = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
    assert torch.allclose(golden(x, weight, epsilon=1e-5), plain * weight, rtol=1e-5, atol=1e-6)
    assert torch.allclose(golden(x, epsilon=1e-5), plain, rtol=1e-5, atol=1e-6)
    assert torch.allclose(golden(x, weight=weight, epsilon=1e-5), plain * weight, rtol=1e-5, atol=1e-6)


def test_concat_interleaves_groups_of_channels():
    golden = ttnn.get_golden_function(ttnn.concat)
    a, b = torch.arange(8).reshape(2, 4), torch.arange(100, 104).reshape(2, 2)
    assert torch.equal(golden([a, b], 1), torch.cat([a, b], 1))
    assert torch.equal(golden([a, a]), torch.cat([a, a]))
    expected = [[0, 1, 100, 2, 3, 101], [4, 5, 102, 6, 7, 103]]
    assert golden([a, b], -1, 2).tolist() == expected
    assert golden([a, b], dim=1, groups=2, memory_config=None).tolist() == expected
    with pytest.raises(RuntimeError, match="multiple of groups"):
        golden([a, b], 1, 3)


INTEGERS = {
    "add": torch.add,
    "subtract": torch.sub,
    "multiply": torch.mul,
    "rsub": lambda a, b: b - a,
    "squared_difference": lambda a, b: (a - b) * (a - b),
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "bitwise_and": torch.bitwise_and,
    "gcd": torch.gcd,
    "eq": torch.eq,
    "gt": torch.gt,
    "remainder": torch.remainder,
    "fmod": torch.fmod,
}


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64], ids=str)
def test_goldens_of_integers_are_exact(name, dtype):
    """int32 wraps around, int64 keeps its 64 bits."""
    info = torch.iinfo(dtype)
    a = torch.tensor([info.max, info.min + 1, 2**30 + 1, -16777217, 5], dtype=dtype)
    b = torch.tensor([3, 7, 2**30 - 1, 16777217, 5], dtype=dtype)
    actual = ttnn.get_golden_function(getattr(ttnn, name))(a, b)
    expected = INTEGERS[name](a, b)
    assert actual.dtype == expected.dtype and torch.equal(actual, expected)


def test_goldens_of_integers_take_ints_and_keywords():
    x = torch.tensor([1, -5, 2**31 - 1], dtype=torch.int32)
    assert ttnn.get_golden_function(ttnn.maximum)(x, 16777217).tolist() == [16777217, 16777217, 2**31 - 1]
    assert ttnn.get_golden_function(ttnn.add)(x, 1, memory_config=None).tolist() == [2, -4, -(2**31)]
    if hasattr(torch, "uint32"):
        unsigned = torch.tensor([0, 2**32 - 1]).to(torch.uint32)
        assert ttnn.get_golden_function(ttnn.add)(unsigned, 1).tolist() == [1, 0]
    activated = ttnn.get_golden_function(ttnn.add)(x, 1, activations=[ttnn.UnaryOpType.RELU])
    assert activated.tolist()[:2] == [2, 0]


@pytest.mark.parametrize("shift", [-1, 0, 5, 31, 32, 40])
def test_left_shifts_beyond_the_word_give_zero(shift):
    golden = ttnn.get_golden_function(ttnn.bitwise_left_shift)
    x = torch.tensor([1, -3, 2**30], dtype=torch.int32)
    expected = [0, 0, 0] if not 0 <= shift <= 31 else [((int(v) << shift) + 2**31) % 2**32 - 2**31 for v in x]
    assert golden(x, shift).tolist() == expected
    assert golden(x, torch.full_like(x, shift)).tolist() == expected


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8], ids=str)
def test_integer_quotients_are_float32_unless_rounded(dtype):
    golden = ttnn.get_golden_function(ttnn.div)
    a, b = torch.tensor([6, 7, 9], dtype=dtype), torch.tensor([3, 2, 3], dtype=dtype)
    quotient = golden(a, b)
    assert quotient.dtype == torch.float32 and quotient.tolist() == [2.0, 3.5, 3.0]
    whole = golden(a[:1], b[:1])
    assert whole.dtype == torch.float32 and whole.tolist() == [2.0]
    assert golden(a, b, "floor").tolist() == [2, 3, 3]


@pytest.mark.parametrize("alpha", [float("inf"), float("nan")])
def test_celu_leaves_positives_whatever_alpha_is(alpha):
    assert ttnn.get_golden_function(ttnn.celu)(torch.tensor([2.0, 0.5]), alpha=alpha).tolist() == [2.0, 0.5]


def test_operations_without_golden_say_so():
    @ttnn.register_python_operation(name="ttnn.made_here.without_golden")
    def operation(x):
        return x

    with pytest.raises(RuntimeError, match="ttnn.made_here.without_golden.* does not have a golden function"):
        ttnn.get_golden_function(operation)
    ttnn.attach_golden_function(operation, lambda x: x + 1)
    assert ttnn.get_golden_function(operation)(1) == 2


def test_fallback_runs_the_golden_on_torch_copies(device):
    x = ttnn.from_torch(torch.rand(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    result = ttnn.get_fallback_function(ttnn.exp)(x)
    assert result.device() is device and result.dtype == x.dtype and result.layout == x.layout
    assert torch.allclose(ttnn.to_torch(result), ttnn.to_torch(ttnn.exp(x)), rtol=2e-2)


def test_most_operations_have_a_golden():
    operations = [operation for operation in ttnn.query_registered_operations() if operation.is_cpp_operation]
    with_golden = [operation for operation in operations if operation.golden_function is not None]
    assert len(with_golden) > 0.8 * len(operations)
