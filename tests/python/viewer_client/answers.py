"""A report as the viewer answers it, and as the rows of its database have it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from pathlib import Path

from .picture import Operation, Picture, Tensor


def inner_functions(graph: list[dict]) -> list[str]:
    return [node["params"]["name"] for node in graph if node["node_type"] == "function_start"]


def dtype_of(text: str) -> str:
    assert text.startswith("DataType."), text
    return text.removeprefix("DataType.")


def layout_of(text: str) -> str:
    assert text.startswith("Layout."), text
    return text.removeprefix("Layout.")


def brackets(shape: str) -> str:
    return re.search(r"\[.*\]", shape).group()


def of_viewer(report) -> Picture:
    """From the answers of a running viewer."""
    picture = Picture(devices=len(report.get("/api/devices")))
    buffers = {each["id"]: each["buffers"] for each in report.get("/api/operation-buffers")}
    pages: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for chunk in report.get("/api/buffer-pages"):
        pages[chunk["operation_id"]][chunk["address"]] += chunk["num_pages"]
    for each in report.get("/api/operations"):
        picture.operations.append(
            Operation(
                each["name"],
                [tensor["id"] for tensor in each["inputs"]],
                [tensor["id"] for tensor in each["outputs"]],
                sorted(
                    (b["device_id"], b["address"], b["size"], b["buffer_type"], b["buffer_layout"])
                    for b in buffers[each["id"]]
                ),
                inner_functions(each["device_operations"]),
                [(argument["name"], argument["value"]) for argument in each["arguments"]],
                each["stack_trace"] or "",
                each["error"]["error_message"] if each["error"] else None,
            )
        )
        picture.pages.append(dict(pages[each["id"]]))
        for tensor in each["inputs"] + each["outputs"]:
            picture.tensors[tensor["id"]] = tensor_of(tensor, tensor["memory_config"])
    return picture


def tensor_of(tensor: dict, config: dict | None) -> Tensor:
    found = Tensor(
        brackets(tensor["shape"]),
        dtype_of(tensor["dtype"]),
        layout_of(tensor["layout"]),
        tensor["size"],
        tensor["address"],
    )
    if config:
        found.memory_layout = config["memory_layout"]
        if isinstance(config["shard_spec"], dict):
            found.shard_shape = config["shard_spec"]["shape"]
            found.shard_grid = config["shard_spec"]["grid"]
    return found


# What the viewer's parser of memory configs takes.
MEMORY_CONFIG = re.compile(
    r"(?:tt::tt_metal::)?MemoryConfig\(memory_layout=(?P<layout>TensorMemoryLayout::\w+),buffer_type=BufferType::\w+,"
    r"shard_spec=(?:std::nullopt|ShardSpec\(grid=\{(?P<grid>\[.*?\])\},shape=\{(?P<height>\d+), (?P<width>\d+)\},"
    r"orientation=ShardOrientation::[A-Z_]+,halo=\d+\))(?:,.*)?\)"
)


def parsed_config(text: str | None) -> dict | None:
    if text is None:
        return None
    match = MEMORY_CONFIG.fullmatch(text)
    assert match, text
    spec = (
        "std::nullopt"
        if match["grid"] is None
        else {"grid": match["grid"], "shape": [int(match["height"]), int(match["width"])]}
    )
    return {"memory_layout": match["layout"], "shard_spec": spec}


def of_database(folder: Path) -> Picture:
    """From the rows, with the viewer's own questions."""
    with sqlite3.connect(folder / "db.sqlite") as database:
        database.row_factory = sqlite3.Row

        def rows(sql: str) -> list[dict]:
            return [dict(row) for row in database.execute(sql)]

        def grouped(sql: str) -> dict[int, list[dict]]:
            groups = defaultdict(list)
            for row in rows(sql):
                groups[row["operation_id"]].append(row)
            return groups

        picture = Picture(devices=len(rows("SELECT * FROM devices")))
        inputs = grouped("SELECT * FROM input_tensors ORDER BY input_index")
        outputs = grouped("SELECT * FROM output_tensors ORDER BY output_index")
        buffers = grouped("SELECT * FROM buffers")
        graphs = grouped("SELECT * FROM captured_graph")
        arguments = grouped("SELECT * FROM operation_arguments ORDER BY rowid")
        stacks = grouped("SELECT * FROM stack_traces")
        errors = grouped("SELECT * FROM errors")
        chunks = grouped("SELECT * FROM buffer_chunks")
        tensors = {row["tensor_id"]: row for row in rows("SELECT * FROM tensors")}
        for each in rows("SELECT * FROM operations ORDER BY operation_id"):
            key = each["operation_id"]
            # The viewer shows an error at the operation that has its id and its name.
            failed = [error for error in errors[key] if error["operation_name"] == each["name"]]
            picture.operations.append(
                Operation(
                    each["name"],
                    [row["tensor_id"] for row in inputs[key]],
                    [row["tensor_id"] for row in outputs[key]],
                    sorted(
                        (b["device_id"], b["address"], b["max_size_per_bank"], b["buffer_type"], b["buffer_layout"])
                        for b in buffers[key]
                    ),
                    inner_functions(json.loads(graphs[key][0]["captured_graph"])),
                    [(row["name"], row["value"]) for row in arguments[key]],
                    stacks[key][0]["stack_trace"] if stacks[key] else "",
                    failed[0]["error_message"] if failed else None,
                )
            )
            pages: dict[int, int] = defaultdict(int)
            for chunk in chunks[key]:
                pages[chunk["address"]] += chunk["num_pages"]
            picture.pages.append(dict(pages))
            for row in inputs[key] + outputs[key]:
                tensor = tensors[row["tensor_id"]]
                picture.tensors[row["tensor_id"]] = tensor_of(tensor, parsed_config(tensor["memory_config"]))
        return picture
