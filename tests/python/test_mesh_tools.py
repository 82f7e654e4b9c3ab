"""Models on meshes of several chips through the tools: graphs, reports, lines of calls, replay, stores."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tracelift import _tracing as tracing
from tracelift import op_replay, ttnn

TRACELIFT = Path(sys.executable).with_name("tracelift")
MESH = (2, 4)
BOARD = "t3000:eth@2x4"


@pytest.fixture(scope="module")
def mesh():
    device = ttnn.open_mesh_device(ttnn.MeshShape(*MESH), board="t3000")
    yield device
    ttnn.close_mesh_device(device)


@pytest.fixture
def lines(tmp_path):
    """Records the calls of a function as lines and gives the file."""
    path = tmp_path / "calls.jsonl"

    def run(function):
        tracing.set_context("run", "test", "")
        tracing.write_lines(str(path))
        try:
            function()
        finally:
            tracing.write_lines("")
        return path

    return run


def spread(mesh, dims, shape=(1, 1, 64, 128), **options):
    mapper = ttnn.ShardTensor2dMesh(mesh, mesh_shape=MESH, dims=dims)
    options = {"dtype": ttnn.bfloat16, "layout": ttnn.TILE_LAYOUT, **options}
    return ttnn.from_torch(torch.rand(shape), device=mesh, mesh_mapper=mapper, **options)


def copied(mesh, shape=(1, 1, 32, 32)):
    return ttnn.from_torch(torch.rand(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh)


def placement_of(tensor):
    topology = tensor.tensor_topology()
    return [str(each) for each in topology.placements()], list(topology.distribution_shape())


def tracelift(*arguments, status=0):
    result = subprocess.run([TRACELIFT, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout


# --- graphs and reports --------------------------------------------------------------------------------------------------


def test_a_tensor_of_a_mesh_is_one_buffer_and_a_place_on_every_chip(mesh):
    tensor = spread(mesh, (2, 3))
    with ttnn.graph.capture() as nodes:
        ttnn.relu(tensor)
    kinds = [node["node_type"] for node in nodes]
    assert kinds.count("buffer_allocate") == kinds.count("buffer_deallocate") == 1
    inputs = next(node for node in nodes if node["node_type"] == "tensor")
    assert inputs["params"]["device_id"] == str(mesh.id())
    places = json.loads(inputs["params"]["device_tensors"])
    assert [place["device_id"] for place in places] == mesh.get_device_ids()
    assert {place["address"] for place in places} == {int(inputs["params"]["address"])}


def test_a_report_has_all_chips(mesh, tmp_path):
    with ttnn.graph.capture(report_path=tmp_path / "report.json"):
        ttnn.relu(spread(mesh, (2, 3)))
    ttnn.graph.import_report(tmp_path / "report.json", tmp_path / "out")
    database = sqlite3.connect(tmp_path / "out/db.sqlite")
    (most,) = database.execute("SELECT max(n) FROM (SELECT count(*) AS n FROM device_tensors GROUP BY tensor_id)").fetchone()
    assert most == 8
    assert "  7: [1, 3]" in (tmp_path / "out/physical_chip_mesh_coordinate_mapping.yaml").read_text()
    tracelift("report", "check", tmp_path / "out")


# --- lines and their replay ----------------------------------------------------------------------------------------------


def test_lines_tell_placements_and_the_mesh(mesh, lines):
    first, second = spread(mesh, (2, 3)), copied(mesh)
    (call,) = map(json.loads, lines(lambda: ttnn.add(first, second)).read_text().splitlines())
    assert call["board"] == BOARD
    assert [each["tensor_placement"] for each in call["inputs"]] == [
        {
            "placement": "['PlacementShard(2)', 'PlacementShard(3)']",
            "distribution_shape": "[2, 4]",
            "mesh_device_shape": "[2, 4]",
        },
        {"placement": "['PlacementReplicate']", "distribution_shape": "[8]", "mesh_device_shape": "[2, 4]"},
    ]
    assert call["output"]["tensor_placement"]["distribution_shape"] == "[2, 4]"


@pytest.mark.parametrize("dims", [(2, 3), (None, 3), (0, None), (-2, -1)])
def test_a_replay_places_tensors_as_they_were(mesh, lines, dims):
    shape = (4, 1, 64, 128)
    tensor = spread(mesh, dims, shape)
    (call,) = map(json.loads, lines(lambda: ttnn.relu(tensor)).read_text().splitlines())
    output = op_replay.replay_op_record(call, mesh)
    assert list(output.shape) == list(tensor.shape) == call["inputs"][0]["shape"]
    assert placement_of(output) == placement_of(tensor)


def test_a_replay_of_a_row_of_parts(mesh, lines):
    values = torch.rand(1, 1, 32, 32 * 8)
    mapper = ttnn.ShardTensorToMesh(mesh, dim=3)
    tensor = ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper)
    (call,) = map(json.loads, lines(lambda: ttnn.relu(tensor)).read_text().splitlines())
    assert placement_of(op_replay.replay_op_record(call, mesh)) == placement_of(tensor)
    replicated = op_replay.replay_op_record(call, mesh, mapper="replicate")
    assert placement_of(replicated)[1] == [8] and "Replicate" in placement_of(replicated)[0][0]


def test_a_mesh_of_other_size_is_refused(mesh, lines, device):
    tensor = spread(mesh, (2, 3))
    (call,) = map(json.loads, lines(lambda: ttnn.relu(tensor)).read_text().splitlines())
    small = ttnn.open_mesh_device(ttnn.MeshShape(1, 2), board="n300")
    try:
        with pytest.raises(op_replay.Refused, match="lies on 8 devices, and here are 2"):
            op_replay.replay_op_record(call, small)
    finally:
        ttnn.close_mesh_device(small)
    assert list(op_replay.replay_op_record(call, device).shape) == [1, 1, 32, 32]  # what one chip does


def test_an_asynchronous_reduce_scatter_is_replayed(mesh, lines):
    grid = mesh.compute_with_storage_grid_size()
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(grid.x - 1, grid.y - 1))])
    semaphores = [ttnn.create_global_semaphore(mesh, cores, 0) for _ in range(3)]
    tensor = spread(mesh, (0, 1), (2, 4, 32, 256))

    def scatter():
        return ttnn.experimental.reduce_scatter_minimal_async(
            tensor, dim=3, multi_device_global_semaphore=semaphores, cluster_axis=1, num_links=1
        )

    path = lines(scatter)
    (call,) = map(json.loads, path.read_text().splitlines())
    output = op_replay.replay_op_record(call, mesh)
    assert list(output.shape) == [1, 1, 32, 64]
    done = subprocess.run(
        [sys.executable, "-m", "tracelift.op_replay", "--jsonl", str(path), "--index", "0"],
        env={**os.environ, "TRACELIFT_BOARD": ""},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "Replay success. Output shape: [1, 1, 32, 64]\n", done.stderr
    answer = json.loads(tracelift("replay", "--jsonl", path, "--json"))
    assert [each["outcome"] for each in answer["calls"]] == ["matched"]


def test_lines_are_replayed_on_their_mesh_by_the_command(mesh, lines):
    tensor, other = spread(mesh, (2, 3)), copied(mesh)
    path = lines(lambda: (ttnn.add(tensor, other), ttnn.matmul(tensor, other)))
    answer = json.loads(tracelift("replay", "--jsonl", path, "--json"))
    assert [each["outcome"] for each in answer["calls"]] == ["matched", "matched"]
    elsewhere = json.loads(tracelift("replay", "--jsonl", path, "--board", "t3000@1x8", "--json", status=1))
    assert {each["outcome"] for each in elsewhere["calls"]} == {"rejected"}
    one = json.loads(tracelift("replay", "--jsonl", path, "--board", "p150@1x1", "--json"))
    assert [each["outcome"] for each in one["calls"]] == ["matched", "matched"]


# --- stores ----------------------------------------------------------------------------------------------------------------


def test_a_traced_model_keeps_its_placements(tmp_path):
    target = tmp_path / "case_mesh.py"
    target.write_text(
        f"""
