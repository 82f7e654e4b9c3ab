"""What asking for a name that ttnn does not have says."""

import pytest

from tracelift import ttnn
from tracelift.ttnn import _original_names
from tracelift.ttnn._original_names import NAMES


@pytest.mark.parametrize(
    "name, suggested",
    [
        ("sofmax", "softmax"),
        ("sigmod", "sigmoid"),
        ("TILE_LAYOT", "TILE_LAYOUT"),
        ("from_troch", "from_torch"),
    ],
)
def test_a_misspelt_name_gets_a_suggestion(name, suggested):
    with pytest.raises(AttributeError, match=f"^module 'ttnn' has no attribute '{name}'; did you mean .*") as raised:
        getattr(ttnn, name)
    assert suggested in str(raised.value).partition("did you mean ")[2].rstrip("?").replace(" or ", ", ").split(", ")


def test_submodules_suggest_their_own_names():
    with pytest.raises(AttributeError, match="^module 'ttnn.experimental' has no attribute 'veiw'; did you mean view"):
        ttnn.experimental.veiw
    with pytest.raises(AttributeError, match="'ttnn.graph' has no attribute 'begin_graph'; .*begin_graph_capture"):
        ttnn.graph.begin_graph
    with pytest.raises(AttributeError, match="'ttnn.operation_tracer' .*did you mean enable_tracing"):
        ttnn.operation_tracer.enable_tracin


def test_what_resembles_nothing_gets_no_suggestion():
    with pytest.raises(AttributeError, match="^module 'ttnn' has no attribute 'qqqqqqqqqqqq'$"):
        ttnn.qqqqqqqqqqqq


def test_names_of_the_original_say_that_they_are_not_emulated(monkeypatch):
    monkeypatch.setattr(_original_names, "NAMES", NAMES | {"ttnn.experimental.not_emulated_yet"})
    missing = [name for name in sorted(_original_names.NAMES) if not _resolves(name)]
    for name in missing:
        module, last = _module_of(name)
        if module is not None:
            with pytest.raises(AttributeError) as raised:
                getattr(module, last)
            assert str(raised.value) == f"{name} is in TT-NN, but tracelift does not emulate it"
    assert "ttnn.experimental.not_emulated_yet" in missing


def test_the_list_of_names_is_sorted_and_has_no_doubles():
    import inspect

    listed = inspect.getsource(_original_names).split('"""')[3].split()
    assert listed == sorted(set(listed)) and {f"ttnn.{name}" for name in listed} == NAMES


def _module_of(name):
    *path, last = name.split(".")[1:]
    module = ttnn
    for part in path:
        module = getattr(module, part, None)
    return module, last


def _resolves(name):
    module, last = _module_of(name)
    return module is not None and hasattr(module, last)
