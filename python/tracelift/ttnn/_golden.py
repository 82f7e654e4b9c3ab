"""Golden functions of the C++ operations: their fp64 references, with torch tensors on both sides."""

from __future__ import annotations

from typing import Any, Callable

from tracelift import _ttnn

from ._interop import from_torch, to_torch

# Operations whose golden gives torch.bool.
_PREDICATES = frozenset(
    "eq ne gt ge lt le logical_and logical_or logical_xor logical_not eqz nez gtz ltz gez lez isfinite isinf isnan "
    "isposinf isneginf signbit isclose is_imag is_real".split()
)


def _torch() -> Any:
    import torch

    return torch


def _to_host(value: Any, tensors: list[Any]) -> Any:
    """Torch tensors as host FLOAT32 or INT32 tensors, which references read exactly; anything else as it is."""
    torch = _torch()
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        dtype = _ttnn.DataType.FLOAT32 if value.dtype.is_floating_point else _ttnn.DataType.INT32
        return _ttnn.tensor_from_array(value, dtype=dtype)
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
        tensors: list[Any] = []
        known = self._known_keywords()
        host_args = tuple(_to_host(arg, tensors) for arg in args)
        host_kwargs = {name: _to_host(value, tensors) for name, value in kwargs.items() if name in known}
        outputs = _ttnn.reference(self._operation, host_args, host_kwargs)
        results = [self._result(output, tensors) for output in outputs]
        name = _short_name(self._operation)
        if name.endswith("_") and tensors and len(results) == 1:
            return tensors[0].copy_(results[0])
        if name in ("max", "min") and len(results) == 1 and (len(args) > 1 or "dim" in kwargs):
            return self._with_indices(name, results[0], args, kwargs)
        return results[0] if len(results) == 1 else tuple(results)

    def _result(self, values: Any, inputs: list[Any]) -> Any:
        torch = _torch()
        result = torch.from_numpy(values)
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


def attach_references() -> None:
    for operation in set(_ttnn.operations().values()):
        if operation.is_cpp_operation and _ttnn.has_reference(operation):
            operation.golden_function = ReferenceGolden(operation)


def _map_tensors(value: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_map_tensors(item, kind, change) for item in value)
    if isinstance(value, dict):
        return {name: _map_tensors(item, kind, change) for name, item in value.items()}
    return value


def get_fallback_function(operation: Any) -> Callable[..., Any]:
    """A function that runs the golden on torch copies of ttnn tensors and converts the result back."""
    from ._hooks import tensors_in
    from ._registry import get_golden_function

    golden = get_golden_function(operation)

    def fallback(*args: Any, **kwargs: Any) -> Any:
        torch = _torch()
        first = next(tensors_in((args, kwargs)), None)
        preprocess = operation.preprocess_golden_function_inputs
        if preprocess is not None:
            golden_args, golden_kwargs = preprocess(args, kwargs)
        else:
            golden_args = _map_tensors(args, _ttnn.Tensor, to_torch)
            golden_kwargs = _map_tensors(kwargs, _ttnn.Tensor, to_torch)
        output = golden(*golden_args, **golden_kwargs)
        postprocess = operation.postprocess_golden_function_outputs
        if postprocess is not None:
            return postprocess(output, args, kwargs)
        if not isinstance(output, (torch.Tensor, list, tuple)):
            raise RuntimeError(f"Unsupported output type: {type(output)}")

        def back(tensor: Any) -> Any:
            if first is None:
                return from_torch(tensor)
            return from_torch(tensor, dtype=first.dtype, layout=first.layout, device=first.device())

        return _map_tensors(output, torch.Tensor, back)

    return fallback
