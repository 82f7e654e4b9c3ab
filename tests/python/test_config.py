import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tracelift import _ttnn, ttnn


def run(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_defaults():
    config = ttnn.Config()
    assert config.enable_fast_runtime_mode is True and config.enable_logging is False
    assert config.comparison_mode_pcc == 0.9999 and config.report_name is None and config.report_path is None
    assert config.root_report_path == Path("generated/ttnn/reports")
    assert config.cache_path == Path.home() / ".cache" / "ttnn"
    assert config.operation_parameter_log_dir is None


def test_values_are_cast_and_names_are_checked():
    config = ttnn.Config(ttnn.CONFIG)
    config.root_report_path = "somewhere"
    assert config.root_report_path == Path("somewhere") and ttnn.CONFIG.root_report_path != Path("somewhere")
    config.comparison_mode_pcc = 1
    assert config.comparison_mode_pcc == 1.0
    with pytest.raises(AttributeError):
        config.enable_something = True
    with pytest.raises(TypeError):
        config.enable_logging = "yes"
    with pytest.raises(AttributeError):
        config.report_path = "x"


def test_report_path():
    config = ttnn.Config()
    config.report_name = "My Report: no. 1 " + "x" * 100
    name = config.report_path.name
    assert name.startswith("my_report_no_1_x") and name.rpartition("_")[0].rpartition("_")[0][:64] == name[:64]
    assert config.report_path.parent == config.root_report_path


def test_manage_config_restores():
    with ttnn.manage_config("comparison_mode_pcc", 0.5):
        assert ttnn.CONFIG.comparison_mode_pcc == 0.5
    assert ttnn.CONFIG.comparison_mode_pcc == 0.9999


def test_save_and_load(tmp_path):
    ttnn.save_config_to_json_file(tmp_path / "config.json")
    before = ttnn.Config(ttnn.CONFIG)
    with ttnn.manage_config("comparison_mode_pcc", 0.5):
        ttnn.load_config_from_json_file(tmp_path / "config.json")
        assert ttnn.CONFIG == before
    with pytest.raises(ValueError, match="no_such"):
        ttnn.load_config_from_dictionary({"no_such": 1})
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(ValueError, match="bad.json:1"):
        ttnn.load_config_from_json_file(tmp_path / "bad.json")


def test_environment(tmp_path):
    show = "from tracelift import ttnn; print(ttnn.CONFIG.enable_fast_runtime_mode, ttnn.CONFIG.comparison_mode_pcc)"
    (tmp_path / "config.json").write_text(json.dumps({"comparison_mode_pcc": 0.5, "unknown": 1}))
    overrides = '{"enable_fast_runtime_mode": false}'
    result = run(show, TTNN_CONFIG_PATH=str(tmp_path / "config.json"), TTNN_CONFIG_OVERRIDES=overrides)
    assert result.stdout == "False 0.5\n" and "unknown" in result.stderr
    result = run(show, TTNN_CONFIG_OVERRIDES='{"unknown": 1}')
    assert result.returncode != 0 and "ValueError: ttnn.CONFIG has no setting 'unknown'" in result.stderr


HOOKED = """
import torch
from tracelift import ttnn
seen = []
def before(operation, args, kwargs):
    seen.append(("before", operation.__name__, len(args), sorted(kwargs)))
def after(operation, args, kwargs, output):
    seen.append(("after", operation.__name__, tuple(output.shape)))
with ttnn.manage_device(device_id=0) as device:
    x = ttnn.from_torch(torch.ones(2, 32, 32), layout=ttnn.TILE_LAYOUT, device=device)
    with ttnn.register_pre_operation_hook(before), ttnn.register_post_operation_hook(after):
        ttnn.neg(ttnn.exp(x, memory_config=None, queue_id=0))
        x[0]
    ttnn.exp(x)
    try:
        with ttnn.register_pre_operation_hook(lambda *arguments: 1):
            ttnn.exp(x)
    except RuntimeError as error:
        print(error)
print(seen)
"""


@pytest.mark.parametrize("fast", ["true", "false"])
def test_hooks_see_outermost_operations_in_either_runtime_mode(fast):
    result = run(HOOKED, TTNN_CONFIG_OVERRIDES=f'{{"enable_fast_runtime_mode": {fast}}}')
    assert result.returncode == 0, result.stderr
    message, seen = result.stdout.splitlines()
    assert "must return None" in message
    assert eval(seen) == [
        ("before", "ttnn.exp", 1, ["memory_config"]),
        ("after", "ttnn.exp", (2, 32, 32)),
        ("before", "ttnn.neg", 1, []),
        ("after", "ttnn.neg", (2, 32, 32)),
        ("before", "ttnn.Tensor.__getitem__", 2, []),
        ("after", "ttnn.Tensor.__getitem__", (32, 32)),
    ]


def test_another_config_object_becomes_the_settings_of_the_process(device, tmp_path):
    before = ttnn.CONFIG
    other = ttnn.Config(before)
    other.root_report_path = tmp_path
    ttnn.CONFIG = other
    try:
        ttnn.dump_device_memory_state(device, "other_")
        assert (tmp_path / "other_memory_usage_summary.csv").exists()
        other.enable_comparison_mode = True
        assert _ttnn.get_interceptor() is not None
    finally:
        ttnn.CONFIG = before
    assert _ttnn.get_interceptor() is None
    with pytest.raises(TypeError, match="must be a ttnn.Config, not dict"):
        ttnn.CONFIG = {}
    assert ttnn.CONFIG is before


def test_hooks_registered_during_a_trace_capture_are_called():
    seen = []
    with ttnn.manage_device(device_id=0, trace_region_size=1 << 20) as device:
        x = ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
        ttnn.neg(ttnn.exp(x))
        trace = ttnn.begin_trace_capture(device)
        with ttnn.register_pre_operation_hook(lambda operation, args, kwargs: seen.append(operation.__name__)):
            ttnn.exp(x)
        ttnn.neg(x)
        ttnn.end_trace_capture(device, trace)
        ttnn.release_trace(device, trace)
    assert seen == ["ttnn.exp"] and _ttnn.get_interceptor() is None
