"""Reports in the real ttnn-visualizer: its server, its MCP server and its pages in Chromium.

Long tests (TRACELIFT_LONG=1); scripts/setup_clients.sh installs what they need, as `make test-long` does.
"""

import os
import re
import shutil
from pathlib import Path

import pytest
from viewer_client import answers, capture, failing_model, programs, reads, reports
from viewer_client.picture import ANY_DEVICE_OPERATION, aspect_of

from tracelift import ttnn

pytestmark = [
    pytest.mark.skipif(
        "TRACELIFT_LONG" not in os.environ, reason="a long test: TRACELIFT_LONG=1 (make test-long) runs it"
    ),
    pytest.mark.xdist_group("viewer"),
]

NAMES = ("bert", "failing", "loop")
ASPECTS = ("name", "inputs", "outputs", "buffers", "device_operations", "stack", "error")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    missing = [path for path in (programs.VIEWER, programs.BROWSER, Path("/usr/bin/chromium")) if not path.exists()]
    assert not missing, f"{missing} are not there: run scripts/setup_clients.sh"
    folder = tmp_path_factory.mktemp("viewer")
    with ttnn.manage_device(device_id=0) as device:
        yield {
            "bert": reports.bert(device, folder),
            "failing": reports.failing(device, folder),
            "loop": reports.loop(device, folder),
            "forward": reports.forward(device, folder),
        }


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def viewer(home):
    with programs.Viewer(home) as viewer:
        yield viewer


@pytest.fixture(scope="module")
def opened(viewer, made):
    return {name: viewer.open(each.folder) for name, each in made.items()}


@pytest.fixture(scope="module")
def pictures(opened, made):
    """Name -> what the capture says, what the viewer says."""
    return {name: (capture.read(made[name].capture), answers.of_viewer(opened[name])) for name in NAMES}


# --- routes

# Every route of the viewer, and how it is tested here: by a test of its own or in ROUTES_WITHOUT_A_REPORT.
TESTED_ROUTES = {
    "GET /",
    "GET /<path:path>",
    "GET /api/buffer",
    "GET /api/buffer-pages",
    "GET /api/buffers",
    "GET /api/cluster-descriptor",
    "GET /api/config",
    "GET /api/devices",
    "GET /api/errors",
    "GET /api/instance",
    "GET /api/mesh-descriptor",
    "GET /api/operation-buffers",
    "GET /api/operation-buffers/<operation_id>",
    "GET /api/operation-history",
    "GET /api/operations",
    "GET /api/operations/<operation_id>",
    "GET /api/profiler",
    "GET /api/remote/stack-trace/read",
    "GET /api/remote/stack-trace/test",
    "GET /api/report-fingerprints",
    "GET /api/report-metadata",
    "GET /api/system-capabilities",
    "GET /api/tensors",
    "GET /api/tensors/<tensor_id>",
    "GET /api/up",
    "DELETE /api/profiler/<profiler_name>",
    "POST /api/instance/local-paths",
    "PUT /api/instance",
    "GET /static/<path:filename>",
    "GET /robots.txt",
}
# Of performance reports.
PERFORMANCE_ROUTES = {
    "GET /api/performance",
    "GET /api/performance/device-log",
    "GET /api/performance/device-log/meta",
    "GET /api/performance/device-log/raw",
    "GET /api/performance/device-log/zone/<zone>",
    "GET /api/performance/perf-results",
    "GET /api/performance/perf-results/raw",
    "GET /api/performance/perf-results/report",
    "DELETE /api/performance/<performance_name>",
}
# About other programs, other machines and files of other kinds: nothing of a report goes through them.
OTHER_ROUTES = {
    "GET /api/latest-version",
    "GET /api/mlir",
    "GET /api/npe",
    "GET /api/npe/summary",
    "GET /api/npe/window",
    "GET /api/performance/npe/manifest",
    "GET /api/performance/npe/timeline",
    "GET /api/remote/ssh-config-hosts",
    "POST /api/event-log/events",
    "POST /api/local/upload/npe",
    "POST /api/local/upload/performance",
    "POST /api/local/upload/profiler",
    "POST /api/mlir/active",
    "POST /api/notify",
    "POST /api/remote/host-key",
    "POST /api/remote/host-key/trust",
    "POST /api/remote/local-performance-reports",
    "POST /api/remote/local-profiler-reports",
    "POST /api/remote/mlir/test",
    "POST /api/remote/mlir/upload",
    "POST /api/remote/performance-reports",
    "POST /api/remote/profiler-reports",
    "POST /api/remote/sync",
    "POST /api/remote/test",
    "POST /api/remote/use",
}


