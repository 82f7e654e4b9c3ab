"""What run() gets of configurations that are not alike: numbers for tensors, outputs, objects, what no trace can say."""

import json
import types

import pytest
from sweep_support import DEEPSEEK, DRAM, EFFICIENTNET, EXAMPLES, LLAMA, python, real_master
from sweep_support import tensor as captured

from test_masters_command import execution, run as tracelift, tensor
from tracelift import ttnn
from tracelift.sweep_framework.generate import make_vectors
from tracelift.sweep_framework.master_config_loader import (
    MasterConfigLoader,
    unpack_binary_traced_config,
    unpack_traced_config,
)
from tracelift.sweep_framework.module_runner import run_vector
from tracelift.ttnn_objects import TracedRecord, TracedText
from tracelift.sweep_framework.vectors import deserialize, permutations, serialize

UNKNOWN = "[ unsupported type , std::reference_wrapper<ttsl::SmallVector<ttnn::operations::unary::EltwiseUnaryWithParam>>]"
PLACEMENT = {"placement": "['PlacementShard(2)', 'PlacementReplicate']", "distribution_shape": "[4, 8]", "mesh_device_shape": "[4, 8]"}


def square(size=32, **more):
    return {**tensor([1, 1, size, size]), **more}


def configuration(**arguments):
    return {"arguments": arguments, "executions": [execution()]}


@pytest.fixture
def loader(tmp_path):
    operations = {
        "ttnn.add": [
            configuration(arg0=square(), arg1=square(64)),
            configuration(arg0=square(), arg1=0.5),
            configuration(arg0=square(), arg1=square(), output_tensor=square(96)),
        ],
        "ttnn.multiply": [configuration(arg0=square(), arg1=0.25), configuration(arg0=square(), arg1=square(64))],
        "ttnn.gt": [configuration(arg0=square(), arg1=0), configuration(arg0=square(64), arg1=0, output_tensor=square(64))],
        "ttnn.zeros": [
            configuration(shape=[1, height], dtype={"type": "DataType", "repr": "DataType.BFLOAT16"},
                          device={"type": "MeshDevice", "value": "MeshDevice(4x8 grid, 32 devices)"})
            for height in (32, 64)
        ],
        "ttnn.experimental.paged_fill_cache": [
            configuration(arg0=square(tensor_placement=PLACEMENT), arg1=square(), arg2=square(),
                          mesh_coords={"type": "set", "value": "{MeshCoordinate([2, 3]), MeshCoordinate([0, 1])}"})
        ],
        "ttnn::subtract": [
            [{"arg0": captured([1, 1, 32, 32], DRAM)}, {"arg1": captured([1, 1, 32, 32], DRAM)}, {"arg2": "nullopt"},
             {"arg3": "nullopt"}, {"arg4": "nullopt"}, {"arg5": UNKNOWN}, {"arg6": UNKNOWN}, {"arg7": UNKNOWN}]
        ],
    }  # fmt: skip
    path = tmp_path / "master.json"
    path.write_text(json.dumps({"operations": {name: {"configurations": each} for name, each in operations.items()}}))
    return MasterConfigLoader(path)


def outcome(run, parameters, device="the device"):
    """Of every vector of a suite, as a file has them."""
    module = types.SimpleNamespace(run=run)
    vectors = json.loads(json.dumps(make_vectors("m", "model_traced", parameters, module)))
    return [run_vector(module, vector, device) for vector in vectors]


# --- numbers of tensors that differ -----------------------------------------------------------------------------------


def test_a_number_in_the_place_of_the_second_tensor(loader):
    names = loader.get_suite_parameters("add")["traced_config_name"]
    shapes, dtype_a, dtype_b, layout_a, layout_b, memory_a, memory_b = unpack_binary_traced_config(names[1])
    assert shapes == {"self": [1, 1, 32, 32], "other": None}
    assert (dtype_a, layout_a, memory_a) == (ttnn.bfloat16, ttnn.TILE_LAYOUT, ttnn.DRAM_MEMORY_CONFIG)
    assert (dtype_b, layout_b, memory_b) == (None, None, None)
    assert unpack_binary_traced_config(names[2])[0] == {"self": [1, 1, 32, 32], "other": [1, 1, 32, 32]}
    names = loader.get_suite_parameters("multiply")["traced_config_name"]  # where the number comes first
    assert [unpack_binary_traced_config(name)[0]["other"] for name in names] == [None, [1, 1, 64, 64]]


def test_an_output_makes_no_binary_operation(loader, capsys):
    names = loader.get_suite_parameters("gt")["traced_config_name"]
    assert [unpack_traced_config(name)[0] for name in names] == [[1, 1, 32, 32], [1, 1, 64, 64]]
    assert "use unpack" not in capsys.readouterr().out


def test_the_joined_form_keeps_tensors_that_the_first_configuration_lacks(loader):
    ((key, rows),) = loader.get_suite_parameters("add", form="joined").items()
    columns = key.split(",")
    assert columns[:8] == ["input_shape", "input_a_dtype", "input_b_dtype", "input_a_layout", "input_b_layout",
                           "input_a_memory_config", "input_b_memory_config", "output_memory_config"]  # fmt: skip
    assert [dict(zip(columns, row))["input_c_dtype"] for row in rows] == [None, None, ttnn.bfloat16]
    assert [dict(zip(columns, row))["input_tensor_b"] for row in rows] == [None, 0.5, None]


