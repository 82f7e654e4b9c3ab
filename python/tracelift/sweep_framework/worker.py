"""python -m tracelift.sweep_framework.worker: runs vectors of Python modules for the runner's pool.

One JSON request a line on stdin; for each the lines {"start": id} and the result on file descriptor 3. Standard output
and error belong to the modules. Modules are imported once, and the device stays open between requests: what a request
of another module needs first is announced by {"start": id, "loading": true}, since it is not the vector's time.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import sys
import traceback
from types import ModuleType
from typing import Any, TextIO

from . import modules
from .devices import DeviceKeeper
from .module_runner import run_vector

REPLY_FD = 3


def _not_run(status: str, text: str) -> dict[str, Any]:
    return {"status": status, "message": None, "exception": text, "pcc": None, "milliseconds": 0.0, "metrics": {}}


class LoadFailure(Exception):
    """The module cannot be imported."""

    status = "fail"


class DeviceFailure(LoadFailure):
    """Its device cannot be opened, which no vector is to blame for."""

    status = "infra_device"


def load(request: dict[str, Any], keeper: DeviceKeeper) -> tuple[ModuleType, Any]:
    """The module of a request and the device that it runs on."""
    try:
        path = pathlib.Path(request["path"])
        module = modules.import_module(request.get("module") or modules.name_of(path), path)
    except Exception:
        raise LoadFailure(f"the module cannot be imported: {traceback.format_exc(limit=-3)}") from None
    try:
        return module, keeper.device_of(module)
    except Exception as error:
        raise DeviceFailure(f"DEVICE EXCEPTION: the device cannot be opened: {error}") from None


def execute(request: dict[str, Any], module: ModuleType, device: Any) -> dict[str, Any]:
    record = run_vector(
        module,
        request["vector"],
        device,
        perf=bool(request.get("perf")),
        measure_memory=bool(request.get("measure_memory")),
    )
    shown = record.pop("traceback", None)
    if shown:
        print(shown, file=sys.stderr)
    return record


def _speakable(value: Any) -> Any:
    """What JSON can say of it: halves of surrogate pairs are no characters, and infinities no numbers."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {_speakable(key): _speakable(item) for key, item in value.items()}
    return value


def _line(data: dict[str, Any]) -> str:
    try:
        text = json.dumps(data, allow_nan=False)
        if "\\ud" not in text:  # of a pair or of half of one: both are rare
            return text + "\n"
    except ValueError:
        pass
    return json.dumps(_speakable(data), allow_nan=False) + "\n"


def serve(requests: TextIO, replies: TextIO) -> None:
    keeper = DeviceKeeper()
    home = os.getpid()
    loaded = None  # the path of the module that is ready
    module: ModuleType
    device: Any = None

    def reply(data: dict[str, Any]) -> None:
        replies.write(_line(data))
        replies.flush()

    for line in requests:
        if not line.strip():
            continue
        request = json.loads(line)
        try:
            if request["path"] != loaded:
                loaded = None
                reply({"start": request["id"], "loading": True})
                module, device = load(request, keeper)
                loaded = request["path"]
        except LoadFailure as failure:
            result = _not_run(failure.status, str(failure))
        else:
            reply({"start": request["id"]})
            result = {**execute(request, module, device), "card_type": keeper.card_type()}
        if os.getpid() != home:  # a run() that forked and let its child come back
            os._exit(0)
        sys.stdout.flush()
        sys.stderr.flush()
        reply({"id": request["id"], **result})
    keeper.close()


def main() -> int:
    try:
        replies = os.fdopen(REPLY_FD, "w", encoding="utf-8")
    except OSError:
        print("tracelift.sweep_framework.worker: file descriptor 3 is not open; the runner starts this", file=sys.stderr)
        return 2
    os.set_inheritable(REPLY_FD, False)  # what a module starts must not keep the pipe open
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # a module that reads its input must not get our requests
    os.close(nothing)
    with requests, replies:
        serve(requests, replies)
    return 0


if __name__ == "__main__":
    sys.exit(main())
