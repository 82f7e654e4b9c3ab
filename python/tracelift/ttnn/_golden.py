"""Golden functions of the C++ operations: torch functions where they must be exact or have parameters of their own,
else the fp64 references; torch tensors on both sides."""

from __future__ import annotations

from typing import Any, Callable

from tracelift import _ttnn

from . import _torch_goldens
from ._interop import from_torch, to_torch

# Operations whose golden gives torch.bool.
_PREDICATES = frozenset(
    "eq ne gt ge lt le logical_and logical_or logical_xor logical_not eqz nez gtz ltz gez lez isfinite isinf isnan "
    "isposinf isneginf signbit isclose is_imag is_real".split()
)

# Which outputs are places and not values: whole numbers whatever the inputs are. A bfloat16 counts to 256.
_PLACES: dict[str, frozenset[int]] = {
    "argmax": frozenset((0,)),
    "argmin": frozenset((0,)),
    "nonzero": frozenset((0, 1)),
    "sampling": frozenset((0,)),
    "topk": frozenset((1,)),
    "sort": frozenset((1,)),
    "deepseek_grouped_gate": frozenset((1,)),
    "max_pool2d": frozenset((1,)),
    "moe_expert_token_remap": frozenset((1,)),
}


_FLOATING = (
    _ttnn.DataType.FLOAT32,
    _ttnn.DataType.BFLOAT16,
    _ttnn.DataType.BFLOAT8_B,
    _ttnn.DataType.BFLOAT4_B,
)

# What goldens take by position where the operation takes it by keyword.
_POSITIONAL = {
    "div": ("input_tensor_a", "input_tensor_b", "rounding_mode"),
    "rms_norm": ("input_tensor", "weight"),
}

# Keywords of elementwise operations that change the numbers: with them the reference has to answer.
_ACTIVATIONS = ("activations", "input_tensor_a_activations", "input_tensor_b_activations")


def _torch() -> Any:
    import torch

    return torch


def _exact_dtype(tensor: Any) -> _ttnn.DataType:
    torch = _torch()
    if tensor.dtype.is_floating_point:
        return _ttnn.DataType.FLOAT32
    if tensor.dtype == getattr(torch, "uint32", None):
        return _ttnn.DataType.UINT32
    if tensor.dtype == torch.int64 and tensor.numel() > 0:
        least, greatest = int(tensor.min()), int(tensor.max())
        if least < -(2**31) or greatest >= 2**31:
            if least < 0 or greatest >= 2**32:
                raise RuntimeError(f"values from {least} to {greatest} have no exact 32-bit dtype")
            return _ttnn.DataType.UINT32
    return _ttnn.DataType.INT32


def _to_host(value: Any, tensors: list[Any]) -> Any:
    """Torch tensors as host tensors that references read exactly; anything else as it is."""
    torch = _torch()
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return _ttnn.tensor_from_array(value, dtype=_exact_dtype(value))
    if isinstance(value, (list, tuple)):
        return type(value)(_to_host(item, tensors) for item in value)
    return value


def _short_name(operation: Any) -> str:
    return operation.__name__.rpartition(".")[2]


