"""Forms of calls that compiled operations do not know; they are put into one that they do."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tracelift import _ttnn


def _where_it_fits(form: Callable[..., Any]) -> Callable[..., Any]:
    """NotImplemented for a call that does not fit, which then is reported with the forms that there are."""
    signature = inspect.signature(form)

    @functools.wraps(form)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            return NotImplemented
        return form(*args, **kwargs)

    return called


def install() -> None:
    """Tensors are also made by their spec. A tile that is not the usual one is no argument of the operation."""
    on_device, on_host = (_ttnn.operations()[f"ttnn.allocate_tensor_on_{place}"] for place in ("device", "host"))

    @_where_it_fits
    def of_spec_on_device(tensor_spec: _ttnn.TensorSpec, device: _ttnn.MeshDevice) -> _ttnn.Tensor:
        if not isinstance(tensor_spec, _ttnn.TensorSpec):
            return NotImplemented
        if tensor_spec.tile != _ttnn.Tile((32, 32)):
            return _ttnn.allocate_on_device(tensor_spec, device)
        spec = tensor_spec
        return on_device(spec.shape, spec.dtype, spec.layout, device, spec.memory_config)

    @_where_it_fits
    def of_spec_on_host(tensor_spec: _ttnn.TensorSpec, device: _ttnn.MeshDevice | None = None) -> _ttnn.Tensor:
        if not isinstance(tensor_spec, _ttnn.TensorSpec):
            return NotImplemented
        if tensor_spec.tile != _ttnn.Tile((32, 32)):
            return _ttnn.allocate_on_host(tensor_spec)
        spec = tensor_spec
        return on_host(spec.shape, spec.dtype, spec.layout, device, spec.memory_config)

    on_device.other_form = of_spec_on_device
    on_host.other_form = of_spec_on_host
