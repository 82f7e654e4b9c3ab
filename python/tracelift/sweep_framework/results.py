"""Results of sweep modules that ran in this process: into result files, and into the store of the configurations."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import sys
from typing import Any

from tracelift import _ttnn

from .master_config_loader import DATABASE_NAME, find_master
from .module_runner import parameters_of

FOLDER = "results_export"


def store_of_sweeps() -> pathlib.Path | None:
    """The folder of the store that the loader reads from; None where it reads a master that belongs to none."""
    master = find_master()
    folder = master if master.is_dir() else master.parent
    return folder if (folder / DATABASE_NAME).exists() else None


def record_of(vector: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """A vector as its file has it and what run_vector said, as journals of the runner have it."""
    source = vector.get("traced_source") or result.get("source") or ""
    record = {
        "vector_id": vector["input_hash"],
        "sweep_name": vector["sweep_name"],
        "suite": vector["suite_name"],
        "operation": str(result.get("operation") or "").replace("::", "."),
        "identity": result.get("identity") or "",
        "configuration": 0,
        "status": result["status"],
        "message": result.get("message") or "",
        "exception": result.get("exception") or "",
        "milliseconds": result["milliseconds"],
        "started": result["started"],
        "ended": result["ended"],
        "source": ", ".join(map(str, source)) if isinstance(source, list) else str(source),
        "metrics": result.get("metrics") or {},
        "parameters": parameters_of(vector),
    }
    if result.get("pcc") is not None:
        record["pcc"] = result["pcc"]
    return record


def contents_of(vectors: list[dict[str, Any]]) -> str:
    """Modules, and the suite where there is one alone: what a command line would say to run them."""
    modules = ",".join(dict.fromkeys(vector["sweep_name"] for vector in vectors))
    suites = {vector["suite_name"] for vector in vectors}
    return f"{modules}, {suites.pop()}" if len(suites) == 1 else modules


def write(
    results: list[tuple[dict[str, Any], dict[str, Any]]],
    folder: str | os.PathLike[str] = FOLDER,
    store: pathlib.Path | None = None,
) -> list[pathlib.Path]:
    """Pairs of vector and result; a file per module, and last that of the run."""
    command = " ".join([pathlib.Path(sys.argv[0]).name, *sys.argv[1:]])
    card_type = next((result["card_type"] for _, result in results if result.get("card_type")), "")
    records = json.dumps([record_of(vector, result) for vector, result in results])
    stamp = f"{datetime.datetime.now():%Y%m%d_%H%M%S}"
    contents = contents_of([vector for vector, _ in results])
    written = _ttnn.write_sweep_results(records, command, contents, card_type, stamp, os.fspath(folder), store)
    return [pathlib.Path(path) for path in written]
