"""What a capture knows besides its nodes, and how it comes into the database of the viewer."""

import json
import re
import sqlite3
import subprocess
import sys
import traceback

import pytest
import torch

from tracelift import ttnn

FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')


def l1_tensor(device, shape, **options):
    options = {"dtype": ttnn.bfloat16, "layout": ttnn.TILE_LAYOUT, "memory_config": ttnn.L1_MEMORY_CONFIG, **options}
    return ttnn.from_torch(torch.ones(shape), device=device, **options)


@pytest.fixture
def database(tmp_path):
    """Captures a function and gives the database of its report."""

    def run(function, **options):
        with ttnn.graph.capture(report_path=tmp_path / "report.json"):
            function()
        ttnn.graph.import_report(tmp_path / "report.json", tmp_path / "out", **options)
        return sqlite3.connect(tmp_path / "out/db.sqlite")

    return run


@pytest.fixture
def stack_traces():
    yield ttnn.graph.enable_stack_traces
    ttnn.graph.disable_stack_traces()


def stack_of(graph, name):
    (node,) = [node for node in graph if node["node_type"] == "function_start" and node["params"]["name"] == name]
    return node["stack_trace"]


def test_python_frames_are_written_as_tracebacks_write_them(device, stack_traces):
    x = l1_tensor(device, (32, 32))
    stack_traces()
    with ttnn.graph.capture() as graph:
        ttnn.relu(x)
        here = traceback.extract_stack()
    frames = stack_of(graph, "ttnn::relu")
    assert all(FRAME.fullmatch(frame) for frame in frames), frames
    assert frames[0] == f'File "{__file__}", line {here[-1].lineno - 1}, in {here[-1].name}'
    outer = [(frame.filename, frame.name) for frame in reversed(here)]
    assert [FRAME.fullmatch(frame).group(1, 3) for frame in frames] == outer


def test_cpp_frames_come_when_asked_for_and_have_names(device, stack_traces):
    x = l1_tensor(device, (32, 32))
    stack_traces(cpp_frames=True)
    with ttnn.graph.capture() as graph:
        ttnn.relu(x)
    for name, inside in (("ttnn::relu", "ttnn::"), ("Device Operation", "ttnn::launch")):
        frames = [frame for frame in stack_of(graph, name) if not FRAME.fullmatch(frame)]
        ours = [frame for frame in frames if "_ttnn" in frame.split("(")[0]]
        assert ours and not [frame for frame in ours if "(+0x" in frame], ours
        assert inside in "".join(ours)
        assert "notify" not in ours[0]


def test_a_failing_model_shows_all_its_operations(device, database, stack_traces):
    x = l1_tensor(device, (32, 32))
    odd = l1_tensor(device, (96, 96))

    def model():
        ttnn.exp(x)
        with pytest.raises(RuntimeError) as failure:
            ttnn.add(x, odd)
        ttnn.tanh(x)
        model.message = str(failure.value)

    stack_traces()
    rows = database(model)
    names = [name for (name,) in rows.execute("SELECT name FROM operations WHERE name <> 'ttnn::deallocate' ORDER BY 1")]
    assert names == ["ttnn::add", "ttnn::exp", "ttnn::tanh"]
    (error,) = rows.execute(
        "SELECT e.error_message, e.operation_name, e.stack_trace FROM errors e JOIN operations o ON o.operation_id = "
        "e.operation_id AND o.name = e.operation_name"
    ).fetchall()
    assert error[0] == model.message and error[1] == "ttnn::add"
    assert FRAME.match(error[2]).group(1, 3) == (__file__, "model")
    outputs = rows.execute("SELECT name, COUNT(t.tensor_id) FROM operations o LEFT JOIN output_tensors t USING (operation_id) GROUP BY 1")
    assert {name: count for name, count in outputs if name != "ttnn::deallocate"} == {"ttnn::add": 0, "ttnn::exp": 1, "ttnn::tanh": 1}


