"""python -m tracelift.sweep_framework.generate: test vectors of Python sweep modules."""

from __future__ import annotations

import argparse
import datetime
import getpass
import os
import pathlib
import random
import sys
import traceback
from types import ModuleType
from typing import Any

from . import modules, vector_files
from .vectors import TooManyPermutations, check_size, input_hash, serialize, suite_vectors


class GenerationError(RuntimeError):
    """A module of which no vectors, or not all of them, could be made."""


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tracelift sweep generate", description=__doc__)
    parser.add_argument("--module-name", metavar="M", help="modules: names, dotted prefixes, last parts or files, separated by commas")
    parser.add_argument("--suite-name", "--suite", metavar="S", help="only this suite")
    parser.add_argument("--tag", help="the owner of the vectors (default: the user)")
    parser.add_argument("--randomize", type=int, metavar="SEED", help="shuffle the vectors of each suite")
    parser.add_argument("--skip-modules", metavar="M", help="leave these modules out; separated by commas")
    parser.add_argument("--model-traced", nargs="?", const="all", choices=("all", "lead"), help="only traced suites; lead: only those of lead models")
    parser.add_argument("--mesh-shape", metavar="RxC", help="only vectors of this mesh, or of no mesh")
    parser.add_argument("--group-by", choices=("mesh", "hw"), default="mesh", help="which vectors share a file")
    parser.add_argument("--dump-file", action="store_true", help="accepted; vectors are always written to files")
    parser.add_argument("--sweeps-dir", metavar="DIR", help="the folder of the modules")
    parser.add_argument("--vectors-dir", metavar="DIR", default=vector_files.FOLDER, help="where the files go")
    asked = parser.parse_args(argv)
    if asked.module_name and asked.skip_modules:
        parser.error("--skip-modules applies to all modules: it cannot be combined with --module-name")
    if asked.mesh_shape:
        rows, _, columns = asked.mesh_shape.lower().partition("x")
        if not (rows.isdecimal() and columns.isdecimal()):
            parser.error(f"--mesh-shape takes ROWSxCOLUMNS, got {asked.mesh_shape}")
        asked.mesh_shape = (int(rows), int(columns))
    return asked


def _is_traced(suite: str) -> bool:
    return suite.startswith("model_traced")


def _suites(name: str, module: ModuleType, asked: argparse.Namespace) -> dict[str, dict[str, list[Any]]]:
    suites = module.parameters
    if asked.suite_name is not None:
        if asked.suite_name not in suites:
            raise GenerationError(f"{name}: there is no suite {asked.suite_name}; there are {', '.join(suites)}")
        suites = {asked.suite_name: suites[asked.suite_name]}
    if asked.model_traced:
        suites = {suite: parameters for suite, parameters in suites.items() if _is_traced(suite)}
    return suites


def make_vectors(
    name: str, suite: str, parameters: dict[str, list[Any]], module: ModuleType, seed: int | None = None
) -> list[dict[str, Any]]:
    """The serialized vectors of a suite. Raises GenerationError where there are none."""
    if check_size(name, suite, parameters) == 0:
        empty = [key for key, values in parameters.items() if not values]
        raise GenerationError(f"{name}: suite {suite} has no vectors: no values for {', '.join(empty)}")
    made = suite_vectors(name, suite, parameters, getattr(module, "invalidate_vector", None))
    vectors = [{key: serialize(value) for key, value in vector.items()} for vector in made]
    if seed is not None:
        random.Random(seed).shuffle(vectors)
    return vectors


