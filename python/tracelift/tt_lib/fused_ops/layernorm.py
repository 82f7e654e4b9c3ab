"""A layer norm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tracelift import ttnn

_operations: Any = ttnn  # their names are made when it is imported


def Layernorm(
    gamma: Any, beta: Any, epsilon: float, H: int, W: int, device: Any, num_dims: int = 2
) -> Callable[..., ttnn.Tensor]:
    """A function that normalises the rows of its argument."""

    def layernorm(x: ttnn.Tensor, *sizes: Any) -> ttnn.Tensor:
        return _operations.layer_norm(x, epsilon=epsilon, weight=gamma, bias=beta)

    return layernorm
