"""Names of the public module that follow the compiled one: enums, configurations, and the tree ttnn._ttnn."""

from __future__ import annotations

import sys
import types
from enum import EnumMeta
from typing import Any

from tracelift import _ttnn

from . import _exports

_ROOT = __name__.rpartition(".")[0]
# Modules of the original's compiled part, with the module of ours (if any) that has its names. All of them see the
# names of the whole compiled module, too: nothing is found in one of them only.
_COMPILED_PARTS = {
    "tensor": "types",
    "types": "types",
    "device": "device",
    "multi_device": "distributed",
    "multi_device.experimental": "",
    "core": "core",
    "graph": "graph",
    "activation": "",
    "events": "",
    "global_semaphore": "",
    "global_circular_buffer": "",
    "hd_socket": "",
    "mesh_socket": "",
    "cluster": "cluster",
    "fabric": "",
    "profiler": "profiler",
    "program_descriptor": "",
    "tensor_accessor_args": "",
    "reports": "",
    "deprecated": "",
    "deprecated.operations": "",
    "deprecated.operations.primary": "",
    "operations": "",
    "operations.experimental": "experimental",
    "operations.experimental.ccl_experimental": "experimental",
    "operations.transformer": "transformer",
    "operations.kv_cache": "kv_cache",
}
_FAMILIES = """
    core trace examples unary binary quantization ternary unary_backward binary_backward ternary_backward complex
    complex_unary complex_unary_backward ccl debug creation embedding embedding_backward full loss matmul data_movement
    sliding_window conv pool normalization prefetcher reduction copy moreh full_like uniform index_fill bernoulli
    generic rand point_to_point
""".split()
_INTERNAL = frozenset(["Arch"])  # reachable as ttnn.device.Arch


def export_compiled(names: dict[str, Any]) -> None:
    """Adds every enum and configuration class of the compiled module that is not there yet."""
    for name, value in vars(_ttnn).items():
        is_class = isinstance(value, type) and not name.startswith("_")
        if is_class and (isinstance(value, EnumMeta) or name.endswith("Config")) and name not in _INTERNAL:
            names.setdefault(name, value)


class _Mirror(types.ModuleType):
    """A module whose attributes are those that the table gives it, else those of the module of ours with its names, of
    the compiled module and of the public one."""

    def __init__(self, path: str, home: str) -> None:
        super().__init__(f"{_ROOT}.{path}")
        self.__path__: list[str] = []  # a package, so that `import ttnn._ttnn.tensor` works
        self.__dict__["_own"] = _exports.targets(_exports.COMPILED.get(path, ""))
        self.__dict__["_home"] = home

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._own:
            return _exports.resolve(self._own[name])
        public = sys.modules[_ROOT]
        home = getattr(public, self._home) if self._home else public
        for module in (home, _ttnn, public):
            try:
                return getattr(module, name)
            except AttributeError:
                pass
        raise AttributeError(f"module '{self.__name__.removeprefix('tracelift.')}' has no attribute '{name}'")


def compiled_parts() -> dict[str, str]:
    """Paths below ttnn._ttnn, parents first, with the module of ours that has their names."""
    return {**_COMPILED_PARTS, **{f"operations.{family}": "" for family in _FAMILIES}}


def mirror_compiled_module() -> None:
    for path, home in {"_ttnn": "", **{f"_ttnn.{part}": home for part, home in compiled_parts().items()}}.items():
        _exports.place(_Mirror(path, home))
