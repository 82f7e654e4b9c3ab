"""Goldens that are torch functions: those with parameters of their own, and exact ones for tensors of integers."""

from __future__ import annotations

from typing import Any, Callable

_LARGEST_SHIFT = 31


def _torch() -> Any:
    import torch

    return torch


def concat(tensors: Any, dim: int = 0, groups: int = 1, **_: Any) -> Any:
    """torch.cat; with groups, the channels (last dimension) of all tensors go group by group."""
    torch = _torch()
    if groups == 1:
        return torch.cat(list(tensors), dim)
    for tensor in tensors:
        if tensor.shape[-1] % groups != 0:
            raise RuntimeError(f"the last dimension {tensor.shape[-1]} must be a multiple of groups {groups}")
    return torch.cat([tensor.unflatten(-1, (groups, -1)) for tensor in tensors], dim=-1).flatten(-2)


# --- integers -------------------------------------------------------------------------------------------------------


def _shift(shift: Any, like: Any) -> Any:
    torch = _torch()
    return shift if isinstance(shift, torch.Tensor) else torch.tensor(shift, dtype=like.dtype)


def _left_shift(a: Any, b: Any) -> Any:
    """0 where the shift is none of 0 to 31."""
    torch = _torch()
    b = _shift(b, a)
    outside = (b < 0) | (b > _LARGEST_SHIFT)
    return torch.where(outside, torch.zeros((), dtype=a.dtype), a << b.clamp(0, _LARGEST_SHIFT))


def _right_shift(a: Any, b: Any) -> Any:
    """Keeps the sign; shifts that are none of 0 to 31 leave nothing but it."""
    torch = _torch()
    b = _shift(b, a)
    outside = (b < 0) | (b > _LARGEST_SHIFT)
    return a >> torch.where(outside, torch.full_like(b, _LARGEST_SHIFT), b)


def _logical_right_shift(a: Any, b: Any) -> Any:
    torch = _torch()
    b = _shift(b, a).long()
    outside = (b < 0) | (b > _LARGEST_SHIFT)
    pattern = a.long() & 0xFFFFFFFF
    return torch.where(outside, 0, pattern >> b.clamp(0, _LARGEST_SHIFT)).to(a.dtype)


def _with_tensor(name: str) -> Callable[[Any, Any], Any]:
    """A torch function that takes no number as its second operand."""

    def function(a: Any, b: Any) -> Any:
        torch = _torch()
        b = b if isinstance(b, torch.Tensor) else torch.tensor(b, dtype=a.dtype)
        return getattr(torch, name)(a, b)

    return function


def _of_torch(name: str) -> Callable[..., Any]:
    return lambda *operands: getattr(_torch(), name)(*operands)


# By the operation's name without "ttnn." and the underscore of in-place forms. Operands are tensors and ints.
INTEGER_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": _of_torch("abs"),
    "neg": _of_torch("neg"),
    "square": _of_torch("square"),
    "add": _of_torch("add"),
    "subtract": _of_torch("sub"),
    "rsub": _of_torch("rsub"),
    "multiply": _of_torch("mul"),
    "squared_difference": lambda a, b: _torch().square(_torch().sub(a, b)),
    "maximum": _with_tensor("maximum"),
    "minimum": _with_tensor("minimum"),
    "gcd": _with_tensor("gcd"),
    "lcm": _with_tensor("lcm"),
    "bitwise_and": _of_torch("bitwise_and"),
    "bitwise_or": _of_torch("bitwise_or"),
    "bitwise_xor": _of_torch("bitwise_xor"),
    "bitwise_not": _of_torch("bitwise_not"),
    "bitwise_left_shift": _left_shift,
    "logical_left_shift": _left_shift,
    "bitwise_right_shift": _right_shift,
    "logical_right_shift": _logical_right_shift,
    **{name: _of_torch(name) for name in ("eq", "ne", "gt", "ge", "lt", "le")},
    **{name: _with_tensor(name) for name in ("logical_and", "logical_or", "logical_xor")},
}


# Of these torch has nothing to say where the divisor is 0.
_DIVISIONS = frozenset(("floor_div", "fmod", "remainder"))
INTEGER_FUNCTIONS |= {
    "floor_div": lambda a, b: _torch().div(a, b, rounding_mode="floor"),
    "fmod": _of_torch("fmod"),
    "remainder": _of_torch("remainder"),
}


def _is_whole(operand: Any) -> bool:
    if isinstance(operand, _torch().Tensor):
        return not (operand.dtype.is_floating_point or operand.dtype.is_complex)
    return isinstance(operand, int) and not isinstance(operand, bool)


def _has_zero(operand: Any) -> bool:
    return bool((operand == 0).any()) if isinstance(operand, _torch().Tensor) else operand == 0


def integer_function(name: str, operands: tuple[Any, ...], rounding_mode: str | None) -> Callable[..., Any] | None:
    """The exact function for a call, or None where an operand is no integer or torch has no function."""
    if not operands or not all(_is_whole(operand) for operand in operands):
        return None
    if name in ("div", "divide"):
        if rounding_mode is not None and _has_zero(operands[-1]):
            return None
        return lambda a, b: _torch().div(a, b, rounding_mode=rounding_mode)
    if name in _DIVISIONS and _has_zero(operands[-1]):
        return None
    return INTEGER_FUNCTIONS.get(name)


def call_exactly(function: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """torch computes little in uint16 and uint32: those go through int64 and wrap back."""
    torch = _torch()
    narrow = {getattr(torch, name): bits for name, bits in (("uint16", 16), ("uint32", 32)) if hasattr(torch, name)}
    first = next((operand for operand in operands if isinstance(operand, torch.Tensor)), None)
    if first is None or first.dtype not in narrow:
        return function(*operands)
    wide = [operand.long() if isinstance(operand, torch.Tensor) else operand for operand in operands]
    result = function(*wide)
    if result.dtype != torch.int64:
        return result
    return (result & ((1 << narrow[first.dtype]) - 1)).to(first.dtype)
