"""Records the corpus of process replay: the calls of our own examples, and what they come to.

    .venv/bin/python tests/replay/corpus/record.py [FILE]

writes examples.json beside this file. Run it where a change of behaviour is meant, and read the difference: a line is a
call. tests/python/test_process_replay.py compares every build with it.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CORPUS = HERE / "examples.json"
SUITE = "nightly"  # of the example sweeps: shapes of their own; the other suite comes from a store


def tracelift(*arguments: str | Path) -> None:
    tool = os.environ.get("TRACELIFT_TOOL") or Path(sys.executable).parent / "tracelift"
    subprocess.run([tool, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def run_example_sweeps() -> None:
    """Every vector of the example sweeps, in this process, which is traced."""
    import ttnn

    with ttnn.manage_device(device_id=0) as device:
        for path in sorted((ROOT / "examples" / "sweeps").rglob("*.py")):
            spec = importlib.util.spec_from_file_location(path.stem, path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            values = module.parameters.get(SUITE, {})
            for vector in itertools.product(*values.values()) if values else ():
                module.run(**dict(zip(values, vector)), device=device)


def record(file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        nothing = Path(folder) / "nothing"
        nothing.touch()  # movements of data belong to it
        trace = ("--dir", store, "--excluded-ops", nothing)
        tracelift("trace", "examples/bert/test_bert_encoder.py::test_bert_encoder", *trace)
        tracelift("trace", "build/bin/example_mlp", *trace)
        tracelift("trace", Path(__file__).relative_to(ROOT), *trace, "--", "--sweeps")
        for example in sorted((ROOT / "examples" / "operation_parameters").iterdir()):
            if example.is_dir() and not example.name.startswith("__"):
                tracelift("import", example.relative_to(ROOT), "--dir", store)
        tracelift("replay", "--dir", store, "--record", file)


if __name__ == "__main__":
    if sys.argv[1:] == ["--sweeps"]:
        run_example_sweeps()
    else:
        record(Path(sys.argv[1]).resolve() if sys.argv[1:] else CORPUS)