def test_an_exception_that_is_caught_inside_does_not_fail_what_goes_on(device):
    x = l1_tensor(device, (32, 32))

    @ttnn.register_python_operation(name="ttnn.made_here.fallback")
    def fallback(tensor):
        """Tries something else when the first attempt fails."""
        try:
            return ttnn.add(tensor, l1_tensor(device, (96, 96)))
        except RuntimeError:
            return ttnn.tanh(tensor)

    with ttnn.graph.capture() as graph:
        fallback(x)
        ttnn.exp(x)
    starts = [node for node in graph if node["node_type"] == "function_start"]
    assert [node["params"]["name"] for node in starts if node["stacking_level"] == 1] == ["ttnn::made_here::fallback", "ttnn::exp"]
    assert sum(node["node_type"] == "error" for node in graph) == 1
    assert len(starts) == sum(node["node_type"] == "function_end" for node in graph)


def test_weights_from_before_the_capture_are_in_the_picture(device, database):
    weights = l1_tensor(device, (64, 64))
    with ttnn.graph.capture() as graph:
        ttnn.exp(weights)
    assert sum(node["node_type"] == "buffer_allocate" for node in graph) == 1
    rows = database(lambda: (ttnn.exp(weights), ttnn.tanh(weights)))
    spanned = rows.execute("SELECT operation_id FROM buffers WHERE address = ?", [weights.buffer_address()]).fetchall()
    assert spanned == rows.execute("SELECT operation_id FROM operations").fetchall()


def test_arguments_have_names_in_the_database(device, database):
    x = l1_tensor(device, (32, 32))

    @ttnn.register_python_operation(name="ttnn.made_here.scale")
    def scale(tensor, *, factor=1.0):
        """Multiplies by a number."""
        return ttnn.multiply(tensor, factor)

    rows = database(lambda: (ttnn.add(x, 2.5), scale(x, factor=3.0), ttnn.softmax(x, dim=0)))
    arguments = rows.execute(
        "SELECT o.name, a.name, a.value FROM operations o JOIN operation_arguments a USING (operation_id)"
    ).fetchall()
    assert not [name for _, name, _ in arguments if name.startswith("arg_")]
    assert ("ttnn::add", "input_tensor_b", "2.5") in arguments
    assert ("ttnn::made_here::scale", "factor", "3") in arguments
    assert ("ttnn::softmax", "dim", "0") in arguments


def test_creation_in_python_records_create_device_tensor(device):
    with ttnn.graph.capture() as graph:
        kept = l1_tensor(device, (32, 32))
        other = ttnn.zeros((32, 32), layout=ttnn.TILE_LAYOUT, device=device, memory_config=ttnn.L1_MEMORY_CONFIG)
    calls = ttnn.graph.extract_calltrace(graph)
    assert calls.count("create_device_tensor") == 2
    assert calls[0] == "ttnn::from_torch" and "ttnn::zeros" in calls
    assert ttnn.graph.extract_peak_L1_memory_usage(graph) == 2 * 2048
    del kept, other


def test_conversion_has_its_name_in_the_later_flavour(device):
    ttnn.graph.enable_later_names()
    try:
        with ttnn.graph.capture() as graph:
            x = ttnn.from_torch(torch.ones(1, 2, 32, 32), layout=ttnn.ROW_MAJOR_LAYOUT, dtype=ttnn.bfloat16, device=device)
            ttnn.to_torch(ttnn.permute(x, (0, 2, 3, 1)))
    finally:
        ttnn.graph.disable_later_names()
    calls = ttnn.graph.extract_calltrace(graph)
    assert calls[0] == "ttnn::convert_python_tensor_to_tt_tensor"
    assert "PermuteDeviceOperation" in calls and "tt::tt_metal::create_device_tensor" in calls
    assert not [name for name in calls if name in ("Device Operation", "ttnn::from_torch")]


