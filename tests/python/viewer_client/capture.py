"""Reads the JSON of a capture by itself, as docs/visualizer.md tells it, and says what a viewer should show."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from .picture import Operation, Picture, Tensor

LOOKED_THROUGH = (
    "ttnn::convert_python_tensor_to_tt_tensor",
    "tt::tt_metal::detail::convert_tt_tensor_to_framework_tensor",
    "Tensor::deallocate",
    "Tensor::to_device",
    "Tensor::reshape",
    "tt::tt_metal::to_dtype",
)
MEMORY = {"DRAM": 0, "L1": 1, "SYSTEM_MEMORY": 2, "L1_SMALL": 3, "TRACE": 4}
LAYOUTS = {"INTERLEAVED": 0, "HEIGHT_SHARDED": 2, "WIDTH_SHARDED": 3, "BLOCK_SHARDED": 4}


def load(path: Path) -> dict:
    return json.loads(path.read_text())


def read(path: Path) -> Picture:
    return Reading(load(path)).picture


class Reading:
    def __init__(self, report: dict):
        self.report = report
        self.nodes = report["graph"]
        self.picture = Picture(devices=len(report["devices"]))
        self.device = report["devices"][0] if report["devices"] else {}
        self.live: dict[int, dict] = {}  # counter of the allocation -> its parameters
        self.by_buffer: dict[int, int] = {}
        for key, buffer in enumerate(report.get("buffers_at_start", []), 1):
            self.live[-key] = buffer
            self.by_buffer[buffer.get("buffer")] = -key
        recorded: dict[str, list[dict]] = defaultdict(list)
        for call in report["python_io"]:
            recorded[call["name"]].append(call["arguments"])
        self.recorded: dict[str, Iterator[dict]] = defaultdict(lambda: iter(()))  # arguments by name of the operation
        self.recorded.update((name, iter(calls)) for name, calls in recorded.items())
        self.open: list[dict] = []
        self.current: Operation | None = None
        self.used: list[int] = []
        self.computes = False
        self.tensors: dict[int, dict] = {}  # id -> its first node
        self.buffer_sizes: dict[int, int] = {}  # counter of a tensor's node -> bytes of its buffer
        self.sizes_at: dict[tuple, int] = {}  # (address, counter of a tensor's node) -> bytes allocated there by then
        self.index()
        for node in self.nodes:
            getattr(self, node["node_type"], lambda _: None)(node)
        while self.open:
            self.leave()
        for tensor in dict.fromkeys(self.used):
            self.picture.tensors[tensor] = self.tensor_of(tensor)

    def index(self):
        allocated: dict[str, int] = {}
        for node in self.nodes:
            params = node["params"]
            if node["node_type"] == "tensor":
                self.tensors.setdefault(int(params["tensor_id"]), node)
                if params.get("address") in allocated:
                    self.sizes_at[int(params["address"]), node["counter"]] = allocated[params["address"]]
            elif node["node_type"] == "buffer":
                for tensor in node["connections"]:
                    self.buffer_sizes[tensor] = int(params["size"])
            elif node["node_type"] == "buffer_allocate":
                allocated[params["address"]] = int(params["size"])

    # --- functions

    def function_start(self, node):
        while len(self.open) >= node["stacking_level"]:
            self.leave()  # an exception went through it
        name = node["params"]["name"]
        node["is_operation"] = False
        if self.current is None:
            recorded = next(self.recorded[name], {})
            loads = name == "ttnn.from_torch" and not self.computes
            if not loads and not name.startswith(LOOKED_THROUGH):
                self.computes = self.computes or (not self.open and name != "ttnn.from_torch")
                node["is_operation"] = True
                self.current = Operation(
                    name,
                    self.ids(node["input_tensors"]),
                    arguments=list(recorded.items())
                    or [(f"arg_{place}", value) for place, value in enumerate(node["arguments"])],
                    stack=self.stack_of(node),
                )
        if self.current is not None:
            self.current.device_operations.append(name)
        self.open.append(node)

    def function_end(self, node):
        while self.open[-1]["params"]["name"] != node["params"]["name"]:
            self.leave()
        if self.open[-1]["is_operation"]:
            self.current.outputs = self.ids(node["connections"])
        self.leave()

    def leave(self):
        if self.open.pop()["is_operation"]:
            self.finish(self.current)
            self.current = None

    def finish(self, operation: Operation):
        operation.inputs = list(dict.fromkeys(operation.inputs))
        operation.outputs = list(dict.fromkeys(operation.outputs))
        self.used += operation.inputs + operation.outputs
        operation.buffers = sorted(self.buffer_of(each) for each in self.live.values())
        self.picture.operations.append(operation)
        self.picture.pages.append(
            {
                int(each["address"]): int(each["size"]) // int(each["page_size"])
                for each in self.live.values()
                if each["type"] == "L1"
            }
        )

    def error(self, node):
        if self.current is not None:
            self.current.error = node["params"]["error_message"]

    @staticmethod
    def stack_of(node) -> str:
        return "\n".join(node.get("stack_trace", []))

    # --- memory

    def buffer_allocate(self, node):
        self.live[node["counter"]] = node["params"]
        self.by_buffer[node["connections"][0]] = node["counter"]

    def buffer_deallocate(self, node):
        buffer = node["connections"][0]
        self.live.pop(self.by_buffer.pop(buffer, None), None)
        if not self.open:
            tensors = self.ids(self.nodes[buffer]["connections"])
            self.finish(Operation("ttnn::deallocate", tensors[-1:]))

    def buffer_of(self, params: dict) -> tuple:
        size, page = int(params["size"]), int(params["page_size"])
        if params["layout"] == "INTERLEAVED":
            parts = self.device["num_dram_channels" if params["type"] == "DRAM" else "l1_num_banks"]
        else:
            parts = int(params["num_cores"])
        per_bank = -(-(size // page) // parts) * page
        return (
            int(params["device_id"]),
            int(params["address"]),
            per_bank,
            MEMORY[params["type"]],
            LAYOUTS[params["layout"]],
        )

    # --- tensors

    def ids(self, counters: list[int]) -> list[int]:
        nodes = (self.nodes[counter] for counter in counters)
        return [int(node["params"]["tensor_id"]) for node in nodes if node["node_type"] == "tensor"]

    def tensor_of(self, tensor: int) -> Tensor:
        node = self.tensors[tensor]
        params = node["params"]
        address = int(params["address"]) if "address" in params else None
        found = Tensor(
            re.search(r"\[.*\]", params["shape"]).group(),
            params["dtype"].upper(),
            params["layout"],
            self.size_of(node, address),
            address,
        )
        config = params.get("memory_config", "")
        if match := re.search(r"memory_layout=(TensorMemoryLayout::\w+)", config):
            found.memory_layout = match.group(1)
        if match := re.search(r"[,(]shard_spec=ShardSpec\{grid=(.*?), shape=\[(\d+), (\d+)\]", config):
            corners = [int(number) for number in re.findall(r"\d+", match.group(1))]
            ranges = [corners[i : i + 4] for i in range(0, len(corners), 4)]
            found.shard_grid = ", ".join("[(x={},y={}) - (x={},y={})]".format(*each) for each in ranges)
            found.shard_shape = [int(match.group(2)), int(match.group(3))]
        return found

    def size_of(self, node: dict, address: int | None) -> int:
        """Of the buffer that is linked to the tensor; a host tensor has as many bytes as its elements take."""
        if node["counter"] in self.buffer_sizes:
            return self.buffer_sizes[node["counter"]]
        if address is not None:
            return self.sizes_at[address, node["counter"]]
        return bytes_of(node["params"])


def bytes_of(params: dict) -> int:
    dims = [int(number) for number in re.findall(r"\d+", re.search(r"\[.*\]", params["shape"]).group())]
    per_tile = {"bfloat8_b": 1088, "bfloat4_b": 576, "bfloat16": 2048, "uint16": 2048, "uint8": 1024}
    tile = per_tile.get(params["dtype"], 4096)
    if params["layout"] == "TILE":
        for place in (-1, -2):
            if len(dims) >= -place:
                dims[place] = -(-dims[place] // 32) * 32
    elements = 1
    for dim in dims:
        elements *= dim
    return elements * tile // 1024
