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
    FabricNodeId,
    HostBuffer,
    Layout,
    MemoryConfig,
    MemoryView,
    MeshCoordinate,
    MeshDevice,
    MeshDeviceView,
    MeshId,
    MeshShape,
    MeshToTensor,
    NdShardSpec,
    Operation,
    PlacementReplicate,
    PlacementShard,
    ReduceType,
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
    TensorToMesh,
    TensorTopology,
    Tile,
    Topology,
    UnaryWithParam,
    combine_device_tensors,
    compute_distribution_to_mesh_mapping,
    corerange_to_cores,
    create_global_semaphore,
    get_device_tensors,
    get_global_semaphore_address,
    get_memory_view,
    num_cores_to_corerangeset,
    reset_global_semaphore_value,
    set_printoptions,
    split_work_to_cores,
)

from . import _composed, _dram_neighbours, _exports, _golden, _hooks, _module, _namespace, _other_forms, _registry
from . import database, graph, operation_tracer
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
from ._config_families import LayerNormProgramConfig, MatmulProgramConfig, SoftmaxProgramConfig
from ._convolution import (
    Conv1dConfig,
    Conv2dDRAMSliceHeight,
    Conv2dDRAMSliceWidth,
    Conv2dL1Full,
    Conv2dL1FullSliceConfig,
    Conv2dSliceConfig,
    Op2DDRAMSliceHeight,
    Op2DDRAMSliceWidth,
    Op2DL1Full,
    Op2DL1FullSliceConfig,
    SlidingWindowParallelConfig,
    get_conv_output_dim,
)
from ._device_facts import get_max_worker_l1_unreserved_size
from ._device_switches import disable_asynchronous_slow_dispatch, enable_asynchronous_slow_dispatch
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
    SetDefaultDevice,
    SystemMeshDescriptor,
    apply_device_delay,
    close_device,
    close_mesh_device,
    create_mesh_device,
    dump_device_memory_state,
    get_arch_name,
    get_device_ids,
    get_num_devices,
    get_num_pcie_devices,
    get_pcie_device_ids,
    init_device_compute_kernel_config,
    manage_device,
    open_device,
    open_mesh_device,
    synchronize_device,
)
from ._distributed_context import (
    Rank,
    Size,
    distributed_context_barrier,
    distributed_context_get_rank,
    distributed_context_get_size,
    distributed_context_is_initialized,
    init_distributed_context,
    using_distributed_env,
)
from ._distribution import aggregate_tensor, distribute, distribute_tensor, from_host_shards
from ._enums import (
    DEVICE_STORAGE_TYPE,
    ROW_MAJOR_LAYOUT,
    TILE_LAYOUT,
    DispatchAlgorithm,
    FabricConfig,
    FabricManagerMode,
    FabricReliabilityMode,
    FabricTensixConfig,
    FabricUDMMode,
    H2DMode,
    LossReductionMode,
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
from ._fabric import (
    FabricRouterConfig,
    get_fabric_config,
    get_tt_fabric_max_payload_size_bytes,
    get_tt_fabric_packet_header_size_bytes,
    set_fabric_config,
)
from ._global_buffers import create_global_circular_buffer
from ._golden import get_fallback_function
from ._hooks import register_post_operation_hook, register_pre_operation_hook
from ._host_sockets import D2HSocket, H2DSocket
from ._indexing import getitem as _getitem
from ._interop import (
    as_tensor,
    dump_tensor,
    from_buffer,
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
    MeshMapperConfig,
    ReplicateTensorToMesh,
    ReplicateTensorToMeshWrapper,
    ShardTensor2dMesh,
    ShardTensorToMesh,
    concat_mesh_to_tensor_composer,
    create_mesh_composer,
    create_mesh_mapper,
    replicate_tensor_to_mesh_mapper,
    shard_tensor_to_mesh_mapper,
)
from ._mesh_ranges import MeshCoordinateRange, MeshCoordinateRangeSet
from ._layer_norm_device import (
    LayerNormDeviceOperation,
    LayerNormInputs,
    LayerNormMultiCoreProgramFactory,
    LayerNormParams,
    LayerNormShardedProgramFactory,
)
from ._norm_helpers import (
    DistributedLayerNormStage,
    LayerNormType,
    create_group_norm_input_mask,
    create_group_norm_input_negative_mask,
    create_group_norm_reciprocals,
    create_group_norm_weight_bias_rm,
    create_layer_norm_reciprocals,
    create_layernorm_program_config,
    determine_expected_group_norm_sharded_config_and_grid_size,
    dram_group_norm_params_from_torch,
    dram_group_norm_virtual_columns,
    get_group_norm_cores_across_channel,
    layernorm_default_compute_config,
    rmsnorm_default_compute_config,
)
from ._not_emulated import (
    LightMetalBinary,
    LightMetalReplay,
    generic_op,
    light_metal_begin_capture,
    light_metal_end_capture,
    setup_fabric_connection,
    setup_routing_plane_connection,
)
from ._profiler import (
    ProgramAnalysisData,
    ReadDeviceProfiler,
    get_all_programs_perf_data,
    get_latest_programs_perf_data,
    start_tracy_zone,
    stop_tracy_zone,
    tracy_frame,
    tracy_message,
)
from ._program_descriptors import (
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    KernelDescriptor,
    MeshProgramDescriptor,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    RuntimeArgs,
    RuntimeArgsColProxy,
    SemaphoreDescriptor,
    TensorAccessorArgs,
    TileDescriptor,
    WriterConfigDescriptor,
    cb_descriptor_from_sharded_tensor,
    get_cb_address,
    merge_program_descriptors,
)
from ._program_enums import NOC, NOC_MODE, CoreType, DataMovementProcessor
from ._queues import (
    QueueId,
    command_queue,
    dump_stack_trace_on_segfault,
    get_current_command_queue_id_for_thread,
    pop_current_command_queue_id_for_thread,
    push_current_command_queue_id_for_thread,
)
from ._registry import (
    attach_golden_function,
    dump_operations,
    get_golden_function,
    query_registered_operations,
    register_python_operation,
)
from ._sockets import (
    MeshCoreCoord,
    MeshSocket,
    SocketConfig,
    SocketConnection,
    SocketEndpoint,
    SocketMemoryConfig,
    create_socket_pair,
)
from ._sub_devices import SubDevice, SubDeviceId, SubDeviceManagerId
from ._traces import (
    MeshEvent,
    MeshTraceId,
    begin_trace_capture,
    end_trace_capture,
    event_synchronize,
    execute_trace,
    record_event,
    release_trace,
    wait_for_event,
)
from ._verdict import pearson_correlation_coefficient
from ._visualize import visualize_mesh_device, visualize_system_mesh, visualize_tensor

Device = MeshDevice
CppTensorToMesh = TensorToMesh
CppMeshToTensor = MeshToTensor

# Enums and configurations of operations follow the compiled module, so that a new one needs no line here.
_namespace.export_compiled(globals())
BlackholeComputeKernelConfig = _ttnn.WormholeComputeKernelConfig
DeviceComputeKernelConfig = _ttnn.WormholeComputeKernelConfig
_registry.install_cpp_operations()
_golden.attach_references()
_other_forms.install()
_dram_neighbours.add_methods()
_exports.install_modules()
_namespace.mirror_compiled_module()
_hooks.start()
_module.suggest_names(_sys.modules[__name__])
ttnn = _sys.modules[__name__]  # the original's module of this name is its package again
