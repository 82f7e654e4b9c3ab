"""ttnn.decorators: the registry of operations, hooks around them, and what comparison mode consists of."""

from __future__ import annotations

import logging
import types
from collections.abc import Iterator
from typing import Any

from tracelift import _ttnn

from . import _comparison, _hooks, _registry
from ._comparison import new_tensor_id, tensor_id_of
from ._golden import (
    _map_tensors,
    default_postprocess_golden_function_outputs,
    default_preprocess_golden_function_inputs,
    get_fallback_function,
)
from ._hooks import register_post_operation_hook, register_pre_operation_hook, tensors_in
from ._queues import (
    command_queue,
    get_current_command_queue_id_for_thread,
    pop_current_command_queue_id_for_thread,
    push_current_command_queue_id_for_thread,
)
from ._registry import (
    attach_golden_function,
    dump_operations,
    get_golden_function,
    query_registered_operations,
    register_python_operation,
)
from ._report_rows import TensorComparisonRecord
from ._verdict import correlation

__all__ = [
    "FastOperation",
    "OPERATION_CALL_STACK",
    "Operation",
    "POST_OPERATION_HOOKS",
    "PRE_OPERATION_HOOKS",
    "REGISTERED_OPERATIONS",
    "TENSOR_ID_TO_GLOBAL_LEVEL_GOLDEN_TENSOR",
    "attach_golden_function",
    "command_queue",
    "compare_tensors_using_pcc",
    "create_module_if_not_exists",
    "default_postprocess_golden_function_outputs",
    "default_preprocess_golden_function_inputs",
    "dump_operations",
    "get_all_tensors",
    "get_current_command_queue_id_for_thread",
    "get_devices",
    "get_fallback_function",
    "get_golden_function",
    "get_tensors",
    "get_ttnn_tensors",
    "pop_current_command_queue_id_for_thread",
    "postprocess_global_golden_function_outputs",
    "preprocess_global_golden_function_inputs",
    "push_current_command_queue_id_for_thread",
    "query_registered_operations",
    "register_cpp_operation",
    "register_post_operation_hook",
    "register_pre_operation_hook",
    "register_python_operation",
    "set_tensor_id",
]

_log = logging.getLogger("ttnn")

# One class here: operations are observed only while somebody wants it, so that there is no slow kind of them.
Operation = FastOperation = _ttnn.Operation

PRE_OPERATION_HOOKS = _hooks._pre_hooks
POST_OPERATION_HOOKS = _hooks._post_hooks
OPERATION_CALL_STACK: list[str] = _hooks._stack.names  # of the thread that imported this
TENSOR_ID_TO_GLOBAL_LEVEL_GOLDEN_TENSOR: dict[int, Any] = _comparison._golden_results


class _Registered:
    """All operations; `in` takes an operation or its name."""

    def __iter__(self) -> Iterator[Any]:
        return iter(query_registered_operations(include_experimental=True))

    def __len__(self) -> int:
        return len(set(_ttnn.operations().values()))

    def __contains__(self, wanted: object) -> bool:
        name = wanted if isinstance(wanted, str) else getattr(wanted, "python_fully_qualified_name", None)
        return name in _ttnn.operations()

    def add(self, operation: Any, name: str) -> None:
        """Makes an operation reachable under a name."""
        if not name.startswith("ttnn."):
            raise RuntimeError(f"the name of an operation must start with 'ttnn.', got '{name}'")
        _registry.install(name, operation)


REGISTERED_OPERATIONS = _Registered()


def create_module_if_not_exists(module_name: str) -> types.ModuleType:
    """The module of a dotted name below ttnn, made where there is none."""
    first, *path = module_name.split(".")
    if first != "ttnn":
        raise RuntimeError(f"modules of operations are below ttnn, not {module_name}")
    return _registry.module_for(path)


