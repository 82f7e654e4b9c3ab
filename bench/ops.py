"""Heavy operations at shapes of real models beside torch: the whole call on tensors that are on the device.

Shapes are those of calls in the masters of EfficientNet-B0 (convolutions) and Llama 3.2 1B (the others). No master has
a softmax or a layer_norm: the first has the scores that Llama's attention [32, 16, 128, 64] makes, the second the rows
of its rms_norm, which is there as well.

A row has the time of ours on bfloat16 (or bfloat8_b) tensors, and how often as long torch takes in fp32 and in
bfloat16 on the same machine. Alternatives run in turn, so that a slow minute hits all of them; medians count.
With --one-core everything is measured again on one core, in a process of its own, for the scaling.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

AIM_FP32 = 1.2  # ours takes at most this many times as long as torch in fp32
AIM_BF16 = 1.0  # and less than torch in bfloat16
AIM_SCALING = 1.7  # times as fast on two cores as on one


def cases(torch, ttnn, device):
    """(name, ours, torch as a function of the dtype)"""
    functional = torch.nn.functional

    def upload(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT):
        return ttnn.from_torch(tensor, dtype=dtype, layout=layout, device=device)

    def conv(name, channels, size, out, kernel, stride, groups, padding=None):
        """padding: (top, bottom, left, right), else half the kernel."""
        top, bottom, left, right = padding or 4 * [kernel // 2]
        image = torch.randn(1, channels, size, size)
        weight = torch.randn(out, channels // groups, kernel, kernel)
        flat = upload(image.permute(0, 2, 3, 1).reshape(1, 1, size * size, channels))
        arguments = {
            "input_tensor": flat,
            "device": device,
            "in_channels": channels,
            "out_channels": out,
            "batch_size": 1,
            "input_height": size,
            "input_width": size,
            "kernel_size": (kernel, kernel),
            "stride": (stride, stride),
            "padding": (top, bottom, left, right),
            "groups": groups,
        }
        plain = ttnn.from_torch(weight, dtype=ttnn.float32)
        _, (prepared, _) = ttnn.conv2d(weight_tensor=plain, return_weights_and_bias=True, **arguments)

        def reference(dtype):
            x, w = image.to(dtype), weight.to(dtype)
            if top == bottom == left == right:
                return lambda: functional.conv2d(x, w, stride=stride, padding=top, groups=groups)
            sides = (left, right, top, bottom)
            return lambda: functional.conv2d(functional.pad(x, sides), w, stride=stride, groups=groups)

        return name, lambda: ttnn.conv2d(weight_tensor=prepared, **arguments), reference

    def product(name, rows, inner, columns, weights=ttnn.bfloat16):
        a, b = torch.randn(1, 1, rows, inner), torch.randn(inner, columns)
        x, y = upload(a), upload(b, weights)

        def reference(dtype):
            p, q = a.to(dtype), b.to(dtype)
            return lambda: p @ q

        return name, lambda: ttnn.linear(x, y), reference

    def attention(name, heads, kv_heads, rows, width):
        q = torch.randn(1, heads, rows, width)
        k, v = torch.randn(1, kv_heads, rows, width), torch.randn(1, kv_heads, rows, width)
        x, y, z = upload(q), upload(k), upload(v)
        mask = torch.full((rows, rows), float("-inf")).triu(1)

        def reference(dtype):
            # torch 1.13 has no function for this; newer ones have, and are used.
            p = q.to(dtype)
            share = heads // kv_heads
            r, s = (t.repeat_interleave(share, 1).to(dtype) for t in (k, v))
            if hasattr(functional, "scaled_dot_product_attention"):
                return lambda: functional.scaled_dot_product_attention(p, r, s, is_causal=True)
            m = mask.to(dtype)
            return lambda: torch.softmax(p @ r.transpose(-1, -2) * width**-0.5 + m, -1) @ s

        return name, lambda: ttnn.transformer.scaled_dot_product_attention(x, y, z, is_causal=True), reference

    def decoding(name, users, heads, kv_heads, keys, width, page=32):
        """Users have their keys in pages, one user's after another's."""
        q = torch.randn(1, users, heads, width)
        k, v = torch.randn(users, kv_heads, keys, width), torch.randn(users, kv_heads, keys, width)

        def in_pages(values):
            return values.reshape(users, kv_heads, -1, page, width).transpose(1, 2).reshape(-1, kv_heads, page, width)

        x, y, z = upload(q), upload(in_pages(k), ttnn.bfloat8_b), upload(in_pages(v), ttnn.bfloat8_b)
        table = torch.arange(users * keys // page, dtype=torch.int32).reshape(users, -1)
        pages = ttnn.from_torch(table, device=device)
        positions = ttnn.from_torch(torch.full((users,), keys - 1, dtype=torch.int32), device=device)

        def ours():
            return ttnn.transformer.paged_scaled_dot_product_attention_decode(
                x, y, z, page_table_tensor=pages, cur_pos_tensor=positions
            )

        def reference(dtype):  # of keys that are not in pages
            share = heads // kv_heads
            p = q.permute(1, 2, 0, 3).reshape(users, kv_heads, share, width).to(dtype)
            r, s = k.to(dtype), v.to(dtype)
            return lambda: torch.softmax(p @ r.transpose(-1, -2) * width**-0.5, -1) @ s

        return name, ours, reference

    def rowwise(name, shape, ours, theirs):
        values = torch.randn(*shape)
        x = upload(values)

        def reference(dtype):
            y = values.to(dtype)
            return lambda: theirs(y)

        return name, lambda: ours(x), reference

    width = 2048
    factors = torch.randn(width)
    weight = upload(factors.reshape(1, width))

    def layer_norm(y):
        return functional.layer_norm(y, (width,), factors.to(y.dtype))

    return [
        conv("conv2d 3x3, 3 to 32 channels, 224 x 224", 3, 224, 32, 3, 2, 1, (0, 1, 0, 1)),
        conv("conv2d 1x1, 16 to 96 channels, 112 x 112", 16, 112, 96, 1, 1, 1),
        conv("conv2d 1x1, 96 to 24 channels, 56 x 56", 96, 56, 24, 1, 1, 1),
        conv("conv2d depthwise 3x3, 32 channels, 112 x 112", 32, 112, 32, 3, 1, 32),
        conv("conv2d depthwise 3x3, 96 channels, 112 x 112", 96, 112, 96, 3, 2, 96, (0, 1, 0, 1)),
        conv("conv2d depthwise 5x5, 480 channels, 14 x 14", 480, 14, 480, 5, 1, 480),
        product("linear [1024, 2048] x [2048, 4096]", 1024, 2048, 4096),
        product("linear [32, 2048] x [2048, 4096] bfloat8_b", 32, 2048, 4096, ttnn.bfloat8_b),
        attention("attention, 16 heads on 4, 1024 rows of 64", 16, 4, 1024, 64),
        decoding("decoding in pages, 32 users, 16 heads on 4, 1024 keys", 32, 16, 4, 1024, 64),
        rowwise("softmax [32, 16, 128, 128]", (32, 16, 128, 128), lambda x: ttnn.softmax(x, dim=-1), lambda y: y.softmax(-1)),
        rowwise(
            "layer_norm [1, 1, 2048, 2048]", (1, 1, 2048, width), lambda x: ttnn.layer_norm(x, weight=weight), layer_norm
        ),
        rowwise(
            "rms_norm [1, 1, 2048, 2048]",
            (1, 1, 2048, width),
            lambda x: ttnn.rms_norm(x, weight=weight),
            lambda y: y * (y.square().mean(-1, keepdim=True) + 1e-12).rsqrt() * factors.to(y.dtype),
        ),
        rowwise("topk 32 of [1, 1, 32, 65536]", (1, 1, 32, 65536), lambda x: ttnn.topk(x, 32), lambda y: y.topk(32)),
    ]


def seconds(call):
    time.sleep(0.05)  # torch's threads stay busy for a while after their work
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(only_ours, repetitions, part):
    import torch

    import ttnn

    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    results = {}
    with ttnn.manage_device(device_id=0) as device:
        for name, ours, reference in cases(torch, ttnn, device):
            if part not in name:
                continue
            calls = {"ours": ours}
            if not only_ours:
                calls |= {"fp32": reference(torch.float32), "bf16": reference(torch.bfloat16)}
            times = {kind: [] for kind in calls}
            for call in calls.values():
                call()  # nothing is warm before
            for _ in range(repetitions):
                for kind, call in calls.items():
                    times[kind].append(seconds(call))
            results[name] = {kind: statistics.median(values) for kind, values in times.items()}
    return results


def on_one_core(repetitions, part):
    core = min(os.sched_getaffinity(0))
    command = [sys.executable, __file__, "--measure", "--repetitions", str(repetitions), "--only", part]
    output = subprocess.run(
        command, check=True, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, {core})
    ).stdout
    return json.loads(output.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", action="store_true", help="print the times of ours as JSON, nothing else")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--only", default="", help="only cases whose name has this")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(True, options.repetitions, options.only)))
        return 0
    results = measure(False, options.repetitions, options.only)
    alone = on_one_core(options.repetitions, options.only)
    missed = 0
    print(f"{'name':<54} {'ours':>10} {'fp32':>8} {'bf16':>8} {'2 cores':>8}")
    print(f"{'':<54} {'ms':>10} {f'<= {AIM_FP32}':>8} {f'< {AIM_BF16}':>8} {f'>= {AIM_SCALING}':>8}")
    for name, times in results.items():
        fp32, bf16 = times["ours"] / times["fp32"], times["ours"] / times["bf16"]
        scaling = alone[name]["ours"] / times["ours"]
        good = fp32 <= AIM_FP32 and bf16 < AIM_BF16 and scaling >= AIM_SCALING
        missed += not good
        row = f"{name:<54} {times['ours'] * 1e3:>10.2f} {fp32:>8.2f} {bf16:>8.2f} {scaling:>8.2f}"
        print(row + ("" if good else "  MISSED"))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