def _generate_suite(
    name: str, suite: str, vectors: list[dict[str, Any]], asked: argparse.Namespace
) -> tuple[dict[str, Any], list[str]]:
    """Writes the vectors of one suite; its entry in the manifest and the files that it is in."""
    made = len(vectors)
    if asked.mesh_shape:
        vectors = [each for each in vectors if vector_files.mesh_of(each) in (None, asked.mesh_shape)]
    if not vectors:
        rows, columns = asked.mesh_shape
        raise GenerationError(f"{name}: suite {suite} has no vectors of the mesh {rows}x{columns}: all {made} are of another")
    by_file: dict[str, dict[str, dict[str, Any]]] = {}
    for vector in vectors:
        file = vector_files.file_name(name, vector, asked.group_by)
        by_file.setdefault(file, {})[input_hash(vector)] = vector
    changed = False
    for file, keyed in by_file.items():
        changed |= vector_files.write_suite(pathlib.Path(asked.vectors_dir) / file, suite, keyed, asked.tag)
    kept = sum(len(keyed) for keyed in by_file.values())
    print(f"SWEEPS: Generated {kept} test vectors for suite {suite}.")
    if made != len(vectors):
        print(f"SWEEPS: {made - len(vectors)} vectors of suite {suite} are of another mesh.")
    if len(vectors) != kept:
        print(f"SWEEPS: {len(vectors) - kept} vectors of suite {suite} equal another one and were not written twice.")
    valid = sum(vector["validity"] == "VALID" for keyed in by_file.values() for vector in keyed.values())
    return {"vectors": kept, "valid": valid, "invalid": kept - valid, "changed": changed}, list(by_file)


def _generate_module(name: str, path: pathlib.Path, asked: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """The entry of a module in the manifest, and what went wrong with its suites."""
    module = modules.import_module(name, path)
    suites = _suites(name, module, asked)
    if not suites:
        return {}, []
    print(f"SWEEPS: Generating test vectors for module {name}.")
    entry: dict[str, Any] = {"files": [], "suites": {}}
    problems = []
    for suite, parameters in suites.items():
        try:
            vectors = make_vectors(name, suite, parameters, module, asked.randomize)
            entry["suites"][suite], files = _generate_suite(name, suite, vectors, asked)
        except (GenerationError, TooManyPermutations) as error:
            problems.append(str(error))
            continue
        entry["files"] += [file for file in files if file not in entry["files"]]
    return entry, problems


def _write_manifest(asked: argparse.Namespace, made: dict[str, Any], failed: dict[str, str]) -> None:
    manifest = {
        "generated": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
        "tag": asked.tag,
        "seed": asked.randomize,
        "model_traced": asked.model_traced,
        "total_vectors": sum(suite["vectors"] for entry in made.values() for suite in entry["suites"].values()),
        "modules": made,
        "failed": failed,
    }
    vector_files.write_atomically(pathlib.Path(asked.vectors_dir) / vector_files.MANIFEST, manifest)


def main(argv: list[str] | None = None) -> int:
    asked = _arguments(argv)
    asked.tag = asked.tag or os.environ.get("USER") or getpass.getuser()
    if asked.model_traced == "lead":
        os.environ["TTNN_LEAD_MODELS_ONLY"] = "1"
    if asked.randomize is not None:
        random.seed(asked.randomize)
    try:
        if asked.module_name:
            chosen = modules.find_modules(asked.module_name, asked.sweeps_dir)
        else:
            chosen = modules.all_modules(modules.sweeps_folder(asked.sweeps_dir), asked.skip_modules)
    except (FileNotFoundError, LookupError) as error:
        print(f"tracelift sweep generate: {error.args[0]}", file=sys.stderr)
        return 2
    made: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for name, path in chosen:
        try:
            entry, problems = _generate_module(name, path, asked)
            if entry.get("suites"):
                made[name] = entry
            if problems:
                failed[name] = "; ".join(problems)
        except GenerationError as error:
            failed[name] = str(error)
        except Exception:  # whatever a module does while it is imported
            failed[name] = f"{name}: {traceback.format_exc(limit=-3)}"
    _write_manifest(asked, made, failed)
    for problem in failed.values():
        print(f"tracelift sweep generate: {problem}", file=sys.stderr)
    if not made and not failed:
        print("tracelift sweep generate: no suite matches", file=sys.stderr)
    return 0 if made and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
