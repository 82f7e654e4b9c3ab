"""Opening and closing emulated devices, and what Python knows about them."""

from __future__ import annotations

import contextlib
import csv
import itertools
from pathlib import Path
from typing import Any, Iterator, Sequence

from tracelift import _ttnn
from tracelift._replaced import replaced
from tracelift._ttnn import (
    Arch,
    BufferType,
    DispatchCoreAxis,
    DispatchCoreType,
    MeshCoordinate,
    MeshDevice,
    MeshShape,
    default_board,
)

from ._device_facts import get_default_dispatch_core_axis, get_default_dispatch_core_type
from ._enums import FabricTensixConfig

_default_device: MeshDevice | None = None


class DispatchCoreConfig:
    """Which cores are given to dispatch. What is not asked for is as usual for the default board."""

    def __init__(
        self,
        type: DispatchCoreType | None = None,
        axis: DispatchCoreAxis | None = None,
        fabric_tensix_config: Any = None,
    ) -> None:
        if type is not None and not isinstance(type, DispatchCoreType):
            raise ValueError(f"type must be a DispatchCoreType or None, not {type!r}")
        if axis is not None and not isinstance(axis, DispatchCoreAxis):
            raise ValueError(f"axis must be a DispatchCoreAxis or None, not {axis!r}")
        if type is None and axis == DispatchCoreAxis.COL:
            type = DispatchCoreType.WORKER  # only workers stand in columns
        if type == DispatchCoreType.ETH and axis == DispatchCoreAxis.COL:
            raise ValueError("dispatch on ethernet cores has no column axis")
        forwards = fabric_tensix_config == FabricTensixConfig.MUX
        if axis == DispatchCoreAxis.ROW and default_arch() == Arch.BLACKHOLE and not forwards:
            raise ValueError("dispatch on Blackhole has a row axis with FabricTensixConfig.MUX only")
        self._asked = (type, axis)
        self.type = get_default_dispatch_core_type() if type is None else type
        self.axis = get_default_dispatch_core_axis(fabric_tensix_config) if axis is None else axis
        self.fabric_tensix_config = fabric_tensix_config

    def __repr__(self) -> str:
        return f"DispatchCoreConfig(type={self.type}, axis={self.axis})"


def default_system() -> _ttnn.System:
    """The machine that the default board stands for."""
    return _ttnn.find_system(default_board())


def default_arch() -> Arch:
    return _ttnn.board_arch(default_board())


def _board_name(board: str | None, dispatch: DispatchCoreConfig | None) -> str:
    if dispatch is not None and not isinstance(dispatch, DispatchCoreConfig):
        raise TypeError(f"dispatch_core_config must be a DispatchCoreConfig, not {type(dispatch).__name__}")
    name = board or default_board()
    if dispatch is None or ":" in name:
        return name
    for asked in dispatch._asked:
        name += "" if asked is None else f":{asked.name.lower()}"
    return name


def _check_device_id(device_id: int, board: str) -> None:
    system = _ttnn.find_system(board)
    count = system.mesh_shape.mesh_size()
    if not 0 <= device_id < count:
        ids = "its id is 0" if count == 1 else f"their ids are 0 to {count - 1}"
        raise RuntimeError(
            f"there is no device {device_id}: the board {system.name} has {count} device{'' if count == 1 else 's'}, "
            f"{ids}"
        )


def _open(
    shape: MeshShape,
    chip_ids: Sequence[int],
    board: str,
    l1_small_size: int,
    trace_region_size: int,
    num_command_queues: int,
    worker_l1_size: int,
) -> MeshDevice:
    if num_command_queues not in (1, 2):
        raise RuntimeError(f"num_command_queues must be 1 or 2, not {num_command_queues}")
    return _ttnn.open_board(
        board, shape, list(chip_ids), l1_small_size, trace_region_size, worker_l1_size, num_command_queues
    )


def open_device(
    *,
    device_id: int = 0,
    l1_small_size: int = 0,
    trace_region_size: int = 0,
    num_command_queues: int = 1,
    dispatch_core_config: DispatchCoreConfig | None = None,
    worker_l1_size: int = 0,
    board: str | None = None,
) -> MeshDevice:
    """Opens an emulated chip. `board` is a name such as "n300" or "p150"; default: TRACELIFT_BOARD, else "n150"."""
    name = _board_name(board, dispatch_core_config)
    _check_device_id(device_id, name)
    sizes = (l1_small_size, trace_region_size, num_command_queues, worker_l1_size)
    return _open(MeshShape(1, 1), [device_id], name, *sizes)


