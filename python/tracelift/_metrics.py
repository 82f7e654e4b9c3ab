"""What the running test reported about its results; the results CSV has it in metrics_json."""

from __future__ import annotations

from typing import Any

current: list[dict[str, Any]] | None = None  # of the running test; None where nobody collects


def report_pcc(value: float, passed: bool) -> None:
    if current is not None:
        current.append({"type": "pcc", "value": float(value), "passed": bool(passed)})


def report_message(kind: str, message: str, passed: bool) -> None:
    """`kind` is "allclose" or "ulp"."""
    if current is not None:
        current.append({"type": kind, "message": str(message), "passed": bool(passed)})
