"""Lines of calls: those that no overload takes have theirs, and calls that are given a device name its board."""

import json

import pytest
import torch

from tracelift import _tracing as tracing
from tracelift import ttnn


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "calls.jsonl"
    tracing.set_context("run", "test", "")  # numbers begin anew, whatever ran in this process before
    tracing.write_lines(str(path))

    def read():
        tracing.write_lines("")
        return [json.loads(line) for line in path.read_text().splitlines()]

    yield read
    tracing.write_lines("")


def test_a_call_that_fits_no_overload_has_its_line(device, lines):
    tensor = ttnn.full([32, 32], 1.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    with pytest.raises(TypeError) as wrong_type:
        ttnn.relu("not a tensor")
    with pytest.raises(TypeError) as unknown_keyword:
        ttnn.add(tensor, 1.0, colour="red")
    ttnn.relu(tensor)
    _, refused, other, good = lines()
    assert refused["op_name"] == "ttnn.relu"
    assert refused["inputs"] == ["not a tensor"] and refused["kwargs"] == {} and refused["output"] is None
    assert refused["error"] == {"type": "TypeError", "message": str(wrong_type.value)}
    assert other["op_name"] == "ttnn.add"
    assert other["kwargs"] == {"colour": "red"} and other["inputs"][0]["__type__"] == "ttnn.TensorRef"
    assert other["error"] == {"type": "TypeError", "message": str(unknown_keyword.value)}
    assert "error" not in good
    assert [each["op_index"] for each in (refused, other, good)] == [1, 2, 3]


def test_a_value_that_its_type_refuses_has_its_line(device, lines):
    tensor = ttnn.full([32, 32], 1.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    with pytest.raises(Exception) as raised:
        ttnn.full([-1, 32], 1.0, device=device)
    *_, refused = lines()
    assert refused["op_name"] == "ttnn.full"
    assert refused["error"]["type"] == type(raised.value).__name__
    assert refused["error"]["message"] in str(raised.value)
    assert tensor.shape == ttnn.Shape([32, 32])


def test_from_torch_records_the_board_of_its_device(device, lines):
    ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    tensor = ttnn.full([32, 32], 1.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.relu(tensor)
    written = lines()
    host, on_device = (each for each in written if each["op_name"] == "ttnn.from_torch")
    assert "board" not in host
    assert on_device["board"] == written[-1]["board"]
