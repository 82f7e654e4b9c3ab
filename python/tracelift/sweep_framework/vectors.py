"""Test vectors: the permutations of a suite, and how their values stand in vector files.

Plain data is written as it is, a tuple and an enum as their text, memory configs and other configs as {"type", "data"}.
"""

from __future__ import annotations

import ast
import enum
import hashlib
import itertools
import json
import math
from typing import Any, Callable, Iterator

from .. import ttnn_objects
from ..ttnn_objects import core_range_set, memory_config_of, ttnn_module

MOST_PERMUTATIONS = 10_000
_OBJECTS = ("MemoryConfig", "ShardSpec", "CoreRangeSet", "CoreRange", "CoreCoord", "Tile", "UnaryWithParam")
_PREFIX = "ttnn._ttnn.tensor."
_WORDS = ("sum", "mean", "max", "min", "std", "var")  # of reductions; `sum` is no expression

# Numbers of members in the JSON of native objects.
_NUMBERS: dict[str, dict[str, int]] = {
    "TensorMemoryLayout": {"INTERLEAVED": 0, "HEIGHT_SHARDED": 2, "WIDTH_SHARDED": 3, "BLOCK_SHARDED": 4},
    "BufferType": {"DRAM": 0, "L1": 1, "SYSTEM_MEMORY": 2, "L1_SMALL": 3, "TRACE": 4},
    "ShardOrientation": {"ROW_MAJOR": 0, "COL_MAJOR": 1},
    "ShardDistributionStrategy": {"ROUND_ROBIN_1D": 0, "GRID_2D": 1},
}


class TooManyPermutations(ValueError):
    """A suite that would take forever; the text says what to do."""


# --- permutations -----------------------------------------------------------------------------------------------------


def permutation_count(parameters: dict[str, list[Any]]) -> int:
    return math.prod(len(values) for values in parameters.values())


