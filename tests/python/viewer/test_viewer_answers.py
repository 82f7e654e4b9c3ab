"""What the server answers about operations, tensors and buffers, against the capture."""

import json
import re
from pathlib import Path

import pytest
from viewer_client import answers, capture, failing_model, reads
from viewer_client.picture import aspect_of
from viewer_client.reports import NAMES

ASPECTS = ("name", "inputs", "outputs", "buffers", "device_operations", "arguments", "stack", "error")


@pytest.mark.parametrize("aspect", ASPECTS)
@pytest.mark.parametrize("name", NAMES)
def test_operations_are_those_of_the_capture(pictures, name, aspect):
    wanted, found = pictures[name]
    assert len(found.operations) == len(wanted.operations)
    told = aspect_of(found.operations, wanted.operations, aspect)
    assert told == aspect_of(wanted.operations, found.operations, aspect)


@pytest.mark.parametrize("name", NAMES)
def test_tensors_are_those_of_the_capture(pictures, name):
    wanted, found = pictures[name]
    assert found.tensors == wanted.tensors


@pytest.mark.parametrize("name", ["bert", "failing"])
def test_every_operation_has_the_pages_of_the_buffers_it_spans(pictures, name):
    wanted, found = pictures[name]
    assert found.pages == wanted.pages


def test_what_a_running_model_wrote_is_shown(opened, made):
    found = opened["logged"].get("/api/operations")
    history = json.loads((made["logged"].folder / "operation_history.json").read_text())
    assert [each["name"] for each in found] == [each["operation_name"] for each in history]
    inner = {name for each in found for name in answers.inner_functions(each["device_operations"])}
    assert {"MatmulDeviceOperation", "SoftmaxDeviceOperation"} <= inner and "Device Operation" not in inner
    (error,) = [each["error"]["error_message"] for each in found if each["error"]]
    assert error == made["logged"].facts["message"]
    assert len(opened["logged"].get("/api/buffer-pages")) > 100


def test_the_long_report_is_long(made, pictures):
    assert len(capture.Reading(capture.load(made["loop"].capture)).nodes) >= 20_000
    assert len(pictures["loop"][1].operations) > 900


@pytest.mark.parametrize("name", NAMES)
def test_one_operation_is_told_like_the_list_of_them(opened, pictures, name):
    listed = {each["id"]: each for each in opened[name].get("/api/operations")}
    for operation, wanted in list(listed.items())[:: max(1, len(listed) // 10)]:
        one = opened[name].get(f"/api/operations/{operation}")
        assert one["name"] == wanted["name"]
        assert one["arguments"] == wanted["arguments"]
        assert one["device_operations"] == wanted["device_operations"]
        assert one["error"] == wanted["error"]
        assert one["stack_trace"] == (wanted["stack_trace"] or "")
        for side in ("inputs", "outputs"):
            assert [each["id"] for each in one[side]] == [each["id"] for each in wanted[side]]
        found = sorted(
            (b["device_id"], b["address"], b["max_size_per_bank"], b["buffer_type"], b["buffer_layout"])
            for b in one["buffers"]
        )
        assert found == pictures[name][0].operations[operation - 1].buffers
        alone = opened[name].get(f"/api/operation-buffers/{operation}")
        assert sorted(each["address"] for each in alone["buffers"]) == sorted(each[1] for each in found)
        assert one["l1_sizes"] == [each["worker_l1_size"] for each in opened[name].get("/api/devices")]


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_buffers_of_one_kind_of_memory(opened, pictures, name, kind):
    wanted = [[each for each in one.buffers if each[3] == kind] for one in pictures[name][0].operations]
    found = opened[name].get("/api/operation-buffers", buffer_type=kind)
    assert [len(each["buffers"]) for each in found] == [len(each) for each in wanted]
    everything = opened[name].get("/api/buffers", buffer_type=kind)
    assert sorted((each["address"], each["size"]) for each in everything) == sorted(
        (each[1], each[2]) for one in wanted for each in one
    )


def test_the_next_life_of_an_address(opened, pictures):
    first = pictures["bert"][0].operations[0]
    device, address, size, kind, _ = first.buffers[0]
    found = opened["bert"].get("/api/buffer", address=address, operation_id=1)
    assert (found["operation_id"], found["device_id"], found["address"]) == (2, device, address)
    assert (found["max_size_per_bank"], found["buffer_type"]) == (size, kind)


@pytest.mark.parametrize("name", NAMES)
def test_tensors_know_who_made_and_who_used_them(opened, pictures, name):
    wanted = pictures[name][0]
    listed = {each["id"]: each for each in opened[name].get("/api/tensors")}
    for tensor in wanted.tensors:
        made_by = [i for i, each in enumerate(wanted.operations, 1) if tensor in each.outputs]
        used_by = [i for i, each in enumerate(wanted.operations, 1) if tensor in each.inputs]
        assert (listed[tensor]["producers"], listed[tensor]["consumers"]) == (made_by, used_by)
        if name == "loop":
            break  # quadratic
    some = next(iter(wanted.tensors))
    assert opened[name].get(f"/api/tensors/{some}")["shape"] == listed[some]["shape"]


def test_devices_are_told_as_captured(opened, made):
    (device,) = opened["bert"].get("/api/devices")
    (wanted,) = capture.load(made["bert"].capture)["devices"]
    shared = device.keys() & wanted.keys()
    assert len(shared) > 15
    assert {key: device[key] for key in shared} == {key: wanted[key] for key in shared}


# --- what a program is told about failures, stacks and arguments


def test_the_error_is_at_its_operation_with_message_and_stack(opened, made):
    (error,) = opened["failing"].get("/api/errors")
    assert error["attached"]
    assert error["error_message"] == made["failing"].facts["message"]
    assert error["stack_trace"]
    failed = [each for each in opened["failing"].get("/api/operations") if each["error"]]
    assert [(each["id"], each["name"]) for each in failed] == [(error["operation_id"], "ttnn::add")]
    assert opened["bert"].get("/api/errors") == []


def test_the_source_of_a_stack_trace_is_shown(opened):
    operation = next(each for each in opened["failing"].get("/api/operations") if each["name"] == "ttnn::gelu")
    frames = reads.PYTHON_FRAME.findall(operation["stack_trace"])
    assert frames[0][0] == failing_model.__file__
    source = Path(failing_model.__file__).read_text()
    assert "ttnn.gelu(" in source.splitlines()[int(frames[0][1]) - 1]
    place = {"filePath": frames[0][0], "sourceFileId": operation["stack_trace_source_file_id"]}
    assert opened["failing"].get("/api/remote/stack-trace/test", **place)
    assert source in opened["failing"].get("/api/remote/stack-trace/read", **place).values()


def test_arguments_have_the_names_of_their_parameters(opened):
    names = {argument["name"] for each in opened["bert"].get("/api/operations") for argument in each["arguments"]}
    assert "memory_config" in names
    assert [name for name in names if re.fullmatch(r"arg_?\d+|\d+", name)] == []


def test_what_was_loaded_before_the_capture_is_in_memory(opened, made):
    wanted = set(made["forward"].facts["weights"].values())
    for each in opened["forward"].get("/api/operation-buffers"):
        assert wanted <= {buffer["address"] for buffer in each["buffers"]}, each["name"]
