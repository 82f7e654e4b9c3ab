"""Enums that no C++ code needs, and the short names of members."""

from enum import Enum
from typing import TypeVar

from tracelift import _ttnn


class PlainEnum(Enum):
    """Prints as the enums of the compiled module do."""

    def __repr__(self):
        return str(self)


class LossReductionMode(PlainEnum):
    NONE = 0
    SUM = 1
    MEAN = 2


class WorkerMode(PlainEnum):
    DIRECT = 0
    MUX_TOKEN_SPLIT = 1
    MUX_PAYLOAD_SPLIT = 2


class DispatchAlgorithm(PlainEnum):
    BROADCAST = 0
    SPARSE_UNICAST = 1
    SPARSE_MCAST_LINEAR = 2
    SPARSE_MCAST_SHORTEST_PATH = 3
    SPARSE_MCAST_SPLIT_BW = 4


class FabricConfig(PlainEnum):
    DISABLED = 0
    FABRIC_1D_NEIGHBOR_EXCHANGE = 1
    FABRIC_1D = 2
    FABRIC_1D_RING = 3
    FABRIC_2D = 4
    FABRIC_2D_TORUS_X = 5
    FABRIC_2D_TORUS_Y = 6
    FABRIC_2D_TORUS_XY = 7
    CUSTOM = 8


class FabricReliabilityMode(PlainEnum):
    STRICT_INIT = 0
    RELAXED_INIT = 1
    DYNAMIC_RECONFIG = 2


class FabricTensixConfig(PlainEnum):
    DISABLED = 0
    MUX = 1


class FabricUDMMode(PlainEnum):
    DISABLED = 0
    ENABLED = 1


class FabricManagerMode(PlainEnum):
    ENABLED = 0
    INIT_FABRIC = 1
    TERMINATE_FABRIC = 2
    DEFAULT = 3


class H2DMode(PlainEnum):
    """Who moves the data of a socket from the host to a device."""

    HOST_PUSH = 0
    DEVICE_PULL = 1


_Kind = TypeVar("_Kind", bound=type)


def _unless_compiled(kind: _Kind) -> _Kind:
    """The enum of the compiled module where operations take one of that name."""
    return getattr(_ttnn, kind.__name__, kind)


@_unless_compiled
class SoftmaxOpParallelizationStrategy(PlainEnum):
    """How moreh's softmax splits its work; without an effect on values."""

    NONE = 0
    SMALL_W = 1
    SMALL_H = 2
    LARGE_W = 3
    LARGE_H = 4
    LARGE_C = 5


@_unless_compiled
class SoftmaxBackwardOpParallelizationStrategy(PlainEnum):
    NONE = 0
    SMALL_W = 1
    SMALL_H = 2
    LARGE_W = 3
    LARGE_H = 4
    LARGE_C = 5


@_unless_compiled
class SoftmaxBackwardOp(PlainEnum):
    SOFTMAX = 0
    SOFTMIN = 1
    LOGSOFTMAX = 2


uint8 = _ttnn.DataType.UINT8
uint16 = _ttnn.DataType.UINT16
int32 = _ttnn.DataType.INT32
uint32 = _ttnn.DataType.UINT32
float32 = _ttnn.DataType.FLOAT32
bfloat16 = _ttnn.DataType.BFLOAT16
bfloat8_b = _ttnn.DataType.BFLOAT8_B
bfloat4_b = _ttnn.DataType.BFLOAT4_B

ROW_MAJOR_LAYOUT = _ttnn.Layout.ROW_MAJOR
TILE_LAYOUT = _ttnn.Layout.TILE
DEVICE_STORAGE_TYPE = _ttnn.StorageType.DEVICE
