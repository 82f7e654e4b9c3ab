"""What capture costs: compiled out, off, and on. Runs of all three are interleaved, medians are compared. What it costs
while off is judged by instructions, which valgrind counts: times differ by more than that from run to run."""

import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
REPETITIONS = 30
AIM_OFF, AIM_ON = 8.0, 1000.0  # instructions and ns per call


def build_without_capture():
    """The same benchmark from a build in which capture does not exist (build-nocapture, made on first use)."""
    for command in (["cmake", "--preset", "nocapture"], ["ninja", "-C", "build-nocapture", "bench_calls"]):
        subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)


def nanoseconds(build, what):
    output = subprocess.run([PROJECT / build / "bin" / "bench_calls", what], check=True, capture_output=True, text=True).stdout
    return float(output)


def instructions(build, what):
    """Per call: the difference between two runs, so that start and end do not count."""
    few, many = 2000, 6000

    def counted(calls):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", PROJECT / build / "bin" / "bench_calls", what]
        output = subprocess.run([*command, str(calls)], check=True, capture_output=True, text=True).stderr
        return int(re.search(r"Collected : (\d+)", output)[1])

    warm_up = 1.1  # bench_calls makes a tenth of its calls first
    return (counted(many) - counted(few)) / ((many - few) * warm_up)


def main():
    build_without_capture()
    met = True
    print(f"{'capture, ns per call':<28} {'without':>10} {'off':>10} {'on':>10} {'off costs':>10} {'on costs':>10}")
    for what in ("view", "add32"):
        kinds = {"without": ("build-nocapture", what), "off": ("build", what), "on": ("build", what + "-recorded")}
        times = {name: [] for name in kinds}
        for _ in range(REPETITIONS):
            for name, arguments in kinds.items():
                times[name].append(nanoseconds(*arguments))
        median = {name: statistics.median(values) for name, values in times.items()}
        off, on = median["off"] - median["without"], median["on"] - median["off"]
        met = met and on <= AIM_ON
        print(f"{what:<28} {median['without']:>10.1f} {median['off']:>10.1f} {median['on']:>10.1f} {off:>10.1f} {on:>10.1f}")
    if shutil.which("valgrind"):
        print(f"{'instructions per call':<28} {'without':>10} {'off':>10} {'':>10} {'off costs':>10}")
        for what in ("view", "add32"):
            without, off = instructions("build-nocapture", what), instructions("build", what)
            met = met and off - without <= AIM_OFF
            print(f"{what:<28} {without:>10.1f} {off:>10.1f} {'':>10} {off - without:>10.1f}")
    else:
        print("instructions are not counted: there is no valgrind (Debian package valgrind)")
    print(f"aim: off costs <= {AIM_OFF:.0f} instructions, on <= {AIM_ON:.0f} ns per call{'' if met else '  MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
