"""tt_lib and tracy, which models of all ages import besides ttnn."""

import pytest
import torch
import tt_lib
import tt_lib.fallback_ops as fallback_ops
from tt_lib._internal.comparison_funcs import comp_pcc
from tt_lib.fused_ops.add_and_norm import AddAndNorm
from tt_lib.fused_ops.linear import Linear
from tt_lib.fused_ops.softmax import softmax
from tt_lib.utils import is_close, pad_activation, pad_weight

import ttnn


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def up(tensor, device, layout=ttnn.TILE_LAYOUT):
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=layout, device=device)


def down(tensor):
    return ttnn.to_torch(tensor).float()


def test_it_is_ours():
    import tracelift.tt_lib

    assert tt_lib is tracelift.tt_lib and tt_lib.fallback_ops.fallback_ops is fallback_ops
    assert tt_lib.operations is ttnn._ttnn.deprecated.operations
    from tt_lib.fallback_ops.fallback_ops import Conv2d

    assert Conv2d is fallback_ops.Conv2d


def test_padding_to_tiles():
    vector, matrix, images = torch.rand(5), torch.rand(3, 40), torch.rand(2, 3, 4, 40)
    assert pad_activation(vector).shape == pad_weight(vector).shape == (1, 1, 32, 32)
    assert torch.equal(pad_activation(vector)[0, 0, 0, :5], vector) and pad_activation(vector).sum() == vector.sum()
    assert pad_activation(matrix).shape == (3, 1, 32, 64) and pad_weight(matrix).shape == (1, 1, 32, 64)
    assert pad_activation(images[0]).shape == (3, 1, 32, 64) and pad_activation(images).shape == (2, 3, 32, 64)
    assert torch.equal(pad_weight(matrix)[0, 0, :3, :40], matrix)


def test_small_helpers(capsys):
    from tt_lib import utils

    assert (utils.roundup32(33), utils._nearest_32(32), utils._nearest_y(5, 4), utils.divup(5, 4)) == (64, 32, 8, 2)
    assert utils.float_to_bits(1.0) == 0x3F800000 and utils.find_closest_largest_divisor(12, 5) == 4
    assert utils.tilize_to_list(torch.ones(1, 2)) == [1.0, 1.0] and utils.tilize(5) == utils.untilize(5) == 5
    a = torch.tensor([1.0, 100.0])
    assert is_close(a, a * 1.05) and not is_close(a, a * 1.2) and is_close(torch.tensor([0.0]), torch.tensor([0.07]))
    utils.print_diff_argmax(a, a + torch.tensor([0.0, 1.0]), "here")
    assert capsys.readouterr().out == "Abs diff=1.0 at 1 (100.0, 101.0) here\n"
    assert comp_pcc(a, a) == (True, 1.0)


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda x: fallback_ops.reshape(x, 1, 2, 64, 16), lambda x: x.reshape(1, 2, 64, 16)),
        (lambda x: fallback_ops.permute(x, (0, 1, 3, 2)), lambda x: x.permute(0, 1, 3, 2)),
        (lambda x: fallback_ops.tensor_slice(x, [slice(0, 1), slice(1, 2)]), lambda x: x[0:1, 1:2]),
        (lambda x: fallback_ops.softmax(x, -1), lambda x: x.softmax(-1)),
        (lambda x: fallback_ops.silu(x), torch.nn.functional.silu),
        (lambda x: fallback_ops.concat([x, x], dim=1), lambda x: torch.cat([x, x], 1)),
        (lambda x: fallback_ops.chunk(x, 2, -1)[1], lambda x: x.chunk(2, -1)[1]),
        (lambda x: fallback_ops.pad(x, (0, 32)), lambda x: torch.nn.functional.pad(x, (0, 32))),
        (lambda x: fallback_ops.repeat(x, (1, 1, 2, 1)), lambda x: x.repeat(1, 1, 2, 1)),
        (lambda x: fallback_ops.unary_fmod(x, 0.3), lambda x: x.fmod(0.3)),
        (
            lambda x: fallback_ops.interpolate(x, scale_factor=2.0),
            lambda x: torch.nn.functional.interpolate(x, scale_factor=2.0),
        ),
        (lambda x: fallback_ops.layer_norm(x, 32), lambda x: torch.nn.functional.layer_norm(x, (32,))),
    ],
)
def test_torch_functions_on_tensors(call, expected, device):
    values = torch.rand(1, 2, 32, 32).bfloat16().float()
    result = call(up(values, device))
    wanted = expected(values)
    assert result.device() is device and result.dtype == ttnn.bfloat16 and list(result.shape) == list(wanted.shape)
    assert torch.equal(down(result), wanted.bfloat16().float())


