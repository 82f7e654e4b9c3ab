"""ttnn.model_preprocessing, as the code of models uses it."""

import copy
import functools
import json
import logging

import pytest
import torch

import ttnn
from ttnn.model_preprocessing import (
    Conv2dArgs,
    MaxPool2dArgs,
    ModuleArgs,
    ParameterDict,
    ParameterList,
    convert_torch_model_to_ttnn_model,
    fold_batch_norm2d_into_conv2d,
    infer_ttnn_module_args,
    make_parameter_dict,
    preprocess_embedding_weight,
    preprocess_layernorm_parameter,
    preprocess_linear_bias,
    preprocess_linear_weight,
    preprocess_model,
    preprocess_model_parameters,
)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def bfloat16(tensor):
    return tensor.detach().to(torch.bfloat16).float()


def values(tensor):
    return ttnn.to_torch(tensor).float()


# --- single parameters ------------------------------------------------------------------------------------------------


def test_linear_weights_are_turned_and_biases_are_rows():
    linear = torch.nn.Linear(4, 8)
    weight = preprocess_linear_weight(linear.weight, dtype=ttnn.bfloat16)
    bias = preprocess_linear_bias(linear.bias, dtype=ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT)
    assert (weight.dtype, weight.layout, weight.storage_type()) == (
        ttnn.bfloat16,
        ttnn.TILE_LAYOUT,
        ttnn.StorageType.HOST,
    )
    assert list(weight.shape) == [4, 8] and torch.equal(values(weight), bfloat16(linear.weight.T))
    assert bias.layout == ttnn.ROW_MAJOR_LAYOUT and torch.equal(values(bias), linear.bias.detach().reshape(1, 8))


def test_norms_are_rows_and_embeddings_stay():
    norm, embedding = torch.nn.LayerNorm([2, 3]), torch.nn.Embedding(5, 6)
    parameter = preprocess_layernorm_parameter(norm.weight, dtype=ttnn.bfloat16)
    assert list(parameter.shape) == [1, 6] and parameter.layout == ttnn.TILE_LAYOUT
    table = preprocess_embedding_weight(embedding.weight, dtype=ttnn.bfloat16)
    assert table.layout == ttnn.ROW_MAJOR_LAYOUT and torch.equal(values(table), bfloat16(embedding.weight))


def test_weights_are_cut_by_a_mapper():
    with ttnn.create_mesh_device(ttnn.MeshShape(1, 2)) as mesh:
        weight = torch.rand(64, 32)
        mapper = ttnn.ShardTensorToMesh(mesh, dim=1)
        cut = preprocess_linear_weight(weight, dtype=ttnn.float32, weights_mesh_mapper=mapper)
        parts = ttnn.get_device_tensors(ttnn.to_device(cut, mesh))
        assert [list(part.shape) for part in parts] == [[32, 32], [32, 32]]
        assert torch.equal(values(parts[1]), weight.T[:, 32:])


def norms(channels):
    norm = torch.nn.BatchNorm2d(channels).eval()
    for parameter in (norm.weight, norm.bias, norm.running_mean):
        parameter.data.uniform_(-1, 1)
    norm.running_var.uniform_(0.5, 2)
    return norm


@pytest.mark.parametrize("with_bias", [True, False])
def test_a_folded_batch_norm_computes_the_same(with_bias):
    conv, norm = torch.nn.Conv2d(3, 8, 3, bias=with_bias), norms(8)
    images = torch.rand(2, 3, 9, 9)
    weight, bias = fold_batch_norm2d_into_conv2d(conv, norm)
    assert bias.shape == (8,) and weight.requires_grad
    torch.testing.assert_close(torch.nn.functional.conv2d(images, weight, bias), norm(conv(images)))