def test_every_route_of_the_viewer_is_known_here(home):
    found = {f"{method} {rule}" for method, rule in programs.routes(home)}
    assert found == TESTED_ROUTES | PERFORMANCE_ROUTES | OTHER_ROUTES


OTHER_QUESTIONS = sorted(route for route in OTHER_ROUTES if route.startswith("GET") and "latest" not in route)


@pytest.mark.parametrize("route", OTHER_QUESTIONS)
def test_routes_about_other_things_do_not_stumble_over_a_report(opened, route):
    answer = opened["bert"].call(route.removeprefix("GET "))
    assert answer.status < 500, answer.body


# --- answers against the capture


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


# --- files beside the database


def test_settings_history_and_descriptors_are_found(opened, made, pictures):
    report = opened["bert"]
    assert report.get("/api/config")["report_name"] == "bert"
    history = report.get("/api/operation-history")
    assert [each["operation_name"] for each in history] == [each.name for each in pictures["bert"][0].operations]
    cluster = report.get("/api/cluster-descriptor")
    assert cluster["chips"] == {"0": [0, 0, 0, 0]}
    assert cluster["chip_unique_ids"] == {"0": "1"}
    assert cluster["chips_with_mmio"] == [{"0": 0}]
    assert report.get("/api/mesh-descriptor") == {"chips": {"0": [0, 0]}}
    metadata = report.get("/api/report-metadata")
    assert metadata["schema_version"] == "3.3"
    wanted = capture.load(made["bert"].capture)["metadata"]
    assert metadata["capture_timestamp_ns"] == str(wanted["capture_timestamp_ns"])
    assert report.get("/api/report-fingerprints")["profiler"]["run"]
    assert report.get("/api/instance")["profiler_path"] == str(made["bert"].folder / "db.sqlite")


def test_the_viewer_lists_selects_and_deletes_a_report(viewer, opened, made):
    shelf = viewer.home / "data/local/profiler-reports"
    shelf.mkdir(parents=True, exist_ok=True)
    shutil.copytree(made["failing"].folder, shelf / "kept")
    report = opened["failing"]
    listed = {each["path"]: each["reportName"] for each in report.get("/api/profiler")}
    assert listed == {"kept": "failing"}
    other = viewer.open(made["bert"].folder)
    selected = viewer.call(
        "PUT",
        "/api/instance",
        {"active_report": {"profiler_name": "kept", "profiler_location": "local"}},
        instanceId=other.instance,
    )
    assert selected.status == 200
    assert len(other.get("/api/operations")) == len(report.get("/api/operations"))
    assert viewer.call("DELETE", "/api/profiler/kept", instanceId=report.instance).status < 300
    assert report.get("/api/profiler") == []


def test_hosts_of_several_have_their_own_rows_and_files(viewer, made, tmp_path):
    text = made["failing"].capture.read_text()
    parts = tmp_path / "parts"
    parts.mkdir()
    for rank in (0, 1):
        part = text.replace('"metadata": {', f'"metadata": {{"rank": {rank}, "world_size": 2, ', 1)
        assert part != text
        (parts / f"graph_capture_{rank + 1}_of_2.json").write_text(part)
    made_of_parts = reports.imported(parts)
    report = viewer.open(made_of_parts.folder)
    one = [each["name"] for each in report.get("/api/operations", rank=0)]
    assert one == [each["name"] for each in report.get("/api/operations", rank=1)]
    for rank in (0, 1):
        assert report.get("/api/config", rank=rank)["report_name"] == f"graph_capture_{rank + 1}_of_2"
        assert report.get("/api/cluster-descriptor", rank=rank)["chip_unique_ids"] == {"0": "1"}
        assert report.get("/api/mesh-descriptor", rank=rank)["chips"] == {"0": [0, 0]}
        assert len(report.get("/api/operation-buffers", rank=rank)) == len(one)


@pytest.mark.parametrize("path", ["/", "/operations", "/robots.txt", "/static/favicon/favicon.svg", "/api/up"])
def test_the_viewer_itself_answers(viewer, path):
    assert viewer.call("GET", path).status == 200


