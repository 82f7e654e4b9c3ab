"""Programs that users write themselves, as values: kernels, circular buffers, semaphores and what they run on.

They can be built, printed, compared, merged and traced. ttnn.generic_op checks them and says that it cannot run them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tracelift import _ttnn
from tracelift._ttnn import CoreCoord, CoreRangeSet, DataType, MathFidelity, Tensor, Tile

from ._mesh_ranges import MeshCoordinateRange
from ._program_enums import NOC, NOC_MODE, CoreType, DataMovementProcessor, UnpackToDestMode
from ._program_enums import SourceType as _SourceType

_L1_ALIGNMENT = 16  # bytes, of pages
_BYTES = {  # of an element in ROW_MAJOR
    DataType.BFLOAT16: 2,
    DataType.FLOAT32: 4,
    DataType.UINT32: 4,
    DataType.INT32: 4,
    DataType.UINT16: 2,
    DataType.UINT8: 1,
}


def _needed(owner: object, *names: str) -> None:
    """Arguments that follow optional ones have a default, too; it is not accepted."""
    for name in names:
        if getattr(owner, name) is None:
            raise TypeError(f"{type(owner).__name__}(): argument '{name}' is missing")


def _cores(value: Any) -> CoreRangeSet:
    return value if isinstance(value, CoreRangeSet) else CoreRangeSet(value)


@dataclass(eq=False, repr=False)
class TileDescriptor:
    """The size of a tile: `()`, `(height, width, transpose)`, `(tile)` or a copy of another one."""

    height: int
    width: int
    transpose: bool

    def __init__(
        self, height: int | Tile | TileDescriptor = 32, width: int | None = None, transpose: bool = False
    ) -> None:
        if isinstance(height, TileDescriptor):
            self.height, self.width, self.transpose = height._key()
        elif isinstance(height, Tile):
            self.height, self.width = height.tile_shape
            self.transpose = bool(height.transpose_of_faces)
        else:
            self.height, self.width, self.transpose = height, 32 if width is None else width, transpose

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TileDescriptor) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"TileDescriptor(height={self.height}, width={self.width}, transpose={self.transpose})"

    def _key(self) -> tuple[int, int, bool]:
        return self.height, self.width, self.transpose


@dataclass
class CBFormatDescriptor:
    """How the data in a circular buffer look."""

    buffer_index: int = 0
    data_format: DataType = DataType.BFLOAT16
    page_size: int = 0
    tile: TileDescriptor | None = None

    def __post_init__(self) -> None:
        if isinstance(self.tile, Tile):
            self.tile = TileDescriptor(self.tile)


@dataclass
class CBDescriptor:
    """A circular buffer on some cores, at an address of its own or in the memory of a tensor."""

    total_size: int = 0
    core_ranges: CoreRangeSet = field(default_factory=lambda: CoreRangeSet([]))
    format_descriptors: list[CBFormatDescriptor] = field(default_factory=list)
    address_offset: int = 0
    _tensor: ClassVar[Tensor | None] = None  # whose memory it is; set on the one that is made from a tensor

    def __post_init__(self) -> None:
        self.core_ranges = _cores(self.core_ranges)
        self.format_descriptors = list(self.format_descriptors)


@dataclass
class SemaphoreDescriptor:
    id: int
    core_type: CoreType = CoreType.WORKER
    core_ranges: CoreRangeSet | None = None
    initial_value: int | None = None

    def __post_init__(self) -> None:
        _needed(self, "core_ranges", "initial_value")
        self.core_ranges = _cores(self.core_ranges)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "id" and "id" in self.__dict__:
            raise AttributeError("SemaphoreDescriptor.id is read-only")
        super().__setattr__(name, value)


class RuntimeArgsColProxy:
    """The arguments of one column of cores: `args[x][y] = values`."""

    def __init__(self, owner: RuntimeArgs, x: int) -> None:
        self._owner, self._x = owner, x

    def __getitem__(self, y: int) -> list[int]:
        try:
            return self._owner._values[self._x, y]
        except KeyError:
            raise IndexError(f"there are no runtime arguments for core ({self._x}, {y})") from None

    def __setitem__(self, y: int, values: Sequence[int]) -> None:
        self._owner._values[self._x, y] = list(values)

    def append(self, y: int, value: int) -> None:
        self._owner._values.setdefault((self._x, y), []).append(value)

    def extend(self, y: int, values: Sequence[int]) -> None:
        self._owner._values.setdefault((self._x, y), []).extend(values)


class RuntimeArgs:
    """Numbers that a kernel gets on each core."""

    def __init__(self, entries: Sequence[tuple[Any, Sequence[int]]] = ()) -> None:
        self._values: dict[tuple[int, int], list[int]] = {}
        for core, values in entries:
            self.append(core, values)

    def __getitem__(self, x: int) -> RuntimeArgsColProxy:
        return RuntimeArgsColProxy(self, x)

    def append(self, core: Any, values: Sequence[int]) -> None:
        place = core if isinstance(core, CoreCoord) else CoreCoord(*core)
        self._values[place.x, place.y] = list(values)

    def get(self, index: int) -> tuple[CoreCoord, list[int]]:
        return self.to_list()[index]

    def to_list(self) -> list[tuple[CoreCoord, list[int]]]:
        return [(CoreCoord(x, y), values) for (x, y), values in self._values.items()]

    def clear(self) -> None:
        self._values.clear()

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[tuple[CoreCoord, list[int]]]:
        return iter(self.to_list())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuntimeArgs) and self._values == other._values

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"RuntimeArgs({self.to_list()})"


@dataclass
class ReaderConfigDescriptor:
    """A kernel that brings data to a core."""


@dataclass
class WriterConfigDescriptor:
    """A kernel that takes data from a core."""


@dataclass
class DataMovementConfigDescriptor:
    """A kernel that moves data, on a processor and a network of choice."""

    processor: DataMovementProcessor = DataMovementProcessor.RISCV_0
    noc: NOC = NOC.RISCV_0_default
    noc_mode: NOC_MODE = NOC_MODE.DM_DEDICATED_NOC


@dataclass
class ComputeConfigDescriptor:
    """A kernel that computes."""

    math_fidelity: MathFidelity = MathFidelity.HiFi4
    math_approx_mode: bool = False
    fp32_dest_acc_en: bool = False
    dst_full_sync_en: bool = False
    bfp8_pack_precise: bool = False
    unpack_to_dest_mode: list[UnpackToDestMode] = field(default_factory=list)


KernelConfig = ReaderConfigDescriptor | WriterConfigDescriptor | DataMovementConfigDescriptor | ComputeConfigDescriptor


@dataclass
class KernelDescriptor:
    """A kernel, where it runs, and what it gets."""

    SourceType: ClassVar[type[_SourceType]] = _SourceType

    kernel_source: str
    source_type: _SourceType = _SourceType.FILE_PATH
    core_ranges: CoreRangeSet | None = None
    compile_time_args: list[int] = field(default_factory=list)
    named_compile_time_args: list[tuple[str, int]] = field(default_factory=list)
    defines: list[tuple[str, str]] = field(default_factory=list)
    runtime_args: RuntimeArgs = field(default_factory=RuntimeArgs)
    common_runtime_args: list[int] = field(default_factory=list)
    opt_level: Any = None
    config: KernelConfig | None = None

    def __post_init__(self) -> None:
        _needed(self, "core_ranges", "config")
        self.core_ranges = _cores(self.core_ranges)
        if not isinstance(self.config, KernelConfig):
            raise TypeError(f"KernelDescriptor(): 'config' must be a descriptor, not {type(self.config).__name__}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "runtime_args" and not isinstance(value, RuntimeArgs):
            value = RuntimeArgs(value)
        super().__setattr__(name, value)


@dataclass
class ProgramDescriptor:
    """A whole program of one device."""

    kernels: list[KernelDescriptor] = field(default_factory=list)
    semaphores: list[SemaphoreDescriptor] = field(default_factory=list)
    cbs: list[CBDescriptor] = field(default_factory=list)


class MeshProgramDescriptor:
    """Programs by the part of a mesh that they run on."""

    def __init__(self, mesh_programs: Mapping[MeshCoordinateRange, ProgramDescriptor] | None = None) -> None:
        self.mesh_programs: list[tuple[MeshCoordinateRange, ProgramDescriptor]] = list((mesh_programs or {}).items())

    def __getitem__(self, where: MeshCoordinateRange) -> ProgramDescriptor:
        for place, program in self.mesh_programs:
            if place == where:
                return program
        raise RuntimeError(f"MeshProgramDescriptor has no program for {where}")

    def __setitem__(self, where: MeshCoordinateRange, program: ProgramDescriptor) -> None:
        self.mesh_programs.append((where, program))

    def __contains__(self, where: object) -> bool:
        return any(place == where for place, _ in self.mesh_programs)

    def __iter__(self) -> Iterator[tuple[MeshCoordinateRange, ProgramDescriptor]]:
        return iter(self.mesh_programs)

    def __len__(self) -> int:
        return len(self.mesh_programs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeshProgramDescriptor) and self.mesh_programs == other.mesh_programs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"MeshProgramDescriptor({dict(self.mesh_programs)})"


def merge_program_descriptors(descriptors: Sequence[ProgramDescriptor]) -> ProgramDescriptor:
    """One program of several that run on different cores."""
    merged = ProgramDescriptor()
    taken: set[CoreCoord] = set()
    for descriptor in descriptors:
        grids = [kernel.core_ranges for kernel in descriptor.kernels if kernel.core_ranges is not None]
        own = {core for grid in grids for core in _ttnn.corerange_to_cores(grid)}
        if shared := taken & own:
            places = ", ".join(str(core) for core in sorted(shared, key=lambda core: (core.y, core.x)))
            raise RuntimeError(f"Cannot merge ProgramDescriptors with overlapping kernel core ranges: {places}")
        taken |= own
        merged.kernels += descriptor.kernels
        merged.semaphores += descriptor.semaphores
        merged.cbs += descriptor.cbs
    return merged


# --- tensors as circular buffers --------------------------------------------------------------------------------------


def _aligned_page(tensor: Tensor) -> int:
    config = tensor.memory_config()
    if tensor.layout == _ttnn.Layout.TILE:
        size = tensor.tile.get_tile_size(tensor.dtype)
    else:
        elements = config.shard_spec.shape[1] if config.shard_spec is not None else tensor.padded_shape[-1]
        size = elements * _BYTES[tensor.dtype]
    return -(-size // _L1_ALIGNMENT) * _L1_ALIGNMENT


def _bytes_per_bank(tensor: Tensor) -> int:
    kind, address = tensor.memory_config().buffer_type, tensor.buffer_address()
    device = tensor.device()
    assert device is not None  # it has an address
    rows = (row for row in device.live_buffers() if row["buffer_type"] == kind and row["address"] == address)
    return next(int(row["size_per_bank"]) for row in rows)  # type: ignore[call-overload]


def cb_descriptor_from_sharded_tensor(
    cb_index: int,
    tensor: Tensor,
    address_offset: int = 0,
    total_size: int = 0,
    core_ranges: CoreRangeSet | None = None,
) -> CBDescriptor:
    """The memory of a sharded tensor as a circular buffer; 0 for the size means all of it."""
    if not tensor.is_sharded():
        raise RuntimeError("Tensor must be sharded to automatically create a CBDescriptor")
    whole = _bytes_per_bank(tensor)
    size = total_size or whole
    if address_offset + size > whole:
        raise RuntimeError(
            f"Address offset + total size exceeds buffer size: {address_offset} + {size} > {whole} bytes per bank"
        )
    if core_ranges is None:
        spec = tensor.memory_config().shard_spec or tensor.memory_config().nd_shard_spec
        assert spec is not None  # it is sharded
        core_ranges = spec.grid
    form = CBFormatDescriptor(cb_index, tensor.dtype, _aligned_page(tensor), TileDescriptor(tensor.tile))
    descriptor = CBDescriptor(size, core_ranges, [form], address_offset)
    setattr(descriptor, "_tensor", tensor)
    return descriptor


def get_cb_address(descriptor: CBDescriptor) -> int:
    """Where the buffer begins: in its tensor, else only the offset is known."""
    start = 0 if descriptor._tensor is None else descriptor._tensor.buffer_address()
    return start + descriptor.address_offset


class TensorAccessorArgs:
    """What a kernel has to know about the place of a tensor: whether it is in DRAM (2) and sharded (1), and its page."""

    def __init__(self, tensor: Tensor) -> None:
        config = tensor.memory_config()
        self._flags = int(config.is_sharded()) + 2 * (config.buffer_type == _ttnn.BufferType.DRAM)
        self._page = _aligned_page(tensor)

    def get_compile_time_args(self) -> list[int]:
        return [self._flags, self._page]

    def get_common_runtime_args(self) -> list[int]:
        return []

    def __repr__(self) -> str:
        return f"TensorAccessorArgs(compile_time_args={self.get_compile_time_args()})"
