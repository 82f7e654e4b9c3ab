"""Graph reports as databases for the ttnn-visualizer.

    python -m ttnn.graph_report [--svg] REPORT_OR_DIR OUTDIR
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tracelift import _ttnn

RULES = ("r", "s")


def import_report(
    report_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output_dir: str | os.PathLike[str],
    *,
    db_name: str = "db.sqlite",
    svg: bool = False,
    rules: str = "r",
    append: bool = False,
    replace: bool = False,
    materialize: bool = False,
) -> dict[str, Any]:
    """Imports a report, several, or a folder of them, and tells how many rows of what came of it.

    A database that is there already is refused unless `append` or `replace` is given. Raises RuntimeError with the
    file and the place in it for a report that cannot be read; the database is then as it was before.
    """
    if append and replace:
        raise ValueError("append and replace exclude each other")
    if rules not in RULES:
        raise ValueError(f"rules is {rules!r}, not one of {RULES}")
    paths = [report_path] if isinstance(report_path, (str, os.PathLike)) else list(report_path)
    existing = "append" if append else "replace" if replace else "refuse"
    inputs = [Path(path) for path in paths]
    summary = _ttnn.import_report(inputs, Path(output_dir), db_name, rules, existing, svg, materialize)
    summary["rows"] = dict(summary["rows"])
    return summary


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ttnn.graph_report", description=__doc__.splitlines()[0])
    parser.add_argument("report_path", nargs="+", help="reports, or folders of reports")
    parser.add_argument("output_dir", help="folder for the database")
    parser.add_argument("--db-name", default="db.sqlite", help="name of the database (%(default)s)")
    parser.add_argument("--svg", action="store_true", help="draw calls and memory into OUTDIR/graphs")
    parser.add_argument("--rules", choices=RULES, default="r", help="rows as in docs/visualizer.md (%(default)s)")
    parser.add_argument("--materialize", action="store_true", help="make buffers a table instead of a view")
    present = parser.add_mutually_exclusive_group()
    present.add_argument("--append", action="store_true", help="add to a database that is there")
    present.add_argument("--replace", action="store_true", help="make a database that is there anew")
    given = parser.parse_args(arguments)
    try:
        summary = import_report(
            given.report_path,
            given.output_dir,
            db_name=given.db_name,
            svg=given.svg,
            rules=given.rules,
            append=given.append,
            replace=given.replace,
            materialize=given.materialize,
        )
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    for warning, count in summary["warnings"].items():
        print(f"Warning: {warning}" + (f" ({count} times)" if count > 1 else ""))
    print(summary["text"], end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
