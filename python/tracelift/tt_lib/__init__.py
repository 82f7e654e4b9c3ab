"""The emulated tt_lib: what older models import besides ttnn. Everything here is made of ttnn and torch."""

import importlib

from . import fallback_ops, fused_ops, utils

operations = importlib.import_module("tracelift.ttnn._ttnn.deprecated.operations")

__all__ = ["fallback_ops", "fused_ops", "operations", "utils"]
