"""Reports that are uploaded through the viewer's own API, as its page of reports does."""

import shutil

import pytest
from viewer_client import reports


@pytest.fixture
def other(viewer, made):
    """An instance that shows another report than the uploaded one."""
    return viewer.open(made["loop"].folder)


@pytest.mark.parametrize("name_apart", [False, True], ids=["paths", "name_apart"])
def test_an_uploaded_report_is_listed_and_opens(viewer, opened, made, other, tmp_path, name_apart):
    folder = shutil.copytree(made["failing"].folder, tmp_path / "sent")
    answer = viewer.upload("profiler", folder, other.instance, name_apart)
    assert (answer.status, answer.json) == (200, {"path": "sent", "reportName": "failing"})

    wanted = opened["failing"]
    assert other.get("/api/operations") == wanted.get("/api/operations")
    assert other.get("/api/errors") == wanted.get("/api/errors")
    for file in ("config", "cluster-descriptor", "mesh-descriptor", "operation-history"):
        assert other.get(f"/api/{file}") == wanted.get(f"/api/{file}")
    assert {each["path"]: each["reportName"] for each in other.get("/api/profiler")} == {"sent": "failing"}

    again = viewer.open(made["loop"].folder)
    chosen = {"active_report": {"profiler_name": "sent", "profiler_location": "local"}}
    assert viewer.call("PUT", "/api/instance", chosen, instanceId=again.instance).status == 200
    assert again.get("/api/tensors") == wanted.get("/api/tensors")
    assert viewer.call("DELETE", "/api/profiler/sent", instanceId=again.instance).status < 300


def test_pictures_of_a_report_may_be_uploaded_with_it(viewer, made, other, tmp_path):
    folder = tmp_path / "drawn"
    reports.run("report", "import", "--svg", made["failing"].capture, folder)
    assert {path.name for path in (folder / "graphs").iterdir()} == {"failing.svg", "failing.memory.svg"}
    assert viewer.upload("profiler", folder, other.instance).json["path"] == "drawn"
    assert other.get("/api/config")["report_name"] == "failing"
    assert viewer.call("DELETE", "/api/profiler/drawn", instanceId=other.instance).status < 300


def test_an_uploaded_performance_report_is_listed_and_opens(viewer, made, tmp_path):
    folder = shutil.copytree(reports.performance(made["bert"], tmp_path), tmp_path / "measured")
    wanted = viewer.open(made["bert"].folder, folder).get("/api/performance/perf-results/report")
    report = viewer.open(made["bert"].folder)
    assert viewer.upload("performance", folder, report.instance).json["status"] == 3
    assert report.get("/api/performance/perf-results/report") == wanted
    assert [each["path"] for each in report.get("/api/performance")] == ["measured"]
    assert viewer.call("DELETE", "/api/performance/measured", instanceId=report.instance).status < 300
