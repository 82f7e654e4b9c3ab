"""What sweeps of Python modules cost: loading suite parameters beside json.load, vectors beside plain pytest.

    sweep.py [VECTORS]        default: 2000

Ratios are those of one run. Aims: parameters of a suite from the 1.7 MB Llama master at most 0.3 of json.load of that
file once the store exists, at most 1.5 from the bare file; vectors through a warm worker at least 3 times as many a
second as tests that pytest parametrises with the same cases and one device. Times are those of the processor, which
other programs on the machine disturb little; the start of a process is what one vector takes, and is taken off.
"""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import time

HERE = pathlib.Path(__file__).resolve().parent
MASTER = "llama32_1b_n300_format2.json"
OPERATIONS = ("add", "linear", "reshape", "experimental.paged_fill_cache")

MODULE = """
import torch
import ttnn

parameters = {"nightly": {"input_shape": [[1, 1, 32, 32], [1, 1, 64, 32]], "scale": [each / 8 for each in range(COUNT // 2)]}}


def run(input_shape, scale, *, device):
    values = torch.full(input_shape, scale)
    tensor = ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    result = ttnn.to_torch(ttnn.neg(tensor))
    return bool(torch.allclose(result.float(), -values, rtol=0.01)), "1.0"
"""

TESTS = """
import itertools

import pytest
import ttnn
from cases import parameters, run

CASES = parameters["nightly"]


@pytest.fixture(scope="module")
def module_wide_device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


CHOSEN = list(itertools.product(CASES["input_shape"], CASES["scale"]))[:COUNT]


@pytest.mark.parametrize("input_shape, scale", CHOSEN)
def test_run(input_shape, scale, module_wide_device):
    passed, message = run(input_shape, scale, device=module_wide_device)
    assert passed, message
"""


def best(times, action):
    """Seconds of this process."""

    def once():
        started = time.process_time()
        action()
        return time.process_time() - started

    return min(once() for _ in range(times))


def seconds_of(process):
    """Of a process that is waited for here."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{process.args} failed with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def data_folder():
    given = os.environ.get("TRACELIFT_DATA")
    return pathlib.Path(given) if given else HERE.parent / ".." / "shared" / "data"


def row(name, seconds, ratio=None, aim=None, at_most=True):
    met = aim is None or (ratio <= aim if at_most else ratio >= aim)
    said = "" if ratio is None else f"  ratio {ratio:6.2f}"
    aimed = "" if aim is None else f"  aim {'<=' if at_most else '>='} {aim}{'' if met else '  MISSED'}"
    print(f"{name:<58} {seconds * 1e3:>9.2f} ms{said}{aimed}", flush=True)
    return met


def bench_loader(folder):
    from tracelift.sweep_framework import master_config_loader as loading

    path = data_folder() / "masters" / MASTER
    if not path.exists():
        print(f"no master {MASTER}: set TRACELIFT_DATA to the folder that holds masters/")
        return True
    tool = pathlib.Path(sys.executable).with_name("tracelift")
    subprocess.run([tool, "import", path, "--dir", folder / "store"], check=True, stdout=subprocess.DEVNULL)

    def load(master, operation):
        loading._read.clear()  # as in a process of its own
        with contextlib.redirect_stdout(io.StringIO()):
            loading.MasterConfigLoader(master).get_suite_parameters(operation)

    whole = best(9, lambda: json.loads(path.read_bytes()))
    row(f"json.load of {path.stat().st_size / 1e6:.1f} MB", whole)
    met = True
    for operation in OPERATIONS:
        for place, master, aim in (("store", folder / "store", 0.3), ("file", path, 1.5)):
            spent = best(9, lambda master=master, operation=operation: load(master, operation))
            met &= row(f"suite parameters of {operation}, {place}", spent, spent / whole, aim)
    return met


def by_worker(folder, vectors):
    """Sends vectors to one worker; the seconds it took."""
    reading, writing = os.pipe()
    start = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.execv(sys.executable, [sys.executable, '-m', sys.argv[2]])"
    command = [sys.executable, "-c", start, str(writing), "tracelift.sweep_framework.worker"]
    path = str(folder / "cases.py")
    lines = "".join(
        json.dumps({"id": index, "module": "cases", "path": path, "vector": vector}) + "\n"
        for index, vector in enumerate(vectors)
    )
    (folder / "requests").write_text(lines)
    with open(folder / "requests") as requests:
        process = subprocess.Popen(command, stdin=requests, stdout=subprocess.DEVNULL, pass_fds=[writing], cwd=folder)
        os.close(writing)
        with os.fdopen(reading) as replies:
            results = [json.loads(line) for line in replies]
    spent = seconds_of(process)
    passed = sum(result.get("status") == "pass" for result in results)
    if passed != len(vectors):
        sys.exit(f"only {passed} of {len(vectors)} vectors passed")
    return spent


def by_pytest(folder, count):
    """The same cases as parameters of a test."""
    (folder / "test_cases.py").write_text(textwrap.dedent(TESTS).replace("COUNT", str(count)))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_cases.py"]
    return seconds_of(subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL))


def bench_vectors(folder, count):
    from tracelift.sweep_framework import modules
    from tracelift.sweep_framework.generate import make_vectors

    (folder / "cases.py").write_text(textwrap.dedent(MODULE).replace("COUNT", str(count)))
    module = modules.import_module("cases", folder / "cases.py")
    vectors = make_vectors("cases", "nightly", module.parameters["nightly"], module)
    spent = best(3, lambda: make_vectors("cases", "nightly", module.parameters["nightly"], module))
    print(f"{'vectors generated by Python':<58} {len(vectors) / spent:>9.0f} /s")
    plain = min(by_pytest(folder, count) for _ in range(3)) - min(by_pytest(folder, 1) for _ in range(3))
    ours = min(by_worker(folder, vectors) for _ in range(3)) - min(by_worker(folder, vectors[:1]) for _ in range(3))
    row(f"{count} cases, pytest parametrised", plain)
    return row(f"{count} vectors, warm worker", ours, plain / ours, 3, at_most=False)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        met = bench_loader(folder)
        met &= bench_vectors(folder, count)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
