"""ttnn.dot_access: dicts whose items are read as attributes."""

from __future__ import annotations

from typing import Any


class DotAccessDict(dict[Any, Any]):
    """`d.x` is `d["x"]`, and raises KeyError where there is none. Assigning to `d.x` makes an attribute, not an item."""

    __getattr__ = dict.__getitem__
    __delattr__ = dict.__delitem__


def make_dot_access_dict(
    dictionary: dict[Any, Any], *, ignore_types: type | tuple[type, ...] | None = None
) -> dict[Any, Any]:
    """The same with all dicts inside; what is of `ignore_types`, or such a dict already, stays as it is."""
    if isinstance(dictionary, DotAccessDict) or (ignore_types is not None and isinstance(dictionary, ignore_types)):
        return dictionary
    return DotAccessDict(
        (key, make_dot_access_dict(value, ignore_types=ignore_types) if isinstance(value, dict) else value)
        for key, value in dictionary.items()
    )
