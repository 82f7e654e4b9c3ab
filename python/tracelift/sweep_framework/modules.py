"""Sweep modules: Python files below a folder, named by their path with dots."""

from __future__ import annotations

import importlib.util
import pathlib
import sys
from types import ModuleType
from typing import NamedTuple

_FOLDERS = ("tests/sweep_framework/sweeps", "sweeps", "examples/sweeps")


def sweeps_folder(given: str | None = None) -> pathlib.Path:
    """The folder of the modules: the given one, else the first of the usual places that is there."""
    if given is not None:
        if not pathlib.Path(given).is_dir():
            raise FileNotFoundError(f"{given}: there is no such folder of sweep modules")
        return pathlib.Path(given)
    for folder in map(pathlib.Path, _FOLDERS):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"no folder of sweep modules here: expected {' or '.join(_FOLDERS)}, or --sweeps-dir")


def module_names(folder: pathlib.Path) -> list[str]:
    names = []
    for path in sorted(folder.rglob("*.py")):
        if path.name != "__init__.py" and "__pycache__" not in path.parts and is_sweep_module(path):
            names.append(".".join(path.relative_to(folder).with_suffix("").parts))
    return names


def is_sweep_module(path: pathlib.Path) -> bool:
    """By its text: importing it would load its configurations."""
    lines = _lines(path)
    has_parameters = any(line.startswith("parameters") and "=" in line for line in lines)
    return has_parameters and any(line.startswith("def run(") for line in lines)


def has_tests(path: pathlib.Path) -> bool:
    """Tests of its own, which are what pytest runs of it."""
    return any(line.startswith(("def test_", "class Test")) for line in _lines(path))


def _lines(path: pathlib.Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def name_of(path: pathlib.Path) -> str:
    """The dotted name of a file: its path below the innermost folder called `sweeps`, else its own name."""
    parts = path.resolve().with_suffix("").parts
    if "sweeps" in parts[:-1]:
        return ".".join(parts[len(parts) - parts[::-1].index("sweeps") :])
    return parts[-1]


def path_of(folder: pathlib.Path, name: str) -> pathlib.Path:
    return folder.joinpath(*name.split(".")).with_suffix(".py")


class SweepModule(NamedTuple):
    name: str
    path: pathlib.Path


def all_modules(folder: pathlib.Path, skipped: str | None = None) -> list[SweepModule]:
    skip = [each.strip() for each in (skipped or "").split(",") if each.strip()]
    names = [name for name in module_names(folder) if not any(_is_below(name, each) for each in skip)]
    return [SweepModule(name, path_of(folder, name)) for name in names]


def find_modules(wanted: str, folder: str | None = None) -> list[SweepModule]:
    """What a comma list means: names, dotted prefixes, last parts of names, or files. Raises for one that means none."""
    chosen: dict[str, SweepModule] = {}
    for each in filter(None, (part.strip() for part in wanted.split(","))):
        if each.endswith(".py"):
            path = pathlib.Path(each)
            found = [SweepModule(name_of(path), path.resolve())] if path.exists() else []
            known = []
        else:
            place = sweeps_folder(folder)
            known = module_names(place)
            names = [name for name in known if _is_below(name, each)]
            names = names or [name for name in known if name.endswith("." + each)]
            found = [SweepModule(name, path_of(place, name)) for name in names]
        if not found:
            raise LookupError(f"there is no sweep module '{each}'; there are {', '.join(known) or 'none'}")
        chosen.update({module.name: module for module in found})
    return list(chosen.values())


def _is_below(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


def _projects(path: pathlib.Path) -> list[str]:
    """Of tests/sweep_framework/sweeps/...: the folder that has it."""
    place = pathlib.PurePath(_FOLDERS[0]).parts
    folders = [folder for folder in path.parents if folder.parts[-len(place) :] == place]
    return [str(folder.parents[len(place) - 1]) for folder in folders[:1]]


def import_module(name: str, path: pathlib.Path) -> ModuleType:
    """The module of a file, imported once in a process.

    It can import from the folder that it is run from, and from its project: the folder of tests/sweep_framework/sweeps.
    """
    known = f"sweeps.{name}"
    loaded = sys.modules.get(known)
    if loaded is not None and getattr(loaded, "__file__", None) == str(path):
        return loaded
    here = str(pathlib.Path.cwd())
    for folder in [*_projects(path.resolve()), *([] if "" in sys.path else [here])]:
        if folder not in sys.path:
            sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(known, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[known] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[known]
        raise
    for needed in ("parameters", "run"):
        if not hasattr(module, needed):
            raise ImportError(f"{path}: a sweep module needs '{needed}'")
    return module
