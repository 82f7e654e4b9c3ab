"""Operations over images, which are stored channels last here and channels first in torch."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch_support import Comparisons, put, rows

from tracelift import ttnn

COMPARED = Comparisons()


def flat(image):
    """[N, C, H, W] -> [1, 1, N * H * W, C]."""
    return image.permute(0, 2, 3, 1).reshape(1, 1, -1, image.shape[1])


def channels_first(held, batch, height, width):
    return held.reshape(batch, height, width, -1).permute(0, 3, 1, 2)


def flat_image(device, batch, channels, height, width):
    """An image in one row of pixels, and what torch calls the same."""
    tensor, held = rows(device, flat(torch.randn(batch, channels, height, width)))
    return tensor, channels_first(held, batch, height, width)


def image(device, batch, channels, height, width, dtype=ttnn.float32):
    tensor, held = rows(device, torch.randn(batch, height, width, channels), dtype)
    return tensor, held.permute(0, 3, 1, 2)


@COMPARED("prepare_conv_weights", "prepare_conv_bias", "conv2d")
def convolution_with_prepared_weights(device):
    pixels, held = put(device, flat(torch.randn(2, 16, 9, 7)), ttnn.float32)
    weight, bias = torch.randn(24, 8, 3, 2), torch.randn(1, 1, 1, 24)
    call = dict(
        in_channels=16,
        out_channels=24,
        batch_size=2,
        input_height=9,
        input_width=7,
        kernel_size=(3, 2),
        stride=(2, 1),
        padding=(1, 0),
        dilation=(1, 2),
        groups=2,
        device=device,
    )
    coming = dict(
        call, input_memory_config=pixels.memory_config(), input_layout=pixels.layout, input_dtype=ttnn.float32
    )
    prepared = ttnn.prepare_conv_weights(
        weight_tensor=ttnn.from_torch(weight, dtype=ttnn.float32), weights_format="OIHW", has_bias=True, **coming
    )
    prepared_bias = ttnn.prepare_conv_bias(bias_tensor=ttnn.from_torch(bias, dtype=ttnn.float32), **coming)
    result = ttnn.conv2d(input_tensor=pixels, weight_tensor=prepared, bias_tensor=prepared_bias, **call)
    expected = F.conv2d(
        channels_first(held, 2, 9, 7), weight.double(), bias.flatten().double(), (2, 1), (1, 0), (1, 2), groups=2
    )
    yield result, flat(expected)


@COMPARED("prepare_conv_transpose2d_weights", "prepare_conv_transpose2d_bias", "conv_transpose2d")
def transposed_convolution_with_prepared_weights(device):
    pixels, held = put(device, flat(torch.randn(2, 16, 6, 7)), ttnn.float32)
    weight, bias = torch.randn(16, 24, 3, 3), torch.randn(1, 1, 1, 24)
    call = dict(
        in_channels=16,
        out_channels=24,
        batch_size=2,
        input_height=6,
        input_width=7,
        kernel_size=(3, 3),
        stride=(2, 2),
        padding=(1, 1),
        device=device,
    )
    coming = dict(
        call, input_memory_config=pixels.memory_config(), input_layout=pixels.layout, input_dtype=ttnn.float32
    )
    prepared = ttnn.prepare_conv_transpose2d_weights(
        weight_tensor=ttnn.from_torch(weight, dtype=ttnn.float32), weights_format="IOHW", has_bias=True, **coming
    )
    prepared_bias = ttnn.prepare_conv_transpose2d_bias(bias_tensor=ttnn.from_torch(bias, dtype=ttnn.float32), **coming)
    result = ttnn.conv_transpose2d(
        input_tensor=pixels, weight_tensor=prepared, bias_tensor=prepared_bias, output_padding=(1, 0), **call
    )
    expected = F.conv_transpose2d(
        channels_first(held, 2, 6, 7),
        weight.double(),
        bias.flatten().double(),
        stride=2,
        padding=1,
        output_padding=(1, 0),
    )
    yield result, flat(expected)


@COMPARED("max_pool2d", exact=True)
def max_pool2d(device):
    tensor, held = flat_image(device, 2, 32, 11, 8)
    plain = ttnn.max_pool2d(tensor, 2, 11, 8, 32, (3, 2), (2, 2), [1, 1], (1, 1))
    yield plain, flat(F.max_pool2d(held, (3, 2), 2, 1))
    dilated = ttnn.max_pool2d(tensor, 2, 11, 8, 32, (3, 3), (1, 2), [1, 0], (2, 1), ceil_mode=True)
    yield dilated, flat(F.max_pool2d(held, 3, (1, 2), (1, 0), (2, 1), ceil_mode=True))
    values, places = ttnn.max_pool2d(tensor, 2, 11, 8, 32, (2, 2), (2, 2), [0, 0], (1, 1), return_indices=True)
    expected, indices = F.max_pool2d(held, 2, 2, return_indices=True)
    yield values, flat(expected)
    yield places, flat(indices)
    sides = ttnn.max_pool2d(tensor, 2, 11, 8, 32, (3, 3), (2, 1), [0, 2, 1, 0], (1, 1))
    yield sides, flat(F.max_pool2d(F.pad(held, (1, 0, 0, 2), value=-math.inf), 3, (2, 1)))


@COMPARED("avg_pool2d")
def avg_pool2d(device):
    tensor, held = flat_image(device, 2, 32, 11, 8)
    yield ttnn.avg_pool2d(tensor, 2, 11, 8, 32, (3, 2), (2, 2), [1, 1]), flat(F.avg_pool2d(held, (3, 2), 2, 1))
    for options in (dict(ceil_mode=True), dict(count_include_pad=False), dict(divisor_override=5)):
        expected = F.avg_pool2d(held, 3, 2, 1, **options)
        yield ttnn.avg_pool2d(tensor, 2, 11, 8, 32, (3, 3), (2, 2), [1, 1], **options), flat(expected)
    for counted in (True, False):
        result = ttnn.avg_pool2d(tensor, 2, 11, 8, 32, (3, 3), (2, 1), [0, 2, 1, 0], count_include_pad=counted)
        sums, inside = (F.avg_pool2d(F.pad(x, (1, 0, 0, 2)), 3, (2, 1)) for x in (held, torch.ones_like(held)))
        yield result, flat(sums if counted else sums / inside)


@COMPARED("adaptive_avg_pool2d", "adaptive_max_pool2d")
def adaptive_pools(device):
    tensor, held = flat_image(device, 2, 32, 12, 8)
    for size in ((1, 1), (4, 2)):
        yield ttnn.adaptive_avg_pool2d(tensor, 2, 12, 8, 32, size), flat(F.adaptive_avg_pool2d(held, size))
        yield ttnn.adaptive_max_pool2d(tensor, 2, 12, 8, 32, size), flat(F.adaptive_max_pool2d(held, size))
    tensor, held = flat_image(device, 2, 32, 7, 10)  # neither is a multiple
    yield ttnn.adaptive_avg_pool2d(tensor, 2, 7, 10, 32, (2, 3)), flat(F.adaptive_avg_pool2d(held, (2, 3)))
    yield ttnn.adaptive_max_pool2d(tensor, 2, 7, 10, 32, (2, 3)), flat(F.adaptive_max_pool2d(held, (2, 3)))


@COMPARED("global_avg_pool2d")
def global_avg_pool2d(device):
    tensor, held = put(device, torch.randn(2, 4, 32, 64))
    yield ttnn.global_avg_pool2d(tensor), held.mean((1, 2), keepdim=True)


@COMPARED("upsample")
def upsample(device):
    tensor, held = image(device, 2, 32, 6, 5, ttnn.bfloat16)
    for mode in ("nearest", "bilinear"):
        expected = F.interpolate(held, scale_factor=(2, 3), mode=mode)
        yield ttnn.upsample(tensor, [2, 3], mode=mode), expected.permute(0, 2, 3, 1)
    yield ttnn.upsample(tensor, 2), F.interpolate(held, scale_factor=2).permute(0, 2, 3, 1)
    for scale in (1.5, [2.5, 1.25]):
        yield ttnn.upsample(tensor, scale), F.interpolate(held, scale_factor=scale).permute(0, 2, 3, 1)


@COMPARED("fold", exact=True)
def space_to_depth(device):
    """pixel_unshuffle has the pixels of a patch inside of each channel; here they have all channels inside."""
    tensor, held = image(device, 2, 8, 6, 12, ttnn.bfloat16)
    expected = F.pixel_unshuffle(held, 2).reshape(2, 8, 4, 3, 6).permute(0, 3, 4, 2, 1)
    result = ttnn.to_torch(ttnn.fold(tensor, 2, 2))
    yield result.reshape(2, 3, 6, 32), expected.reshape(2, 3, 6, 32)


@COMPARED("moreh_fold")
def fold(device):
    tensor, held = rows(device, torch.randn(2, 3 * 6, 12), ttnn.float32)
    sizes = dict(output_size=[7, 8], kernel_size=[3, 2], dilation=[2, 1], padding=[1, 0], stride=[2, 2])
    yield ttnn.moreh_fold(tensor, None, **sizes), F.fold(held, **sizes)


@COMPARED("grid_sample", "prepare_grid_sample_grid")
def grid_sample(device):
    tensor, held = image(device, 2, 32, 7, 9, ttnn.bfloat16)
    grid, points = rows(device, torch.rand(2, 4, 5, 2) * 2.4 - 1.2, ttnn.float32)
    for corners in (False, True):
        for mode in ("bilinear", "nearest"):
            expected = F.grid_sample(held, points, mode, "zeros", corners).permute(0, 2, 3, 1)
            yield ttnn.grid_sample(tensor, grid, mode=mode, align_corners=corners), expected
    prepared = ttnn.prepare_grid_sample_grid(grid.cpu(), [2, 7, 9, 32], output_dtype=ttnn.bfloat16)
    result = ttnn.grid_sample(tensor, ttnn.to_device(prepared, device), use_precomputed_grid=True)
    yield result, F.grid_sample(held, points, "bilinear", "zeros", False).permute(0, 2, 3, 1)


@COMPARED("rotate")
def rotate(device):
    """Where each pixel of the result comes from, as a grid."""
    tensor, held = image(device, 2, 32, 8, 10)
    cosine, sine = math.cos(math.radians(30)), math.sin(math.radians(30))
    x, y = torch.meshgrid(torch.arange(10.0).double() - 4.5, torch.arange(8.0).double() - 3.5, indexing="xy")
    grid = torch.stack([(cosine * x - sine * y) / 5, (sine * x + cosine * y) / 4], dim=-1).expand(2, 8, 10, 2)
    for mode in ("bilinear", "nearest"):
        expected = F.grid_sample(held, grid, mode, "zeros", False).permute(0, 2, 3, 1)
        yield ttnn.rotate(tensor, 30.0, interpolation_mode=mode), expected


@COMPARED("experimental.intimg")
def sums_of_pixels(device):
    tensor, held = put(device, torch.rand(1, 32, 64, 32))
    yield ttnn.experimental.intimg(tensor), held.cumsum(1).cumsum(2)


@COMPARED("experimental.convert_to_hwc", "experimental.convert_to_chw", exact=True)
def channels_last_and_back(device):
    def sharded(shape, strategy):
        return ttnn.create_sharded_memory_config(shape, ttnn.CoreGrid(x=4, y=1), strategy)

    values = torch.randn(1, 1, 16, 256)
    tensor, held = rows(device, values, memory_config=sharded([1, 1, 16, 256], ttnn.ShardStrategy.WIDTH))
    yield ttnn.experimental.convert_to_hwc(tensor), held.transpose(2, 3)
    tensor, held = put(
        device, values.transpose(2, 3), memory_config=sharded([1, 1, 256, 32], ttnn.ShardStrategy.HEIGHT)
    )
    yield ttnn.experimental.convert_to_chw(tensor), held.transpose(2, 3)


@pytest.mark.parametrize("name", COMPARED)
def test_image_operation(device, name):
    COMPARED.run(name, device)
