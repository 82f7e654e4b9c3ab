"""Comparison mode: what an operation gave, against its golden function on the CPU.

Locally, the golden gets the operation's own inputs; globally, what the goldens of earlier operations gave, so that errors
that add up along a model are seen.
"""

from __future__ import annotations

import logging
import weakref
from typing import Any

from tracelift import _ttnn

from . import _config
from ._golden import _map_tensors
from ._hooks import tensors_in
from ._interop import to_torch as _to_torch
from ._verdict import correlation
from ._report_rows import TensorComparisonRecord

_log = logging.getLogger("ttnn")

to_torch = _to_torch.function  # without the operation around it: it is not a call of the program

_golden_results: dict[int, Any] = {}  # what the goldens gave, by tensor_id, as long as the tensor lives
_without_golden: set[str] = set()  # operations that a warning has named


def _forget(tensor_id: int) -> None:
    _golden_results.pop(tensor_id, None)


def _remembered(tensor: Any) -> Any:
    found = _golden_results.get(tensor.tensor_id)
    return to_torch(tensor) if found is None else found.clone()  # goldens of in-place operations write into it


class Comparison:
    """Of one call; made before it, since the operation may overwrite its inputs."""

    def __init__(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._operation = operation
        preprocess = operation.preprocess_golden_function_inputs
        if preprocess is not None:
            self._local = preprocess(args, kwargs)
            self._global = self._local
        else:
            self._local = self._converted(args, kwargs, to_torch)
            self._global = self._converted(args, kwargs, _remembered)
        self.goldens: list[Any] = []

    @staticmethod
    def _converted(args: Any, kwargs: Any, convert: Any) -> tuple[Any, Any]:
        return _map_tensors(args, _ttnn.Tensor, convert), _map_tensors(kwargs, _ttnn.Tensor, convert)

    def _golden_outputs(self, inputs: tuple[Any, Any], count: int) -> list[Any]:
        import torch

        args, kwargs = inputs
        outputs = list(tensors_in(self._operation.golden_function(*args, **kwargs), torch.Tensor))
        return outputs[:1] if count == 1 else outputs  # those of max and min give the indices, too

    def records(self, output: Any) -> tuple[list[TensorComparisonRecord], list[TensorComparisonRecord], list[str]]:
        """Local and global records of every output, and what is wrong, in words."""
        import torch

        outputs = list(tensors_in(output, (_ttnn.Tensor, torch.Tensor)))
        problems: list[str] = []
        levels: list[list[TensorComparisonRecord]] = []
        for level, inputs in (("locally", self._local), ("globally", self._global)):
            try:
                goldens = self._golden_outputs(inputs, len(outputs))
            except Exception as error:
                problems.append(f"{self._operation.__name__}: the golden function failed {level}: {error}")
                levels.append([])
                continue
            if len(goldens) != len(outputs):
                problems.append(
                    f"{self._operation.__name__}: the golden function returned {len(goldens)} tensors, "
                    f"the operation {len(outputs)}"
                )
            found = [
                self._compared(place, level, actual, golden, problems)
                for place, (actual, golden) in enumerate(zip(outputs, goldens))
            ]
            levels.append(found)
            self.goldens += goldens
            if level == "globally":
                self._remember(outputs, goldens)
        return levels[0], levels[1], problems

    def _compared(
        self, place: int, level: str, actual: Any, golden: Any, problems: list[str]
    ) -> TensorComparisonRecord:
        wanted = _config.CONFIG.comparison_mode_pcc
        values = to_torch(actual) if isinstance(actual, _ttnn.Tensor) else actual
        start = f"{self._operation.__name__}: Comparing output tensor {place} against CPU {level} failed: "
        if values.numel() != golden.numel():
            pcc = 0.0
            problems.append(start + f"its shape is {list(values.shape)} but should be {list(golden.shape)}")
        else:
            pcc = correlation(golden, values.reshape(golden.shape))
            if pcc < wanted:
                problems.append(start + f"pcc is {pcc} but should be >={wanted}")
        golden.tensor_id = new_tensor_id()
        return TensorComparisonRecord(tensor_id_of(actual), golden.tensor_id, pcc >= wanted, wanted, pcc)

    @staticmethod
    def _remember(outputs: list[Any], goldens: list[Any]) -> None:
        for actual, golden in zip(outputs, goldens):
            if isinstance(actual, _ttnn.Tensor):
                number = tensor_id_of(actual)
                if number not in _golden_results:
                    weakref.finalize(actual, _forget, number).atexit = False
                _golden_results[number] = golden


def compare(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Comparison | None:
    """The comparison of a call that is about to run; None where no golden is known."""
    if operation.golden_function is None:
        return None
    try:
        return Comparison(operation, args, kwargs)
    except RuntimeError:  # an input that cannot be read, because it was deallocated: the operation says it better
        return None


def warn_without_golden(operation: Any) -> None:
    """Says, once per operation, that its results are not compared."""
    if operation.golden_function is None and operation.__name__ not in _without_golden:
        _without_golden.add(operation.__name__)
        _log.warning("%s has no golden function: comparison mode cannot check it", operation.__name__)


def report(problems: list[str]) -> None:
    """Raises or logs, as comparison_mode_should_raise_exception says."""
    if problems and _config.CONFIG.comparison_mode_should_raise_exception:
        raise RuntimeError("; ".join(problems))
    for problem in problems:
        _log.error(problem)


def new_tensor_id() -> int:
    """A number that no tensor of this process has."""
    return _ttnn.tensor_number(_ttnn.Tensor([0.0], [1], _ttnn.DataType.FLOAT32, _ttnn.Layout.ROW_MAJOR))


def tensor_id_of(tensor: Any) -> int:
    """The tensor_id of a ttnn or torch tensor, given to it where it has none. Of ttnn tensors it is the number that
    graph captures show."""
    present = getattr(tensor, "tensor_id", None)
    if present is None:
        present = _ttnn.tensor_number(tensor) if isinstance(tensor, _ttnn.Tensor) else new_tensor_id()
        tensor.tensor_id = present
    return present