import torch
import ttnn

def test_mesh():
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(2, 4), board="t3000")
    mapper = ttnn.ShardTensor2dMesh(mesh, mesh_shape={MESH}, dims=(2, 3))
    tensor = ttnn.from_torch(
        torch.rand(1, 1, 64, 128), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper
    )
    ttnn.relu(ttnn.add(tensor, 1.0))
    ttnn.close_mesh_device(mesh)
"""
    )
    store = tmp_path / "store"
    tracelift("trace", f"{target}::test_mesh", "--dir", store, "--json")
    tracelift("export", tmp_path / "master.json", "--format", "2", "--dir", store)
    operations = json.loads((tmp_path / "master.json").read_text())["operations"]
    (relu,) = next(body for name, body in operations.items() if name.endswith("relu"))["configurations"]
    (placement,) = (each["tensor_placement"] for each in relu["arguments"].values() if "tensor_placement" in each)
    assert placement["placement"] == "['PlacementShard(2)', 'PlacementShard(3)']"
    machine = relu["executions"][0]["machine_info"]
    assert machine["mesh_device_shape"] == [2, 4] and machine["device_count"] == 8
    assert "100.0 %" in tracelift("selfcheck", "--dir", store)
    tracelift("import", tmp_path / "master.json", "--dir", tmp_path / "again")
    same = [
        tracelift("sql", "SELECT identity FROM configurations ORDER BY identity", "--json", "--dir", folder)
        for folder in (store, tmp_path / "again")
    ]
    assert same[0] == same[1]
