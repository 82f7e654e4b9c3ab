"""Makes `import ttnn` resolve to `tracelift.ttnn` where no other `ttnn` is installed.

Runs at every interpreter start, so it imports nothing but `sys`; the rest is imported when `ttnn` is asked for.
"""

import sys

_NAME = "ttnn"
_TARGET = "tracelift.ttnn"


class _AliasLoader:
    """Puts the module of another name into sys.modules; importlib returns what it finds there."""

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        import importlib

        name = module.__spec__.name
        sys.modules[name] = importlib.import_module(_TARGET + name[len(_NAME) :])
        if name == _NAME:
            _prefer_submodules()

    def get_code(self, name):
        """For `python -m ttnn.x`."""
        import importlib.util

        wanted = _TARGET + name[len(_NAME) :]
        return importlib.util.find_spec(wanted).loader.get_code(wanted)


def _spec(name):
    from importlib.machinery import ModuleSpec

    return ModuleSpec(name, _AliasLoader())


class _LastResort:
    """The last entry of sys.meta_path: any installed `ttnn` has been found before."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return _spec(name) if name == _NAME else None


class _Submodules:
    """Once `ttnn` is ours, `ttnn.x` is `tracelift.ttnn.x` and not a second copy of the same file."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith(_NAME + ".") or sys.modules.get(_NAME) is not sys.modules.get(_TARGET):
            return None
        import importlib.util

        wanted = _TARGET + name[len(_NAME) :]
        found = wanted in sys.modules or importlib.util.find_spec(wanted) is not None
        return _spec(name) if found else None


def _prefer_submodules():
    if _Submodules not in sys.meta_path:
        sys.meta_path.insert(0, _Submodules)


def install():
    """Appends the fallback to sys.meta_path, once."""
    if _LastResort not in sys.meta_path:
        sys.meta_path.append(_LastResort)