def test_all_cases_of_an_operation_without_tensors(loader):
    parameters = loader.get_suite_parameters("zeros", all_cases=True)
    assert parameters["shape"] == [[1, 32], [1, 64]] and parameters["dtype"] == [ttnn.bfloat16]
    seen = []

    def run(shape, dtype, *, device):
        seen.append((shape, dtype, device))
        return True, "1"

    assert [record["status"] for record in outcome(run, parameters)] == ["pass", "pass"]
    assert seen == [([1, 32], ttnn.bfloat16, "the device"), ([1, 64], ttnn.bfloat16, "the device")]


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["names", "format2"])
def test_coordinates_and_placements_arrive_alike_by_name_and_by_value(loader, form):
    seen = {}

    def run(mesh_coords, input_a_tensor_placement, *, device, **rest):
        seen.update(coordinates=mesh_coords, placement=input_a_tensor_placement)
        return True, "1"

    (record,) = outcome(run, loader.get_suite_parameters("paged_fill_cache", form=form))
    assert record["status"] == "pass", record
    assert seen["coordinates"] == {ttnn.MeshCoordinate([0, 1]), ttnn.MeshCoordinate([2, 3])}
    assert seen["placement"] == PLACEMENT


@pytest.mark.parametrize("form, given", [("names", "its own"), ("joined", None)])
def test_what_a_trace_could_not_describe_is_not_passed_on(loader, form, given):
    seen = []

    def run(activations="its own", *, device, **rest):
        seen.append(activations)
        return True, "1"

    (record,) = outcome(run, loader.get_suite_parameters("subtract", form=form))
    assert (record["status"], seen) == ("pass", [given]), record


def test_a_failure_says_that_its_configuration_is_not_there(monkeypatch):
    monkeypatch.setenv("TTNN_MASTER_JSON_PATH", "some/master.json")

    def run(traced_config_name, *, device):
        shape = unpack_traced_config(traced_config_name)[0]
        return shape[0] == 1, "1"

    (record,) = outcome(run, {"traced_config_name": ["nobody_traced_3"]})
    assert record["status"] == "fail"
    assert "nobody_traced_3 is not in some/master.json" in record["exception"]
    (record,) = outcome(lambda traced_config_name, *, device: (True, "1"), {"traced_config_name": ["nobody_traced_3"]})
    assert record["status"] == "pass"  # a module may look its names up itself


def _holds(value, kinds):
    if isinstance(value, dict):
        return any(_holds(each, kinds) for each in value.values())
    return any(_holds(each, kinds) for each in value) if isinstance(value, (list, tuple)) else isinstance(value, kinds)


@pytest.mark.parametrize("name", [EFFICIENTNET, LLAMA, DEEPSEEK])
@pytest.mark.parametrize("form", ["joined", "format2"])
def test_every_traced_value_comes_back_from_a_vector_file(name, form, capsys):
    loader = MasterConfigLoader(real_master(name))
    count = 0
    for operation in loader.operations():
        for vector in permutations(loader.get_suite_parameters(operation, form=form)):
            for key, value in vector.items():
                if key.endswith("_tensor_placement") or key.startswith("traced_") or _holds(value, (TracedText, TracedRecord)):
                    continue
                back = deserialize(json.loads(json.dumps(serialize(value))))
                assert back == value or repr(back) == repr(value), (operation, key)
                count += 1
    assert count > 1000


# --- modules ----------------------------------------------------------------------------------------------------------

OWN_TESTS = '''
parameters = {"nightly": {"n": [1, 2]}}


def run(n, *, device):
    return n > 0, str(n)


def test_of_its_own():
    assert run(1, device=None) == (True, "1")
'''


def test_a_module_with_tests_of_its_own_is_a_module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweeps").mkdir()
    (tmp_path / "sweeps" / "both.py").write_text(OWN_TESTS)
    made = tracelift("sweep", "generate", "--module-name", "both")
    assert made.returncode == 0, made.stderr
    assert "Generated 2 test vectors for suite nightly." in made.stdout
    ran = tracelift("sweep", "run", "--module-name", "both", "--dir", "store")
    assert ran.returncode == 0 and "2 of 2 vectors pass" in ran.stdout, ran.stdout + ran.stderr
    tested = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "sweeps/both.py", cwd=tmp_path)
    assert "1 passed" in tested.stdout, tested.stdout


def test_modules_load_from_the_store_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TTNN_MASTER_JSON_PATH", raising=False)
    master = {"operations": {"ttnn.add": {"configurations": [configuration(arg0=square(), arg1=square()), configuration(arg0=square(64), arg1=2)]}}}
    (tmp_path / "m.json").write_text(json.dumps(master))
    assert tracelift("import", tmp_path / "m.json", "--dir", tmp_path / "mine").returncode == 0
    module = EXAMPLES / "eltwise" / "binary" / "add" / "add.py"
    ran = tracelift("sweep", "run", "--module-name", module, "--suite", "model_traced", "--dir", "mine")
    assert ran.returncode == 0 and "2 of 2 vectors pass" in ran.stdout, ran.stdout + ran.stderr


def test_the_example_of_add_takes_every_traced_configuration(tmp_path):
    """Four of twelve add a number, and the shards of one need a board with 72 cores."""
    module = EXAMPLES / "eltwise" / "binary" / "add" / "add.py"
    code = f"import pytest, os; os.environ['TRACELIFT_BOARD'] = 'galaxy'; pytest.main(['-q', '-k', 'model_traced', {str(module)!r}])"
    done = python("-c", code, cwd=tmp_path, master=real_master(DEEPSEEK))
    assert "12 passed" in done.stdout, done.stdout + done.stderr
