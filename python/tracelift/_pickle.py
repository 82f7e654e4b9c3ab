"""What pickles of compiled objects call: functions of extension modules cannot be pickled themselves."""

from __future__ import annotations

from typing import Any


def from_json(class_name: str, text: str) -> Any:
    from tracelift import _ttnn

    return getattr(_ttnn, class_name).from_json(text)


def operation(name: str) -> Any:
    import tracelift.ttnn  # noqa: F401  (registers those written in Python)
    from tracelift import _ttnn

    return _ttnn.find_operation(name)
