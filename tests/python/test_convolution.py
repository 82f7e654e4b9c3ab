"""Convolutions as models call them: against torch, with the keywords of the original."""

import pytest
import torch

from tracelift import ttnn


def _image(device, channels, height=6, width=5, batch=2, **kwargs):
    torch.manual_seed(0)
    image = torch.rand(batch, channels, height, width) - 0.5
    flat = image.permute(0, 2, 3, 1).reshape(1, 1, batch * height * width, channels)
    return image, ttnn.from_torch(flat, dtype=ttnn.float32, device=device, **kwargs)


def _call(device, channels, outputs, kernel, height=6, width=5, batch=2):
    return dict(
        device=device,
        in_channels=channels,
        out_channels=outputs,
        batch_size=batch,
        input_height=height,
        input_width=width,
        kernel_size=kernel,
    )


def _as_image(flat, batch, height, width):
    return ttnn.to_torch(flat).reshape(batch, height, width, -1).permute(0, 3, 1, 2)


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize(
    "layout",
    [
        None,
        ttnn.TensorMemoryLayout.HEIGHT_SHARDED,
        ttnn.TensorMemoryLayout.WIDTH_SHARDED,
        ttnn.TensorMemoryLayout.BLOCK_SHARDED,
    ],
)
def test_conv2d_agrees_with_torch(device, groups, layout):
    memory = ttnn.DRAM_MEMORY_CONFIG if layout is None else ttnn.L1_MEMORY_CONFIG
    image, flat = _image(device, 8, layout=ttnn.TILE_LAYOUT, memory_config=memory)
    weight = torch.rand(12, 8 // groups, 3, 2) - 0.5
    bias = torch.rand(1, 1, 1, 12)
    output, [height, width], [prepared, prepared_bias] = ttnn.conv2d(
        input_tensor=flat,
        weight_tensor=ttnn.from_torch(weight, dtype=ttnn.float32),
        bias_tensor=ttnn.from_torch(bias, dtype=ttnn.float32),
        **_call(device, 8, 12, (3, 2)),
        stride=(2, 1),
        padding=(1, 0),
        dilation=(1, 2),
        groups=groups,
        conv_config=ttnn.Conv2dConfig(shard_layout=layout, activation=ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU)),
        return_output_dim=True,
        return_weights_and_bias=True,
    )
    expected = torch.nn.functional.conv2d(
        image, weight, bias.flatten(), stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=groups
    ).relu()
    assert (height, width) == tuple(expected.shape[2:])
    assert torch.allclose(_as_image(output, 2, height, width), expected, atol=1e-5)
    assert tuple(prepared.shape) == (1, 1, 48, 12) and tuple(prepared_bias.shape) == (1, 1, 1, 12)
    assert prepared.layout == ttnn.TILE_LAYOUT


def test_conv_transpose2d_agrees_with_torch(device):
    image, flat = _image(device, 8, layout=ttnn.TILE_LAYOUT)
    weight = torch.rand(8, 6, 3, 3) - 0.5
    output, [height, width] = ttnn.conv_transpose2d(
        input_tensor=flat,
        weight_tensor=ttnn.from_torch(weight, dtype=ttnn.float32),
        **_call(device, 8, 6, (3, 3)),
        stride=(2, 2),
        padding=(1, 1),
        output_padding=(1, 0),
        return_output_dim=True,
    )
    expected = torch.nn.functional.conv_transpose2d(image, weight, stride=2, padding=1, output_padding=(1, 0))
    assert (height, width) == tuple(expected.shape[2:])
    assert torch.allclose(_as_image(output, 2, height, width), expected, atol=1e-5)