def close_device(device: MeshDevice) -> None:
    """Frees everything on the device; its tensors become unallocated."""
    global _default_device
    device.close()
    if _default_device is device:
        _default_device = None


@contextlib.contextmanager
def manage_device(device_id: int = 0, **options: Any) -> Iterator[MeshDevice]:
    """Opens a device for the time of a with block."""
    device = open_device(device_id=device_id, **options)
    try:
        yield device
    finally:
        close_device(device)


def CreateDevice(
    device_id: int,
    num_command_queues: int = 1,
    l1_small_size: int = 0,
    trace_region_size: int = 0,
    dispatch_core_config: DispatchCoreConfig | None = None,
    *,
    worker_l1_size: int = 0,
    board: str | None = None,
) -> MeshDevice:
    return open_device(
        device_id=device_id,
        l1_small_size=l1_small_size,
        trace_region_size=trace_region_size,
        num_command_queues=num_command_queues,
        dispatch_core_config=dispatch_core_config,
        worker_l1_size=worker_l1_size,
        board=board,
    )


def CloseDevice(device: MeshDevice) -> None:
    close_device(device)


def CreateDevices(device_ids: Sequence[int], *args: Any, **kwargs: Any) -> dict[int, MeshDevice]:
    return {device_id: CreateDevice(device_id, *args, **kwargs) for device_id in device_ids}


def CloseDevices(devices: dict[int, MeshDevice]) -> None:
    for device in devices.values():
        close_device(device)


def open_mesh_device(
    mesh_shape: Any = None,
    l1_small_size: int = 0,
    trace_region_size: int = 0,
    num_command_queues: int = 1,
    dispatch_core_config: DispatchCoreConfig | None = None,
    offset: Any = None,
    physical_device_ids: Sequence[int] = (),
    worker_l1_size: int = 0,
    *,
    board: str | None = None,
) -> MeshDevice:
    """Opens a mesh of emulated chips of a board; default: all that the board's system has.

    Any shape can be opened on any board. A mesh that fits into the system begins at `offset` and has the chips that lie
    there; a larger one has chips 0, 1, ... `physical_device_ids` names the chips, row by row.
    """
    name = _board_name(board, dispatch_core_config)
    system = _ttnn.find_system(name)
    shape = system.mesh_shape if mesh_shape is None else MeshShape(list(mesh_shape))
    if physical_device_ids:
        if len(physical_device_ids) != shape.mesh_size():
            raise RuntimeError(
                f"a mesh of {shape} needs {shape.mesh_size()} physical_device_ids, got {list(physical_device_ids)}"
            )
        chip_ids = list(physical_device_ids)
    else:
        chip_ids = _chips_at(system.mesh_shape, shape, offset)
    return _open(shape, chip_ids, name, l1_small_size, trace_region_size, num_command_queues, worker_l1_size)


def _chips_at(system: MeshShape, shape: MeshShape, offset: Any) -> list[int]:
    """The chips of a part of the system, row by row."""
    start = [0] * len(shape) if offset is None else list(offset)
    if len(start) != len(shape):
        raise RuntimeError(f"offset {start} must have as many numbers as mesh_shape {shape}")
    fits = len(shape) == len(system) and all(first + size <= whole for first, size, whole in zip(start, shape, system))
    if fits:
        spans = [range(first, first + size) for first, size in zip(start, shape)]
        return [row * system[1] + column for row, column in itertools.product(*spans)]
    if any(start):
        raise RuntimeError(f"a mesh of {shape} at offset {start} does not fit into the system of {system}")
    return list(range(shape.mesh_size()))


def close_mesh_device(mesh_device: MeshDevice) -> None:
    close_device(mesh_device)


@contextlib.contextmanager
def create_mesh_device(*args: Any, **kwargs: Any) -> Iterator[MeshDevice]:
    device = open_mesh_device(*args, **kwargs)
    try:
        yield device
    finally:
        close_mesh_device(device)


def SetDefaultDevice(device: MeshDevice | None) -> None:
    global _default_device
    if device is not None and not isinstance(device, MeshDevice):
        raise TypeError(f"SetDefaultDevice takes a device or None, not {type(device).__name__}")
    _default_device = device


def GetDefaultDevice() -> MeshDevice | None:
    return _default_device


def synchronize_device(device: MeshDevice, cq_id: int | None = None, sub_device_ids: Sequence[Any] = ()) -> None:
    """Waits for the device: emulated operations are done when they return."""
    if not isinstance(device, MeshDevice):
        raise TypeError(f"synchronize_device takes a device, not {type(device).__name__}")


