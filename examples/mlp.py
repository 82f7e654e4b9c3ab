"""A two-layer perceptron on the emulated device, compared with torch in float32."""

import torch

import ttnn
from tracelift.testing import comp_pcc


def perceptron(x, weights, biases):
    hidden = ttnn.linear(x, weights[0], bias=biases[0], activation="gelu", memory_config=ttnn.L1_MEMORY_CONFIG)
    return ttnn.softmax(ttnn.linear(hidden, weights[1], bias=biases[1]), dim=-1)


def main():
    torch.manual_seed(0)
    sizes = [256, 512, 128]
    x = torch.randn(1, 1, 64, sizes[0])
    weights = [torch.randn(a, b) / a**0.5 for a, b in zip(sizes, sizes[1:])]
    biases = [torch.randn(1, b) for b in sizes[1:]]

    with ttnn.manage_device(device_id=0) as device:

        def upload(tensor):
            return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)

        output = perceptron(upload(x), [upload(w) for w in weights], [upload(b) for b in biases])
        print(f"device   {device}, {device.compute_with_storage_grid_size()}")
        print(f"output   {output.shape}, {output.dtype}, {output.layout}, at address {output.buffer_address()}")
        dram = ttnn.get_memory_view(device, ttnn.BufferType.DRAM)
        print(f"memory   {dram.total_bytes_allocated_per_bank} B allocated in each of {dram.num_banks} DRAM banks")
        actual = ttnn.to_torch(output).float()

    hidden = torch.nn.functional.gelu(x @ weights[0] + biases[0])
    expected = torch.softmax(hidden @ weights[1] + biases[1], dim=-1)
    passed, pcc = comp_pcc(expected, actual, 0.999)
    print(f"compared with torch in float32: PCC {pcc:.6f}, {'pass' if passed else 'FAIL'}")
    raise SystemExit(0 if passed else 1)


if __name__ == "__main__":
    main()
