"""Softmax of rows."""

from __future__ import annotations

from typing import Any

from tracelift import ttnn

_operations: Any = ttnn  # their names are made when it is imported


def softmax(x: ttnn.Tensor, stable: bool = False) -> ttnn.Tensor:
    """Along the last dimension. It is always computed the stable way here."""
    return _operations.softmax(x, dim=-1, numeric_stable=stable)
