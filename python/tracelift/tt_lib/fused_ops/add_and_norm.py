"""A sum with a layer norm after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from tracelift import ttnn

from .layernorm import Layernorm


def AddAndNorm(
    gamma: Any, beta: Any, epsilon: float, H: int, W: int, device: Any
) -> Callable[[ttnn.Tensor, ttnn.Tensor], ttnn.Tensor]:
    """A function that adds its arguments and normalises the rows of the sum."""
    norm = Layernorm(gamma, beta, epsilon, H, W, device)

    def add_and_norm(a: ttnn.Tensor, b: ttnn.Tensor) -> ttnn.Tensor:
        return norm(cast(Any, ttnn).add(a, b))  # its operations are made when it is imported

    return add_and_norm
