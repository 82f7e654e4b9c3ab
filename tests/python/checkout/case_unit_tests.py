"""Tests of a checkout, as they are written there: module level questions, decorators, parametrised fixtures."""

import pytest
import torch
import ttnn.operations.activations
import ttnn.operations.binary
import ttnn.operations.conv2d
import ttnn.operations.matmul
import ttnn.operations.reduction
from models.common.utility_functions import torch2tt_tensor
from tracy import signpost
from ttnn.operations.activations import get_golden_function_for_activation

import ttnn

STRATEGIES = [
    ttnn.operations.moreh.SoftmaxOpParallelizationStrategy.SMALL_W,
    ttnn.operations.moreh.SoftmaxBackwardOpParallelizationStrategy.LARGE_C,
]
ALGORITHM = ttnn.DispatchAlgorithm.SPARSE_MCAST_SHORTEST_PATH
CORE = ttnn.MeshCoreCoord(ttnn.MeshCoordinate(0, 0), ttnn.CoreCoord(0, 0))
SPEC = ttnn.TensorSpec((1, 1, 64, 64), ttnn.bfloat16, ttnn.TILE_LAYOUT, ttnn.BufferType.L1).block_sharded(
    ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))})
)
DYNAMIC = ttnn.DataMovementConfigDescriptor(noc=ttnn.NOC.NOC_1, noc_mode=ttnn.NOC_MODE.DM_DYNAMIC_NOC)


def annotated(
    semaphores: ttnn._ttnn.operations.experimental.ccl_experimental.GlobalSemaphoreArg | None = None,
    one: ttnn._ttnn.global_semaphore.global_semaphore | None = None,
    device: ttnn._ttnn.multi_device.MeshDevice | None = None,
):
    return semaphores, one, device


@pytest.mark.skipif(ttnn.get_num_devices() < 1 or not ttnn.get_device_ids(), reason="needs a device")
@pytest.mark.parametrize(
    "device_params", [{"l1_small_size": 16384, "dispatch_core_axis": ttnn.DispatchCoreAxis.ROW}], indirect=True
)
@pytest.mark.parametrize("shape", [[32, 32], [3, 65]])
def test_add(device, shape, function_level_defaults):
    a, b = torch.rand(shape), torch.rand(shape)
    result = ttnn.to_torch(
        torch2tt_tensor(a, device, dtype=ttnn.float32) + torch2tt_tensor(b, device, dtype=ttnn.float32)
    )
    signpost(header="compared", message="once")
    assert torch.allclose(result, a + b) and annotated() == (None, None, None)


@pytest.mark.requires_grid_size((8, 8))
def test_grid(device):
    assert device.arch().name.lower() == ttnn.get_arch_name() and SPEC.memory_config.is_sharded()


@pytest.mark.parametrize("mesh_device", [2, (1, 2), (8, 8)], indirect=True)
@pytest.mark.parametrize(
    "device_params", [{"fabric_config": ttnn.FabricConfig.FABRIC_1D, "trace_region_size": 4096}], indirect=True
)
def test_mesh(mesh_device):
    assert mesh_device.get_num_devices() == 2
    mesh_device.reshape(ttnn.MeshShape(2, 1))
    assert mesh_device.create_submesh(ttnn.MeshShape(1, 1)).get_num_devices() == 1


def test_whole_mesh(mesh_device):
    assert mesh_device.get_num_devices() == ttnn.get_num_devices() == ttnn.distributed.get_num_devices()


@pytest.mark.requires_fast_runtime_mode_off
def test_slow(device):
    raise AssertionError("this is for slow mode")


def test_profile(tracy_profile):
    assert get_golden_function_for_activation("relu")(torch.tensor([-1.0])).item() == 0.0
