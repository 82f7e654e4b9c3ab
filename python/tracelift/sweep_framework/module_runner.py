"""One vector through a module's run(): what it is called with, and what its answer means.

The words of `status` are those of src/tracelift/catalog/status.hpp; the runner's workers and pytest both use this.
"""

from __future__ import annotations

import functools
import inspect
import math
import time
import traceback
from types import ModuleType
from typing import Any, Callable, Mapping

from . import memory_metrics
from .master_config_loader import find_master, find_traced_config, is_traced_config_name
from .traced_config import is_missing
from .vectors import deserialize

# Moved out of a vector before it is run.
HEADER = ("sweep_name", "suite_name", "input_hash", "traced_source", "traced_machine_info")
_DROPPED = ("timestamp", "tag", "validity", "status", "invalid_reason")
_NAME = "traced_config_name"
_OUT_OF_MEMORY = "Out of Memory: Not enough space to allocate"


def parameters_of(vector: dict[str, Any]) -> dict[str, Any]:
    """A vector without its header, as vector files have it."""
    return {key: value for key, value in vector.items() if key not in HEADER and key not in _DROPPED}


def _is_unpacked_by_run(name: str) -> bool:
    """A value that unpack_traced_config gives: a run() that takes traced_config_name asks for these itself."""
    if name in ("input_shape", "output_memory_config"):
        return True
    return name.startswith("input_") and name.endswith(("_dtype", "_layout", "_memory_config"))


def _names_nothing(name: Any) -> bool:
    """A traced configuration that the module's loader did not find, in this process at least."""
    return is_traced_config_name(name) and find_traced_config(name) is None


