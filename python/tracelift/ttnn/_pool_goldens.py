"""Golden functions of operations on images in rows [1, 1, N*H*W, C], in torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def golden_maxpool2d(
    input_tensor: Any,
    batch_size: int,
    input_h: int,
    input_w: int,
    channels: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool = False,
    **_: Any,
) -> Any:
    """[1, 1, N*H*W, C] -> [1, 1, N*Ho*Wo, C]; padding is (vertical, horizontal) or (top, bottom, left, right)."""
    import torch

    images = input_tensor.reshape(batch_size, input_h, input_w, channels).permute(0, 3, 1, 2)
    if len(padding) == 4:
        top, bottom, left, right = padding
        images = torch.nn.functional.pad(images, (left, right, top, bottom), value=float("-inf"))
        padding = (0, 0)
    pooled = torch.nn.functional.max_pool2d(
        images, tuple(kernel_size), tuple(stride), tuple(padding), tuple(dilation), ceil_mode=ceil_mode
    )
    return pooled.permute(0, 2, 3, 1).reshape(1, 1, -1, channels)


def golden_global_avg_pool2d(input_tensor: Any, *args: Any, **kwargs: Any) -> Any:
    """[N, H, W, C] -> [N, 1, 1, C]."""
    return input_tensor.mean(dim=(1, 2), keepdim=True)


def golden_rotate(
    input_tensor: Any,
    angle: float,
    center: Sequence[float] | None = None,
    fill: float = 0.0,
    expand: bool = False,
    interpolation_mode: str = "nearest",
    **_: Any,
) -> Any:
    """[N, H, W, C], turned by degrees against the clock around a point (x, y); default: the middle of the image."""
    from tracelift import _ttnn

    from ._registry import get_golden_function

    golden = get_golden_function(_ttnn.operations()["ttnn.rotate"])
    given = {"center": center, "fill": fill, "expand": expand, "interpolation_mode": interpolation_mode}
    return golden(input_tensor, angle, **given)
