"""The viewer's pages in Chromium."""

import re

import pytest
from viewer_client import failing_model, programs, reports
from viewer_client.picture import ANY_DEVICE_OPERATION
from viewer_client.reports import NAMES


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
def seen(viewer, made, opened, pictures, sharded, tmp_path_factory):
    """(report, page) -> what Chromium showed. Pictures of the pages go to build/clients/pictures."""
    failed = next(number for number, each in enumerate(pictures["failing"][0].operations, 1) if each.error)
    pages = {
        "bert": [
            {"name": "operations", "path": "/operations", "steps": [("text", "Showing ")]},
            {"name": "operation", "path": f"/operations/{sharded}", "steps": [("text", "Device operations")]},
            {
                "name": "cores",
                "path": f"/operations/{sharded}",
                "steps": [("text", "Device operations"), ("click", "text=All allocations per core")],
            },
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
            {
                "name": "source",
                "path": f"/operations/{failed}",
                "steps": [("text", "ttnn::add"), ("click", "text=Source"), ("text", "def run(x, y, wrong)")],
                "count": {"highlighted": ".highlighted-line"},
            },
        ],
        "loop": [
            {"name": "operations", "path": "/operations", "steps": [("text", "Showing ")]},
            {"name": "buffers", "path": "/buffer-summary", "steps": [("text", "Showing "), ("text", "Memory Address")]},
        ],
    }
    measured = viewer.open(made["bert"].folder, reports.performance(made["bert"], tmp_path_factory.mktemp("measured")))
    pages["measured"] = [{"name": "performance", "path": "/performance", "steps": [("text", "Performance report")]}]
    instances = {name: each.instance for name, each in (opened | {"measured": measured}).items()}
    return {
        (name, page["name"]): page
        for name, wanted in pages.items()
        for page in programs.look_at(viewer, instances[name], wanted, programs.CLIENTS / "pictures" / name)
    }


OPENED_PAGES = [
    *(("bert", page) for page in ("operations", "operation", "cores", "tensors", "buffers", "buffers_later")),
    *(("bert", page) for page in ("graph", "topology", "reports")),
    *(("failing", page) for page in ("operations", "operation", "source")),
    *(("loop", page) for page in ("operations", "buffers")),
    ("measured", "performance"),
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


def test_the_source_is_shown_with_the_line_of_the_call(seen):
    found = seen["failing", "source"]
    for line in ("ttnn.add(g, wrong)", "j = ttnn.gelu(i)"):
        assert line in found["text"]
    assert failing_model.__file__ in found["text"]
    assert found["counts"]["highlighted"] == 1


def test_the_cores_of_an_operation_show_their_buffers(seen, sharded):
    found = seen["bert", "cores"]
    assert re.search(rf"^{sharded} ttnn::linear .* detailed memory report$", found["text"], re.MULTILINE)
    assert found["shapes"] > seen["bert", "operation"]["shapes"] + 64  # one or more on each of 64 cores


def test_the_page_of_performance_joins_rows_with_operations(seen):
    text = seen["measured", "performance"]["text"]
    assert int(re.search(r"Showing (\d+) rows", text).group(1)) > 50
    assert "MatmulDeviceOperation" in text
    assert "Arch: wormhole_b0" in text