class ReferenceGolden:
    """Calls the reference of an operation; keywords that the operation does not have are ignored."""

    def __init__(self, operation: Any) -> None:
        self._operation = operation
        self._keywords: set[str] | None = None

    def __repr__(self) -> str:
        return f"<golden function of {self._operation.__name__}>"

    def _known_keywords(self) -> set[str]:
        if self._keywords is None:
            forms = _ttnn.describe(self._operation)
            self._keywords = {p[key] for form in forms for p in form["parameters"] for key in ("name", "other_name")}
        return self._keywords

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = _short_name(self._operation)
        positional = _POSITIONAL.get(name, ())
        if len(args) > 1 and len(args) <= len(positional):
            kwargs = {**dict(zip(positional, args)), **kwargs}
            args = ()
        if kwargs.get("rounding_mode") == "None":
            kwargs["rounding_mode"] = None
        exact = self._exactly(args, kwargs)
        if exact is not None:
            return exact
        return self._by_reference(args, kwargs)

    def _exactly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result for integers, or None where the reference is to answer."""
        if any(kwargs.get(keyword) for keyword in _ACTIVATIONS):
            return None
        name = _short_name(self._operation)
        named = [kwargs[key] for key in ("input_tensor_a", "input_a", "input_tensor_b", "input_b") if key in kwargs]
        operands = (*args, *named)
        function = _torch_goldens.integer_function(name.rstrip("_"), operands, kwargs.get("rounding_mode"))
        if function is None:
            return None
        result = _torch_goldens.call_exactly(function, operands)
        return result.to(operands[0].dtype) if name.endswith("_") else result

    def written(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """What the arguments hold afterwards that the operation writes into, by name; not those that it returns."""
        host_args, host_kwargs, tensors = self._on_host(args, kwargs)
        arguments = _ttnn.mutated_reference(self._operation, host_args, host_kwargs)
        return {name: self._result(values, tensors, False) for name, values in arguments.items()}

    def _on_host(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any], list[Any]]:
        """The arguments as references take them, and the torch tensors that were among them."""
        tensors: list[Any] = []
        known = self._known_keywords()
        host_args = tuple(_to_host(arg, tensors) for arg in args)
        host_kwargs = {name: _to_host(value, tensors) for name, value in kwargs.items() if name in known}
        return host_args, host_kwargs, tensors

    def _by_reference(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        host_args, host_kwargs, tensors = self._on_host(args, kwargs)
        outputs = _ttnn.reference(self._operation, host_args, host_kwargs)
        places = _PLACES.get(_short_name(self._operation), frozenset())
        results = [self._result(output, tensors, i in places) for i, output in enumerate(outputs)]
        name = _short_name(self._operation)
        if name == "conv2d":  # the weights and sizes that it may return besides are no golden's
            flags = ("return_output_dim", "return_weights_and_bias")
            return [results[0]] if any(kwargs.get(flag) for flag in flags) else results[0]
        if name.endswith("_") and tensors and len(results) == 1:
            return results[0].to(tensors[0].dtype)  # the argument itself stays as it is
        if name in ("max", "min") and len(results) == 1 and (len(args) > 1 or "dim" in kwargs):
            return self._with_indices(name, results[0], args, kwargs)
        if not results:
            return None  # it has no outputs, and is judged by what it writes into
        return results[0] if len(results) == 1 else tuple(results)

    def _result(self, values: Any, inputs: list[Any], are_places: bool) -> Any:
        torch = _torch()
        result = torch.from_numpy(values)
        if are_places:
            return result.long()
        if _short_name(self._operation).rstrip("_") in _PREDICATES:
            return result != 0
        if not inputs:
            return result.float()
        first = inputs[0].dtype
        floating = next((t.dtype for t in inputs if t.dtype.is_floating_point), None)
        if floating is not None:
            return result.to(floating)
        whole = bool((result == result.round()).all())
        return result.to(first) if whole else result.float()

    @staticmethod
    def _with_indices(name: str, values: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """torch.max and torch.min along one dimension give values and indices."""
        torch = _torch()
        dim = args[1] if len(args) > 1 else kwargs["dim"]
        if not isinstance(dim, int):
            return values
        source = args[0] if args else kwargs["input_tensor"]
        keepdim = values.dim() == source.dim()
        result = getattr(torch, name)(source, dim, keepdim=keepdim)
        return type(result)((values, result.indices))


_WITH_FORM_OF_THEIR_OWN = {"ttnn.concat": _torch_goldens.concat}


def attach_references() -> None:
    for operation in set(_ttnn.operations().values()):
        if operation.is_cpp_operation and _ttnn.has_reference(operation):
            operation.golden_function = _WITH_FORM_OF_THEIR_OWN.get(operation.__name__) or ReferenceGolden(operation)


def _map_tensors(value: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_map_tensors(item, kind, change) for item in value)
    if isinstance(value, dict):
        return {name: _map_tensors(item, kind, change) for name, item in value.items()}
    return value


def default_preprocess_golden_function_inputs(
    function_args: tuple[Any, ...], function_kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """The arguments of an operation with torch tensors in place of those of ttnn."""
    return _map_tensors(function_args, _ttnn.Tensor, to_torch), _map_tensors(function_kwargs, _ttnn.Tensor, to_torch)


def default_postprocess_golden_function_outputs(
    output: Any, function_args: tuple[Any, ...], function_kwargs: dict[str, Any]
) -> Any:
    """What a golden gave, as ttnn tensors like the operation's first one."""
    from ._hooks import tensors_in

    torch = _torch()
    first = next(tensors_in((function_args, function_kwargs)), None)
    if not isinstance(output, (torch.Tensor, list, tuple)):
        raise RuntimeError(f"Unsupported output type: {type(output)}")

    def back(tensor: Any) -> Any:
        if first is None:
            return from_torch(tensor)
        places = tensor.dtype == torch.int64 and first.dtype in _FLOATING
        dtype = _ttnn.DataType.UINT32 if places else first.dtype
        return from_torch(tensor, dtype=dtype, layout=first.layout, device=first.device())

    return _map_tensors(output, torch.Tensor, back)


def get_fallback_function(operation: Any) -> Callable[..., Any]:
    """A function that runs the golden on torch copies of ttnn tensors and converts the result back."""
    from ._registry import get_golden_function

    golden = get_golden_function(operation)

    def fallback(*args: Any, **kwargs: Any) -> Any:
        preprocess = operation.preprocess_golden_function_inputs or default_preprocess_golden_function_inputs
        golden_args, golden_kwargs = preprocess(args, kwargs)
        postprocess = operation.postprocess_golden_function_outputs or default_postprocess_golden_function_outputs
        return postprocess(golden(*golden_args, **golden_kwargs), args, kwargs)

    return fallback
