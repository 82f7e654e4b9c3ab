"""Which module of ttnn shows which names: one table. The objects themselves exist once.

`name` is ttnn.name; `name=path` is the object at a path below the package, in a module of ours or of the operations.
A name is looked up when it is asked for, so that importing ttnn costs nothing for modules that nobody uses.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

from ._module import PublicModule

_ROOT = __name__.rpartition(".")[0]  # tracelift.ttnn

_DTYPES = "DataType uint8 uint16 int32 uint32 float32 bfloat16 bfloat8_b bfloat4_b"
_MEMORY_CONFIGS = """
    DRAM_MEMORY_CONFIG L1_MEMORY_CONFIG L1_BLOCK_SHARDED_MEMORY_CONFIG L1_HEIGHT_SHARDED_MEMORY_CONFIG
    L1_WIDTH_SHARDED_MEMORY_CONFIG
"""
_DESCRIPTORS = """
    CBDescriptor CBFormatDescriptor ComputeConfigDescriptor DataMovementConfigDescriptor KernelDescriptor
    MeshProgramDescriptor ProgramDescriptor ReaderConfigDescriptor RuntimeArgs RuntimeArgsColProxy SemaphoreDescriptor
    TileDescriptor WriterConfigDescriptor cb_descriptor_from_sharded_tensor get_cb_address merge_program_descriptors
"""
_MOREH = """
    abs=moreh_abs_pow adam=moreh_adam adamw=moreh_adamw arange=moreh_arange bmm=moreh_bmm
    bmm_backward=moreh_bmm_backward clip_grad_norm=moreh_clip_grad_norm cumsum=moreh_cumsum
    cumsum_backward=moreh_cumsum_backward dot=moreh_dot dot_backward=moreh_dot_backward fold=moreh_fold
    getitem=moreh_getitem group_norm=moreh_group_norm group_norm_backward=moreh_group_norm_backward
    layer_norm=moreh_layer_norm layer_norm_backward=moreh_layer_norm_backward linear=moreh_linear
    linear_backward=moreh_linear_backward logsoftmax=moreh_logsoftmax logsoftmax_backward=moreh_logsoftmax_backward
    matmul=moreh_matmul matmul_backward=moreh_matmul_backward mean=moreh_mean mean_backward=moreh_mean_backward
    nll_loss=moreh_nll_loss nll_loss_backward=moreh_nll_loss_backward
    nll_loss_unreduced_backward=moreh_nll_loss_unreduced_backward norm=moreh_norm norm_backward=moreh_norm_backward
    sgd=moreh_sgd softmax=moreh_softmax softmax_backward=moreh_softmax_backward softmin=moreh_softmin
    softmin_backward=moreh_softmin_backward sum=moreh_sum sum_backward=moreh_sum_backward
