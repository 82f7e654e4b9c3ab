"""ttnn.CONFIG: settings with defaults, a JSON file (TTNN_CONFIG_PATH) and overrides (TTNN_CONFIG_OVERRIDES).

`ttnn.CONFIG = other` is allowed and makes `other` the settings of the process: look at `_config.CONFIG` at call time.
docs/python.md says what each setting does.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any, Callable, Iterator

from tracelift import _ttnn
from tracelift._replaced import replaced

_log = logging.getLogger("ttnn")


def _defaults() -> dict[str, Any]:
    cache = Path.home() / ".cache" / "ttnn"
    return {
        "cache_path": cache,
        "model_cache_path": cache / "models",
        "tmp_dir": Path(tempfile.gettempdir()) / "ttnn",
        "enable_model_cache": False,
        "enable_fast_runtime_mode": True,
        "throw_exception_on_fallback": False,
        "enable_logging": False,
        "enable_graph_report": False,
        "enable_detailed_buffer_report": False,
        "enable_detailed_tensor_report": False,
        "enable_comparison_mode": False,
        "comparison_mode_should_raise_exception": False,
        "comparison_mode_pcc": 0.9999,
        "root_report_path": Path("generated/ttnn/reports"),
        "report_name": None,
        "operation_parameter_log_dir": None,
    }


def _cast(name: str, value: Any, like: Any) -> Any:
    """`value` as the type of the default; paths may be given as text."""
    if like is None:
        return None if value is None else str(value)
    if isinstance(like, bool) and not isinstance(value, (bool, int)):
        raise TypeError(f"ttnn.CONFIG.{name} must be a bool, not {type(value).__name__}")
    if isinstance(like, float) and not isinstance(value, (int, float)):
        raise TypeError(f"ttnn.CONFIG.{name} must be a number, not {type(value).__name__}")
    if isinstance(like, Path) and not isinstance(value, (str, Path)):
        raise TypeError(f"ttnn.CONFIG.{name} must be a path, not {type(value).__name__}")
    return type(like)(value)


class Config:
    """Settings of the emulated runtime; `Config(other)` copies."""

    __slots__ = ("_values", "_named_at")

    def __init__(self, other: Config | None = None) -> None:
        values = _defaults() if other is None else dict(other._values)
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_named_at", datetime.now() if other is None else other._named_at)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"ttnn.CONFIG has no setting '{name}'")
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._values:
            raise AttributeError(f"ttnn.CONFIG has no setting '{name}' that can be set")
        self._values[name] = _cast(name, value, _defaults()[name])
        if name == "report_name":
            object.__setattr__(self, "_named_at", datetime.now())
        if self is CONFIG:
            _changed()

    def __dir__(self) -> list[str]:
        return sorted([*self._values, "report_path", "to_dict", "writes_report"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self._values == other._values

    def __repr__(self) -> str:
        return "Config(" + ", ".join(f"{name}={value!r}" for name, value in self._values.items()) + ")"

    @property
    def report_path(self) -> Path | None:
        """Where a report goes: a folder named for report_name and the time it was set."""
        name = self._values["report_name"]
        if name is None:
            return None
        words = re.sub(r"[^0-9a-zA-Z]+", "_", name).strip("_").lower()[:64]
        return self._values["root_report_path"] / f"{words}_{self._named_at.strftime('%b%d_%H%M').lower()}"

    def to_dict(self) -> dict[str, Any]:
        return dict(self._values)

    def writes_report(self) -> bool:
        """Whether operations are written into the report database; every kind of report asks for it."""
        return (
            self.enable_logging
            or self.enable_graph_report
            or self.enable_detailed_buffer_report
            or self.enable_detailed_tensor_report
        )


CONFIG = Config()
_DEFAULT_ROOT = CONFIG.root_report_path
_watchers: list[Callable[[], None]] = []


def watch(watcher: Callable[[], None]) -> None:
    """Calls `watcher` after every change of a setting."""
    _watchers.append(watcher)


def _changed() -> None:
    _tell_parameter_directory()
    for watcher in _watchers:
        watcher()


def rebind(config: Any) -> None:
    """Makes another object the settings of the process: what `ttnn.CONFIG = config` does."""
    global CONFIG
    if not isinstance(config, Config):
        raise TypeError(f"ttnn.CONFIG must be a ttnn.Config, not {type(config).__name__}")
    CONFIG = config
    _changed()


def _tell_parameter_directory() -> None:
    """Where files of traced parameters go: the log folder, or a folder below a report path that the user set."""
    folder = CONFIG.operation_parameter_log_dir
    if folder is None and CONFIG.root_report_path != _DEFAULT_ROOT:
        folder = str(CONFIG.root_report_path / "operation_parameters")
    _ttnn.tracing_set_parameter_directory(folder or "")


def load_config_from_dictionary(values: dict[str, Any], from_file: bool = False) -> None:
    """Sets CONFIG from a dict. Unknown keys are an error, in a file only a warning."""
    for name, value in values.items():
        if name not in CONFIG._values:
            if not from_file:
                raise ValueError(f"ttnn.CONFIG has no setting '{name}'")
            _log.warning("ttnn.CONFIG has no setting '%s'; ignored", name)
            continue
        setattr(CONFIG, name, value)


def load_config_from_json_file(json_path: str | Path) -> None:
    text = Path(json_path).read_text()
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{json_path}:{error.lineno}: a JSON object with settings of ttnn.CONFIG is expected: {error.msg}"
        ) from None
    load_config_from_dictionary(values, from_file=True)


def save_config_to_json_file(json_path: str | Path) -> None:
    values = {name: str(value) if isinstance(value, Path) else value for name, value in CONFIG.to_dict().items()}
    with replaced(json_path) as file:
        file.write(json.dumps(values, indent=4) + "\n")


@contextlib.contextmanager
def manage_config(name: str, value: Any) -> Iterator[None]:
    """Sets a setting for the time of a with block."""
    before = getattr(CONFIG, name)
    setattr(CONFIG, name, value)
    try:
        yield
    finally:
        setattr(CONFIG, name, before)


CONFIG_PATH: Path | None = Path(os.environ["TTNN_CONFIG_PATH"]) if os.environ.get("TTNN_CONFIG_PATH") else None
CONFIG_OVERRIDES: str | None = os.environ.get("TTNN_CONFIG_OVERRIDES")


def load_from_environment() -> None:
    if CONFIG_PATH is not None:
        if not CONFIG_PATH.exists():  # to be filled in
            CONFIG_PATH.parent.mkdir(parents=True, exist_ok=True)
            save_config_to_json_file(CONFIG_PATH)
        load_config_from_json_file(CONFIG_PATH)
    if not CONFIG_OVERRIDES:
        return
    try:
        values = json.loads(CONFIG_OVERRIDES)
    except json.JSONDecodeError as error:
        raise ValueError(f"TTNN_CONFIG_OVERRIDES is not JSON: {error}") from None
    load_config_from_dictionary(values)


load_from_environment()
