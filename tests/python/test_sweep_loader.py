"""The loader of traced configurations: the documented contract, on a small master and on the real ones."""

import json
import pathlib
import subprocess
import sys

import pytest
from sweep_support import DEEPSEEK, DRAM, EFFICIENTNET, LLAMA, SHARDED, SMALL, real_master

from tracelift import ttnn
from tracelift.sweep_framework.master_config_loader import (
    MasterConfigLoader,
    find_master,
    get_traced_config,
    unpack_binary_traced_config,
    unpack_traced_config,
)
from tracelift.sweep_framework.sweep_config_utils import load_unary_op_configs

INTERLEAVED = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, ttnn.BufferType.DRAM)


def sharded():
    grid = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))})
    spec = ttnn.ShardSpec(grid, [64, 32], ttnn.ShardOrientation.COL_MAJOR)
    return ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, spec)


def test_names_pair_the_values_of_a_configuration(small_master):
    parameters = MasterConfigLoader(small_master).get_suite_parameters("sigmoid_accurate")
    assert parameters == {"traced_config_name": [f"sigmoid_accurate_traced_{index}" for index in range(3)]}
    shape, dtype, layout, memory, output = unpack_traced_config("sigmoid_accurate_traced_0")
    assert (shape, dtype, layout) == ([1, 1, 128, 32], ttnn.bfloat16, ttnn.TILE_LAYOUT)
    assert memory == sharded() and output == sharded()
    assert unpack_traced_config("sigmoid_accurate_traced_1")[3] == INTERLEAVED


def test_the_summary_counts_shapes_per_configuration(small_master, capsys):
    MasterConfigLoader(small_master).get_suite_parameters("sigmoid_accurate")
    assert capsys.readouterr().out.splitlines() == [
        "✅ Loaded 3 model-traced configurations for sigmoid_accurate",
        "   • Shapes: 3",
        "   • Dtypes: 1 unique",
        "   • Layouts: 1 unique",
        "   • Memory Configs: 2 unique",
    ]


def test_all_cases_multiplies_distinct_values(small_master):
    parameters = MasterConfigLoader(small_master).get_suite_parameters("sigmoid_accurate", all_cases=True)
    assert parameters == {
        "input_shape": [[1, 1, 128, 32], [1, 1, 32, 32]],
        "input_a_dtype": [ttnn.bfloat16],
        "input_a_layout": [ttnn.TILE_LAYOUT],
        "input_a_memory_config,output_memory_config": [(sharded(), sharded()), (INTERLEAVED, INTERLEAVED)],
    }


def test_binary_operations_are_detected(small_master, capsys):
    loader = MasterConfigLoader(small_master)
    (name,) = loader.get_suite_parameters("add")["traced_config_name"]
    shapes, *rest = unpack_binary_traced_config(name)
    assert shapes == {"self": [1, 1, 32, 32], "other": [1, 1, 1, 32]}
    assert rest == [ttnn.bfloat16] * 2 + [ttnn.TILE_LAYOUT] * 2 + [INTERLEAVED] * 2
    assert get_traced_config(name)["is_binary"] is True
    assert get_traced_config(name)["shape_b"] == [1, 1, 1, 32]
    assert unpack_traced_config(name) == (None,) * 5
    assert "use unpack_binary_traced_config()" in capsys.readouterr().out
    assert loader.get_suite_parameters("add", all_cases=True)["input_shape"] == [shapes]


@pytest.mark.parametrize("name", ["nobody_traced_0", "sigmoid_accurate_traced_99", "a_traced_b_traced_0", "plain", ""])
def test_unknown_names_give_nothing_or_defaults(small_master, name):
    MasterConfigLoader(small_master).get_suite_parameters("sigmoid_accurate")
    assert get_traced_config(name) is None
    assert unpack_traced_config(name) == (None,) * 5
    assert unpack_binary_traced_config(name) == (None,) * 7
    defaults = ([1, 32, 32], ttnn.bfloat16, ttnn.TILE_LAYOUT, INTERLEAVED, INTERLEAVED)
    assert unpack_traced_config(name, use_defaults=True) == defaults
    assert unpack_binary_traced_config(name, use_defaults=True)[0] == {"self": [1, 32, 32], "other": [1, 32, 32]}


@pytest.mark.parametrize("name", ["add", "ttnn.add", "ttnn::add"])
def test_an_operation_goes_by_any_spelling(small_master, name):
    (found,) = MasterConfigLoader(small_master).get_operation_configs(name)
    assert found == (SMALL["operations"]["ttnn::add"]["configurations"][0], "unknown", None, None)


def test_unknown_operations_make_an_empty_suite(small_master, capsys):
    loader = MasterConfigLoader(small_master)
    assert loader.get_operation_configs("nothing") == []
    assert "No configurations found for operation: nothing" in capsys.readouterr().out
    parameters = loader.get_suite_parameters("nothing")
    assert parameters["input_shape"] == [[1, 32, 32]] and parameters["input_a_dtype"] == []


