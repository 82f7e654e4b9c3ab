"""MasterConfigLoader: traced configurations of a master as the parameters of a sweep suite.

    loader = MasterConfigLoader()
    parameters = {"model_traced": loader.get_suite_parameters("sigmoid_accurate")}

A suite holds names ("sigmoid_accurate_traced_7"), which `unpack_traced_config` turns into the values of that very
configuration, so that values which were traced together stay together.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
from typing import Any, NamedTuple

from tracelift import _ttnn

from .. import ttnn_objects
from ..ttnn_objects import build
from .traced_config import DRAM_INTERLEAVED, TracedConfig, letter

__all__ = [
    "MasterConfigLoader",
    "TracedConfiguration",
    "get_traced_config",
    "unpack_binary_traced_config",
    "unpack_traced_config",
]

MASTER_NAME = "ttnn_operations_master.json"
DATABASE_NAME = "tracelift.db"
_MARK = "_traced_"
_LEAD_MODELS = ("deepseek_v3",)
_FORMS = ("names", "joined", "format2")


class TracedConfiguration(NamedTuple):
    """One configuration as the master has it, with where it came from."""

    arguments: Any  # a list of {"arg0": ...} (format 1) or {"arg0": ..., "keyword": ...} (format 2)
    source: str
    machine_info: Any
    config_hash: str | None


def find_master() -> pathlib.Path:
    """Where the master is when nobody says: the environment, then the places of the guides."""
    given = os.environ.get("TTNN_MASTER_JSON_PATH")
    if given:
        return pathlib.Path(given)
    folders = ["model_tracer/traced_operations", "traced_operations"]
    store = os.environ.get("TRACELIFT_DIR")
    if store and pathlib.Path(store).is_file():  # commands take a master by itself for a store
        return pathlib.Path(store)
    if store:
        folders.insert(0, store)
    names = [MASTER_NAME, "ttnn_operations_master_v2_reconstructed.json", "ttnn_operations_master_v2.json"]
    for folder in map(pathlib.Path, folders):
        if (folder / DATABASE_NAME).exists():
            return folder
        for name in names:
            if (folder / name).exists():
                return folder / name
    return pathlib.Path(folders[0]) / MASTER_NAME


def _identity(path: pathlib.Path) -> tuple[Any, ...]:
    """Changes when what the path names changes."""
    parts = [path]
    if path.is_dir():
        parts = [path / DATABASE_NAME, path / f"{DATABASE_NAME}-wal", path / MASTER_NAME]
    elif path.name in (DATABASE_NAME, MASTER_NAME):
        parts = [path, path.with_name(DATABASE_NAME), path.with_name(f"{DATABASE_NAME}-wal")]
    marks: list[Any] = [str(path.resolve())]
    for part in parts:
        try:
            stat = part.stat()
            marks.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
        except FileNotFoundError:
            marks.append(None)
    return tuple(marks)


class _Operation(NamedTuple):
    configs: list[TracedConfig]
    problems: list[str]  # of the configurations that could not be read
    summary: tuple[int, int, int, int]  # shapes, and distinct dtypes, layouts and memory configs


_NOTHING = _Operation([], [], (0, 0, 0, 0))
_read: dict[tuple[Any, ...], _Operation] = {}  # by file and name; a file that changed is another one
_named: dict[str, list[TracedConfig]] = {}  # what suites refer to by name, by the name that was asked for


def _read_operation(path: pathlib.Path, name: str) -> _Operation:
    key = (*_identity(path), name)
    if key not in _read:
        found = _ttnn.traced_operation(path, name)
        problems = [found.problem(index) for index in range(len(found))]
        configs = [TracedConfig(found, index) for index, problem in enumerate(problems) if not problem]
        _read[key] = _Operation(configs, [problem for problem in problems if problem], found.summary())
    return _read[key]



def _distinct(values: list[Any]) -> list[Any]:
    """In the order of their first appearance; values are compared by what they say."""
    seen: dict[str, Any] = {}
    for value in values:
        seen.setdefault(repr(value), value)
    return list(seen.values())


def _lead_models_only() -> bool:
    return os.environ.get("TTNN_LEAD_MODELS_ONLY", "").lower() in ("1", "true", "yes")


def _is_of_lead_model(sources: Any, patterns: tuple[str, ...]) -> bool:
    texts = sources if isinstance(sources, list) else [sources]
    return any(pattern.lower() in str(text).lower() for text in texts if text is not None for pattern in patterns)


def _first_source(source: Any) -> str:
    """Of a list the first, as the original normalises contexts."""
    if isinstance(source, list):
        source = source[0] if source else None
    return "unknown" if source is None else str(source)


class MasterConfigLoader:
    """Reads one master: a file of format 1 or 2, or a store of tracelift. A missing one behaves as an empty one."""

    def __init__(
        self,
        master_file_path: str | os.PathLike[str] | None = None,
        *,
        lead_models_only: bool | None = None,
        lead_models: tuple[str, ...] = _LEAD_MODELS,
    ) -> None:
        self.master_file_path = pathlib.Path(master_file_path) if master_file_path is not None else find_master()
        self.lead_models_only = _lead_models_only() if lead_models_only is None else lead_models_only
        self._lead_models = lead_models

    def _operation(self, name: str) -> _Operation:
        if not self.master_file_path.exists():
            print(
                f"❌ There is no master {self.master_file_path}: trace a model, or name one by TTNN_MASTER_JSON_PATH"
            )
            return _NOTHING
        try:
            operation = _read_operation(self.master_file_path, name)
        except RuntimeError as error:
            print(f"❌ The master cannot be read: {error}")
            return _NOTHING
        if not self.lead_models_only:
            return operation
        kept = [config for config in operation.configs if self._is_lead(config)]
        return _Operation(kept, operation.problems, _summary(kept))

    def _is_lead(self, config: TracedConfig) -> bool:
        return any(_is_of_lead_model(source, self._lead_models) for source, _ in config.sources)

    def operations(self) -> list[str]:
        """The names in the master, as it has them."""
        return _ttnn.traced_operation_names(self.master_file_path) if self.master_file_path.exists() else []

    # --- as the master has it -----------------------------------------------------------------------------------------

    def get_operation_configs(self, operation_name: str) -> list[TracedConfiguration]:
        """The configurations of an operation by any of its names, one per execution that the master lists."""
        found = self._operation(operation_name)
        tuples = []
        for config in found.configs:
            for source, machine in config.sources:
                if self.lead_models_only and not _is_of_lead_model(source, self._lead_models):
                    continue
                tuples.append(
                    TracedConfiguration(config.raw_arguments(), _first_source(source), machine, config.config_hash)
                )
        if not found.configs:
            print(f"⚠️ No configurations found for operation: {operation_name}")
        return tuples

    def get_traced_configs(self, operation_name: str) -> list[TracedConfig]:
        """The configurations with their arguments as objects of ttnn, each under every name it goes by."""
        return list(self._operation(operation_name).configs)

    def get_raw_configurations(self, operation_name: str, max_configs: int = 10) -> list[Any]:
        """The arguments alone, of the first few."""
        return [config.raw_arguments() for config in self._operation(operation_name).configs[:max_configs]]

    def parse_memory_config(self, memory_config: dict[str, Any], tensor_shape: Any = None) -> Any:
        """A ttnn.MemoryConfig of what a master says about one, with the exact traced shard shape.

        `tensor_shape` is part of the documented signature; nothing is computed from it.
        """
        del tensor_shape
        return build(neutral_memory_config(memory_config))

    # --- suites -------------------------------------------------------------------------------------------------------

    def get_suite_parameters(
        self, operation_name: str, suite_name: str = "model_traced", all_cases: bool = False, *, form: str = "names"
    ) -> dict[str, list[Any]]:
        """The parameters of one suite.

        `form` is how configurations stay together: "names" (the documented one), "joined" (one comma-joined key with
        tuples of values), or "format2" (the same over the union of all arguments, with the trace's own fields).
        """
        if form not in _FORMS:
            raise ValueError(f"form must be one of {', '.join(_FORMS)}, got {form!r}")
        found = self._operation(operation_name)
        configs = found.configs
        if not configs and not found.problems:
            print(f"⚠️ No configurations found for operation: {operation_name}")
            return {
                "input_shape": [[1, 32, 32]],
                "input_a_dtype": [],
                "input_a_layout": [],
                "input_a_memory_config": [],
                "output_memory_config": [],
            }
        _named[operation_name] = configs
        _tell(operation_name, found)
        if not configs:
            return {"traced_config_name": []}
        if all_cases:
            return _cartesian(configs)
        if form == "joined":
            return _joined(configs)
        if form == "format2":
            return _format2(configs)
        return {"traced_config_name": [f"{operation_name}{_MARK}{index}" for index in range(len(configs))]}

    def convert_to_sweep_parameters(self, operation_name: str, max_configs: int = 50) -> dict[str, dict[str, Any]]:
        """Distinct values of the first inputs, for a suite that mixes them freely."""
        ttnn = ttnn_objects.ttnn_module()
        configs = self._operation(operation_name).configs[:max_configs]
        tensors = [config.neutral_tensors[0][2] for config in configs if config.neutral_tensors]

        def distinct(part: str, at_most: int | None = None) -> list[Any]:
            return [build(value) for value in _distinct([tensor[part] for tensor in tensors])[:at_most]]

        return {
            "master_configs": {
                "input_shapes": distinct("shape", 20),
                "input_dtypes": distinct("dtype"),
                "input_layouts": distinct("layout"),
                "input_memory_configs": distinct("memory_config", 10),
                "output_memory_configs": [ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG],
            }
        }


def neutral_memory_config(memory_config: dict[str, Any]) -> Any:
    """Of a dict in any of the masters' spellings; what lacks a shard spec that it needs is interleaved in DRAM."""
    layout = str(memory_config.get("memory_layout", "INTERLEAVED")).replace("::", ".").rpartition(".")[2]
    buffer = str(memory_config.get("buffer_type", "DRAM")).replace("::", ".").rpartition(".")[2]
    spec = memory_config.get("shard_spec")
    nd_spec = memory_config.get("nd_shard_spec")
    normal = {
        **memory_config,
        "memory_layout": f"TensorMemoryLayout::{layout}",
        "buffer_type": f"BufferType::{buffer}",
    }
    if layout != "INTERLEAVED" and not isinstance(spec, dict) and not isinstance(nd_spec, dict):
        return DRAM_INTERLEAVED
    made_by_nd = memory_config.get("created_with_nd_shard_spec") in (True, 1, "1", "true")
    if not isinstance(spec, dict) and isinstance(nd_spec, dict) and not made_by_nd:
        del normal["nd_shard_spec"]
        normal["shard_spec"] = {
            "grid": nd_spec.get("grid"),
            "shape": nd_spec.get("shard_shape"),
            "orientation": nd_spec.get("orientation", "ShardOrientation::ROW_MAJOR"),
        }
    normal = {key: value for key, value in normal.items() if value is not None}
    value = _ttnn.traced_value(json.dumps(normal))
    if not (isinstance(value, tuple) and value[0] == "struct"):
        raise ValueError(f"not a memory config: {memory_config!r}: {value!r}")
    return value


def _tell(operation_name: str, found: _Operation) -> None:
    """The summary of the guide: shapes are counted per configuration, the rest by distinct values."""
    if found.problems:
        print(f"⚠️ Failed to parse {len(found.problems)} configurations of {operation_name}")
        for problem in found.problems[:5]:
            print(f"   • {problem}")
    shapes, dtypes, layouts, memory_configs = found.summary
    print(f"✅ Loaded {len(found.configs)} model-traced configurations for {operation_name}")
    print(f"   • Shapes: {shapes}")
    print(f"   • Dtypes: {dtypes} unique")
    print(f"   • Layouts: {layouts} unique")
    print(f"   • Memory Configs: {memory_configs} unique", flush=True)


def _summary(configs: list[TracedConfig]) -> tuple[int, int, int, int]:
    """Of a part of the configurations; that of all comes with them. The output's memory follows from the input's."""
    first = [config.neutral_tensors[0][2] for config in configs if config.neutral_tensors]
    dtypes, layouts, memory = (
        len(_distinct([tensor[part] for tensor in first])) for part in ("dtype", "layout", "memory_config")
    )
    return len(first), dtypes, layouts, memory


# --- how configurations become parameters -----------------------------------------------------------------------------


def _arity(configs: list[TracedConfig]) -> int:
    """Of the first configuration; a call without tensors counts as unary."""
    return max(1, len(configs[0].neutral_tensors))


def _cartesian(configs: list[TracedConfig]) -> dict[str, list[Any]]:
    """Every combination of distinct values; memory configs that go together stay together."""
    arity = _arity(configs)
    whole = [config for config in configs if len(config.neutral_tensors) >= arity]
    if not whole:
        return _cartesian_arguments(configs)
    parameters: dict[str, list[Any]] = {}
    shapes = [[tensor[2]["shape"] for tensor in config.neutral_tensors[:arity]] for config in whole]
    names = {1: [""], 2: ["self", "other"]}.get(arity, [f"input_{letter(index)}" for index in range(arity)])
    parameters["input_shape"] = [
        shape[0] if arity == 1 else dict(zip(names, shape)) for shape in _distinct(shapes)
    ]
    for part in ("dtype", "layout"):
        for index in range(arity):
            values = [config.neutral_tensors[index][2][part] for config in whole]
            parameters[f"input_{letter(index)}_{part}"] = [build(value) for value in _distinct(values)]
    keys = [f"input_{letter(index)}_memory_config" for index in range(arity)]
    memory = [[tensor[2]["memory_config"] for tensor in config.neutral_tensors[:arity]] for config in whole]
    if arity == 1:
        keys.append("output_memory_config")
        memory = [[*each, config.neutral_output_memory] for each, config in zip(memory, whole)]
    parameters[",".join(keys)] = [tuple(build(each)) for each in _distinct(memory)]
    return _with_total(parameters)


def _cartesian_arguments(configs: list[TracedConfig]) -> dict[str, list[Any]]:
    """Of operations without tensors, such as zeros: every combination of their distinct arguments."""
    names = dict.fromkeys(name for config in configs for name, _, _ in config.arguments)
    return _with_total({name: _distinct([config.by_name(name) for config in configs]) for name in names})


def _with_total(parameters: dict[str, list[Any]]) -> dict[str, list[Any]]:
    total = math.prod(len(values) for values in parameters.values())
    print(f"📊 all_cases=True: Will generate ~{total} test vectors (Cartesian product)", flush=True)
    return parameters


def _rows(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """One comma-joined key over all names, a tuple per row; what a row lacks is None. Equal rows are one."""
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    tuples = _distinct([tuple(row.get(name) for name in names) for row in rows])
    if len(names) == 1:
        return {next(iter(names)): [each[0] for each in tuples]}
    return {",".join(names): tuples}


def _joined(configs: list[TracedConfig]) -> dict[str, list[Any]]:
    arity = _arity(configs)
    rows = []
    for config in configs:
        row: dict[str, Any] = {"input_shape": config.input_shape()}
        tensors = config.tensors[:arity]
        parts = ("dtype", "layout", "memory_config")
        if arity == 2:  # part by part
            for part in parts:
                row.update({f"input_{letter(i)}_{part}": getattr(tensor, part) for i, tensor in enumerate(tensors)})
        else:
            for index, tensor in enumerate(tensors):
                row.update({f"input_{letter(index)}_{part}": getattr(tensor, part) for part in parts})
        row["output_memory_config"] = config.output_memory_config
        if arity == 1 and tensors:
            row["storage_type"] = f"StorageType::{tensors[0].storage_type}"
        for index, tensor in enumerate(config.tensors[arity:], arity):  # more than the first configuration has
            row.update({f"input_{letter(index)}_{part}": getattr(tensor, part) for part in parts})
        row.update({name: config.by_name(name) for name, _ in config.other_arguments()})
        rows.append(row)
    return _rows(rows)


def _format2(configs: list[TracedConfig]) -> dict[str, list[Any]]:
    rows = []
    for config in configs:
        for machine in _distinct([machine for _, machine in config.sources]):
            row = _format2_row(config)
            sources = [source for source, each in config.sources if each == machine]
            row["traced_source"] = _first_source(sources[0])
            row["traced_machine_info"] = machine
            row["config_hash"] = config.config_hash
            rows.append(row)
    return _rows(rows)


_NOT_FINITE = {
    "inf": "inf",
    "Infinity": "inf",
    "-inf": "-inf",
    "-Infinity": "-inf",
    "nan": "nan",
    "NaN": "nan",
}


def _number(value: Any) -> Any:
    """Numbers that JSON has no token for stand as texts in masters."""
    return float(_NOT_FINITE[value]) if isinstance(value, str) and value in _NOT_FINITE else value


def _format2_row(config: TracedConfig) -> dict[str, Any]:
    row: dict[str, Any] = {}
    parts = ("shape", "dtype", "layout", "memory_config", "tensor_placement")
    count = 0
    for name, position, value in config.arguments:
        tensors = ttnn_objects.tensors_in(value)
        if not tensors:
            row[name if position is None else f"arg{position}"] = _number(config.by_name(name))
            continue
        for item, neutral in enumerate(tensors):
            tensor = build(neutral)
            if position is not None:
                prefix = f"input_{letter(count)}"
                count += 1
            else:
                prefix = name if ttnn_objects.is_tensor(value) else f"{name}_{item}"
            for part in parts:
                found = getattr(tensor, part)
                row[f"{prefix}_{part}"] = tuple(found) if part == "shape" else found
    if count:
        row["output_memory_config"] = config.output_memory_config
    return row


# --- names back to values ---------------------------------------------------------------------------------------------


def is_traced_config_name(text: Any) -> bool:
    """Of the form "add_traced_7", whether or not anything goes by it."""
    parts = str(text).split(_MARK)
    return len(parts) == 2 and parts[1].isdecimal()


def _find(traced_config_name: Any) -> tuple[TracedConfig | None, list[TracedConfig]]:
    """The configuration of a name, and all of its operation."""
    if not is_traced_config_name(traced_config_name):
        return None, []
    operation, index = str(traced_config_name).split(_MARK)
    configs = _named.get(operation, [])
    return (configs[int(index)] if int(index) < len(configs) else None), configs


def find_traced_config(traced_config_name: Any) -> TracedConfig | None:
    """The configuration that a suite of this process named; None for a name that nobody gave out."""
    return _find(traced_config_name)[0]


def get_traced_config(traced_config_name: str) -> dict[str, Any] | None:
    """Everything about a configuration by its documented keys, or None."""
    config = find_traced_config(traced_config_name)
    return None if config is None else config.entry()


def _defaults(binary: bool) -> tuple[Any, ...]:
    ttnn = ttnn_objects.ttnn_module()
    dram = build(DRAM_INTERLEAVED)
    if not binary:
        return [1, 32, 32], ttnn.bfloat16, ttnn.TILE_LAYOUT, dram, dram
    shapes = {"self": [1, 32, 32], "other": [1, 32, 32]}
    layout = ttnn.TILE_LAYOUT
    return shapes, ttnn.bfloat16, ttnn.bfloat16, layout, layout, dram, dram


def unpack_traced_config(traced_config_name: str, use_defaults: bool = False) -> tuple[Any, ...]:
    """(shape, dtype, layout, memory_config, output_memory_config) of the first tensor.

    For operations whose first configuration has one tensor; others of the same operation may have more (an output).
    """
    config, configs = _find(traced_config_name)
    if config is not None and config.tensors and (len(config.tensors) == 1 or _arity(configs) == 1):
        tensor = config.tensors[0]
        return tensor.shape, tensor.dtype, tensor.layout, tensor.memory_config, config.output_memory_config
    if config is not None and config.tensors:
        print(f"⚠️ {traced_config_name} has {len(config.tensors)} tensors: use unpack_binary_traced_config()")
    return _defaults(binary=False) if use_defaults else (None,) * 5


def unpack_binary_traced_config(traced_config_name: str, use_defaults: bool = False) -> tuple[Any, ...]:
    """({"self": shape, "other": shape}, dtypes, layouts, memory configs) of the first two tensors: seven values.

    Where an operation takes a tensor or a number, a configuration with a number has None for the second tensor's.
    """
    config, configs = _find(traced_config_name)
    if config is not None and config.tensors and any(len(each.neutral_tensors) > 1 for each in configs):
        a = config.tensors[0]
        if len(config.tensors) == 1:
            return {"self": a.shape, "other": None}, a.dtype, None, a.layout, None, a.memory_config, None
        b = config.tensors[1]
        shapes = {"self": a.shape, "other": b.shape}
        return shapes, a.dtype, b.dtype, a.layout, b.layout, a.memory_config, b.memory_config
    if config is not None:
        print(f"⚠️ {traced_config_name} has {len(config.tensors)} tensor: use unpack_traced_config()")
    return _defaults(binary=True) if use_defaults else (None,) * 7
