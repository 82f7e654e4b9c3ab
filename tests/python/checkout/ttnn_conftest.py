"""tests/ttnn/conftest.py: what the operation tests of a checkout do around every test."""

import datetime

import pytest

import ttnn
import ttnn.database


def pytest_addoption(parser):
    parser.addoption("--runslow", action="store_true", default=False)


def pytest_collection_modifyitems(config, items):
    if ttnn.CONFIG.enable_fast_runtime_mode:
        for item in items:
            if item.get_closest_marker("requires_fast_runtime_mode_off"):
                item.add_marker(pytest.mark.skip(reason="needs slow runtime mode"))


@pytest.fixture(autouse=True)
def pre_and_post(request):
    original = ttnn.Config(ttnn.CONFIG)
    if ttnn.CONFIG_PATH is not None:
        ttnn.load_config_from_json_file(ttnn.CONFIG_PATH)
    if ttnn.CONFIG_OVERRIDES is not None:
        import json

        ttnn.load_config_from_dictionary(json.loads(ttnn.CONFIG_OVERRIDES))
    now = datetime.datetime.now(datetime.timezone.utc)
    with ttnn.manage_config("report_name", f"{request.node.nodeid}: {now} (UTC)"):
        assert ttnn.CONFIG.report_path is not None
        yield
    ttnn.CONFIG = original
    assert ttnn.CONFIG.report_name is None
    if ttnn.database.SQLITE_CONNECTION is not None:
        ttnn.database.SQLITE_CONNECTION.close()
        ttnn.database.SQLITE_CONNECTION = None
    ttnn.database.DEVICE_IDS_IN_DATABASE.clear()
    ttnn.tracer.disable_tracing()