def test_published_figures_of_a_fold():
    conv, norm = torch.nn.Conv2d(1, 1, 1), torch.nn.BatchNorm2d(1, eps=0.0)
    conv.bias.data.fill_(5.0)
    norm.running_var.fill_(4.0)
    norm.running_mean.fill_(1.0)
    norm.weight.data.fill_(2.0)
    norm.bias.data.fill_(3.0)
    weight, bias = fold_batch_norm2d_into_conv2d(conv, norm)
    assert torch.equal(weight, conv.weight) and bias.item() == 7.0
    with pytest.raises(RuntimeError, match="track_running_stats"):
        fold_batch_norm2d_into_conv2d(conv, torch.nn.BatchNorm2d(1, track_running_stats=False))


# --- containers -------------------------------------------------------------------------------------------------------


def test_parameters_are_read_as_attributes():
    parameters = make_parameter_dict({"a": {"weight": 1}, "args": MaxPool2dArgs(kernel_size=2), "plain": [{"b": 1}]})
    assert parameters.a.weight == 1 and isinstance(parameters.a, ParameterDict)
    assert parameters.args.kernel_size == 2 and type(parameters.plain[0]) is dict
    parameters.conv_args = {"x": 1}  # an attribute, which is no item
    assert parameters.conv_args == {"x": 1} and "conv_args" not in parameters and "conv_args" not in repr(parameters)
    del parameters.a
    assert "a" not in parameters
    with pytest.raises(KeyError):
        parameters.missing
    with pytest.raises(KeyError, match="__deepcopy__"):
        copy.deepcopy(parameters)
    assert make_parameter_dict(parameters) is parameters
    assert 1 in ParameterList(["x", "y"]) and 2 not in ParameterList(["x", "y"])


def test_parameters_print_as_indented_text():
    parameters = ParameterDict(
        weight=ttnn.from_torch(torch.zeros(4, 8), layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16),
        bias=torch.zeros(4),
        blocks=ParameterList([ParameterDict(), 3]),
        args=Conv2dArgs(stride=1),
    )
    assert repr(parameters) == (
        "{\n"
        "  weight: ttnn.Tensor(shape=Shape([4, 8]), layout=Layout.TILE, dtype=DataType.BFLOAT16),\n"
        "  bias: torch.Tensor(shape=torch.Size([4]), dtype=torch.float32),\n"
        "  blocks: [\n    {},\n    3\n  ],\n"
        "  args: {\n    stride: 1\n  }\n"
        "}"
    )
    assert repr(ParameterList()) == "[]" and repr(Conv2dArgs(stride=1)) == "{'stride': 1}"


def test_dot_access():
    from ttnn.dot_access import DotAccessDict, make_dot_access_dict

    args = make_dot_access_dict({"a": {"b": 1}, "kept": ModuleArgs(c=2)}, ignore_types=ModuleArgs)
    assert args.a.b == 1 and isinstance(args.a, DotAccessDict) and type(args.kept) is ModuleArgs
    assert make_dot_access_dict(args) is args
    with pytest.raises(KeyError):
        args.nothing


# --- modules ----------------------------------------------------------------------------------------------------------


def parameters_of(model, **options):
    return preprocess_model_parameters(initialize_model=lambda: model, **options)


def facts(tensor):
    if isinstance(tensor, torch.Tensor):
        return list(tensor.shape), tensor.dtype
    assert tensor.storage_type() == ttnn.StorageType.HOST
    return list(tensor.shape), tensor.layout.name, tensor.dtype.name


