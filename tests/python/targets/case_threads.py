"""Four threads that run operations on one device at the same time, each with sizes of its own."""

import threading

import torch

import ttnn

THREADS = 4
ROUNDS = 25


def work(device, index, start, results):
    rows = 32 * (index + 1)
    x = torch.full((1, 1, rows, 64), float(index))
    start.wait()  # all at once
    for turn in range(ROUNDS):
        y = ttnn.from_torch(x, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        y = ttnn.relu(ttnn.add(ttnn.multiply(y, 2.0), float(turn), memory_config=ttnn.L1_MEMORY_CONFIG))
        results[index].append(ttnn.to_torch(y).float())


def test_threads(device):
    results = [[] for _ in range(THREADS)]
    start = threading.Barrier(THREADS)
    threads = [threading.Thread(target=work, args=(device, i, start, results)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index, outputs in enumerate(results):
        assert len(outputs) == ROUNDS, "a thread died"
        for turn, output in enumerate(outputs):
            assert list(output.shape) == [1, 1, 32 * (index + 1), 64]
            assert output.eq(2.0 * index + turn).all()
