"""The names and calls of ttnn that public models and tests use (scripts/python_surface.py counts them).

The file of counts is not in the repository; without it (../shared/data, or TRACELIFT_SURFACE) the tests that read it are
skipped.
"""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import ttnn

SCRIPT = Path(__file__).parents[2] / "scripts" / "python_surface.py"


def load():
    spec = importlib.util.spec_from_file_location("python_surface", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


surface = load()

# Calls in the counted files that the original refuses, too: slips that nobody ran, and arguments of older versions.
REFUSED_THERE_TOO = {
    "ttnn.Tensor": ["dtype"],
    "ttnn.to_layout": ["device"],
    "ttnn.add": ["fused_activations", "output_dtype", "alpha"],
    "ttnn.ShardTensor2dMesh": ["dim"],
    "ttnn.matmul": ["output_mem_config", "3 positional arguments (takes 2)"],
    "ttnn.concat": ["3 positional arguments (takes 2)"],
    "ttnn.layer_norm": ["core_grid"],
    "ttnn.mul": ["3 positional arguments (takes 2)"],
    "ttnn.create_sharded_memory_config_": ["halo"],
    "ttnn.Conv2dConfig": ["math_fidelity", "fp32_dest_acc_enabled", "packer_l1_accum_enabled"],
    "ttnn.open_device": ["1 positional arguments (takes 0)"],
    "ttnn.multiply": ["input_tensor_a_activation"],
    "ttnn.experimental.all_gather_async": ["persistent_intermediate_buffer"],
    "ttnn.experimental.reduce_scatter_minimal_async": ["persistent_intermediate_buffer", "persistent_output_buffer"],
    "ttnn.div": ["accurate_mode"],
    "ttnn.conv2d": ["9 positional arguments (takes 0)"],
    "ttnn.clone": ["2 positional arguments (takes 1)"],
    "ttnn.rms_norm": ["eps", "2 positional arguments (takes 1)"],
    "ttnn.tanh": ["accuracy"],
    "ttnn.rsub": ["value"],
    "ttnn.bitwise_left_shift": ["shift_bits"],
    "ttnn.all_gather": ["mesh_device"],
    "ttnn.tilize_with_val_padding": ["4 positional arguments (takes 3)"],
    "ttnn.hardtanh": ["3 positional arguments (takes 1)"],
    "ttnn.isclose": ["5 positional arguments (takes 2)"],
    "ttnn.softshrink": ["2 positional arguments (takes 1)"],
    # Neighbours along a second axis of the mesh, for one model: what they do is written down nowhere.
    "ttnn.experimental.neighbor_pad_async": ["secondary_cluster_axis", "secondary_mesh_shape"],
}


@pytest.fixture(scope="module")
def uses():
    path = surface.surface_file()
    if path is None:
        pytest.skip("there is no ../shared/data/python_surface.csv (TRACELIFT_SURFACE names another)")
    return surface.read_uses(path)


def test_no_keyword_that_people_use_is_refused(uses):
    refused = {use.name: surface.refused(use, value) for use, value, exists in surface.look(uses) if exists}
    found = {name: what for name, what in refused.items() if what}
    unexpected = {
        name: [entry for entry in what if entry not in REFUSED_THERE_TOO.get(name, [])] for name, what in found.items()
    }
    assert not {name: what for name, what in unexpected.items() if what}
    assert sorted(REFUSED_THERE_TOO) == sorted(found), "a call of the list is accepted by now"


def test_names_around_the_operations_exist(uses):
    """Everything but operations, which have a list of their own (test_against_torch.py)."""
    prefixes = ("from ttnn", "import ttnn", "ttnn._ttnn.", "ttnn.device.", "ttnn.types.", "ttnn.core.", "ttnn.CONFIG")
    prefixes += (
        "ttnn.cluster.",
        "ttnn.distributed.",
        "ttnn.tracer.",
        "ttnn.database.",
        "ttnn.graph.",
        "ttnn.model_pre",
    )
    around = [use for use in uses if use.name.startswith(prefixes) or use.name.removeprefix("ttnn.")[:1].isupper()]
    missing = [use.name for use, _, exists in surface.look(around) if not exists and use.name not in surface.DEAD]
    # A class's private name, of the enums of another binding library.
    assert missing == ["ttnn.DataType.__entries.values"] and len(around) > 300


# --- the script itself ------------------------------------------------------------------------------------------------


ROWS = """name,uses_in_models,uses_in_tests,most_positional_arguments,keywords_with_uses
ttnn.exp,10,5,1,memory_config:3 no_such_keyword:1
ttnn.Tensor,3,0,9,layout:1
ttnn.no_such_name,7,2,,
from ttnn.device import is_blackhole,1,0,,
import ttnn.no_such_module,0,1,,
ttnn.argmin,4,0,,
"""


@pytest.fixture
def counts(tmp_path, monkeypatch):
    path = tmp_path / "surface.csv"
    path.write_text(ROWS)
    monkeypatch.setenv("TRACELIFT_SURFACE", str(path))


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)


def test_the_figures(counts):
    result = run("--calls")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].split()[-5:] == ["3", "of", "5", "60.00", "%"]
    assert lines[1].split()[-5:] == ["2", "of", "3", "66.67", "%"]
    assert lines[2].split()[-5:] == ["14", "of", "21", "66.67", "%"]
    assert lines[3].split()[-5:] == ["5", "of", "8", "62.50", "%"]
    assert [line.split() for line in lines[5:]] == [
        ["missing", "9", "ttnn.no_such_name"],
        ["missing", "1", "import", "ttnn.no_such_module"],
        ["ttnn.exp", "refuses", "no_such_keyword"],
    ]
    assert run("--strict").returncode == 1


def test_it_says_when_there_is_no_file(monkeypatch, tmp_path):
    monkeypatch.setenv("TRACELIFT_SURFACE", str(tmp_path / "nothing.csv"))
    result = run()
    assert result.returncode == 2 and "skipped: there is no" in result.stderr and result.stdout == ""


@pytest.mark.parametrize(
    "name, positional, accepted, refused",
    [
        ("linear", 2, "bias", "biases"),
        ("from_torch", 2, "cq_id", "queue"),
        ("MemoryConfig", 3, "nd_shard_spec", "spec"),
        ("ShardSpec", 3, "shard_shape", "shape"),
        ("CoreGrid", 0, "x", "z"),
        ("SDPAProgramConfig", 0, "q_chunk_size", "chunk_size"),
        ("corerange_to_cores", 3, "row_wise", "rowwise"),
    ],
)
def test_signatures_are_understood(name, positional, accepted, refused):
    value = getattr(ttnn, name)
    forms = surface.forms_of(value)
    keywords = set().union(*(form.keywords for form in forms if form.keywords is not None))
    any_keyword = any(form.keywords is None for form in forms)
    assert max(form.positional for form in forms) == positional
    assert any_keyword or (accepted in keywords and refused not in keywords)


def test_names_with_several_parts_are_found():
    assert surface.find("ttnn.device.Arch.BLACKHOLE.name") == "BLACKHOLE"
    assert surface.find("ttnn.database.SQLITE_CONNECTION.close") is None  # filled while a report is open
    assert surface.find("from ttnn.operations.conv2d import Conv2dConfig") is ttnn.Conv2dConfig
    for name in ("ttnn.no_such", "from ttnn.device import no_such", "import ttnn.no_such"):
        with pytest.raises(LookupError):
            surface.find(name)