@pytest.mark.parametrize(
    "model, expected",
    [
        (
            torch.nn.Linear(4, 8),
            {"weight": ([4, 8], "TILE", "BFLOAT16"), "bias": ([1, 8], "TILE", "BFLOAT16")},
        ),
        (torch.nn.Linear(4, 8, bias=False), {"weight": ([4, 8], "TILE", "BFLOAT16")}),
        (
            torch.nn.LayerNorm(8),
            {"weight": ([1, 8], "TILE", "BFLOAT16"), "bias": ([1, 8], "TILE", "BFLOAT16")},
        ),
        (torch.nn.Embedding(5, 6), {"weight": ([5, 6], "ROW_MAJOR", "BFLOAT16")}),
        (
            torch.nn.Conv2d(3, 8, 3),
            {"weight": ([8, 3, 3, 3], "ROW_MAJOR", "BFLOAT16"), "bias": ([8], "ROW_MAJOR", "BFLOAT16")},
        ),
        (
            torch.nn.BatchNorm2d(8),
            {"weight": ([8], "ROW_MAJOR", "BFLOAT16"), "bias": ([8], "ROW_MAJOR", "BFLOAT16")},
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, torch.nn.Module) else "",
)
def test_what_becomes_of_a_module(model, expected):
    parameters = parameters_of(model)
    assert {name: facts(tensor) for name, tensor in parameters.items()} == expected


def test_attention_has_a_linear_inside():
    parameters = parameters_of(torch.nn.MultiheadAttention(8, 2))
    assert list(parameters) == ["in_proj_weight", "in_proj_bias", "out_proj"]
    assert facts(parameters.in_proj_weight) == ([24, 8], "ROW_MAJOR", "BFLOAT16")
    assert facts(parameters.out_proj.bias) == ([1, 8], "TILE", "BFLOAT16")


def test_modules_that_are_not_converted():
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Conv2d(3, 8, 3))
    parameters = parameters_of(model, convert_to_ttnn=lambda module, name: not isinstance(module, torch.nn.Linear))
    assert facts(parameters[0].weight) == ([4, 8], torch.float32) and facts(parameters[0].bias) == ([8], torch.float32)
    assert torch.equal(parameters[0].weight, model[0].weight.T)
    assert facts(parameters[1].bias) == ([8], "ROW_MAJOR", "BFLOAT16")


def test_dtypes_of_other_parameters():
    model = torch.nn.Module()
    for dtype in (torch.uint8, torch.int16, torch.int32, torch.int64, torch.bfloat16, torch.float64):
        name = "of_" + str(dtype).removeprefix("torch.")
        model.register_parameter(name, torch.nn.Parameter(torch.ones(3).to(dtype), requires_grad=False))
    dtypes = {name: tensor.dtype.name for name, tensor in parameters_of(model).items()}
    assert dtypes == {
        "of_uint8": "UINT8",
        "of_int16": "UINT16",
        "of_int32": "INT32",
        "of_int64": "UINT32",
        "of_bfloat16": "BFLOAT16",
        "of_float64": "BFLOAT16",
    }
    model.register_parameter("of_float16", torch.nn.Parameter(torch.ones(3, dtype=torch.float16)))
    with pytest.raises(KeyError):
        parameters_of(model)


def test_a_linear_with_more_than_a_linear_has():
    class More(torch.nn.Linear):
        def __init__(self):
            super().__init__(4, 8)
            self.scale = torch.nn.Parameter(torch.ones(1))

    with pytest.raises(
        RuntimeError, match="Not all children or parameters were converted using default_preprocessor_p"
    ):
        parameters_of(More())


class Mixed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.rand(2))
        self.l = torch.nn.Linear(2, 2)
        self.ml = torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.ReLU()])
        self.md = torch.nn.ModuleDict({"a": torch.nn.Linear(2, 2)})
        self.act = torch.nn.ReLU()
        self.register_buffer("b", torch.zeros(2))


def test_the_tree_of_a_model_and_the_names_that_callbacks_get():
    asked, converted = [], []

    def preprocessor(model, name):
        asked.append(name)

    def convert(model, name):
        converted.append(name)
        return True

    parameters = parameters_of(Mixed(), custom_preprocessor=preprocessor, convert_to_ttnn=convert, prefix="enc")
    assert list(parameters) == ["w", "l", "ml", "md"] and list(parameters.md) == ["a"]
    assert isinstance(parameters.ml, ParameterList) and len(parameters.ml) == 2 and parameters.ml[1] == {}
    assert asked == converted == ["enc", "enc.l", "enc.ml.0", "enc.ml.1", "enc.md", "enc.md.a", "enc.act"]


