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


def test_negation_and_powers(operands):
    a, b, x, y = operands
    assert torch.equal(ttnn.to_torch(-x), -a)
    assert_with_pcc(a**2, x**2, 0.9999)
    assert_with_pcc(b**a, y**x, 0.9999)
    assert_with_pcc(2.0**a, 2.0**x, 0.9999)
    with pytest.raises(TypeError):
        pow(x, 2, 3)
    with pytest.raises(TypeError):
        x ** "2"


def test_length_and_iteration(operands):
    a, _, x, _ = operands
    assert len(x) == 64
    rows = list(x)
    assert len(rows) == 64 and all(list(row.shape) == [64] for row in rows)
    assert torch.equal(torch.stack([ttnn.to_torch(row) for row in rows]), a)
    first, *_ = x.cpu()
    assert first.to_list() == a[0].tolist()
    scalar = ttnn.from_torch(torch.tensor(3.0))
    with pytest.raises(TypeError, match="0-d"):
        len(scalar)
    with pytest.raises(TypeError, match="0-d"):
        iter(scalar)


def test_a_tensor_is_true_whatever_its_length(operands):
    assert bool(operands[2]) and bool(ttnn.from_torch(torch.zeros(0, 4))) and bool(ttnn.from_torch(torch.tensor(0.0)))


@pytest.mark.parametrize("function", [ttnn.add, ttnn.multiply, ttnn.subtract], ids=lambda f: f.__name__)
def test_activations_go_by_name(operands, function):
    a, b, x, y = operands
    plain = {"ttnn.add": a + b, "ttnn.multiply": a * b, "ttnn.subtract": a - b}[function.__name__]
    assert_with_pcc(torch.relu(plain), function(x, y, activations=["relu"]), 0.9999)
    expected = torch.tanh(torch.relu(plain))
    assert_with_pcc(expected, function(x, y, activations=["relu", ttnn.UnaryOpType.TANH]), 0.9999)
    with pytest.raises(RuntimeError, match="unknown activation 'reelu'"):
        function(x, y, activations=["reelu"])
