"""The code behind the files that `tracelift init` adds to a project: they hand over to Tracelift's commands."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Iterable, Sequence

STORE = "traced_operations"
OPERATIONS_LIST = "tests/sweep_framework/Allops.txt"
SWEEPS = "tests/sweep_framework/sweeps"
VECTORS = "vectors_export"
RESULTS = "results_export"


def command() -> str:
    """The `tracelift` program: beside this Python, else on the PATH."""
    beside = pathlib.Path(sys.executable).with_name("tracelift")
    found = str(beside) if beside.exists() else shutil.which("tracelift")
    if found is None:
        raise SystemExit(f"the command 'tracelift' is neither beside {sys.executable} nor on the PATH")
    return found


def _run(arguments: Sequence[str], store: str | None = None) -> int:
    """`store`: what the command and the sweep modules that it runs take for the store where nothing else is said."""
    environment = {**os.environ, "TRACELIFT_PYTHON": sys.executable}
    if store is not None:
        environment["TRACELIFT_DIR"] = store
    return subprocess.run([command(), *arguments], env=environment, check=False).returncode


def _relative(path: pathlib.Path) -> str:
    """As short as it can be said from here: it is printed."""
    return os.path.relpath(path)


def _given(arguments: Sequence[str], *options: str) -> bool:
    return any(each == option or each.startswith(option + "=") for each in arguments for option in options)


def _store(root: pathlib.Path, arguments: Sequence[str]) -> list[str]:
    return [] if _given(arguments, "--dir") else ["--dir", _relative(root / STORE)]


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Ours, and what stands behind `--` for the test."""
    own = list(arguments)
    behind = own.index("--") if "--" in own else len(own)
    return own[:behind], own[behind:]


def trace(root: pathlib.Path, excluded: Iterable[str], arguments: Sequence[str] | None = None) -> int:
    """`tracelift trace` into the project's store, with the project's lists of operations."""
    own, rest = _split(sys.argv[1:] if arguments is None else arguments)
    own += _store(root, own)
    valid = root / OPERATIONS_LIST
    if valid.exists() and not _given(own, "--valid-ops"):
        own += ["--valid-ops", _relative(valid)]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", prefix="excluded_ops_", encoding="utf-8") as file:
        file.write("".join(f"{name}\n" for name in sorted(excluded)))
        file.flush()
        if not _given(own, "--excluded-ops"):
            own += ["--excluded-ops", file.name]
        return _run(["trace", *own, *rest])


def analyze_operations(root: pathlib.Path, arguments: Sequence[str] | None = None) -> int:
    """`tracelift show` of the project's store, or of the master that `--master-file` names."""
    own = list(sys.argv[1:] if arguments is None else arguments)
    own = [each for each in own if each != "--details"]  # what it prints anyway
    for index, each in enumerate(own):
        if each == "--master-file" and index + 1 < len(own):
            own[index : index + 2] = ["--dir", own[index + 1]]
            break
        if each.startswith("--master-file="):
            own[index : index + 1] = ["--dir", each.partition("=")[2]]
            break
    return _run(["show", *own, *_store(root, own)])


def analyze_sweep_results(root: pathlib.Path, arguments: Sequence[str] | None = None) -> int:
    """`tracelift sweep results` in the guide's form, of the newest result files."""
    own = list(sys.argv[1:] if arguments is None else arguments)
    if not _given(own, "--results-dir", "--result-file", "--dir", "--run"):
        own += ["--results-dir", _relative(root / RESULTS)]
    return _run(["sweep", "results", "--guide", *own])


def _in_project(root: pathlib.Path, arguments: Sequence[str], **folders: str) -> list[str]:
    """With the project's folders, wherever the command is started."""
    own = list(arguments)
    for option, folder in folders.items():
        name = f"--{option.replace('_', '-')}"
        if not _given(own, name):
            own += [name, _relative(root / folder)]
    return own


def generate_vectors(root: pathlib.Path, arguments: Sequence[str] | None = None) -> int:
    """`tracelift sweep generate` for the project's sweep modules."""
    own = _in_project(root, sys.argv[1:] if arguments is None else arguments, sweeps_dir=SWEEPS, vectors_dir=VECTORS)
    return _run(["sweep", "generate", *own], store=_relative(root / STORE))


def run_sweeps(root: pathlib.Path, arguments: Sequence[str] | None = None) -> int:
    """`tracelift sweep run` for the project's sweep modules: vectors from files, results into files."""
    own = list(sys.argv[1:] if arguments is None else arguments)
    if not _given(own, "--vector-source"):
        own += ["--vector-source", "vectors_export"]
    if not _given(own, "--result-dest"):
        own += ["--result-dest", "results_export"]
    own = _in_project(root, own, sweeps_dir=SWEEPS, vectors_dir=VECTORS, results_dir=RESULTS)
    return _run(["sweep", "run", *own], store=_relative(root / STORE))
