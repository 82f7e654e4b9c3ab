"""Makes `import ttnn` resolve to `tracelift.ttnn` where no other `ttnn` is installed; `tt_lib` and `tracy`, which come
with the original, likewise.

Runs at every interpreter start, so it imports nothing but `sys`; the rest is imported when one of them is asked for.
"""

import sys

_TARGETS = {"ttnn": "tracelift.ttnn", "tt_lib": "tracelift.tt_lib", "tracy": "tracelift.tracy"}


def _target(name):
    """tracelift.ttnn.x for ttnn.x."""
    first, dot, rest = name.partition(".")
    return _TARGETS[first] + dot + rest


class _AliasLoader:
    """Puts the module of another name into sys.modules; importlib returns what it finds there."""

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        import importlib

        name = module.__spec__.name
        sys.modules[name] = importlib.import_module(_target(name))
        if name in _TARGETS:
            _prefer_submodules()

    def get_code(self, name):
        """For `python -m ttnn.x`."""
        import importlib.util

        wanted = _target(name)
        return importlib.util.find_spec(wanted).loader.get_code(wanted)


def _spec(name):
    from importlib.machinery import ModuleSpec

    return ModuleSpec(name, _AliasLoader())


class _WhereNoneIs:
    """The first entry of sys.meta_path, which asks all others: an installed package wins.

    A folder without an __init__.py does not. A checkout of the original has such a folder `ttnn` at its root; Python
    would make a namespace package of it, with nothing inside, before it asks a finder at the end of sys.meta_path.
    """

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in _TARGETS:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is cls or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None and spec.loader is not None:  # a namespace package has no loader
                return spec
        return _spec(name)


class _Submodules:
    """Once `ttnn` is ours, `ttnn.x` is `tracelift.ttnn.x` and not a second copy of the same file."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        first, dot, _ = name.partition(".")
        if not dot or first not in _TARGETS or sys.modules.get(first) is not sys.modules.get(_TARGETS[first]):
            return None
        import importlib.util

        wanted = _target(name)
        found = wanted in sys.modules or importlib.util.find_spec(wanted) is not None
        return _spec(name) if found else None


def _prefer_submodules():
    if _Submodules not in sys.meta_path:
        sys.meta_path.insert(0, _Submodules)


def install():
    """Puts the fallback into sys.meta_path, once."""
    if _WhereNoneIs not in sys.meta_path:
        sys.meta_path.insert(0, _WhereNoneIs)
