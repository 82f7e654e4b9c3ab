"""The class of ttnn and of the modules below it: what asking for a name that is not there says, and `ttnn.CONFIG = x`."""

from __future__ import annotations

import importlib
import types
from typing import Any

from tracelift import _ttnn

_ROOT = __name__.rpartition(".")[0]  # tracelift.ttnn
# Modules below ttnn that are imported when somebody asks for them; most of these need torch.
WHEN_ASKED_FOR = ("decorators", "dot_access", "graph_report", "model_preprocessing", "torch_tracer", "tracer")


def _public_name(module: types.ModuleType) -> str:
    return module.__name__.removeprefix("tracelift.")


class PublicModule(types.ModuleType):
    """A module that suggests names, and says of names of TT-NN that they are not emulated."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module '{_public_name(self)}' has no attribute '{name}'")
        if self.__name__ == _ROOT and name in WHEN_ASKED_FOR:
            return importlib.import_module(f"{_ROOT}.{name}")
        from ._original_names import NAMES

        path = f"{_public_name(self)}.{name}"
        if path in NAMES:
            raise AttributeError(f"{path} is in TT-NN, but tracelift does not emulate it")
        near = _ttnn.nearest_names(name, self._known_names())
        raise AttributeError(f"module '{_public_name(self)}' has no attribute '{name}'{_ttnn.did_you_mean(near)}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "CONFIG" and self.__name__ == _ROOT:
            from . import _config

            _config.rebind(value)
        super().__setattr__(name, value)

    def _known_names(self) -> list[str]:
        """Public names of this module, and the operations of the modules below it by their path from here."""
        start = _public_name(self) + "."
        below = [name.removeprefix(start) for name in _ttnn.operations() if name.startswith(start)]
        return sorted({*below, *(name for name in vars(self) if not name.startswith("_"))})


def suggest_names(module: types.ModuleType) -> None:
    """Makes a module and the public ones below it suggest names."""
    below = [value for name, value in vars(module).items() if not name.startswith("_")]
    for part in [module, *below]:
        if type(part) is types.ModuleType and part.__name__.startswith(module.__name__):
            part.__class__ = PublicModule
