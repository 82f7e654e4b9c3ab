"""ttnn tensors to torch and back, around a torch function."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

import torch

from tracelift import ttnn

_log = logging.getLogger("ttnn")
_TILE = 32
_warned: set[str] = set()


def _map(value: Any, kind: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_map(item, kind, change) for item in value)
    if isinstance(value, dict):
        return {name: _map(item, kind, change) for name, item in value.items()}
    return value


def to_torch(tensor: ttnn.Tensor) -> torch.Tensor:
    """Read back; torch of our time computes neither with bfloat16 nor with unsigned numbers everywhere."""
    values = ttnn.to_torch(tensor)
    if values.dtype == torch.bfloat16:
        return values.float()
    unsigned = {getattr(torch, f"uint{bits}", None): signed for bits, signed in ((16, torch.int16), (32, torch.int32))}
    return values.to(unsigned[values.dtype]) if values.dtype in unsigned else values


def _from_torch(tensor: torch.Tensor, layout: ttnn.Layout, device: Any) -> ttnn.Tensor:
    tensor = tensor.detach().reshape((1,) * (4 - tensor.dim()) + tuple(tensor.shape))
    whole = all(size % _TILE == 0 for size in tensor.shape[-2:])
    layout = layout if whole else ttnn.ROW_MAJOR_LAYOUT
    if tensor.dtype == torch.bool:
        tensor = tensor.float()
    dtype = ttnn.bfloat16 if tensor.is_floating_point() else None
    if layout == ttnn.ROW_MAJOR_LAYOUT and tensor.shape[-1] % 2 != 0:
        device = None  # rows of an odd width are not even numbers of words
    return ttnn.from_torch(tensor, dtype=dtype, layout=layout, device=device)


def _warn_about_torch(name: str) -> None:
    if name not in _warned:
        _warned.add(name)
        _log.warning("%s: a torch tensor was given for a ttnn tensor", name)


def on_ttnn_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with ttnn tensors for torch tensors; the results have rank 4 and go to the device of the inputs."""

    @functools.wraps(function)
    def called(
        *args: Any, output_layout: ttnn.Layout = ttnn.TILE_LAYOUT, output_on_device: bool = True, **kwargs: Any
    ) -> Any:
        devices: list[Any] = []

        def read(tensor: Any) -> torch.Tensor:
            if isinstance(tensor, torch.Tensor):
                _warn_about_torch(function.__name__)
                return tensor
            devices.extend(tensor.devices())
            return to_torch(tensor)

        torch_args, torch_kwargs = _map((args, kwargs), (ttnn.Tensor, torch.Tensor), read)
        result = function(*torch_args, **torch_kwargs)
        device = (devices or [ttnn.GetDefaultDevice()])[0] if output_on_device else None
        return _map(result, torch.Tensor, lambda tensor: _from_torch(tensor, output_layout, device))

    return called
