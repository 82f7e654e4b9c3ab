"""The first two guides as printed: every command and every snippet, in a project that `tracelift init` has laid out.

The guides are not in the repository; without them (../shared/guides, or TRACELIFT_GUIDES) these tests are skipped.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from test_masters_command import check_that_it_replays, find_tool, run

PROJECT = Path(__file__).parents[2]
GUIDES = Path(os.environ.get("TRACELIFT_GUIDES", PROJECT.parent / "shared" / "guides"))
MASTER = Path(os.environ.get("TRACELIFT_DATA", PROJECT.parent / "shared" / "data")) / "masters/efficientnet_b0_format1.json"
MODEL = Path(__file__).parent / "targets" / "guide_model.py"
SIGMOID = "tests/sweep_framework/sweeps/eltwise/unary/sigmoid_accurate/sigmoid_accurate.py"

CONFIGURATIONS = "traced-configurations-guide.md"
AUTOMATION = "trace-to-test-automation.md"

# Where the guides have models of their own.
MODEL_PLACES = [
    "model/test.py",
    "models/experimental/efficientnetb0/tests/pcc/test_ttnn_efficientnetb0.py",
    "models/demos/wormhole/resnet50/demo/demo.py",
    "models/demos/wormhole/distilbert/demo/demo.py",
    "path/to/test.py",
]
# Words that stand for something else in the guides.
PLACEHOLDERS = {
    "/home/ubuntu/tt-metal/": "",
    "/path/to/model/test.py": "model/test.py",
    "<test_path>": "model/test.py::test_function",
    "<model_test_path>": "model/test.py::test_function",
    "<operation_name>": "sigmoid_accurate",
    "<operation>": "sigmoid_accurate",
    "<op_name>": "sigmoid_accurate",
    "tests/sweep_framework/sweeps/.../test.py": SIGMOID,
    "tests/sweep_framework/sweeps/.../sigmoid_accurate.py": SIGMOID,
}


def guide(name):
    path = GUIDES / name
    if not path.exists():
        pytest.skip(f"{path} is not there; TRACELIFT_GUIDES names the folder of the guides")
    return path.read_text(encoding="utf-8", errors="replace")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(name):
    """The shell blocks of a guide with their placeholders filled in, and the commands of its tables."""
    text = guide(name)
    found = blocks(text, "bash")
    found += re.findall(r"^\| \*\*.*?\*\* \| `(.*?)`", text, re.MULTILINE)
    # Snippets in Python that are commands for the shell.
    found += ["\n".join(re.findall(r"^python .*$", block, re.MULTILINE)) for block in blocks(text, "python")]
    filled = []
    for block in filter(None, found):
        for word, meaning in PLACEHOLDERS.items():
            block = block.replace(word, meaning)
        lines = [line for line in block.splitlines() if line.strip() != "ttcd"]  # activates an environment of theirs
        filled.append("\n".join(lines))
    return filled


def commands_under(name, heading):
    """The first shell block below a heading."""
    (block, *_) = blocks(guide(name).split(heading)[1], "bash")
    return "\n".join(line for line in block.splitlines() if line.strip() != "ttcd")


def environment():
    """`python`, `python3` and `pytest` are those that run this test; `tracelift` is the one that is tested."""
    tools = [str(Path(sys.executable).parent), str(Path(find_tool()).parent)]
    return {**os.environ, "PATH": os.pathsep.join([*tools, os.environ["PATH"]])}


def shell(script, folder):
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, env=environment(), capture_output=True, text=True, timeout=600
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guides")
    laid = run("init", folder)
    assert laid.returncode == 0, laid.stderr
    for place in MODEL_PLACES:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(MODEL, folder / place)
    (folder / "trace_all_models.sh").write_text("")
    done = shell("python generic_ops_tracer.py model/test.py::test_function", folder)  # tables name viewing before tracing
    assert done.returncode == 0, done.stdout + done.stderr
    # The guide compares sweeps with a unit test that lists the configurations itself.
    file = folder / "test_sigmoid_traced_configs.py"
    made = run("generate-tests", "--op", "sigmoid_accurate", "--dir", folder / "traced_operations", "-o", file)
    assert made.returncode == 0, made.stderr
    return folder


def traced(folder):
    return json.loads((folder / "traced_operations" / "ttnn_operations_master.json").read_text())["operations"]


# --- commands ------------------------------------------------------------------------------------------------------


@pytest.mark.xdist_group("guides")
@pytest.mark.parametrize("name", [CONFIGURATIONS, AUTOMATION])
def test_every_command_runs_as_printed(project, name):
    scripts = commands(name)
    assert len(scripts) > 6
    for script in scripts:
        done = shell(script, project)
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"


@pytest.mark.xdist_group("guides")
def test_both_masters_are_one(project):
    done = shell("python model_tracer/generic_ops_tracer.py model/test.py::test_function", project)
    assert done.returncode == 0, done.stderr
    assert "📋 Loaded" in done.stdout and "valid operations from Allops.txt" in done.stdout
    first, second = (project / folder / "ttnn_operations_master.json" for folder in ("traced_operations", "model_tracer/traced_operations"))
    assert first.samefile(second)
    assert len(traced(project)["ttnn::sigmoid_accurate"]["configurations"]) == 2


def test_an_operation_added_to_the_excluded_ones_is_not_traced(tmp_path):
    assert run("init", tmp_path).returncode == 0
    shutil.copy(MODEL, tmp_path / "test_model.py")
    tracer = tmp_path / "generic_ops_tracer.py"
    tracer.write_text(tracer.read_text().replace("self.excluded_operations = {", "self.excluded_operations = {\n            'ttnn::add',"))
    done = shell("python generic_ops_tracer.py test_model.py::test_function", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ttnn::add" not in traced(tmp_path) and "ttnn::matmul" in traced(tmp_path)


def test_what_a_project_has_is_kept(tmp_path):
    (tmp_path / "analyze_operations.py").write_text("# mine\n")
    (tmp_path / "tests").mkdir()
    first = json.loads(run("init", tmp_path, "--json").stdout)
    outcomes = {entry["path"]: entry["outcome"] for entry in first}
    assert outcomes["analyze_operations.py"] == "kept" and outcomes["model_tracer/analyze_operations.py"] == "written"
    assert (tmp_path / "analyze_operations.py").read_text() == "# mine\n"
    assert not (tmp_path / "tests/__init__.py").exists()
    again = {entry["path"]: entry["outcome"] for entry in json.loads(run("init", tmp_path, "--json").stdout)}
    assert set(again.values()) == {"present", "kept"} and again["analyze_operations.py"] == "kept"


def test_the_scripts_of_sweeps_work_from_any_folder(tmp_path):
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run("init", project).returncode == 0
    shutil.copy(MODEL, project / "test_model.py")
    scripts = [
        "python ../project/generic_ops_tracer.py ../project/test_model.py::test_function",
        "python ../project/tests/sweep_framework/sweeps_parameter_generator.py --module-name sigmoid_accurate",
        "python ../project/tests/sweep_framework/sweeps_runner.py --module-name sigmoid_accurate --suite model_traced",
        "python ../project/analyze_sweep_results.py",
    ]
    done = shell("\n".join(scripts), elsewhere)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 vectors pass" in done.stdout and "✅ Passed: 2 (100.0%)" in done.stdout
    assert list(elsewhere.iterdir()) == []


def test_allops_is_the_valid_list(tmp_path):
    assert run("init", tmp_path).returncode == 0
    shutil.copy(MODEL, tmp_path / "test_model.py")
    listed = tmp_path / "tests/sweep_framework/Allops.txt"
    listed.write_text("".join(line for line in listed.read_text().splitlines(True) if line.strip() != "ttnn::matmul"))
    done = shell("python generic_ops_tracer.py test_model.py::test_function", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ttnn::add" in traced(tmp_path) and "ttnn::matmul" not in traced(tmp_path)


def test_a_store_of_the_tracer_stays_the_store(tmp_path):
    store = tmp_path / "model_tracer" / "traced_operations"
    store.mkdir(parents=True)
    assert run("init", tmp_path).returncode == 0
    assert (tmp_path / "traced_operations").samefile(store) and not store.is_symlink()


def test_allops_is_the_list_of_operations_that_exist(tmp_path):
    assert run("init", tmp_path).returncode == 0
    names = (tmp_path / "tests/sweep_framework/Allops.txt").read_text().split()
    described = json.loads(run("describe", "--json").stdout)
    assert set(names) == {entry["operation"].replace(".", "::") for entry in described}


# --- what the guides print -------------------------------------------------------------------------------------------


def outline(text):
    """Lines without numbers and signs: the guides' files have lost some of their emoji. Rulers are left out."""
    kept = (re.sub(r"[^\x20-\x7e•→]", "", line) for line in text.splitlines())
    return [re.sub(r"\d[\d.,]*", "#", line).strip() for line in kept if line.strip(" .") and not line.startswith("=")]


