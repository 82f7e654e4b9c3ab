"""TracedConfig: one traced configuration, under every name by which a sweep module may ask for a part of it."""

from __future__ import annotations

import functools
import json
from typing import Any

from .. import ttnn_objects
from ..ttnn_objects import TracedTensor, build

LETTERS = "abcdefghijklmnopqrstuvwxyz"
DRAM_INTERLEAVED = (
    "struct",
    "MemoryConfig",
    {
        "memory_layout": ("enum", "TensorMemoryLayout", "INTERLEAVED"),
        "buffer_type": ("enum", "BufferType", "DRAM"),
    },
)
_MISSING = object()


def letter(index: int) -> str:
    """input_a, input_b, ...; past z the number."""
    return LETTERS[index] if index < len(LETTERS) else str(index)


def _is_interleaved(memory: Any) -> bool:
    return memory[2]["memory_layout"][2] == "INTERLEAVED"


def output_memory(operation: str, memory: Any) -> Any:
    """The neutral memory config of the output: the first input's, but for operations that take shards apart."""
    name = operation.replace("::", ".").rpartition(".")[2]
    to_dram = name in ("sharded_to_interleaved", "upsample") or (
        name == "untilize_with_unpadding" and not _is_interleaved(memory)
    )
    return DRAM_INTERLEAVED if to_dram else memory


class TracedConfig:
    """Everything is made when it is first asked for: a suite of names needs none of it."""

    def __init__(self, operation: Any, index: int) -> None:
        self._operation = operation  # _ttnn.TracedOperation
        self._index = index

    @functools.cached_property
    def _raw(self) -> dict[str, Any]:
        raw: dict[str, Any] = self._operation.configuration(self._index)
        return raw

    @property
    def operation(self) -> str:
        """As the master names it."""
        return str(self._operation.name)

    @property
    def config_hash(self) -> str | None:
        return self._raw["hash"] or None

    @property
    def identity(self) -> str:
        """That a store of tracelift knows it by."""
        return str(self._raw["identity"])

    @property
    def sources(self) -> list[tuple[Any, Any]]:
        """Where it was executed: source and machine, as the master has them."""
        sources: list[tuple[Any, Any]] = self._raw["sources"]
        return sources

    @property
    def arguments(self) -> list[tuple[str, int | None, Any]]:
        """Name, position and neutral value."""
        arguments: list[tuple[str, int | None, Any]] = self._raw["arguments"]
        return arguments

    @functools.cached_property
    def neutral_tensors(self) -> list[Any]:
        return [tensor for _, _, value in self.arguments for tensor in ttnn_objects.tensors_in(value)]

    @property
    def neutral_output_memory(self) -> Any:
        if not self.neutral_tensors:
            return DRAM_INTERLEAVED
        return output_memory(self.operation, self.neutral_tensors[0][2]["memory_config"])

    @functools.cached_property
    def tensors(self) -> list[TracedTensor]:
        return [build(tensor) for tensor in self.neutral_tensors]

    @functools.cached_property
    def output_memory_config(self) -> Any:
        return build(self.neutral_output_memory)

    @functools.cached_property
    def source(self) -> str:
        """The models it was traced from."""
        names: dict[str, None] = {}
        for source, _ in self.sources:
            for name in source if isinstance(source, list) else [source]:
                names.setdefault("unknown" if name is None else str(name))
        return ", ".join(names)

    @property
    def machine_info(self) -> Any:
        return self.sources[0][1]

    def raw_arguments(self) -> Any:
        """As the master has them: a list (format 1) or an object (format 2)."""
        return json.loads(self._raw["text"])

    def by_name(self, name: str) -> Any:
        """The argument of a declared name or keyword, built; None where the configuration does not say it."""
        found = self.find(name)
        return None if found is _MISSING else found

    def has(self, name: str) -> bool:
        return self.find(name) is not _MISSING

    def find(self, name: str) -> Any:
        for own, position, value in self.arguments:
            if name == own or (position is not None and name == f"arg{position}"):
                return _MISSING if ttnn_objects.is_unreadable(value) else build(value)
        if name in ("traced_source", "traced_machine_info", "config_hash"):
            return {"traced_source": self.source, "config_hash": self.config_hash}.get(name, self.machine_info)
        return self._of_inputs(name)

    def _of_inputs(self, name: str) -> Any:
        """input_shape, input_a_dtype, weight_layout, output_memory_config and the like."""
        if name == "output_memory_config":
            return self.output_memory_config
        if name == "input_shape":
            return self.input_shape() if self.tensors else _MISSING
        if name == "storage_type":
            return f"StorageType::{self.tensors[0].storage_type}" if self.tensors else _MISSING
        for part in ("shape", "dtype", "layout", "memory_config", "tensor_placement"):
            owner = name.removesuffix(f"_{part}")
            if owner != name:
                tensor = self._tensor_called(owner)
                return _MISSING if tensor is None else getattr(tensor, part)
        return _MISSING

    def _tensor_called(self, owner: str) -> TracedTensor | None:
        if owner.startswith("input_"):
            index = LETTERS.find(owner[len("input_") :]) if len(owner) == len("input_") + 1 else -1
            if 0 <= index < len(self.tensors):
                return self.tensors[index]
        for own, position, value in self.arguments:
            if ttnn_objects.is_tensor(value) and owner in (own, f"arg{position}"):
                built: TracedTensor = build(value)
                return built
        return None

    def input_shape(self) -> Any:
        """A list for one tensor, {"self", "other"} for two, {"input_a", ...} for more."""
        shapes = [tensor.shape for tensor in self.tensors]
        if len(shapes) < 2:
            return shapes[0] if shapes else None
        if len(shapes) == 2:
            return {"self": shapes[0], "other": shapes[1]}
        return {f"input_{letter(index)}": shape for index, shape in enumerate(shapes)}

    def entry(self) -> dict[str, Any]:
        """The documented lookup: `shape`, `dtype`, ... of one tensor, `shape_a`, `shape_b`, ... of several."""
        entry: dict[str, Any] = {}
        several = len(self.tensors) > 1
        for index, tensor in enumerate(self.tensors):
            end = f"_{letter(index)}" if several else ""
            for part in ("shape", "dtype", "layout", "memory_config"):
                entry[part + end] = getattr(tensor, part)
        entry["output_memory_config"] = self.output_memory_config
        entry["is_binary"] = several
        entry["arguments"] = {own: build(value) for own, _, value in self.arguments}
        return entry

    def other_arguments(self) -> list[tuple[str, Any]]:
        """What is not a tensor, by its declared name; neutral."""
        return [(own, value) for own, _, value in self.arguments if not ttnn_objects.tensors_in(value)]


def is_missing(value: Any) -> bool:
    return value is _MISSING
