"""ttnn.reflection: arguments of calls whose signature is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def pop_argument(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, Sequence[Any], dict[str, Any]]:
    """The first positional argument, else the keyword `name`; and the arguments that are left."""
    if args:
        return args[0], args[1:], dict(kwargs)
    if name not in kwargs:
        raise ValueError(f"Missing argument: {name}")
    return kwargs[name], args, {key: value for key, value in kwargs.items() if key != name}
