"""ttnn.torch_tracer and ttnn.tracer: runs as graphs."""

import dataclasses
import logging

import pytest
import torch

import ttnn
from tracelift.ttnn import _digraph
from ttnn import torch_tracer
from ttnn.torch_tracer import TorchFunction, TorchModule, TorchParameter, TorchTensor, get_graph, trace


@pytest.fixture(autouse=True, params=["networkx", "small"])
def graph_library(request, monkeypatch):
    """With networkx, where it is installed, and with what stands in for it."""
    if request.param == "networkx":
        pytest.importorskip("networkx")
    else:
        monkeypatch.setattr(_digraph, "new_graph", _digraph.SmallMultiDiGraph)
        for module in (torch_tracer, ttnn.tracer):
            monkeypatch.setattr(module, "new_graph", _digraph.SmallMultiDiGraph)


@pytest.fixture
def slow_mode():
    with ttnn.manage_config("enable_fast_runtime_mode", False):
        yield


def operations(graph):
    return [str(graph.nodes[node]["operation"]) for node in sorted(graph.nodes)]


class Linear(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 8)

    def forward(self, x):
        return torch.relu(torch.nn.functional.linear(x, self.linear.weight, self.linear.bias)) * 2


def test_functions_are_nodes():
    with trace():
        x = torch.rand(2, 4)
        y = torch.relu(x) * 2
        assert torch_tracer.is_tracing_enabled() and y.shape == (2, 4) and y.dim() == 2
    graph = get_graph(y)
    assert operations(graph) == ["torch.Tensor", "torch.relu", "torch.Tensor.mul"]
    start, relu, mul = sorted(graph.nodes)
    assert start.name.startswith("torch_input_") and relu.name.startswith("relu_") and y.name == mul.name
    assert graph.nodes[relu]["shapes"] == ((2, 4),) and graph.nodes[relu]["dtypes"] == (torch.float32,)
    assert graph.nodes[relu]["duration"] > 0 and graph.nodes[start]["duration"] is None
    assert list(graph.in_edges(mul, data=True)) == [(relu, mul, {"source_output_index": 0, "sink_input_index": 0})]
    assert torch.equal(torch.as_tensor(y), torch.relu(torch.as_tensor(x)) * 2)
    assert type(torch.rand(1)) is torch.Tensor and not torch_tracer.is_tracing_enabled()


def test_modules_are_nodes_with_graphs_inside():
    model = Linear()
    with trace():
        y = model(torch.rand(2, 4))
    graph = get_graph(y)
    assert len(graph) == 2 and len(get_graph(y, flatten=True)) == 6
    module = graph.nodes[y.node]["operation"]
    assert isinstance(module, TorchModule) and module.module is model and str(module).endswith("Linear\n")
    inside = operations(module.graph)
    assert inside[0].startswith("module_input_") and inside[3:] == [
        "torch.nn.functional.linear",
        "torch.relu",
        "torch.Tensor.mul",
    ]
    flat = get_graph(y, flatten=True)
    kinds = [type(flat.nodes[node]["operation"]) for node in sorted(flat.nodes)]
    assert kinds == [TorchTensor, TorchParameter, TorchParameter, TorchFunction, TorchFunction, TorchFunction]
    assert str(flat.nodes[sorted(flat.nodes)[1]]["operation"]) == "torch.nn.Parameter\nlinear.weight"
    linear = sorted(flat.nodes)[3]
    sources = sorted((data["sink_input_index"], source) for source, _, data in flat.in_edges(linear, data=True))
    assert [source for _, source in sources] == sorted(flat.nodes)[:3]


def test_a_flat_graph_of_modules_in_modules_is_connected():
    model = torch.nn.Sequential(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(4, 4)), torch.nn.Sigmoid())
    with trace():
        y = model(torch.rand(2, 4))
    flat = get_graph(y, flatten=True)
    names = [str(flat.nodes[node]["operation"]).split("\n")[0].split(".")[-1] for node in sorted(flat.nodes)]
    assert names == ["Tensor", "relu", "Parameter", "Parameter", "linear", "sigmoid"]
    ends = [node for node in flat.nodes if not list(flat.successors(node))]
    assert len(ends) == 1 and ends[0].name.startswith("sigmoid_")
    assert len(list(flat.edges())) == 5


@dataclasses.dataclass
class Output:
    hidden: torch.Tensor
    extra: tuple = ()


