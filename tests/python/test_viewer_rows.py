"""Reports of real runs, row by row as the ttnn-visualizer reads them: against a list of what it reads, and against the
capture itself, read by these tests."""

import json
import re
import sqlite3
from pathlib import Path

import pytest
from viewer_client import answers, capture, failing_model, reads, reports
from viewer_client.picture import aspect_of

from tracelift import ttnn

pytestmark = pytest.mark.xdist_group("viewer_rows")  # the captures are made once

NAMES = ("bert", "failing", "loop")
ASPECTS = ("name", "inputs", "outputs", "buffers", "device_operations", "arguments", "stack", "error")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("viewer")
    with ttnn.manage_device(device_id=0) as device:
        yield {
            "bert": reports.bert(device, folder),
            "failing": reports.failing(device, folder),
            "loop": reports.loop(device, folder, 2000),
            "forward": reports.forward(device, folder),
            "logged": reports.logged(device, folder),
        }


@pytest.fixture(scope="module")
def pictures(made):
    """Name -> what the capture says, what the rows say."""
    return {name: (capture.read(made[name].capture), answers.of_database(made[name].folder)) for name in NAMES}


def rows(made, sql):
    with sqlite3.connect(made.folder / "db.sqlite") as database:
        return database.execute(sql).fetchall()


@pytest.mark.parametrize("name", [*NAMES, "forward", "logged"])
def test_every_row_is_in_a_form_that_the_viewer_reads(made, name):
    assert list(reads.problems(made[name].folder)) == []


def test_a_running_model_writes_the_graphs_that_an_import_makes(made):
    """Of the same model: nodes, links and the forms of all texts are those of its capture's import."""

    def graphs(name, operation):
        question = "SELECT captured_graph FROM captured_graph JOIN operations o USING (operation_id) WHERE o.name IN (?, ?)"
        with sqlite3.connect(made[name].folder / "db.sqlite") as database:
            found = database.execute(question, [f"ttnn.{operation}", f"ttnn::{operation}"]).fetchall()
        return [json.loads(text) for (text,) in found]

    def told(graph):
        for node in graph:
            if node["node_type"] == "circular_buffer_allocate":
                yield node["node_type"], node["params"]["globally_allocated"], node["params"]["core_range_set"]
            elif node["node_type"] == "buffer_allocate":
                yield node["node_type"], node["params"]["size"], node["params"]["max_size_per_bank"]
            elif node["node_type"] == "function_start" and "::" not in node["params"]["name"]:
                yield node["node_type"], node["params"]["name"]

    for operation in ("linear", "softmax", "layer_norm"):
        wanted, found = graphs("bert", operation), graphs("logged", operation)
        assert [list(told(graph)) for graph in found[: len(wanted)]] == [list(told(graph)) for graph in wanted]
        assert {kind for graph in wanted for kind, *_ in told(graph)} >= {"buffer_allocate", "function_start"}


@pytest.mark.parametrize("aspect", ASPECTS)
@pytest.mark.parametrize("name", NAMES)
def test_operations_are_those_of_the_capture(pictures, name, aspect):
    wanted, found = pictures[name]
    assert len(found.operations) == len(wanted.operations) > 18
    told = aspect_of(found.operations, wanted.operations, aspect)
    assert told == aspect_of(wanted.operations, found.operations, aspect)


@pytest.mark.parametrize("name", NAMES)
def test_tensors_are_those_of_the_capture(pictures, name):
    wanted, found = pictures[name]
    assert found.tensors == wanted.tensors
    assert all(tensor.size > 0 for tensor in found.tensors.values())


@pytest.mark.parametrize("name", ["bert", "failing"])
def test_every_operation_has_the_pages_of_the_buffers_it_spans(pictures, name):
    wanted, found = pictures[name]
    assert any(wanted.pages)
    assert found.pages == wanted.pages


def test_sizes_of_tensors_are_whole_also_where_buffers_are_spread_over_banks(made):
    sizes = rows(
        made["bert"],
        "SELECT t.size, b.max_size_per_bank FROM tensors t JOIN output_tensors o USING (tensor_id) JOIN buffers b ON "
        "b.operation_id = o.operation_id AND b.address = t.address AND b.device_id = t.device_id",
    )
    assert len(sizes) > 50
    assert any(whole > per_bank for whole, per_bank in sizes)
    assert all(whole >= per_bank for whole, per_bank in sizes)


def test_sharded_buffers_have_the_numbers_that_the_viewer_labels(made):
    assert rows(made["bert"], "SELECT DISTINCT buffer_layout FROM buffers ORDER BY 1") == [(0,), (2,), (4,)]


def test_buffers_is_a_table_that_tools_find(made):
    assert rows(made["loop"], "SELECT type FROM sqlite_master WHERE name = 'buffers'") == [("table",)]


# --- a program that goes on after a failure