@functools.lru_cache(maxsize=64)
def _parameters(run: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Of a run(), which has thousands of vectors."""
    return inspect.signature(run).parameters


def arguments_of(module: ModuleType, vector: dict[str, Any]) -> dict[str, Any]:
    """What run() is called with.

    A vector that only has the name of a traced configuration gives whatever of that configuration run() names:
    declared parameters, arg<i>, input_a_dtype, ... What run() needs and nobody has is None.
    """
    signature = _parameters(module.run)
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in signature.values())
    given = {
        # A placement is texts, some of which look like lists.
        key: value if key.endswith("_tensor_placement") else deserialize(value)
        for key, value in parameters_of(vector).items()
    }
    given.pop("device", None)  # of a trace that passed one: run() gets that of this process
    if isinstance(vector.get(_NAME), str):
        given[_NAME] = vector[_NAME]
    config = find_traced_config(given[_NAME]) if _NAME in given else None
    unpacks = _NAME in signature
    for name, parameter in signature.items():
        if name == "device" or name in given or parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        if name in HEADER and name in vector:
            given[name] = vector[name]
            continue
        found = inspect.Parameter.empty
        if config is not None and not (unpacks and _is_unpacked_by_run(name)):
            value = config.find(name)
            found = inspect.Parameter.empty if is_missing(value) else value
        if found is not inspect.Parameter.empty:
            given[name] = found
        elif parameter.default is inspect.Parameter.empty and parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
            given[name] = None
    if not takes_all:  # ours, not the module's: it may do without them
        for name in (_NAME, "config_hash"):
            if name not in signature:
                given.pop(name, None)
    return given


# --- what came back ---------------------------------------------------------------------------------------------------


class BadAnswer(TypeError):
    """run() returned something that says neither pass nor fail."""


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def _answer(result: Any) -> tuple[bool, str, float | None, dict[str, float]]:
    """(passed, message, nanoseconds, metrics) of anything that a module may return."""
    if isinstance(result, dict):
        return _answer_of_dict(result)
    if isinstance(result, (tuple, list)) and result:
        if _is_flag(result[0]) and len(result) >= 2:
            return bool(result[0]), str(result[1]), _time(result[2]) if len(result) > 2 else None, {}
        if isinstance(result[0], (tuple, list, dict)):
            passed, message, nanoseconds, metrics = _answer(result[0])
            return passed, message, _time(result[1]) if len(result) > 1 else nanoseconds, metrics
    text = repr(result)
    raise BadAnswer(
        f"run() returned {text[:200]}{'...' if len(text) > 200 else ''}; expected (bool, text), [(bool, text),"
        " nanoseconds] or a dict with 'passed' and 'message'"
    )


def _answer_of_dict(result: dict[str, Any]) -> tuple[bool, str, float | None, dict[str, float]]:
    flags = [result[key] for key in ("passed", "success", "status", "result") if _is_flag(result.get(key))]
    if not flags:
        raise BadAnswer(f"run() returned a dict without 'passed' (a bool): it has {', '.join(map(str, result))}")
    message = result.get("message", result.get("pcc", ""))
    times = [result[key] for key in ("e2e_perf", "e2e_ns") if key in result]
    metrics = {str(key): float(value) for key, value in (result.get("metrics") or {}).items()}
    return bool(flags[0]), str(message), _time(times[0]) if times else None, metrics


def _time(value: Any) -> float | None:
    return None if value is None else float(value)


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def failure_status(text: str) -> str:
    if _OUT_OF_MEMORY in text:
        return "out_of_memory"
    return "fail_watcher" if "Watcher" in text else "fail"


def expected_status(suite: str, status: str) -> str:
    """In suites that are expected to fail."""
    if not suite.lower().startswith("xfail"):
        return status
    if status == "pass":
        return "xpass"
    return "xfail" if status in ("fail", "out_of_memory", "fail_watcher", "fail_device_perf") else status


def _iso(seconds: float) -> str:
    whole, thousandths = divmod(int(seconds * 1000), 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{thousandths:03d}Z"


def _call(module: ModuleType, arguments: dict[str, Any], device: Any, record: dict[str, Any]) -> None:
    """Fills in how the call ended."""
    try:
        passed, message, nanoseconds, metrics = _answer(module.run(**arguments, device=device))
    except KeyboardInterrupt:
        raise
    except MemoryError as error:
        record.update(status="fail_host_memory", exception=f"MemoryError: {error}")
    except BaseException as error:  # also SystemExit: a module must not end its worker
        if type(error).__name__ == "Skipped":  # pytest.skip()
            record.update(status="not_run", message=str(error))
            return
        text = str(error) or type(error).__name__
        record.update(status=failure_status(text), exception=text, traceback=traceback.format_exc())
    else:
        record["metrics"].update(metrics)
        if nanoseconds is not None:
            record["metrics"]["e2e_perf_ms"] = nanoseconds / 1e6
        record["pcc"] = _number(message)
        if passed:
            record.update(status="pass", message=message)
        else:
            record.update(status=failure_status(message), message=message, exception=message)


def run_vector(
    module: ModuleType, vector: dict[str, Any], device: Any, *, perf: bool = False, measure_memory: bool = False
) -> dict[str, Any]:
    """Runs one vector, from a file or from the module's own parameters, and says how it ended. Never raises for it."""
    record: dict[str, Any] = {"status": "not_run", "message": None, "exception": None, "pcc": None, "metrics": {}}
    started = time.time()
    clock = time.perf_counter()
    if vector.get("validity", "VALID").rpartition(".")[2] == "INVALID":
        record["message"] = f"INVALID VECTOR: {vector.get('invalid_reason', '')}"
    else:
        try:
            arguments = arguments_of(module, vector)
        except Exception as error:
            record.update(status="fail", exception=f"the vector cannot be read: {error}")
        else:
            _call(module, arguments, device, record)
            if record["exception"] and _names_nothing(arguments.get(_NAME)):
                record["exception"] += f" ({arguments[_NAME]} is not in {find_master()}, which the module's loader reads)"
            if perf and record["status"] == "pass":
                record["metrics"].setdefault("e2e_perf_ms", (time.perf_counter() - clock) * 1e3)
            if measure_memory:
                record["metrics"].update(memory_metrics.measure(lambda: module.run(**arguments, device=device), device))
    config = find_traced_config(vector[_NAME]) if _NAME in vector else None
    if config is not None:  # what the name stands for, which the vector itself does not say
        record.update(operation=config.operation, identity=config.identity, source=config.source)
    record["milliseconds"] = (time.perf_counter() - clock) * 1e3
    record["started"] = _iso(started)
    record["ended"] = _iso(started + record["milliseconds"] / 1e3)
    record["status"] = expected_status(str(vector.get("suite_name", "")), record["status"])
    return record
