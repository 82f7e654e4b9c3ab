"""Circular buffers that several programs share, and what collectives accept for semaphores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tracelift import _ttnn
from tracelift._ttnn import (
    BufferType,
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    DataType,
    Layout,
    MeshDevice,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
    TensorSpec,
)

Mapping = Sequence[tuple[CoreCoord, CoreRangeSet]]


class global_circular_buffer:
    """Memory on senders and receivers that prefetched weights go through; operations take it as `global_cb`.

    The memory is allocated, because what else fits into L1 depends on it; the way that data take changes no values.
    """

    def __init__(self, device: MeshDevice, mapping: Mapping, size: int, buffer_type: BufferType) -> None:
        self.sender_receiver_core_mapping = [(sender, receivers) for sender, receivers in mapping]
        self.size = size
        senders = CoreRangeSet([CoreRange(sender, sender) for sender, _ in self.sender_receiver_core_mapping])
        cores = senders
        for _, receivers in self.sender_receiver_core_mapping:
            cores = cores.merge(receivers)
        shards = ShardSpec(cores, [1, size], ShardOrientation.ROW_MAJOR)
        spec = TensorSpec(
            [cores.num_cores(), size],
            DataType.UINT8,
            Layout.ROW_MAJOR,
            TensorMemoryLayout.HEIGHT_SHARDED,
            shards,
            buffer_type,
        )
        self._memory = _ttnn.allocate_on_device(spec, device)

    def buffer_address(self) -> int:
        return self._memory.buffer_address()

    def __index__(self) -> int:  # operations take a number
        return self.buffer_address()

    def __repr__(self) -> str:
        return f"global_circular_buffer(size={self.size}, mapping={self.sender_receiver_core_mapping})"


def create_global_circular_buffer(
    device: MeshDevice, sender_receiver_core_mapping: Mapping, size: int, buffer_type: BufferType = BufferType.L1
) -> global_circular_buffer:
    """`size` bytes on every sender and receiver, as long as the result lives."""
    return global_circular_buffer(device, sender_receiver_core_mapping, size, buffer_type)


class GlobalSemaphoreArg:
    """One global semaphore or a list of them, where an operation takes either."""

    def __init__(self, semaphores: Any) -> None:
        self.semaphores = list(semaphores) if isinstance(semaphores, (list, tuple)) else [semaphores]
        for semaphore in self.semaphores:
            if not isinstance(semaphore, _ttnn.global_semaphore):
                raise TypeError(f"GlobalSemaphoreArg takes global semaphores, not {type(semaphore).__name__}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GlobalSemaphoreArg) and self.semaphores == other.semaphores

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"GlobalSemaphoreArg({self.semaphores})"
