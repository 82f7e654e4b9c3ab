"""models/common/utility_functions.py: what the models of a checkout share."""

from typing import Optional, Union

import torch
from ttnn.device import Arch
from typing_extensions import deprecated

import ttnn

BAD_ARCHES = ["grayskull"]
default_memory = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED)


def is_blackhole(device: Optional[ttnn.Device] = None) -> bool:
    arch = ttnn.get_arch_name() if device is None else device.arch().name.lower()
    return arch == Arch.BLACKHOLE.name.lower()


@deprecated("ttnn.from_torch does it")
def torch2tt_tensor(
    tensor: torch.Tensor,
    device: Union[ttnn.MeshDevice, None],
    layout=ttnn.TILE_LAYOUT,
    memory_config=default_memory,
    dtype=ttnn.bfloat16,
) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=dtype, layout=layout, device=device, memory_config=memory_config)
