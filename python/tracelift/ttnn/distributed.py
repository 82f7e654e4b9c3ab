"""ttnn.distributed: meshes, mappers, composers and pictures, as ttnn itself has them."""

import sys as _sys

from tracelift._ttnn import DispatchCoreType, MeshDevice, MeshToTensor, TensorToMesh

from ._devices import (
    close_mesh_device,
    create_mesh_device,
    get_device_ids,
    get_num_devices,
    get_num_pcie_devices,
    get_pcie_device_ids,
    open_mesh_device,
)
from ._distribution import distribute
from ._mesh import (
    ConcatMesh2dToTensor,
    ConcatMeshToTensor,
    ReplicateTensorToMesh,
    ReplicateTensorToMeshWrapper,
    ShardTensor2dMesh,
    ShardTensorToMesh,
)
from ._visualize import visualize_mesh_device, visualize_system_mesh, visualize_tensor

__all__ = [
    "ConcatMesh2dToTensor",
    "ConcatMeshToTensor",
    "DispatchCoreType",
    "MeshDevice",
    "MeshToTensor",
    "ReplicateTensorToMesh",
    "ReplicateTensorToMeshWrapper",
    "ShardTensor2dMesh",
    "ShardTensorToMesh",
    "TensorToMesh",
    "close_mesh_device",
    "create_mesh_device",
    "distribute",
    "get_device_ids",
    "get_num_devices",
    "get_num_pcie_devices",
    "get_pcie_device_ids",
    "open_mesh_device",
    "visualize_mesh_device",
    "visualize_system_mesh",
    "visualize_tensor",
]

# The original is a package with one module in it: both paths are imported.
__path__: list[str] = []
_sys.modules[f"{__name__}.distributed"] = _sys.modules[__name__]
distributed = _sys.modules[__name__]
