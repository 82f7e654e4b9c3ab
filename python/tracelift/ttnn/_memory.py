"""Constants and functions around memory configurations."""

from __future__ import annotations

from typing import Any, Sequence

from tracelift import _ttnn

DRAM_MEMORY_CONFIG = _ttnn.MemoryConfig(_ttnn.TensorMemoryLayout.INTERLEAVED, _ttnn.BufferType.DRAM)
L1_MEMORY_CONFIG = _ttnn.MemoryConfig(_ttnn.TensorMemoryLayout.INTERLEAVED, _ttnn.BufferType.L1)
L1_BLOCK_SHARDED_MEMORY_CONFIG = _ttnn.MemoryConfig(_ttnn.TensorMemoryLayout.BLOCK_SHARDED, _ttnn.BufferType.L1)
L1_HEIGHT_SHARDED_MEMORY_CONFIG = _ttnn.MemoryConfig(_ttnn.TensorMemoryLayout.HEIGHT_SHARDED, _ttnn.BufferType.L1)
L1_WIDTH_SHARDED_MEMORY_CONFIG = _ttnn.MemoryConfig(_ttnn.TensorMemoryLayout.WIDTH_SHARDED, _ttnn.BufferType.L1)


def _checked_shape(shape: Any) -> Any:
    if not isinstance(shape, (list, tuple, _ttnn.Shape)):
        raise RuntimeError(f"Invalid input shape: a list, tuple or Shape is expected, not {type(shape).__name__}")
    return shape


def _ranges_of(grids: Sequence[Any]) -> _ttnn.CoreRangeSet:
    """[CoreGrid, CoreGrid]: full rows, and the rest in the row below."""
    first, second = grids
    ranges = [_ttnn.CoreRange((0, 0), (first.x - 1, first.y - 1))]
    ranges.append(_ttnn.CoreRange((0, first.y), (second.x - 1, first.y + second.y - 1)))
    return _ttnn.CoreRangeSet(ranges)


def _is_grid_pair(core_grid: Any) -> bool:
    pair = isinstance(core_grid, (list, tuple)) and len(core_grid) == 2
    return pair and all(isinstance(grid, _ttnn.CoreGrid) for grid in core_grid)


def create_sharded_memory_config(
    shape: Any,
    core_grid: Any,
    strategy: _ttnn.ShardStrategy,
    orientation: _ttnn.ShardOrientation | None = None,
    use_height_and_width_as_shard_shape: bool = False,
) -> _ttnn.MemoryConfig:
    """A sharded L1 memory config that cuts `shape` evenly over the cores."""
    shape = _checked_shape(shape)
    if not isinstance(strategy, _ttnn.ShardStrategy):
        raise RuntimeError(f"Invalid sharding strategy: {strategy!r}")
    orientation = _ttnn.ShardOrientation.ROW_MAJOR if orientation is None else orientation
    if not isinstance(orientation, _ttnn.ShardOrientation):
        raise RuntimeError(f"Invalid shard orientation: {orientation!r}")
    as_shard = bool(use_height_and_width_as_shard_shape)
    if isinstance(core_grid, _ttnn.CoreGrid):
        return _ttnn.sharded_config_of_grid(shape, core_grid, strategy, orientation, as_shard)
    if _is_grid_pair(core_grid):
        core_grid = _ranges_of(core_grid)
    if not isinstance(core_grid, _ttnn.CoreRangeSet):
        raise RuntimeError(
            f"Invalid core_grid type: CoreGrid or CoreRangeSet is expected, not {type(core_grid).__name__}"
        )
    return _ttnn.sharded_config_of_cores(shape, core_grid, strategy, orientation, as_shard)


def create_sharded_memory_config_(
    shape: Any,
    core_grid: Any,
    strategy: _ttnn.ShardStrategy | _ttnn.TensorMemoryLayout,
    orientation: _ttnn.ShardOrientation,
    use_height_and_width_as_shard_shape: bool = False,
    tile_layout: bool = False,
) -> _ttnn.MemoryConfig:
    """The same with shards rounded up, over any set of cores."""
    shape = _checked_shape(shape)
    if isinstance(strategy, _ttnn.ShardStrategy):
        strategy = _ttnn.memory_layout_of(strategy)
    if not isinstance(strategy, _ttnn.TensorMemoryLayout):
        raise RuntimeError(f"Invalid sharding strategy: {strategy!r}")
    if not isinstance(orientation, _ttnn.ShardOrientation):
        raise RuntimeError(f"Invalid shard orientation: {orientation!r}")
    if isinstance(core_grid, _ttnn.CoreGrid):
        core_grid = _ttnn.CoreRangeSet(_ttnn.CoreRange((0, 0), (core_grid.x - 1, core_grid.y - 1)))
    elif _is_grid_pair(core_grid):
        core_grid = _ranges_of(core_grid)
    if not isinstance(core_grid, _ttnn.CoreRangeSet):
        raise RuntimeError(
            f"Invalid core_grid type: CoreGrid or CoreRangeSet is expected, not {type(core_grid).__name__}"
        )
    as_shard = bool(use_height_and_width_as_shard_shape)
    return _ttnn.rounded_sharded_config(shape, core_grid, strategy, orientation, as_shard, bool(tile_layout))


def num_cores_to_corerangeset_in_subcoregrids(
    start_core: Any, target_num_cores: int, sub_core_grids: _ttnn.CoreRangeSet, row_wise: bool = False
) -> _ttnn.CoreRangeSet:
    """The first cores of a set from `start_core` on, as ranges."""
    cores = _ttnn.corerange_to_cores(sub_core_grids, None, row_wise)
    start = start_core if isinstance(start_core, _ttnn.CoreCoord) else _ttnn.CoreCoord(start_core)
    if start not in cores:
        raise RuntimeError(f"start_core {start} must lie in {sub_core_grids}")
    chosen = cores[cores.index(start) :][:target_num_cores]
    if len(chosen) < target_num_cores:
        raise RuntimeError(
            f"{target_num_cores} cores are wanted, but only {len(chosen)} follow {start} in {sub_core_grids}"
        )
    return _ttnn.CoreRangeSet([_ttnn.CoreRange(core, core) for core in chosen]).merge(_ttnn.CoreRangeSet([]))


def get_memory_config(tensor: _ttnn.Tensor) -> _ttnn.MemoryConfig | None:
    """The memory config of a device tensor, None for host tensors."""
    return tensor.memory_config() if is_tensor_storage_on_device(tensor) else None


def is_sharded(tensor: _ttnn.Tensor) -> bool:
    return tensor.is_sharded()


def is_tensor_storage_on_device(tensor: _ttnn.Tensor) -> bool:
    return tensor.storage_type() == _ttnn.StorageType.DEVICE


def has_storage_type_of(tensor: _ttnn.Tensor, storage_type: _ttnn.StorageType) -> bool:
    return tensor.storage_type() == storage_type


def has_tile_padding(tensor: _ttnn.Tensor, *, dim: int | None = None) -> bool:
    """Whether the last two dimensions (or one of them) are padded."""
    logical, padded = list(tensor.shape), list(tensor.padded_shape)
    if dim is not None:
        return logical[dim] != padded[dim - len(logical)] if dim >= 0 else logical[dim] != padded[dim]
    return logical[-2:] != padded[-min(2, len(logical)) :]


def pad_to_tile_shape(shape: Sequence[int]) -> list[int]:
    """[n, c, h, w] with h and w rounded up to tiles."""
    *leading, height, width = shape
    return [*leading, -(-height // 32) * 32, -(-width // 32) * 32]
