"""Enums of programs that users write themselves. Nothing runs such programs here; they are printed and compared."""

from __future__ import annotations

from enum import Enum, IntEnum

from ._enums import PlainEnum


class NOC(PlainEnum):
    """A network of the chip. The last two are other names of the first two."""

    RISCV_0_default = 0
    RISCV_1_default = 1
    NOC_0 = 0
    NOC_1 = 1


class NOC_MODE(PlainEnum):
    DM_DEDICATED_NOC = 0
    DM_DYNAMIC_NOC = 1


class DataMovementProcessor(PlainEnum):
    RISCV_0 = 0
    RISCV_1 = 1
    RISCV_2 = 2
    RISCV_3 = 3
    RISCV_4 = 4
    RISCV_5 = 5
    RISCV_6 = 6
    RISCV_7 = 7


class CoreType(PlainEnum):
    """Kinds of cores on a chip."""

    ARC = 0
    DRAM = 1
    ACTIVE_ETH = 2
    IDLE_ETH = 3
    PCIE = 4
    TENSIX = 5
    ROUTER_ONLY = 6
    ETH = 7
    WORKER = 8


class UnpackToDestMode(PlainEnum):
    UnpackToDestFp32 = 0
    Default = 1


_NUMBERS = {f"c_{number}": number for number in range(64)}
CBIndex = IntEnum("CBIndex", _NUMBERS)  # type: ignore[misc]  # mypy wants to see the members
CBIndex.__doc__ = "Numbers of circular buffers."


class SourceType(Enum):
    """Whether a kernel is given by the path of its file or by its text."""

    FILE_PATH = 0
    SOURCE_CODE = 1

    def __repr__(self) -> str:
        return str(self)


class VectorUInt32(list[int]):
    """A list of numbers, as descriptors hold it."""


class VectorUnpackToDestMode(list[UnpackToDestMode]):
    """A list of modes, as compute descriptors hold it."""