@pytest.mark.parametrize("slices", [None, ttnn.Op2DSliceConfig(slice_type=ttnn.Op2DDRAMSliceHeight, num_slices=3)])
@pytest.mark.parametrize("mirror", [True, False])
@pytest.mark.parametrize(
    "groups, dilation, padding", [(1, (1, 1), (1, 0)), (2, (1, 2), (0, 1, 2, 0)), (2, (2, 1), (1, 2, 0, 1))]
)
def test_transposed_windows_agree_with_torch(device, groups, dilation, padding, mirror, slices):
    image, flat = _image(device, 8, layout=ttnn.TILE_LAYOUT)
    weight = torch.rand(8, 6 // groups, 3, 2) - 0.5
    given = weight if mirror else weight.flip(2, 3)  # the caller turned them round
    output, [height, width] = ttnn.conv_transpose2d(
        input_tensor=flat,
        weight_tensor=ttnn.from_torch(given.contiguous(), dtype=ttnn.float32),
        **_call(device, 8, 6, (3, 2)),
        stride=(2, 3),
        padding=padding,
        dilation=dilation,
        groups=groups,
        mirror_kernel=mirror,
        dram_slice_config=slices,
        return_output_dim=True,
    )
    whole = torch.nn.functional.conv_transpose2d(image, weight, stride=(2, 3), dilation=dilation, groups=groups)
    top, bottom, left, right = padding if len(padding) == 4 else 2 * padding[:1] + 2 * padding[1:]
    expected = whole[:, :, top : whole.shape[2] - bottom, left : whole.shape[3] - right]
    assert (height, width) == tuple(expected.shape[2:])
    assert torch.allclose(_as_image(output, 2, height, width), expected, atol=1e-5)


@pytest.mark.parametrize(
    "stride, dilation, groups, biased", [(1, 1, 1, False), (2, 1, 1, True), (1, 3, 4, False), (3, 2, 2, True)]
)
def test_conv1d_agrees_with_torch(device, stride, dilation, groups, biased):
    torch.manual_seed(0)
    lines = torch.rand(2, 8, 10) - 0.5
    weight = torch.rand(4, 8 // groups, 3) - 0.5
    bias = torch.rand(4) if biased else None
    output, length = ttnn.conv1d(
        input_tensor=ttnn.from_torch(lines.permute(0, 2, 1), dtype=ttnn.float32, device=device),
        weight_tensor=ttnn.from_torch(weight, dtype=ttnn.float32),
        bias_tensor=ttnn.from_torch(bias.reshape(1, 1, 1, 4), dtype=ttnn.float32) if biased else None,
        device=device,
        in_channels=8,
        out_channels=4,
        batch_size=2,
        input_length=10,
        kernel_size=3,
        stride=stride,
        padding=(2, 1),
        dilation=dilation,
        groups=groups,
        conv_config=ttnn.Conv1dConfig(deallocate_activation=True),
        return_output_dim=True,
    )
    padded = torch.nn.functional.pad(lines, (2, 1))
    expected = torch.nn.functional.conv1d(padded, weight, bias, stride, 0, dilation, groups)
    assert length == expected.shape[2]
    actual = ttnn.to_torch(output).reshape(2, length, 4).permute(0, 2, 1)
    assert torch.allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize(
    "stride, dilation, groups", [((1, 1, 1), (1, 1, 1), 1), ((2, 1, 3), (1, 1, 1), 2), ((1, 2, 1), (2, 1, 2), 1)]
)
@pytest.mark.parametrize("mode", ["zeros", "replicate"])
def test_conv3d_agrees_with_torch(device, mode, stride, dilation, groups):
    torch.manual_seed(0)
    windows = dict(stride=stride, padding=(1, 0, 1), dilation=dilation, groups=groups, padding_mode=mode)
    layer = torch.nn.Conv3d(64, 16, (3, 2, 3), **windows)
    volume = torch.rand(1, 64, 4, 5, 6) - 0.5
    rows = layer.weight.detach().permute(2, 3, 4, 1, 0).reshape(-1, 16)
    output = ttnn.experimental.conv3d(
        input_tensor=ttnn.from_torch(volume.permute(0, 2, 3, 4, 1), dtype=ttnn.float32, device=device),
        weight_tensor=ttnn.from_torch(rows, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device),
        bias_tensor=ttnn.from_torch(
            layer.bias.detach().reshape(1, -1), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device
        ),
        config=ttnn.Conv3dConfig(weights_dtype=ttnn.float32, compute_with_storage_grid_size=(8, 8)),
        dtype=ttnn.float32,
        output_channels=16,
        kernel_size=(3, 2, 3),
        **windows,
    )
    with torch.no_grad():
        expected = layer(volume)
    assert torch.allclose(ttnn.to_torch(output).permute(0, 4, 1, 2, 3), expected, atol=1e-5)


def test_prepared_weights_give_the_same_result(device):
    _, flat = _image(device, 16, layout=ttnn.TILE_LAYOUT)
    weight = ttnn.from_torch(torch.rand(8, 16, 3, 3) - 0.5, dtype=ttnn.float32)
    call = _call(device, 16, 8, (3, 3))
    coming = dict(
        input_memory_config=flat.memory_config(), input_layout=flat.layout, input_dtype=flat.dtype, groups=1, **call
    )
    prepared = ttnn.prepare_conv_weights(weight_tensor=weight, weights_format="OIHW", has_bias=False, **coming)
    plain = ttnn.to_torch(ttnn.conv2d(input_tensor=flat, weight_tensor=weight, **call))
    again = ttnn.to_torch(ttnn.conv2d(input_tensor=flat, weight_tensor=ttnn.to_device(prepared, device), **call))
    assert torch.equal(plain, again)


def test_the_golden_is_a_convolution_of_torch_tensors(device):
    image, flat = _image(device, 4, layout=ttnn.TILE_LAYOUT)
    weight = torch.rand(6, 4, 3, 3)
    golden = ttnn.get_golden_function(ttnn.conv2d)
    arguments = dict(input_tensor=ttnn.to_torch(flat), weight_tensor=weight, **_call(device, 4, 6, (3, 3)))
    expected = torch.nn.functional.conv2d(image, weight).permute(0, 2, 3, 1).reshape(1, 1, -1, 6)
    assert torch.allclose(golden(**arguments), expected, atol=1e-5)
    (only,) = golden(**arguments, return_output_dim=True)
    assert torch.allclose(only, expected, atol=1e-5)


def test_names_of_configurations():
    assert ttnn.Conv1dConfig is ttnn.Conv2dConfig and ttnn.Conv2dSliceConfig is ttnn.Op2DSliceConfig
    slices = ttnn.Conv2dSliceConfig(slice_type=ttnn.Conv2dDRAMSliceWidth, num_slices=4)
    assert slices.slice_type is ttnn.Op2DSliceConfig.SliceTypeEnum.DRAMSliceWidth and slices.num_slices == 4
    assert ttnn.Conv2dL1FullSliceConfig.slice_type is ttnn.Conv2dL1Full
    config = ttnn.Conv2dConfig(weights_dtype=ttnn.bfloat8_b, shard_layout=ttnn.TensorMemoryLayout.BLOCK_SHARDED)
    config.act_block_h_override = 64
    assert config.act_block_h_override == 64 and config.reallocate_halo_output and config.core_grid is None
    with pytest.raises(TypeError):
        ttnn.Conv2dConfig(no_such_field=1)


@pytest.mark.parametrize(
    "arguments, size",
    [((224, 7, 2, 3), 112), ((10, 3), 8), ((10, 3, 1, 0, 2), 6), ((7, 5, 1, 2), 7)],
)
def test_size_of_a_result(arguments, size):
    assert ttnn.get_conv_output_dim(*arguments) == size
