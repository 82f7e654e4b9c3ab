"""tt_lib.utils: padding to tiles, rounding, and comparing numbers."""

from __future__ import annotations

import struct
from typing import Any

import torch

from tracelift import ttnn
from tracelift.ttnn._norm_helpers import find_closest_largest_divisor
from tracelift.ttnn._rounding import divup, roundup

__all__ = [
    "_nearest_32",
    "_nearest_y",
    "divup",
    "find_closest_largest_divisor",
    "float_to_bits",
    "is_close",
    "pad_activation",
    "pad_weight",
    "print_diff_argmax",
    "roundup",
    "roundup32",
    "tilize",
    "tilize_to_list",
    "tt2torch",
    "tt2torch_rm",
    "untilize",
]

_TILE = 32


def roundup32(a: int) -> int:
    return roundup(a, _TILE)


def _nearest_32(x: int) -> int:
    return roundup(x, _TILE)


def _nearest_y(x: int, y: int) -> int:
    return roundup(x, y)


def float_to_bits(x: float) -> int:
    """The bits of a float32."""
    return int(struct.unpack("!I", struct.pack("!f", x))[0])


def _padded(tensor: torch.Tensor) -> torch.Tensor:
    """With zeros up to whole tiles."""
    height, width = tensor.shape[-2:]
    return torch.nn.functional.pad(tensor, (0, roundup32(width) - width, 0, roundup32(height) - height))


def pad_activation(x: torch.Tensor) -> torch.Tensor:
    """A torch tensor of rank 1 to 4 as [batch, channels, height, width] in whole tiles: vectors lie in the first rows."""
    if x.dim() == 1:
        return _padded(x.reshape(1, 1, 1, -1))
    if x.dim() == 2:
        return _padded(x.reshape(x.shape[0], 1, 1, -1))
    return _padded(x.unsqueeze(1) if x.dim() == 3 else x)


def pad_weight(x: torch.Tensor) -> torch.Tensor:
    """A torch tensor of rank 1 to 4 with rank 4, in whole tiles."""
    return _padded(x.reshape((1,) * (4 - x.dim()) + tuple(x.shape)))


def tilize(x: Any) -> Any:
    """The same: tensors are put into tiles where they are made."""
    return x


def untilize(x: Any) -> Any:
    """The same, see tilize."""
    return x


def tilize_to_list(x: torch.Tensor) -> list[Any]:
    """All elements, one after the other."""
    return x.reshape(-1).tolist()


def tt2torch(tensor: ttnn.Tensor) -> torch.Tensor:
    return ttnn.to_torch(tensor)


def tt2torch_rm(tensor: ttnn.Tensor) -> torch.Tensor:
    return ttnn.to_torch(tensor)


def is_close(
    a: torch.Tensor,
    b: torch.Tensor,
    rtol: float = 8e-2,
    atol: float = 8e-2,
    max_mag: float = 4.0,
    max_mag_fraction: float = 0.02,
) -> bool:
    """Whether numbers agree by their difference, by their ratio, or, where they are small, by a share of max_mag."""
    a, b = a.reshape(-1), b.reshape(-1)
    difference, size = (a - b).abs(), torch.maximum(a.abs(), b.abs())
    near = (difference <= atol) | (difference <= rtol * size)
    small = (size < max_mag) & (difference < max_mag * max_mag_fraction)
    return bool((near | small).all())


def print_diff_argmax(a: torch.Tensor, b: torch.Tensor, annotation: str = "") -> None:
    """Prints where two tensors differ most."""
    difference = (a - b).abs()
    place = int(difference.argmax())
    pair = float(a.reshape(-1)[place]), float(b.reshape(-1)[place])
    print(f"Abs diff={float(difference.reshape(-1)[place])} at {place} {pair} {annotation}".rstrip())