def register_cpp_operation(target_module: types.ModuleType, func_name: str, function: Any) -> Any:
    """Shows an operation of the compiled module in a module."""
    if not isinstance(function, Operation):
        raise TypeError(f"register_cpp_operation() takes an operation, not {type(function).__name__}")
    setattr(target_module, func_name, function)
    return function


# --- tensors in arguments ---------------------------------------------------------------------------------------------


def get_tensors(object_value: Any, tensor_type: Any) -> list[Any]:
    """The tensors of a type in a value and in the lists, tuples and dicts inside it."""
    return list(tensors_in(object_value, tensor_type))


def get_ttnn_tensors(object_value: Any) -> list[Any]:
    return get_tensors(object_value, _ttnn.Tensor)


def get_all_tensors(object_value: Any) -> list[Any]:
    """Those of ttnn and of torch."""
    import torch

    return get_tensors(object_value, (_ttnn.Tensor, torch.Tensor))


def get_devices(object_value: Any) -> list[Any]:
    """The devices that a value names or has tensors on, each once."""
    found: dict[int, Any] = {}
    for item in tensors_in(object_value, (_ttnn.Tensor, _ttnn.MeshDevice)):
        device = item.device() if isinstance(item, _ttnn.Tensor) else item
        if device is not None:
            found[id(device)] = device
    return list(found.values())


def set_tensor_id(tensor: Any, force: bool = False) -> None:
    """Gives a tensor a number, unless it has one; with force a new one."""
    if force:
        tensor.tensor_id = new_tensor_id()
    else:
        tensor_id_of(tensor)


# --- comparison -------------------------------------------------------------------------------------------------------


def preprocess_global_golden_function_inputs(function_args: Any, function_kwargs: Any) -> tuple[Any, Any]:
    """The arguments with what the goldens of earlier operations gave in place of tensors."""
    remembered = _comparison._remembered
    return _map_tensors(function_args, _ttnn.Tensor, remembered), _map_tensors(
        function_kwargs, _ttnn.Tensor, remembered
    )


def postprocess_global_golden_function_outputs(outputs: Any, golden_outputs: Any) -> None:
    """Remembers what a golden gave, for the operations that take these outputs."""
    import torch

    goldens = list(tensors_in(golden_outputs, torch.Tensor))
    _comparison.Comparison._remember(get_all_tensors(outputs), goldens)


def compare_tensors_using_pcc(
    python_fully_qualified_name: str,
    golden_outputs: Any,
    outputs: Any,
    desired_pcc: float,
    level: str,
    fail_on_bad_comparison: bool,
) -> list[TensorComparisonRecord]:
    """Records of how outputs agree with goldens; one that falls short raises an exception or is logged."""
    import torch

    if isinstance(outputs, (list, tuple)):
        if not isinstance(golden_outputs, (list, tuple)):
            raise TypeError(f"Expected list or tuple, got {type(golden_outputs)}")
        pairs = list(zip(outputs, golden_outputs))
    else:
        pairs = [(outputs, golden_outputs)]
    records = []
    for place, (output, golden) in enumerate(pairs):
        if not isinstance(golden, torch.Tensor):
            raise TypeError(f"Expected torch.Tensor, got {type(golden)}")
        values = _comparison.to_torch(output) if isinstance(output, _ttnn.Tensor) else output
        pcc = correlation(golden, values) if golden.shape == values.shape else 0.0
        set_tensor_id(golden)
        records.append(
            TensorComparisonRecord(
                tensor_id_of(output), getattr(golden, "tensor_id"), pcc >= desired_pcc, desired_pcc, pcc
            )
        )
        if pcc < desired_pcc:
            problem = (
                f"{python_fully_qualified_name}: Comparing output tensor {place} against CPU {level} failed: "
                f"pcc is {pcc} but should be >={desired_pcc}"
            )
            if fail_on_bad_comparison:
                raise RuntimeError(problem)
            _log.error(problem)
    return records
