"""Graph reports as databases for the ttnn-visualizer.

    python -m ttnn.graph_report [--svg] REPORT_OR_DIR OUTDIR
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tracelift import _ttnn
from tracelift._replaced import replaced
from tracelift.ttnn.graph import extract_operation_durations, extract_total_duration_from_graph

__all__ = [
    "create_database_schema",
    "extract_operation_durations",
    "extract_total_duration_from_graph",
    "import_graph",
    "import_report",
    "main",
]

RULES = ("r", "s")
SUPPORTED_REPORT_VERSION = 1

_MESH_FILE = "mesh_coordinate_mapping.yaml"
# Tables of an import that the viewer does not know and that only a whole import can fill.
_OWN_TABLES = frozenset(("reports", "operation_details", "functions", "memory_events", "buffer_spans"))


def _import(
    report_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output_dir: str | os.PathLike[str],
    db_name: str,
    svg: bool,
    rules: str,
    append: bool,
    replace: bool,
    materialize: bool,
    source_files: bool = False,
) -> dict[str, Any]:
    """Imports, and returns how many rows of each kind there were."""
    if append and replace:
        raise ValueError("append and replace exclude each other")
    if rules not in RULES:
        raise ValueError(f"rules is {rules!r}, not one of {RULES}")
    paths = [report_path] if isinstance(report_path, (str, os.PathLike)) else list(report_path)
    existing = "append" if append else "replace" if replace else "refuse"
    inputs = [Path(path) for path in paths]
    summary = _ttnn.import_report(inputs, Path(output_dir), db_name, rules, existing, svg, materialize, source_files)
    summary["rows"] = dict(summary["rows"])
    return summary


def write_performance_report(
    report_path: str | os.PathLike[str], output_dir: str | os.PathLike[str]
) -> dict[str, Any]:
    """Writes the device operations of a report as a performance report of the ttnn-visualizer and tt-perf-report.

    The folder gets `ops_perf_results_<name>.csv` and `profile_log_device.csv`. Times are those of the host; columns that
    only hardware can fill stay empty and are listed in the answer.
    """
    return _ttnn.write_performance_report(Path(report_path), Path(output_dir))


def _name_mesh_file_as_before(output_dir: Path, files: Sequence[str]) -> None:
    """The viewer reads the mapping under its present name, scripts under the first one."""
    written = next((name for name in files if "mesh_coordinate_mapping" in name), None)
    if written is not None and written != _MESH_FILE:
        with replaced(output_dir / _MESH_FILE, "wb") as file:
            file.write((output_dir / written).read_bytes())


def import_report(
    report_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output_dir: str | os.PathLike[str],
    db_name: str = "db.sqlite",
    generate_svgs: bool = False,
    *,
    svg: bool = False,
    rules: str = "r",
    append: bool = False,
    replace: bool = False,
    materialize: bool = False,
    source_files: bool = False,
) -> Path:
    """Imports a report, several, or a folder of them, and gives the path of the database.

    `generate_svgs`, or `svg`, draws calls and memory too. An existing database is an error unless `append`
    or `replace` is given. Raises RuntimeError with the file and the place in it for a report that cannot be read; the
    database is then as it was before. Where a report has the mapping of chips to the mesh, mesh_coordinate_mapping.yaml
    is written beside the database. `source_files` stores the files that stack traces name, for the viewer's source view.
    """
    drawn = svg or generate_svgs
    summary = _import(report_path, output_dir, db_name, drawn, rules, append, replace, materialize, source_files)
    _name_mesh_file_as_before(Path(output_dir), summary["files"])
    return Path(summary["database"])


# --- parts of an import, for programs that keep a database of their own ---------------------------------------------


@contextlib.contextmanager
def _imported(report: dict[str, Any]) -> Iterator[tuple[sqlite3.Connection, dict[str, int]]]:
    """A database of its own with the rows of one report, and their numbers by name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        path.write_text(json.dumps(report))
        summary = _import(path, folder, "db.sqlite", False, "r", False, False, True)
        with contextlib.closing(sqlite3.connect(summary["database"])) as database:
            yield database, summary["rows"]


def _report(graph: list[dict[str, Any]], **parts: Any) -> dict[str, Any]:
    given = {name: part for name, part in parts.items() if part is not None}
    return {"version": SUPPORTED_REPORT_VERSION, "graph": graph, "devices": [], "metadata": {}, **given}


