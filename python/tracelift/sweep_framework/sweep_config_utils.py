"""Traced configurations of operations with one tensor, as pairs of shape and memory config."""

from __future__ import annotations

import os
from typing import Any

from .master_config_loader import MasterConfigLoader


def load_unary_op_configs(
    operation_name: str, all_cases: bool = False, master_file_path: str | os.PathLike[str] | None = None
) -> dict[str, list[Any]]:
    """{"traced_config": [(shape, memory config), ...]}, or with `all_cases` both lists apart, to be multiplied.

    A suite may only have objects of ttnn at the top level of its values, so pairs are for code that reads them itself.
    """
    configs = MasterConfigLoader(master_file_path).get_traced_configs(operation_name)
    pairs = [(config.tensors[0].shape, config.tensors[0].memory_config) for config in configs if config.tensors]
    if not all_cases:
        return {"traced_config": pairs}
    return {"input_shapes": [shape for shape, _ in pairs], "input_memory_config": [memory for _, memory in pairs]}
