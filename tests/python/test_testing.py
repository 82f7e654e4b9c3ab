"""tracelift.testing: the helpers that compare tensors."""

import math

import pytest
import torch

from tracelift import testing, ttnn

NAN, INF = math.nan, math.inf


def test_comp_pcc():
    x = torch.randn(10, 10)
    assert testing.comp_pcc(x, x) == (True, 1.0)
    passed, value = testing.comp_pcc(x, 2 * x + 1, 0.99)
    assert passed and value == pytest.approx(1.0)
    assert not testing.comp_pcc(x, torch.randn(10, 10), 0.9)[0]
    assert testing.comp_pcc(torch.full((3,), NAN), torch.full((3,), NAN)) == (True, 1.0)
    assert testing.comp_pcc(torch.full((3,), NAN), torch.ones(3)) == (False, 0.0)
    assert testing.comp_pcc(torch.zeros(3), torch.ones(3)) == (False, 0.0)
    assert testing.comp_pcc(torch.tensor([1.0, INF, 2.0]), torch.tensor([1.0, NAN, 2.0])) == (True, 1.0)
    assert testing.comp_pcc(torch.full((3,), 2.0), torch.full((3,), 3.0)) == (True, 1.0)
    assert testing.comp_pcc(x.bfloat16(), x.bfloat16()) == (True, 1.0)


def test_assertions_take_ttnn_and_torch_tensors():
    x = torch.randn(4, 4)
    testing.assert_with_pcc(x, ttnn.from_torch(x))
    with pytest.raises(AssertionError, match=r"\[4, 4\].*\[16\]"):
        testing.assert_with_pcc(x, x.reshape(16))
    with pytest.raises(AssertionError):
        testing.assert_with_pcc(x, torch.randn(4, 4))
    assert testing.check_with_pcc(x, x) == (True, "1.0")
    assert testing.check_with_pcc(x, x.reshape(16))[0] is False
    noisy = x + 0.1 * torch.arange(16.0).reshape(4, 4)
    value = testing.comp_pcc(x, noisy)[1]
    assert testing.check_with_pcc(x, noisy, threshold=value - 1e-3) == (True, str(value))
    assert testing.check_with_pcc(x, noisy, threshold=value + 1e-3) == (False, str(value))
    with pytest.raises(TypeError, match="pcc or threshold"):
        testing.check_with_pcc(x, noisy, 0.9, threshold=0.9)
    testing.assert_equal(torch.tensor([1, 2]), ttnn.from_torch(torch.tensor([1, 2])))
    testing.assert_allclose(x, x + 1e-9)
    with pytest.raises(AssertionError, match="Max ATOL Delta: 1"):
        testing.assert_allclose(torch.zeros(2), torch.ones(2))
    assert testing.comp_equal(x, x)[1] == "Max ATOL Delta: 0.0, Max RTOL Delta: 0.0"
    assert testing.comp_allclose_and_pcc(x, x)[1].endswith(", 1.0")
    assert "," not in testing.comp_allclose_and_pcc(torch.ones(1), torch.ones(1))[1].split("RTOL")[1]


def test_ulp():
    one = torch.ones(2, dtype=torch.bfloat16)
    assert testing.ulp(one)[0] == 2**-7
    next_one = torch.tensor([1.0, 1.0 + 2**-7], dtype=torch.bfloat16)
    assert testing.comp_ulp(one, next_one, 1) == (True, "Max ULP Delta: 1.0")
    passed, text = testing.comp_ulp(one, next_one, 0.5)
    assert not passed and "[1]" in text
    bad = torch.tensor([1.0, INF])
    assert testing.comp_ulp(torch.ones(2), bad, 1) == (False, "Calculated tensor contains non-finite values")
    assert testing.comp_ulp(torch.ones(2), bad, 1, True) == (False, "Tensors are not finite at the same positions")
    assert testing.comp_ulp(bad, bad, 1, True)[0]
    testing.assert_with_ulp(torch.ones(32, 32), ttnn.from_torch(torch.ones(32, 32), ttnn.bfloat8_b))


def test_frobenius():
    assert testing.comp_relative_frobenius(torch.ones(4), torch.ones(4) * 1.5) == (0.5, False)
    assert testing.comp_relative_frobenius(torch.zeros(4), torch.ones(4)) == (2.0, True)
    with pytest.raises(AssertionError, match="Frobenius"):
        testing.assert_relative_frobenius(torch.ones(4), torch.zeros(4))


def test_numbers_and_data():
    assert (testing.nearest_32(33), testing.divup(7, 2), testing.roundup(7, 4), testing.roundup32(1)) == (64, 4, 8, 32)
    assert testing.torch_random((2, 3), 0, 10, torch.int32).dtype == torch.int32
    values = testing.torch_random((100,), -1, 1, torch.bfloat16)
    assert values.min() >= -1 and values.max() <= 1
    assert testing.generate_all_bfloat16_bitpatterns().unique().numel() > 65000
    assert testing.flush_subnormal_values_to_zero(torch.tensor([1e-40, 1.0])).tolist() == [0.0, 1.0]
    x = torch.arange(64 * 64.0).reshape(1, 1, 64, 64)
    assert torch.equal(testing.untilize(testing.tilize(x)), x)
    assert torch.equal(testing.tilize(x).flatten()[:1024], x[0, 0, :32, :32].flatten())
    assert testing.is_close(x, x + 0.001)


def test_padding_and_tracing(device):
    padded, shape = testing.pad_by_zero(torch.ones(3, 5), device)
    assert padded.shape == [32, 32] and torch.equal(testing.unpad_from_zero(padded, shape).float(), torch.ones(3, 5))
    with ttnn.manage_device(device_id=0, trace_region_size=1 << 16) as tracing:
        x = testing.torch2tt_tensor(torch.ones(32, 32), tracing)
        for enabled in (False, True):
            result = testing.maybe_trace(lambda: ttnn.neg(x), enabled, tracing)
            assert torch.equal(testing.tt2torch_tensor(result), -torch.ones(32, 32, dtype=torch.bfloat16))
    assert testing.stop_measuring_time(testing.start_measuring_time()) >= 0


def test_pearson_correlation_coefficient():
    x = torch.randn(8)
    assert ttnn.pearson_correlation_coefficient(x, ttnn.from_torch(x)) == 1.0
    with pytest.raises(ValueError, match="Expected tensor is not a torch.Tensor"):
        ttnn.pearson_correlation_coefficient([1], x)
