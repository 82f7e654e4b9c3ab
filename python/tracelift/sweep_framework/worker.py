"""python -m tracelift.sweep_framework.worker: runs vectors of Python modules for the runner's pool.

One JSON request a line on stdin; for each the lines {"start": id} and the result on file descriptor 3. Standard output
and error belong to the modules. Modules are imported once, and the device stays open between requests.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
import traceback
from typing import Any, TextIO

from . import modules
from .devices import DeviceKeeper
from .module_runner import run_vector

REPLY_FD = 3


def _failed(text: str) -> dict[str, Any]:
    return {"status": "fail", "message": None, "exception": text, "pcc": None, "milliseconds": 0.0, "metrics": {}}


def execute(request: dict[str, Any], keeper: DeviceKeeper) -> dict[str, Any]:
    """The result of one request; whatever goes wrong becomes its exception."""
    try:
        path = pathlib.Path(request["path"])
        module = modules.import_module(request.get("module") or modules.name_of(path), path)
    except Exception:
        return _failed(f"the module cannot be imported: {traceback.format_exc(limit=-3)}")
    try:
        device = keeper.device_of(module)
    except Exception as error:
        return _failed(f"DEVICE EXCEPTION: the device cannot be opened: {error}")
    record = run_vector(
        module,
        request["vector"],
        device,
        perf=bool(request.get("perf")),
        measure_memory=bool(request.get("measure_memory")),
    )
    record["card_type"] = keeper.card_type()
    shown = record.pop("traceback", None)
    if shown:
        print(shown, file=sys.stderr)
    return record


def serve(requests: TextIO, replies: TextIO) -> None:
    keeper = DeviceKeeper()
    home = os.getpid()

    def reply(data: dict[str, Any]) -> None:
        replies.write(json.dumps(data) + "\n")
        replies.flush()

    for line in requests:
        if not line.strip():
            continue
        request = json.loads(line)
        reply({"start": request["id"]})
        result = execute(request, keeper)
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
