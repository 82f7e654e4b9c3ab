"""What callers of normalisations prepare: masks, weights, shards, reciprocals; and the norms against torch."""

import pytest
import torch

from tracelift import ttnn


def group_norm_of(x, groups, weight, bias, eps):
    """torch's, on [N, 1, H * W, C]."""
    channels_first = x.float().permute(0, 3, 1, 2)
    result = torch.nn.functional.group_norm(channels_first, groups, weight, bias, eps)
    return result.permute(0, 2, 3, 1)


def on_device(device, x, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16, **more):
    return ttnn.from_torch(x, dtype=dtype, layout=layout, device=device, **more)


def test_masks_have_ones_where_a_group_lies_in_its_tiles():
    mask = ttnn.create_group_norm_input_mask(80, 8, 1)
    assert list(mask.shape) == [1, 8, 32, 64] and mask.layout == ttnn.TILE_LAYOUT and mask.dtype == ttnn.bfloat16
    assert mask.storage_type() == ttnn.StorageType.HOST
    values = ttnn.to_torch(mask).float()
    for group in range(8):  # of ten columns
        start = 10 * group % 32
        expected = torch.zeros(32, 64)
        expected[:, start : start + 10] = 1
        assert torch.equal(values[0, group], expected), group
    negative = ttnn.create_group_norm_input_negative_mask(80, 8, 1, ttnn.bfloat8_b)
    assert negative.dtype == ttnn.bfloat8_b
    assert torch.equal(ttnn.to_torch(negative).float(), 1 - values)


def test_masks_start_anew_on_every_core():
    values = ttnn.to_torch(
        ttnn.create_group_norm_input_mask(num_channel=96, num_groups=4, num_cores_across_channel=2)
    ).float()
    assert [int(row.argmax()) for row in values[0, :, 0]] == [0, 24, 0, 24]
    assert values[0, :, 0].sum(dim=-1).tolist() == [24] * 4


def test_weights_come_in_pieces_filled_up_to_rows_of_32():
    weight = torch.arange(1.0, 97.0)
    assert torch.equal(ttnn.create_group_norm_weight_bias_rm(weight, 96, 1), weight.reshape(1, 1, 3, 32))
    rows = ttnn.create_group_norm_weight_bias_rm(input_tensor=weight, num_channels=96, num_cores_x=2)
    assert list(rows.shape) == [1, 1, 4, 32]
    flat = rows.flatten()
    assert torch.equal(flat[:48], weight[:48]) and torch.equal(flat[64:112], weight[48:])
    assert not flat[48:64].any() and not flat[112:].any()


@pytest.mark.parametrize(
    "height, row_major, grid, shard, layout, orientation",
    [
        (True, False, (8, 4), [32, 320], "HEIGHT_SHARDED", "ROW_MAJOR"),
        (False, False, (8, 8), [128, 40], "BLOCK_SHARDED", "COL_MAJOR"),
        (False, True, (8, 8), [128, 40], "BLOCK_SHARDED", "ROW_MAJOR"),
    ],
)
def test_how_an_input_is_cut(height, row_major, grid, shard, layout, orientation):
    class Cores:
        def compute_with_storage_grid_size(self):
            return ttnn.CoreCoord(8, 8)

    memory, cores = ttnn.determine_expected_group_norm_sharded_config_and_grid_size(
        device=Cores(),
        num_channels=320,
        num_groups=32,
        input_nhw=1024,
        is_height_sharded=height,
        is_row_major=row_major,
    )
    assert (cores.x, cores.y) == grid
    assert memory.memory_layout == getattr(ttnn.TensorMemoryLayout, layout)
    assert list(memory.shard_spec.shape) == shard
    assert memory.shard_spec.orientation == getattr(ttnn.ShardOrientation, orientation)