def test_the_viewer_knows_its_machine(viewer):
    assert viewer.call("GET", "/api/system-capabilities").json["os"] == "Linux"


# --- performance reports


def test_a_performance_report_has_answers_to_every_question(viewer, made, tmp_path):
    folder = reports.performance(made["bert"], tmp_path)
    report = viewer.open(made["bert"].folder, folder)
    rows = report.get("/api/performance/perf-results/report")["report"]
    assert len(rows) > 50
    raw = report.call("/api/performance/perf-results/raw")
    assert raw.status == 200
    assert raw.body.decode().count("\n") > len(rows)
    assert len(report.get("/api/performance/perf-results")) > 50
    for route in ("/api/performance/device-log", "/api/performance/device-log/meta", "/api/performance/device-log/raw"):
        assert report.call(route).status == 200, route
    assert report.call("/api/performance/device-log/zone/BRISC-KERNEL").status < 500
    shelf = viewer.home / "data/local/performance-reports"
    shelf.mkdir(parents=True, exist_ok=True)
    shutil.copytree(folder, shelf / "kept")
    assert [each["path"] for each in report.get("/api/performance")] == ["kept"]
    assert viewer.call("DELETE", "/api/performance/kept", instanceId=report.instance).status < 300


# --- the MCP server


@pytest.fixture(scope="module")
def mcp(home):
    with programs.Mcp(home) as mcp:
        yield mcp


def test_the_tools_of_the_mcp_server_are_known_here(mcp):
    assert mcp.tools() == {
        "load_report",
        "find_operations",
        "operation_detail",
        "memory_profile",
        "tensor_flow",
        "operation_provenance",
        # of performance reports
        "top_ops",
        "program_cache",
        "zone_timings",
        "diff_reports",
    }


def test_the_mcp_server_tells_what_the_capture_says(mcp, made, pictures):
    wanted = pictures["bert"][0]
    loaded = mcp.tool("load_report", profiler_path=str(made["bert"].folder))
    handle = loaded["handle"]
    found = mcp.tool("find_operations", handle=handle, name_contains="linear", limit=500)
    ids = [i for i, each in enumerate(wanted.operations, 1) if "linear" in each.name]
    assert [each["operation_id"] for each in found["operations"]] == ids
    called = mcp.tool("find_operations", handle=handle, called_from="split_heads", limit=500)
    assert {each["name"] for each in called["operations"]} == {"ttnn::reshape", "ttnn::permute", "ttnn::transpose"}
    detail = mcp.tool("operation_detail", handle=handle, operation_id=ids[0])
    first = wanted.operations[ids[0] - 1]
    assert [each["tensor_id"] for each in detail["inputs"]] == first.inputs
    assert [each["size"] for each in detail["inputs"]] == [wanted.tensors[each].size for each in first.inputs]
    memory = mcp.tool("memory_profile", handle=handle)
    assert memory
    flow = mcp.tool("tensor_flow", handle=handle, tensor_id=first.outputs[0])
    assert [each["operation_id"] for each in flow["producers"]] == [ids[0]]
    provenance = mcp.tool("operation_provenance", handle=handle, operation_id=ids[0])
    assert "test_bert_encoder.py" in str(provenance)


# --- pages


@pytest.fixture(scope="module")
def sharded(pictures):
    """An operation of BERT that gives a block sharded tensor, by its id."""
    wanted = pictures["bert"][0]
    return next(
        number
        for number, each in enumerate(wanted.operations, 1)
        if each.name == "ttnn::linear" and "BLOCK_SHARDED" in wanted.tensors[each.outputs[0]].memory_layout
    )


