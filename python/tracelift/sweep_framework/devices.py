"""The device of a process that runs vectors: opened once and kept until a module wants another one."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any, Iterator

from ..ttnn_objects import ttnn_module


class DeviceKeeper:
    """Holds one device at a time: a module's own (`mesh_device_fixture`), or device 0 for all that have none."""

    def __init__(self, device_id: int = 0) -> None:
        self._device_id = device_id
        self._owner: Any = None
        self._fixture: Iterator[Any] | None = None
        self._device: Any = None
        self._label: str | None = None
        self._card_type: str | None = None

    def device_of(self, module: ModuleType) -> Any:
        owner = getattr(module, "mesh_device_fixture", None) or "default"
        if self._device is None or owner is not self._owner:
            self.close()
            self._open(owner)
        return self._device

    def _open(self, owner: Any) -> None:
        if owner == "default":
            self._device = ttnn_module().open_device(device_id=self._device_id)
        else:
            fixture = owner()
            made = next(fixture)
            self._fixture = fixture
            self._device, self._label = made if isinstance(made, tuple) else (made, None)
        self._owner = owner

    def card_type(self) -> str:
        """`arch (label)`, or `arch (N devices)`."""
        if self._card_type is None:
            self._card_type = self._find_card_type()
        return self._card_type

    def _find_card_type(self) -> str:
        ttnn = ttnn_module()
        arch = os.environ.get("ARCH_NAME") or os.environ.get("IRD_ARCH_NAME")
        if not arch:
            arch = str(ttnn.get_arch_name()) if hasattr(ttnn, "get_arch_name") else "unknown"
        if self._label:
            return f"{arch} ({self._label})"
        count = getattr(self._device, "get_num_devices", lambda: 1)()
        return f"{arch} ({count} device{'' if count == 1 else 's'})"

    def close(self) -> None:
        fixture, device = self._fixture, self._device
        self._owner = self._fixture = self._device = self._label = self._card_type = None
        if fixture is not None:
            next(fixture, None)  # what the module has after its yield
        elif device is not None:
            ttnn_module().close_device(device)
