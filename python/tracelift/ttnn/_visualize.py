"""Pictures of meshes and of tensors on them: tables of `rich` where it is installed, else plain lines."""

from __future__ import annotations

import logging
from typing import Sequence

from tracelift._ttnn import MeshCoordinate, MeshDevice, MeshShape, Tensor

from ._devices import SystemMeshDescriptor

_log = logging.getLogger("ttnn")


def _rows_and_columns(shape: MeshShape) -> tuple[int, int]:
    return (1, shape[0]) if len(shape) == 1 else (shape.mesh_size() // shape[-1], shape[-1])


def _show(title: str, shape: MeshShape, cells: Sequence[str], panel: str = "") -> None:
    rows, columns = _rows_and_columns(shape)
    lines = [cells[row * columns : (row + 1) * columns] for row in range(rows)]
    try:
        from rich.console import Console  # type: ignore[import-not-found, unused-ignore]
        from rich.panel import Panel  # type: ignore[import-not-found, unused-ignore]
        from rich.table import Table  # type: ignore[import-not-found, unused-ignore]
        from rich.text import Text  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        if panel:
            print(f"Placement Configuration\n{panel}")
        print(title)
        for line in lines:
            print(" | ".join(cell.replace("\n", " ") for cell in line))
        return
    table = Table(title=title, show_header=False, show_lines=True)
    for _ in range(columns):
        table.add_column(justify="center")
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))  # no markup: slices have brackets
    console = Console()
    if panel:
        console.print(Panel(Text(panel), title="Placement Configuration", expand=False))
    console.print(table)


def _mesh_title(shape: MeshShape) -> str:
    rows, columns = _rows_and_columns(shape)
    return f"MeshDevice(rows={rows}, cols={columns})"


def _places(shape: MeshShape) -> list[tuple[int, ...]]:
    from ._mesh_ranges import MeshCoordinateRange

    return [tuple(coordinate) for coordinate in MeshCoordinateRange(shape)]


def visualize_mesh_device(mesh_device: MeshDevice, tensor: Tensor | None = None) -> None:
    """Prints the devices of a mesh, and what a tensor has there."""
    try:
        if tensor is not None:
            return visualize_tensor(tensor)
        ids = mesh_device.get_device_ids()
        cells = [f"Dev. ID: {id}\n{place}" for id, place in zip(ids, _places(mesh_device.shape))]
        _show(_mesh_title(mesh_device.shape), mesh_device.shape, cells)
    except Exception as error:  # a picture is never worth a failure
        _log.error("visualize_mesh_device: %s", error)


def visualize_system_mesh() -> None:
    """Prints the devices of the default board's system."""
    system = SystemMeshDescriptor()
    cells = [
        f"Dev. ID: {system.get_device_id(MeshCoordinate(list(place)))}\n{place}" for place in _places(system.shape())
    ]
    _show(f"System {_mesh_title(system.shape())}", system.shape(), cells)


def _slice_text(tensor: Tensor, place: Sequence[int]) -> str:
    """What a part at a place of the distribution is of the whole tensor."""
    topology, shape = tensor.tensor_topology(), list(tensor.shape)
    spans = [":"] * len(shape)
    for placement, index in zip(topology.placements(), place):
        dim = getattr(placement, "dim", None)
        if dim is not None:
            spans[dim] = f"{index * shape[dim]}:{(index + 1) * shape[dim]}"
    return f"[{', '.join(spans)}]"


def visualize_tensor(tensor: Tensor) -> None:
    """Prints which part of a tensor each device has."""
    try:
        topology = tensor.tensor_topology()
        device = tensor.device()
        shape = device.shape if device is not None else tensor.host_buffer().shape()
        facts = f"Shape: {list(tensor.shape)}\nDtype: {tensor.dtype.name}\nLayout: {tensor.layout.name}"
        held = dict(zip(map(tuple, topology.mesh_coords()), _places(topology.distribution_shape())))
        cells = []
        for number, place in enumerate(_places(shape)):
            name = f"Dev. ID: {device.get_device_ids()[number]}\n" if device is not None else ""
            part = held.get(place, (0,) if shape.mesh_size() == 1 else None)
            cells.append(f"{name}{place}" + ("" if part is None else f"\n{_slice_text(tensor, part)}\n{facts}"))
        panel = f"{topology.placements()} over {topology.distribution_shape()}"
        _show(f"Tensor(storage: {tensor.storage_type()})", shape, cells, panel)
    except Exception as error:  # a picture is never worth a failure
        _log.error("visualize_tensor: %s", error)
