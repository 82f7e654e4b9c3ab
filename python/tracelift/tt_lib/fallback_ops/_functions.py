"""The functions: torch's by their names, with the arguments that tt_lib has for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ._conversion import on_ttnn_tensors

F = torch.nn.functional

__all__ = """
    binary_bitwise_and binary_bitwise_left_shift binary_bitwise_or binary_bitwise_right_shift binary_bitwise_xor
    binary_fmod bitwise_not ceil chunk concat conv2d floor full group_norm interpolate layer_norm pad permute repeat
    repeat_interleave reshape silu softmax tensor_slice torch_argmax torch_argmin trunc unary_bitwise_and
    unary_bitwise_left_shift unary_bitwise_or unary_bitwise_right_shift unary_bitwise_xor unary_fmod
""".split()


def _flat(parameter: Any) -> Any:
    """A vector that was kept with rank 4."""
    return None if parameter is None else parameter.reshape(-1)


@on_ttnn_tensors
def full(size: Sequence[int], fill_value: float) -> Any:
    return torch.full(tuple(size), fill_value)


@on_ttnn_tensors
def tensor_slice(input: Any, slices: Sequence[slice]) -> Any:
    return input[tuple(slices)]


@on_ttnn_tensors
def reshape(input: Any, N: int, C: int, H: int, W: int) -> Any:
    return torch.reshape(input, (N, C, H, W))


@on_ttnn_tensors
def permute(input: Any, dims: Sequence[int]) -> Any:
    return torch.permute(input, tuple(dims))


@on_ttnn_tensors
def chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    return list(torch.chunk(input, chunks, dim))


@on_ttnn_tensors
def conv2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    return F.conv2d(input, weight, _flat(bias), stride, padding, dilation, groups)


@on_ttnn_tensors
def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    return F.group_norm(input, num_groups, _flat(weight), _flat(bias), eps)


@on_ttnn_tensors
def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    weight, bias = (None if parameter is None else parameter.reshape(shape) for parameter in (weight, bias))
    return F.layer_norm(input, shape, weight, bias, eps)


@on_ttnn_tensors
def pad(input: Any, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Any:
    return F.pad(input, tuple(pad), mode, 0.0 if value is None else value)


@on_ttnn_tensors
def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:
    return F.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)


@on_ttnn_tensors
def repeat(input: Any, sizes: Sequence[int]) -> Any:
    return input.repeat(*sizes)


@on_ttnn_tensors
def repeat_interleave(input: Any, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Any:
    return torch.repeat_interleave(input, repeats, dim, output_size=output_size)


@on_ttnn_tensors
def concat(tensors: Sequence[Any], dim: int = 0) -> Any:
    return torch.cat(list(tensors), dim)


@on_ttnn_tensors
def silu(input: Any) -> Any:
    return F.silu(input)


@on_ttnn_tensors
def softmax(input: Any, dim: int | None = None) -> Any:
    return F.softmax(input, dim)


@on_ttnn_tensors
def ceil(input: Any) -> Any:
    return torch.ceil(input)


@on_ttnn_tensors
def floor(input: Any) -> Any:
    return torch.floor(input)


@on_ttnn_tensors
def trunc(input: Any) -> Any:
    return torch.trunc(input)


@on_ttnn_tensors
def bitwise_not(input: Any) -> Any:
    return torch.bitwise_not(input)


@on_ttnn_tensors
def torch_argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return torch.argmax(input, dim, keepdim)


@on_ttnn_tensors
def torch_argmin(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return torch.argmin(input, dim, keepdim)


def _of_two(name: str, function: Any) -> Any:
    def called(input: Any, other: Any) -> Any:
        return function(input, other)

    called.__name__ = called.__qualname__ = name
    return on_ttnn_tensors(called)


# unary_: with a number; binary_: with a tensor.
for _name in "fmod bitwise_or bitwise_and bitwise_xor bitwise_left_shift bitwise_right_shift".split():
    for _kind in ("unary", "binary"):
        globals()[f"{_kind}_{_name}"] = _of_two(f"{_kind}_{_name}", getattr(torch, _name))