@pytest.mark.parametrize(
    "answer",
    [
        lambda x: (x + 1, x + 2),
        lambda x: [x + 1, None],
        lambda x: {"a": x + 1, "b": 3},
        lambda x: Output(x + 1, (x + 2,)),
        lambda x: x.max(dim=0),
    ],
    ids=["tuple", "list", "dict", "dataclass", "named tuple"],
)
def test_what_modules_may_return(answer):
    class Answer(torch.nn.Module):
        def forward(self, x):
            return answer(x)

    with trace():
        output = Answer()(torch.rand(2, 4))
    assert type(output) is type(answer(torch.rand(2, 4)))
    first = (
        output.hidden
        if isinstance(output, Output)
        else list(output.values() if isinstance(output, dict) else output)[0]
    )
    graph = get_graph(output)
    assert isinstance(first, torch_tracer.TracedTorchTensor) and first.graph is graph and first.output_index == 0
    assert isinstance(graph.nodes[first.node]["operation"], TorchModule)


def test_arguments_of_functions():
    with trace():
        x = torch.rand(2, 4)
        joined = torch.cat([x, x], dim=1)
        pooled = torch.nn.functional.avg_pool2d(joined.reshape(1, 1, 2, 8), 2)
        soft = torch.nn.functional.softmax(pooled, dim=-1)
    pairs = {name: graph_pairs(get_graph(soft), name) for name in ("cat", "softmax")}
    assert pairs["cat"] == [("0", "[$0, $1]"), ("dim", "1")] and pairs["softmax"] == [("input", "$0"), ("dim", "-1")]


def graph_pairs(graph, name):
    node = next(node for node in graph.nodes if node.name.startswith(f"{name}_"))
    return [(str(key), str(value)) for key, value in graph.nodes[node]["operation"].arg_name_value_pairs]


def test_functions_in_place_are_followed():
    with trace():
        x = torch.zeros(3)
        x.add_(1)
        x[0] = 5.0
        y = x * 1
    names = [node.name.rpartition("_")[0] for node in sorted(get_graph(y).nodes)]
    assert names == ["torch_input", "add_", "__setitem__", "mul"]
    assert torch.as_tensor(y).tolist() == [5.0, 1.0, 1.0]


def test_calls_of_trace_do_not_nest():
    with trace():
        with pytest.raises(RuntimeError, match="Cannot nest trace calls"):
            with trace():
                pass
    with pytest.raises(ZeroDivisionError):
        with trace():
            1 / 0
    assert torch_tracer.GRAPH_STACK is None
    torch_tracer.disable_tracing()
    with pytest.raises(RuntimeError, match="Unexpected type"):
        get_graph(5)


def test_numbers_of_nodes_ascend():
    with trace():
        x = torch.rand(2)
        y = x + 1
    assert x.node < y.node and torch_tracer.get_unique_id() > y.node.unique_id
    assert torch_tracer.duration_to_string(0.0012) == "1.2 ms" and torch_tracer.duration_to_string(5.34e-5) == "53.4 µs"


def test_pictures_need_graphviz(tmp_path):
    with trace():
        y = Linear()(torch.rand(2, 4))
    with pytest.raises(RuntimeError, match="max_depth must be greater than 0"):
        torch_tracer.visualize(y, max_depth=0)
    with pytest.raises(RuntimeError, match="max_depth cannot be used"):
        torch_tracer.visualize(y, max_depth=1, show_modules=False)
    with pytest.raises(ValueError, match="suffix"):
        torch_tracer.visualize(y, file_name=tmp_path / "graph.txt")
    graphviz = pytest.importorskip("graphviz")
    assert isinstance(torch_tracer.visualize(y), graphviz.Digraph)
    opened, closed = torch_tracer.visualize(y), torch_tracer.visualize(y, max_depth=1)
    assert "cluster_" in opened.source and "cluster_" not in closed.source


# --- operations of ttnn -----------------------------------------------------------------------------------------------


def test_operations_are_nodes(slow_mode):
    with ttnn.tracer.trace():
        x = torch.rand(2, 32)
        y = ttnn.from_torch(x)
        y = ttnn.reshape(y, (1, 64))
        z = ttnn.to_torch(y)
    graph = ttnn.tracer.get_graph(z)
    assert operations(graph) == ["torch.Tensor", "ttnn.from_torch", "ttnn.reshape", "ttnn.to_torch"]
    assert isinstance(y, ttnn.tracer.TracedTTNNTensor) and isinstance(y, ttnn.Tensor) and y.output_index == 0
    assert graph.nodes[y.node]["layouts"] == (ttnn.ROW_MAJOR_LAYOUT,) and "operation_id" in graph.nodes[y.node]
    assert torch.equal(torch.as_tensor(z), torch.as_tensor(x).reshape(1, 64))
    assert not ttnn.tracer.is_tracing_enabled()
    assert type(ttnn.reshape(y, (2, 32))) is ttnn.Tensor


