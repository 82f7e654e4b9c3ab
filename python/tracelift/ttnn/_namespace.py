"""Names of the public module that follow the compiled one: enums, configurations, and the tree ttnn._ttnn."""

from __future__ import annotations

import sys
import types
from enum import EnumMeta
from typing import Any

from tracelift import _ttnn

_ROOT = __name__.rpartition(".")[0]
# Submodules of the original's compiled part. All see the same names: nothing is found in one of them only.
_COMPILED_PARTS = (
    "tensor types device multi_device operations core graph activation events global_semaphore cluster fabric profiler reports"
).split()
_INTERNAL = frozenset(["Arch"])  # reachable as ttnn.device.Arch


def export_compiled(names: dict[str, Any]) -> None:
    """Adds every enum and configuration class of the compiled module that is not there yet."""
    for name, value in vars(_ttnn).items():
        is_class = isinstance(value, type) and not name.startswith("_")
        if is_class and (isinstance(value, EnumMeta) or name.endswith("Config")) and name not in _INTERNAL:
            names.setdefault(name, value)


class _Mirror(types.ModuleType):
    """A module whose attributes are those of the compiled module, else those of the public one."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if hasattr(_ttnn, name):
            return getattr(_ttnn, name)
        try:
            return getattr(sys.modules[_ROOT], name)
        except AttributeError:
            raise AttributeError(f"module 'ttnn._ttnn' has no attribute '{name}'") from None


class _Operations(_Mirror):
    """ttnn._ttnn.operations.<family>.<operation>: every family has all operations."""

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("_"):
                raise
        return self


def mirror_compiled_module() -> None:
    root = _Mirror(f"{_ROOT}._ttnn", "The compiled part of ttnn.")
    root.__path__ = []  # a package, so that `import ttnn._ttnn.tensor` works
    sys.modules[root.__name__] = root
    for part in _COMPILED_PARTS:
        module = (_Operations if part == "operations" else _Mirror)(f"{root.__name__}.{part}")
        setattr(root, part, module)
        sys.modules[module.__name__] = module
    setattr(sys.modules[_ROOT], "_ttnn", root)
