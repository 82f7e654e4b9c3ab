"""The emulated ttnn module: operations, classes, enums and functions of TT-NN, computed on the CPU."""

import sys as _sys

from tracelift import _ttnn
from tracelift._ttnn import (
    TILE_SIZE,
    BufferType,
    CoreCoord,
    CoreGrid,
    CoreRange,
    CoreRangeSet,
    DataType,
    DispatchCoreAxis,
    DispatchCoreType,
    Layout,
    MemoryConfig,
    MemoryView,
    MeshCoordinate,
    MeshDevice,
    MeshShape,
    NdShardSpec,
    Operation,
    Shape,
    ShardDistributionStrategy,
    ShardOrientation,
    ShardShapeAlignment,
    ShardSpec,
    ShardStrategy,
    StorageType,
    Tensor,
    TensorMemoryLayout,
    TensorSpec,
    Tile,
    UnaryWithParam,
    corerange_to_cores,
    get_memory_view,
    num_cores_to_corerangeset,
    set_printoptions,
    split_work_to_cores,
)

from . import _golden, _hooks, _module, _namespace, _registry, database, graph, operation_tracer
from ._config import (
    CONFIG,
    CONFIG_OVERRIDES,
    CONFIG_PATH,
    Config,
    load_config_from_dictionary,
    load_config_from_json_file,
    manage_config,
    save_config_to_json_file,
)
from ._devices import (
    CloseDevice,
    CloseDevices,
    CreateDevice,
    CreateDevices,
    DispatchCoreConfig,
    GetDefaultDevice,
    GetNumAvailableDevices,
    GetNumPCIeDevices,
    GetPCIeDeviceID,
    ReadDeviceProfiler,
    SetDefaultDevice,
    close_device,
    close_mesh_device,
    create_mesh_device,
    dump_device_memory_state,
    get_arch_name,
    get_device_ids,
    get_num_devices,
    get_pcie_device_ids,
    init_device_compute_kernel_config,
    manage_device,
    open_device,
    open_mesh_device,
    set_fabric_config,
    start_tracy_zone,
    stop_tracy_zone,
    synchronize_device,
)
from ._enums import (
    DEVICE_STORAGE_TYPE,
    ROW_MAJOR_LAYOUT,
    TILE_LAYOUT,
    BcastOpDim,
    BcastOpMath,
    BinaryOpType,
    DispatchAlgorithm,
    FabricConfig,
    LossReductionMode,
    ReduceType,
    Topology,
    WorkerMode,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    float32,
    int32,
    uint8,
    uint16,
    uint32,
)
from ._golden import get_fallback_function
from ._hooks import register_post_operation_hook, register_pre_operation_hook
from ._indexing import getitem as _getitem
from ._interop import (
    as_tensor,
    dump_tensor,
    from_numpy,
    from_torch,
    load_tensor,
    to_numpy,
    to_torch,
)
from ._memory import (
    DRAM_MEMORY_CONFIG,
    L1_BLOCK_SHARDED_MEMORY_CONFIG,
    L1_HEIGHT_SHARDED_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    L1_WIDTH_SHARDED_MEMORY_CONFIG,
    create_sharded_memory_config,
    create_sharded_memory_config_,
    get_memory_config,
    has_storage_type_of,
    has_tile_padding,
    is_sharded,
    is_tensor_storage_on_device,
    num_cores_to_corerangeset_in_subcoregrids,
    pad_to_tile_shape,
)
from ._mesh import (
    ConcatMesh2dToTensor,
    ConcatMeshToTensor,
    MeshComposerConfig,
    MeshCoordinateRange,
    MeshCoordinateRangeSet,
    MeshMapperConfig,
    MeshToTensor,
    PlacementReplicate,
    PlacementShard,
    ReplicateTensorToMesh,
    ShardTensor2dMesh,
    ShardTensorToMesh,
    TensorToMesh,
    TensorTopology,
    aggregate_tensor,
    combine_device_tensors,
    concat_mesh_to_tensor_composer,
    create_mesh_composer,
    create_mesh_mapper,
    distribute_tensor,
    from_host_shards,
    get_device_tensors,
    replicate_tensor_to_mesh_mapper,
    shard_tensor_to_mesh_mapper,
)
from ._registry import (
    attach_golden_function,
    dump_operations,
    get_golden_function,
    query_registered_operations,
    register_python_operation,
)
from ._sub_devices import SubDevice, SubDeviceId, SubDeviceManagerId
from ._traces import (
    MeshEvent,
    MeshTraceId,
    begin_trace_capture,
    command_queue,
    end_trace_capture,
    event_synchronize,
    execute_trace,
    record_event,
    release_trace,
    wait_for_event,
)
from ._verdict import pearson_correlation_coefficient

Device = MeshDevice

# Enums and configurations of operations follow the compiled module, so that a new one needs no line here.
_namespace.export_compiled(globals())
BlackholeComputeKernelConfig = _ttnn.WormholeComputeKernelConfig
DeviceComputeKernelConfig = _ttnn.WormholeComputeKernelConfig
_registry.install_cpp_operations()
_golden.attach_references()

from . import cluster, device  # noqa: E402  (they use the names above)

_namespace.mirror_compiled_module()
_hooks.start()
_module.suggest_names(_sys.modules[__name__])