def test_operations_on_a_device_and_plain_tensors(slow_mode, device):
    bias = ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
    with ttnn.tracer.trace():
        x = ttnn.from_torch(torch.rand(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
        y = ttnn.relu(x + bias)
    graph = ttnn.tracer.get_graph([y])
    assert operations(graph) == ["torch.Tensor", "ttnn.from_torch", "ttnn.Tensor", "ttnn.add", "ttnn.relu"]
    assert graph.nodes[y.node]["memory_configs"] == (ttnn.DRAM_MEMORY_CONFIG,)


def test_models_of_both_in_one_graph(slow_mode, device):
    class Mixed(torch.nn.Module):
        def forward(self, x):
            return ttnn.to_torch(ttnn.exp(ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=device)))

    with ttnn.tracer.trace():
        y = Mixed()(torch.zeros(32, 32)) + 1
    flat = ttnn.tracer.get_graph(y, flatten=True)
    names = operations(flat)
    assert names == ["torch.Tensor", "ttnn.from_torch", "ttnn.exp", "ttnn.to_torch", "torch.Tensor.add"]
    assert len(list(flat.edges())) == 4


def test_tracing_of_operations_is_switched(slow_mode):
    ttnn.tracer.enable_tracing()
    try:
        assert ttnn.tracer.ENABLE_TRACER and len(ttnn.tracer.GRAPH_STACK) == 1
        with pytest.raises(ValueError, match="Tracing is already enabled."):
            ttnn.tracer.enable_tracing()
    finally:
        ttnn.tracer.disable_tracing()
    ttnn.tracer.disable_tracing()
    assert not ttnn.tracer.ENABLE_TRACER and ttnn.tracer.GRAPH_STACK is None


def test_fast_mode_is_not_traced():
    with pytest.raises(ValueError, match="Tracing is not supported in fast runtime mode."):
        with ttnn.tracer.trace():
            pass


def test_hooks_see_traced_tensors(slow_mode):
    seen = []

    def hook(operation, args, kwargs, output):
        seen.append((operation.__name__, type(output).__name__))

    with ttnn.tracer.trace(), ttnn.register_post_operation_hook(hook):
        ttnn.reshape(ttnn.from_torch(torch.rand(2)), (1, 2))
    assert seen == [("ttnn.from_torch", "TracedTTNNTensor"), ("ttnn.reshape", "TracedTTNNTensor")]


def test_a_trace_as_python_text(slow_mode, caplog):
    model = Linear()
    with ttnn.tracer.trace():
        y = ttnn.from_torch(model(torch.rand(2, 4)))
    with caplog.at_level(logging.WARNING, logger="ttnn"):
        text = ttnn.tracer.codegen(y)
    assert "experimental" in caplog.text
    compile(text, "codegen", "exec")
    assert text.startswith("def Linear(config, module_input_") and "*, parameters):" in text
    assert " = torch.relu(linear_" in text and "# shapes: (2, 8), dtypes: torch.float32; duration: " in text
    assert "torch.nn.functional.linear(module_input_" in text and "parameters.weight, parameters.bias)" in text
    assert "def top_level_module():" in text and " = ttnn.from_torch(" in text


def test_no_picture_without_its_program(slow_mode, caplog, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with ttnn.tracer.trace():
        y = ttnn.from_torch(torch.rand(2))
    with caplog.at_level(logging.WARNING, logger="ttnn"):
        assert ttnn.tracer.visualize(y) is None
    assert "no picture of the trace" in caplog.text


def test_a_graph_goes_into_the_report(tmp_path, slow_mode):
    from ttnn import database

    with ttnn.tracer.trace():
        y = ttnn.reshape(ttnn.from_torch(torch.rand(2)), (1, 2))
    database.store_graph(tmp_path, 1, ttnn.tracer.get_graph(y))
    try:
        assert len(database.load_graph(tmp_path, 1)) == 3
    finally:
        database.SQLITE_CONNECTION.close()
        database.SQLITE_CONNECTION = None