def test_group_norm_in_dram_against_torch(device):
    torch.manual_seed(0)
    x = torch.rand(2, 1, 64, 128, dtype=torch.bfloat16)
    weight, bias = torch.rand(128), torch.rand(128)
    grid = ttnn.CoreGrid(x=2, y=2)
    (gamma, beta), mask = ttnn.dram_group_norm_params_from_torch([weight, bias], 128, 8, device, core_grid=grid)
    assert list(gamma.shape) == [1, 1, 4, 32] and gamma.layout == ttnn.ROW_MAJOR_LAYOUT
    assert list(mask.shape) == [1, 8, 32, 32]
    result = ttnn.group_norm(
        on_device(device, x),
        num_groups=8,
        epsilon=1e-5,
        input_mask=mask,
        weight=gamma,
        bias=beta,
        memory_config=ttnn.DRAM_MEMORY_CONFIG,
        core_grid=grid,
        inplace=False,
        num_out_blocks=1,
        output_layout=ttnn.TILE_LAYOUT,
    )
    expected = group_norm_of(x, 8, weight.bfloat16().float(), bias.bfloat16().float(), 1e-5)
    assert torch.allclose(ttnn.to_torch(result).float(), expected, atol=0.03, rtol=0.01)
    alone = ttnn.dram_group_norm_params_from_torch(weight, 128, 8, device, core_grid=grid, return_mask=False)
    assert torch.equal(ttnn.to_torch(alone), ttnn.to_torch(gamma))


def test_sharded_group_norm_is_in_place(device):
    torch.manual_seed(0)
    x = torch.rand(1, 1, 128, 64, dtype=torch.bfloat16)
    memory, grid = ttnn.determine_expected_group_norm_sharded_config_and_grid_size(
        device=device, num_channels=64, num_groups=4, input_nhw=128, is_height_sharded=False, is_row_major=True
    )
    cores = memory.shard_spec.grid.bounding_box().grid_size().x
    weight = torch.rand(64)
    gamma = ttnn.create_group_norm_weight_bias_rm(weight, 64, cores)
    tensor = on_device(device, x, ttnn.ROW_MAJOR_LAYOUT, memory_config=memory)
    result = ttnn.group_norm(
        tensor,
        num_groups=4,
        epsilon=1e-5,
        weight=on_device(device, gamma, ttnn.ROW_MAJOR_LAYOUT),
        memory_config=memory,
        core_grid=grid,
    )
    assert result.buffer_address() == tensor.buffer_address()
    expected = group_norm_of(x, 4, weight.bfloat16().float(), None, 1e-5)
    assert torch.allclose(ttnn.to_torch(result).float(), expected, atol=0.03, rtol=0.01)


def test_batch_norm_against_torch(device):
    torch.manual_seed(0)
    x, mean, var = torch.rand(2, 3, 32, 40), torch.rand(3), torch.rand(3) + 0.5
    running = [on_device(device, each.reshape(1, 3, 1, 1), dtype=ttnn.float32) for each in (mean, var)]
    tensor = on_device(device, x, dtype=ttnn.float32)
    result = ttnn.batch_norm(tensor, running_mean=running[0], running_var=running[1], queue_id=0)
    assert torch.allclose(ttnn.to_torch(result), torch.nn.functional.batch_norm(x, mean, var), atol=1e-5)
    # The running variance moves towards that of the batch itself, where torch takes the unbiased estimate.
    moved = 0.8 * var + 0.2 * x.var((0, 2, 3), unbiased=False)
    trained = ttnn.batch_norm(tensor, running_mean=running[0], running_var=running[1], training=True, momentum=0.2)
    expected = torch.nn.functional.batch_norm(x, mean, var, training=True, momentum=0.2)
    assert torch.allclose(ttnn.to_torch(trained), expected, atol=1e-3)
    assert torch.allclose(ttnn.to_torch(running[0]).flatten(), mean, atol=1e-6)
    assert torch.allclose(ttnn.to_torch(running[1]).flatten(), moved, atol=1e-5)


def test_distributed_layer_norm_against_torch(device):
    torch.manual_seed(0)
    x, weight, bias = (torch.rand(*shape).bfloat16() for shape in ((1, 1, 32, 256), (256,), (256,)))

    def in_halves(whole):
        return [on_device(device, half.reshape(1, 1, -1, 128)) for half in whole.chunk(2, dim=-1)]

    halves = in_halves(x)
    stats = ttnn.concat([ttnn.layer_norm_pre_all_gather(half, dtype=ttnn.float32) for half in halves], dim=-1)
    results = [
        ttnn.layer_norm_post_all_gather(half, stats, epsilon=1e-5, weight=w, bias=b, dtype=ttnn.float32)
        for half, w, b in zip(halves, in_halves(weight), in_halves(bias))
    ]
    expected = torch.nn.functional.layer_norm(x.float(), [256], weight.float(), bias.float(), eps=1e-5)
    assert torch.allclose(torch.cat([ttnn.to_torch(result) for result in results], dim=-1), expected, atol=1e-3)


