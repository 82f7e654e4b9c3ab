"""The example traces of examples/operation_parameters: they are what tracing writes today."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "operation_parameters"


def traces(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.json")}


def test_the_examples_are_what_tracing_writes(tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TT", "TRACELIFT"))}
    command = [sys.executable, FOLDER / "generate.py", tmp_path]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    assert traces(FOLDER) == traces(tmp_path), f"run {FOLDER.name}/generate.py again"


@pytest.mark.parametrize(
    "example, operations",
    [
        ("addition", ["ttnn.rand", "ttnn.rand", "ttnn.add"]),
        ("upload", ["ttnn.from_torch", "ttnn.to_device"]),
        ("addition_with_values", ["ttnn.from_torch", "ttnn.from_torch", "ttnn.add"]),
    ],
)
def test_examples_have_a_file_per_call(example, operations):
    calls = [json.loads(path.read_text()) for path in sorted((FOLDER / example).iterdir())]
    assert [call["operation_name"] for call in calls] == operations
    assert [call["operation_number"] for call in calls] == list(range(1, len(calls) + 1))
    assert [("values" in call["return_value"]) for call in calls] == [example.endswith("values")] * len(calls)


def test_the_example_with_values_adds_up():
    (file,) = (FOLDER / "addition_with_values").glob("3_ttnn_add_*.json")
    call = json.loads(file.read_text())
    a, b = (argument["value"]["values"] for argument in call["args"])
    sums = [[x + y for x, y in zip(*rows)] for rows in zip(a, b)]
    assert call["return_value"]["values"] == sums
