"""ttnn.model_preprocessing: the parameters of a torch model as ttnn tensors, in the tree of its modules.

    parameters = preprocess_model_parameters(initialize_model=lambda: model, device=device)
    parameters.encoder.query.weight

docs/python.md tells what becomes of each kind of module, and how a custom preprocessor takes part.
"""

from __future__ import annotations

import inspect
import logging
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import torch
except ImportError:
    raise ImportError("Torch is not installed. ttnn.model_preprocessing prepares parameters of torch modules") from None

from tracelift import _ttnn

from . import _config
from ._interop import from_torch as _from_torch
from ._module_args import infer_ttnn_module_args
from ._parameter_files import dump_parameters as _dump_parameters
from ._parameter_files import load_parameters as _load_parameters
from ._parameters import (
    Conv2dArgs,
    ConvTranspose2dArgs,
    GroupNormArgs,
    MaxPool2dArgs,
    ModuleArgs,
    ParameterDict,
    ParameterList,
    make_parameter_dict,
    repr_parameters,
)
from .torch_tracer import trace, visualize

__all__ = [
    "Conv2dArgs",
    "ConvTranspose2dArgs",
    "GroupNormArgs",
    "MaxPool2dArgs",
    "ModuleArgs",
    "ParameterDict",
    "ParameterList",
    "convert_torch_model_to_ttnn_model",
    "default_preprocessor",
    "fold_batch_norm2d_into_conv2d",
    "from_torch",
    "git_hash",
    "infer_ttnn_module_args",
    "make_parameter_dict",
    "merge_ttnn_module_args_into_parameters",
    "move_to_device",
    "preprocess_embedding_weight",
    "preprocess_layernorm_parameter",
    "preprocess_linear_bias",
    "preprocess_linear_weight",
    "preprocess_model",
    "preprocess_model_parameters",
    "preprocess_remaining_children_and_parameters",
    "repr_parameters",
    "torch_dtype_to_ttnn_dtype",
    "trace",
    "visualize",
]

_log = logging.getLogger("ttnn")
_TILE = _ttnn.Layout.TILE
_ROW_MAJOR = _ttnn.Layout.ROW_MAJOR
_BFLOAT16 = _ttnn.DataType.BFLOAT16
_VERSION_FILE = "version.txt"

CustomPreprocessor = Callable[..., Any]

# --- single parameters ------------------------------------------------------------------------------------------------


def preprocess_linear_weight(
    weight: torch.Tensor,
    *,
    dtype: _ttnn.DataType,
    layout: _ttnn.Layout = _TILE,
    weights_mesh_mapper: Any = None,
) -> _ttnn.Tensor:
    """[out, in] -> [in, out], on the host."""
    turned = weight.detach().T.contiguous()
    return _from_torch(turned, dtype=dtype, layout=layout, mesh_mapper=weights_mesh_mapper)


def preprocess_linear_bias(
    bias: torch.Tensor,
    *,
    dtype: _ttnn.DataType,
    layout: _ttnn.Layout = _TILE,
    weights_mesh_mapper: Any = None,
) -> _ttnn.Tensor:
    """[n] -> [1, n], on the host."""
    row = bias.detach().reshape((1, -1))
    return _from_torch(row, dtype=dtype, layout=layout, mesh_mapper=weights_mesh_mapper)


def preprocess_layernorm_parameter(
    parameter: torch.Tensor, *, dtype: _ttnn.DataType, layout: _ttnn.Layout = _TILE
) -> _ttnn.Tensor:
    """[...] -> [1, n], on the host."""
    return _from_torch(parameter.detach().reshape((1, -1)), dtype=dtype, layout=layout)


def preprocess_embedding_weight(weight: torch.Tensor, *, dtype: _ttnn.DataType) -> _ttnn.Tensor:
    """[entries, width] as it is, in rows, on the host."""
    return _from_torch(weight.detach(), dtype=dtype, layout=_ROW_MAJOR)