def permutations(parameters: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """The first parameter varies slowest; a comma-joined name takes tuples and gives several parameters."""
    names = list(parameters)
    for combination in itertools.product(*parameters.values()):
        vector: dict[str, Any] = {}
        for name, value in zip(names, combination):
            if "," in name:
                parts = name.split(",")
                if len(parts) != len(value):
                    raise ValueError(f"the parameter '{name}' takes tuples of {len(parts)} values, got {value!r}")
                vector.update(zip(parts, value))
            else:
                vector[name] = value
        yield vector


def check_size(module_name: str, suite: str, parameters: dict[str, list[Any]]) -> int:
    count = permutation_count(parameters)
    if count > MOST_PERMUTATIONS:
        sizes = " x ".join(f"{name}: {len(values)}" for name, values in parameters.items())
        raise TooManyPermutations(
            f"{module_name}: suite {suite} has {count} permutations ({sizes}), more than {MOST_PERMUTATIONS}: split it"
            " into several suites, or join parameters that belong together in one comma-joined name"
        )
    return count


Invalidate = Callable[[dict[str, Any]], Any]


def suite_vectors(
    sweep_name: str, suite: str, parameters: dict[str, list[Any]], invalidate: Invalidate | None
) -> Iterator[dict[str, Any]]:
    """The vectors of a suite with their objects, as a module's run() gets them, and what the generator adds."""
    for vector in permutations(parameters):
        invalid, reason = False, ""
        if invalidate is not None:
            invalid, why = invalidate(dict(vector))
            reason = str(why) if invalid and why is not None else ""
        vector["suite_name"] = suite
        vector["validity"] = "INVALID" if invalid else "VALID"
        vector["invalid_reason"] = reason
        vector["status"] = "VectorStatus.CURRENT"
        vector["sweep_name"] = sweep_name
        yield vector


# --- to JSON ----------------------------------------------------------------------------------------------------------


def _member_name(value: Any) -> str:
    return str(getattr(value, "name", value)).rpartition(".")[2]


def _is_enum(value: Any) -> bool:
    """Enums of compiled modules are not enum.Enum, but have the same attributes."""
    return isinstance(value, enum.Enum) or (
        isinstance(getattr(value, "name", None), str) and hasattr(type(value), "__members__")
    )


def _number(kind: str, value: Any) -> int:
    return _NUMBERS[kind][_member_name(value)]


def _core(value: Any) -> dict[str, int]:
    return {"x": int(value.x), "y": int(value.y)}


def _range(value: Any) -> dict[str, Any]:
    return {"end": _core(value.end), "start": _core(value.start)}


def _ranges(value: Any) -> list[Any]:
    return [_range(each) for each in value.ranges()]


def _shard_spec(value: Any) -> dict[str, Any]:
    return {
        "grid": _ranges(value.grid),
        "orientation": _number("ShardOrientation", value.orientation),
        "shape": [int(size) for size in value.shape],
    }


def _nd_shard_spec(value: Any) -> dict[str, Any]:
    strategy = value.shard_distribution_strategy
    return {
        "grid": _ranges(value.grid),
        "orientation": _number("ShardOrientation", value.orientation),
        "shard_distribution_strategy": _number("ShardDistributionStrategy", strategy),
        "shard_shape": [int(size) for size in value.shard_shape],
    }


def _memory_config(value: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "buffer_type": _member_name(value.buffer_type),
        "created_with_nd_shard_spec": bool(getattr(value, "created_with_nd_shard_spec", False)),
        "memory_layout": _member_name(value.memory_layout),
    }
    if data["created_with_nd_shard_spec"]:
        data["nd_shard_spec"] = _nd_shard_spec(value.nd_shard_spec)
    elif getattr(value, "shard_spec", None) is not None:
        data["shard_spec"] = _shard_spec(value.shard_spec)
    return data


_WRITERS: dict[str, Callable[[Any], Any]] = {
    "MemoryConfig": _memory_config,
    "ShardSpec": _shard_spec,
    "CoreRangeSet": _ranges,
    "CoreRange": _range,
    "CoreCoord": _core,
    "Tile": lambda tile: [int(size) for size in tile.tile_shape],
    "UnaryWithParam": lambda unary: {"op_type": _member_name(unary.op_type), "params": list(unary.params)},
}


def serialize(value: Any) -> Any:
    """A value of a vector as vector files have it."""
    if value is None or (isinstance(value, (str, int, float)) and not _is_enum(value)):
        return value
    if isinstance(value, list):
        return [serialize(item) for item in value]
    if isinstance(value, dict):
        return {str(key): serialize(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(str, value)))}}}"  # in the same order in every process
    kind = type(value).__name__
    if kind in _WRITERS and (kind != "UnaryWithParam" or hasattr(value, "params")):  # not every ttnn shows them
        return {"type": _PREFIX + kind, "data": _WRITERS[kind](value)}
    if _is_enum(value):
        return f"{kind}.{_member_name(value)}"
    if callable(getattr(value, "to_json", None)):  # configs of programs and kernels, where a ttnn can write them
        return {"type": f"ttnn.{kind}", "data": json.loads(value.to_json())}
    return str(value)


# --- back -------------------------------------------------------------------------------------------------------------


def _enum_of(data: Any, kind: str) -> Any:
    """A member by its number or its name."""
    if isinstance(data, int):
        data = next(name for name, number in _NUMBERS[kind].items() if number == data)
    return ttnn_objects.member_of(kind, str(data).replace("::", ".").rpartition(".")[2])


def _read_core(data: dict[str, Any]) -> Any:
    return ttnn_module().CoreCoord(int(data["x"]), int(data["y"]))


def _read_range(data: dict[str, Any]) -> Any:
    return ttnn_module().CoreRange(_read_core(data["start"]), _read_core(data["end"]))


def _read_ranges(data: list[Any]) -> Any:
    return core_range_set([_read_range(each) for each in data])