def test_names_in_a_sequential():
    names = []

    def convert(module, name):
        names.append(name)
        return True

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 2))
    assert list(parameters_of(model, convert_to_ttnn=convert)) == [0, 2]
    assert names == ["", 0, 1, 2]


def test_a_custom_preprocessor_takes_whole_modules(device):
    """As for attention: fused weights, and the rest by the usual rule."""

    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.query, self.key = torch.nn.Linear(32, 32), torch.nn.Linear(32, 32)

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.attention, self.out = Attention(), torch.nn.Linear(32, 32)

    def create_custom_preprocessor(scale):
        def preprocessor(model, name, ttnn_module_args, convert_to_ttnn):
            assert ttnn_module_args is None and convert_to_ttnn(model, name)
            if not hasattr(model, "query"):
                return {}
            fused = torch.cat([model.query.weight, model.key.weight]) * scale
            weight = preprocess_linear_weight(fused, dtype=ttnn.bfloat16)
            return {"query_key": {"weight": weight}, "scale": scale}

        return preprocessor

    model = Block()
    parameters = parameters_of(model, custom_preprocessor=create_custom_preprocessor(2.0), device=device)
    assert list(parameters) == ["attention", "out"] and parameters.attention.scale == 2.0
    weight = parameters.attention.query_key.weight
    assert weight.device() is device and parameters.out.bias.device() is device
    assert torch.equal(values(weight)[:, 32:], bfloat16(model.attention.key.weight.T * 2))


def test_custom_preprocessors_are_checked():
    model = torch.nn.Linear(2, 2)
    with pytest.raises(RuntimeError, match="Custom preprocessor must have at least two parameters: model and name"):
        parameters_of(model, custom_preprocessor=lambda model: None)
    with pytest.raises(RuntimeError, match="Unsupported parameter: device"):
        parameters_of(model, custom_preprocessor=lambda model, name, device: None)
    with pytest.raises(RuntimeError, match="Unsupported parameter: kwargs"):
        parameters_of(model, custom_preprocessor=lambda model, name, **kwargs: None)
    partly = functools.partial(lambda extra, model, name: {"extra": extra}, 5)
    assert parameters_of(model, custom_preprocessor=partly) == {"extra": 5}
    with pytest.raises(TypeError):
        preprocess_model_parameters(model)


def test_converting_a_part_of_a_model():
    converted = convert_torch_model_to_ttnn_model(
        torch.nn.ModuleList([torch.nn.Linear(2, 2)]),
        convert_to_ttnn=lambda model, name: True,
        custom_preprocessor=None,
        name="",
        ttnn_module_args=None,
    )
    assert isinstance(converted, ParameterList) and facts(converted[0].weight) == ([2, 2], "TILE", "BFLOAT16")


def test_a_model_is_put_into_eval_mode_and_hints_are_given(caplog):
    model = torch.nn.Linear(2, 2)
    with caplog.at_level(logging.WARNING, logger="ttnn"):
        parameters_of(model)
    assert not model.training
    assert "Putting the model in eval mode" in caplog.text and "enable_model_cache" in caplog.text


