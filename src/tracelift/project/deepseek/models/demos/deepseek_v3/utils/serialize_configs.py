"""Configurations as plain JSON data, and back; with any ttnn, and without one."""

from tracelift.serialize_configs import from_jsonable, to_jsonable

__all__ = ["from_jsonable", "to_jsonable"]
