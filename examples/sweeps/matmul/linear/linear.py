"""ttnn.linear against torch: three tensors, and arguments that are no tensors.

Paired vectors carry a name; run() gets of that configuration whatever it names: tensors by their parameter's name, and
program configs, memory configs and activations as objects of ttnn.
"""

import torch
import ttnn

from tracelift.sweep_framework.master_config_loader import MasterConfigLoader
from tracelift.testing import check_with_pcc, start_measuring_time, stop_measuring_time

TIMEOUT = 60

loader = MasterConfigLoader()
model_traced_params = loader.get_suite_parameters("linear")

parameters = {
    "nightly": {
        "input_a_shape": [[1, 1, 64, 64], [2, 1, 32, 96]],
        "output_features": [32, 128],
        "with_bias": [True, False],
    },
    "model_traced": model_traced_params,
}

_ACTIVATIONS = {None: lambda x: x, "relu": torch.relu, "silu": torch.nn.functional.silu}


def _made(spec, device):
    """A tensor of what the trace says about one, and the numbers that it was made of."""
    values = torch.rand(spec.shape, dtype=torch.float32) * 2 - 1
    tensor = ttnn.from_torch(
        values, dtype=spec.dtype, layout=spec.layout, device=device, memory_config=spec.memory_config
    )
    return values, tensor


def _plain(shape, device):
    values = torch.rand(shape, dtype=torch.float32) * 2 - 1
    return values, ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def run(
    input_a_shape=None,
    output_features=None,
    with_bias=True,
    input_tensor_a=None,
    input_tensor_b=None,
    bias=None,
    transpose_a=False,
    transpose_b=False,
    memory_config=None,
    dtype=None,
    program_config=None,
    activation=None,
    compute_kernel_config=None,
    traced_config_name=None,
    *,
    device,
) -> list:
    torch.manual_seed(0)
    if traced_config_name:
        torch_a, tensor_a = _made(input_tensor_a, device)
        torch_b, tensor_b = _made(input_tensor_b, device)
        torch_bias, tensor_bias = _made(bias, device) if bias is not None else (None, None)
    else:
        torch_a, tensor_a = _plain(input_a_shape, device)
        torch_b, tensor_b = _plain([input_a_shape[-1], output_features], device)
        torch_bias, tensor_bias = _plain([1, output_features], device) if with_bias else (None, None)

    expected = torch.matmul(
        torch_a.transpose(-1, -2) if transpose_a else torch_a, torch_b.transpose(-1, -2) if transpose_b else torch_b
    )
    expected = _ACTIVATIONS[activation](expected + torch_bias if torch_bias is not None else expected)

    start = start_measuring_time()
    output_tensor = ttnn.linear(
        tensor_a,
        tensor_b,
        bias=tensor_bias,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        memory_config=memory_config,
        dtype=dtype,
        program_config=program_config,
        activation=activation,
        compute_kernel_config=compute_kernel_config,
    )
    actual = ttnn.to_torch(output_tensor)
    e2e_perf = stop_measuring_time(start)
    return [check_with_pcc(expected, actual, 0.99), e2e_perf]