def missing_lines(name, heading, shown):
    """Lines of the output that a guide has under a heading, as far as they are not shown in this order."""
    section = guide(name).split(heading)[1]
    expected = outline(re.search(r"Output:\*\*\n```\n(.*?)^```", section, re.DOTALL | re.MULTILINE)[1])
    lines = outline(shown)
    assert len(expected) > 3
    missing, at = [], 0
    for wanted in expected:
        found = next((i for i in range(at, len(lines)) if wanted in lines[i]), None)
        if found is None:
            missing.append(wanted)
        else:
            at = found + 1
    return missing


# --- the headline: 30 traced configurations, 30 vectors, 30 passed ---------------------------------------------------


@pytest.mark.xdist_group("guides")
def test_thirty_of_thirty_through_the_guides_own_paths(tmp_path):
    if not MASTER.exists():
        pytest.skip(f"{MASTER} is not there; TRACELIFT_DATA names the folder of the data")
    assert run("init", tmp_path).returncode == 0
    assert run("import", MASTER, "--dir", tmp_path / "traced_operations").returncode == 0
    viewed = shell("python model_tracer/analyze_operations.py sigmoid_accurate", tmp_path)
    assert "Operation: ttnn::sigmoid_accurate\n📊 Configurations: 30" in viewed.stdout
    assert viewed.stdout.count("📋 Configuration ") == 30
    module = "--module-name eltwise.unary.sigmoid_accurate.sigmoid_accurate"
    made = shell(f"python3 tests/sweep_framework/sweeps_parameter_generator.py {module} --dump-file", tmp_path)
    assert made.returncode == 0, made.stderr
    assert "✅ Loaded 30 model-traced configurations for sigmoid_accurate\n   • Shapes: 30\n   • Dtypes: 1 unique\n" in made.stdout
    assert "   • Layouts: 1 unique\n   • Memory Configs: 25 unique\n" in made.stdout
    assert "SWEEPS: Generated 30 test vectors for suite model_traced." in made.stdout
    ran = shell(f"python3 tests/sweep_framework/sweeps_runner.py {module} --suite model_traced", tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    summed = shell("python analyze_sweep_results.py", tmp_path)
    assert "   • Total Tests: 30\n   • ✅ Passed: 30 (100.0%)\n   • ❌ Failed: 0\n" in summed.stdout, summed.stdout
    assert "🎉 No failures detected!" in summed.stdout
    assert missing_lines(CONFIGURATIONS, "### Example 4", summed.stdout) == []
    paired, apart = re.findall(r"^configs = (load_unary_op_configs\(.*?\))", guide(CONFIGURATIONS), re.MULTILINE)
    script = (
        "from tests.sweep_framework.sweep_config_utils import load_unary_op_configs\n"
        f"paired, apart = {paired}, {apart}\n"
        "print(len(paired['traced_config']), len(apart['input_shapes']) * len(apart['input_memory_config']))"
    )
    counted = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert counted.stdout.splitlines()[-1:] == ["30 900"], counted.stdout + counted.stderr
    tested = shell(f"pytest {SIGMOID} -k model_traced -v", tmp_path)
    assert tested.returncode == 0, tested.stdout
    assert "SWEEPS - Generated 30 test vectors for suite model_traced." in tested.stdout
    assert len(re.findall(r"test_sweep\[model_traced-\d+\] PASSED", tested.stdout)) == 30
    assert missing_lines(CONFIGURATIONS, "### Example 3", tested.stdout) == []
    whole = shell("rm -r results_export && python analyze_sweep_results.py", tmp_path)
    assert whole.returncode == 1 and "results_export" in whole.stderr


@pytest.mark.xdist_group("guides")
def test_the_first_example_prints_what_it_shows(project):
    script = commands_under(CONFIGURATIONS, "### Example 1")
    shown = shell(script, project)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    missing = missing_lines(CONFIGURATIONS, "### Example 1", shown.stdout)
    # The operations are those of a model of theirs, and what is kept is the master.
    assert [line for line in missing if "unique configs" not in line and not line.startswith("File: ")] == [], missing
    assert "File: traced_operations/ttnn_operations_master.json (" in shown.stdout


def chained_phase():
    """The steps of the phase as one function: each goes on where the one before ends."""
    section = guide(CONFIGURATIONS).split("### 3. Sweep Test Execution Phase")[1].split("\n---")[0]
    load, create, operate, validate = blocks(section, "python")
    named = "ttnn_output, torch_reference = ttnn.to_torch(result), torch.sigmoid(torch_input)\n"
    inner = "".join("    " + line for line in (create + operate + named + validate).splitlines(True))
    return load + inner + "    return ttnn_input, result, pcc\n"


@pytest.mark.xdist_group("guides")
def test_the_execution_phase_runs_step_after_step(tmp_path):
    if not MASTER.exists():
        pytest.skip(f"{MASTER} is not there; TRACELIFT_DATA names the folder of the data")
    assert run("init", tmp_path).returncode == 0
    assert run("import", MASTER, "--dir", tmp_path / "traced_operations").returncode == 0
    # What the guide calls _CONFIG_LOOKUP is a function here; two values are of the framework around the steps.
    script = f"""
import torch
import ttnn
from tests.sweep_framework.master_config_loader import MasterConfigLoader, unpack_traced_config
from tracelift.testing import check_with_pcc

names = MasterConfigLoader().get_suite_parameters("sigmoid_accurate")["traced_config_name"]


class Lookup:
    def __getitem__(self, name):
        shape, dtype, layout, memory_config, _ = unpack_traced_config(name)
        return dict(shape=shape, dtype=dtype, layout=layout, memory_config=memory_config)


_CONFIG_LOOKUP = Lookup()
with ttnn.manage_device(device_id=0) as opened:
    for name in names:
        config = _CONFIG_LOOKUP[name]
        torch_input = torch.randn(tuple(config["shape"]))
        output_mem_config = unpack_traced_config(name)[4]
        exec({chained_phase()!r})
        made, result, (passed, _) = run(name, device=opened)
        assert passed
        assert list(made.shape) == list(config["shape"]) and made.dtype == config["dtype"]
        assert made.memory_config() == config["memory_config"] and result.memory_config() == output_mem_config
    print(len(names), "ran")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "30 ran"


# --- snippets ------------------------------------------------------------------------------------------------------


def snippets(name):
    """The Python blocks that show how a sweep module uses the loader, as text that can be executed."""
    for block in blocks(guide(name), "python"):
        if "get_suite_parameters(" not in block:
            continue
        block = block.replace("{ ... }", "{}").replace(", ..., ", ", ").replace("\\\\\n", "\\\n")
        for stand_in in ("your_operation_name", "your_op", "my_op", "op_name"):
            block = block.replace(f'"{stand_in}"', '"sigmoid_accurate"')
        yield block


@pytest.mark.xdist_group("guides")
@pytest.mark.parametrize("name", [CONFIGURATIONS, AUTOMATION])
def test_every_snippet_of_a_module_works(project, name):
    shown = list(snippets(name))
    assert len(shown) >= 2
    for snippet in shown:
        # Step 2 of the guide goes on from the import of step 1.
        script = f"import ttnn\nfrom tests.sweep_framework.master_config_loader import MasterConfigLoader\n{snippet}\n" + (
            "names = parameters['model_traced']['traced_config_name']\n"
            "assert len(names) >= 1, names\n"
            "if 'run' in globals():\n"
            "    given = {} if run.__defaults__ and len(run.__defaults__) == run.__code__.co_argcount else {'input_shape': None}\n"
            "    for each in names:\n"
            "        extra = {'traced_config_name': each} if 'traced_config_name' in run.__code__.co_varnames else {}\n"
            "        run(**given, **extra, device=None)\n"
        )
        done = subprocess.run([sys.executable, "-c", script], cwd=project, env=environment(), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"


def test_the_sample_master_replays(tmp_path):
    samples = [text for text in blocks(guide(CONFIGURATIONS), "json") if '"configurations"' in text]
    assert samples
    for number, text in enumerate(samples):
        sample = tmp_path / f"sample{number}.json"
        sample.write_text(text)
        shown = check_that_it_replays(sample, tmp_path / f"store{number}")
        assert "12544" in shown and "HEIGHT_SHARDED" in shown and "[224, 32]" in shown