def called_in(function_file: Path) -> list[tuple[str, int]]:
    """(operation, line) of the calls in a file that makes one a line."""
    lines = enumerate(function_file.read_text().splitlines(), 1)
    return [(match[1], line) for line, text in lines if (match := re.search(r"ttnn\.(\w+)\(", text))]


def test_operations_after_a_failure_are_listed_like_those_before(made):
    listed = [name for (name,) in rows(made["failing"], "SELECT name FROM operations ORDER BY operation_id")]
    called = [f"ttnn::{name}" for name, _ in called_in(Path(failing_model.__file__))]
    assert len(called) == 19
    assert [name for name in listed if name in set(called)] == called


def test_the_failed_operation_has_the_error_and_no_output(made):
    ((operation, name, message, stack),) = rows(
        made["failing"], "SELECT operation_id, operation_name, error_message, stack_trace FROM errors"
    )
    assert message == made["failing"].facts["message"]
    assert name == "ttnn::add"
    assert rows(made["failing"], f"SELECT name FROM operations WHERE operation_id = {operation}") == [(name,)]
    assert rows(made["failing"], f"SELECT * FROM output_tensors WHERE operation_id = {operation}") == []
    failed = called_in(Path(failing_model.__file__))[7]
    assert f'File "{failing_model.__file__}", line {failed[1]}, in run' in stack


def test_stack_traces_name_the_line_of_the_call(made):
    traces = rows(
        made["failing"],
        "SELECT o.name, s.stack_trace FROM operations o JOIN stack_traces s USING (operation_id) ORDER BY 1, o.rowid",
    )
    places = []
    for name, trace in traces:
        frames = reads.PYTHON_FRAME.findall(trace)
        assert frames, trace
        file, line, where = frames[0]
        places += [(name, int(line))] if (file, where) == (failing_model.__file__, "run") else []
    assert sorted(places) == sorted((f"ttnn::{name}", line) for name, line in called_in(Path(failing_model.__file__)))


def test_the_sources_that_stack_traces_name_are_stored(made):
    stored = dict(rows(made["failing"], "SELECT path, contents FROM source_files"))
    assert stored[failing_model.__file__] == Path(failing_model.__file__).read_text()
    linked = rows(
        made["failing"],
        "SELECT COUNT(*) FROM stack_traces s JOIN source_files f ON f.id = s.source_file_id WHERE f.path = "
        f"'{failing_model.__file__}'",
    )
    assert linked == [(19,)]


# --- arguments, and what was there before


def test_arguments_have_the_names_of_their_parameters(made):
    names = rows(
        made["bert"], "SELECT DISTINCT o.name, a.name FROM operation_arguments a JOIN operations o USING (operation_id)"
    )
    assert ("ttnn::linear", "memory_config") in names or ("ttnn::matmul", "memory_config") in names
    assert [each for each in names if re.fullmatch(r"arg_?\d+|\d+", each[1])] == []


def test_what_was_loaded_before_the_capture_is_in_memory(made):
    wanted = set(made["forward"].facts["weights"].values())
    assert len(wanted) > 20
    operations = rows(made["forward"], "SELECT MIN(operation_id), MAX(operation_id) FROM operations")[0]
    for operation in operations:
        found = rows(made["forward"], f"SELECT address FROM buffers WHERE operation_id = {operation}")
        assert wanted <= {address for (address,) in found}


# --- files beside the database


def test_the_settings_name_the_report(made):
    assert json.loads((made["bert"].folder / "config.json").read_text())["report_name"] == "bert"


@pytest.mark.parametrize("name", ["bert", "logged"])
def test_the_history_lists_the_operations(made, name):
    history = json.loads((made[name].folder / "operation_history.json").read_text())
    listed = [(each["ttnn_operation_id"], each["operation_name"]) for each in history]
    assert listed == rows(made[name], "SELECT operation_id, name FROM operations ORDER BY operation_id")
    taken = [(each["ttnn_operation_id"], tensor) for each in history for tensor in each["input_tensor_ids"]]
    assert taken == rows(
        made[name], "SELECT operation_id, tensor_id FROM input_tensors ORDER BY operation_id, input_index"
    )


def test_the_cluster_descriptor_has_what_the_topology_is_drawn_from(made):
    assert (made["bert"].folder / "cluster_descriptor.yaml").read_text() == (
        "arch:\n  0: WORMHOLE_B0\n"
        "chips:\n  0: [0, 0, 0, 0]\n"
        "chip_unique_ids:\n  0: 1\n"
        "chips_with_mmio:\n  - 0: 0\n"
        "chip_to_boardtype:\n  0: n150\n"
        "ethernet_connections: []\n"
    )
    mesh = made["bert"].folder / "physical_chip_mesh_coordinate_mapping.yaml"
    assert mesh.read_text() == "chips:\n  0: [0, 0]\n"
