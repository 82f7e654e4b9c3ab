"""One vector through a module: what run() is called with, what its answer means, and the worker that does it."""

import json
import os
import subprocess
import sys
import textwrap
import types

import pytest
from sweep_support import EFFICIENTNET, ROOT, SIGMOID, python, real_master

from tracelift import ttnn
from tracelift.sweep_framework.master_config_loader import MasterConfigLoader, unpack_traced_config
from tracelift.sweep_framework.module_runner import run_vector


def outcome(run, vector=None, device=None):
    return run_vector(types.SimpleNamespace(run=run), {"suite_name": "nightly", **(vector or {})}, device)


@pytest.mark.parametrize(
    "answer, status, message, pcc, milliseconds",
    [
        ((True, "0.9999"), "pass", "0.9999", 0.9999, None),
        ([(True, "0.9999"), 2_500_000], "pass", "0.9999", 0.9999, 2.5),
        ([True, "fine"], "pass", "fine", None, None),
        ((True, 0.5), "pass", "0.5", 0.5, None),
        ([[False, "0.5"], 1_000_000], "fail", "0.5", 0.5, 1.0),
        ({"passed": True, "message": "1.0", "e2e_perf": 3_000_000}, "pass", "1.0", 1.0, 3.0),
        ({"status": False, "pcc": 0.25}, "fail", "0.25", 0.25, None),
    ],
)
def test_answers_of_run(answer, status, message, pcc, milliseconds):
    record = outcome(lambda *, device: answer)
    assert (record["status"], record["message"], record["pcc"]) == (status, message, pcc)
    assert record["metrics"].get("e2e_perf_ms") == milliseconds
    assert record["exception"] == (None if status == "pass" else message)


@pytest.mark.parametrize("rubbish", [None, True, 7, "yes", [], (), {"message": "x"}, object()])
def test_rubbish_is_a_failure_that_says_so(rubbish):
    record = outcome(lambda *, device: rubbish)
    assert record["status"] == "fail"
    assert "run() returned" in record["exception"]


@pytest.mark.parametrize(
    "error, status",
    [
        (RuntimeError("shapes do not fit"), "fail"),
        (RuntimeError("Out of Memory: Not enough space to allocate 4096 B"), "out_of_memory"),
        (RuntimeError("Watcher stopped the device"), "fail_watcher"),
        (SystemExit(3), "fail"),
        (MemoryError(), "fail_host_memory"),
    ],
)
def test_exceptions_are_told_apart(error, status):
    def run(*, device):
        raise error

    record = outcome(run)
    assert record["status"] == status
    assert str(error) in record["exception"]


@pytest.mark.parametrize("answer, status", [((True, "1"), "xpass"), ((False, "0"), "xfail")])
def test_suites_that_are_expected_to_fail(answer, status):
    assert outcome(lambda *, device: answer, {"suite_name": "XFail_shapes"})["status"] == status


def test_invalid_vectors_are_not_run():
    record = outcome(lambda *, device: (True, "1"), {"validity": "INVALID", "invalid_reason": "odd"})
    assert (record["status"], record["message"]) == ("not_run", "INVALID VECTOR: odd")


def test_values_of_files_arrive_as_objects():
    seen = {}

    def run(shape, dtype, memory, *, device):
        seen.update(shape=shape, dtype=dtype, memory=memory, device=device)
        return True, "1"

    memory = {"type": "ttnn._ttnn.tensor.MemoryConfig", "data": {"buffer_type": "L1", "memory_layout": "INTERLEAVED"}}
    vector = {"shape": "(1, 32)", "dtype": "DataType.BFLOAT8_B", "memory": memory, "timestamp": "t", "tag": "me"}
    assert outcome(run, vector, "the device")["status"] == "pass"
    assert seen == {
        "shape": (1, 32),
        "dtype": ttnn.bfloat8_b,
        "memory": ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, ttnn.BufferType.L1),
        "device": "the device",
    }


def test_a_parameter_that_run_does_not_take_is_an_error():
    record = outcome(lambda n, *, device: (True, "1"), {"n": 1, "m": 2})
    assert record["status"] == "fail" and "'m'" in record["exception"]


def test_the_second_guides_run_as_printed(small_master):
    """`input_shape` is required there, and paired vectors do not carry it."""
    MasterConfigLoader(small_master).get_suite_parameters("sigmoid_accurate")
    seen = []

    def run(
        input_shape,
        input_a_dtype=ttnn.bfloat16,
        input_a_layout=ttnn.TILE_LAYOUT,
        input_a_memory_config=ttnn.DRAM_MEMORY_CONFIG,
        output_memory_config=ttnn.DRAM_MEMORY_CONFIG,
        traced_config_name=None,
        *,
        device,
    ):
        seen.append(input_shape)
        if traced_config_name:
            input_shape, input_a_dtype, input_a_layout, input_a_memory_config, output_memory_config = (
                unpack_traced_config(traced_config_name)
            )
        seen.append(input_shape)
        return True, "1.0"

    assert outcome(run, {"traced_config_name": "sigmoid_accurate_traced_1"})["status"] == "pass"
    assert seen == [None, [1, 1, 32, 32]]