def test_rotated_heads_against_torch(device):
    """Pairs of neighbouring columns are turned, as the matrix says."""
    torch.manual_seed(0)
    x = torch.rand(1, 1, 32, 128)
    angles = torch.rand(32, 32).repeat_interleave(2, dim=-1)
    matrix = torch.zeros(32, 32)
    for i in range(0, 32, 2):
        matrix[i, i + 1], matrix[i + 1, i] = 1, -1
    tensor = on_device(device, x, dtype=ttnn.float32)
    stats = ttnn.experimental.wan_fused_rmsnorm_pre_allgather(tensor, dtype=ttnn.float32)
    result = ttnn.experimental.wan_fused_rmsnorm_post_allgather(
        tensor,
        stats,
        epsilon=1e-6,
        num_heads_per_device=2,
        transformation_mat=on_device(device, matrix.reshape(1, 1, 32, 32), dtype=ttnn.float32),
        rope_cos=on_device(device, angles.cos().reshape(1, 1, 32, 64), dtype=ttnn.float32),
        rope_sin=on_device(device, angles.sin().reshape(1, 1, 32, 64), dtype=ttnn.float32),
    )
    normal = x / (x.square().mean(dim=-1, keepdim=True) + 1e-6).sqrt()
    heads = normal.reshape(1, 32, 2, 64).permute(0, 2, 1, 3)
    even, odd = heads[..., ::2], heads[..., 1::2]
    turned = torch.stack((-odd, even), dim=-1).flatten(-2)
    expected = heads * angles.cos() + turned * angles.sin()
    assert torch.allclose(ttnn.to_torch(result), expected, atol=1e-4)


def test_reciprocals(device):
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 1))])
    tensor = ttnn.create_layer_norm_reciprocals(device, cores, 64)
    assert list(tensor.shape) == [4, 64] and tensor.dtype == ttnn.float32 and tensor.layout == ttnn.ROW_MAJOR_LAYOUT
    assert tensor.memory_config().memory_layout == ttnn.TensorMemoryLayout.HEIGHT_SHARDED
    assert torch.allclose(ttnn.to_torch(tensor)[3], 1 / torch.arange(1.0, 65.0))
    # Two of four rows of cores for each of two images: 16 channels times 4 rows of tiles, in halves.
    numbers = ttnn.create_group_norm_reciprocals(2, 64, 8, 16, 4, ttnn.CoreGrid(x=2, y=4))
    assert list(numbers.shape) == [8, 32] and numbers[7, 31] == 1 / 32


def test_configurations():
    assert repr(ttnn.create_layernorm_program_config()) == repr(ttnn.LayerNormDefaultProgramConfig())
    shards = ttnn.ShardSpec(
        ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (3, 1))]), [32, 64], ttnn.ShardOrientation.ROW_MAJOR
    )
    config = ttnn.create_layernorm_program_config(shards)
    assert (config.block_h, config.block_w, config.subblock_w, config.inplace) == (1, 2, 1, False)
    assert (config.compute_with_storage_grid_size.x, config.compute_with_storage_grid_size.y) == (4, 2)
    layer, rms = ttnn.layernorm_default_compute_config(None), ttnn.rmsnorm_default_compute_config(None)
    assert layer.fp32_dest_acc_en and not layer.math_approx_mode
    assert rms.math_approx_mode and not rms.fp32_dest_acc_en


def test_cores_across_channels():
    grid = ttnn.CoreGrid(x=4, y=2)
    layouts = ttnn.TensorMemoryLayout
    assert ttnn.get_group_norm_cores_across_channel(layouts.BLOCK_SHARDED, grid) == 2
    assert ttnn.get_group_norm_cores_across_channel(layouts.HEIGHT_SHARDED, grid) == 1
    assert ttnn.get_group_norm_cores_across_channel(layouts.INTERLEAVED, grid) == 8
    assert ttnn.operations.normalization.dram_group_norm_virtual_columns(grid, 64, 8) == 2
    assert ttnn.operations.normalization.find_max_tile_span(80, 10, 32) == 2