def test_missing_and_corrupt_masters_behave_as_empty(tmp_path, capsys):
    assert MasterConfigLoader(tmp_path / "none.json").get_operation_configs("add") == []
    assert "none.json" in capsys.readouterr().out
    (tmp_path / "half.json").write_text('{"operations": {"ttnn::add": {"configurations": [[')
    assert MasterConfigLoader(tmp_path / "half.json").get_operation_configs("add") == []
    assert "half.json" in capsys.readouterr().out


def test_configurations_that_cannot_be_read_are_counted(small_master, capsys):
    parameters = MasterConfigLoader(small_master).get_suite_parameters("relu")
    assert parameters == {"traced_config_name": ["relu_traced_0"]}
    told = capsys.readouterr().out
    assert "Failed to parse 1 configurations of relu" in told
    assert "ttnn::relu/configurations[0]" in told


def test_memory_configs_keep_the_traced_shard_shape():
    loader = MasterConfigLoader("unused.json")
    assert loader.parse_memory_config(SHARDED, [1, 1, 128, 32]) == sharded()
    as_captured = {**SHARDED["shard_spec"], "shape": "{64, 32}"}
    assert loader.parse_memory_config({**SHARDED, "shard_spec": as_captured}, [1, 1, 128, 32]) == sharded()
    as_graphs_say = {**SHARDED["shard_spec"], "grid": "{[(x=0,y=0) - (x=1,y=0)]}"}
    assert loader.parse_memory_config({**SHARDED, "shard_spec": as_graphs_say}, [1, 1, 128, 32]) == sharded()
    with pytest.raises(ValueError, match="grid: expected a list of core ranges"):
        loader.parse_memory_config({**SHARDED, "shard_spec": {**SHARDED["shard_spec"], "grid": "all of them"}})
    assert loader.parse_memory_config(DRAM, [1, 1, 32, 32]) == INTERLEAVED
    assert loader.parse_memory_config({}, [1, 1, 32, 32]) == INTERLEAVED
    without = {key: value for key, value in SHARDED.items() if key != "shard_spec"}
    assert loader.parse_memory_config(without, [1, 1, 32, 32]) == INTERLEAVED
    by_nd = {**without, "nd_shard_spec": {**SHARDED["shard_spec"], "shard_shape": [64, 32]}}
    assert loader.parse_memory_config(by_nd, [1, 1, 128, 32]) == sharded()


def test_lead_models_alone(small_master, tmp_path, monkeypatch):
    arguments = {"arg0": {"type": "ttnn.Tensor", "original_shape": [1, 1, 32, 32], "original_dtype": "DataType.BFLOAT16",
                          "layout": "Layout.TILE", "storage_type": "StorageType.DEVICE",
                          "memory_config": {"memory_layout": "TensorMemoryLayout.INTERLEAVED",
                                            "buffer_type": "BufferType.DRAM", "shard_spec": None}}}

    def configuration(source, shape):
        changed = {"arg0": {**arguments["arg0"], "original_shape": shape}}
        return {"config_hash": source[:4], "arguments": changed, "executions": [{"source": source, "count": 1}]}

    master = {"operations": {"ttnn.relu": {"configurations": [
        configuration("models/demos/DeepSeek_V3/demo.py", [1, 1, 32, 32]), configuration("models/other.py", [1, 1, 64, 32])
    ]}}}
    path = tmp_path / "two.json"
    path.write_text(json.dumps(master))
    assert len(MasterConfigLoader(path).get_operation_configs("relu")) == 2
    monkeypatch.setenv("TTNN_LEAD_MODELS_ONLY", "true")
    (kept,) = MasterConfigLoader(path).get_operation_configs("relu")
    assert kept.source == "models/demos/DeepSeek_V3/demo.py"
    assert MasterConfigLoader(path).get_suite_parameters("relu") == {"traced_config_name": ["relu_traced_0"]}
    assert MasterConfigLoader(small_master).get_operation_configs("add") == []  # format 1.0 names no source


