"""vectors_export/<module>.json: {suite: {input_hash: vector}}; vectors of a mesh in a file of their own."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import re
from typing import Any

from tracelift._replaced import destination, replaced

FOLDER = "vectors_export"
MANIFEST = "generation_manifest.json"
_NEEDED = ("input_hash", "timestamp", "tag")


def write_atomically(path: pathlib.Path, data: Any) -> None:
    """All or nothing, and on the disk when it returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced(path, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=2, ensure_ascii=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())


def _pair(value: Any) -> tuple[int, int] | None:
    """Two numbers: a list, or the text of one."""
    numbers = re.findall(r"\d+", value) if isinstance(value, str) else value
    if isinstance(numbers, (list, tuple)) and len(numbers) == 2:
        return int(numbers[0]), int(numbers[1])
    return None


def _machine(vector: dict[str, Any]) -> dict[str, Any]:
    info = vector.get("traced_machine_info")
    if isinstance(info, list):
        info = info[0] if info else None
    return info if isinstance(info, dict) else {}


def mesh_of(vector: dict[str, Any]) -> tuple[int, int] | None:
    """The 2-D mesh that a vector was traced on."""
    info = _machine(vector)
    mesh = _pair(info.get("mesh_device_shape"))
    placements = info.get("tensor_placements")
    if mesh is None and isinstance(placements, list) and placements and isinstance(placements[0], dict):
        mesh = _pair(placements[0].get("mesh_device_shape"))
    if mesh is None and info.get("device_series") == "tt-galaxy-wh" and info.get("card_count") == 32:
        mesh = (4, 8)
    return mesh


def hardware_of(vector: dict[str, Any]) -> str:
    """wormhole_n300_1c, or nothing where the vector does not say."""
    info = _machine(vector)
    parts = [str(info[key]).lower() for key in ("board_type", "device_series") if info.get(key)]
    return "_".join([*parts, f"{info.get('card_count', 1)}c"]) if parts else ""


def file_name(module_name: str, vector: dict[str, Any], group_by: str) -> str:
    if group_by == "hw":
        hardware = hardware_of(vector)
        return f"{module_name}__hw_{hardware}.json" if hardware else f"{module_name}.json"
    mesh = mesh_of(vector)
    return f"{module_name}.json" if mesh is None else f"{module_name}__mesh_{mesh[0]}x{mesh[1]}.json"


def read(path: pathlib.Path) -> dict[str, dict[str, Any]]:
    """The suites of a file; an unreadable one is put aside, so that nothing in it is lost, and counts as empty."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or not all(isinstance(suite, dict) for suite in data.values()):
            raise ValueError("expected an object of suites")
        return data
    except FileNotFoundError:
        return {}
    except ValueError as error:
        target = destination(path)  # a link stays, and the new file is written behind it
        aside = f"{target}.corrupted.{datetime.datetime.now():%Y%m%d_%H%M%S}"
        os.replace(target, aside)
        print(f"⚠️ {path} cannot be read ({error}); renamed to {os.path.basename(aside)}")
        return {}


def _check(path: pathlib.Path, suite: str, wanted: set[str]) -> None:
    """Reads back what was written."""
    written = json.loads(path.read_text(encoding="utf-8")).get(suite, {})
    missing = wanted - set(written)
    if missing:
        raise OSError(f"{path}: {len(missing)} vectors of suite {suite} were not written")
    for name, vector in written.items():
        lacking = [key for key in _NEEDED if not vector.get(key)]
        if lacking:
            raise OSError(f"{path}: vector {name} of suite {suite} was written without {', '.join(lacking)}")


def write_suite(path: pathlib.Path, suite: str, vectors: dict[str, dict[str, Any]], tag: str) -> bool:
    """Replaces one suite of a file and keeps the others. False: the file has these very vectors."""
    suites = read(path)
    known = {key for key, vector in suites.get(suite, {}).items() if vector.get("tag") == tag}
    if known == set(vectors) and path.exists() and suite in suites:
        return False
    timestamp = f"{datetime.datetime.now():%Y-%m-%d_%H-%M-%S}"
    suites[suite] = {
        key: {**vector, "timestamp": timestamp, "input_hash": key, "tag": tag} for key, vector in vectors.items()
    }
    write_atomically(path, suites)
    _check(path, suite, set(vectors))
    return True
