"""Layer norm one level below its operation: what users who write programs of their own around it ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from tracelift import _ttnn
from tracelift._ttnn import CoreRange, CoreRangeSet, DataType, MemoryConfig, MeshDevice, Tensor, TensorSpec

from ._norm_helpers import DistributedLayerNormStage, LayerNormType
from ._not_emulated import refuse

_WHY = "it would consist of kernels, which are not emulated; ttnn.layer_norm computes the same"


@dataclass
class LayerNormParams:
    """The settings of a layer norm or RMS norm."""

    norm_type: LayerNormType = LayerNormType.LAYERNORM
    distributed_norm_stage: DistributedLayerNormStage = DistributedLayerNormStage.NOT_DISTRIBUTED
    eps: float = 0.0
    output_mem_config: MemoryConfig | None = None
    program_config: Any = None
    compute_kernel_config: Any = None
    dtype: DataType | None = None


@dataclass
class LayerNormInputs:
    """Its tensors."""

    input: Tensor | None = None
    residual_input_tensor: Tensor | None = None
    weight: Tensor | None = None
    bias: Tensor | None = None
    stats: Tensor | None = None
    recip_tensor: Tensor | None = None


class LayerNormMultiCoreProgramFactory:
    """Interleaved inputs: rows of tiles are dealt to all cores."""

    @staticmethod
    def default_core_range(device: MeshDevice) -> CoreRangeSet:
        grid = device.compute_with_storage_grid_size()
        return CoreRangeSet([CoreRange((0, 0), (grid.x - 1, grid.y - 1))])

    @staticmethod
    def create_descriptor(*args: Any, **kwargs: Any) -> NoReturn:
        refuse("the program descriptor of layer norm", _WHY)


class LayerNormShardedProgramFactory:
    """Sharded inputs: every core works on its shard."""

    @staticmethod
    def create_descriptor(*args: Any, **kwargs: Any) -> NoReturn:
        refuse("the program descriptor of layer norm", _WHY)


class LayerNormDeviceOperation:
    """What the operation makes of its settings and tensors."""

    @staticmethod
    def select_program_factory(params: LayerNormParams, inputs: LayerNormInputs) -> Any:
        sharded = _input(inputs).is_sharded()
        return LayerNormShardedProgramFactory() if sharded else LayerNormMultiCoreProgramFactory()

    @staticmethod
    def compute_output_specs(params: LayerNormParams, inputs: LayerNormInputs) -> TensorSpec:
        """As the input; before a gather, the tiles of statistics of each row."""
        tensor = _input(inputs)
        shape, dtype = list(tensor.shape), params.dtype or tensor.dtype
        if params.distributed_norm_stage == DistributedLayerNormStage.PRE_ALL_GATHER:
            shape[-1] = _ttnn.TILE_SIZE * (2 if params.norm_type == LayerNormType.LAYERNORM else 1)
            dtype = params.dtype or DataType.BFLOAT16
        config = params.output_mem_config or tensor.memory_config()
        return TensorSpec(shape, dtype, tensor.layout).with_memory_config(config)

    @staticmethod
    def create_output_tensors(params: LayerNormParams, inputs: LayerNormInputs) -> Tensor:
        """The output, allocated. A sharded norm in place has its input for it."""
        tensor = _input(inputs)
        if getattr(params.program_config, "inplace", False) and tensor.is_sharded():
            return tensor
        device = tensor.device()
        if device is None:
            raise RuntimeError("the input of a layer norm must be on the device")
        return _ttnn.allocate_on_device(LayerNormDeviceOperation.compute_output_specs(params, inputs), device)


def _input(inputs: LayerNormInputs) -> Tensor:
    if inputs.input is None:
        raise RuntimeError("LayerNormInputs.input is not set")
    return inputs.input
