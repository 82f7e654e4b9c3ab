"""Performance reports in the viewer."""

import shutil

from viewer_client import reports


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
