"""ttnn.operation_tracer: a JSON file per call. The examples of the guide, then what they do not say."""

import getpass
import json
import os
import pathlib
import re

import numpy
import pytest
import torch

from tracelift import ttnn
from tracelift.ttnn import operation_tracer


@pytest.fixture
def traced(tmp_path, monkeypatch):
    """A function that gives the files of a folder in order, with tracing on."""
    monkeypatch.setattr(operation_tracer, "_OPERATION_COUNTER", 0)
    monkeypatch.setattr(operation_tracer, "_ENABLE_TRACE", True)
    before = ttnn.CONFIG.root_report_path
    ttnn.CONFIG.root_report_path = tmp_path
    yield lambda: files_in(tmp_path / "operation_parameters")
    ttnn.CONFIG.root_report_path = before


def files_in(folder):
    if not folder.exists():
        return []
    return sorted(folder.glob("*.json"), key=lambda path: int(path.name.partition("_")[0]))


def read(path):
    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(path.read_text(), parse_constant=refuse)


def test_three_files_for_rand_rand_add(device, traced):
    a = ttnn.rand(shape=[2, 3], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    b = ttnn.rand(shape=[2, 3], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.add(a, b)
    names = [path.name for path in traced()]
    assert len(names) == 3
    for name, start in zip(names, ("1_ttnn_rand", "2_ttnn_rand", "3_ttnn_add")):
        assert re.fullmatch(start + r"_\d{8}_\d{6}_\d{6}\.json", name)
    call = read(traced()[2])
    assert list(call) == [
        "operation_number",
        "operation_id",
        "operation_name",
        "timestamp",
        "args",
        "kwargs",
        "num_tensors",
        "return_value",
    ]
    assert call["operation_number"] == 3
    assert call["operation_name"] == "ttnn.add"
    assert call["timestamp"] in names[2]
    assert [arg["position"] for arg in call["args"]] == [0, 1]
    tensor = call["args"][0]["value"]
    expected = {
        "type": "ttnn.Tensor",
        "shape": [2, 3],
        "dtype": "bfloat16",
        "original_shape": [2, 3],
        "original_dtype": "DataType.BFLOAT16",
        "layout": "TILE",
        "storage_type": "DEVICE_STORAGE",
    }
    assert {key: tensor[key] for key in expected} == expected
    assert tensor["memory_config"] == {
        "memory_layout": "TensorMemoryLayout.INTERLEAVED",
        "buffer_type": "BufferType.DRAM",
        "shard_spec": "None",
        "is_sharded": False,
        "interleaved": True,
        "hash": hash(a.memory_config()),
    }
    assert "values" not in tensor
    assert call["kwargs"] == {}
    assert call["num_tensors"] == 3
    assert call["return_value"]["type"] == "ttnn.Tensor"
    creation = read(traced()[0])
    assert creation["args"] == []
    assert creation["kwargs"]["shape"] == [2, 3]
    assert creation["kwargs"]["dtype"] == {"type": "DataType", "repr": "DataType.BFLOAT16"}
    assert creation["kwargs"]["device"]["type"] == "MeshDevice"
    assert creation["kwargs"]["device"]["shape"] == [1, 1]
    assert creation["num_tensors"] == 1


def test_two_files_for_from_torch_and_to_device(device, traced):
    source = torch.randn([2, 3], dtype=torch.bfloat16)
    host = ttnn.from_torch(source, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    ttnn.to_device(host, device=device, memory_config=ttnn.DRAM_MEMORY_CONFIG)
    first, second = [read(path) for path in traced()]
    assert first["operation_name"] == "ttnn.from_torch"
    assert first["args"][0]["value"] == {"type": "torch.Tensor", "shape": [2, 3], "dtype": "bfloat16"}
    assert first["return_value"]["storage_type"] == "HOST_STORAGE"
    assert first["num_tensors"] == 2
    assert second["operation_name"] == "ttnn.to_device"
    assert second["args"][0]["value"]["storage_type"] == "HOST_STORAGE"
    assert second["return_value"]["storage_type"] == "DEVICE_STORAGE"
    assert second["kwargs"]["memory_config"]["buffer_type"] == "BufferType.DRAM"


def test_values_when_asked(device, traced, monkeypatch):
    monkeypatch.setattr(operation_tracer, "_SERIALIZE_TENSOR_VALUES", True)
    source = torch.tensor([[0.5, 1.0, -2.0], [0.25, 0.0, 3.0]], dtype=torch.bfloat16)
    tensor = ttnn.from_torch(source, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.add(tensor, tensor)
    from_torch, add = [read(path) for path in traced()]
    assert from_torch["args"][0]["value"] == {
        "type": "torch.Tensor",
        "shape": [2, 3],
        "dtype": "float32",
        "values": source.float().tolist(),
    }
    shown = add["args"][0]["value"]
    assert shown["values"] == source.float().tolist()
    assert (shown["dtype"], shown["original_dtype"]) == ("float32", "DataType.BFLOAT16")
    assert add["return_value"]["values"] == (source.float() * 2).tolist()


def test_in_place_operations_show_their_final_state(device, traced, monkeypatch):
    tensor = ttnn.full([1, 2], 1.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    monkeypatch.setattr(operation_tracer, "_SERIALIZE_TENSOR_VALUES", True)
    ttnn.add_(tensor, 2.0)
    assert read(traced()[-1])["args"][0]["value"]["values"] == [[3.0, 3.0]]


def test_kwargs_are_what_the_caller_passed(device, traced):
    tensor = ttnn.full([32, 32], 1.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.add(tensor, 1.0, dtype=None, memory_config=None)
    call = read(traced()[-1])
    assert call["kwargs"] == {"dtype": None, "memory_config": None}
    assert call["args"][1]["value"] == 1.0
    assert call["num_tensors"] == 2


def test_nested_lists_count_their_tensors(device, traced):
    tensor = ttnn.full([32, 32], 1.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.concat([tensor, tensor, tensor], dim=0)
    call = read(traced()[-1])
    assert len(call["args"][0]["value"]) == 3
    assert call["num_tensors"] == 4


def test_call_that_fails_leaves_no_file(device, traced):
    with pytest.raises(RuntimeError):
        ttnn.matmul(*(ttnn.full(shape, 1.0, layout=ttnn.TILE_LAYOUT, device=device) for shape in ([32, 32], [64, 32])))
    assert [read(path)["operation_name"] for path in traced()] == ["ttnn.full", "ttnn.full"]


def test_operations_written_in_python_and_what_they_call(device, traced):
    name = "ttnn.made_here.several_times"

    @ttnn.register_python_operation(name=name)
    def operation(tensor, *, times=2):
        """An operation made of another one."""
        return ttnn.multiply(tensor, times)

    tensor = ttnn.full([32, 32], 1.0, layout=ttnn.TILE_LAYOUT, device=device)
    operation(tensor, times=3)
    assert [read(path)["operation_name"] for path in traced()[1:]] == ["ttnn.multiply", name]
    assert read(traced()[-1])["kwargs"] == {"times": 3}


# --- where files go ----------------------------------------------------------------------------------------------------


def make_call():
    ttnn.from_torch(torch.zeros(1))


def test_log_folder_is_used_as_it_is(traced, tmp_path):
    ttnn.CONFIG.operation_parameter_log_dir = str(tmp_path / "logs")
    try:
        make_call()
    finally:
        ttnn.CONFIG.operation_parameter_log_dir = None
    assert len(files_in(tmp_path / "logs")) == 1
    assert traced() == []


def test_environment_comes_first(traced, tmp_path, monkeypatch):
    monkeypatch.setenv("TTNN_OPERATION_TRACE_DIR", str(tmp_path / "env"))
    ttnn.CONFIG.operation_parameter_log_dir = str(tmp_path / "logs")
    try:
        make_call()
    finally:
        ttnn.CONFIG.operation_parameter_log_dir = None
    assert len(files_in(tmp_path / "env")) == 1


def test_default_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(operation_tracer, "_ENABLE_TRACE", True)
    make_call()
    assert len(files_in(tmp_path / "generated/ttnn/operation_parameters")) == 1


# --- the module --------------------------------------------------------------------------------------------------------


def test_switches(traced):
    assert ttnn.operation_tracer is operation_tracer
    assert operation_tracer._TRACE_PARAMS_FLAG == "--trace-params"
    assert operation_tracer._IS_SERIALIZING is False
    operation_tracer.enable_tracing(False)
    assert not operation_tracer.is_tracing_enabled()
    make_call()
    assert traced() == []
    operation_tracer.enable_tracing()
    operation_tracer.enable_tensor_value_serialization()
    assert operation_tracer._SERIALIZE_TENSOR_VALUES is True
    operation_tracer.enable_tensor_value_serialization(False)
    make_call()
    assert len(traced()) == 1
    assert operation_tracer._OPERATION_COUNTER == 1


def test_serialize_operation_parameters(tmp_path):
    path = operation_tracer.serialize_operation_parameters(
        "my::op.name", (1, torch.ones(2)), {"flag": True}, tmp_path, return_value=[2.5]
    )
    assert "_my_op_name_" in os.path.basename(path)
    call = read(pathlib.Path(path))
    assert call["args"][1]["value"]["values"] == [1.0, 1.0]
    assert call["kwargs"] == {"flag": True}
    assert call["return_value"] == [2.5]


def test_wrapped_function(traced):
    double = operation_tracer.wrap_function_for_tracing(lambda x, scale=2: x * scale, "my.double")
    assert double(3, scale=4) == 12
    call = read(traced()[-1])
    assert call["operation_name"] == "my.double"
    assert call["args"] == [{"position": 0, "value": 3}]
    assert call["return_value"] == 12
    operation_tracer.enable_tracing(False)
    double(1)
    assert len(traced()) == 1


class CallsOperations:
    """Its text runs an operation: tracing must not trace what it calls itself."""

    def __repr__(self):
        make_call()
        return "CallsOperations()"


class Broken:
    def __repr__(self):
        raise ValueError("no text")


def test_serializing_does_not_trace_itself(traced):
    function = operation_tracer.wrap_function_for_tracing(lambda *values: None, "my.function")
    function(CallsOperations(), Broken())
    (call,) = [read(path) for path in traced()]
    shown = [arg["value"] for arg in call["args"]]
    assert shown[0]["type"] == "CallsOperations" and shown[0]["repr"] == "CallsOperations()" and shown[0]["reason"]
    assert shown[1]["type"] == "Broken" and shown[1]["reason"]
    assert "return_value" not in call


def test_nothing_about_the_user(device, traced):
    """Neither name nor home folder nor environment nor values, unless values are asked for."""
    home = os.path.expanduser("~")
    marked = torch.full((3, 3), 1234.5)
    function = operation_tracer.wrap_function_for_tracing(lambda *values, **named: None, "my.function")
    function(f"{home}/models/weights.bin", pathlib.Path(home) / "x", marked, marked.numpy(), [marked], weight=(marked,))
    ttnn.from_torch(marked, layout=ttnn.TILE_LAYOUT, device=device)
    with pytest.raises(RuntimeError):
        ttnn.load_tensor(f"{home}/nothing.tensorbin")
    text = "".join(path.read_text() for path in traced())
    assert "1234" not in text
    assert home + "/" not in text and f'"{home}"' not in text
    assert f"/{getpass.getuser()}/" not in text
    for name, value in os.environ.items():
        if len(value) > 12:
            assert value not in text, name
    assert "~/models/weights.bin" in text


def test_numpy_arrays_are_described(traced):
    function = operation_tracer.wrap_function_for_tracing(lambda *values: None, "my.function")
    function(numpy.arange(6, dtype=numpy.int16).reshape(2, 3))
    assert read(traced()[-1])["args"][0]["value"] == {"type": "numpy.ndarray", "shape": [2, 3], "dtype": "int16"}


def test_serialize_value_gives_what_the_files_show(device, traced):
    tensor = ttnn.from_torch(torch.tensor([[1.0, 2.5]]), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    arguments = [tensor, [1, 2.5, None, True, "text"], {"layout": ttnn.TILE_LAYOUT}, ttnn.L1_MEMORY_CONFIG]
    function = operation_tracer.wrap_function_for_tracing(lambda *values: None, "my.function")
    function(*arguments)
    shown = [arg["value"] for arg in read(traced()[-1])["args"]]
    given = [operation_tracer.serialize_value(value) for value in arguments]
    assert given[0].pop("mesh_device").pop("board") == device.board
    shown[0].pop("mesh_device")
    assert given == shown
    assert given[1] == [1, 2.5, None, True, "text"]
    assert operation_tracer.serialize_value((1, {"a": (2,)})) == [1, {"a": [2]}]


def test_serialize_value_has_the_values_of_tensors_when_asked_for(device):
    tensor = ttnn.from_torch(torch.tensor([[1.0, 2.5]]), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    assert operation_tracer.serialize_value(tensor, True)["values"] == [[1.0, 2.5]]
    assert operation_tracer.serialize_value({"x": [tensor]}, True)["x"][0]["dtype"] == "float32"
    assert "values" not in operation_tracer.serialize_value(tensor)
    operation_tracer.enable_tensor_value_serialization(True)
    try:
        assert operation_tracer.serialize_value(torch.tensor([3]))["values"] == [3]
    finally:
        operation_tracer.enable_tensor_value_serialization(False)


def test_serialize_value_does_not_trace(device, traced):
    before = len(traced())
    operation_tracer.serialize_value(ttnn.Tensor([1.0], [1], ttnn.float32, ttnn.ROW_MAJOR_LAYOUT), True)
    assert len(traced()) == before