def test_where_results_go(device, caplog):
    x = up(torch.rand(1, 2, 32, 32), device)
    assert fallback_ops.silu(x).layout == ttnn.TILE_LAYOUT
    assert fallback_ops.silu(x, output_layout=ttnn.ROW_MAJOR_LAYOUT).layout == ttnn.ROW_MAJOR_LAYOUT
    assert fallback_ops.silu(x, output_on_device=False).device() is None
    narrow = fallback_ops.tensor_slice(x, [slice(None), slice(None), slice(0, 4), slice(0, 6)])
    assert narrow.layout == ttnn.ROW_MAJOR_LAYOUT and narrow.device() is device
    odd = fallback_ops.tensor_slice(x, [slice(None), slice(None), slice(0, 4), slice(0, 5)])
    assert odd.device() is None
    row = fallback_ops.full([32], 2.0)
    assert list(row.shape) == [1, 1, 1, 32] and row.device() is None
    ttnn.SetDefaultDevice(device)
    assert fallback_ops.full([32, 32], 2.0).device() is device
    ttnn.SetDefaultDevice(None)
    fallback_ops.binary_fmod(x, torch.ones(1, 2, 32, 32))
    assert "a torch tensor was given" in caplog.text
    indices = fallback_ops.torch_argmax(x, dim=-1)
    assert torch.equal(ttnn.to_torch(indices).long().reshape(2, 32), ttnn.to_torch(x).float().argmax(-1).reshape(2, 32))


def test_modules_with_parameters_of_ttnn(device):
    images = torch.rand(1, 4, 8, 8).bfloat16().float()
    conv = torch.nn.Conv2d(4, 32, 3, padding=1)
    made = fallback_ops.Conv2d(
        ttnn.from_torch(conv.weight), ttnn.from_torch(conv.bias.reshape(1, 1, 1, -1)), 4, 32, 3, padding=1
    )
    x = up(images, device, ttnn.ROW_MAJOR_LAYOUT)
    torch.testing.assert_close(down(made(x)), conv(images).detach(), rtol=1e-2, atol=1e-2)
    norm = torch.nn.BatchNorm2d(4).eval()
    norm.running_mean.uniform_(-1, 1)
    parts = (norm.weight, norm.bias, norm.running_mean, norm.running_var)
    made = fallback_ops.BatchNorm2d(*(part.detach().clone() for part in parts), None, 4)
    torch.testing.assert_close(down(made(x)), norm(images).detach(), rtol=1e-2, atol=2e-2)
    assert list(fallback_ops.MaxPool2d(2)(x).shape) == [1, 4, 4, 4]
    assert list(fallback_ops.AdaptiveAvgPool2d((1, 1))(x, output_on_device=False).shape) == [1, 4, 1, 1]
    groups = fallback_ops.GroupNorm(torch.ones(4), torch.zeros(4), 2, 4)
    torch.testing.assert_close(down(groups(x)), torch.nn.GroupNorm(2, 4)(images).detach(), rtol=2e-2, atol=2e-2)
    rows = fallback_ops.LayerNorm(torch.ones(1, 1, 1, 8), torch.zeros(1, 1, 1, 8), [8])
    torch.testing.assert_close(down(rows(x)), torch.nn.LayerNorm(8)(images).detach(), rtol=2e-2, atol=2e-2)


def test_layers_of_operations(device):
    x, weight, bias = (torch.rand(1, 1, 32, 32).bfloat16().float() for _ in range(3))
    layer = Linear(32, 32, up(weight, device), up(bias, device), device)
    expected = x @ weight.transpose(-2, -1) + bias[:, :, :1]
    torch.testing.assert_close(down(layer(up(x, device))), expected, rtol=2e-2, atol=1e-1)
    torch.testing.assert_close(down(softmax(up(x, device))), x.softmax(-1), rtol=2e-2, atol=1e-3)
    ones, zeros = torch.ones(1, 1, 1, 32), torch.zeros(1, 1, 1, 32)
    norm = AddAndNorm(up(ones, device), up(zeros, device), 1e-5, 32, 32, device)
    wanted = torch.nn.functional.layer_norm(x + weight, (32,))
    torch.testing.assert_close(down(norm(up(x, device), up(weight, device))), wanted, rtol=5e-2, atol=5e-2)


def test_marks_in_profiles():
    from tracy import Profiler, signpost

    messages = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ttnn, "tracy_message", messages.append)
        signpost("start")
        signpost(header="layer", message="norm")
    assert messages == ["`TT_SIGNPOST: start`", "`TT_SIGNPOST: layer\nnorm`"]
    profiler = Profiler()
    profiler.enable()
    profiler.disable()
