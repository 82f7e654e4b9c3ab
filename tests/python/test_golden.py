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


def test_in_place_goldens_write_into_their_input():
    x = torch.tensor([0.0, 1.0, 2.0])
    result = ttnn.get_golden_function(ttnn.logical_not_)(x)
    assert result is x and x.tolist() == [1.0, 0.0, 0.0]


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
