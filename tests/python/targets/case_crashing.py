"""A test that runs two operations and then takes the process down, as a fault in native code does."""

import os
import resource

import ttnn


def test_crashes(device):
    x = ttnn.ones([1, 1, 32, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.relu(ttnn.add(x, 1.0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash on purpose leaves no core file
    os.abort()