def test_the_master_is_found_at_the_places_of_the_guides(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("TTNN_MASTER_JSON_PATH", "TRACELIFT_DIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "traced_operations").mkdir()
    (tmp_path / "traced_operations" / "ttnn_operations_master.json").write_text(json.dumps(SMALL))
    assert str(find_master()) == "traced_operations/ttnn_operations_master.json"
    (tmp_path / "model_tracer" / "traced_operations").mkdir(parents=True)
    (tmp_path / "model_tracer" / "traced_operations" / "ttnn_operations_master_v2.json").write_text("{}")
    assert find_master().name == "ttnn_operations_master_v2.json"
    monkeypatch.setenv("TTNN_MASTER_JSON_PATH", "elsewhere.json")
    assert str(find_master()) == "elsewhere.json"


def test_a_changed_master_is_read_again(small_master):
    loader = MasterConfigLoader(small_master)
    assert len(loader.get_operation_configs("add")) == 1
    changed = json.loads(json.dumps(SMALL))
    changed["operations"]["ttnn::add"]["configurations"] *= 2
    small_master.write_text(json.dumps(changed))
    assert len(loader.get_operation_configs("add")) == 2


def test_joined_values_of_binary_operations(small_master):
    ((key, values),) = MasterConfigLoader(small_master).get_suite_parameters("add", form="joined").items()
    assert key.startswith(
        "input_shape,input_a_dtype,input_b_dtype,input_a_layout,input_b_layout,input_a_memory_config,"
        "input_b_memory_config,output_memory_config"
    )
    assert values[0][0] == {"self": [1, 1, 32, 32], "other": [1, 1, 1, 32]}


# --- real masters -----------------------------------------------------------------------------------------------------


def test_efficientnet_headline(capsys):
    master = real_master(EFFICIENTNET)
    loader = MasterConfigLoader(master)
    assert len(loader.get_suite_parameters("sigmoid_accurate")["traced_config_name"]) == 30
    told = capsys.readouterr().out
    assert "✅ Loaded 30 model-traced configurations for sigmoid_accurate\n   • Shapes: 30\n" in told
    assert "   • Memory Configs: 25 unique\n" in told
    sizes = {key: len(values) for key, values in loader.get_suite_parameters("sigmoid_accurate", all_cases=True).items()}
    assert sizes == {
        "input_shape": 26,
        "input_a_dtype": 1,
        "input_a_layout": 1,
        "input_a_memory_config,output_memory_config": 25,
    }
    apart = load_unary_op_configs("sigmoid_accurate", all_cases=True, master_file_path=master)
    assert len(apart["input_shapes"]) * len(apart["input_memory_config"]) == 900
    pairs = load_unary_op_configs("sigmoid_accurate", master_file_path=master)["traced_config"]
    assert len(pairs) == 30 and pairs[0] == (apart["input_shapes"][0], apart["input_memory_config"][0])


@pytest.mark.parametrize("name", [EFFICIENTNET, LLAMA, DEEPSEEK])
def test_every_configuration_of_every_operation_is_loaded(name, capsys):
    path = real_master(name)
    loader = MasterConfigLoader(path)
    master = json.loads(path.read_text())["operations"]
    for operation, listed in master.items():
        count = len(listed["configurations"])
        names = loader.get_suite_parameters(operation)["traced_config_name"]
        assert len(names) == count, operation
        for index, configuration in enumerate(listed["configurations"]):
            raw = configuration if isinstance(configuration, list) else configuration["arguments"]
            entry = get_traced_config(names[index])
            # Nothing is lost: as many arguments as the master has, but those that say "not given".
            given = raw if isinstance(raw, dict) else {key: value for each in raw for key, value in each.items()}
            absent = sum(value == "nullopt" or value is None for value in given.values())
            assert len(entry["arguments"]) >= len(given) - absent, (operation, index)


def test_masters_and_stores_give_the_same(tmp_path):
    path = real_master(LLAMA)
    command = [pathlib.Path(sys.executable).with_name("tracelift"), "import", path, "--dir", tmp_path / "store"]
    subprocess.run(command, check=True, capture_output=True)
    file, store = MasterConfigLoader(path), MasterConfigLoader(tmp_path / "store")
    for operation in ("add", "linear", "concat", "scaled_dot_product_attention"):
        ours = [repr(config.entry()) for config in store.get_traced_configs(operation)]
        assert ours == [repr(config.entry()) for config in file.get_traced_configs(operation)]
        hashes = [config.config_hash for config in file.get_traced_configs(operation)]
        assert [config.config_hash for config in store.get_traced_configs(operation)] == hashes


def test_format2_form_has_the_fields_of_the_trace():
    path = real_master(LLAMA)
    loader = MasterConfigLoader(path)
    ((key, values),) = loader.get_suite_parameters("linear", form="format2").items()
    names = key.split(",")
    assert len(values) == 40
    first = dict(zip(names, values[0]))
    raw = json.loads(path.read_text())["operations"]["ttnn.linear"]["configurations"][0]
    assert first["input_a_shape"] == tuple(raw["arguments"]["arg0"]["original_shape"])
    assert first["input_b_dtype"] == ttnn.bfloat4_b
    assert first["config_hash"] == raw["config_hash"]
    assert first["traced_machine_info"] == raw["executions"][0]["machine_info"]
    assert first["traced_source"] == raw["executions"][0]["source"]
    assert first["program_config"].per_core_N == raw["arguments"]["program_config"]["per_core_N"]
    assert first["input_b_memory_config"].shard_spec.shape == raw["arguments"]["arg1"]["memory_config"]["shard_spec"]["shape"]
