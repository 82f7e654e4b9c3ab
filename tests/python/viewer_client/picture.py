"""A report as tests compare it: the same facts from a capture, from the rows of a database and from the viewer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


# What captures call every device operation, where a database has the name of each, and the creation of a tensor.
ANY_DEVICE_OPERATION = "Device Operation"
CREATION = "create_device_tensor"


@dataclass
class Operation:
    name: str
    inputs: list[int] = field(default_factory=list)  # tensor ids
    outputs: list[int] = field(default_factory=list)
    buffers: list[tuple] = field(default_factory=list)  # (device, address, bytes per bank, type, layout), sorted
    device_operations: list[str] = field(default_factory=list)  # functions inside, in order
    arguments: list[tuple[str, str]] = field(default_factory=list)  # name and value
    stack: str = ""
    error: str | None = None  # message


@dataclass
class Tensor:
    shape: str
    dtype: str
    layout: str
    size: int
    address: int | None
    memory_layout: str | None = None
    shard_shape: list[int] | None = None
    shard_grid: str | None = None


def plain_shards(text: str) -> str:
    """Shards in captures are in braces, in the viewer's form in parentheses: here they are numbers and the orientation."""

    def plain(match: re.Match) -> str:
        return f"shards({re.findall(r'[0-9]+', match['grid'])}, {match['shape']}, {match['orientation']})"

    form = (
        r"ShardSpec[({]grid=(?P<grid>.*?), ?shape=[\[{](?P<shape>\d+, ?\d+)[\]}], ?"
        r"orientation=(?P<orientation>[\w:]+)[^)}]*[)}]"
    )
    return re.sub(form, plain, text)


def aspect_of(operations: list[Operation], others: list[Operation], aspect: str) -> list:
    """One aspect of all operations, for comparison with that of others."""
    values = [getattr(each, aspect) for each in operations]
    if aspect == "arguments":
        return [[(name, plain_shards(value)) for name, value in arguments] for arguments in values]
    if aspect != "device_operations":
        return values
    return [
        [
            ANY_DEVICE_OPERATION
            if ANY_DEVICE_OPERATION in (name, *other[place : place + 1])
            else name.removeprefix("tt::tt_metal::")
            if name.endswith(f"::{CREATION}")
            else name
            for place, name in enumerate(names)
        ]
        for names, other in zip(values, (each.device_operations for each in others), strict=True)
    ]


@dataclass
class Picture:
    operations: list[Operation] = field(default_factory=list)  # in the order of their ids
    tensors: dict[int, Tensor] = field(default_factory=dict)  # those that operations take or give
    devices: int = 0
    pages: list[dict[int, int]] = field(default_factory=list)  # per operation: L1 address -> pages