def test_a_run_that_unpacks_nothing_gets_everything_it_names(small_master):
    MasterConfigLoader(small_master).get_suite_parameters("add")
    seen = {}

    def run(input_shape, input_b_dtype, input_b_shape, arg1, input_tensor_a, nobody, *, device):
        seen.update(locals())
        return True, "1.0"

    assert outcome(run, {"traced_config_name": "add_traced_0"})["status"] == "pass"
    assert seen["input_shape"] == {"self": [1, 1, 32, 32], "other": [1, 1, 1, 32]}
    assert seen["input_b_dtype"] == ttnn.bfloat16
    assert seen["input_b_shape"] == [1, 1, 1, 32] == seen["arg1"].shape
    assert seen["input_tensor_a"].memory_config == ttnn.DRAM_MEMORY_CONFIG
    assert seen["nobody"] is None


# --- the worker -------------------------------------------------------------------------------------------------------

MODULE = """
import os, sys
import ttnn

parameters = {"nightly": {"n": [1]}}
opened = []


def mesh_device_fixture():
    device = ttnn.open_device(device_id=0)
    opened.append(device)
    yield device, "a label"
    ttnn.close_device(device)


def run(n, *, device):
    print("noise of the module")
    assert sys.stdin.read() == ""  # requests are not the module's
    if n == 2:
        raise RuntimeError("two")
    if n == 3 and os.fork() == 0:
        return True, "of the child"
    tensor = ttnn.relu(ttnn.ones([32, 32], layout=ttnn.TILE_LAYOUT, device=device))
    return [(len(opened) == 1, str(tensor.shape[0])), 1e6]
"""


def work(requests, cwd):
    """The replies of a worker process to some requests."""
    reading, writing = os.pipe()
    command = [sys.executable, "-c", "import os, sys; os.dup2(int(sys.argv[1]), 3); os.execv(sys.executable, ["
               "sys.executable, '-m', 'tracelift.sweep_framework.worker'])", str(writing)]  # fmt: skip
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          pass_fds=[writing], cwd=cwd) as process:  # fmt: skip
        os.close(writing)
        out, _ = process.communicate(lines, timeout=120)
    with os.fdopen(reading) as replies:
        return [json.loads(line) for line in replies], out, process.returncode


def test_a_worker_answers_request_by_request(tmp_path):
    path = tmp_path / "noisy.py"
    path.write_text(textwrap.dedent(MODULE))
    requests = [
        {"id": index, "module": "noisy", "path": str(path), "vector": {"n": index, "suite_name": "nightly"},
         "measure_memory": index == 1} for index in (1, 2, 3)
    ]  # fmt: skip
    requests.append({"id": 4, "module": "gone", "path": str(tmp_path / "gone.py"), "vector": {}})
    replies, out, status = work(requests, tmp_path)
    assert status == 0
    assert [reply.get("start", reply.get("id")) for reply in replies] == [1, 1, 1, 2, 2, 3, 3, 4, 4]
    assert [reply["start"] for reply in replies if reply.get("loading")] == [1, 4]  # modules, not vectors
    one, two, three, four = (reply for reply in replies if "id" in reply)
    assert (one["status"], one["message"], one["pcc"]) == ("pass", "32", 32.0)
    assert one["card_type"].endswith("(a label)") and one["metrics"]["e2e_perf_ms"] == 1.0
    assert set(one["metrics"]) > {"peak_l1_memory_per_core_bytes", "num_cores", "peak_l1_memory_device_bytes"}
    total = one["metrics"]["peak_cb_per_core_bytes"] + one["metrics"]["peak_l1_buffers_per_core_bytes"]
    assert one["metrics"]["peak_l1_memory_per_core_bytes"] == total > 0
    assert one["metrics"]["peak_l1_memory_aggregate_bytes"] == total * one["metrics"]["num_cores"]
    assert (two["status"], two["exception"]) == ("fail", "two")
    assert three["status"] == "pass"  # and its child did not answer in its name
    assert four["status"] == "fail" and "gone.py" in four["exception"]
    assert "noise of the module" in out


def test_a_ttnn_that_is_not_ours_runs_the_same_module(tmp_path):
    code = f"""
        import pathlib, ttnn
        from tracelift.sweep_framework import modules
        from tracelift.sweep_framework.devices import DeviceKeeper
        from tracelift.sweep_framework.generate import make_vectors
        from tracelift.sweep_framework.module_runner import run_vector

        module = modules.import_module("sigmoid", pathlib.Path({str(SIGMOID)!r}))
        vectors = make_vectors("sigmoid", "model_traced", module.parameters["model_traced"], module)
        keeper = DeviceKeeper()
        records = [run_vector(module, vector, keeper.device_of(module)) for vector in vectors]
        keeper.close()
        assert "stand_in_sweeps" in ttnn.__file__, ttnn.__file__
        assert not ttnn.opened
        sharded = [config for config in ttnn.calls if config.shard_spec is not None]
        print(len(records), sum(record["status"] == "pass" for record in records), len(sharded))
    """
    stand_in = ROOT / "tests" / "python" / "stand_in_sweeps"
    done = python("-c", textwrap.dedent(code), cwd=tmp_path, master=real_master(EFFICIENTNET), path=stand_in)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "30 30 30"
