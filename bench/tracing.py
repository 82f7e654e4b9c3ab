"""What it costs per call to trace a model of 5,000 calls: off, as JSON lines, and as a file per call.

All kinds run interleaved in one process, over the same calls. Beside them stand what the file system needs to make
files of the same size, and, where build-nocapture has the Python module, a build in which tracing does not exist.
"""

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
CALLS = 5000
REPETITIONS = 7
AIM_LINES = 8.0  # us per call
AIM_FILES = 1.5  # times what making the files costs


def model(ttnn, device, calls):
    """A function that makes `calls` calls of the kind models make: small tensors, a memory config now and then."""
    a = ttnn.full([32, 32], 1.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    b = ttnn.full([32, 32], 2.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    config = ttnn.L1_MEMORY_CONFIG

    def run():
        for _ in range(calls // 5):
            x = ttnn.add(a, b, memory_config=config)
            x = ttnn.multiply(x, 0.5)
            x = ttnn.relu(x)
            x = ttnn.subtract(x, b)
            ttnn.reshape(x, [1, 32, 32])

    return run


def seconds(function):
    gc.collect()
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def bare():
    """Only the model, in this process: printed for the process that compares."""
    import ttnn

    with ttnn.manage_device(device_id=0) as device:
        run = model(ttnn, device, CALLS)
        run()
        print(min(seconds(run) for _ in range(REPETITIONS)) / CALLS * 1e6)


def bare_in(package_folder):
    """us per call in a process of its own, with the tracelift package from a folder."""
    environment = {**os.environ, "PYTHONPATH": str(package_folder)}
    output = subprocess.run([sys.executable, __file__, "--bare"], env=environment, check=True, capture_output=True, text=True)
    return float(output.stdout)


def package_with(module, folder):
    """The Python package with another compiled module."""
    import shutil

    shutil.copytree(PROJECT / "python" / "tracelift", folder / "tracelift")
    shutil.copy(module, folder / "tracelift")
    (folder / "sitecustomize.py").write_text("from tracelift import _import_fallback\n_import_fallback.install()\n")
    return folder


def compare_off():
    """Interleaved runs of both builds."""
    modules = {name: list((PROJECT / name / "python" / "tracelift").glob("_ttnn*.so")) for name in ("build", "build-nocapture")}
    if not all(modules.values()):
        print("off, against a build without tracing: not measured; it needs")
        print("  cmake --preset nocapture -DTRACELIFT_PYTHON=ON && ninja -C build-nocapture _ttnn")
        return
    with tempfile.TemporaryDirectory() as folder:
        packages = {name: package_with(found[0], Path(folder) / name) for name, found in modules.items()}
        times = {name: [] for name in packages}
        for _ in range(REPETITIONS):
            for name, package in packages.items():
                times[name].append(bare_in(package))
        with_tracing, without = (statistics.median(times[name]) for name in ("build", "build-nocapture"))
        spread = max(max(values) - min(values) for values in times.values())
        print(f"{'off, a build without tracing':<36} {without:>9.2f} us")
        print(f"{'off, this build':<36} {with_tracing:>9.2f} us  {with_tracing - without:+.2f} us; noise {spread:.2f} us")


def main():
    import ttnn
    from tracelift import _tracing as tracing

    with tempfile.TemporaryDirectory() as folder, ttnn.manage_device(device_id=0) as device:
        root = Path(folder)
        run = model(ttnn, device, CALLS)
        numbers = iter(range(10**6))

        def lines():
            tracing.write_lines(str(root / f"calls{next(numbers)}.jsonl"))
            run()
            tracing.write_lines("")

        def files():
            tracing.set_parameter_directory(str(root / f"params{next(numbers)}"))
            tracing.trace_parameters(True)
            run()
            tracing.trace_parameters(False)

        files()
        sizes = [path.stat().st_size for path in (root / "params0").iterdir()]
        assert len(sizes) == CALLS, len(sizes)

        def plain_files():
            target = root / f"plain{next(numbers)}"
            target.mkdir()
            payload = b"x" * max(sizes)
            for number, size in enumerate(sizes):
                fd = os.open(f"{target}/{number}_ttnn_add_20260115_104616_345678.json", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
                os.write(fd, payload[:size])
                os.close(fd)

        kinds = {"bare": run, "lines": lines, "files": files, "create and write alone": plain_files}
        times = {name: [] for name in kinds}
        for _ in range(REPETITIONS):
            for name, function in kinds.items():
                times[name].append(seconds(function) / CALLS * 1e6)
        tracing.set_parameter_directory("")
        written = [json.loads(line) for line in (root / "calls1.jsonl").read_text().splitlines()]
        assert len(written) == CALLS, len(written)

    cost = {name: statistics.median(values) for name, values in times.items()}
    floor = cost["create and write alone"]
    line_cost, file_cost = cost["lines"] - cost["bare"], cost["files"] - cost["bare"]
    print(f"{CALLS} calls, us per call, medians of {REPETITIONS} interleaved runs")
    print(f"{'bare run':<36} {cost['bare']:>9.2f} us")
    print(f"{'JSON lines cost':<36} {line_cost:>9.2f} us  aim <= {AIM_LINES:.0f} us{'' if line_cost <= AIM_LINES else '  MISSED'}")
    print(f"{'making files of that size alone':<36} {floor:>9.2f} us")
    print(
        f"{'a file per call costs':<36} {file_cost:>9.2f} us  {file_cost / floor:.2f} times that, "
        f"aim <= {AIM_FILES}{'' if file_cost <= AIM_FILES * floor else '  MISSED'}"
    )
    compare_off()
    return 0 if line_cost <= AIM_LINES and file_cost <= AIM_FILES * floor else 1


if __name__ == "__main__":
    if "--bare" in sys.argv:
        bare()
    else:
        sys.exit(main())
