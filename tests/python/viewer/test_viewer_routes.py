"""Every route of the viewer is known here, and none stumbles over a report."""

import pytest
from viewer_client import programs


# What a report is read through: the tests beside this one call them.
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
    "POST /api/local/upload/profiler",
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
    "POST /api/local/upload/performance",
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


@pytest.mark.parametrize("path", ["/", "/operations", "/robots.txt", "/static/favicon/favicon.svg", "/api/up"])
def test_the_viewer_itself_answers(viewer, path):
    assert viewer.call("GET", path).status == 200


def test_the_viewer_knows_its_machine(viewer):
    assert viewer.call("GET", "/api/system-capabilities").json["os"] == "Linux"