def create_database_schema(cursor: sqlite3.Cursor) -> None:
    """Makes the tables of the ttnn-visualizer's database that are not there yet."""
    with _imported(_report([])) as (database, _):
        statements = database.execute(
            "SELECT sql, tbl_name FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
            "ORDER BY type DESC, name"
        ).fetchall()
    for statement, table in statements:
        if table in _OWN_TABLES:
            continue
        kind, _, rest = statement.partition(" ")[2].partition(" ")
        if kind == "UNIQUE":
            inner, _, rest = rest.partition(" ")
            kind = f"UNIQUE {inner}"
        rest = rest.removeprefix("IF NOT EXISTS ")
        cursor.execute(f"CREATE {kind} IF NOT EXISTS {rest}")


def _columns(cursor: sqlite3.Cursor, table: str) -> list[str]:
    return [row[1] for row in cursor.execute(f'PRAGMA table_info("{table}")').fetchall()]


# What belongs to a whole report and not to its graph.
_NOT_OF_THE_GRAPH = frozenset(("devices", "report_metadata"))
_ROW_NAMES = {
    "operations": "operations",
    "tensors": "tensors",
    "device_tensors": "device tensor entries",
    "buffers": "buffers",
    "edges": "edges",
    "errors": "errors captured",
    "stack_traces": "stack traces captured",
}


def _copy_table(cursor: sqlite3.Cursor, database: sqlite3.Connection, table: str, base: int) -> None:
    own = _columns(database.cursor(), table)
    shared = [name for name in own if name in _columns(cursor, table)]
    if not shared:
        return
    names = ", ".join(f'"{name}"' for name in shared)
    # node_operation_id counts within its graph.
    moved = [name for name in shared if name.endswith("operation_id") and name != "node_operation_id"]
    chosen = ", ".join(f'"{name}" + {base}' if name in moved else f'"{name}"' for name in shared)
    rows = database.execute(f'SELECT {chosen} FROM "{table}"')
    places = ", ".join("?" * len(shared))
    cursor.executemany(f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({places})', rows)


def import_graph(
    cursor: sqlite3.Cursor,
    graph: list[dict[str, Any]],
    base_operation_id: int = 0,
    devices: list[dict[str, Any]] | None = None,
    python_io: list[dict[str, Any]] | None = None,
    per_operation_buffers: dict[str, Any] | None = None,
) -> dict[str, int]:
    """Adds the rows of one captured graph to a database that has the tables, and tells how many there are of each kind.

    The ids of operations begin above `base_operation_id`. Devices are only looked at for the sizes of their banks.
    """
    if not _columns(cursor, "operations"):
        raise RuntimeError("import_graph needs the tables of the database: call create_database_schema(cursor) first")
    report = _report(graph, devices=devices, python_io=python_io, per_operation_buffers=per_operation_buffers)
    with _imported(report) as (database, rows):
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (table,) in tables.fetchall():
            if table not in _NOT_OF_THE_GRAPH and table not in _OWN_TABLES:
                _copy_table(cursor, database, table, base_operation_id)
    return {name: rows.get(row, 0) for name, row in _ROW_NAMES.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ttnn.graph_report", description=__doc__.splitlines()[0])
    parser.add_argument("report_path", nargs="+", help="reports, or folders of reports")
    parser.add_argument("output_dir", help="folder for the database")
    parser.add_argument("--db-name", default="db.sqlite", help="name of the database (%(default)s)")
    parser.add_argument("--svg", action="store_true", help="draw calls and memory in OUTDIR/graphs")
    parser.add_argument("--rules", choices=RULES, default="r", help="rows as in docs/visualizer.md (%(default)s)")
    parser.add_argument("--materialize", action="store_true", help="make buffers a table instead of a view")
    parser.add_argument("--source-files", action="store_true", help="store the files that stack traces name")
    present = parser.add_mutually_exclusive_group()
    present.add_argument("--append", action="store_true", help="add to an existing database")
    present.add_argument("--replace", action="store_true", help="replace an existing database")
    given = parser.parse_args(arguments)
    try:
        summary = _import(
            given.report_path,
            given.output_dir,
            given.db_name,
            given.svg,
            given.rules,
            given.append,
            given.replace,
            given.materialize,
            given.source_files,
        )
        _name_mesh_file_as_before(Path(given.output_dir), summary["files"])
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    for warning, count in summary["warnings"].items():
        print(f"Warning: {warning}" + (f" ({count} times)" if count > 1 else ""))
    print(summary["text"], end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
