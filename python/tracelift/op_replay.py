"""Replays recorded calls, one JSON line each (`pytest --ops-jsonl FILE`), on whichever `ttnn` is imported.

    python -m tracelift.op_replay --jsonl calls.jsonl --index 0

A record is data that others wrote. Nothing in it is evaluated, imported or opened: operations and classes are looked up
by name in `ttnn` alone, files are refused, and so is a call that would take more memory than allowed.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import itertools
import json
import math
import os
import re
import sys
import types
from typing import Any, Callable, Iterator

from . import _ttnn, ttnn_objects
from .ttnn_objects import ttnn_module

MOST_ELEMENTS = 2**28  # of all tensors of a call, and of all its outputs
_DEEPEST = 64  # levels of a record, as the compiled reader has it
_MAPPERS = ("recorded", "replicate", "none")
_MOST_CHIPS = 1024
_SEMAPHORES = ("global_semaphore", "GlobalSemaphore")  # their type in records of Python and of C++ calls
_CODE = re.compile(r"""['"`;$\n]|__""")  # arguments of operations are words
_FILE_WORDS = ("file", "path", "load_", "dump_", "save")
# Longer names first: uint32 contains int32.
_DTYPES = ("bfloat16", "float32", "fp32", "uint32", "int32", "uint16", "uint8", "bfloat8", "bfloat4")

Values = dict[Any, list[Any]]  # numbers of tensors by position or name, an entry per tensor


class Refused(ValueError):
    """A record that is not replayed; the text says why."""


def _operation(name: Any) -> Callable[..., Any]:
    """An operation of `ttnn`: no other module is ever reached, whatever `ttnn` itself imports."""
    if not isinstance(name, str) or not name.startswith("ttnn."):
        raise Refused(f"expected an operation of ttnn as op_name, got {name!r:.80}")
    if any(word in name for word in _FILE_WORDS):
        raise Refused(f"{name:.80} works with files, which a record must not name")
    found: Any = ttnn_module()
    package = found.__name__
    for part in name.split(".")[1:]:
        if not part.isidentifier() or part.startswith("_"):
            raise Refused(f"'{name:.80}' is not the name of an operation")
        found = getattr(found, part, None)
        if found is None:
            raise Refused(f"the imported ttnn has no {name:.80}")
        if isinstance(found, types.ModuleType) and not _is_of(found.__name__, package):
            raise Refused(f"{name:.80}: '{part}' is a module that does not belong to ttnn")
    home = getattr(found, "__module__", None) or ""
    is_operation = hasattr(found, "python_fully_qualified_name") or hasattr(found, "__ttnn_operation__")
    ours = isinstance(found, types.FunctionType) and _is_of(home, package)
    if isinstance(found, type) or not callable(found) or not (is_operation or ours):
        raise Refused(f"{name:.80} is not an operation")
    return found  # type: ignore[no-any-return]


def _is_of(name: str, package: str) -> bool:
    return name.split(".")[0] in ("ttnn", package.split(".")[0])


def _dtype(text: str) -> Any:
    word = next((each for each in _DTYPES if each in text.lower()), "bfloat16")
    word = {"fp32": "float32", "bfloat8": "bfloat8_b", "bfloat4": "bfloat4_b"}.get(word, word)
    return getattr(ttnn_module(), word, None) or ttnn_objects.member_of("DataType", word.upper())


def _last(name: Any) -> str:
    word = str(name).replace(":", ".").rpartition(".")[2]
    if not word.isidentifier() or word.startswith("_"):
        raise Refused(f"{name!r:.80} is not a name")
    return word


@dataclasses.dataclass(frozen=True)
class Placement:
    """How a recorded tensor lies on a mesh: what each dimension of the distribution cuts, None where it copies."""

    dims: tuple[int | None, ...]
    distribution: tuple[int, ...]

    def whole(self, shape: list[int]) -> list[int]:
        """The shape of the tensor whose parts have this one."""
        sizes = list(shape)
        for dim, parts in zip(self.dims, self.distribution):
            if dim is not None:
                sizes[dim] *= parts
        return sizes


def _numbers_in(key: Any, text: Any) -> tuple[int, ...]:
    if not isinstance(text, str) or not re.fullmatch(r"\[\d{1,4}(, ?\d{1,4})*\]", text):
        raise Refused(f"argument {key!r}: {text!r:.80} is not the shape of a mesh")
    sizes = tuple(int(size) for size in text[1:-1].split(","))
    if not 1 <= math.prod(sizes) <= _MOST_CHIPS:
        raise Refused(f"argument {key!r}: {text} is not a mesh of up to {_MOST_CHIPS} chips")
    return sizes


def _placement(key: Any, value: dict[str, Any]) -> Placement | None:
    """Of a TensorRef, whose shape is a shape; None where it lies on one chip."""
    given = value.get("tensor_placement")
    if given is None:
        return None
    text = given.get("placement") if isinstance(given, dict) else None
    words = re.findall(r"PlacementReplicate|PlacementShard\((-?\d{1,2})\)", str(text))
    if not isinstance(text, str) or not re.fullmatch(r"\[[\w '(),-]*\]", text):
        raise Refused(f"argument {key!r}: {text!r:.80} is not a placement")
    distribution = _numbers_in(key, given.get("distribution_shape"))
    dims = tuple(int(word) if word else None for word in words)
    rank = len(value["shape"])
    if len(dims) != len(distribution) or any(dim is not None and not -rank <= dim < rank for dim in dims):
        raise Refused(f"argument {key!r}: a tensor of {value['shape']} cannot lie on a mesh as {text} says")
    return Placement(dims, distribution)


def _is_semaphore(value: dict[str, Any]) -> bool:
    return value.get("__type__") == "repr" and value.get("type") in _SEMAPHORES


def _checked(key: Any, value: Any, depth: int = 0) -> None:
    """Refuses what no argument of an operation is, before anything is made of it."""
    if depth > _DEEPEST:
        raise Refused(f"argument {key!r} is nested too deeply")
    if isinstance(value, str) and ("/" in value or "\\" in value):
        raise Refused(f"argument {key!r} is a text that names a file: {value!r:.80}")
    if isinstance(value, str) and _CODE.search(value):
        raise Refused(f"argument {key!r} is a text that looks like code: {value!r:.80}")
    if isinstance(value, dict):
        kind = value.get("__type__")
        if _is_semaphore(value):
            return
        if kind in ("path", "repr", "unparsed"):
            raise Refused(f"argument {key!r} is a {kind}, which cannot be made again: {value.get('value')!r:.80}")
        if "__enum__" in value:
            _last(value["__enum__"])
            _last(value.get("name"))
        for name, item in value.items():
            if kind != "ttnn.TensorRef" or name != "tensor_placement":  # texts of lists, which _placement looks at
                _checked(key, item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _checked(key, item, depth + 1)


def _no_such_record(name: str, fields: dict[str, Any]) -> Any:
    raise Refused(f"the imported ttnn has no configuration {name:.80} with {', '.join(fields) or 'no fields':.200}")


def _config(value: dict[str, Any]) -> Any:
    """A configuration of `ttnn`, by its class's name alone."""
    return ttnn_objects.build(_ttnn.deserialized(json.dumps(value)), _no_such_record)


class _Inputs:
    """Makes the arguments of one record."""

    def __init__(self, line: str, device: Any, seed: int, mapper: str, values: Values | None) -> None:
        import torch

        self._torch = torch
        self._device = device
        self._generator = torch.Generator().manual_seed(seed)
        self._mapper = mapper
        self._values = values
        self._domains = _ttnn.input_domains(line)

    def make(self, key: Any, value: Any) -> Any:
        if isinstance(value, list):
            return [self.make(key, item) for item in value]
        if not isinstance(value, dict):
            return value
        kind = str(value.get("__type__", ""))
        if kind == "ttnn.TensorRef":
            return self._tensor(key, value)
        if kind == "torch.Tensor" or kind.startswith("numpy."):
            return self._host_values(key, value, str(value.get("dtype")))
        if kind == "ttnn.MeshDevice":
            return self._device
        if _is_semaphore(value):
            return self._semaphore()
        if kind or "__enum__" in value:
            return _config(value)
        return {name: self.make(key, item) for name, item in value.items()}

    def _semaphore(self) -> Any:
        """Another one: those of the record were of its process."""
        ttnn = ttnn_module()
        grid = self._device.compute_with_storage_grid_size()
        cores = ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(grid.x - 1, grid.y - 1))
        return ttnn.create_global_semaphore(self._device, ttnn_objects.core_range_set([cores]), 0)

    def _host_values(
        self, key: Any, value: dict[str, Any], dtype: str, placement: Placement | None = None
    ) -> Any:
        torch = self._torch
        integers = "int" in dtype.lower() or "bool" in dtype.lower()
        shape = value["shape"]
        sizes = shape if placement is None else placement.whole(shape)
        if self._values is None:
            made = self._random(key, sizes, integers)
        else:
            made = self._recorded(key, shape, placement)
        plain = getattr(torch, dtype.rpartition(".")[2], None)
        if isinstance(plain, torch.dtype):
            return made.to(plain)
        return made.to(torch.int32 if integers else torch.float32)

    def _random(self, key: Any, shape: list[int], whole: bool) -> Any:
        torch = self._torch
        kind, low, high = self._domains.get(key, (None, -1, 1))
        if kind is None and not whole:
            return torch.randn(shape, generator=self._generator)
        if kind == "real" and not whole:
            return low + (high - low) * torch.rand(shape, generator=self._generator)
        if kind == "mask":
            return low + (high - low) * torch.randint(0, 2, shape, generator=self._generator)
        if kind == "one_hot":  # the columns in turn
            places = torch.arange(math.prod(shape)).reshape(shape)
            return (places % shape[-1] == places // shape[-1] % shape[-1]).to(torch.int32)
        low, high = (low, high) if kind == "integer" else (0, 1)
        return torch.randint(int(low), int(high) + 1, shape, generator=self._generator)

    def _recorded(self, key: Any, shape: list[int], placement: Placement | None) -> Any:
        """Of one chip: all get the same. Where chips held different values the file has those of each."""
        assert self._values is not None
        if not self._values.get(key):
            raise Refused(f"the file of values has none for argument {key!r}")
        numbers = self._values[key].pop(0)
        given = self._torch.tensor(numbers, dtype=self._torch.float64)
        chips = len(numbers) // max(math.prod(shape), 1)
        if placement is not None and chips == math.prod(placement.distribution) > 1:
            return self._joined(key, given.reshape([*placement.distribution, *shape]), shape, placement)
        if len(numbers) != math.prod(shape):
            raise Refused(f"argument {key!r} has the shape {shape}, but the file has {len(numbers)} values for it")
        given = given.reshape(shape)
        if placement is None:
            return given
        return given.repeat([size // part for size, part in zip(placement.whole(shape), shape)])

    def _joined(self, key: Any, parts: Any, shape: list[int], placement: Placement) -> Any:
        """The tensor whose parts these are."""
        whole = self._torch.full(placement.whole(shape), math.nan, dtype=self._torch.float64)
        for chip in itertools.product(*map(range, placement.distribution)):
            place = [slice(None)] * len(shape)
            for dim, number in zip(placement.dims, chip):
                if dim is not None:
                    place[dim] = slice(number * shape[dim], (number + 1) * shape[dim])
            here = whole[tuple(place)]
            if not here.isnan().all() and not self._torch.equal(here.nan_to_num(), parts[chip].nan_to_num()):
                raise Refused(f"argument {key!r}: chips that its placement gives the same values held different ones")
            whole[tuple(place)] = parts[chip]
        return whole

    def _tensor(self, key: Any, value: dict[str, Any]) -> Any:
        ttnn = ttnn_module()
        dtype = str(value.get("dtype"))
        memory = value.get("memory_config") or {}
        layout = _last(value.get("layout") or ("ROW_MAJOR" if "ROW" in str(memory.get("memory_layout")) else "TILE"))
        placement = self._placement_here(key, value)
        values = self._host_values(key, value, dtype if "int" in dtype.lower() else "float32", placement)
        if not hasattr(ttnn, "from_torch"):
            return ttnn.Tensor(list(value["shape"]))
        options: dict[str, Any] = {"dtype": _dtype(dtype), "layout": ttnn_objects.member_of("Layout", layout)}
        if _last(value.get("storage_type") or "DEVICE") != "HOST":
            options["device"] = self._device
            options["memory_config"] = _config({"__type__": "ttnn.MemoryConfig", **memory}) if memory else None
        mapper = self._mesh_mapper(memory, placement)
        if mapper is not None:
            options["mesh_mapper"] = mapper
        return ttnn.from_torch(values, **options)

    def _num_devices(self) -> int:
        return int(getattr(self._device, "get_num_devices", lambda: 1)())

    def _placement_here(self, key: Any, value: dict[str, Any]) -> Placement | None:
        """The recorded one, where it is to be made again."""
        placement = _placement(key, value)
        if placement is None or self._mapper != "recorded" or self._num_devices() == 1:
            return None
        if math.prod(placement.distribution) != self._num_devices():
            raise Refused(
                f"argument {key!r} lies on {math.prod(placement.distribution)} devices, and here are "
                f"{self._num_devices()}"
            )
        return placement

    def _mesh_mapper(self, memory: dict[str, Any], placement: Placement | None = None) -> Any:
        """`ShardTensor2dMesh` with the recorded dims, else a copy on every device; nothing on a single one."""
        ttnn = ttnn_module()
        if self._mapper == "none" or self._num_devices() == 1:
            return None
        dims, mesh = (memory.get("shard_spec") or {}).get("dims"), tuple(self._device.shape)
        if placement is not None:
            dims, mesh = placement.dims, placement.distribution
        if self._mapper != "recorded" or not dims or all(dim is None for dim in dims):
            return ttnn.ReplicateTensorToMesh(self._device)
        if len(dims) == 1:
            return ttnn.ShardTensorToMesh(self._device, dim=dims[0])
        return ttnn.ShardTensor2dMesh(self._device, mesh_shape=mesh, dims=tuple(dims))


def _elements(key: Any, value: Any) -> int:
    """Of all tensors in an argument; their shapes are shapes from here on."""
    if isinstance(value, list):
        return sum(_elements(key, item) for item in value)
    if not isinstance(value, dict):
        return 0
    kind = value.get("__type__")
    if not isinstance(kind, str) or not (kind in ("ttnn.TensorRef", "torch.Tensor") or kind.startswith("numpy.")):
        return sum(_elements(key, item) for item in value.values())
    shape = value.get("shape")
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape) or len(shape) > 16:
        raise Refused(f"argument {key!r}: {shape!r:.80} is not a shape")
    placement = _placement(key, value) if kind == "ttnn.TensorRef" else None
    return math.prod(shape if placement is None else placement.whole(shape))


def _check_arguments(inputs: Any, kwargs: Any, most_elements: int) -> None:
    if not isinstance(inputs, list) or not isinstance(kwargs, dict):
        raise Refused("expected 'inputs' to be a list and 'kwargs' an object")
    left = most_elements
    for key, value in [*enumerate(inputs), *kwargs.items()]:
        if isinstance(key, str) and any(word in key for word in _FILE_WORDS):
            raise Refused(f"argument {key!r:.80} names a file")
        _checked(key, value)
        elements = _elements(key, value)
        if elements > left:
            raise Refused(f"argument {key!r} has {elements} elements, more than may be made here")
        left -= elements


def replay_op_record(
    record: dict[str, Any],
    mesh_device: Any = None,
    rng_seed: int = 0,
    *,
    mapper: str = "recorded",
    values: Values | None = None,
    most_elements: int = MOST_ELEMENTS,
) -> Any:
    """Calls the recorded operation with fresh inputs, or `values` of read_values, and gives what it returns.

    Raises Refused for a record that is not replayed, and what the operation raises.
    """
    if not isinstance(record, dict):
        raise Refused("a record is a JSON object")
    operation = _operation(record.get("op_name"))
    inputs, kwargs = record.get("inputs") or [], record.get("kwargs") or {}
    _check_arguments(inputs, kwargs, most_elements)
    line = json.dumps({"op_name": record["op_name"], "inputs": inputs, "kwargs": kwargs, "board": record.get("board")})
    outputs = _ttnn.output_elements(line)
    if outputs > most_elements:
        raise Refused(f"the outputs have {outputs} elements, more than may be made here")
    try:
        make = _Inputs(line, mesh_device, rng_seed, mapper, values).make
        args = [make(index, value) for index, value in enumerate(inputs)]
        named = {str(name): make(name, value) for name, value in kwargs.items()}
    except Refused:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise Refused(f"the arguments cannot be made: {type(error).__name__}: {error}") from error
    return operation(*args, **named)


def shapes_of(output: Any) -> Any:
    """The shapes of what an operation returned: a list, or a list of those."""
    if isinstance(output, (list, tuple)):
        return [shapes_of(item) for item in output]
    return [int(size) for size in output.shape] if hasattr(output, "shape") else None


def read_records(path: str) -> Iterator[tuple[int, Any]]:
    """Line number from 0 and record; Refused in the place of one that cannot be read."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for index, line in enumerate(file):
            if line.strip():
                try:
                    yield index, json.loads(line)
                except (ValueError, RecursionError) as error:
                    yield index, Refused(f"{path}: line {index + 1}: {error}")


def _numbers(values: Any) -> list[float]:
    if isinstance(values, list):
        return [number for item in values for number in _numbers(item)]
    return [float(values)]  # also "nan" and "inf"


def _recorded_tensors(value: Any) -> list[list[float]]:
    if isinstance(value, list):
        return [tensor for item in value for tensor in _recorded_tensors(item)]
    if not isinstance(value, dict) or "shape" not in value:
        return []
    if "values" not in value:
        raise Refused("a tensor has no values; record them with --trace-params --trace-params-with-values")
    return [_numbers(value["values"])]


def read_values(path: str, operation: str) -> Values:
    """The values in a parameter file of this operation (`pytest --trace-params --trace-params-with-values`)."""
    try:
        with open(path, encoding="utf-8") as file:
            call = json.load(file)
        if call["operation_name"] != operation:
            raise Refused(f"it is a call of {call['operation_name']:.80}, and the record one of {operation:.80}")
        given = {each["position"]: each["value"] for each in call["args"]} | call["kwargs"]
        return {key: _recorded_tensors(value) for key, value in given.items()}
    except Refused as error:
        raise Refused(f"{path}: {error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Refused(f"{path}: not a parameter file with values: {type(error).__name__}: {error}") from error


def _mesh_of(board: str | None) -> tuple[int, ...] | None:
    """The mesh in the text of a board: n300:eth@1x2. None where it names none."""
    text = (board or "").partition("@")[2]
    if not text:
        return None
    if not re.fullmatch(r"\d{1,4}(x\d{1,4})*", text) or not 1 <= math.prod(map(int, text.split("x"))) <= _MOST_CHIPS:
        raise Refused(f"{board!r:.80} does not name a mesh of up to {_MOST_CHIPS} chips")
    return tuple(int(size) for size in text.split("x"))


class Devices(contextlib.ExitStack):
    """The devices that records ask for, one open at a time: the recorded mesh, else all chips, 4x8 of 32 or a row."""

    def __init__(self) -> None:
        super().__init__()
        self._board: str | None = None
        self._device: Any = None
        self._opened = False

    def of(self, record: Any) -> Any:
        """None where this `ttnn` opens none."""
        board = record.get("board") if isinstance(record, dict) else None
        board = str(board) if board else self._board
        if not self._opened or board != self._board:
            self.close()
            self._opened = False
            try:
                self._device = self._open(board)
            except Exception as error:
                raise Refused(f"no device of board {board!r:.80} can be opened: {error}") from error
            self._board, self._opened = board, True
        return self._device

    def _open(self, board: str | None) -> Any:
        ttnn = ttnn_module()
        mesh = _mesh_of(board)
        if board is not None and not os.environ.get("TRACELIFT_BOARD") and ttnn.__name__ == "tracelift.ttnn":
            name = board.partition("@")[0]
            if mesh is not None:
                device = ttnn.open_mesh_device(ttnn.MeshShape(*mesh), board=name)
                self.callback(ttnn.close_mesh_device, device)
                return device
            device = ttnn.open_device(device_id=0, board=name)
            self.callback(ttnn.close_device, device)
            return device
        count = getattr(ttnn, "get_num_devices", lambda: 1)()
        if count > 1 and hasattr(ttnn, "open_mesh_device"):
            usual = (4, 8) if count == 32 else (1, count)
            device = ttnn.open_mesh_device(ttnn.MeshShape(*(mesh or usual)))
            self.callback(ttnn.close_mesh_device, device)
            return device
        if hasattr(ttnn, "open_device"):
            device = ttnn.open_device(device_id=0)
            self.callback(ttnn.close_device, device)
            return device
        return None


def _replay(index: int, record: Any, devices: Devices, options: argparse.Namespace) -> bool:
    """Tells what became of one record."""
    try:
        if isinstance(record, Refused):
            raise record
        values = None
        if options.values is not None:
            values = read_values(options.values, str(record.get("op_name") if isinstance(record, dict) else record))
        output = replay_op_record(record, devices.of(record), options.seed, mapper=options.mapper, values=values)
    except Refused as error:
        print(f"{options.jsonl}: index {index}: refused: {error}", file=sys.stderr)
        return False
    except Exception as error:  # an operation may raise anything
        name = record.get("op_name")
        print(f"{options.jsonl}: index {index}: {name} failed: {type(error).__name__}: {error}", file=sys.stderr)
        return False
    print(f"Replay success. Output shape: {shapes_of(output)}")
    return True


def main(arguments: list[str] | None = None, program: str = "python -m tracelift.op_replay") -> int:
    parser = argparse.ArgumentParser(prog=program, description="Replays recorded calls.")
    parser.add_argument("--jsonl", required=True, help="a file with a JSON line per call (pytest --ops-jsonl)")
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--index", type=int, help="the line, counted from 0")
    choice.add_argument("--all", action="store_true", help="every line")
    parser.add_argument("--seed", type=int, default=0, help="of the input values")
    parser.add_argument("--values", metavar="FILE", help="input values from this parameter file of the same call")
    parser.add_argument("--mapper", choices=_MAPPERS, default="recorded", help="how inputs lie on a mesh of devices")
    options = parser.parse_args(arguments)
    if options.values is not None and options.all:
        parser.error("--values has the inputs of one call; it goes with --index")
    good = count = 0
    try:
        with Devices() as devices:
            for index, record in read_records(options.jsonl):
                if options.all or index == options.index:
                    count += 1
                    good += _replay(index, record, devices, options)
    except OSError as error:
        print(f"{error.filename or options.jsonl}: {error.strerror}", file=sys.stderr)
        return 1
    if count == 0:
        wanted = "no record" if options.all else f"no record with index {options.index}"
        print(f"{options.jsonl}: there is {wanted}", file=sys.stderr)
        return 1
    if options.all:
        print(f"{good} of {count} records were replayed")
    return 0 if good == count else 1


if __name__ == "__main__":
    sys.exit(main())
