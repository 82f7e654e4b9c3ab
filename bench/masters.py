"""How fast masters of any size are imported, merged, exported and shown, beside Python's json.load of the same file.

    masters.py [COPIES...]        default: 1 30 300

The masters are real ones with every configuration copied and changed (scale_master.py): Llama (format 2) in all sizes,
then EfficientNet (format 1) and DeepSeek (format 2, of a larger machine) with 30 copies. Ratios are those of one run:
json.load's time over ours, each the best of three below 100 MB. Aims: an all-new import no slower than json.load alone, a
merge in which 95 % is known at least 3 times faster; 'show' at most 50 ms on the largest; 300 MB of memory whatever the
size; the cost of one more configuration no larger in a large master than in a small one (the time of a master with one
configuration, which is start-up and syncs, is taken off first and printed).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from scale_master import write_scaled  # noqa: E402

TOOL = HERE.parent / "build" / "bin" / "tracelift"
MASTER = "llama32_1b_n300_format2.json"
OTHERS = ["efficientnet_b0_format1.json", "deepseek_v3_galaxy_format2.json"]
AIM_MEMORY = 300  # MB
AIM_SHOW = 0.050  # s


def data_folder():
    given = os.environ.get("TRACELIFT_DATA")
    return Path(given) if given else HERE.parent / ".." / "shared" / "data"


def run(*arguments):
    """Seconds and peak memory in MB of one command."""
    started = time.perf_counter()
    process = subprocess.Popen([str(TOOL), *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    spent = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"tracelift {arguments[0]} failed with status {process.returncode}")
    return spent, usage.ru_maxrss / 1024


def json_load(path):
    """In a process of its own, so that its memory does not stay with us."""
    code = "import json, sys, time; t = time.perf_counter(); json.load(open(sys.argv[1])); print(time.perf_counter() - t)"
    return float(subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True).stdout)


class Report:
    def __init__(self):
        self.missed = []

    def row(self, name, seconds, megabytes, configurations, ratio=None, aim=None, memory=None):
        met = (aim is None or ratio >= aim) and (memory is None or memory <= AIM_MEMORY)
        if not met:
            self.missed.append(name)
        print(
            f"{name:<34} {seconds:>9.3f} s {megabytes / seconds:>8.1f} MB/s {configurations / seconds:>10.0f} cfg/s"
            f" {'' if memory is None else f'{memory:>7.0f} MB'}"
            f" {'' if ratio is None else f'ratio {ratio:>6.2f}'}{'' if aim is None else f' aim {aim:.2f}'}"
            f"{'' if met else '  MISSED'}",
            flush=True,
        )


def best_of(times, prepare, measure):
    """The quickest of several runs, each prepared apart and begun with nothing left to be written by what came before."""
    results = []
    for _ in range(times):
        prepare()
        os.sync()
        results.append(measure())
    return min(results)


def most_configured(master):
    """The operation with the most configurations."""
    operations = master["operations"]
    return max(operations, key=lambda name: len(operations[name]["configurations"]))


def bench_size(name, copies, folder, report, costs):
    master = json.loads((data_folder() / "masters" / name).read_text())
    operation = most_configured(master)
    path, changed = folder / f"x{copies}.json", folder / f"x{copies}_changed.json"
    count = write_scaled(master, path, copies, 0)
    write_scaled(master, changed, copies, 0.05)
    size = path.stat().st_size / 1e6
    print(f"\n{name} x{copies}: {size:.1f} MB, {count} configurations")
    store, kept = folder / f"store{copies}", folder / f"kept{copies}"
    times = 1 if size > 100 else 3

    def without_store():
        shutil.rmtree(store, ignore_errors=True)

    def with_store():
        without_store()
        shutil.copytree(kept, store)

    loaded = best_of(times, lambda: None, lambda: json_load(path))
    report.row("python json.load", loaded, size, count)
    spent, memory = best_of(times, without_store, lambda: run("import", path, "--dir", store))
    report.row("import, all new", spent, size, count, loaded / spent, 1.0 if copies > 1 else None, memory)
    costs[copies] = spent, count
    store.rename(kept)
    spent, memory = best_of(times, with_store, lambda: run("import", path, "--dir", store))
    report.row("import again, all known", spent, size, count, loaded / spent, None, memory)
    loaded_changed = best_of(times, lambda: None, lambda: json_load(changed))
    spent, memory = best_of(times, with_store, lambda: run("import", changed, "--dir", store))
    report.row("merge, 95 % known", spent, size, count, loaded_changed / spent, 3.0 if copies > 1 else None, memory)
    spent, memory = run("export", folder / "out.json", "--dir", store)
    report.row("export as format 2", spent, size, count, loaded / spent, None, memory)
    shown = min(run("show", operation, "--dir", store)[0] for _ in range(5))
    met = shown <= AIM_SHOW
    print(f"{'show ' + operation:<34} {shown * 1000:>9.1f} ms  aim {AIM_SHOW * 1000:.0f} ms{'' if met else '  MISSED'}")
    if not met:
        report.missed.append(f"show on x{copies}")
    shutil.rmtree(store)
    shutil.rmtree(kept)
    path.unlink()
    changed.unlink()


def alone(folder):
    """Seconds for a master with one configuration: what every import costs whatever its size."""
    master = json.loads((data_folder() / "masters" / MASTER).read_text())
    name, operation = next(iter(master["operations"].items()))
    one = {"operations": {name: {"configurations": operation["configurations"][:1]}}}
    path, store = folder / "one.json", folder / "one_store"
    path.write_text(json.dumps(one))
    return best_of(5, lambda: shutil.rmtree(store, ignore_errors=True), lambda: run("import", path, "--dir", store))[0]


def judge_growth(costs, start, report):
    """Prints what one more configuration costs in each size; it may not grow from any size to the next."""
    each = {copies: (spent - start) / count for copies, (spent, count) in costs.items()}
    growth = max(after / before for before, after in zip(list(each.values())[:-1], list(each.values())[1:]))
    flat = growth <= 1.25
    print(f"\nstart and syncs {start * 1000:.1f} ms; cost per configuration beyond them:"
          f" {', '.join(f'x{copies} {cost * 1e6:.1f} us' for copies, cost in each.items())};"
          f" growth {growth:.2f}, aim 1.25{'' if flat else '  MISSED'}")
    if not flat:
        report.missed.append("flat cost")


def main():
    source = data_folder() / "masters" / MASTER
    if not source.exists():
        print(f"skipped: no {MASTER}; set TRACELIFT_DATA to the folder that holds masters/")
        return 0
    sizes = [int(argument) for argument in sys.argv[1:]] or [1, 30, 300]
    report, costs = Report(), {}
    for name, copies in [(MASTER, size) for size in sizes] + [(other, 30) for other in OTHERS]:
        with tempfile.TemporaryDirectory(prefix="tracelift-bench-") as folder:
            bench_size(name, copies, Path(folder), report, costs if name == MASTER else {})
    if len(costs) > 1:
        with tempfile.TemporaryDirectory(prefix="tracelift-bench-") as folder:
            judge_growth(costs, alone(Path(folder)), report)
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
