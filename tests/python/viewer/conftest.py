"""Reports in the real ttnn-visualizer: its server, its MCP server and its pages in Chromium.

Long tests (TRACELIFT_LONG=1); scripts/setup_clients.sh installs what they need, as `make test-long` does. The reports
and the viewer are made once for all of them, so they run in one process.
"""

import os
from pathlib import Path

import pytest
from viewer_client import answers, capture, programs, reports

from tracelift import ttnn

HERE = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("viewer"))
            if "TRACELIFT_LONG" not in os.environ:
                item.add_marker(pytest.mark.skip(reason="a long test: TRACELIFT_LONG=1 (make test-long) runs it"))


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    missing = [path for path in (programs.VIEWER, programs.BROWSER, Path("/usr/bin/chromium")) if not path.exists()]
    assert not missing, f"{missing} are not there: run scripts/setup_clients.sh"
    folder = tmp_path_factory.mktemp("viewer")
    with ttnn.manage_device(device_id=0) as device:
        return {
            "bert": reports.bert(device, folder),
            "failing": reports.failing(device, folder),
            "loop": reports.loop(device, folder),
            "forward": reports.forward(device, folder),
            "logged": reports.logged(device, folder),
        }


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def viewer(home):
    with programs.Viewer(home) as viewer:
        yield viewer


@pytest.fixture(scope="session")
def opened(viewer, made):
    return {name: viewer.open(each.folder) for name, each in made.items()}


@pytest.fixture(scope="session")
def pictures(opened, made):
    """Name -> what the capture says, what the viewer says."""
    return {name: (capture.read(made[name].capture), answers.of_viewer(opened[name])) for name in reports.NAMES}
