"""The viewer's MCP server."""

import pytest
from viewer_client import programs


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
