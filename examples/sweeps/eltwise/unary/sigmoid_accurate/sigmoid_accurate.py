"""ttnn.sigmoid_accurate against torch: made-up shapes (nightly) and what models call it with (model_traced)."""

import torch
import ttnn

from tracelift.sweep_framework.master_config_loader import MasterConfigLoader, unpack_traced_config
from tracelift.testing import check_with_pcc, start_measuring_time, stop_measuring_time

TIMEOUT = 30

loader = MasterConfigLoader()
model_traced_params = loader.get_suite_parameters("sigmoid_accurate")

parameters = {
    "nightly": {
        "input_shape": [[1, 1, 32, 32], [1, 2, 64, 96], [3, 128, 32]],
        "input_a_dtype": [ttnn.bfloat16, ttnn.bfloat8_b],
        "input_a_layout": [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT],
        "input_a_memory_config": [ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG],
        "output_memory_config": [ttnn.DRAM_MEMORY_CONFIG],
    },
    "model_traced": model_traced_params,
}


def invalidate_vector(test_vector):
    if test_vector.get("input_a_dtype") == ttnn.bfloat8_b and test_vector["input_a_layout"] == ttnn.ROW_MAJOR_LAYOUT:
        return True, "bfloat8_b has a tile layout only"
    if test_vector.get("input_a_layout") == ttnn.ROW_MAJOR_LAYOUT:
        return True, "sigmoid_accurate takes tiles"
    return False, None


def run(
    input_shape=None,
    input_a_dtype=None,
    input_a_layout=None,
    input_a_memory_config=None,
    output_memory_config=None,
    traced_config_name=None,
    *,
    device,
) -> list:
    if traced_config_name:
        input_shape, input_a_dtype, input_a_layout, input_a_memory_config, output_memory_config = unpack_traced_config(
            traced_config_name
        )

    torch.manual_seed(0)
    torch_input = torch.rand(input_shape, dtype=torch.float32) * 8 - 4
    expected = torch.sigmoid(torch_input)

    input_tensor = ttnn.from_torch(
        torch_input, dtype=input_a_dtype, layout=input_a_layout, device=device, memory_config=input_a_memory_config
    )
    start = start_measuring_time()
    output_tensor = ttnn.sigmoid_accurate(input_tensor, memory_config=output_memory_config)
    actual = ttnn.to_torch(output_tensor)
    e2e_perf = stop_measuring_time(start)
    return [check_with_pcc(expected, actual, 0.999), e2e_perf]