"""

EXPORTS: dict[str, str] = {
    "types": f"""
        {_DTYPES} BufferType TensorMemoryLayout ShardShapeAlignment ShardDistributionStrategy MemoryConfig MathFidelity
        {_MEMORY_CONFIGS}
        Layout ROW_MAJOR_LAYOUT TILE_LAYOUT StorageType DEVICE_STORAGE_TYPE TILE_SIZE Tile Shape TensorSpec Tensor
        CoreGrid CoreType ThrottleLevel DeviceComputeKernelConfig WormholeComputeKernelConfig
        BlackholeComputeKernelConfig ShardStrategy MeshShape MeshCoordinate MeshCoordinateRange MeshCoordinateRangeSet
        ShardOrientation ShardSpec NdShardSpec CoreRangeSet CoreRange CoreCoord corerange_to_cores QueueId
        UnaryWithParam UnaryOpType BinaryOpType BcastOpMath BcastOpDim DataMovementProcessor NOC NOC_MODE
        {_DESCRIPTORS} TensorAccessorArgs
    """,
    "core": """
        divup=_rounding.divup roundup=_rounding.roundup has_storage_type_of is_tensor_storage_on_device is_sharded
        has_tile_padding get_memory_config num_cores_to_corerangeset num_cores_to_corerangeset_in_subcoregrids
        split_work_to_cores create_sharded_memory_config create_sharded_memory_config_ set_printoptions
        dump_stack_trace_on_segfault get_current_command_queue_id_for_thread light_metal_begin_capture
        light_metal_end_capture LightMetalReplay
    """,
    "device": """
        Device Arch=_device_facts.Arch DispatchCoreType DispatchCoreAxis DispatchCoreConfig
        DEFAULT_L1_SMALL_SIZE=_device_facts.DEFAULT_L1_SMALL_SIZE
        DEFAULT_TRACE_REGION_SIZE=_device_facts.DEFAULT_TRACE_REGION_SIZE open_device close_device manage_device
        CreateDevice CreateDevices CloseDevice CloseDevices synchronize_device
        SetRootDir=_device_switches.SetRootDir GetDefaultDevice SetDefaultDevice GetPCIeDeviceID GetNumPCIeDevices
        GetNumAvailableDevices is_wormhole_b0=_device_facts.is_wormhole_b0 is_blackhole=_device_facts.is_blackhole
        get_device_core_grid=_device_facts.get_device_core_grid
        get_default_dispatch_core_type=_device_facts.get_default_dispatch_core_type
        get_default_dispatch_core_axis=_device_facts.get_default_dispatch_core_axis ReadDeviceProfiler
        dump_device_memory_state get_memory_view pad_to_tile_shape SubDevice SubDeviceId SubDeviceManagerId
        init_device_compute_kernel_config get_max_worker_l1_unreserved_size
        get_optimal_dram_bank_to_logical_worker_assignment=_dram_neighbours.get_optimal_dram_bank_to_logical_worker_assignment
        enable_asynchronous_slow_dispatch disable_asynchronous_slow_dispatch
        ClearKernelCache=_device_switches.ClearKernelCache EnableMemoryReports=_device_switches.EnableMemoryReports
        DisableMemoryReports=_device_switches.DisableMemoryReports DeallocateBuffers=_device_switches.DeallocateBuffers
        initialize_fast_dispatch=_device_switches.initialize_fast_dispatch
        terminate_fast_dispatch=_device_switches.terminate_fast_dispatch
        setup_fast_dispatch=_device_switches.setup_fast_dispatch
    """,
    "distributed": """
        MeshDevice DispatchCoreType MeshToTensor TensorToMesh ReplicateTensorToMesh ReplicateTensorToMeshWrapper
        ShardTensorToMesh ShardTensor2dMesh ConcatMeshToTensor ConcatMesh2dToTensor open_mesh_device close_mesh_device
        create_mesh_device get_num_devices get_num_pcie_devices get_pcie_device_ids get_device_ids
        visualize_mesh_device visualize_tensor visualize_system_mesh distribute
    """,
    "cluster": """
        ClusterType=_cluster.ClusterType get_cluster_type=_cluster.get_cluster_type
        serialize_cluster_descriptor=_cluster.serialize_cluster_descriptor
    """,
    "profiler": """
        start_tracy_zone stop_tracy_zone tracy_message tracy_frame get_latest_programs_perf_data
        get_all_programs_perf_data
    """,
    "reflection": "pop_argument=_reflection.pop_argument",
    "experimental_loader": "golden_functions=experimental_loader.golden_functions",
    "experimental_loader.golden_functions": "",
    "operations": "",
    "operations.activations": """
        get_golden_function_for_activation=_activations.get_golden_function_for_activation
    """,
    "operations.binary": """
        apply_activations=_activations.apply_activations
        torch_squared_difference=_activations.torch_squared_difference
    """,
    "operations.binary_backward": "",
    "operations.binary_complex": "",
    "operations.ccl": "Topology DispatchAlgorithm WorkerMode",
    "operations.comparison": "pearson_correlation_coefficient",
    "operations.complex_binary_backward": "",
    "operations.complex_unary_backward": "",
    "operations.conv2d": """
        Conv2dConfig SlidingWindowParallelConfig Conv2dSliceConfig Op2DSliceConfig Conv2dDRAMSliceHeight
        Op2DDRAMSliceHeight Conv2dDRAMSliceWidth Op2DDRAMSliceWidth Conv2dL1Full Op2DL1Full Conv2dL1FullSliceConfig
        Op2DL1FullSliceConfig get_conv_output_dim prepare_conv_weights prepare_conv_bias
        prepare_conv_transpose2d_weights prepare_conv_transpose2d_bias
    """,
    "operations.core": "__getitem__=_getitem from_torch to_torch load_tensor dump_tensor as_tensor",
    "operations.creation": "",
    "operations.data_movement": "",
    "operations.embedding": "EmbeddingsType",
    "operations.losses": "LossReductionMode",
    "operations.matmul": """
        MatmulProgramConfig MatmulMultiCoreReuseProgramConfig MatmulMultiCoreReuseMultiCastProgramConfig
        MatmulMultiCoreReuseMultiCast1DProgramConfig MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig
        MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig
    """,
    "operations.moreh": f"""
        {_MOREH} SoftmaxOpParallelizationStrategy=_enums.SoftmaxOpParallelizationStrategy
        SoftmaxBackwardOpParallelizationStrategy=_enums.SoftmaxBackwardOpParallelizationStrategy
        SoftmaxBackwardOp=_enums.SoftmaxBackwardOp SoftmaxOp=_enums.SoftmaxOpParallelizationStrategy
    """,
    "operations.normalization": """
        SoftmaxProgramConfig SoftmaxDefaultProgramConfig SoftmaxShardedMultiCoreProgramConfig LayerNormProgramConfig
        LayerNormDefaultProgramConfig LayerNormShardedMultiCoreProgramConfig LayerNormType DistributedLayerNormStage
        LayerNormParams LayerNormInputs LayerNormDeviceOperation LayerNormMultiCoreProgramFactory
        LayerNormShardedProgramFactory layernorm_default_compute_config rmsnorm_default_compute_config
        create_layernorm_program_config find_closest_largest_divisor=_norm_helpers.find_closest_largest_divisor
        find_max_tile_span=_norm_helpers.find_max_tile_span get_group_norm_cores_across_channel
        create_group_norm_reciprocals_impl=_norm_helpers.create_group_norm_reciprocals_impl
        create_group_norm_input_mask create_group_norm_input_negative_mask create_group_norm_reciprocals
        create_group_norm_weight_bias_rm create_layer_norm_reciprocals
        determine_expected_group_norm_sharded_config_and_grid_size dram_group_norm_params_from_torch
        dram_group_norm_virtual_columns
    """,
    "operations.pool": """
        golden_maxpool2d=_pool_goldens.golden_maxpool2d golden_global_avg_pool2d=_pool_goldens.golden_global_avg_pool2d
        golden_rotate=_pool_goldens.golden_rotate prepare_grid_sample_grid
    """,
    "operations.reduction": "ReduceType",
    "operations.ternary": "",
    "operations.ternary_backward": "",
    "operations.transformer": "SDPAProgramConfig",
    "operations.unary": """
        SigmoidMode TTNN_ELTWISE_UNARY_CPP_FUNCTIONS=_unary_facts.TTNN_ELTWISE_UNARY_CPP_FUNCTIONS
        torch_reglu=_activations.torch_reglu torch_swiglu=_activations.torch_swiglu
        torch_geglu=_activations.torch_geglu
    """,
    "operations.unary_backward": "",
    "operations.unary_complex": "",
}

# Paths below ttnn._ttnn that have names of their own; all others there show the names of the whole module.
COMPILED: dict[str, str] = {
    "_ttnn": """
        get_python_operation_id=_counters.get_python_operation_id set_python_operation_id=_counters.set_python_operation_id
        fetch_and_increment_python_operation_id=_counters.fetch_and_increment_python_operation_id
        get_device_operation_id=_counters.get_device_operation_id set_device_operation_id=_counters.set_device_operation_id
        fetch_and_increment_device_operation_id=_counters.fetch_and_increment_device_operation_id
        get_tensor_id=_counters.get_tensor_id set_tensor_id=_counters.set_tensor_id
        fetch_and_increment_tensor_id=_counters.fetch_and_increment_tensor_id
    """,
    "_ttnn.cluster": """
        ClusterType=_cluster.ClusterType get_cluster_type=_cluster.get_cluster_type
        serialize_cluster_descriptor=_cluster.serialize_cluster_descriptor
    """,
    "_ttnn.tensor": """
        dump_tensor_flatbuffer=_interop.dump_tensor_flatbuffer load_tensor_flatbuffer=_interop.load_tensor_flatbuffer
    """,
    "_ttnn.reports": """
        BufferInfo=_reports.BufferInfo BufferPageInfo=_reports.BufferPageInfo DeviceInfo=_reports.DeviceInfo
        get_buffers=_reports.get_buffers get_buffer_pages=_reports.get_buffer_pages
        get_device_info=_reports.get_device_info
    """,
    "_ttnn.multi_device.experimental": """
        generate_blitz_decode_pipeline=_not_emulated.generate_blitz_decode_pipeline
    """,
    "_ttnn.global_circular_buffer": "global_circular_buffer=_global_buffers.global_circular_buffer",
    "_ttnn.program_descriptor": """
        CBIndex=_program_enums.CBIndex UnpackToDestMode=_program_enums.UnpackToDestMode
        VectorUInt32=_program_enums.VectorUInt32 VectorUnpackToDestMode=_program_enums.VectorUnpackToDestMode
    """,
    "_ttnn.operations.experimental.ccl_experimental": "GlobalSemaphoreArg=_global_buffers.GlobalSemaphoreArg",
    "_ttnn.operations.point_to_point": """
        p2p_compute_intermediate_tensor_spec=_point_to_point.p2p_compute_intermediate_tensor_spec
    """,
}


def targets(text: str) -> dict[str, str]:
    """The path of every name of an entry."""
    pairs = (entry.partition("=") for entry in text.split())
    return {name: path or name for name, _, path in pairs}


def resolve(path: str) -> Any:
    """The object at a path below the package."""
    value: Any = sys.modules[_ROOT]
    module = _ROOT
    for part in path.split("."):
        module += f".{part}"
        if part.startswith("_") and module == f"{_ROOT}.{part}" and not hasattr(value, part):
            value = importlib.import_module(module)
        else:
            value = getattr(value, part)
    return value


class ExportingModule(PublicModule):
    """A module of the table."""

    def __init__(self, path: str, names: dict[str, str]) -> None:
        super().__init__(f"{_ROOT}.{path}", f"ttnn.{path}: names of ttnn by their path in the original.")
        self.__dict__["_targets"] = names
        self.__dict__["__all__"] = [name for name in names if not name.startswith("_")]
        self.__path__: list[str] = []  # a package, so that modules below it are found

    def __getattr__(self, name: str) -> Any:
        target = self.__dict__["_targets"].get(name)
        if target is None:
            return super().__getattr__(name)
        try:
            value = resolve(target)
        except AttributeError:
            return super().__getattr__(name)
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__dict__["_targets"]})

    def _known_names(self) -> list[str]:
        return sorted({*super()._known_names(), *self.__all__})


def place(module: types.ModuleType) -> None:
    """Makes a module reachable by its path, from Python code and by imports."""
    above, _, last = module.__name__.rpartition(".")
    sys.modules[module.__name__] = module
    setattr(sys.modules[above], last, module)


def install_modules() -> None:
    for path, text in EXPORTS.items():
        place(ExportingModule(path, targets(text)))
    distributed = sys.modules[f"{_ROOT}.distributed"]
    # The original is a package with one module in it: both paths are imported.
    sys.modules[f"{_ROOT}.distributed.distributed"] = distributed
    setattr(distributed, "distributed", distributed)
