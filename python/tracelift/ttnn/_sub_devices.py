"""Sub-devices: kept by name, without an effect on values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from tracelift._ttnn import CoreRangeSet, MeshDevice


class SubDevice:
    """Cores of a device: worker cores, then ethernet cores."""

    def __init__(self, core_ranges: Sequence[CoreRangeSet]) -> None:
        self.core_ranges = list(core_ranges)


@dataclass(frozen=True)
class SubDeviceId:
    id: int

    def __index__(self) -> int:  # operations take the number
        return self.id

    def __repr__(self) -> str:
        return f"SubDeviceId({self.id})"


@dataclass(frozen=True)
class SubDeviceManagerId:
    id: int


class _Managers:
    def __init__(self) -> None:
        self.by_id: dict[SubDeviceManagerId, list[SubDevice]] = {}
        self.loaded: SubDeviceManagerId | None = None
        self.stall_group: list[SubDeviceId] = []
        self.next_id = 0


def _managers(device: MeshDevice) -> _Managers:
    state = getattr(device, "_sub_device_managers", None)
    if state is None:
        state = device._sub_device_managers = _Managers()
    return state


def _create(device: MeshDevice, sub_devices: Sequence[SubDevice], local_l1_size: int) -> SubDeviceManagerId:
    state = _managers(device)
    manager = SubDeviceManagerId(state.next_id)
    state.next_id += 1
    state.by_id[manager] = list(sub_devices)
    return manager


def _known(device: MeshDevice, manager: SubDeviceManagerId) -> _Managers:
    state = _managers(device)
    if manager not in state.by_id:
        raise RuntimeError(f"{manager} is not a sub-device manager of {device}")
    return state


def _load(device: MeshDevice, manager: SubDeviceManagerId) -> None:
    _known(device, manager).loaded = manager


def _clear(device: MeshDevice) -> None:
    _managers(device).loaded = None


def _remove(device: MeshDevice, manager: SubDeviceManagerId) -> None:
    state = _known(device, manager)
    if state.loaded == manager:
        raise RuntimeError(f"{manager} is loaded; clear it before it is removed")
    del state.by_id[manager]


def _set_stall_group(device: MeshDevice, ids: Sequence[SubDeviceId]) -> None:
    _managers(device).stall_group = list(ids)


def _reset_stall_group(device: MeshDevice) -> None:
    _managers(device).stall_group = []


METHODS = {
    "create_sub_device_manager": _create,
    "load_sub_device_manager": _load,
    "clear_loaded_sub_device_manager": _clear,
    "remove_sub_device_manager": _remove,
    "set_sub_device_stall_group": _set_stall_group,
    "reset_sub_device_stall_group": _reset_stall_group,
}

for _name, _function in METHODS.items():
    setattr(MeshDevice, _name, _function)
