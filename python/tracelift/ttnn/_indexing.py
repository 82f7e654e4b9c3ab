"""tensor[...]: ints, slices, Ellipsis, None and tuples of them."""

from __future__ import annotations

from typing import Any

from tracelift import _ttnn

from ._registry import register_python_operation


def _full_index(index: Any, rank: int) -> list[Any]:
    """One int or slice per dimension, and None for each new one."""
    items = list(index) if isinstance(index, tuple) else [index]
    for item in items:
        known = item is None or item is Ellipsis or isinstance(item, (int, slice)) or hasattr(item, "__index__")
        if not known:
            raise TypeError(f"tensors are indexed by ints, slices, Ellipsis and None, not {type(item).__name__}")
    ellipses = sum(item is Ellipsis for item in items)
    if ellipses > 1:
        raise ValueError("only one Ellipsis is allowed in an index")
    given = sum(item is not Ellipsis and item is not None for item in items)
    if given > rank:
        raise IndexError(f"too many indices: {given} for a tensor of rank {rank}")
    missing = [slice(None)] * (rank - given)
    if not ellipses:
        return items + missing
    at = next(place for place, item in enumerate(items) if item is Ellipsis)
    return items[:at] + missing + items[at + 1 :]


def _golden(tensor: Any, index: Any, *args: Any, **kwargs: Any) -> Any:
    return tensor[index]


@register_python_operation(name="ttnn.Tensor.__getitem__", is_method=True, golden_function=_golden)
def getitem(input_tensor: _ttnn.Tensor, slices: Any) -> _ttnn.Tensor:
    """The part of a tensor; ints drop their dimension, None makes one of size 1."""
    shape = list(input_tensor.shape)
    starts: list[int] = []
    ends: list[int] = []
    steps: list[int] = []
    kept: list[int] = []
    for item in _full_index(slices, len(shape)):
        if item is None:
            kept.append(1)
            continue
        dim = len(starts)
        size = shape[dim]
        if isinstance(item, slice):
            if item.step is not None and item.step <= 0:
                raise ValueError(f"the step of a slice must be positive, got {item.step}")
            start, end, step = item.indices(size)
            end = max(start, end)
            kept.append(-(-(end - start) // step))
        else:
            at = item.__index__()
            if not -size <= at < size:
                raise IndexError(f"index {at} is out of range for dimension {dim} of {input_tensor.shape}")
            start, end, step = at % size, at % size + 1, 1
        starts.append(start)
        ends.append(end)
        steps.append(step)
    if input_tensor.storage_type() == _ttnn.StorageType.HOST and any(step != 1 for step in steps):
        raise RuntimeError("slices of host tensors must have step 1")
    if starts == [0] * len(shape) and ends == shape and all(step == 1 for step in steps):
        part = input_tensor
    else:
        part = _ttnn.find_operation("ttnn.slice")(input_tensor, starts, ends, steps)
    if kept == list(part.shape):
        return part
    return _ttnn.find_operation("ttnn.reshape")(part, kept or [1])
