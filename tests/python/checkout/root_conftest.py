"""The conftest.py at the root of somebody's checkout: options, and fixtures that ask ttnn for what they need."""

import argparse
import datetime
import random

import pytest
import torch
from models.common.utility_functions import BAD_ARCHES, default_memory, is_blackhole
from tests.scripts.common import get_updated_device_params

import ttnn


def pytest_addoption(parser):
    parser.addoption("--tt-arch", choices=["grayskull", "wormhole_b0", "blackhole"], default=ttnn.get_arch_name())
    parser.addoption("--pipeline-type", default="")
    parser.addoption("--device-id", type=int, default=0)
    parser.addoption("--input-method", default="json")
    parser.addoption("--input-path", default="")
    parser.addoption("--cli-input", default=None)
    parser.addoption("--didt-workload-iterations", default=None)
    parser.addoption("--determinism-check-interval", default=None)
    parser.addoption("--grid-size", default=None)
    parser.addoption("--trace-params", action="store_true", default=False)


def pytest_generate_tests(metafunc):
    """Tests are made for the architecture of the machine."""
    arch = metafunc.config.getoption("--tt-arch")
    if arch not in BAD_ARCHES and "silicon_arch_name" in metafunc.fixturenames:
        metafunc.parametrize("silicon_arch_name", [arch], scope="session", indirect=True)


@pytest.fixture(scope="session")
def silicon_arch_name(request):
    return request.param


@pytest.fixture(scope="function")
def reset_seeds():
    torch.manual_seed(213919)
    random.seed(213919)


@pytest.fixture(scope="function")
def function_level_defaults(reset_seeds):
    pass


@pytest.fixture(scope="function")
def device_params(request):
    return getattr(request, "param", {})


@pytest.fixture(scope="function")
def device(request, silicon_arch_name, device_params):
    cluster = ttnn.cluster.get_cluster_type()
    if cluster == ttnn.cluster.ClusterType.TG:
        device_id = 4
    else:
        device_id = request.config.getoption("device_id")
    assert ttnn.GetNumAvailableDevices() > 0 and ttnn.GetPCIeDeviceID(device_id) == device_id
    before = ttnn.GetDefaultDevice()
    opened = ttnn.CreateDevice(device_id=device_id, **get_updated_device_params(device_params))
    ttnn.SetDefaultDevice(opened)
    yield opened
    ttnn.close_device(opened)
    ttnn.SetDefaultDevice(before)


@pytest.fixture(autouse=True)
def reset_default_device():
    before = ttnn.GetDefaultDevice()
    yield
    ttnn.SetDefaultDevice(before)


def _set_fabric(config):
    if config is None:
        return
    ttnn.set_fabric_config(
        config,
        ttnn.FabricReliabilityMode.STRICT_INIT,
        None,
        ttnn.FabricTensixConfig.DISABLED,
        ttnn.FabricUDMMode.DISABLED,
        ttnn.FabricManagerMode.DEFAULT,
    )


@pytest.fixture(scope="function")
def mesh_device(request, silicon_arch_name, device_params):
    assert request.node.callspec is not None
    if ttnn.using_distributed_env():
        pytest.skip("one host only")
    try:
        param = request.param
    except AttributeError:
        param = ttnn._ttnn.multi_device.SystemMeshDescriptor().shape().mesh_size()
    shape = ttnn.MeshShape(*param) if isinstance(param, tuple) else ttnn.MeshShape(1, param)
    wanted = shape.mesh_size()
    if wanted > len(ttnn.get_device_ids()):
        pytest.skip(f"{wanted} devices are needed")
    params = get_updated_device_params(device_params)
    fabric = params.pop("fabric_config", None)
    _set_fabric(fabric)
    mesh = ttnn.open_mesh_device(mesh_shape=shape, **params)
    yield mesh
    for submesh in mesh.get_submeshes():
        ttnn.close_mesh_device(submesh)
    ttnn.close_mesh_device(mesh)
    if fabric is not None:
        ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)


@pytest.fixture(autouse=True)
def check_requires_grid_size(request):
    marker = request.node.get_closest_marker("requires_grid_size")
    if marker is None:
        return
    size = request.getfixturevalue("device").compute_with_storage_grid_size()
    if (size.x, size.y) < marker.args[0]:
        pytest.skip(f"a grid of {marker.args[0]} is needed")


@pytest.fixture(scope="function")
def tracy_profile():
    from tracy import Profiler

    profiler = Profiler()
    profiler.enable()
    yield
    profiler.disable()


@pytest.fixture(autouse=True)
def record_test_timestamp(record_property):
    record_property("start", datetime.datetime.now().isoformat())
    yield
    record_property("end", datetime.datetime.now().isoformat())


def pytest_configure(config):
    config.addinivalue_line("markers", "requires_grid_size(size): needs a device with this many cores")
    assert isinstance(config.known_args_namespace, argparse.Namespace)
    assert default_memory is not None and callable(is_blackhole)
