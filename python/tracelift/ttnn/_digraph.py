"""The graphs of the tracers: networkx where it is installed, else as much of it as they and their readers need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


class _Nodes:
    """graph.nodes: attributes by node, and called, the nodes with or without them."""

    def __init__(self, attributes: dict[Any, dict[str, Any]]) -> None:
        self._attributes = attributes

    def __getitem__(self, node: Any) -> dict[str, Any]:
        return self._attributes[node]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)

    def __contains__(self, node: object) -> bool:
        return node in self._attributes

    def __call__(self, data: bool = False) -> Iterable[Any]:
        return list(self._attributes.items() if data else self._attributes)


class SmallMultiDiGraph:
    """A directed graph with several edges between two nodes; the interface is that of networkx.MultiDiGraph."""

    def __init__(self) -> None:
        self._attributes: dict[Any, dict[str, Any]] = {}
        self._edges: list[tuple[Any, Any, int, dict[str, Any]]] = []

    @property
    def nodes(self) -> _Nodes:
        return _Nodes(self._attributes)

    def add_node(self, node: Any, **attributes: Any) -> None:
        self._attributes.setdefault(node, {}).update(attributes)

    def add_edge(self, source: Any, sink: Any, key: int | None = None, **attributes: Any) -> int:
        self.add_node(source)
        self.add_node(sink)
        if key is None:
            key = sum((source, sink) == edge[:2] for edge in self._edges)
        self._edges.append((source, sink, key, attributes))
        return key

    def edges(self, data: bool = False, keys: bool = False) -> list[tuple[Any, ...]]:
        return [self._shown(edge, data, keys) for edge in self._edges]

    def in_edges(self, node: Any, data: bool = False, keys: bool = False) -> list[tuple[Any, ...]]:
        return [self._shown(edge, data, keys) for edge in self._edges if edge[1] == node]

    def out_edges(self, node: Any, data: bool = False, keys: bool = False) -> list[tuple[Any, ...]]:
        return [self._shown(edge, data, keys) for edge in self._edges if edge[0] == node]

    @staticmethod
    def _shown(edge: tuple[Any, Any, int, dict[str, Any]], data: bool, keys: bool) -> tuple[Any, ...]:
        return (*edge[:2], *edge[2:3] * keys, *edge[3:] * data)

    def predecessors(self, node: Any) -> Iterator[Any]:
        return iter(dict.fromkeys(edge[0] for edge in self._edges if edge[1] == node))

    def successors(self, node: Any) -> Iterator[Any]:
        return iter(dict.fromkeys(edge[1] for edge in self._edges if edge[0] == node))

    def number_of_nodes(self) -> int:
        return len(self)

    def number_of_edges(self) -> int:
        return len(self._edges)

    def __len__(self) -> int:
        return len(self._attributes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._attributes)

    def __contains__(self, node: object) -> bool:
        return node in self._attributes


def new_graph() -> Any:
    try:
        from networkx import MultiDiGraph  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        return SmallMultiDiGraph()
    return MultiDiGraph()


def is_graph(value: Any) -> bool:
    return hasattr(value, "in_edges") and hasattr(value, "nodes")


def composed(graphs: Iterable[Any]) -> Any:
    """All nodes and edges of several graphs; a node that is in two of them is one."""
    result = new_graph()
    for graph in graphs:
        for node, attributes in graph.nodes(data=True):
            result.add_node(node, **attributes)
        for source, sink, key, attributes in graph.edges(data=True, keys=True):
            result.add_edge(source, sink, key, **attributes)
    return result


def in_order(graph: Any) -> list[Any]:
    """Nodes after those that they depend on: a node is made after its inputs, so their numbers say it."""
    return sorted(graph.nodes)


def inputs_of(graph: Any, node: Any) -> list[tuple[Any, int]]:
    """The node and output that each input of a node comes from, in the order of the inputs."""
    edges = sorted(graph.in_edges(node, data=True), key=lambda edge: edge[2]["sink_input_index"])
    return [(source, data["source_output_index"]) for source, _, data in edges]
