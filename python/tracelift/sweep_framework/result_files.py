"""results_export/: a file of records per module and one file per run, as the analysis tools read them."""

from __future__ import annotations

import datetime
import hashlib
import os
import pathlib
import platform
import subprocess
from typing import Any

from .module_runner import parameters_of
from .vector_files import write_atomically

FOLDER = "results_export"

# Our statuses in the words of result files.
WORDS = {
    "pass": "pass",
    "fail": "fail_assert_exception",
    "rejected": "fail_assert_exception",
    "out_of_memory": "fail_l1_out_of_mem",
    "fail_crash": "fail_crash_hang",
    "fail_timeout": "fail_crash_hang",
    "fail_host_memory": "fail_crash_hang",
    "not_run": "skipped",
    "not_judged": "skipped",
    "too_large": "skipped",
    "fail_watcher": "fail_watcher",
    "fail_device_perf": "fail_unsupported_device_perf",
    "xfail": "xfail",
    "xpass": "xpass",
}


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def _flat(value: Any, name: str, into: dict[str, Any]) -> None:
    """Dotted keys; lists stay whole, {"type", "data"} is taken off."""
    if isinstance(value, dict):
        if set(value) == {"type", "data"}:
            _flat(value["data"], name, into)
            return
        for key, item in value.items():
            _flat(item, f"{name}.{key}" if name else key, into)
        return
    into[name] = value


def _parameter(name: str, value: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "param_name": name,
        "param_value_numeric": None,
        "param_value_text": None,
        "param_value_json": None,
    }
    if isinstance(value, (bool, int, float)):
        entry["param_value_numeric"] = float(value)
    elif isinstance(value, list):
        entry["param_value_json"] = value
    else:
        entry["param_value_text"] = str(value)
    return entry


def _sources(source: Any) -> str:
    if isinstance(source, list):
        return ", ".join(map(str, source)) or "n/a"
    return str(source) if source else "n/a"


def record_of(vector: dict[str, Any], result: dict[str, Any], git_sha: str | None) -> dict[str, Any]:
    """A vector as its file has it, and what run_vector said about it."""
    name = str(vector["sweep_name"])
    word = WORDS[result["status"]]
    error = result.get("exception")
    text = "None" if error is None else str(error)
    flat: dict[str, Any] = {}
    _flat(parameters_of(vector), "", flat)
    metrics = [{"metric_name": key, "metric_value": value} for key, value in sorted((result.get("metrics") or {}).items())]
    job = os.environ.get("GITHUB_JOB_ID", "")
    return {
        "github_job_id": int(job) if job.isdecimal() else None,
        "full_test_name": name,
        "test_start_ts": result["started"],
        "test_end_ts": result["ended"],
        "test_case_name": vector["suite_name"],
        "filepath": name,
        "success": word == "pass",
        "skipped": word == "skipped",
        "error_message": text,
        "error_hash": hashlib.sha256(text.encode()).hexdigest(),
        "config": None,
        "frontend": "ttnn.op",
        "model_name": _sources(vector.get("traced_source") or result.get("source")),
        "op_kind": name.partition(".")[0],
        "op_name": name.rpartition(".")[2],
        "framework_op_name": "sweep",
        "inputs": None,
        "outputs": None,
        "op_params": None,
        "git_sha": git_sha,
        "status": word,
        "card_type": result.get("card_type"),
        "backend": "n/a",
        "data_source": "ttnn op test",
        "input_hash": vector["input_hash"],
        "message": result.get("message"),
        "exception": error,
        "metrics": metrics or None,
        "op_params_set": [_parameter(key, value) for key, value in flat.items()],
    }


def run_status(records: list[dict[str, Any]]) -> str:
    """By the rule for sets of statuses: anything that failed, or passed against expectation, fails the run."""
    words = {record["status"] for record in records}
    return "fail" if any(word.startswith("fail") or word == "xpass" for word in words) else "passed"


class ResultFiles:
    """Gathers the results of a run and writes its files."""

    def __init__(self, contents: str = "all_sweeps", folder: str | os.PathLike[str] = FOLDER) -> None:
        self._contents = contents
        self._folder = pathlib.Path(folder)
        self._git_sha = _git("rev-parse", "HEAD")
        self._started = datetime.datetime.now(datetime.timezone.utc)
        self.records: list[dict[str, Any]] = []
        self.run: dict[str, Any] = {}  # once it was written

    def add(self, vector: dict[str, Any], result: dict[str, Any]) -> None:
        self.records.append(record_of(vector, result, self._git_sha))

    def write(self) -> list[pathlib.Path]:
        """One file per module, and that of the run, which comes last."""
        ended = datetime.datetime.now(datetime.timezone.utc)
        stamp = self._free_stamp()
        paths = []
        for name in dict.fromkeys(record["full_test_name"] for record in self.records):
            digest = hashlib.sha256(name.encode()).hexdigest()[:12]
            path = self._folder / f"{name.partition('.')[0]}_{digest}_{stamp}.json"
            write_atomically(path, [record for record in self.records if record["full_test_name"] == name])
            paths.append(path)
        host = platform.node()[:32]
        digest = hashlib.sha256(self._contents.encode()).hexdigest()[:12]
        path = self._folder / f"oprun_{host}_{digest}_{stamp}.json"
        self.run = self._run(ended)
        write_atomically(path, self.run)
        return [*paths, path]

    def _free_stamp(self) -> str:
        """Of now, or of the first second after it that no other run took."""
        moment = datetime.datetime.now()
        while any(self._folder.glob(f"*_{moment:%Y%m%d_%H%M%S}.json")):
            moment += datetime.timedelta(seconds=1)
        return f"{moment:%Y%m%d_%H%M%S}"

    def _run(self, ended: datetime.datetime) -> dict[str, Any]:
        pipeline = os.environ.get("GITHUB_RUN_ID", "")
        return {
            "initiated_by": os.environ.get("USER") or "unknown",
            "host": platform.node(),
            "card_type": self.records[0]["card_type"] if self.records else None,
            "run_type": "sweeps",
            "run_contents": self._contents,
            "git_author": _git("log", "-1", "--format=%an"),
            "git_branch_name": _git("rev-parse", "--abbrev-ref", "HEAD"),
            "git_sha": self._git_sha,
            "github_pipeline_id": int(pipeline) if pipeline.isdecimal() else None,
            "run_start_ts": f"{self._started:%Y-%m-%dT%H:%M:%S}Z",
            "run_end_ts": f"{ended:%Y-%m-%dT%H:%M:%S}Z",
            "status": run_status(self.records),
            "tests": self.records,
        }
