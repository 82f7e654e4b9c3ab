"""Pictures of traced graphs, by the Python package graphviz and its program `dot`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._digraph import in_order, inputs_of
from ._traced_operations import TorchModule

_SUFFIXES = (".svg", ".png", ".pdf")


def _escaped(text: Any) -> str:
    plain = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return plain.replace("\n", "<BR/>")


def visualize_node(drawing: Any, graph: Any, node: Any, max_depth: int | None, visualize: Any, level: int) -> None:
    """A table: what the node is, how long it took, and its outputs."""
    from .torch_tracer import LEVEL_COLORS, duration_to_string

    attributes = graph.nodes[node]
    head = _escaped(attributes["operation"].to_string(verbose=visualize))
    if attributes.get("duration") is not None:
        head += f"<BR/>{duration_to_string(attributes['duration'])}"
    rows = [f'<TR><TD COLSPAN="2">{head}</TD></TR>']
    columns = [attributes.get(key) for key in ("shapes", "dtypes", "layouts", "memory_configs")]
    for place, facts in enumerate(zip(*(column for column in columns if column))):
        rows.append(f"<TR><TD>{place}</TD><TD>{_escaped(', '.join(map(str, facts)))}</TD></TR>")
    color = LEVEL_COLORS[level % len(LEVEL_COLORS)]
    table = f'<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0" BGCOLOR="{color}">{"".join(rows)}</TABLE>'
    drawing.node(node.name, label=f"<{table}>")


def visualize_edge(drawing: Any, source: Any, sink: Any, source_output_index: int, sink_input_index: int) -> None:
    drawing.edge(source.name, sink.name, label=f"{source_output_index} -> {sink_input_index}")


def _check(max_depth: int | None, show_modules: bool, file_name: Any) -> Path | None:
    if max_depth is not None and max_depth < 1:
        raise RuntimeError("max_depth must be greater than 0")
    if max_depth is not None and not show_modules:
        raise RuntimeError("max_depth cannot be used with show_modules set to False")
    if file_name is None:
        return None
    path = Path(file_name)
    if path.suffix not in _SUFFIXES:
        raise ValueError(f"Unknown file suffix '{path.suffix}': a picture is one of {', '.join(_SUFFIXES)}")
    return path


def visualize(
    output: Any,
    *,
    show_modules: bool = True,
    max_depth: int | None = None,
    file_name: str | os.PathLike[str] | None = None,
    graph_attr: dict[str, str] | None = None,
    node_attr: dict[str, str] | None = None,
    edge_attr: dict[str, str] | None = None,
    visualize_node: Callable[..., Any] = visualize_node,
    visualize_edge: Callable[..., Any] = visualize_edge,
    verbose: bool = False,
) -> Any:
    """A graphviz.Digraph of a traced tensor, or of a graph; with a file name it is written there, too.

    Modules are boxes around what they did, up to `max_depth` of them one in the other.
    """
    path = _check(max_depth, show_modules, file_name)
    try:
        import graphviz  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise ImportError("visualize() draws with the Python package graphviz, which is not installed") from None
    from .torch_tracer import get_graph

    drawing = graphviz.Digraph(
        graph_attr={"ordering": "in", "rankdir": "TB", **(graph_attr or {})},
        node_attr={"shape": "plaintext", "fontsize": "10", **(node_attr or {})},
        edge_attr={"fontsize": "10", **(edge_attr or {})},
    )
    draw = _Drawing(visualize_node, visualize_edge, max_depth, verbose)
    draw.add(drawing, get_graph(output, flatten=not show_modules), 0)
    draw.add_edges(drawing)
    if path is not None:
        drawing.render(path.with_suffix(""), format=path.suffix[1:], cleanup=True)
    return drawing


class _Drawing:
    def __init__(self, node: Any, edge: Any, max_depth: int | None, verbose: bool) -> None:
        self._node, self._edge, self._max_depth, self._verbose = node, edge, max_depth, verbose
        self._places: dict[tuple[Any, int], tuple[Any, int]] = {}  # outputs of opened modules: what gives them
        self._edges: list[tuple[Any, int, Any, int]] = []

    def add(self, drawing: Any, graph: Any, level: int) -> None:
        for node in in_order(graph):
            operation = graph.nodes[node]["operation"]
            sources = inputs_of(graph, node)
            if isinstance(operation, TorchModule) and (self._max_depth is None or level + 1 < self._max_depth):
                self._open(drawing, node, operation, level)
                sinks = [(tensor.node, 0) for tensor in operation.inputs]
            else:
                self._node(drawing, graph, node, self._max_depth, self._verbose, level)
                sinks = [(node, place) for place in range(len(sources))]
            self._edges += [(*source, *sink) for source, sink in zip(sources, sinks)]

    def _open(self, drawing: Any, node: Any, operation: Any, level: int) -> None:
        from .torch_tracer import LEVEL_COLORS

        with drawing.subgraph(name=f"cluster_{node.name}") as box:
            box.attr(label=operation.to_string(), style="filled", fillcolor=LEVEL_COLORS[level % len(LEVEL_COLORS)])
            self.add(box, operation.graph, level + 1)
        for place, tensor in enumerate(operation.outputs):
            self._places[node, place] = (tensor.node, tensor.output_index)

    def add_edges(self, drawing: Any) -> None:
        for source, output, sink, place in self._edges:
            while (source, output) in self._places:
                source, output = self._places[source, output]
            self._edge(drawing, source, sink, output, place)
