#!/usr/bin/env python3
"""Prints how much of the Python surface that public models and tests use `ttnn` has here.

    scripts/python_surface.py                 the figures, and the most used names that are missing
    scripts/python_surface.py --calls         keywords and numbers of positional arguments that existing names refuse

The counts are in ../shared/data/python_surface.csv, which is not part of the repository (TRACELIFT_SURFACE names another
file). Status: 0 printed, 1 a name is missing or refuses a call and --strict was given, 2 there is no file of counts.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import inspect
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# Names that people use and that the original does not have either: their code fails there, too, or never runs.
DEAD = frozenset(
    f"ttnn.{name}"
    for name in """
    argmin read_device_profiler MaxPool2d Conv2d device.grayskull deallocate_buffers load_parameters save_parameters
    binary_le_bw transformer._torch_attention_softmax transformer._torch_concatenate_heads
    operations.normalization._fallback_group_norm experimental.tensor.complex_div experimental.tensor.complex_mul
    experimental.device TensorLayout dump_memory_config load_memory_config GlobalCircularBuffer
    """.split()
)


@dataclass(frozen=True)
class Use:
    """One row of the file: a name, and how people use it."""

    name: str
    in_models: int
    in_tests: int
    positional: int | None  # the most positional arguments of a call; None where it is not called
    keywords: tuple[str, ...]

    @property
    def total(self) -> int:
        return self.in_models + self.in_tests


def surface_file() -> Path | None:
    """The file of counts, where there is one."""
    path = Path(os.environ.get("TRACELIFT_SURFACE", ROOT.parent / "shared" / "data" / "python_surface.csv"))
    return path if path.is_file() else None


def read_uses(path: Path) -> list[Use]:
    with open(path, newline="") as file:
        return [
            Use(
                row["name"],
                int(row["uses_in_models"]),
                int(row["uses_in_tests"]),
                int(row["most_positional_arguments"]) if row["most_positional_arguments"] else None,
                tuple(entry.rpartition(":")[0] for entry in row["keywords_with_uses"].split()),
            )
            for row in csv.DictReader(file)
        ]


def find(name: str) -> Any:
    """What a row of the file names; LookupError where it does not exist."""
    if name.startswith("import "):
        return _imported(name.removeprefix("import "))
    if found := re.fullmatch(r"from (\S+) import (\S+)", name):
        return _attribute(_imported(found[1]), found[2], name)
    first, *path = name.split(".")
    value = _imported(first)
    for part in path:
        if value is None:  # a variable that is filled later, such as ttnn.database.SQLITE_CONNECTION
            return None
        value = _attribute(value, part, name)
    return value


def _imported(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise LookupError(f"{module}: {error}") from None


def _attribute(value: Any, name: str, whole: str) -> Any:
    try:
        return getattr(value, name)
    except AttributeError as error:
        raise LookupError(f"{whole}: {error}") from None


# --- what a name can be called with -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """One way to call something."""

    positional: float  # the most positional arguments; infinite with *args
    keywords: frozenset[str] | None  # None: any


def forms_of(value: Any) -> list[Form]:
    """All ways to call a value; none where it does not say."""
    from tracelift import _ttnn

    if isinstance(value, _ttnn.Operation):
        if value.is_cpp_operation:
            others = [_python_form(value.other_form)] if value.other_form is not None else []
            return [_operation_form(form) for form in _ttnn.describe(value)] + others
        form = _python_form(value.function)
        return [Form(form.positional, form.keywords and form.keywords | {"queue_id", "cq_id"})]
    texts = _compiled_signatures(value)
    if texts:
        return [_compiled_form(text, isinstance(value, type)) for text in texts]
    try:
        return [_python_form(value)]
    except (TypeError, ValueError):
        return []


def _operation_form(form: dict[str, Any]) -> Form:
    names = {parameter[key] for parameter in form["parameters"] for key in ("name", "other_name", "python_name")}
    positional = sum(not parameter["keyword_only"] for parameter in form["parameters"])
    return Form(positional, frozenset(names | {"queue_id", "cq_id"}))


def _python_form(function: Any) -> Form:
    parameters = inspect.signature(function).parameters.values()
    kinds = [parameter.kind for parameter in parameters]
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    positional: float = sum(
        kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds
    )
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        positional = float("inf")
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return Form(positional, None)
    return Form(positional, frozenset(p.name for p in parameters if p.kind in by_name))


def _compiled_signatures(value: Any) -> list[str]:
    """The texts that nanobind keeps of a function, or of the constructor of a class."""
    function = getattr(value, "__init__", None) if isinstance(value, type) else value
    return [entry[0] for entry in getattr(function, "__nb_signature__", ())]


def _compiled_form(text: str, is_class: bool) -> Form:
    inside = text[text.index("(") + 1 :]
    parameters, depth, start = [], 0, 0
    for place, letter in enumerate(inside):
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0 or (letter == "," and depth == 0):
            parameters.append(inside[start:place].strip())
            start = place + 1
        if depth < 0:
            break
    names = [re.split(r"[:=\s]", parameter, maxsplit=1)[0] for parameter in parameters if parameter]
    positional = 0.0
    for name in names:
        if name.startswith("*"):
            positional = positional if name == "*" or name.startswith("**") else float("inf")
            break
        positional += name != "/"
    keywords = frozenset(name for name in names if name.isidentifier())
    own = int(is_class and bool(names) and names[0] == "self")
    return Form(positional - own, None if any(name.startswith("**") for name in names) else keywords)


def refused(use: Use, value: Any) -> list[str]:
    """The keywords and the number of positional arguments that no way to call the value takes."""
    forms = forms_of(value)
    if not forms or use.positional is None:
        return []
    wrong = [
        keyword
        for keyword in use.keywords
        if not any(form.keywords is None or keyword in form.keywords for form in forms)
    ]
    most = max(form.positional for form in forms)
    if use.positional > most:
        wrong.append(f"{use.positional} positional arguments (takes {most:g})")
    return wrong


# --- the report -------------------------------------------------------------------------------------------------------


def look(uses: list[Use]) -> Iterator[tuple[Use, Any, bool]]:
    """Every use with what it names, and whether that exists."""
    for use in uses:
        try:
            yield use, find(use.name), True
        except LookupError:
            yield use, None, False


def figures(uses: list[Use], missing: set[str]) -> str:
    """The table: names, and uses in models and in tests, for all names and for those used at least 3 times."""

    def row(title: str, counted: list[Use], weight: Any) -> str:
        there = sum(weight(use) for use in counted if use.name not in missing)
        whole = sum(weight(use) for use in counted)
        return f"{title:<44} {there:>7} of {whole:>7}  {100 * there / whole:6.2f} %"

    alive = [use for use in uses if use.name not in DEAD]
    often = [use for use in alive if use.total >= 3]
    return "\n".join(
        [
            row("names", alive, lambda use: 1),
            row("names used at least 3 times", often, lambda use: 1),
            row("uses in models", alive, lambda use: use.in_models),
            row("uses in tests", alive, lambda use: use.in_tests),
            f"({len(uses) - len(alive)} names that the original does not have either are left out)",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", action="store_true", help="show what existing names refuse")
    parser.add_argument("--most", type=int, default=40, help="how many missing names to show (default: 40)")
    parser.add_argument("--strict", action="store_true", help="status 1 where something is missing or refused")
    options = parser.parse_args()
    path = surface_file()
    if path is None:
        print(
            "skipped: there is no ../shared/data/python_surface.csv (TRACELIFT_SURFACE names another)", file=sys.stderr
        )
        return 2

    from tracelift import _import_fallback

    _import_fallback.install()
    uses = read_uses(path)
    looked = list(look(uses))
    missing = {use.name for use, _, exists in looked if not exists}
    print(figures(uses, missing))
    absent = sorted((use for use in uses if use.name in missing - DEAD), key=lambda use: -use.total)
    for use in absent[: options.most]:
        print(f"  missing {use.total:>5}  {use.name}")
    if len(absent) > options.most:
        print(f"  and {len(absent) - options.most} more that are used less")
    wrong = {use.name: refused(use, value) for use, value, exists in looked if exists}
    if options.calls:
        for name, what in wrong.items():
            if what:
                print(f"  {name} refuses {', '.join(what)}")
    return int(options.strict and (bool(absent) or any(wrong.values())))


if __name__ == "__main__":
    sys.exit(main())