def fold_batch_norm2d_into_conv2d(conv: Any, bn: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Weight and bias of one torch.nn.Conv2d that computes what `conv` and then `bn` compute."""
    if not bn.track_running_stats:
        raise RuntimeError("BatchNorm2d must have track_running_stats=True to be folded into Conv2d")
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    weight = conv.weight * scale[:, None, None, None]
    if conv.bias is not None:
        return weight, (conv.bias - bn.running_mean) * scale + bn.bias
    return weight, bn.bias - bn.running_mean * scale


_DTYPES = {
    torch.uint8: _ttnn.DataType.UINT8,
    torch.int16: _ttnn.DataType.UINT16,
    torch.int32: _ttnn.DataType.INT32,
    torch.int64: _ttnn.DataType.UINT32,
    torch.bfloat16: _BFLOAT16,
    torch.float32: _BFLOAT16,
    torch.float64: _BFLOAT16,
}


def torch_dtype_to_ttnn_dtype(dtype: torch.dtype) -> _ttnn.DataType:
    """What parameters of a torch dtype become. Those without an entry raise KeyError."""
    return _DTYPES[dtype]


# --- modules ----------------------------------------------------------------------------------------------------------


def default_preprocessor(model: Any, name: Any, ttnn_module_args: Any) -> ParameterDict:
    """The parameters of a Linear, LayerNorm or Embedding in the form that operations want; of others none."""
    parameters = ParameterDict()
    if isinstance(model, torch.nn.Linear):
        parameters["weight"] = preprocess_linear_weight(model.weight, dtype=_BFLOAT16)
        if model.bias is not None:
            parameters["bias"] = preprocess_linear_bias(model.bias, dtype=_BFLOAT16)
    elif isinstance(model, torch.nn.LayerNorm):
        parameters["weight"] = preprocess_layernorm_parameter(model.weight, dtype=_BFLOAT16)
        parameters["bias"] = preprocess_layernorm_parameter(model.bias, dtype=_BFLOAT16)
    elif isinstance(model, torch.nn.Embedding):
        parameters["weight"] = preprocess_embedding_weight(model.weight, dtype=_BFLOAT16)
    return parameters


def _own_parameters(model: Any) -> dict[str, Any]:
    return {name: parameter for name, parameter in model.named_parameters() if "." not in name}


def _converted(model: Any, name: Any, ttnn_module_args: Any) -> ParameterDict:
    """The own parameters of a module as ttnn tensors."""
    parameters = default_preprocessor(model, name, ttnn_module_args)
    own = _own_parameters(model)
    if parameters:
        if len(parameters) != len(own) + len(list(model.named_children())):
            raise RuntimeError(
                "Not all children or parameters were converted using default_preprocessor_parameters! "
                f"{type(model).__name__} '{name}' has more than its base class; give it a custom preprocessor"
            )
        return parameters
    for parameter_name, parameter in own.items():
        dtype = torch_dtype_to_ttnn_dtype(parameter.dtype)
        parameters[parameter_name] = _from_torch(parameter.detach(), dtype=dtype)
    return parameters


def _kept(model: Any) -> ParameterDict:
    """The own parameters of a module as torch has them, the weight of a Linear turned."""
    own = ParameterDict(_own_parameters(model))
    if isinstance(model, torch.nn.Linear):
        own["weight"] = own["weight"].T.contiguous()
    return own


def _custom(
    custom_preprocessor: CustomPreprocessor,
    model: Any,
    name: Any,
    ttnn_module_args: Any,
    convert_to_ttnn: Callable[[Any, Any], bool],
) -> Any:
    """Calls a custom preprocessor with what its signature asks for."""
    names = list(inspect.signature(custom_preprocessor).parameters)
    if len(names) < 2:
        raise RuntimeError("Custom preprocessor must have at least two parameters: model and name")
    known = {"ttnn_module_args": ttnn_module_args, "convert_to_ttnn": convert_to_ttnn}
    for wanted in names[2:]:
        if wanted not in known:
            raise RuntimeError(f"Unsupported parameter: {wanted}")
    return custom_preprocessor(model, name, **{wanted: known[wanted] for wanted in names[2:]})


def _args_of(ttnn_module_args: Any, name: Any) -> Any:
    return ttnn_module_args.get(name) if isinstance(ttnn_module_args, dict) else None


def convert_torch_model_to_ttnn_model(
    model: Any,
    *,
    convert_to_ttnn: Callable[[Any, Any], bool],
    custom_preprocessor: CustomPreprocessor | None,
    name: Any,
    ttnn_module_args: Any,
) -> Any:
    """The parameters of a module and of those inside it. Buffers are not taken."""

    def child_parameters(child: Any, child_name: Any, key: Any) -> Any:
        return convert_torch_model_to_ttnn_model(
            child,
            convert_to_ttnn=convert_to_ttnn,
            custom_preprocessor=custom_preprocessor,
            name=child_name,
            ttnn_module_args=_args_of(ttnn_module_args, key),
        )

    if isinstance(model, torch.nn.ModuleList):
        return ParameterList(
            child_parameters(child, f"{name}.{index}" if name else str(index), index)
            for index, child in enumerate(model.children())
        )
    if custom_preprocessor is not None:
        given = _custom(custom_preprocessor, model, name, ttnn_module_args, convert_to_ttnn)
        if given:
            return make_parameter_dict(given)
    if not convert_to_ttnn(model, name):
        parameters = _kept(model)
    else:
        parameters = _converted(model, name, ttnn_module_args)
    for child_name, child in model.named_children():
        key = int(child_name) if child_name.isdigit() else child_name
        found = child_parameters(child, f"{name}.{key}" if name else key, key)
        if found:
            parameters[key] = found
    return parameters


def preprocess_remaining_children_and_parameters(
    model: Any,
    name: Any,
    convert_to_ttnn: Callable[[Any, Any], bool],
    custom_preprocessor: CustomPreprocessor | None,
    parameters: dict[Any, Any],
    ttnn_module_args: Any,
    *,
    already_preprocessed_children: Any,
) -> dict[Any, Any]:
    """Fills `parameters` with what a custom preprocessor left to the default: children and parameters not listed."""
    for child_name, child in model.named_children():
        if child_name in already_preprocessed_children:
            continue
        parameters[child_name] = convert_torch_model_to_ttnn_model(
            child,
            convert_to_ttnn=convert_to_ttnn,
            custom_preprocessor=custom_preprocessor,
            name=name,
            ttnn_module_args=_args_of(ttnn_module_args, child_name),
        )
    for parameter_name, parameter in _own_parameters(model).items():
        if parameter_name not in already_preprocessed_children:
            dtype = torch_dtype_to_ttnn_dtype(parameter.dtype)
            parameters[parameter_name] = _from_torch(parameter.detach(), dtype=dtype)
    return parameters


# --- whole models -----------------------------------------------------------------------------------------------------


def move_to_device(object: Any, device: _ttnn.MeshDevice) -> Any:
    """Parameters with their ttnn tensors on a device; torch tensors and whatever else there is stay."""
    if isinstance(object, ParameterDict):
        for name, value in object.items():
            object[name] = move_to_device(value, device)
    elif isinstance(object, ParameterList):
        object[:] = [move_to_device(value, device) for value in object]
    elif isinstance(object, _ttnn.Tensor) and object.storage_type() == _ttnn.StorageType.HOST:
        return _ttnn.operations()["ttnn.to_device"](object, device)
    return object


def merge_ttnn_module_args_into_parameters(parameters: Any, ttnn_module_args: Any, path: list[str] = []) -> Any:
    """Hangs the arguments of each module on its parameters, as `ttnn_module_args`."""
    if isinstance(ttnn_module_args, ModuleArgs):
        ttnn_module_args.pop("device", None)
        parameters["ttnn_module_args"] = ttnn_module_args
        return parameters
    for key in [key for key in parameters if key in ttnn_module_args]:
        here = [*path, str(key)]
        if not isinstance(parameters[key], dict) or not isinstance(ttnn_module_args[key], dict):
            raise Exception(f"Conflict at {'.'.join(here)}")
        merge_ttnn_module_args_into_parameters(parameters[key], ttnn_module_args[key], here)
    return parameters


def _with_module_objects(parameters: Any) -> Any:
    """New containers, in which entries with module args stand for themselves or raise: the classes are gone."""
    if isinstance(parameters, ParameterList):
        return ParameterList(_with_module_objects(value) for value in parameters)
    if not isinstance(parameters, ParameterDict):
        return parameters
    args = parameters.get("ttnn_module_args")
    if args is None:
        return ParameterDict((name, _with_module_objects(value)) for name, value in parameters.items())
    if isinstance(args, Conv2dArgs) and isinstance(parameters["weight"], torch.Tensor):
        return parameters
    if isinstance(args, (Conv2dArgs, MaxPool2dArgs)):
        name = type(args).__name__.removesuffix("Args")
        raise AttributeError(
            f"ttnn.{name} does not exist any more: keep its parameters in torch (convert_to_ttnn or a custom "
            "preprocessor), or leave run_model out"
        )
    raise RuntimeError(f"Unsupported ttnn module args: {type(args)}")


def git_hash() -> str:
    """The short hash of the commit that the working directory is at."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise RuntimeError("Couldn't get git hash!") from None


def _computed(
    initialize_model: Callable[[], Any],
    run_model: Callable[[Any], Any] | None,
    convert_to_ttnn: Callable[[Any, Any], bool] | None,
    custom_preprocessor: CustomPreprocessor | None,
    device: _ttnn.MeshDevice | None,
    prefix: Any,
) -> ParameterDict:
    model = initialize_model()
    if getattr(model, "training", False):
        _log.warning("Putting the model in eval mode")
        model.eval()
    ttnn_module_args = infer_ttnn_module_args(model=model, run_model=run_model, device=device)
    parameters = convert_torch_model_to_ttnn_model(
        model,
        convert_to_ttnn=convert_to_ttnn or (lambda model, name: True),
        custom_preprocessor=custom_preprocessor,
        name=prefix,
        ttnn_module_args=ttnn_module_args,
    )
    if ttnn_module_args is not None:
        parameters = merge_ttnn_module_args_into_parameters(parameters, ttnn_module_args)
    return make_parameter_dict(parameters)


def _is_valid(folder: Path, version: str) -> bool:
    file = folder / _VERSION_FILE
    return file.exists() and file.read_text().splitlines()[:1] == [version]


def from_torch(
    *,
    model_name: str | None = None,
    version: str | None = None,
    initialize_model: Callable[[], Any] | None = None,
    convert_to_ttnn: Callable[[Any, Any], bool] | None = None,
    custom_preprocessor: CustomPreprocessor | None = None,
    device: _ttnn.MeshDevice | None = None,
    prefix: Any = "",
    run_model: Callable[[Any], Any] | None = None,
    reader_patterns_cache: Any = None,
) -> ParameterDict:
    """preprocess_model without its care for ttnn.CONFIG."""

    def computed() -> ParameterDict:
        if initialize_model is None:
            raise RuntimeError(
                f'Cached weights for the model {model_name} (version "{version}") don\'t exist'
                if model_name is not None
                else "initialize_model is needed to make the model"
            )
        return _computed(initialize_model, run_model, convert_to_ttnn, custom_preprocessor, device, prefix)

    if model_name is None or not _config.CONFIG.enable_model_cache:
        _log.warning(
            "ttnn: model cache can be enabled by passing model_name argument to preprocess_model[_parameters] and "
            "setting env variable TTNN_CONFIG_OVERRIDES='{\"enable_model_cache\": true}'"
        )
        parameters = computed()
    else:
        version = git_hash() if version is None else version
        folder = Path(_config.CONFIG.model_cache_path) / model_name.replace("/", "_")
        if _is_valid(folder, version):
            parameters = _load_parameters(folder, besides=_VERSION_FILE)
        else:
            parameters = computed()
            if folder.exists():
                shutil.rmtree(folder)
            _dump_parameters(folder, parameters)
            (folder / _VERSION_FILE).write_text(version)
    if device is not None:
        parameters = move_to_device(parameters, device)
    return _with_module_objects(parameters)


def preprocess_model(
    *,
    model_name: str | None = None,
    version: str | None = None,
    initialize_model: Callable[[], Any] | None = None,
    convert_to_ttnn: Callable[[Any, Any], bool] | None = None,
    custom_preprocessor: CustomPreprocessor | None = None,
    device: _ttnn.MeshDevice | None = None,
    prefix: Any = "",
    run_model: Callable[[Any], Any] | None = None,
    reader_patterns_cache: Any = None,
) -> ParameterDict:
    """preprocess_model_parameters, with the arguments of the modules that `run_model(model)` calls.

    `reader_patterns_cache` has no effect: no patterns of reads are prepared here.
    """
    with _config.manage_config("enable_logging", False), _config.manage_config("enable_comparison_mode", False):
        return from_torch(
            model_name=model_name,
            version=version,
            initialize_model=initialize_model,
            convert_to_ttnn=convert_to_ttnn,
            custom_preprocessor=custom_preprocessor,
            device=device,
            prefix=prefix,
            run_model=run_model,
            reader_patterns_cache=reader_patterns_cache,
        )


def preprocess_model_parameters(
    *,
    model_name: str | None = None,
    version: str | None = None,
    initialize_model: Callable[[], Any] | None = None,
    convert_to_ttnn: Callable[[Any, Any], bool] | None = None,
    custom_preprocessor: CustomPreprocessor | None = None,
    device: _ttnn.MeshDevice | None = None,
    prefix: Any = "",
) -> ParameterDict:
    """The parameters of a torch model, in the tree of its modules.

    `initialize_model()` gives the model. `convert_to_ttnn(module, name)` says of which modules the parameters become
    ttnn tensors (default: all); `custom_preprocessor(module, name)` may return the parameters of a module itself. With
    a `device` the tensors move there. With a `model_name` and CONFIG.enable_model_cache they are kept in files.
    """
    return preprocess_model(
        model_name=model_name,
        version=version,
        initialize_model=initialize_model,
        convert_to_ttnn=convert_to_ttnn,
        custom_preprocessor=custom_preprocessor,
        device=device,
        prefix=prefix,
    )
