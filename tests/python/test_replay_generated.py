"""Generated tests run: with nothing but pytest and ttnn, and as C++ with the runtime library."""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

import pytest
from test_masters_command import tensor as traced_tensor
from test_replay import record, tensor
from test_why import import_calls

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


def on_mesh(shape, cuts, **rest):
    """A tensor on two chips, cut along these dimensions of its own."""
    placements = ["PlacementReplicate" if dim is None else f"PlacementShard({dim})" for dim in cuts]
    lies = {"placement": str(placements), "distribution_shape": "[1, 2]", "mesh_device_shape": "[1, 2]"}
    return {**tensor(*shape, **rest), "tensor_placement": lies}


def mesh_calls():
    whole = [None, None]
    page_table = on_mesh((1, 2), whole, dtype="INT32", layout="ROW_MAJOR")
    second_chip = {"__type__": "ttnn.set", "value": "{MeshCoordinate([0, 1])}"}
    return [
        record("ttnn.add", on_mesh((1, 1, 32, 64), [None, 3]), on_mesh((1, 1, 32, 64), whole)),
        record("ttnn.softmax", on_mesh((1, 1, 32, 64), [None, 2])),
        record("ttnn.experimental.all_gather_async", on_mesh((1, 1, 32, 64), [None, 3]), dim=3),
        record(
            "ttnn.experimental.paged_fill_cache",
            on_mesh((4, 1, 32, 64), whole),
            on_mesh((1, 1, 64, 64), [None, 0]),
            page_table,
            batch_idx=0,
            mesh_coords=second_chip,
        ),
    ]


def write_calls(path, lines):
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


@pytest.fixture
def mesh_jsonl(tmp_path):
    return write_calls(tmp_path / "mesh_calls.jsonl", mesh_calls())


@pytest.fixture
def jsonl(tmp_path):
    return write_calls(tmp_path / "calls.jsonl", calls())


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


def test_tests_of_a_mesh_pass_on_it(mesh_jsonl, tmp_path):
    folder = tmp_path / "generated"
    told = generate(("--jsonl", mesh_jsonl), folder, "pytest")
    # What a chip gets from others is beyond golden functions, which are of one chip.
    assert (told["tests"], told["refused"], told["shape_only"]) == (4, 0, 2)
    texts = {file.name: file.read_text() for file in folder.iterdir()}
    assert all("MESH = (1, 2)" in text for text in texts.values())
    assert "spread=(None, 3)" in texts["test_add_traced_configs.py"]
    fill = texts["test_experimental_paged_fill_cache_traced_configs.py"]
    assert "mesh_coords={ttnn.MeshCoordinate([0, 1])}" in fill and "_shape_only(" in fill
    result = plain_pytest(folder)
    assert "4 passed" in result.stdout, result.stdout


def test_tests_of_a_mesh_look_at_every_chip(tmp_path):
    folder = tmp_path / "generated"
    generate(("--jsonl", write_calls(tmp_path / "calls.jsonl", mesh_calls()[:1])), folder, "pytest")
    file = folder / "test_add_traced_configs.py"
    wrong = """

def wrong(a, b):
    total = ttnn.add(a, b)
    first, _ = ttnn.get_device_tensors(total)
    _, second = ttnn.get_device_tensors(ttnn.relu(total))
    return ttnn.combine_device_tensors(tensors=[first, second])


wrong.golden_function = ttnn.get_golden_function(ttnn.add)
"""
    text = file.read_text().replace("    check(ttnn.add, ", "    check(wrong, ")
    file.write_text(text.replace("ttnn.get_golden_function(operation)", "ttnn.get_golden_function(ttnn.add)") + wrong)
    result = plain_pytest(folder)
    assert "1 failed" in result.stdout and "pcc" in result.stdout, result.stdout


def test_what_a_call_writes_into_is_compared(tmp_path):
    stats = {name: tensor(1, 64, 1, 1) for name in ("running_mean", "running_var")}
    line = record("ttnn.batch_norm", tensor(2, 64, 32, 32), training=True, momentum=0.5, **stats)
    folder = tmp_path / "generated"
    told = generate(("--jsonl", write_calls(tmp_path / "calls.jsonl", [line])), folder, "pytest")
    assert (told["tests"], told["shape_only"]) == (1, 0)
    assert "1 passed" in plain_pytest(folder).stdout
    file = folder / "test_batch_norm_traced_configs.py"
    spoils = """

def spoils(*args, running_mean, **kwargs):
    output = ttnn.batch_norm(*args, running_mean=running_mean, **kwargs)
    ttnn.neg(running_mean, output_tensor=running_mean)
    return output
"""
    text = file.read_text().replace("    check(ttnn.batch_norm, ", "    check(spoils, ")
    text = text.replace("ttnn.get_golden_function(operation)", "ttnn.get_golden_function(ttnn.batch_norm)")
    file.write_text(text + spoils)
    result = plain_pytest(folder)
    assert "1 failed" in result.stdout and "check_arguments" in result.stdout, result.stdout


def test_operations_that_only_write_into_arguments_are_judged(tmp_path):
    host = {**tensor(32, 64), "storage_type": "StorageType.HOST"}
    line = record("ttnn.copy_host_to_device_tensor", host, tensor(32, 64))
    folder = tmp_path / "generated"
    told = generate(("--jsonl", write_calls(tmp_path / "calls.jsonl", [line])), folder, "pytest")
    assert (told["tests"], told["shape_only"]) == (1, 0)
    result = plain_pytest(folder)
    assert "1 passed" in result.stdout, result.stdout


