"""Activations of operations in torch: what golden functions apply where an operation has one fused into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tracelift import _ttnn

Torch = Callable[[Any], Any]


def _functions() -> dict[Any, Torch]:
    import torch

    kinds, F = _ttnn.UnaryOpType, torch.nn.functional
    return {
        kinds.RELU: torch.relu,
        kinds.RELU6: F.relu6,
        kinds.SILU: F.silu,
        kinds.MISH: F.mish,
        kinds.SIGMOID: torch.sigmoid,
        kinds.HARDSIGMOID: F.hardsigmoid,
        kinds.TANH: torch.tanh,
        kinds.LOG: torch.log,
        kinds.SOFTPLUS: F.softplus,
        kinds.GELU: F.gelu,
        kinds.SQRT: torch.sqrt,
    }


def get_golden_function_for_activation(activation: Any) -> Torch | None:
    """The torch function of an activation, given by name, as UnaryOpType or as UnaryWithParam."""
    if activation is None:
        return None
    if isinstance(activation, str):
        from ._registry import get_golden_function

        name = activation.removesuffix("_approx")
        operation = _ttnn.operations().get(f"ttnn.{name}")
        if operation is None:
            raise RuntimeError(f"Unsupported activation: {activation}")
        return get_golden_function(operation)
    kind = activation.op_type if isinstance(activation, _ttnn.UnaryWithParam) else activation
    function = _functions().get(kind)
    if function is None:
        raise RuntimeError(f"{activation} is not supported as activation function")
    return function


def apply_activations(tensor: Any, activations: Sequence[Any] | None) -> Any:
    """Torch functions, one after the other, for objects with an op_type."""
    known = _functions()
    for hidden in (_ttnn.UnaryOpType.RELU6, _ttnn.UnaryOpType.HARDSIGMOID):
        known.pop(hidden)
    for activation in activations or ():
        if activation.op_type not in known:
            raise RuntimeError(f"{activation} is not supported as activation function")
        tensor = known[activation.op_type](tensor)
    return tensor


def torch_squared_difference(x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
    return (x - y) ** 2


def _gated(tensor: Any, gate: Torch) -> Any:
    values, gates = tensor.chunk(2, dim=-1)
    return values * gate(gates)


def torch_reglu(input_tensor: Any, *args: Any, **kwargs: Any) -> Any:
    """The first half of the last dimension, times the ReLU of the second."""
    import torch

    return _gated(input_tensor, torch.relu)


def torch_swiglu(input_tensor: Any, *args: Any, **kwargs: Any) -> Any:
    """The first half of the last dimension, times the SiLU of the second."""
    import torch

    return _gated(input_tensor, torch.nn.functional.silu)


def torch_geglu(input_tensor: Any, *args: Any, **kwargs: Any) -> Any:
    """The first half of the last dimension, times the GELU of the second."""
    import torch

    return _gated(input_tensor, torch.nn.functional.gelu)