def test_arguments_of_device_operations_are_json_altogether(device):
    grid = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(3, 0))})
    shard = ttnn.ShardSpec(grid, [32, 64], ttnn.ShardOrientation.ROW_MAJOR)
    sharded = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, shard)
    x = l1_tensor(device, (128, 64))
    w = l1_tensor(device, (64, 64))
    config = ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
        compute_with_storage_grid_size=(4, 4), in0_block_w=1, out_subblock_h=1, out_subblock_w=1, per_core_M=1, per_core_N=1,
        transpose_mcast=False, fused_activation=None,
    )  # fmt: skip
    ttnn.graph.enable_detailed_arguments()
    try:
        with ttnn.graph.capture() as graph:
            y = ttnn.to_memory_config(x, sharded)
            ttnn.relu(y)
            ttnn.add(x, x, activations=[ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU)])
            ttnn.matmul(x, w, program_config=config)
            ttnn.softmax(x, dim=-1)
            ttnn.layer_norm(x, epsilon=1e-5)
            ttnn.sum(x, dim=1)
            ttnn.concat([x, x], dim=0)
    finally:
        ttnn.graph.disable_detailed_arguments()
    content = ttnn.graph.GraphTracerUtils.serialize_graph(graph)["content"]
    devices = [entry for entry in content if entry["operation"] == "Device Operation"]
    assert len(devices) >= 8 and "UnparsedElement" not in json.dumps(content)
    for entry in devices:
        attributes, tensors = entry["arguments"]
        assert list(attributes["arg0"]) == ["operation_attributes_t"]
        assert [list(tensor) for tensor in tensors["arg1"]] == [["Tensor"]] * len(tensors["arg1"]) != []


def test_sources_are_stored_when_asked_for(device, database, stack_traces):
    x = l1_tensor(device, (32, 32))
    stack_traces()
    rows = database(lambda: ttnn.relu(x), source_files=True)
    (first,) = rows.execute(
        "SELECT f.path FROM stack_traces s JOIN source_files f ON f.id = s.source_file_id JOIN operations o USING (operation_id) "
        "WHERE o.name = 'ttnn::relu'"
    ).fetchall()
    assert first == (__file__,)
    (contents,) = rows.execute("SELECT contents FROM source_files WHERE path = ?", [__file__]).fetchone()
    with open(__file__) as file:
        assert contents == file.read()
    # The viewer asks for outer frames by their path.
    (trace,) = rows.execute("SELECT s.stack_trace FROM stack_traces s JOIN operations o USING (operation_id) WHERE o.name = 'ttnn::relu'").fetchone()
    stored = {path for (path,) in rows.execute("SELECT path FROM source_files")}
    assert {path for path, _, _ in FRAME.findall(trace) if not path.startswith("<")} <= stored


def test_a_failed_trace_capture_ends_with_its_device():
    with pytest.raises(RuntimeError), ttnn.manage_device(device_id=0, trace_region_size=1 << 20) as device:
        x = l1_tensor(device, (32, 32))
        wrong = l1_tensor(device, (96, 96))
        ttnn.begin_trace_capture(device)
        ttnn.add(x, wrong)
    with ttnn.manage_device(device_id=0) as device:
        x = l1_tensor(device, (32, 32))
        assert torch.equal(ttnn.to_torch(ttnn.add(x, x)), torch.full((32, 32), 2, dtype=torch.bfloat16))


def test_a_grid_larger_than_the_device_is_accepted_where_the_work_fits(device):
    def product(grid, rows):
        config = ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
            compute_with_storage_grid_size=grid, in0_block_w=1, out_subblock_h=1, out_subblock_w=1, per_core_M=1, per_core_N=1,
            transpose_mcast=False, fused_activation=None,
        )  # fmt: skip
        a, b = (ttnn.from_torch(torch.ones(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for shape in ((rows, 64), (64, 64)))
        return ttnn.to_torch(ttnn.matmul(a, b, program_config=config))

    x, y = device.compute_with_storage_grid_size().x, device.compute_with_storage_grid_size().y
    assert torch.equal(product((x + 4, y + 2), 64), torch.full((64, 64), 64, dtype=torch.bfloat16))
    with pytest.raises(RuntimeError, match="does not fit the device's compute grid"):
        product((x + 4, y + 2), 32 * (y + 1))


def test_the_installed_module_keeps_its_symbols():
    """A process of its own, so that the module is the installed one whatever runs the tests."""
    program = (
        "from tracelift import ttnn\n"
        "device = ttnn.open_device(device_id=0)\n"
        "ttnn.graph.enable_stack_traces(cpp_frames=True)\n"
        "with ttnn.graph.capture() as graph:\n"
        "    ttnn.zeros((32, 32), device=device, layout=ttnn.TILE_LAYOUT)\n"
        "print('\\n'.join(frame for node in graph for frame in node.get('stack_trace', [])))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "ttnn::Tensor::allocate_on_device(" in done.stdout