@pytest.fixture(scope="module")
def seen(viewer, opened, pictures, sharded):
    """(report, page) -> what Chromium showed. Pictures of the pages go to build/clients/pictures."""
    failed = next(number for number, each in enumerate(pictures["failing"][0].operations, 1) if each.error)
    pages = {
        "bert": [
            {"name": "operations", "path": "/operations", "steps": [("text", "Showing ")]},
            {"name": "operation", "path": f"/operations/{sharded}", "steps": [("text", "Device operations")]},
            {"name": "tensors", "path": "/tensors", "steps": [("text", "Showing ")]},
            {"name": "buffers", "path": "/buffer-summary", "steps": [("text", "Showing "), ("text", "Memory Address")]},
            {
                "name": "buffers_later",
                "path": "/buffer-summary",
                "steps": [("text", "Showing "), ("text", "Memory Address"), ("wheel", 2500)],
            },
            {"name": "graph", "path": "/graphtree", "steps": [("text", "ttnn::embedding")], "settle": 5000},
            {
                "name": "topology",
                "path": "/operations",
                "steps": [("text", "Showing "), ("click", ".cluster-button"), ("selector", ".cluster-view-wrap")],
                "count": {"chips": ".chip-id"},
            },
            {"name": "reports", "path": "/"},
        ],
        "failing": [
            {"name": "operations", "path": "/operations", "steps": [("text", "Showing ")]},
            {
                "name": "operation",
                "path": f"/operations/{failed}",
                "steps": [("text", "ttnn::add"), ("click", "text=View operation error")],
            },
        ],
        "loop": [
            {"name": "operations", "path": "/operations", "steps": [("text", "Showing ")]},
            {"name": "buffers", "path": "/buffer-summary", "steps": [("text", "Showing "), ("text", "Memory Address")]},
        ],
    }
    return {
        (name, page["name"]): page
        for name, wanted in pages.items()
        for page in programs.look_at(viewer, opened[name].instance, wanted, programs.CLIENTS / "pictures" / name)
    }


OPENED_PAGES = [
    *(("bert", page) for page in ("operations", "operation", "tensors", "buffers", "buffers_later")),
    *(("bert", page) for page in ("graph", "topology", "reports")),
    *(("failing", page) for page in ("operations", "operation")),
    *(("loop", page) for page in ("operations", "buffers")),
]


@pytest.mark.parametrize(("name", "page"), OPENED_PAGES)
def test_pages_open_in_a_browser_without_an_error(seen, name, page):
    found = seen[name, page]
    assert found["problem"] == ""
    assert found["errors"] == []
    assert found["failed"] == []
    assert not re.search(r"\bundefined\b|\bNaN\b|\[object Object\]", found["text"])


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_operations_lists_all(seen, pictures, name):
    text = seen[name, "operations"]["text"]
    operations = pictures[name][0].operations
    assert f"Showing {len(operations):,} operations" in text or f"Showing {len(operations)} operations" in text
    for number, each in enumerate(operations[:10], 1):
        assert f"{number} {each.name}" in text


def test_the_page_of_operations_names_the_lines_that_called_them(seen):
    assert "test_bert_encoder.py:" in seen["bert", "operations"]["text"]


def test_the_page_of_an_operation_shows_its_tensors_and_memory(seen, pictures, sharded):
    found, wanted = seen["bert", "operation"], pictures["bert"][0]
    operation = wanted.operations[sharded - 1]
    assert f"{sharded} {operation.name}" in found["text"]
    for tensor in operation.inputs + operation.outputs:
        assert f"Tensor ID: {tensor}" in found["text"]
        assert f"Shape: {wanted.tensors[tensor].shape}" in found["text"]
    assert "Type: bf16" in found["text"]
    assert "Type: bf8" in found["text"]
    assert wanted.tensors[operation.outputs[0]].shard_grid in found["text"]
    assert "Memory: BLOCK_SHARDED" in found["text"]
    for name in set(operation.device_operations) - {ANY_DEVICE_OPERATION}:
        assert name in found["text"]
    assert found["shapes"] > 100


def test_the_page_of_tensors_lists_all(seen, opened):
    count = len(opened["bert"].get("/api/tensors"))
    assert f"Showing {count} of {count} tensors" in seen["bert", "tensors"]["text"]


def test_the_page_of_buffers_has_a_row_for_operations(seen, pictures):
    for name in ("bert", "loop"):
        found = seen[name, "buffers"]
        for number, each in enumerate(pictures[name][0].operations[:8], 1):
            assert f"{number} {each.name}" in found["text"]
        assert found["shapes"] > 20


def test_the_graph_shows_operations_and_what_flows_between_them(seen, pictures):
    found = seen["bert", "graph"]
    assert len(re.findall(r"^\d+ ttnn::\w+$", found["text"], re.MULTILINE)) > 20


def test_the_topology_shows_the_chip(seen):
    found = seen["bert", "topology"]
    assert "not supported" not in found["text"]
    assert found["counts"]["chips"] == 1


def test_the_failure_is_shown_at_its_operation(seen, made):
    assert made["failing"].facts["message"].splitlines()[0] in seen["failing", "operation"]["text"]