def apply_device_delay(
    mesh_device: MeshDevice, delays: Sequence[Sequence[int]], *, subdevice_id: Any | None = None
) -> None:
    """Lets each device of a mesh wait for so many cycles, which emulated operations do not have: checks the call."""
    if not isinstance(mesh_device, MeshDevice):
        raise TypeError(f"apply_device_delay takes a device, not {type(mesh_device).__name__}")
    shape = mesh_device.shape
    rows, columns = shape if len(shape) == 2 else (1, mesh_device.get_num_devices())
    if len(delays) != rows or any(len(row) != columns for row in delays):
        lengths = [len(row) for row in delays]
        raise RuntimeError(f"apply_device_delay: a mesh of {rows} x {columns} needs as many delays, got rows of {lengths}")


def GetNumAvailableDevices() -> int:
    return default_system().mesh_shape.mesh_size()


def GetNumPCIeDevices() -> int:
    return default_system().num_pcie_devices


def GetPCIeDeviceID(device_id: int) -> int:
    """The id itself: the host reaches every emulated chip."""
    _check_device_id(device_id, default_board())
    return device_id


def get_num_devices() -> int:
    return GetNumAvailableDevices()


def get_num_pcie_devices() -> int:
    return GetNumPCIeDevices()


def get_device_ids() -> list[int]:
    return list(range(GetNumAvailableDevices()))


def get_pcie_device_ids() -> list[int]:
    return list(range(GetNumPCIeDevices()))


class SystemMeshDescriptor:
    """The mesh of the default board's system; all of it is in this process."""

    def __init__(self) -> None:
        self._shape = default_system().mesh_shape

    def shape(self) -> MeshShape:
        return self._shape

    def local_shape(self) -> MeshShape:
        return self._shape

    def get_device_id(self, coord: MeshCoordinate) -> int:
        self._check(coord)
        return coord[0] * self._shape[1] + coord[1]

    def is_local(self, coord: MeshCoordinate) -> bool:
        self._check(coord)
        return True

    def all_local(self) -> bool:
        return True

    def _check(self, coord: MeshCoordinate) -> None:
        if len(coord) != 2 or any(place >= size for place, size in zip(coord, self._shape)):
            raise RuntimeError(f"{coord} lies outside of the system of {self._shape}")


def get_arch_name() -> str:
    """ "wormhole_b0" or "blackhole"."""
    return default_arch().name.lower()


def dump_device_memory_state(device: MeshDevice, prefix: str = "") -> None:
    """Writes the state of each kind of memory and of each buffer to generated/ttnn/reports/<prefix>*.csv."""
    from . import _config

    folder = _config.CONFIG.root_report_path
    folder.mkdir(parents=True, exist_ok=True)
    _write_table(folder / f"{prefix}memory_usage_summary.csv", [_memory_row(device, kind) for kind in BufferType])
    _write_table(folder / f"{prefix}detailed_memory_usage.csv", device.live_buffers())


def _memory_row(device: MeshDevice, kind: BufferType) -> dict[str, object]:
    view = _ttnn.get_memory_view(device, kind)
    names = ["num_banks", "total_bytes_per_bank", "total_bytes_allocated_per_bank", "total_bytes_free_per_bank"]
    names.append("largest_contiguous_bytes_free_per_bank")
    return {"buffer_type": kind.name, **{name: getattr(view, name) for name in names}}


def _write_table(path: Path, rows: list[dict[str, object]]) -> None:
    with replaced(path, newline="") as file:
        if rows:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def init_device_compute_kernel_config(
    arch: Arch,
    device_kernel_config: _ttnn.WormholeComputeKernelConfig | None = None,
    *,
    math_fidelity: _ttnn.MathFidelity = _ttnn.MathFidelity.LoFi,
    math_approx_mode: bool = True,
    fp32_dest_acc_en: bool = False,
    packer_l1_acc: bool = False,
    dst_full_sync_en: bool = False,
    throttle_level: _ttnn.ThrottleLevel = _ttnn.ThrottleLevel.NO_THROTTLE,
) -> _ttnn.WormholeComputeKernelConfig:
    """The given config, or a new one."""
    if not isinstance(arch, Arch):
        raise TypeError(f"arch must be an Arch (device.arch()), not {type(arch).__name__}")
    if device_kernel_config is not None:
        return device_kernel_config
    return _ttnn.WormholeComputeKernelConfig(
        math_fidelity=math_fidelity,
        math_approx_mode=math_approx_mode,
        fp32_dest_acc_en=fp32_dest_acc_en,
        packer_l1_acc=packer_l1_acc,
        dst_full_sync_en=dst_full_sync_en,
        throttle_level=throttle_level,
    )