def test_tensors_that_are_on_the_device_stay(device):
    weight = ttnn.from_torch(torch.rand(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
    parameters = parameters_of(
        torch.nn.ReLU(), custom_preprocessor=lambda model, name: {"w": weight, "t": torch.ones(1)}, device=device
    )
    assert parameters.w is weight and isinstance(parameters.t, torch.Tensor)


# --- arguments of modules ---------------------------------------------------------------------------------------------


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.bn1 = torch.nn.BatchNorm2d(8)
        self.pool = torch.nn.MaxPool2d(2)
        self.blocks = torch.nn.ModuleList([torch.nn.Conv2d(8, 8, 1), torch.nn.Conv2d(8, 4, 1, stride=2)])
        self.norm = torch.nn.GroupNorm(2, 4)
        self.down = torch.nn.Sequential(torch.nn.Conv2d(4, 4, 1), torch.nn.ReLU())
        self.up = torch.nn.ConvTranspose2d(4, 2, 2, stride=2)

    def forward(self, x):
        x = self.pool(torch.relu(self.bn1(self.conv1(x))))
        for block in self.blocks:
            x = block(x)
        return self.up(self.down(self.norm(x)))


def test_arguments_are_learned_from_a_run():
    model, images = Net().eval(), torch.rand(1, 3, 16, 16)
    args = infer_ttnn_module_args(model=model, run_model=lambda model: model(images), device=None)
    assert args.conv1.input_height == args.conv1.input_width == 16 and args.conv1["padding"] == (1, 1)
    assert list(args.conv1) == [
        *("in_channels out_channels kernel_size stride padding dilation groups padding_mode batch_size".split()),
        *("input_height input_width math_fidelity dtype weights_dtype use_1d_systolic_array".split()),
        *("enable_auto_formatting conv_blocking_and_parallelization_config_override device".split()),
    ]
    assert args.conv1.math_fidelity == ttnn.MathFidelity.HiFi4 and args.conv1.weights_dtype == ttnn.bfloat16
    assert args.pool.kernel_size == 2 and args.pool.input_channels == 8 and args.pool.input_height == 16
    assert args["1"] is args[1] and args[1].stride == (2, 2) and args[1].input_height == 8
    assert args.norm.num_groups == 2 and args.norm.input_height == 4
    assert args.down["0"].out_channels == 4 and args.down[0].input_height == 4 and args.bn1 == {}
    assert args.up.output_padding == (0, 0) and list(args.up).index("output_padding") == 5
    assert torch.nn.Module.__call__.__module__.startswith("torch")  # nothing stays replaced


def test_arguments_of_parts_of_a_model():
    model, images = Net().eval(), torch.rand(1, 3, 16, 16)
    assert infer_ttnn_module_args(model=model, run_model=None, device=None) is None
    conv = infer_ttnn_module_args(model=model.conv1, run_model=lambda conv: conv(images), device=None)
    assert isinstance(conv, Conv2dArgs) and conv.batch_size == 1
    run = lambda model: model.blocks[1](model.pool(model.conv1(images)))  # noqa: E731
    last = infer_ttnn_module_args(model=model, run_model=run, device=None)
    assert isinstance(last, Conv2dArgs) and last.input_height == 8
    infer_ttnn_module_args(model=model, run_model=lambda model: model(images), device=None)
    again = infer_ttnn_module_args(model=model.down, run_model=lambda part: part(torch.rand(1, 4, 4, 4)), device=None)
    assert again[0].input_height == 4


def test_a_failing_run_leaves_nothing_traced():
    with pytest.raises(RuntimeError):
        infer_ttnn_module_args(model=Net(), run_model=lambda model: model(torch.rand(1, 4, 16, 16)), device=None)
    assert not ttnn.torch_tracer.is_tracing_enabled() and type(torch.rand(1)) is torch.Tensor


def test_models_hang_arguments_on_their_parameters(device):
    """As the demos of image models do it."""
    model, images = Net().eval(), torch.rand(1, 3, 16, 16)

    def custom_preprocessor(model, name):
        if isinstance(model, torch.nn.Conv2d):
            weight = ttnn.from_torch(model.weight, dtype=ttnn.float32)
            return {"weight": weight, "bias": ttnn.from_torch(model.bias.reshape(1, 1, 1, -1), dtype=ttnn.float32)}

    parameters = parameters_of(model, custom_preprocessor=custom_preprocessor)
    parameters.conv_args = infer_ttnn_module_args(model=model, run_model=lambda model: model(images), device=None)
    conv = parameters.conv_args.conv1
    rows = images.permute(0, 2, 3, 1).reshape(1, 1, -1, 3)
    result = ttnn.conv2d(
        input_tensor=ttnn.from_torch(rows, dtype=ttnn.float32, device=device),
        weight_tensor=parameters.conv1.weight,
        bias_tensor=parameters.conv1.bias,
        in_channels=conv.in_channels,
        out_channels=conv.out_channels,
        kernel_size=conv.kernel_size,
        stride=conv.stride,
        padding=conv.padding,
        batch_size=conv.batch_size,
        input_height=conv.input_height,
        input_width=conv.input_width,
        device=device,
    )
    expected = model.conv1(images).permute(0, 2, 3, 1).reshape(1, 1, -1, 8)
    assert ttnn.pearson_correlation_coefficient(expected.detach(), values(result)) > 0.9999


def test_preprocess_model_merges_arguments_where_weights_stay_in_torch():
    images = torch.rand(1, 3, 16, 16)

    class Small(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 8, 3)

        def forward(self, x):
            return self.conv(x)

    options = {"initialize_model": Small, "run_model": lambda model: model(images)}
    parameters = preprocess_model(**options, convert_to_ttnn=lambda model, name: False)
    assert parameters.conv.ttnn_module_args.input_height == 16 and "device" not in parameters.conv.ttnn_module_args
    with pytest.raises(AttributeError, match="ttnn.Conv2d does not exist any more"):
        preprocess_model(**options)


# --- the cache --------------------------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path):
    with ttnn.manage_config("enable_model_cache", True), ttnn.manage_config("model_cache_path", tmp_path):
        yield tmp_path


def test_parameters_are_kept_in_files(cache, device):
    model, calls = Mixed().eval(), []

    def initialize():
        calls.append(1)
        return model

    options = {"model_name": "maker/model", "version": "1", "convert_to_ttnn": lambda module, name: name != "md.a"}
    first = preprocess_model_parameters(initialize_model=initialize, device=device, **options)
    folder = cache / "maker_model"
    assert (folder / "version.txt").read_text() == "1" and (folder / "l" / "weight.tensorbin").exists()
    assert (folder / "md" / "a" / "weight.pt").exists() and (folder / "ml" / "0" / "bias.tensorbin").exists()
    again = preprocess_model_parameters(initialize_model=initialize, device=device, **options)
    assert len(calls) == 1 and sorted(again) == sorted(first) and isinstance(again.ml, ParameterList)
    assert torch.equal(values(again.l.weight), values(first.l.weight)) and again.l.weight.device() is device
    assert torch.equal(again.md.a.weight, model.md.a.weight.T)
    preprocess_model_parameters(initialize_model=initialize, **{**options, "version": "2"})
    assert len(calls) == 2 and (folder / "version.txt").read_text() == "2"


def test_what_the_cache_refuses(cache):
    with pytest.raises(RuntimeError, match=r'Cached weights for the model m \(version "1"\) don\'t exist'):
        preprocess_model_parameters(model_name="m", version="1")
    with pytest.raises(RuntimeError, match="Unsupported type"):
        parameters_of(
            torch.nn.ReLU(), model_name="m", version="1", custom_preprocessor=lambda model, name: {"number": 5}
        )


def test_the_cache_is_for_named_models_only(cache):
    parameters_of(torch.nn.Linear(2, 2))
    assert list(cache.iterdir()) == []


def test_a_version_is_the_commit(tmp_path, monkeypatch):
    from ttnn.model_preprocessing import git_hash

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(RuntimeError, match="Couldn't get git hash!"):
        git_hash()


def test_reports_are_off_meanwhile(tmp_path):
    """Preparing parameters is no part of the run that a report shows."""
    with ttnn.manage_config("root_report_path", tmp_path), ttnn.manage_config("report_name", "run"):
        with ttnn.manage_config("enable_logging", True):
            parameters_of(torch.nn.Linear(2, 2))
            assert ttnn.CONFIG.enable_logging
    assert list(tmp_path.iterdir()) == []


def test_arguments_can_be_written_as_text():
    args = Conv2dArgs(in_channels=3, stride=(1, 1))
    assert json.loads(json.dumps(args)) == {"in_channels": 3, "stride": [1, 1]}
    assert ttnn.ttnn.model_preprocessing.ParameterList is ParameterList
