"""Objects of a model's configuration as plain JSON data, and back: what op-call lines hold.

Works with any ttnn module, and without one: objects are recognised by their classes and attributes. Tensor data is
never written, only what a tensor looks like. The form is that of the compiled serializer (src/tracelift/dialects), which
writes op-call lines, too.

Reading calls no code that data names: classes are looked for in modules that are loaded, and only enums, dataclasses and
the records of ttnn are made.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import json
import pathlib
import sys
from typing import Any

from . import _ttnn, ttnn_objects

_PLACEHOLDERS = ("ttnn.TensorRef", "repr", "unparsed")


def to_jsonable(obj: Any) -> Any:
    """`obj` as JSON data. Never raises: what cannot be described keeps its class, its text and the reason."""
    return json.loads(_ttnn.serialized(obj, True))


def from_jsonable(obj: Any, mesh_device: Any = None) -> Any:
    """Reverses to_jsonable where that is possible; tensors and unknown classes stay dicts.

    A device is replaced by `mesh_device`, and stays a dict where none is given.
    """
    if isinstance(obj, list):
        return [from_jsonable(item, mesh_device) for item in obj]
    if not isinstance(obj, dict):
        return obj
    try:
        if "__enum__" in obj:
            return _member(obj["__enum__"], obj["name"])
        if "__type__" in obj:
            return _typed(obj["__type__"], obj, mesh_device)
    except Exception:  # best effort: what cannot be made stays data
        return obj
    return {key: from_jsonable(item, mesh_device) for key, item in obj.items()}


def _typed(kind: str, obj: dict[str, Any], mesh_device: Any) -> Any:
    if kind == "path":
        return pathlib.Path(obj["value"])
    if kind == "float":
        return float(obj["value"])
    if kind == "ttnn.MeshDevice":
        return obj if mesh_device is None else mesh_device
    if kind in _PLACEHOLDERS or kind.startswith(("torch.", "numpy.")):
        return obj
    if kind.partition(".")[0] == "ttnn":
        return ttnn_objects.build(_ttnn.deserialized(json.dumps(obj)), _made_of_attributes(kind))
    found = _loaded(kind)
    is_program_config = "ProgramConfig" in kind.rpartition(".")[2]
    if not isinstance(found, type) or not (dataclasses.is_dataclass(found) or is_program_config):
        return obj
    plain = {name: value for name, value in obj.items() if name != "__type__"}
    fields = {name: from_jsonable(value, mesh_device) for name, value in plain.get("fields", plain).items()}
    if not dataclasses.is_dataclass(found):
        return _with_attributes(found, fields)
    made = found(**{field.name: fields.pop(field.name) for field in dataclasses.fields(found) if field.init})
    for name, value in fields.items():  # those that its __init__ does not take
        object.__setattr__(made, name, value)
    return made


def _loaded(path: str) -> Any:
    """What `package.module.Class` names in the modules that are loaded, or None."""
    module, _, name = path.rpartition(".")
    while module:
        found: Any = sys.modules.get(module)
        if found is not None:
            for part in name.split("."):
                found = getattr(found, part, None)
            return found
        module, _, outer = module.rpartition(".")
        name = f"{outer}.{name}"
    return None


def _member(path: str, name: str) -> Any:
    if path.partition(".")[0] == "ttnn":
        with contextlib.suppress(AttributeError):
            return ttnn_objects.member_of(path.rpartition(".")[2], name)
    found = _loaded(path)
    is_enum = isinstance(found, type) and (issubclass(found, enum.Enum) or hasattr(found, "__members__"))
    if not is_enum or name not in found.__members__:
        raise LookupError(f"no member {name} of {path}")
    return found.__members__[name]


def _made_of_attributes(path: str) -> ttnn_objects.UnknownRecord:
    """Makes a record by setting attributes, where the constructor of its class wants something else."""

    def make(type_name: str, fields: dict[str, Any]) -> Any:
        kind: Any = getattr(ttnn_objects.ttnn_module(), type_name, None) or _loaded(path)
        is_config = isinstance(kind, type) and kind.__name__ == type_name and type_name.endswith("Config")
        if not is_config:
            raise LookupError(f"no class {type_name}")
        return _with_attributes(kind, fields)

    return make


def _with_attributes(kind: Any, fields: dict[str, Any]) -> Any:
    try:
        return kind(**fields)
    except Exception:
        made = kind.__new__(kind)
        for name, value in fields.items():
            setattr(made, name, value)
        return made
