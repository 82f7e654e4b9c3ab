"""What needs the hardware itself. Its arguments are checked, so that a test of the arguments holds; then it says why it
cannot run. In a capture with NO_DISPATCH, where nothing runs, the call is traced like any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from tracelift import _ttnn
from tracelift._ttnn import CoreCoord, CoreRange, CoreRangeSet, FabricNodeId, StorageType, Tensor

from ._program_descriptors import MeshProgramDescriptor, ProgramDescriptor, SemaphoreDescriptor
from ._program_enums import CoreType
from ._registry import register_python_operation

_graph: Any = _ttnn.graph  # type: ignore[attr-defined]

_KERNELS = "kernels that users write are programs for the processors of the chip, which are not emulated"
_COMMANDS = "there are no commands of a device that could be recorded in binary form"


def refuse(what: str, why: str) -> NoReturn:
    raise NotImplementedError(f"{what} is not emulated: {why}")


@register_python_operation(name="ttnn.generic_op")
def generic_op(io_tensors: Sequence[Tensor], program_descriptor: ProgramDescriptor | MeshProgramDescriptor) -> Tensor:
    """Runs a program of the user's own on tensors, of which the last is the output. Only traced here."""
    if not isinstance(program_descriptor, (ProgramDescriptor, MeshProgramDescriptor)):
        raise TypeError(f"ttnn.generic_op(): not a program descriptor: {type(program_descriptor).__name__}")
    tensors = list(io_tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"ttnn.generic_op(): an input and an output tensor are needed, got {len(tensors)} tensors")
    for tensor in tensors:
        if tensor.storage_type() != StorageType.DEVICE:
            raise RuntimeError("ttnn.generic_op(): all tensors must be on the device")
    if not _graph.dispatch_blocked():
        refuse("ttnn.generic_op", _KERNELS)
    return tensors[-1]


# --- connections for such kernels -------------------------------------------------------------------------------------


def _add_semaphore(program: ProgramDescriptor, core: CoreCoord, core_type: CoreType) -> int:
    number = len(program.semaphores)
    cores = CoreRangeSet([CoreRange(core, core)])
    program.semaphores.append(SemaphoreDescriptor(number, core_type, cores, 0))
    return number


def setup_fabric_connection(
    src_fabric_node_id: FabricNodeId,
    dst_fabric_node_id: FabricNodeId,
    link_idx: int,
    program_descriptor: ProgramDescriptor,
    worker_core: CoreCoord,
    core_type: CoreType = CoreType.WORKER,
) -> list[int]:
    """Runtime arguments by which a kernel would reach another chip; the program gets the semaphores that it needs."""
    numbers = [_add_semaphore(program_descriptor, worker_core, core_type) for _ in range(2)]
    return [src_fabric_node_id.chip_id, dst_fabric_node_id.chip_id, link_idx, *numbers]


def setup_routing_plane_connection(
    src_fabric_node_id: FabricNodeId,
    dst_nodes: Sequence[FabricNodeId],
    connection_link_indices: Sequence[int],
    program_descriptor: ProgramDescriptor,
    kernel_idx: int,
    worker_core: CoreCoord,
) -> list[int]:
    """The same for several neighbours at once."""
    if len(dst_nodes) != len(connection_link_indices):
        raise RuntimeError(f"{len(dst_nodes)} nodes need as many links, got {len(connection_link_indices)}")
    arguments = [kernel_idx, len(dst_nodes)]
    for node, link in zip(dst_nodes, connection_link_indices):
        arguments += setup_fabric_connection(src_fabric_node_id, node, link, program_descriptor, worker_core)
    return arguments


def generate_blitz_decode_pipeline(mesh_device: Any) -> NoReturn:
    """The stages of a pipeline over several hosts."""
    refuse(
        "generate_blitz_decode_pipeline", "it is for systems of several hosts, and all devices here are in one process"
    )


# --- binaries of commands ---------------------------------------------------------------------------------------------


class LightMetalBinary:
    """Recorded commands of a device; there are none here."""


class LightMetalReplay:
    """Runs recorded commands."""

    @staticmethod
    def create(binary: LightMetalBinary, device: Any = None) -> NoReturn:
        refuse("ttnn.LightMetalReplay", _COMMANDS)


def light_metal_begin_capture() -> NoReturn:
    refuse("ttnn.light_metal_begin_capture", _COMMANDS)


def light_metal_end_capture() -> NoReturn:
    refuse("ttnn.light_metal_end_capture", _COMMANDS)
