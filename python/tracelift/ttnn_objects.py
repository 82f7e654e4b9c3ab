"""Neutral values as objects of the `ttnn` that is imported, made through its public API alone.

Neutral values come from tracelift._ttnn (src/python/values.hpp): plain data, and tuples that begin with their kind.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
from typing import Any, Callable


def ttnn_module() -> Any:
    """The `ttnn` of this process, ours or any other."""
    return importlib.import_module("ttnn")


@dataclasses.dataclass(frozen=True)
class TracedTensor:
    """What a configuration says about one tensor; a module makes the tensor of it."""

    shape: list[int]
    dtype: Any
    layout: Any
    memory_config: Any
    storage_type: str  # "DEVICE", "HOST"
    tensor_placement: dict[str, str] | None = None  # on a mesh of devices


@dataclasses.dataclass(frozen=True)
class TracedRecord:
    """A record of a type that this `ttnn` does not have."""

    type: str
    fields: dict[str, Any]


# What makes a record of a class that the constructor of this `ttnn` does not make, from its type and fields.
UnknownRecord = Callable[[str, dict[str, Any]], Any]


@dataclasses.dataclass(frozen=True)
class TracedText:
    """What is left of a value that cannot be made again: a device, a text that nobody can read."""

    type: str
    text: str

    def __str__(self) -> str:  # as vector files have it
        return self.text


def is_unreadable(value: Any) -> bool:
    """Of a neutral value: the trace has no more than the name of its type."""
    return type(value) is tuple and value[0] == "unparsed"


def is_tensor(value: Any) -> bool:
    """Of a neutral value."""
    return type(value) is tuple and value[0] == "struct" and value[1] == "Tensor"


def tensors_in(value: Any) -> list[Any]:
    """The neutral tensors in a value: itself, or the items of a list."""
    if is_tensor(value):
        return [value]
    return [item for item in value if is_tensor(item)] if isinstance(value, list) else []


def member_of(type_name: str, member: str) -> Any:
    """The member of an enum; the short names bfloat16 and TILE_LAYOUT where a ttnn has no enum of that name."""
    ttnn = ttnn_module()
    kind = getattr(ttnn, type_name, None)
    if kind is not None and hasattr(kind, member):
        return getattr(kind, member)
    short = {"DataType": member.lower(), "Layout": f"{member}_LAYOUT"}.get(type_name)
    if short is not None and hasattr(ttnn, short):
        return getattr(ttnn, short)
    raise AttributeError(f"the installed ttnn has no {type_name}.{member}")


def core_range_set(ranges: list[Any]) -> Any:
    """In the order of the trace, which decides who holds which shard, unless the class only takes a set."""
    ttnn = ttnn_module()
    try:
        return ttnn.CoreRangeSet(ranges)
    except TypeError:
        return ttnn.CoreRangeSet(set(ranges))


def memory_config_of(layout: Any, buffer: Any, shard_spec: Any = None, nd_shard_spec: Any = None) -> Any:
    ttnn = ttnn_module()
    if nd_shard_spec is not None:
        return ttnn.MemoryConfig(buffer, nd_shard_spec)
    return ttnn.MemoryConfig(layout, buffer) if shard_spec is None else ttnn.MemoryConfig(layout, buffer, shard_spec)


def _memory_config(fields: dict[str, Any]) -> Any:
    return memory_config_of(
        fields["memory_layout"], fields["buffer_type"], fields.get("shard_spec"), fields.get("nd_shard_spec")
    )


def _tensor(fields: dict[str, Any]) -> TracedTensor:
    storage = str(fields.get("storage_type", "DEVICE")).rpartition(".")[2]
    return TracedTensor(
        list(fields["shape"]),
        fields["dtype"],
        fields["layout"],
        fields["memory_config"],
        storage,
        fields.get("tensor_placement"),
    )


_COORDINATE = r"MeshCoordinate\(\[([\d, ]+)\]\)"
_COORDINATES = re.compile(rf"\{{{_COORDINATE}(?:, {_COORDINATE})*\}}")


def mesh_coordinates(text: str) -> set[Any] | None:
    """Of "{MeshCoordinate([0, 1]), MeshCoordinate([0, 2])}"; None for any other text."""
    if not _COORDINATES.fullmatch(text) or not hasattr(ttnn_module(), "MeshCoordinate"):
        return None
    coordinates = [[int(part) for part in found.split(",")] for found in re.findall(_COORDINATE, text)]
    return {ttnn_module().MeshCoordinate(each) for each in coordinates}


def _numbers(value: Any) -> list[int]:
    """Of a list, or of the text "MeshCoordinate([0, 1])" that masters have."""
    return [int(number) for number in (re.findall(r"\d+", value) if isinstance(value, str) else value)]


def _set(fields: dict[str, Any]) -> Any:
    coordinates = mesh_coordinates(str(fields.get("value", fields.get("repr", ""))))
    return TracedRecord("set", fields) if coordinates is None else coordinates


_MAKERS = {
    "Tensor": _tensor,
    "MemoryConfig": _memory_config,
    # Lines of others tell the shape alone, which makes no shard spec.
    "ShardSpec": lambda f: (
        ttnn_module().ShardSpec(f["grid"], list(f["shape"]), f["orientation"]) if f.get("grid") is not None else None
    ),
    "NdShardSpec": lambda f: ttnn_module().NdShardSpec(
        list(f["shard_shape"]), f["grid"], f["orientation"], f["shard_distribution_strategy"]
    ),
    "CoreRangeSet": lambda f: core_range_set(f["ranges"]),
    "CoreRange": lambda f: ttnn_module().CoreRange(f["start"], f["end"]),
    "CoreCoord": lambda f: ttnn_module().CoreCoord(f["x"], f["y"]),
    "CoreGrid": lambda f: ttnn_module().CoreGrid(x=f["x"], y=f["y"]),
    "MeshCoordinate": lambda f: ttnn_module().MeshCoordinate(_numbers(f.get("values", f.get("value", "")))),
    "set": _set,
    "Tile": lambda f: ttnn_module().Tile(
        tuple(f["tile_shape"]), **{name: flag for name, flag in f.items() if name != "tile_shape"}
    ),
    "UnaryWithParam": lambda f: ttnn_module().UnaryWithParam(f["op_type"], *f.get("params", [])),
}


def _record(type_name: str, fields: dict[str, Any], unknown: UnknownRecord) -> Any:
    maker = _MAKERS.get(type_name)
    if maker is not None:
        return maker(fields)
    kind = getattr(ttnn_module(), type_name, None)
    if kind is None or not type_name.endswith("Config"):
        return unknown(type_name, fields)
    try:
        return kind(**fields)
    except TypeError:  # an older or newer class with other members
        return unknown(type_name, fields)


def build(value: Any, unknown: UnknownRecord = TracedRecord) -> Any:
    """The object that a neutral value stands for."""
    if isinstance(value, list):
        return [build(item, unknown) for item in value]
    if isinstance(value, dict):
        return {key: build(item, unknown) for key, item in value.items()}
    if not isinstance(value, tuple):
        return value
    kind, first, second = value
    if kind == "struct":
        if first == "Tensor":  # its storage type is a word: other modules do not show that enum
            second = {**second, "storage_type": _word(second.get("storage_type"))}
        return _record(first, {name: build(item, unknown) for name, item in second.items()}, unknown)
    if kind == "enum":
        return member_of(first, second)
    return TracedText("unparsed", first) if kind == "unparsed" else TracedText(first, second)


def _word(value: Any) -> str:
    return value[2] if isinstance(value, tuple) and value[0] == "enum" else "DEVICE"
