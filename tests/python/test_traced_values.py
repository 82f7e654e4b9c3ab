"""Any value may be an argument: what is written is JSON, and reads back equal or as a marked placeholder."""

import json
import math
import pathlib

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracelift import ttnn
from tracelift.serialize_configs import from_jsonable, to_jsonable
from tracelift.ttnn import operation_tracer

INT64 = (-(2**63), 2**63 - 1)
numbers = st.one_of(
    st.integers(*INT64),
    st.integers(-(10**40), 10**40),
    st.floats(),
    st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, *INT64, 1e-320, 5e-324]),
)
texts = st.text(max_size=20)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def strict(text):
    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def written(folder, value, values=False):
    path = operation_tracer.serialize_operation_parameters("ttnn.test", (value,), {}, folder, None, values)
    return strict(pathlib.Path(path).read_text())["args"][0]["value"]


def same(shown, value, marker):
    """Whether `shown` is `value` as JSON has it; `marker` is the key of placeholders."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return shown == {marker: "float", "value": "nan" if math.isnan(value) else str(value)}
        return isinstance(shown, float) and shown == value and math.copysign(1, shown) == math.copysign(1, value)
    if isinstance(value, list):
        return len(shown) == len(value) and all(map(lambda pair: same(*pair, marker), zip(shown, value)))
    if isinstance(value, dict):
        return list(shown) == list(value) and all(same(shown[key], value[key], marker) for key in value)
    return type(shown) is type(value) and shown == value


relaxed = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@relaxed
@given(value=values)
def test_parameter_files_read_back_equal(tmp_path, value):
    assert same(written(tmp_path, value), value, "type")


@relaxed
@given(value=values)
def test_serializer_reads_back_equal(value):
    shown = strict(json.dumps(to_jsonable(value)))
    assert same(shown, value, "__type__")
    back = from_jsonable(shown)
    assert repr(back) == repr(value)


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def test_a_hundred_levels(tmp_path):
    assert written(tmp_path, nested(100)) == nested(100)
    assert to_jsonable(nested(100)) == nested(100)


def test_too_deep_and_cyclic_values_are_marked(tmp_path):
    cyclic = [1]
    cyclic.append(cyclic)
    table = {"self": None}
    table["self"] = table
    assert written(tmp_path, cyclic)[1]["type"] == "list"
    assert written(tmp_path, table)["self"]["type"] == "dict"
    assert "nested too deeply" in json.dumps(written(tmp_path, nested(5000)))
    assert to_jsonable(cyclic)[1]["__type__"] == "repr"
    assert "nested too deeply" in json.dumps(to_jsonable(nested(5000)))


def test_lone_surrogates_are_marked(tmp_path):
    assert written(tmp_path, "a\ud800b") == {
        "type": "str",
        "repr": "'a\\ud800b'",
        "reason": "a value of this type cannot be rebuilt from its text",
    }


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (0, 4), (1,), (2, 2), (3, 1, 2)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.float64])
def test_values_of_torch_tensors(tmp_path, shape, dtype):
    tensor = torch.arange(math.prod(shape)).reshape(shape).to(dtype)
    shown = written(tmp_path, tensor, values=True)
    assert shown["shape"] == list(shape)
    assert shown["values"] == (tensor.float() if dtype == torch.bfloat16 else tensor).tolist()


def test_extreme_values_of_tensors(tmp_path):
    floats = torch.tensor([math.nan, math.inf, -math.inf, -0.0, 3.4e38, 1e-45])
    shown = written(tmp_path, floats, values=True)["values"]
    assert shown[:3] == ["nan", "inf", "-inf"]
    assert math.copysign(1, shown[3]) == -1
    assert shown[4:] == floats[4:].tolist()
    whole = torch.tensor([*INT64])
    assert written(tmp_path, whole, values=True)["values"] == list(INT64)


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat16, ttnn.bfloat8_b, ttnn.int32, ttnn.uint32, ttnn.uint16])
def test_values_of_ttnn_tensors(tmp_path, device, dtype):
    source = torch.arange(64 * 32).remainder(100).reshape(64, 32)
    is_float = dtype in (ttnn.float32, ttnn.bfloat16, ttnn.bfloat8_b)
    tensor = ttnn.from_torch(source.float() if is_float else source.int(), dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)
    shown = written(tmp_path, tensor, values=True)
    expected = ttnn.to_torch(tensor)
    assert shown["values"] == (expected.float() if is_float else expected).tolist()
    assert shown["dtype"] == ("float32" if is_float else str(dtype).rpartition(".")[2].lower())


def test_names_that_are_not_ascii(tmp_path):
    value = {"größe": "日本語", "emoji 🧪": [1]}
    assert written(tmp_path, value) == value


def test_dict_with_keys_of_other_types(tmp_path):
    assert written(tmp_path, {1: "a", (2, 3): "b"}) == {"1": "a", "(2, 3)": "b"}
    assert written(tmp_path, {1: "a", "1": "b"})["type"] == "dict"
