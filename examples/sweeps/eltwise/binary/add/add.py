"""ttnn.add against torch: made-up shapes (nightly) and what models call it with (model_traced)."""

import torch
import ttnn

from tracelift.sweep_framework.master_config_loader import MasterConfigLoader, unpack_binary_traced_config
from tracelift.testing import check_with_pcc, start_measuring_time, stop_measuring_time

TIMEOUT = 30

loader = MasterConfigLoader()
model_traced_params = loader.get_suite_parameters("add")

parameters = {
    "nightly": {
        "input_shape": [
            {"self": [1, 1, 32, 32], "other": [1, 1, 32, 32]},
            {"self": [2, 1, 64, 96], "other": [1, 1, 1, 96]},
        ],
        "input_a_dtype": [ttnn.bfloat16, ttnn.bfloat8_b],
        "input_b_dtype": [ttnn.bfloat16],
        "input_a_layout": [ttnn.TILE_LAYOUT],
        "input_b_layout": [ttnn.TILE_LAYOUT],
        "input_a_memory_config": [ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG],
        "input_b_memory_config": [ttnn.DRAM_MEMORY_CONFIG],
    },
    "model_traced": model_traced_params,
}


def _made(shape, dtype, layout, memory_config, device):
    """Random numbers that the dtype can hold, and the tensor of them."""
    if dtype in (ttnn.int32, ttnn.uint32, ttnn.uint16):
        values = torch.randint(0, 1000, shape, dtype=torch.int32)
    else:
        values = torch.rand(shape, dtype=torch.float32) * 2 - 1
    return values, ttnn.from_torch(values, dtype=dtype, layout=layout, device=device, memory_config=memory_config)


def run(
    input_shape=None,
    input_a_dtype=None,
    input_b_dtype=None,
    input_a_layout=None,
    input_b_layout=None,
    input_a_memory_config=None,
    input_b_memory_config=None,
    input_tensor_b=None,
    traced_config_name=None,
    *,
    device,
) -> list:
    if traced_config_name:
        (
            input_shape,
            input_a_dtype,
            input_b_dtype,
            input_a_layout,
            input_b_layout,
            input_a_memory_config,
            input_b_memory_config,
        ) = unpack_binary_traced_config(traced_config_name)

    torch.manual_seed(0)
    torch_a, input_a = _made(input_shape["self"], input_a_dtype, input_a_layout, input_a_memory_config, device)
    if input_shape["other"] is None:  # a configuration with a number
        torch_b = input_b = input_tensor_b
    else:
        torch_b, input_b = _made(input_shape["other"], input_b_dtype, input_b_layout, input_b_memory_config, device)
    expected = torch_a + torch_b

    start = start_measuring_time()
    output_tensor = ttnn.add(input_a, input_b)
    actual = ttnn.to_torch(output_tensor)
    e2e_perf = stop_measuring_time(start)
    return [check_with_pcc(expected, actual, 0.999), e2e_perf]
