"""Results of sweep modules in the store that the configurations came from."""

from __future__ import annotations

import json
import os
import pathlib
import platform
import sys
from typing import Any

from tracelift import _ttnn

from .master_config_loader import DATABASE_NAME, find_master
from .module_runner import parameters_of


def store_of_sweeps() -> pathlib.Path | None:
    """The folder of the store that the loader reads from; None where it reads a master that belongs to none."""
    master = find_master()
    folder = master if master.is_dir() else master.parent
    return folder if (folder / DATABASE_NAME).exists() else None


def _record(vector: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    source = vector.get("traced_source") or result.get("source") or ""
    operation = str(result.get("operation") or "").replace("::", ".")
    return {
        "vector_id": vector["input_hash"],
        "sweep_name": vector["sweep_name"],
        "suite": vector["suite_name"],
        "operation": operation,
        "identity": result.get("identity"),
        "status": result["status"],
        "message": result.get("message"),
        "exception": result.get("exception"),
        "pcc": result.get("pcc"),
        "milliseconds": result["milliseconds"],
        "started": result["started"],
        "ended": result["ended"],
        "source": ", ".join(map(str, source)) if isinstance(source, list) else str(source),
        "metrics": result.get("metrics") or {},
        "parameters": parameters_of(vector),
    }


def store(folder: pathlib.Path, run: dict[str, Any], results: list[tuple[dict[str, Any], dict[str, Any]]]) -> int:
    """Adds a run, described as run files do, with its pairs of vector and result; its number in the store."""
    environment = {"processor": platform.machine(), "python": platform.python_version(), "system": platform.system()}
    about = {
        "started": run["run_start_ts"],
        "command": " ".join([pathlib.Path(sys.argv[0]).name, *sys.argv[1:]]),
        "contents": run["run_contents"],
        "host": run["host"],
        "card_type": run["card_type"],
        "git_commit": run["git_sha"],
        "git_branch": run["git_branch_name"],
        "git_author": run["git_author"],
        "environment": json.dumps(environment),
    }
    records = [_record(vector, result) for vector, result in results]
    return int(_ttnn.store_sweep(os.fspath(folder), json.dumps(about), json.dumps(records)))
