"""Worker cores beside the banks of DRAM, and distances in the network of a chip."""

from __future__ import annotations

from tracelift._ttnn import Arch, CoreCoord, MeshDevice

from ._program_enums import NOC

Places = tuple[tuple[int, int], ...]

# One core per bank, all different; which of several possible ones it is depends on the rows that a chip lost.
_WORMHOLE: Places = ((0, 9), (0, 0), (0, 4), (0, 5), (4, 0), (4, 9), (4, 1), (4, 7), (4, 6), (4, 2), (4, 4), (4, 5))
_WORMHOLE_8_ROWS: Places = (
    (3, 7),
    (0, 0),
    (0, 3),
    (0, 4),
    (4, 0),
    (7, 7),
    (4, 1),
    (4, 6),
    (4, 5),
    (4, 2),
    (4, 3),
    (4, 4),
)
_BLACKHOLE: dict[int, Places] = {
    0: ((0, 9), (0, 0), (0, 7), (0, 3), (7, 9), (7, 1), (7, 6), (7, 4)),
    1: ((0, 0), (0, 8), (0, 2), (0, 5), (7, 0), (7, 8), (7, 2), (7, 5)),
}

# The columns and rows of the network where workers are, and its size. A message runs right and down on NOC_0, left and
# up on NOC_1, and comes in again on the other side.
_COLUMNS = {Arch.WORMHOLE_B0: (1, 2, 3, 4, 6, 7, 8, 9), Arch.BLACKHOLE: (*range(1, 8), *range(10, 17))}
_ROWS = {Arch.WORMHOLE_B0: (1, 2, 3, 4, 5, 7, 8, 9, 10, 11), Arch.BLACKHOLE: tuple(range(2, 12))}
_SIZE = {Arch.WORMHOLE_B0: (10, 12), Arch.BLACKHOLE: (17, 12)}


def _number(noc: NOC | int) -> int:
    number = noc.value if isinstance(noc, NOC) else noc
    if number not in (0, 1):
        raise ValueError(f"noc must be NOC.NOC_0 or NOC.NOC_1, not {noc!r}")
    return number


def _within(cores: Places, grid: CoreCoord) -> list[CoreCoord]:
    """The cores; those outside of a smaller grid are replaced by the nearest ones that are free."""
    inside = [(x, y) for x in range(grid.x) for y in range(grid.y)]
    taken: list[tuple[int, int]] = []
    for x, y in cores:
        place = (x, y)
        if place not in inside:
            free = [other for other in inside if other not in taken and other not in cores]
            place = min(free, key=lambda other: abs(other[0] - x) + abs(other[1] - y))
        taken.append(place)
    return [CoreCoord(x, y) for x, y in taken]


def get_optimal_dram_bank_to_logical_worker_assignment(device: MeshDevice, noc: NOC | int) -> list[CoreCoord]:
    """One worker core per bank of DRAM, in the order of the banks. The first network asked for decides."""
    number = _number(noc)
    known: list[CoreCoord] | None = getattr(device, "_dram_neighbours", None)
    if known is None:
        grid = device.compute_with_storage_grid_size()
        if device.arch() == Arch.BLACKHOLE:
            cores = _BLACKHOLE[number]
        else:
            cores = _WORMHOLE_8_ROWS if grid.y == 8 else _WORMHOLE
        known = device._dram_neighbours = _within(cores, grid)
    return list(known)


def get_worker_noc_hop_distance(
    device: MeshDevice, logical_src: CoreCoord, logical_dst: CoreCoord, noc: NOC | int
) -> int:
    """How many steps a message takes from one worker to another, on a chip that lost no rows."""
    number, arch = _number(noc), device.arch()
    places = [(_COLUMNS[arch][core.x], _ROWS[arch][core.y]) for core in (logical_src, logical_dst)]
    if number == 1:
        places.reverse()
    (from_x, from_y), (to_x, to_y) = places
    width, height = _SIZE[arch]
    return (to_x - from_x) % width + (to_y - from_y) % height


METHODS = {
    "get_optimal_dram_bank_to_logical_worker_assignment": get_optimal_dram_bank_to_logical_worker_assignment,
    "get_worker_noc_hop_distance": get_worker_noc_hop_distance,
}


def add_methods() -> None:
    for name, function in METHODS.items():
        setattr(MeshDevice, name, function)