def _read_shard_spec(data: dict[str, Any]) -> Any:
    orientation = _enum_of(data["orientation"], "ShardOrientation")
    return ttnn_module().ShardSpec(_read_ranges(data["grid"]), list(data["shape"]), orientation)


def _read_nd_shard_spec(data: dict[str, Any]) -> Any:
    return ttnn_module().NdShardSpec(
        list(data["shard_shape"]),
        _read_ranges(data["grid"]),
        _enum_of(data["orientation"], "ShardOrientation"),
        _enum_of(data["shard_distribution_strategy"], "ShardDistributionStrategy"),
    )


def _read_memory_config(data: dict[str, Any]) -> Any:
    spec, nd_spec = data.get("shard_spec"), data.get("nd_shard_spec")
    by_nd = isinstance(nd_spec, dict) and bool(data.get("created_with_nd_shard_spec"))
    return memory_config_of(
        _enum_of(data["memory_layout"], "TensorMemoryLayout"),
        _enum_of(data["buffer_type"], "BufferType"),
        None if spec is None or by_nd else _read_shard_spec(spec),
        _read_nd_shard_spec(nd_spec) if by_nd and nd_spec is not None else None,
    )


_READERS: dict[str, Callable[[Any], Any]] = {
    "MemoryConfig": _read_memory_config,
    "ShardSpec": _read_shard_spec,
    "CoreRangeSet": _read_ranges,
    "CoreRange": _read_range,
    "CoreCoord": _read_core,
    "Tile": lambda data: ttnn_module().Tile(list(data)),
    "UnaryWithParam": lambda data: ttnn_module().UnaryWithParam(
        _enum_of(data["op_type"], "UnaryOpType"), *data["params"]
    ),
}


def _object_kind(value: dict[str, Any]) -> str | None:
    if set(value) != {"type", "data"} or not isinstance(value["type"], str):
        return None
    name = value["type"]
    for prefix in (_PREFIX, "ttnn."):
        if name.startswith(prefix):
            name = name[len(prefix) :]
            break
    return name if name in _OBJECTS else None


def _native_kind(value: dict[str, Any]) -> Any:
    """The class of ttnn that reads its own JSON; None for any other dict."""
    if set(value) != {"type", "data"} or not isinstance(value["type"], str) or not value["type"].startswith("ttnn."):
        return None
    kind = getattr(ttnn_module(), value["type"].rpartition(".")[2], None)
    return kind if hasattr(kind, "from_json") else None


def _member(text: str) -> Any:
    """What `Type.MEMBER` names in ttnn; None where that is nothing."""
    parts = text.split(".")
    if parts[0] == "ttnn":
        parts = parts[1:]
    if len(parts) != 2 or not all(part.isidentifier() for part in parts):
        return None
    kind = getattr(ttnn_module(), parts[0], None)
    found = getattr(kind, parts[1], None) if kind is not None else None
    return found if found is not None and _is_enum(found) else None


def _read_text(text: str) -> Any:
    if "." in text:
        found = _member(text)
        if found is not None:
            return found
    if text in _WORDS:
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        coordinates = ttnn_objects.mesh_coordinates(text)
        return text if coordinates is None else coordinates


def deserialize(value: Any) -> Any:
    """The value that a vector file stands for, with objects of the ttnn that is imported."""
    if isinstance(value, str):
        return _read_text(value)
    if isinstance(value, list):
        return [deserialize(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = _object_kind(value)
    if kind is None and _native_kind(value) is not None:
        return _native_kind(value).from_json(json.dumps(value["data"]))
    if kind is None:
        return {key: deserialize(item) for key, item in value.items()}
    data = value["data"]
    return _READERS[kind](json.loads(data) if isinstance(data, str) else data)


# --- identity ---------------------------------------------------------------------------------------------------------


def input_hash(serialized: dict[str, Any]) -> str:
    """The id of a vector: the hash that its master gave it, or that of everything in it."""
    given = serialized.get("config_hash")
    if given:
        return str(given)
    text = json.dumps(serialized, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha224(text.encode()).hexdigest()
