"""Parameters of a model in a folder: a folder per dict and list, a file per tensor."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import torch

from tracelift import _ttnn

from ._interop import dump_tensor, load_tensor
from ._parameters import MaxPool2dArgs, ParameterDict, ParameterList

_POOL_SUFFIX = ".max_pool2d_module_args"


def dump_parameters(path: Path, parameters: Any) -> None:
    """Writes to `path`, a folder or (with the suffix of its kind) a file."""
    if isinstance(parameters, ParameterDict):
        path.mkdir(parents=True, exist_ok=True)
        for name, value in parameters.items():
            _dump_item(path, name, value)
    elif isinstance(parameters, ParameterList):
        path.mkdir(parents=True, exist_ok=True)
        for index, value in enumerate(parameters):
            _dump_item(path, str(index), value)
    else:
        raise RuntimeError(f"Unsupported type: {type(parameters)}")


def _dump_item(folder: Path, name: Any, value: Any) -> None:
    if isinstance(value, _ttnn.Tensor):
        dump_tensor(folder / (name + ".tensorbin"), value)
    elif isinstance(value, torch.Tensor):
        torch.save(value, folder / (name + ".pt"))
    elif isinstance(value, MaxPool2dArgs):
        (folder / (name + _POOL_SUFFIX)).write_bytes(pickle.dumps(dict(value)))
    else:
        dump_parameters(folder / str(name), value)


def load_parameters(path: Path, besides: str = "") -> Any:
    """What dump_parameters wrote, apart from a file `besides` it. A folder in which all names are numbers is a list."""
    if path.is_dir():
        entries = [entry for entry in path.iterdir() if entry.name != besides]
        found = {entry.name if entry.is_dir() else entry.stem: load_parameters(entry) for entry in entries}
        if all(name.isdigit() for name in found):
            return ParameterList(found[name] for name in sorted(found, key=int))
        return ParameterDict((int(name) if name.isdigit() else name, value) for name, value in found.items())
    if path.suffix == ".tensorbin":
        return load_tensor(path)
    if path.suffix == ".pt":
        return torch.load(path)
    if path.suffix == _POOL_SUFFIX:
        return MaxPool2dArgs(pickle.loads(path.read_bytes()))
    raise RuntimeError("Unrecognized file extension!")
