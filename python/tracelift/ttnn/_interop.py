"""Between ttnn tensors, torch and files; operations that are best written in Python."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

from tracelift import _ttnn
from tracelift._replaced import replaced

from ._mesh import ReplicateTensorToMeshWrapper
from ._registry import register_python_operation

_ROOT = __name__.rpartition(".")[0]  # tracelift.ttnn
_FILE_MAGIC = b"TLTENSOR"
_FILE_VERSION = 1
_FILE_VERSION_OF_PARTS = 2

# What keeps the numbers of a buffer exact until they have their dtype.
_BUFFER_TYPES = {"INT32": "int32", "UINT32": "uint32", "UINT16": "uint16", "UINT8": "uint8"}


def _from_torch_golden(tensor: Any, *args: Any, col_tilize: bool = False, **kwargs: Any) -> Any:
    return tensor.transpose(-2, -1) if col_tilize else tensor


def _to_torch_golden(tensor: Any, dtype: Any = None, *, torch_rank: int | None = None, **kwargs: Any) -> Any:
    return _with_rank(tensor if dtype is None else tensor.to(dtype), torch_rank)


@register_python_operation(name="ttnn.from_torch", golden_function=_from_torch_golden)
def from_torch(
    tensor: Any,
    dtype: _ttnn.DataType | None = None,
    *,
    spec: _ttnn.TensorSpec | None = None,
    tile: _ttnn.Tile | None = None,
    pad_value: float | None = None,
    layout: _ttnn.Layout | None = None,
    device: _ttnn.MeshDevice | None = None,
    memory_config: _ttnn.MemoryConfig | None = None,
    mesh_mapper: Any = None,
    cq_id: int | None = None,
    col_tilize: bool = False,
) -> _ttnn.Tensor:
    """Makes a ttnn tensor from a torch tensor (or a numpy array), on the host or on a device.

    `mesh_mapper` cuts it for the devices of a mesh; without one each of them gets all of it. With `col_tilize` the
    last two dimensions change places before block floats are packed, so that the elements of a column share an
    exponent: [..., K, N] becomes [..., N, K].
    """
    if tensor is None:
        raise TypeError("ttnn.from_torch(): argument 'tensor' must be a torch.Tensor or a numpy array, not None")
    if spec is not None:
        if col_tilize:
            raise RuntimeError("from_torch takes either a spec or col_tilize, not both")
        if any(value is not None for value in (dtype, layout, memory_config, tile)):
            raise RuntimeError("from_torch takes either a spec or dtype, layout, memory_config and tile, not both")
        if mesh_mapper is None and list(tensor.shape) != list(spec.shape):
            raise RuntimeError(f"from_torch: the tensor has shape {list(tensor.shape)}, the spec {list(spec.shape)}")
        dtype, layout, memory_config, tile = spec.dtype, spec.layout, spec.memory_config, spec.tile
    made = _ttnn.tensor_from_array(
        tensor, dtype, layout, device, memory_config, tile, pad_value, col_tilize, mesh_mapper, "from_torch"
    )
    if spec is not None and list(made.shape) != list(spec.shape):
        raise RuntimeError(f"from_torch: each device would get {list(made.shape)}, the spec has {list(spec.shape)}")
    return made


def _with_rank(tensor: Any, rank: int | None) -> Any:
    if rank is None:
        return tensor
    while tensor.dim() > rank:
        if tensor.shape[0] != 1:
            raise RuntimeError("Unable to squeeze to desired rank")
        tensor = tensor.squeeze(0)
    return tensor


@register_python_operation(name="ttnn.to_torch", golden_function=_to_torch_golden)
def to_torch(
    tensor: _ttnn.Tensor,
    dtype: Any = None,
    *,
    torch_rank: int | None = None,
    mesh_composer: Any = None,
    device: _ttnn.MeshDevice | None = None,
    cq_id: int | None = None,
) -> Any:
    """The logical values as a torch tensor; device tensors are read back first.

    `mesh_composer` puts the parts of a distributed tensor together; without one such a tensor is refused.
    """
    import torch
    from torch.utils.dlpack import from_dlpack

    if not isinstance(tensor, _ttnn.Tensor):
        raise TypeError(f"ttnn.to_torch(): argument 'tensor' must be Tensor, not {type(tensor).__name__}")
    values = _ttnn.composed_values(tensor, mesh_composer, "to_torch")
    result = from_dlpack(_ttnn.tensor_to_dlpack(values, not hasattr(torch, "uint16")))
    if dtype is not None:
        result = result.to(dtype)
    return _with_rank(result, torch_rank)


@register_python_operation(name="ttnn.from_numpy")
def from_numpy(
    array: Any,
    dtype: _ttnn.DataType | None = None,
    *,
    layout: _ttnn.Layout | None = None,
    device: _ttnn.MeshDevice | None = None,
    memory_config: _ttnn.MemoryConfig | None = None,
    tile: _ttnn.Tile | None = None,
    pad_value: float | None = None,
) -> _ttnn.Tensor:
    """Makes a ttnn tensor from a numpy array; needs no torch."""
    return _ttnn.tensor_from_array(array, dtype, layout, device, memory_config, tile, pad_value)


@register_python_operation(name="ttnn.from_buffer")
def from_buffer(
    buffer: Sequence[float],
    shape: Sequence[int],
    dtype: _ttnn.DataType,
    device: _ttnn.MeshDevice,
    layout: _ttnn.Layout | None = None,
    memory_config: _ttnn.MemoryConfig | None = None,
) -> _ttnn.Tensor:
    """Makes a tensor on a device from a flat list of its numbers, row by row; in ROW_MAJOR unless `layout` says
    otherwise."""
    import numpy

    if dtype in (_ttnn.DataType.BFLOAT8_B, _ttnn.DataType.BFLOAT4_B):
        raise RuntimeError(f"ttnn.from_buffer(): argument 'dtype' must not be a block float, got {dtype}")
    dims = list(shape)
    numbers = numpy.asarray(list(buffer), _BUFFER_TYPES.get(dtype.name, "float32"))
    if numbers.size != math.prod(dims):
        raise RuntimeError(f"ttnn.from_buffer(): argument 'buffer' has {numbers.size} numbers, but the shape is {dims}")
    return _ttnn.tensor_from_array(
        numbers.reshape(dims), dtype, layout or _ttnn.Layout.ROW_MAJOR, device, memory_config, None, None
    )


@register_python_operation(name="ttnn.to_numpy")
def to_numpy(tensor: _ttnn.Tensor) -> Any:
    """The logical values as a numpy array; bfloat16 and block floats become float32."""
    return _ttnn.tensor_to_numpy(tensor)


# --- files -------------------------------------------------------------------------------------------------------------
# "TLTENSOR", version and length of the header as 4-byte little-endian numbers, a JSON header with the spec, packed bytes.
# Version 2, of distributed tensors: the header also says how they are spread ("placements": a dimension or null for
# each dimension of "distribution_shape") and which of the parts that follow each other each device has ("parts").


def _check_suffix(file_name: str | os.PathLike[str]) -> Path:
    path = Path(file_name)
    if path.suffix != ".tensorbin":
        raise RuntimeError(
            f"Unsupported file extension '{path.suffix}' of {path}: tensors are kept in .tensorbin files; the name "
            "must have .tensorbin extension"
        )
    return path


def _compiled(name: str) -> Callable[..., Any]:
    """The function of ttnn._ttnn.tensor, where users may have put another one."""
    return getattr(sys.modules[f"{_ROOT}._ttnn.tensor"], name)


@register_python_operation(name="ttnn.dump_tensor")
def dump_tensor(file_name: str | os.PathLike[str], tensor: _ttnn.Tensor, distribute: Any = None) -> None:
    """Writes a tensor to a .tensorbin file, which is replaced as a whole or not at all.

    Of a link, what it points to is replaced; a pipe is written into.
    """
    if distribute is not None:
        raise RuntimeError("ttnn.dump_tensor(): a tensor knows how it is spread over a mesh; leave `distribute` out")
    _compiled("dump_tensor_flatbuffer")(str(_check_suffix(file_name)), tensor)


def dump_tensor_flatbuffer(filename: str | os.PathLike[str], tensor: _ttnn.Tensor) -> None:
    """What dump_tensor calls. The file is one of ours: the name is the original's."""
    spec = tensor.spec
    header: dict[str, Any] = {
        "shape": list(spec.shape),
        "dtype": spec.dtype.name,
        "layout": spec.layout.name,
        "memory_config": json.loads(spec.memory_config.to_json()),
        "tile": list(spec.tile.tile_shape),
        "alignment": _ttnn.alignment_of(spec),
    }
    parts = _ttnn.get_device_tensors(tensor)
    version = _FILE_VERSION if len(parts) == 1 else _FILE_VERSION_OF_PARTS
    if len(parts) > 1:
        firsts = _ttnn.equal_parts(tensor)
        stored = sorted(set(firsts))
        topology = tensor.tensor_topology()
        header["placements"] = [getattr(placement, "dim", None) for placement in topology.placements()]
        header["distribution_shape"] = list(topology.distribution_shape())
        header["parts"] = [stored.index(first) for first in firsts]
        parts = [parts[first] for first in stored]
    text = json.dumps(header).encode()
    start = _FILE_MAGIC + version.to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
    with replaced(Path(filename), "wb") as file:
        file.write(start)
        for part in parts:
            file.write(_ttnn.tensor_to_bytes(part))