def test_the_golden_function_has_to_have_as_many_outputs(tmp_path):
    folder = tmp_path / "generated"
    line = record("ttnn.topk", tensor(32, 64), 32)
    generate(("--jsonl", write_calls(tmp_path / "calls.jsonl", [line])), folder, "pytest")
    assert "1 passed" in plain_pytest(folder).stdout
    file = next(folder.iterdir())
    text = file.read_text()
    half = text.replace("    return listed(golden(", "    return [golden(").replace(
        "**replaced(numeric, in_torch)))", "**replaced(numeric, in_torch))[0]]"
    )
    assert half != text
    file.write_text(half)
    result = plain_pytest(folder)
    assert "1 failed" in result.stdout and "assert 2 == 1" in result.stdout, result.stdout


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
    text = text.replace(
        "    goldens = golden_outputs(operation, args, kwargs)", "    goldens = golden_outputs(ttnn.add, args, kwargs)"
    )
    text = text.replace("    check(ttnn.add, ", "    check(wrong, ")
    file.write_text(text + wrong)
    result = plain_pytest(folder)
    assert "1 failed" in result.stdout, result.stdout
    assert complaint in result.stdout


def test_formatters_have_nothing_to_do(tmp_path):
    jsonl = write_calls(tmp_path / "calls.jsonl", calls() + mesh_calls())
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


def test_broken_lines_of_op_repros_are_skipped(tmp_path):
    good = {**record("ttnn.relu", tensor(32, 64)), "output": tensor(32, 64)}
    path = tmp_path / "calls.jsonl"
    path.write_text(json.dumps(good) + "\n" + json.dumps(good)[:50] + "\n[1, 2]\n")
    result = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--op-repros", path, cwd=tmp_path)
    assert "1 passed, 2 warnings" in result.stdout, result.stdout + result.stderr
    assert "calls.jsonl: line 2: " in result.stdout and "calls.jsonl: line 3: " in result.stdout


def test_only_what_failed_makes_tests_of_failing_ones(tmp_path):
    store = tmp_path / "store"
    widths = {
        32 * (i + 1): status for i, status in enumerate(("pass", "fail", "not_judged", "too_large", "not_run", "xfail"))
    }
    import_calls(tmp_path, store, {"ttnn.relu": [{"arg0": traced_tensor([1, 1, 32, width])} for width in widths]})
    assert run(TRACELIFT, "sweep", "run", "--all", "--dir", store).returncode == 0
    with sqlite3.connect(store / "tracelift.db") as database:
        for width, status in widths.items():
            database.execute(
                "UPDATE sweep_result SET status = ? WHERE parameters LIKE ?", (status, f"%(1, 1, 32, {width})%")
            )
    told = generate(("--failing", "--dir", store), tmp_path / "generated", "pytest")
    assert told["tests"] == 1
    (file,) = (tmp_path / "generated").iterdir()
    assert "(1, 1, 32, 64)," in file.read_text()


def test_one_operation_can_have_a_file_of_any_name(jsonl, tmp_path):
    file = tmp_path / "mine" / "test_softmax_of_mine.py"
    told = generate(("--jsonl", jsonl, "--op", "softmax"), file, "pytest")
    assert told["tests"] == 1 and [each.name for each in file.parent.iterdir()] == [file.name]
    assert "1 passed" in plain_pytest(file.parent).stdout
    refused = run(TRACELIFT, "generate-tests", "--jsonl", jsonl, "-o", file)
    assert refused.returncode == 2 and "is one file, and there would be 7" in refused.stderr


def test_the_traced_configurations_of_sigmoid_accurate(tmp_path):
    """The first guide's test_sigmoid_traced_configs.py: 30 configurations of EfficientNet."""
    master = DATA / "efficientnet_b0_format1.json"
    if not master.exists():
        pytest.skip(f"no real masters in {DATA}")
    file = tmp_path / "generated" / "test_sigmoid_traced_configs.py"
    told = generate(("--master", master, "--op", "sigmoid_accurate"), file, "pytest")
    assert (told["tests"], told["shape_only"]) == (30, 0)
    result = plain_pytest(tmp_path / "generated")
    assert "30 passed" in result.stdout, result.stdout


@pytest.mark.skipif(os.environ.get("TRACELIFT_LONG") != "1", reason="a long test: minutes of large calls")
@pytest.mark.parametrize(
    "master, tests",
    [
        # All, but for those that this machine has too little memory for.
        ("efficientnet_b0_format1.json", 387),
        ("llama32_1b_n300_format2.json", 590),
        ("deepseek_v3_galaxy_format2.json", 310),
    ],
)
def test_every_configuration_of_a_real_master_passes(master, tests, tmp_path):
    if not (DATA / master).exists():
        pytest.skip(f"no real masters in {DATA}")
    folder = tmp_path / "generated"
    told = generate(("--master", DATA / master), folder, "pytest")
    assert told["tests"] >= tests
    assert (told["refused"], told["undecodable"]) == (0, 0)
    texts = {file.name: file.read_text().replace("def check_shape_only(", "") for file in folder.iterdir()}
    shape_only = {name for name, text in texts.items() if "_shape_only(" in text}
    # They look at several chips, and a golden function gets what one chip has.
    names = ("all_gather_async", "paged_fill_cache", "paged_fused_update_cache", "paged_update_cache")
    assert shape_only <= {f"test_experimental_{name}_traced_configs.py" for name in names}
    result = plain_pytest(folder)
    assert f"{told['tests']} passed" in result.stdout.splitlines()[-1], result.stdout
