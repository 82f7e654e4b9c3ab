"""Graph capture from Python: the snippets of the guide, and what they must give."""

import json
import threading

import pytest
import torch

from tracelift import ttnn


def l1_tensor(device, shape):
    return ttnn.from_torch(
        torch.ones(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=ttnn.L1_MEMORY_CONFIG
    )


@pytest.fixture
def pair(device):
    return l1_tensor(device, (4, 3, 32, 32)), l1_tensor(device, (1, 3, 32, 32))


def captured(call, mode=ttnn.graph.RunMode.NO_DISPATCH, **options):
    ttnn.graph.begin_graph_capture(mode, **options)
    result = call()
    del result
    return ttnn.graph.end_graph_capture()


def test_quick_start(pair):
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    result = ttnn.add(*pair)
    graph = ttnn.graph.end_graph_capture()
    assert torch.equal(ttnn.to_torch(result), torch.full((4, 3, 32, 32), 2, dtype=torch.bfloat16))
    assert graph[0]["node_type"] == "capture_start" and graph[-1]["node_type"] == "capture_end"
    assert [node["counter"] for node in graph] == list(range(len(graph)))
    assert all(isinstance(value, str) for node in graph for value in node["params"].values())
    ends = [node for node in graph if node["node_type"] == "function_end" and "duration_ns" in node]
    assert {node["params"]["name"] for node in ends} >= {"ttnn::add", "ttnn::repeat", "ttnn::prim::binary"}


def peak_of_the_guide(graph):
    """The function that the guide shows, so the figure does not come from ours."""
    total_buffer = peak_buffer = 0
    for node in graph:
        if node["node_type"] == "buffer_allocate":
            total_buffer += int(node["params"]["size"])
            peak_buffer = max(peak_buffer, total_buffer)
        elif node["node_type"] == "buffer_deallocate":
            total_buffer -= int(graph[node["connections"][0]]["params"]["size"])
    return peak_buffer


def test_figures_of_the_sample(pair):
    graph = captured(lambda: ttnn.add(*pair), literal_sample=True)
    assert len(graph) == 34
    assert peak_of_the_guide(graph) == 49152
    assert ttnn.graph.extract_peak_L1_memory_usage(graph) == 96256
    assert ttnn.graph.count_intermediate_and_output_tensors(graph) == (1, 1)
    assert ttnn.graph.extract_output_tensors(graph) == {24}
    (info,) = ttnn.graph.extract_output_info(graph)
    assert (list(info.shape), info.size, info.type) == ([4, 3, 32, 32], 24576, "L1")
    assert repr(info) == "TensorInfo(shape=Shape([4, 3, 32, 32]), size=24576, type=L1)"
    assert ttnn.graph.extract_dram_usage(graph)["peak"] == 0
    assert ttnn.graph.extract_peak_L1_memory_usage(captured(lambda: ttnn.add(*pair))) == 92160
    explained = ttnn.graph.explain_peak(graph)
    parts = explained["buffers"] + explained["circular_buffers"]
    assert sum(part["size"] for part in parts) == explained["peak"] == 96256


def test_inputs_count_what_the_caller_gave(pair):
    a, b = pair
    graph = captured(lambda: ttnn.add(a, b, memory_config=None))
    assert graph[1]["params"] == {"inputs": "3", "name": "ttnn::add"}
    graph = captured(lambda: a + b)
    assert graph[1]["params"]["inputs"] == "2"


def test_pretty_print_and_table(pair, capsys):
    graph = captured(lambda: ttnn.add(*pair))
    ttnn.graph.pretty_print(graph)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].strip() == "Capture Start"
    assert "Begin: ttnn::add" in lines[1]
    assert any(line.startswith("    Begin: ttnn::repeat") for line in lines)
    assert "current_op" in ttnn.graph.memory_table(graph).splitlines()[0]


def test_levelized_graph(device):
    a, b, c = (l1_tensor(device, (32, 64)) for _ in range(3))
    graph = captured(lambda: ttnn.add(a, ttnn.multiply(b, c)))
    names = [vertex["name"].split("[")[0] for vertex in ttnn.graph.extract_levelized_graph(graph)]
    assert names == ["tensor", "tensor", "tensor", "ttnn::multiply", "ttnn::add"]
    vertices = ttnn.graph.extract_levelized_graph(graph, max_level=2)
    multiply = next(vertex for vertex in vertices if vertex["name"] == "ttnn::multiply")
    assert [vertices[i]["name"] for i in multiply["internals"]] == ["ttnn::prim::binary"]
    assert vertices[3]["in_edges"] == [0, 1]


