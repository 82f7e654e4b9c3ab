"""The pytest plugin, seen from projects that use it: each test is a pytest session of its own in an empty folder."""

import importlib.metadata
import subprocess
import sys

import pytest
import torch  # noqa: F401  pytester forgets what a session imported, and torch cannot be imported twice

from tracelift import ttnn  # noqa: F401  likewise

pytest_plugins = ["pytester"]  # here and not in conftest.py, which may only say so when it is the topmost one

PLUGIN = "tracelift.pytest_plugin"


@pytest.fixture
def session(pytester, monkeypatch):
    """Runs pytest with our plugin in a project of the given files.

    `-p` fails for a plugin that its entry point registered under another name. Without autoload no entry point is
    looked at, so the sessions are the same whether the package declares one or not.
    """
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        monkeypatch.delenv(name, raising=False)

    def run(*options, **files):
        pytester.makepyfile(**files)
        return pytester.runpytest("-p", PLUGIN, *options)

    return run


def test_device_is_open_for_one_test(session):
    project = """
        import pytest, ttnn

        seen = []

        def test_open(device):
            seen.append(device)
            assert ttnn.add(ttnn.ones([32, 32], device=device, layout=ttnn.TILE_LAYOUT), 1.0).device() is device

        def test_closed_afterwards():
            with pytest.raises(RuntimeError):
                ttnn.ones([32, 32], device=seen[0], layout=ttnn.TILE_LAYOUT)

        def test_next(device):
            assert device is not seen[0]
    """
    session(test_project=project).assert_outcomes(passed=3)


def test_device_is_closed_after_a_failure(session):
    project = """
        import pytest, ttnn

        seen = []

        def test_fails(device):
            seen.append(device)
            assert False

        def test_closed_afterwards():
            with pytest.raises(RuntimeError):
                ttnn.ones([32, 32], device=seen[0], layout=ttnn.TILE_LAYOUT)
    """
    session(test_project=project).assert_outcomes(passed=1, failed=1)


def test_device_params_reach_the_device(session):
    project = """
        import pytest, ttnn

        @pytest.mark.parametrize("device_params", [{"l1_small_size": 24576}], indirect=True)
        def test_small(device, device_params):
            assert device_params == {"l1_small_size": 24576}
            assert ttnn.get_memory_view(device, ttnn.BufferType.L1_SMALL).total_bytes_per_bank == 24576

        @pytest.mark.parametrize("device_params", [{"trace_region_size": 65536}], indirect=True)
        def test_mesh(mesh_device):
            assert mesh_device.trace_region_size == 65536

        def test_default(device_params):
            assert device_params == {}
    """
    session(test_project=project).assert_outcomes(passed=3)


def test_unknown_device_params_are_dropped(session):
    project = """
        import pytest, ttnn

        params = {"fabric_config": ttnn.FabricConfig.FABRIC_1D, "dispatch_core_axis": 0, "device_id": 7}

        @pytest.mark.parametrize("device_params", [params], indirect=True)
        def test_opens(device):
            assert device.id() == 0
    """
    session(test_project=project).assert_outcomes(passed=1)


def test_meshes_are_opened_as_the_parameter_says(session, monkeypatch):
    project = """
        import pytest, ttnn

        @pytest.mark.parametrize("mesh_device", [1, (1, 1), ttnn.MeshShape(2, 4), 2, (4, 8)], indirect=True)
        def test_mesh(mesh_device, request):
            asked = request.node.callspec.params["mesh_device"]
            assert list(mesh_device.shape) == ([1, asked] if isinstance(asked, int) else list(asked))
            assert ttnn.GetDefaultDevice() is mesh_device

        params = {"fabric_config": ttnn.FabricConfig.FABRIC_1D}

        @pytest.mark.parametrize("device_params", [params], indirect=True)
        def test_whole_system(mesh_device):
            assert list(mesh_device.shape) == [1, 2]
            assert ttnn.get_fabric_config() == ttnn.FabricConfig.FABRIC_1D

        def test_the_fabric_is_given_back():
            assert ttnn.get_fabric_config() == ttnn.FabricConfig.DISABLED
    """
    monkeypatch.setenv("TRACELIFT_BOARD", "n300")
    session(test_project=project).assert_outcomes(passed=7)


def test_reset_seeds_repeats_random_numbers(session):
    project = """
        import random, numpy, pytest, torch

        drawn = []

        @pytest.mark.parametrize("time", range(2))
        def test_draw(reset_seeds, time):
            drawn.append((random.random(), numpy.random.rand(), torch.rand(1).item()))
            assert len(set(drawn)) == 1
    """
    session(test_project=project).assert_outcomes(passed=2)


OWN_DEVICE = """
    import pytest

    @pytest.fixture(scope="session")
    def device():
        return "own"
"""
USES_DEVICE = """
    def test_own(device):
        assert device == "own"
"""


def test_device_of_a_conftest_wins(session):
    session(conftest=OWN_DEVICE, test_project=USES_DEVICE).assert_outcomes(passed=1)


def test_device_of_a_test_module_wins(session):
    session(test_project=OWN_DEVICE + USES_DEVICE).assert_outcomes(passed=1)


def test_device_of_a_conftest_may_extend_ours(session):
    conftest = """
        import pytest

        @pytest.fixture
        def device(device):
            device.extended = True
            return device

        @pytest.fixture
        def device_params():
            return {"l1_small_size": 4096}
    """
    project = """
        import ttnn

        def test_extended(device):
            assert device.extended
            assert ttnn.get_memory_view(device, ttnn.BufferType.L1_SMALL).total_bytes_per_bank == 4096
    """
    session(conftest=conftest, test_project=project).assert_outcomes(passed=1)


def test_another_installed_ttnn_is_used(session, monkeypatch):
    monkeypatch.delitem(sys.modules, "ttnn", raising=False)
    other = """
        closed = []

        def open_device(device_id, l1_small_size=0):
            return (device_id, l1_small_size)

        def close_device(device):
            closed.append(device)
    """
    project = """
        import pytest, ttnn

        @pytest.mark.parametrize("device_params", [{"l1_small_size": 64, "trace_region_size": 8}], indirect=True)
        def test_other(device):
            assert device == (0, 64)

        def test_closed():
            assert ttnn.closed == [(0, 64)]
    """
    session(ttnn=other, test_project=project).assert_outcomes(passed=2)


def test_devices_in_several_xdist_workers(session):
    project = """
        import os, pytest, ttnn

        @pytest.mark.parametrize("index", range(4))
        def test_device(device, index):
            assert os.environ["PYTEST_XDIST_WORKER"] in ("gw0", "gw1")
            ones = ttnn.ones([32, 32], device=device, layout=ttnn.TILE_LAYOUT)
            assert ttnn.to_torch(ttnn.add(ones, index)).eq(index + 1).all()
    """
    session("-p", "xdist", "-n", "2", test_project=project).assert_outcomes(passed=4)


def test_unused_it_imports_nothing_heavy():
    program = f"import pytest, sys, {PLUGIN}; print({{'ttnn', 'tracelift.ttnn', 'numpy', 'torch'}} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "set()\n"


def test_installed_entry_point_needs_no_option(pytester):
    if not any(point.value == PLUGIN for point in importlib.metadata.entry_points(group="pytest11")):
        pytest.skip("the installed package declares no entry point for the plugin")
    pytester.makepyfile("def test_device(device): pass")
    # pytest would rewrite our package, which interpreter start has imported before: nobody should hear of that.
    quiet = ("-W", "error::pytest.PytestAssertRewriteWarning")
    pytester.runpytest_subprocess(*quiet).assert_outcomes(passed=1)
