import operator

import pytest
import torch

from tracelift import ttnn
from tracelift.testing import assert_with_pcc

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
COMPARISONS = [operator.eq, operator.ne, operator.gt, operator.ge, operator.lt, operator.le]


@pytest.fixture
def operands(device):
    torch.manual_seed(0)
    a, b = torch.randn(64, 64), torch.rand(64, 64) + 0.5
    b[0, :32] = a[0, :32]

    def upload(tensor):
        return ttnn.from_torch(tensor, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)

    return a, b, upload(a), upload(b)


@pytest.mark.parametrize("function", ARITHMETIC, ids=lambda f: f.__name__)
def test_arithmetic(operands, function):
    a, b, x, y = operands
    assert_with_pcc(function(a, b), function(x, y), 0.9999)
    assert_with_pcc(function(a, 3), function(x, 3), 0.9999)
    assert_with_pcc(function(a, 0.5), function(x, 0.5), 0.9999)


def test_reflected_arithmetic(operands):
    _, b, _, y = operands
    assert_with_pcc(2 + b, 2 + y)
    assert_with_pcc(2 * b, 2 * y)
    assert_with_pcc(2 / b, 2 / y, 0.9999)
    with pytest.raises(TypeError, match="unsupported operand"):
        2 - y


def test_matmul_operator(operands):
    a, b, x, y = operands
    assert_with_pcc(a @ b, x @ y, 0.999)
    with pytest.raises(TypeError):
        x @ 2


@pytest.mark.parametrize("function", COMPARISONS, ids=lambda f: f.__name__)
def test_comparisons_are_elementwise(operands, function):
    a, b, x, y = operands
    result = function(x, y)
    assert isinstance(result, ttnn.Tensor)
    assert torch.equal(ttnn.to_torch(result).bool(), function(a, b))


def test_tensors_hash_by_identity(operands):
    _, _, x, y = operands
    assert len({x, y, x}) == 2
    assert (x == None) is False  # noqa: E711
    with pytest.raises(TypeError):
        x + "1"
