"""What convolutions have besides their operations: other names of their records, and the size of a result."""

from __future__ import annotations

from dataclasses import dataclass

from tracelift import _ttnn

Conv1dConfig = _ttnn.Conv2dConfig
Conv2dSliceConfig = _ttnn.Op2DSliceConfig
setattr(_ttnn.Op2DSliceConfig, "SliceTypeEnum", _ttnn.SliceTypeEnum)  # type checkers know it as a part of the class

Conv2dDRAMSliceHeight = Op2DDRAMSliceHeight = _ttnn.SliceTypeEnum.DRAMSliceHeight
Conv2dDRAMSliceWidth = Op2DDRAMSliceWidth = _ttnn.SliceTypeEnum.DRAMSliceWidth
Conv2dL1Full = Op2DL1Full = _ttnn.SliceTypeEnum.L1Full
Conv2dL1FullSliceConfig = Op2DL1FullSliceConfig = _ttnn.Op2DSliceConfig(slice_type=Conv2dL1Full)


@dataclass(kw_only=True)
class SlidingWindowParallelConfig:
    """How the rows of a convolution's input lie on cores."""

    grid: _ttnn.CoreRangeSet
    shard_scheme: _ttnn.TensorMemoryLayout
    shard_orientation: _ttnn.ShardOrientation


def get_conv_output_dim(input: int, window: int, stride: int = 1, pad: int = 0, dilation: int = 1) -> int:
    """How many positions a window of `window` taps has in `input`, with `pad` on both sides."""
    return (input + 2 * pad - dilation * (window - 1) - 1) // stride + 1
