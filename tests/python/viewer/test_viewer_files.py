"""Files beside the database, and the folders that the viewer keeps its reports in."""

import shutil

from viewer_client import capture, reports


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
