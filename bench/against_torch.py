"""Calls of the emulated runtime beside torch on the same sizes: interleaved repetitions, medians, ratios."""

import statistics
import subprocess
import time
from pathlib import Path

import torch

import ttnn

BUILD = Path(__file__).resolve().parent.parent / "build" / "bin"


def seconds(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def native(what):
    output = subprocess.run([BUILD / "bench_calls", what], check=True, capture_output=True, text=True).stdout
    return float(output) * 1e-9


def medians(alternatives, repetitions):
    """Runs all alternatives in turn, `repetitions` times, so that noise hits them alike."""
    times = {name: [] for name in alternatives}
    for _ in range(repetitions):
        for name, measure in alternatives.items():
            times[name].append(measure())
    return {name: statistics.median(values) for name, values in times.items()}


def print_rows(title, result, aims):
    base = result["torch"]
    print(title)
    for name, value in result.items():
        aim = f"aim <= {aims[name]:.1f}x" if name in aims else ""
        print(f"  {name:<28} {value * 1e6:12.2f} us   {value / base:6.2f}x torch   {aim}")


def main():
    torch.manual_seed(0)
    with ttnn.manage_device(device_id=0) as device:

        def upload(tensor):
            return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)

        a, b = torch.randn(32, 32), torch.randn(32, 32)
        x, y = upload(a), upload(b)
        small = {
            "torch": lambda: seconds(lambda: torch.add(a, b), 20000),
            "ttnn.add from Python": lambda: seconds(lambda: ttnn.add(x, y), 20000),
            "ttnn::add from C++": lambda: native("add32"),
        }
        print_rows(
            "add of [32, 32], torch float32 beside ttnn bfloat16",
            medians(small, 7),
            {"ttnn.add from Python": 4.0, "ttnn::add from C++": 2.0},
        )

        p, q = torch.randn(1, 1, 1024, 1024), torch.randn(1024, 4096)
        r, s = upload(p), upload(q)
        large = {
            "torch": lambda: seconds(lambda: p @ q, 3),
            "ttnn.linear from Python": lambda: seconds(lambda: ttnn.linear(r, s), 3),
            "ttnn::linear from C++": lambda: native("linear"),
        }
        print_rows(
            "linear [1, 1, 1024, 1024] x [1024, 4096], torch float32 beside ttnn bfloat16 end to end",
            medians(large, 7),
            {"ttnn.linear from Python": 1.5, "ttnn::linear from C++": 1.5},
        )


if __name__ == "__main__":
    main()
