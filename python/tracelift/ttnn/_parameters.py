"""What ttnn.model_preprocessing keeps the parameters of a model in, and what it knows about calls of modules."""

from __future__ import annotations

import io
from typing import Any, TextIO

from tracelift import _ttnn


class ParameterDict(dict[Any, Any]):
    """`p.x` is `p["x"]`, and raises KeyError where there is none. Assigning to `p.x` makes an attribute, not an item:
    what models hang on their parameters that way is neither iterated over nor moved to a device."""

    __getattr__ = dict.__getitem__
    __delattr__ = dict.__delitem__

    def __repr__(self) -> str:
        return _text(self)


class ParameterList(list[Any]):
    """Parameters of numbered modules: `i in p` asks whether there is one with the number i."""

    def __contains__(self, index: object) -> bool:
        return isinstance(index, int) and index < len(self)

    def __repr__(self) -> str:
        return _text(self)


class ModuleArgs(dict[Any, Any]):
    """What a module was made and called with."""


class _DotModuleArgs(ModuleArgs):
    __getattr__ = dict.__getitem__
    __delattr__ = dict.__delitem__


class Conv2dArgs(_DotModuleArgs):
    """Of a torch.nn.Conv2d."""


class ConvTranspose2dArgs(_DotModuleArgs):
    """Of a torch.nn.ConvTranspose2d."""


class MaxPool2dArgs(_DotModuleArgs):
    """Of a torch.nn.MaxPool2d."""


class GroupNormArgs(_DotModuleArgs):
    """Of a torch.nn.GroupNorm."""


def make_parameter_dict(dictionary: dict[Any, Any]) -> ParameterDict:
    """A ParameterDict, with the dicts inside; ModuleArgs and lists stay as they are."""
    if isinstance(dictionary, ParameterDict):
        return dictionary
    return ParameterDict(
        (key, make_parameter_dict(value) if _is_plain(value) else value) for key, value in dictionary.items()
    )


def _is_plain(value: Any) -> bool:
    return isinstance(value, dict) and not isinstance(value, ModuleArgs)


# --- text -------------------------------------------------------------------------------------------------------------


def _text(parameters: Any) -> str:
    file = io.StringIO()
    repr_parameters(file, parameters)
    return file.getvalue()


def _leaf(value: Any) -> str:
    import torch

    if isinstance(value, _ttnn.Tensor):
        return f"ttnn.Tensor(shape={value.shape}, layout={value.layout}, dtype={value.dtype})"
    if isinstance(value, torch.Tensor):
        return f"torch.Tensor(shape={value.shape}, dtype={value.dtype})"
    return repr(value)


def repr_parameters(file: TextIO, parameters: Any, indentation: str = "") -> None:
    """Writes parameters as indented text."""
    if isinstance(parameters, (ParameterDict, ModuleArgs)):
        brackets, items = "{}", [(f"{key}: ", value) for key, value in parameters.items()]
    elif isinstance(parameters, ParameterList):
        brackets, items = "[]", [("", value) for value in parameters]
    else:
        file.write(_leaf(parameters))
        return
    if not items:
        file.write(brackets)
        return
    file.write(brackets[0] + "\n")
    inner = indentation + "  "
    for number, (start, value) in enumerate(items, 1):
        file.write(inner + start)
        repr_parameters(file, value, inner)
        file.write(",\n" if number < len(items) else "\n")
    file.write(indentation + brackets[1])
