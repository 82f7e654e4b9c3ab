"""Objects of a model's configuration as plain JSON data, and back: what op-call lines hold.

Works with any ttnn module, and without one: objects are recognised by their classes and attributes. Tensor data is
never written, only what a tensor looks like.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import importlib
import math
import pathlib
import re
import sys
from typing import Any

_DEEPEST = 200
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


# Records of ttnn by the attributes that make them; those of configurations are all public ones.
_RECORDS = {
    "CoreCoord": ("x", "y"),
    "CoreGrid": ("x", "y"),
    "CoreRange": ("start", "end"),
    "UnaryWithParam": ("op_type", "params"),
}


def _class_name(value: Any) -> str:
    """With its module; classes of ttnn by their public name, wherever they are compiled into."""
    kind = type(value)
    for home in ("ttnn", "tracelift.ttnn"):
        if getattr(sys.modules.get(home), kind.__qualname__, None) is kind:
            return f"ttnn.{kind.__qualname__}"
    module = "ttnn" if kind.__module__ == "tracelift._ttnn" else kind.__module__
    return f"{module}.{kind.__qualname__}"


def _is_of_ttnn(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] in ("ttnn", "tracelift")


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, type)


def _member_name(value: Any) -> str:
    """INTERLEAVED for TensorMemoryLayout.INTERLEAVED, of whatever kind of enum."""
    return str(getattr(value, "name", value)).rpartition(".")[2]


def _is_foreign_enum(value: Any) -> bool:
    """Enums of compiled modules are not enum.Enum, but have the same two attributes and nothing to call."""
    kind = type(value)
    return isinstance(getattr(value, "name", None), str) and hasattr(value, "value") and hasattr(kind, "__members__")


def _core(value: Any) -> dict[str, int]:
    return {"x": int(value.x), "y": int(value.y)}


def _grid(value: Any) -> list[dict[str, Any]]:
    ranges = value.ranges() if callable(getattr(value, "ranges", None)) else []
    return [{"start": _core(each.start), "end": _core(each.end)} for each in ranges]


def _shard_spec(value: Any) -> dict[str, Any]:
    result: dict[str, Any] = {"shape": [int(size) for size in getattr(value, "shape", [])]}
    dims = getattr(value, "dims", None)
    result["dims"] = None if dims is None else [int(dim) for dim in dims]
    if hasattr(value, "grid"):
        result["grid"] = _grid(value.grid)
    if hasattr(value, "orientation"):
        result["orientation"] = _member_name(value.orientation)
    return result


def _memory_config(value: Any) -> dict[str, Any]:
    result: dict[str, Any] = {
        "__type__": "ttnn.MemoryConfig",
        "memory_layout": _member_name(value.memory_layout),
        "buffer_type": _member_name(value.buffer_type),
    }
    spec = getattr(value, "shard_spec", None)
    if spec is not None:
        result["shard_spec"] = _shard_spec(spec)
    return result


def _call(value: Any, name: str) -> Any:
    """The result of a method, the value of an attribute, or None."""
    found = getattr(value, name, None)
    if callable(found):
        with contextlib.suppress(Exception):
            return found()
        return None
    return found


def _tensor(value: Any) -> dict[str, Any]:
    kind = _class_name(value)
    if kind.startswith("torch."):
        return {"__type__": "torch.Tensor", "shape": list(value.shape), "dtype": str(value.dtype)}
    if kind.startswith("numpy."):
        return {"__type__": kind, "shape": list(value.shape), "dtype": str(value.dtype)}
    config = _call(value, "memory_config")
    result = {
        "__type__": "ttnn.TensorRef",
        "shape": [int(size) for size in value.shape],
        "dtype": str(value.dtype),
        "memory_config": _memory_config(config) if hasattr(config, "memory_layout") else None,
    }
    for name in ("layout", "storage_type"):
        found = _call(value, name)
        if found is not None:
            result[name] = f"{type(found).__name__}.{_member_name(found)}"
    return result


def _public_attributes(value: Any) -> dict[str, Any]:
    found = {}
    for name in dir(value):
        if not name.startswith("_"):
            with contextlib.suppress(Exception):
                attribute = getattr(value, name)
                if not callable(attribute):
                    found[name] = attribute
    return found


def _text(value: Any) -> dict[str, Any]:
    """The last resort: the class, and a text that tells no address and no values of tensors."""
    result = {"__type__": "repr", "value": "", "type": _class_name(value)}
    with contextlib.suppress(Exception):
        text = _ADDRESS.sub("", repr(value))
        if "tensor(" not in text and "array(" not in text:
            result["value"] = text[:1000]
    return result


def to_jsonable(obj: Any) -> Any:
    """`obj` as JSON data. Never raises: what cannot be described keeps its class and its text."""
    return _encode(obj, [])


def _encode(obj: Any, open_: list[int]) -> Any:
    if obj is None or isinstance(obj, (bool, int, str)) and not isinstance(obj, enum.Enum):
        return obj
    if isinstance(obj, float):
        if math.isfinite(obj):
            return obj
        return {"__type__": "float", "value": "nan" if math.isnan(obj) else "inf" if obj > 0 else "-inf"}
    if isinstance(obj, pathlib.PurePath):
        return {"__type__": "path", "value": str(obj)}
    if isinstance(obj, enum.Enum) or _is_foreign_enum(obj):
        return {"__enum__": _class_name(obj), "name": _member_name(obj)}
    if id(obj) in open_ or len(open_) >= _DEEPEST:
        return {"__type__": "repr", "value": "contains itself" if id(obj) in open_ else "nested too deeply"}
    open_.append(id(obj))
    try:
        return _encode_object(obj, open_)
    except Exception:  # properties of foreign objects may do anything
        return _text(obj)
    finally:
        open_.pop()


def _encode_object(obj: Any, open_: list[int]) -> Any:
    if isinstance(obj, (list, tuple)):
        return [_encode(item, open_) for item in obj]
    if isinstance(obj, dict):
        return {str(key): _encode(item, open_) for key, item in obj.items()}
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        fields = {field.name: _encode(getattr(obj, field.name), open_) for field in dataclasses.fields(obj)}
        return {"__type__": _class_name(obj), "fields": fields}
    if _is_tensor(obj):
        return _tensor(obj)
    if hasattr(obj, "memory_layout") and hasattr(obj, "buffer_type"):
        return _memory_config(obj)
    kind = type(obj).__name__
    if kind in ("MeshDevice", "Device"):
        shape = getattr(obj, "shape", None)
        return {"__type__": "ttnn.MeshDevice", "mesh_shape": None if shape is None else [int(size) for size in shape]}
    if "ProgramConfig" in kind or "ComputeKernelConfig" in kind or (kind.endswith("Config") and _is_of_ttnn(obj)):
        fields = {name: _encode(value, open_) for name, value in _public_attributes(obj).items()}
        return {"__type__": _class_name(obj), **fields}
    if kind in _RECORDS:
        return {"__type__": _class_name(obj), **{name: _encode(getattr(obj, name), open_) for name in _RECORDS[kind]}}
    if kind == "CoreRangeSet":
        return {"__type__": _class_name(obj), "ranges": [_encode(each, open_) for each in obj.ranges()]}
    return _text(obj)


# --- back --------------------------------------------------------------------------------------------------------------


def _find(path: str) -> Any:
    """The class `package.module.Class`, or None."""
    module, _, name = path.rpartition(".")
    while module:
        with contextlib.suppress(ImportError):
            found: Any = importlib.import_module(module)
            for part in name.split("."):
                found = getattr(found, part, None)
            return found
        module, _, outer = module.rpartition(".")
        name = f"{outer}.{name}"
    return None


def _build_memory_config(data: dict[str, Any]) -> Any:
    ttnn = importlib.import_module("ttnn")
    layout = getattr(ttnn.TensorMemoryLayout, data["memory_layout"])
    buffer = getattr(ttnn.BufferType, data["buffer_type"])
    spec = data.get("shard_spec")
    if spec is None or "grid" not in spec:
        return ttnn.MemoryConfig(layout, buffer)
    ranges = [
        ttnn.CoreRange(ttnn.CoreCoord(**each["start"]), ttnn.CoreCoord(**each["end"])) for each in spec["grid"]
    ]
    orientation = getattr(ttnn.ShardOrientation, spec.get("orientation", "ROW_MAJOR"))
    return ttnn.MemoryConfig(
        layout, buffer, ttnn.ShardSpec(ttnn.CoreRangeSet(set(ranges)), list(spec["shape"]), orientation)
    )


def _build_record(kind: Any, fields: dict[str, Any]) -> Any:
    """By keywords, or, where the constructor wants something else, by setting attributes."""
    if kind.__name__ == "CoreRangeSet":
        return kind(set(fields["ranges"]))
    if kind.__name__ == "UnaryWithParam":
        return kind(fields["op_type"], *fields["params"])
    try:
        return kind(**fields)
    except Exception:
        made = kind.__new__(kind)
        for name, value in fields.items():
            setattr(made, name, value)
        return made


def from_jsonable(obj: Any, mesh_device: Any = None) -> Any:
    """Reverses to_jsonable where that is possible; tensors and unknown classes stay dicts.

    A device is replaced by `mesh_device`, and stays a dict where none is given.
    """
    if isinstance(obj, list):
        return [from_jsonable(item, mesh_device) for item in obj]
    if not isinstance(obj, dict):
        return obj
    if "__enum__" in obj:
        kind = _find(obj["__enum__"])
        return obj if kind is None else getattr(kind, obj["name"], obj)
    if "__type__" not in obj:
        return {key: from_jsonable(item, mesh_device) for key, item in obj.items()}
    return _decode_typed(obj, mesh_device)


def _decode_typed(obj: dict[str, Any], mesh_device: Any) -> Any:
    kind = obj["__type__"]
    if kind == "path":
        return pathlib.Path(obj["value"])
    if kind == "float":
        return float(obj["value"])
    if kind == "ttnn.MeshDevice":
        return obj if mesh_device is None else mesh_device
    if kind in ("ttnn.TensorRef", "torch.Tensor", "repr") or kind.startswith("numpy."):
        return obj
    try:
        if kind == "ttnn.MemoryConfig":
            return _build_memory_config(obj)
        found = _find(kind)
        if not isinstance(found, type):
            return obj
        fields = obj.get("fields", {key: value for key, value in obj.items() if key != "__type__"})
        return _build_record(found, {key: from_jsonable(value, mesh_device) for key, value in fields.items()})
    except Exception:  # best effort: what cannot be built stays data
        return obj
