"""A ttnn that is not ours, with what a sweep of sigmoid_accurate needs: other classes, other rules, torch inside."""

import enum

import torch


class DataType(enum.Enum):
    BFLOAT16 = 0
    FLOAT32 = 1
    BFLOAT8_B = 3


class Layout(enum.Enum):
    ROW_MAJOR = 0
    TILE = 1


class TensorMemoryLayout(enum.Enum):
    INTERLEAVED = 0
    HEIGHT_SHARDED = 2
    WIDTH_SHARDED = 3
    BLOCK_SHARDED = 4


class BufferType(enum.Enum):
    DRAM = 0
    L1 = 1


class ShardOrientation(enum.Enum):
    ROW_MAJOR = 0
    COL_MAJOR = 1


class CoreCoord:
    def __init__(self, x, y):
        self.x, self.y = x, y


class CoreRange:
    def __init__(self, start, end):
        self.start, self.end = start, end


class CoreRangeSet:
    def __init__(self, ranges):
        if not isinstance(ranges, set):
            raise TypeError("CoreRangeSet takes a set")  # as the oldest ones do
        self._ranges = ranges

    def ranges(self):
        return list(self._ranges)


class ShardSpec:
    def __init__(self, grid, shape, orientation):
        self.grid, self.shape, self.orientation = grid, shape, orientation


class MemoryConfig:
    def __init__(self, memory_layout=TensorMemoryLayout.INTERLEAVED, buffer_type=BufferType.DRAM, shard_spec=None):
        self.memory_layout, self.buffer_type, self.shard_spec = memory_layout, buffer_type, shard_spec


bfloat16, bfloat8_b = DataType.BFLOAT16, DataType.BFLOAT8_B
TILE_LAYOUT, ROW_MAJOR_LAYOUT = Layout.TILE, Layout.ROW_MAJOR
DRAM_MEMORY_CONFIG = MemoryConfig()
L1_MEMORY_CONFIG = MemoryConfig(buffer_type=BufferType.L1)

calls = []  # the memory configs that sigmoid_accurate was called with
opened = []


class Device:
    def __init__(self, device_id):
        self.id = device_id


def open_device(*, device_id):
    opened.append(Device(device_id))
    return opened[-1]


def close_device(device):
    opened.remove(device)


class Tensor:
    def __init__(self, values, memory_config):
        self.values, self.memory_config = values, memory_config


def from_torch(values, *, dtype, layout, device, memory_config):
    assert isinstance(dtype, DataType) and isinstance(layout, Layout) and device in opened
    return Tensor(values.to(torch.bfloat16), memory_config)


def sigmoid_accurate(tensor, *, memory_config):
    assert isinstance(memory_config, MemoryConfig)
    calls.append(memory_config)
    return Tensor(torch.sigmoid(tensor.values), memory_config)


def to_torch(tensor):
    return tensor.values.to(torch.float32)
