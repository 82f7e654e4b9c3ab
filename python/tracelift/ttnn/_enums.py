"""Enums that no C++ code needs, and the short names of members."""

from enum import Enum

from tracelift import _ttnn


class _PlainEnum(Enum):
    """Prints as the enums of the compiled module do."""

    def __repr__(self):
        return str(self)


class Topology(_PlainEnum):
    Linear = 1
    Ring = 2
    Mesh = 3
    Torus = 4


class BinaryOpType(_PlainEnum):
    ADD = 0
    SUB = 1
    MUL = 2
    GT = 3
    LT = 4
    LE = 5
    GE = 6
    EQ = 7
    NE = 8
    SQUARED_DIFFERENCE = 9
    BIAS_GELU = 10
    LOGADDEXP = 11
    LOGICAL_AND = 12
    LOGICAL_OR = 13
    LOGICAL_XOR = 14
    LDEXP = 15
    LOGADDEXP2 = 16
    DIV = 17


class LossReductionMode(_PlainEnum):
    NONE = 0
    SUM = 1
    MEAN = 2


class BcastOpMath(_PlainEnum):
    ADD = 0
    SUB = 1
    MUL = 2


class BcastOpDim(_PlainEnum):
    H = 0
    W = 1
    HW = 2


class ReduceType(_PlainEnum):
    Sum = 0
    Mean = 1
    Max = 2
    Min = 3
    Std = 4
    Var = 5


class WorkerMode(_PlainEnum):
    SYNCHRONOUS = 0
    ASYNCHRONOUS = 1


class DispatchAlgorithm(_PlainEnum):
    SPARSE_UNICAST = 0
    SPARSE_MCAST_LINEAR = 1
    SPARSE_MCAST_SPLIT_BW = 2


class FabricConfig(_PlainEnum):
    DISABLED = 0
    FABRIC_1D = 1
    FABRIC_1D_RING = 2
    FABRIC_2D = 3
    FABRIC_2D_TORUS_X = 4
    FABRIC_2D_TORUS_Y = 5
    FABRIC_2D_TORUS_XY = 6


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