def test_report_file(pair, tmp_path, device):
    ttnn.graph.enable_buffer_pages()
    try:
        ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
        result = ttnn.add(*pair)
        path = tmp_path / "new" / "report.json"
        graph = ttnn.graph.end_graph_capture_to_file(path)
    finally:
        ttnn.graph.disable_buffer_pages()
    report = json.loads(path.read_text())
    assert report["version"] == ttnn.graph.REPORT_VERSION == 1
    assert report["graph"] == graph
    (facts,) = report["devices"]
    assert facts["arch"] == "WORMHOLE_B0" and facts["num_compute_cores"] == 64
    assert report["metadata"]["capture_timestamp_ns"] > 0 and report["metadata"]["total_duration_ns"] > 0
    pages = [page for page in report["buffer_pages"] if page["address"] == result.buffer_address()]
    assert [page["page_index"] for page in pages] == list(range(12))
    assert {page["page_size"] for page in pages} == {2048}
    assert {(page["core_x"], page["core_y"]) for page in pages} == {(i % 8, i // 8) for i in range(12)}


def test_conversion_and_back(device, tmp_path):
    """A tensor made and read inside the capture; nothing is computed in NO_DISPATCH."""
    for mode in (ttnn.graph.RunMode.NORMAL, ttnn.graph.RunMode.NO_DISPATCH):
        ttnn.graph.begin_graph_capture(mode)
        tensor = ttnn.from_torch(torch.arange(64.0).reshape(2, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        tensor = ttnn.add(tensor, 3)
        values = ttnn.to_torch(tensor)
        del tensor
        graph = ttnn.graph.end_graph_capture()
        types = [node["node_type"] for node in graph]
        assert types[:2] == ["capture_start", "function_start"]
        assert types[-2:] == ["buffer_deallocate", "capture_end"]
        assert list(values.shape) == [2, 32]
        assert (values[0, 0] == 3) == (mode is ttnn.graph.RunMode.NORMAL)
        ttnn.graph.pretty_print(graph)
        ttnn.graph.visualize(graph, file_name=tmp_path / "graph.svg")
        assert "<svg" in (tmp_path / "graph.svg").read_text()


def test_tensors_larger_than_memory(device):
    def call():
        x = ttnn.empty([1 << 20, 1 << 20], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        return ttnn.linear(x, x)

    assert ttnn.graph.extract_dram_usage(captured(call))["peak"] == 2 * (2 << 40)


def test_stack_traces_show_python(pair):
    assert not ttnn.graph.is_stack_trace_enabled()
    ttnn.graph.enable_stack_traces()
    try:
        graph = captured(lambda: ttnn.add(*pair))
    finally:
        ttnn.graph.disable_stack_traces()
    assert any("test_stack_traces_show_python" in frame for frame in graph[1]["stack_trace"])
    assert all("stack_trace" not in node for node in captured(lambda: ttnn.add(*pair)))


def test_errors_and_exceptions(device):
    small = l1_tensor(device, (32, 32))
    with pytest.raises(RuntimeError), ttnn.graph.capture() as graph:
        ttnn.matmul(small, l1_tensor(device, (64, 64)))
    assert sum(node["node_type"] == "error" for node in graph) == 1
    with ttnn.graph.capture() as graph:
        ttnn.graph.add_error("TestError", "This is a test error message", "test_operation")
    (error,) = [node["params"] for node in graph if node["node_type"] == "error"]
    assert error == {"error_type": "TestError", "error_message": "This is a test error message", "error_operation": "test_operation"}
    with pytest.raises(RuntimeError, match="no active graph capture"):
        ttnn.graph.end_graph_capture()


def test_get_current_report(pair):
    with ttnn.graph.capture(ttnn.graph.RunMode.NO_DISPATCH):
        ttnn.add(*pair)
        report = ttnn.graph.get_current_report()
    assert report["version"] == 1 and report["graph"] and report["metadata"]["capture_timestamp_ns"] > 0


def test_other_threads_are_left_out_unless_asked_for(pair):
    def in_another_thread():
        thread = threading.Thread(target=lambda: ttnn.relu(pair[0]))
        thread.start()
        thread.join()

    with ttnn.graph.capture() as graph:
        in_another_thread()
    assert ttnn.graph.extract_calltrace(graph) == []
    with ttnn.graph.capture(process_wide=True) as graph:
        in_another_thread()
    assert ttnn.graph.extract_calltrace(graph)[0] == "ttnn::relu"


@pytest.mark.parametrize(
    "graph, message",
    [
        ([{"counter": 0}], "node_type"),
        ([{"counter": 0, "node_type": "what", "params": {}, "connections": []}], "what"),
        ([{"counter": 5, "node_type": "capture_start", "params": {}, "connections": []}], "counter"),
        ([{"counter": 0, "node_type": "capture_start", "params": {}, "connections": [7]}], "connections"),
        ([{"counter": 0, "node_type": "capture_start", "params": [], "connections": []}], "params"),
    ],
)
def test_malformed_traces_are_refused(graph, message):
    for analysis in (ttnn.graph.extract_calltrace, ttnn.graph.extract_peak_L1_memory_usage, ttnn.graph.pretty_format, ttnn.graph.visualize):
        with pytest.raises(RuntimeError, match=message):
            analysis(graph)


def test_durations_as_the_guide_prints_them(pair):
    graph = captured(lambda: ttnn.add(*pair), ttnn.graph.RunMode.NORMAL)
    lines = []
    for node in graph:
        if node["node_type"] == "function_end" and "duration_ns" in node:
            name = node["params"]["name"]
            duration_ms = node["duration_ns"] / 1_000_000
            lines.append(f"{name}: {duration_ms:.2f} ms")
    assert lines[-1].startswith("ttnn::add: ") and len(lines) == 8
    durations = ttnn.graph.extract_operation_durations(graph)
    assert 0 < durations["ttnn::repeat"] < durations["ttnn::add"] < ttnn.graph.extract_total_duration_from_graph(graph)


def test_table_of_the_guide(device):
    """Inputs of 8192000 and 819200 bytes in DRAM."""

    def tensor(shape):
        return ttnn.empty(shape, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)

    a, b = tensor([10, 1, 640, 640]), tensor([1, 1, 640, 640])
    rows = [line.split() for line in ttnn.graph.memory_table(captured(lambda: ttnn.add(a, b))).splitlines()]
    assert rows[0] == ["current_op", "event", "total_cb", "total_buffer"]
    assert rows[1] == ["0", "ttnn::add", "begin_op", "0", "9011200"]
    assert rows[2] == ["1", "ttnn::repeat", "begin_op", "0", "9011200"]
    # The guide's run had a primitive that was not ported yet and has no row; here it has one.
    assert rows[3] == ["2", "ttnn::prim::repeat", "begin_op", "0", "9011200"]
    assert rows[4] == ["3", "ttnn::prim::repeat", "buffer_allocate", "0", "17203200"]


def test_listing_of_the_guide(pair):
    """The guide leaves out input tensors and writes three circular buffers in one line."""
    graph = captured(lambda: ttnn.add(*pair), literal_sample=True)
    lines = [line.rstrip() for line in ttnn.graph.pretty_format(graph).splitlines()]
    shown = [line for i, line in enumerate(lines) if not 2 <= i <= 5 and line.strip() != "Allocate Circular Buffer"]
    tensors = [node["params"]["tensor_id"] for node in graph if node["node_type"] == "tensor"]
    assert sum(line.strip() == "Allocate Circular Buffer" for line in lines) == 4
    assert shown == [
        "Capture Start",
        "Begin: ttnn::add",
        "    Begin: ttnn::repeat",
        "        Begin: ttnn::prim::repeat",
        "            Begin: Device Operation",
        "                Begin: create_device_tensor",
        "                    Add Device Buffer",
        "                    Allocate Device Buffer",
        "                End: create_device_tensor",
        f"                Add Tensor: {tensors[2]}",
        "            End: Device Operation",
        "        End: ttnn::prim::repeat",
        "    End: ttnn::repeat",
        "    Begin: ttnn::prim::binary",
        "        Begin: Device Operation",
        "            Begin: create_device_tensor",
        "                Add Device Buffer",
        "                Allocate Device Buffer",
        "            End: create_device_tensor",
        f"            Add Tensor: {tensors[3]}",
        "        End: Device Operation",
        "    End: ttnn::prim::binary",
        "    Deallocate Device Buffer",
        "End: ttnn::add",
        "Deallocate Device Buffer",
        "Capture End",
    ]


def test_synchronising_in_a_capture(pair, device):
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    ttnn.add(*pair)
    ttnn._ttnn.device.synchronize_device(device)
    ttnn.synchronize_device(device)
    assert ttnn.graph.extract_calltrace(ttnn.graph.end_graph_capture())[0] == "ttnn::add"


def row_major_transposed(device):
    x = ttnn.empty([1, 1, 2048, 512], dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device, memory_config=ttnn.L1_MEMORY_CONFIG)
    return captured(lambda: ttnn.transpose(x, 1, 2))


def test_detailed_arguments(device):
    calls = ttnn.graph.extract_arguments(row_major_transposed(device))
    assert [call["operation"] for call in calls] == ["ttnn::transpose", "create_device_tensor"]
    assert not ttnn.graph.is_detailed_arguments_enabled()
    ttnn.graph.enable_detailed_arguments()
    try:
        assert ttnn.graph.is_detailed_arguments_enabled()
        calls = ttnn.graph.extract_arguments(row_major_transposed(device))
    finally:
        ttnn.graph.disable_detailed_arguments()
    assert [len(call["arguments"]) for call in calls] == [3, 5, 2, 5]
    permute = calls[1]["arguments"]
    assert permute[0] == calls[0]["arguments"][0] and permute[1] == "SmallVector([0, 2, 1, 3])"
    assert "SmallVector([0, 2, 1, 3])" in calls[2]["arguments"][0] and "Shape([1, 1, 2048, 512])" in calls[2]["arguments"][1]


def test_arguments_as_json(device):
    content = ttnn.graph_tracer_utils.GraphTracerUtils.serialize_graph(row_major_transposed(device))["content"]
    assert [entry["operation"] for entry in content] == ["ttnn::transpose", "create_device_tensor"]
    tensor, first, second = content[0]["arguments"]
    assert (first, second) == ({"arg1": "1"}, {"arg2": "2"})
    memory_config = {
        "memory_layout": "TensorMemoryLayout::INTERLEAVED",
        "buffer_type": "BufferType::L1",
        "shard_spec": "std::nullopt",
        "nd_shard_spec": "std::nullopt",
        "created_with_nd_shard_spec": 0,
    }
    tile = {"tile_shape": "{32, 32}", "face_shape": "{16, 16}", "num_faces": 4}
    layout = {
        "dtype": "DataType::BFLOAT16",
        "page_config": {"config": {"tile": tile}},
        "memory_config": memory_config,
        "alignment": [1],
    }
    spec = {"logical_shape": [1, 1, 2048, 512], "tensor_layout": layout}
    assert tensor == {"arg0": {"Tensor": {"storage": {}, "tensor_spec": spec}}}
    creation = content[1]["arguments"]
    assert creation[:3] == [{"arg0": {"Shape": [1, 2048, 1, 512]}}, {"arg1": "DataType::BFLOAT16"}, {"arg2": "Layout::ROW_MAJOR"}]
    assert creation[3] == {"arg3": "[ unsupported type , std::reference_wrapper<tt::tt_metal::IDevice*>]"}
    assert creation[4] == {"arg4": {"MemoryConfig": memory_config}}
    broken = [{"params": {"name": "ttnn::x"}, "arguments": ["Tensor(storage=", "nullopt"]}]
    (unparsed, absent) = ttnn.graph.GraphTracerUtils.serialize_graph(broken)["content"][0]["arguments"]
    assert unparsed["UnparsedElement"]["element_info"] == "Tensor(storage=" and absent == {"arg1": "nullopt"}


def test_queries(device):
    spec = ttnn.TensorSpec([4, 2, 160, 224], ttnn.bfloat16, ttnn.TILE_LAYOUT, buffer_type=ttnn.BufferType.L1)
    answer = ttnn.graph.query_op_constraints(ttnn.relu, device, spec)
    assert answer.status is ttnn.graph.QueryStatus.Success and answer.error_message is None
    # 280 tiles over 64 banks: 5 tiles of 2048; two circular buffers of two tiles
    usage = answer.resource_usage
    assert (usage.cb_peak_size_per_core, usage.l1_buffers_peak_per_core, usage.l1_output_buffer_per_core) == (8192, 10240, 10240)
    assert answer.output_tensor_specs == [spec]
    counted = ttnn.graph.query_op_constraints(ttnn.add, device, spec, spec, count_inputs=True)
    assert counted.resource_usage.l1_buffers_peak_per_core == 3 * 10240
    joined = ttnn.graph.query_op_constraints(ttnn.concat, device, [spec, spec], dim=0)
    assert list(joined.output_tensor_specs[0].shape) == [8, 2, 160, 224]
    refused = ttnn.graph.query_op_constraints(ttnn.matmul, device, spec, spec)
    assert refused.status is ttnn.graph.QueryStatus.Error and refused.error_message.startswith("ttnn.matmul: The width")
    assert refused.resource_usage.cb_peak_size_per_core == 0 and refused.output_tensor_specs == []
    small = ttnn.TensorSpec([32, 32], ttnn.bfloat16, ttnn.TILE_LAYOUT)
    assert ttnn.graph.query_op_runtime(ttnn.relu, device, small).runtime > 0
    x = l1_tensor(device, (32, 32))
    assert ttnn.graph.query_peak_L1_memory_usage(lambda: ttnn.relu(x)) == 2 * 2048 + 2 * 4096
    assert ttnn.graph.query_output_info(lambda: ttnn.relu(x))[0].size == 2048
    assert ttnn.graph.extract_l1_output_buffer_allocation_size_per_core(x, 64) == 2048
    assert not ttnn.graph.is_capturing()


@pytest.mark.parametrize("mode", ["FOO", "NORMAL", 0, None, True])
def test_a_run_mode_that_is_none_is_refused(mode):
    with pytest.raises(TypeError, match="run_mode must be RunMode.NORMAL or RunMode.NO_DISPATCH, not"):
        ttnn.graph.begin_graph_capture(mode)
    assert not ttnn.graph.is_capturing()
    with pytest.raises(TypeError), ttnn.graph.capture(mode):
        pass
