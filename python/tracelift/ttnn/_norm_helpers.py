"""What callers of normalisations prepare first: masks, weights, reciprocals, and how tensors are cut."""

from __future__ import annotations

from enum import Enum
from typing import Any

from tracelift import _ttnn

from ._interop import from_torch
from ._mesh import ShardTensor2dMesh

_TILE = _ttnn.TILE_SIZE


class LayerNormType(Enum):
    LAYERNORM = 0
    RMSNORM = 1


class DistributedLayerNormStage(Enum):
    NOT_DISTRIBUTED = 0
    PRE_ALL_GATHER = 1
    POST_ALL_GATHER = 2


def _rounded_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def find_closest_largest_divisor(num: int, start_divisor: int) -> int:
    """The largest divisor of `num` that is not above `start_divisor`."""
    return next(divisor for divisor in range(start_divisor, 0, -1) if num % divisor == 0)


# --- group norm: masks ----------------------------------------------------------------------------------------------


def find_max_tile_span(W: int, group_size: int, tile_width: int) -> int:
    """In how many tiles next to each other a group of columns may lie."""
    starts = range(0, W, group_size)
    return max((start + group_size - 1) // tile_width - start // tile_width + 1 for start in starts)


def _mask(num_channel: int, num_groups: int, cores: int, dtype: _ttnn.DataType, inside: float) -> _ttnn.Tensor:
    import numpy

    if num_groups <= 0 or num_channel % num_groups != 0:
        raise RuntimeError(f"num_channel {num_channel} must be divisible by num_groups {num_groups}")
    group_size = num_channel // num_groups
    width = _TILE * find_max_tile_span(num_channel, group_size, _TILE)
    values = numpy.full((1, num_groups, _TILE, width), 1.0 - inside, dtype=numpy.float32)
    groups_per_core = max(num_groups // cores, 1)
    for group in range(num_groups):
        start = group % groups_per_core * group_size % _TILE  # in the first of its tiles
        values[:, group, :, start : start + group_size] = inside
    return _ttnn.tensor_from_array(values, dtype=dtype, layout=_ttnn.Layout.TILE)


def create_group_norm_input_mask(
    num_channel: int,
    num_groups: int,
    num_cores_across_channel: int,
    data_type: _ttnn.DataType = _ttnn.DataType.BFLOAT16,
) -> _ttnn.Tensor:
    """[1, groups, 32, 32 * tiles] on the host: 1 in the columns of a group, counted from the first of its tiles."""
    return _mask(num_channel, num_groups, num_cores_across_channel, data_type, 1.0)


def create_group_norm_input_negative_mask(
    num_channel: int,
    num_groups: int,
    num_cores_across_channel: int,
    data_type: _ttnn.DataType = _ttnn.DataType.BFLOAT16,
) -> _ttnn.Tensor:
    """The same with 0 in the columns of a group and 1 elsewhere."""
    return _mask(num_channel, num_groups, num_cores_across_channel, data_type, 0.0)


# --- group norm: weights --------------------------------------------------------------------------------------------


def create_group_norm_weight_bias_rm(input_tensor: Any, num_channels: int, num_cores_x: int) -> Any:
    """A torch vector in one piece per core across the channels, each filled up to rows of 32: [1, 1, rows, 32]."""
    import torch

    if num_channels % num_cores_x != 0:
        raise RuntimeError(f"num_channels {num_channels} must be divisible by num_cores_x {num_cores_x}")
    piece = num_channels // num_cores_x
    pieces = input_tensor.reshape(-1)[:num_channels].reshape(num_cores_x, piece)
    filled = torch.nn.functional.pad(pieces, (0, _rounded_up(piece, _TILE) - piece))
    return filled.reshape(1, 1, -1, _TILE)


def dram_group_norm_virtual_columns(core_grid: _ttnn.CoreGrid, num_channels: int, num_groups: int) -> int:
    """Columns of cores that share the channels of an interleaved tensor."""
    for columns in range(min(core_grid.x, num_groups), 0, -1):
        if num_channels % (columns * _TILE) == 0 and num_groups % columns == 0:
            return columns
    raise RuntimeError(
        f"{num_channels} channels in {num_groups} groups cannot be dealt to columns of a grid {core_grid.x} wide"
    )


def dram_group_norm_params_from_torch(
    torch_params: Any,
    channels_per_device: int,
    groups_per_device: int,
    device: _ttnn.MeshDevice | None,
    mesh_axis: int | None = None,
    core_grid: _ttnn.CoreGrid | None = None,
    return_mask: bool = True,
    dtype: _ttnn.DataType = _ttnn.DataType.BFLOAT16,
) -> Any:
    """Weight and bias of a group norm as tensors for an interleaved input, and the mask of its groups."""
    import torch

    if core_grid is None:
        if device is None:
            raise RuntimeError("dram_group_norm_params_from_torch needs a core_grid or a device")
        core_grid = device.core_grid
    if channels_per_device % _TILE != 0 or channels_per_device % groups_per_device != 0:
        raise RuntimeError(
            f"channels_per_device {channels_per_device} must be divisible by 32 and by groups_per_device "
            f"{groups_per_device}"
        )
    columns = dram_group_norm_virtual_columns(core_grid, channels_per_device, groups_per_device)
    devices, mapper = 1, None
    if mesh_axis is not None:
        if device is None:
            raise RuntimeError("dram_group_norm_params_from_torch needs a device for a mesh_axis")
        devices = tuple(device.shape)[mesh_axis]
        dims = tuple(0 if axis == mesh_axis else None for axis in range(2))
        mapper = ShardTensor2dMesh(device, mesh_shape=tuple(device.shape), dims=dims)

    def prepared(parameter: Any) -> _ttnn.Tensor:
        if parameter.numel() != channels_per_device * devices:
            raise RuntimeError(
                f"a parameter has {parameter.numel()} numbers for {devices} devices with {channels_per_device} channels"
            )
        parts = parameter.reshape(-1).chunk(devices)
        rows = [create_group_norm_weight_bias_rm(part, channels_per_device, columns) for part in parts]
        return from_torch(torch.cat(rows, dim=0), dtype=dtype, device=device, mesh_mapper=mapper)

    single = isinstance(torch_params, torch.Tensor)
    parameters = prepared(torch_params) if single else [prepared(parameter) for parameter in torch_params]
    if not return_mask:
        return parameters
    mask = create_group_norm_input_mask(channels_per_device, groups_per_device, columns, dtype)
    return parameters, mask if device is None else _ttnn.operations()["ttnn.to_device"](mask, device)


def get_group_norm_cores_across_channel(memory_layout: _ttnn.TensorMemoryLayout, core_grid: _ttnn.CoreGrid) -> int:
    """How many cores share the channels."""
    if memory_layout == _ttnn.TensorMemoryLayout.BLOCK_SHARDED:
        return core_grid.y
    if memory_layout == _ttnn.TensorMemoryLayout.HEIGHT_SHARDED:
        return 1
    return core_grid.x * core_grid.y


# --- group norm: shards ---------------------------------------------------------------------------------------------


def _cores_across_channels(num_channels: int, group_size: int, most: int) -> int:
    for cores in range(most, 0, -1):
        if num_channels // 8 % cores == 0 and num_channels // cores % group_size == 0:
            return cores
    raise RuntimeError(f"{num_channels} channels in groups of {group_size} cannot be dealt to up to {most} cores")


def determine_expected_group_norm_sharded_config_and_grid_size(
    *,
    device: _ttnn.MeshDevice,
    num_channels: int,
    num_groups: int,
    input_nhw: int,
    is_height_sharded: bool,
    is_row_major: bool = False,
) -> tuple[_ttnn.MemoryConfig, _ttnn.CoreGrid]:
    """How a group norm's input is best cut, and the grid of cores that it then lies on."""
    if num_channels % num_groups != 0 or num_channels % _TILE != 0:
        raise RuntimeError(f"num_channels {num_channels} must be divisible by num_groups {num_groups} and by 32")
    cores = device.compute_with_storage_grid_size()
    down, across = (cores.y, cores.x) if is_row_major else (cores.x, cores.y)
    tile_rows = _rounded_up(input_nhw, _TILE) // _TILE
    most = cores.x * cores.y if is_height_sharded else down
    rows = next(count for count in range(most, 0, -1) if tile_rows % count == 0)
    if is_height_sharded:
        columns = 1
        grid = _ttnn.CoreGrid(x=min(rows, cores.x), y=-(-rows // cores.x))
    else:
        columns = _cores_across_channels(num_channels, num_channels // num_groups, across)
        grid = _ttnn.CoreGrid(x=columns, y=rows) if is_row_major else _ttnn.CoreGrid(x=rows, y=columns)
    shard = [_rounded_up(input_nhw, rows * _TILE) // rows, num_channels // columns]
    row_major = is_height_sharded or is_row_major
    spec = _ttnn.ShardSpec(
        _ttnn.CoreRangeSet([_ttnn.CoreRange((0, 0), (grid.x - 1, grid.y - 1))]),
        shard,
        _ttnn.ShardOrientation.ROW_MAJOR if row_major else _ttnn.ShardOrientation.COL_MAJOR,
    )
    layouts = _ttnn.TensorMemoryLayout
    layout = layouts.HEIGHT_SHARDED if is_height_sharded else layouts.BLOCK_SHARDED
    return _ttnn.MemoryConfig(layout, _ttnn.BufferType.L1, spec), grid


# --- reciprocals ----------------------------------------------------------------------------------------------------


def _reciprocals(count: int, copies: int) -> Any:
    import torch

    return (1.0 / torch.arange(1, count + 1, dtype=torch.float32)).repeat(copies, 1)


def create_group_norm_reciprocals(N: int, C: int, H: int, W: int, num_groups: int, core_grid: _ttnn.CoreGrid) -> Any:
    """1/1, 1/2, ... up to the elements of a group that a core has, as a torch tensor with a row for each core."""
    columns = dram_group_norm_virtual_columns(core_grid, C, num_groups)
    rows = core_grid.x // columns * core_grid.y
    rows_per_image = 1 if N >= rows else rows // N
    count = C // num_groups * -(-H * W // _TILE) // rows_per_image
    return _reciprocals(count, core_grid.x * core_grid.y)


create_group_norm_reciprocals_impl = create_group_norm_reciprocals


def create_layer_norm_reciprocals(
    device: _ttnn.MeshDevice, core_range_set: _ttnn.CoreRangeSet, width: int
) -> _ttnn.Tensor:
    """1/1, 1/2, ..., 1/width on each core: a FLOAT32 row-major tensor, height sharded in L1."""
    cores = core_range_set.num_cores()
    spec = _ttnn.ShardSpec(core_range_set, [1, width], _ttnn.ShardOrientation.ROW_MAJOR)
    memory = _ttnn.MemoryConfig(_ttnn.TensorMemoryLayout.HEIGHT_SHARDED, _ttnn.BufferType.L1, spec)
    return from_torch(
        _reciprocals(width, cores),
        dtype=_ttnn.DataType.FLOAT32,
        layout=_ttnn.Layout.ROW_MAJOR,
        device=device,
        memory_config=memory,
    )


# --- configurations -------------------------------------------------------------------------------------------------


def _compute_config(approximate: bool, fp32: bool) -> Any:
    return _ttnn.WormholeComputeKernelConfig(
        math_fidelity=_ttnn.MathFidelity.HiFi4,
        math_approx_mode=approximate,
        fp32_dest_acc_en=fp32,
    )


def layernorm_default_compute_config(arch: Any) -> Any:
    return _compute_config(False, True)


def rmsnorm_default_compute_config(arch: Any) -> Any:
    return _compute_config(True, False)


def create_layernorm_program_config(shard_spec: _ttnn.ShardSpec | None = None) -> Any:
    """The configuration that fits an input cut in this way."""
    if shard_spec is None:
        return _ttnn.LayerNormDefaultProgramConfig()
    size = shard_spec.grid.bounding_box().grid_size()
    height, width = shard_spec.shape
    return _ttnn.LayerNormShardedMultiCoreProgramConfig(
        compute_with_storage_grid_size=size,
        subblock_w=1,
        block_h=height // _TILE,
        block_w=width // _TILE,
        inplace=False,
    )
