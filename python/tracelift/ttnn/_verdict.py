"""Pearson correlation of an expected and a computed tensor, as the test helpers of TT-NN define it."""

from __future__ import annotations

from typing import Any


def _all(condition: Any) -> bool:
    return bool(condition.all())


def correlation(golden: Any, calculated: Any) -> float:
    """Of two torch tensors of equal shape. NaN and infinite entries count as 0, equal tensors as 1."""
    import numpy
    import torch

    if golden.dtype != calculated.dtype:
        calculated = calculated.to(golden.dtype)
    if golden.is_floating_point():
        nan_a, nan_b = torch.isnan(golden), torch.isnan(calculated)
        if golden.numel() and _all(nan_a) and _all(nan_b):
            return 1.0
        if golden.numel() and (_all(nan_a) or _all(nan_b)):
            return 0.0
    if golden.numel() and bool(golden.any()) != bool(calculated.any()):
        return 0.0
    if golden.is_floating_point():
        golden = golden.float().masked_fill(~torch.isfinite(golden), 0.0)
        calculated = calculated.float().masked_fill(~torch.isfinite(calculated), 0.0)
    if torch.equal(golden, calculated):
        return 1.0
    a = numpy.ma.masked_invalid(golden.flatten().numpy()).astype(float)
    b = numpy.ma.masked_invalid(calculated.flatten().numpy()).astype(float)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        result = numpy.ma.corrcoef(a, b).min()
    if isinstance(result, numpy.ma.core.MaskedConstant) or result != result:
        return 1.0
    return float(result)


def pearson_correlation_coefficient(expected: Any, actual: Any) -> float:
    """comp_pcc without a threshold; `actual` may be a ttnn tensor."""
    import torch

    from tracelift import _ttnn

    from ._interop import to_torch

    if not isinstance(expected, torch.Tensor):
        raise ValueError("Expected tensor is not a torch.Tensor")
    return correlation(expected, to_torch(actual) if isinstance(actual, _ttnn.Tensor) else actual)