def _of_parts(header: dict[str, Any], spec: _ttnn.TensorSpec, data: bytes) -> _ttnn.Tensor:
    """A distributed tensor as a file has it."""
    numbers = header["parts"]
    count = max(numbers) + 1
    if len(data) % count != 0:
        raise RuntimeError(f"{len(data)} bytes are not those of {count} equal parts")
    size = len(data) // count
    stored = [_ttnn.tensor_from_bytes(spec, data[i * size : (i + 1) * size]) for i in range(count)]
    placements = [
        _ttnn.PlacementReplicate() if dim is None else _ttnn.PlacementShard(dim) for dim in header["placements"]
    ]
    return _ttnn.tensor_from_parts(
        [stored[number] for number in numbers], placements, _ttnn.MeshShape(header["distribution_shape"])
    )


def _read_file(path: Path) -> _ttnn.Tensor:
    with open(path, "rb") as file:
        start = file.read(16)
        if len(start) < 16 or start[:8] != _FILE_MAGIC:
            raise RuntimeError(f"{path} is not a tensor file of tracelift: it must start with {_FILE_MAGIC.decode()}")
        version = int.from_bytes(start[8:12], "little")
        if version not in (_FILE_VERSION, _FILE_VERSION_OF_PARTS):
            raise RuntimeError(
                f"{path} has version {version}; this tracelift reads version {_FILE_VERSION} and "
                f"{_FILE_VERSION_OF_PARTS}"
            )
        try:
            header = json.loads(file.read(int.from_bytes(start[12:16], "little")))
            spec = _ttnn.spec_of_file(
                header["shape"],
                _ttnn.DataType[header["dtype"]],
                _ttnn.Layout[header["layout"]],
                _ttnn.MemoryConfig.from_json(json.dumps(header["memory_config"])),
                _ttnn.Tile(header["tile"]),
                header["alignment"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise RuntimeError(f"{path}: the header at byte 16 is damaged: {error}") from None
        data = file.read()
    try:
        if version == _FILE_VERSION_OF_PARTS:
            return _of_parts(header, spec, data)
        return _ttnn.tensor_from_bytes(spec, data)
    except (RuntimeError, ValueError, KeyError, TypeError, IndexError) as error:
        raise RuntimeError(f"{path}: {error}") from None


@register_python_operation(name="ttnn.load_tensor")
def load_tensor(file_name: str | os.PathLike[str], *, device: _ttnn.MeshDevice | None = None) -> _ttnn.Tensor:
    """Reads a tensor from a .tensorbin file, onto a device where one is given."""
    path = _check_suffix(file_name)
    if not path.exists():
        raise RuntimeError(f"Unable to load the tensor from {path}. The file does not exist.")
    return _compiled("load_tensor_flatbuffer")(str(path), device)


def load_tensor_flatbuffer(file_name: str | os.PathLike[str], device: _ttnn.MeshDevice | None = None) -> _ttnn.Tensor:
    """What load_tensor calls."""
    tensor = _read_file(Path(file_name))
    return tensor if device is None else tensor.to(device)


@register_python_operation(name="ttnn.as_tensor")
def as_tensor(
    tensor: Any,
    dtype: _ttnn.DataType | None = None,
    *,
    layout: _ttnn.Layout | None = _ttnn.Layout.ROW_MAJOR,
    device: _ttnn.MeshDevice | None = None,
    memory_config: _ttnn.MemoryConfig | None = None,
    cache_file_name: str | os.PathLike[str] | None = None,
    preprocess: Callable[[Any], Any] | None = None,
    mesh_mapper: Any = None,
    use_device_tilizer: bool = False,
) -> _ttnn.Tensor:
    """from_torch with an optional cache file, named for dtype and layout.

    The file keeps the parts of a tensor that a mapper cut, and one copy of one that each device gets all of.
    """
    if device is not None and memory_config is None:
        raise RuntimeError("memory_config must be specified when device is specified")

    whole = isinstance(mesh_mapper, ReplicateTensorToMeshWrapper)  # what has one part reaches every device
    mapper = None if whole else mesh_mapper

    def make() -> _ttnn.Tensor:
        source = tensor if preprocess is None else preprocess(tensor)
        return _ttnn.tensor_from_array(
            source, dtype, layout, None, memory_config, None, None, False, mapper, "as_tensor"
        )

    def placed(host: _ttnn.Tensor) -> _ttnn.Tensor:
        return host if device is None else host.to(device, memory_config)

    if cache_file_name is None:
        return placed(make())
    dtype_name = "None" if dtype is None else dtype.name
    layout_name = "None" if layout is None else layout.name
    cache = Path(f"{cache_file_name}_dtype_{dtype_name}_layout_{layout_name}.tensorbin")
    if cache.exists():
        return placed(_read_file(cache))
    host = make()
    cache.parent.mkdir(parents=True, exist_ok=True)
    dump_tensor(cache, host)
    return placed(host)
