"""A linear layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tracelift import ttnn

_operations: Any = ttnn  # their names are made when it is imported


def Linear(
    in_features: int, out_features: int, weight: ttnn.Tensor, bias: ttnn.Tensor | None, device: Any
) -> Callable[[ttnn.Tensor], ttnn.Tensor]:
    """A function that multiplies with the transpose of `weight` [1, 1, out, in] and adds `bias` [1, 1, 1 or 32, out]."""
    if list(weight.shape)[-2:] != [out_features, in_features]:
        raise RuntimeError(f"weight must end with [{out_features}, {in_features}], got {weight.shape}")
    turned = _operations.transpose(weight, -2, -1)
    row = None if bias is None or bias.shape[-2] == 1 else bias[:, :, :1, :]

    def linear(activation: ttnn.Tensor) -> ttnn.Tensor:
        return _operations.linear(activation, turned, bias=bias if row is None else row)

    return linear
