"""Generated tests run: with nothing but pytest and ttnn, and as C++ with the runtime library."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from test_replay import record, tensor

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("TRACELIFT_DATA", ROOT.parent / "shared" / "data")) / "masters"
TRACELIFT = pathlib.Path(sys.executable).parent / "tracelift"

# The files belong into the repository of ttnn: imports of it stand apart from those of other packages.
OWN_TTNN = ("--config", 'lint.isort.known-first-party = ["ttnn"]')


def run(*command, **rest):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **rest)


def calls():
    indices = tensor(1, 32, dtype="UINT32", layout="ROW_MAJOR")
    return [
        record("ttnn.add", tensor(1, 1, 32, 64), tensor(1, 1, 32, 64)),
        record("ttnn.add", tensor(1, 1, 40, 64), 2.5),
        record("ttnn.multiply", tensor(64, 64, dtype="BFLOAT8_B"), tensor(64, 64, dtype="BFLOAT8_B")),
        record("ttnn.linear", tensor(32, 64), tensor(64, 96), bias=tensor(1, 96)),
        record("ttnn.embedding", indices, tensor(7, 64, layout="ROW_MAJOR")),
        record("ttnn.softmax", tensor(2, 32, 64), -1),
        record("ttnn.sum", tensor(32, 64), 1),
        record("ttnn.concat", [tensor(32, 32), tensor(32, 64)], 1),
        record("ttnn.matmul", tensor(32, 64), tensor(32, 64)),  # is refused, so it makes no test
    ]


@pytest.fixture
def jsonl(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in calls()))
    return path


def generate(source, folder, form):
    made = run(TRACELIFT, "generate-tests", *source, "--format", form, "-o", folder, "--json")
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)


def plain_pytest(folder, *options):
    """Without the plugin of tracelift: the files stand alone."""
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:tracelift", "-p", "no:randomly", *options)
    return run(sys.executable, "-m", "pytest", *options, folder, cwd=folder)


def test_pytest_files_pass_alone(jsonl, tmp_path):
    folder = tmp_path / "generated"
    told = generate(("--jsonl", jsonl), folder, "pytest")
    assert (told["tests"], told["refused"]) == (8, 1)
    result = plain_pytest(folder)
    assert "8 passed" in result.stdout, result.stdout


def test_the_same_input_gives_the_same_bytes(jsonl, tmp_path):
    for form in ("pytest", "gtest"):
        generate(("--jsonl", jsonl), tmp_path / f"{form}1", form)
        generate(("--jsonl", jsonl), tmp_path / f"{form}2", form)
        first, second = (
            {file.name: file.read_bytes() for file in (tmp_path / f"{form}{number}").iterdir()} for number in (1, 2)
        )
        assert len(first) == 7
        assert first == second


@pytest.mark.parametrize(
    "change, complaint",
    [
        ("output = output * 0 + 1", "constant"),
        ("output = ttnn.typecast(output, ttnn.float32)", "dtype"),
        ("output = ttnn.to_layout(output, ttnn.ROW_MAJOR_LAYOUT)", "layout"),
        ("output = ttnn.to_memory_config(output, ttnn.L1_MEMORY_CONFIG)", "memory_config"),
        ("output = ttnn.relu(output)", "pcc"),
    ],
)
def test_pytest_files_notice_what_is_wrong(tmp_path, change, complaint):
    jsonl = tmp_path / "calls.jsonl"
    jsonl.write_text(json.dumps(record("ttnn.add", tensor(1, 1, 32, 64), tensor(1, 1, 32, 64))) + "\n")
    folder = tmp_path / "generated"
    generate(("--jsonl", jsonl), folder, "pytest")
    file = folder / "test_add_traced_configs.py"
    text = file.read_text()
    wrong = f"""

def wrong(*args, **kwargs):
    output = ttnn.add(*args, **kwargs)
    {change}
    return output


wrong.golden_function = ttnn.get_golden_function(ttnn.add)
"""
    text = text.replace("    goldens = golden_outputs(operation, args, kwargs)", "    goldens = golden_outputs(ttnn.add, args, kwargs)")
    text = text.replace("    check(ttnn.add, ", "    check(wrong, ")
    file.write_text(text + wrong)
    result = plain_pytest(folder)
    assert "1 failed" in result.stdout, result.stdout
    assert complaint in result.stdout


def test_formatters_have_nothing_to_do(jsonl, tmp_path):
    ruff = pathlib.Path(sys.executable).parent / "ruff"
    clang_format = shutil.which("clang-format-14")
    if not ruff.exists() or clang_format is None:
        pytest.skip("needs ruff and clang-format-14")
    generate(("--jsonl", jsonl), tmp_path / "pytest", "pytest")
    generate(("--jsonl", jsonl), tmp_path / "gtest", "gtest")
    for arguments in (("check", *OWN_TTNN), ("format", "--check", "--diff")):
        result = run(ruff, *arguments, "--isolated", "--no-cache", tmp_path / "pytest")
        assert result.returncode == 0, result.stdout + result.stderr
    style = f"--style=file:{ROOT / '.clang-format'}"
    result = run(clang_format, style, "--dry-run", "--Werror", *sorted((tmp_path / "gtest").iterdir()))
    assert result.returncode == 0, result.stderr


def test_op_repros_are_collected(tmp_path):
    path = tmp_path / "calls.jsonl"
    good = {**record("ttnn.relu", tensor(32, 64)), "output": tensor(32, 64)}
    other = {**record("ttnn.relu", tensor(32, 32)), "output": tensor(32, 99)}
    path.write_text("".join(json.dumps(each) + "\n" for each in (good, good, other)))
    result = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--op-repros", path, cwd=tmp_path)
    assert "1 failed, 1 passed" in result.stdout, result.stdout + result.stderr
    assert "op_repro[2-ttnn.relu]" in result.stdout


def test_the_traced_configurations_of_sigmoid_accurate(tmp_path):
    """The first guide's test_sigmoid_traced_configs.py: 30 configurations of EfficientNet."""
    master = DATA / "efficientnet_b0_format1.json"
    if not master.exists():
        pytest.skip(f"no real masters in {DATA}")
    told = generate(("--master", master, "--op", "sigmoid_accurate"), tmp_path / "generated", "pytest")
    assert (told["tests"], told["shape_only"]) == (30, 0)
    result = plain_pytest(tmp_path / "generated")
    assert "30 passed" in result.stdout, result.stdout


@pytest.mark.skipif(os.environ.get("TRACELIFT_LONG") != "1", reason="a long test: minutes of large calls")
@pytest.mark.parametrize(
    "master, tests",
    [
        ("efficientnet_b0_format1.json", 330),
        ("llama32_1b_n300_format2.json", 390),
        ("deepseek_v3_galaxy_format2.json", 163),
    ],
)
def test_every_configuration_of_a_real_master_passes(master, tests, tmp_path):
    if not (DATA / master).exists():
        pytest.skip(f"no real masters in {DATA}")
    folder = tmp_path / "generated"
    told = generate(("--master", DATA / master), folder, "pytest")
    assert told["tests"] >= tests
    assert (told["refused"], told["undecodable"], told["shape_only"]) == (0, 0, 0)
    result = plain_pytest(folder)
    assert f"{told['tests']} passed" in result.stdout.splitlines()[-1], result.stdout
