"""The smallest program with operations: a script that adds, and prints the sum of the result."""

import torch

import ttnn


def main():
    with ttnn.manage_device(device_id=0) as device:
        a = ttnn.from_torch(torch.arange(2048.0).reshape(1, 1, 32, 64), device=device, layout=ttnn.TILE_LAYOUT)
        b = ttnn.full([1, 1, 32, 64], 0.5, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
        total = ttnn.add(a, b, memory_config=ttnn.L1_MEMORY_CONFIG)
        total = ttnn.add(total, 1.0)
        print(ttnn.to_torch(total).sum().item())


if __name__ == "__main__":
    main()
