"""Vectors: their order, their values in files and back, and their ids, with expectations worked out by hand."""

import hashlib
import json

import pytest

from tracelift import ttnn
from tracelift.sweep_framework import vector_files
from tracelift.sweep_framework.vectors import (
    TooManyPermutations,
    check_size,
    deserialize,
    input_hash,
    permutations,
    serialize,
    suite_vectors,
)

GRID = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(7, 6))})
SPEC = ttnn.ShardSpec(GRID, [224, 32], ttnn.ShardOrientation.ROW_MAJOR)
SHARDED = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, SPEC)
# The example of the format's description.
SHARDED_TEXT = {
    "type": "ttnn._ttnn.tensor.MemoryConfig",
    "data": {
        "buffer_type": "L1",
        "created_with_nd_shard_spec": False,
        "memory_layout": "HEIGHT_SHARDED",
        "shard_spec": {
            "grid": [{"end": {"x": 7, "y": 6}, "start": {"x": 0, "y": 0}}],
            "orientation": 0,
            "shape": [224, 32],
        },
    },
}


def test_the_first_parameter_varies_slowest():
    made = list(permutations({"a": [1, 2], "b,c": [("x", 3), ("y", 4)]}))
    assert made == [
        {"a": 1, "b": "x", "c": 3},
        {"a": 1, "b": "y", "c": 4},
        {"a": 2, "b": "x", "c": 3},
        {"a": 2, "b": "y", "c": 4},
    ]


def test_joined_names_are_split_without_trimming_and_must_fit():
    assert list(permutations({"a, b": [(1, 2)]})) == [{"a": 1, " b": 2}]
    with pytest.raises(ValueError, match="takes tuples of 2 values"):
        list(permutations({"a,b": [(1, 2, 3)]}))


def test_too_many_permutations_are_refused_with_advice():
    assert check_size("m", "s", {"a": list(range(100)), "b": list(range(100))}) == 10_000
    with pytest.raises(TooManyPermutations, match=r"m: suite s has 10100 permutations \(a: 101 x b: 100\).*split it"):
        check_size("m", "s", {"a": list(range(101)), "b": list(range(100))})


def test_invalid_vectors_carry_their_reason():
    invalidate = lambda vector: (True, "odd") if vector["n"] % 2 else (False, None)  # noqa: E731
    one, two = suite_vectors("x.y", "nightly", {"n": [1, 2]}, invalidate)
    rest = {"suite_name": "nightly", "status": "VectorStatus.CURRENT", "sweep_name": "x.y"}
    assert one == {"n": 1, "validity": "INVALID", "invalid_reason": "odd", **rest}
    assert two == {"n": 2, "validity": "VALID", "invalid_reason": "", **rest}


@pytest.mark.parametrize(
    "value, text",
    [
        ("text", "text"),
        (3, 3),
        (1.5, 1.5),
        (True, True),
        (None, None),
        ([1, [2]], [1, [2]]),
        ({"self": [1, 2], "other": [3]}, {"self": [1, 2], "other": [3]}),
        ((1, 1, 32, 32), "(1, 1, 32, 32)"),
        (ttnn.bfloat16, "DataType.BFLOAT16"),
        (ttnn.TILE_LAYOUT, "Layout.TILE"),
        (ttnn.TensorMemoryLayout.INTERLEAVED, "TensorMemoryLayout.INTERLEAVED"),
        (SHARDED, SHARDED_TEXT),
        (SPEC, {"type": "ttnn._ttnn.tensor.ShardSpec", "data": SHARDED_TEXT["data"]["shard_spec"]}),
        (ttnn.CoreCoord(2, 3), {"type": "ttnn._ttnn.tensor.CoreCoord", "data": {"x": 2, "y": 3}}),
    ],
)
def test_values_go_to_files_and_back(value, text):
    assert serialize(value) == text
    assert deserialize(json.loads(json.dumps(text))) == value


def test_nd_sharded_memory_configs_come_back():
    spec = ttnn.NdShardSpec([1, 32, 64], GRID)
    config = ttnn.MemoryConfig(ttnn.BufferType.L1, spec)
    written = serialize(config)
    assert written["data"]["created_with_nd_shard_spec"] is True
    assert written["data"]["nd_shard_spec"]["shard_shape"] == [1, 32, 64]
    assert "shard_spec" not in written["data"]
    assert deserialize(written) == config


@pytest.mark.parametrize(
    "text, value",
    [
        ("ttnn.DataType.BFLOAT8_B", ttnn.bfloat8_b),
        ("DataType.NOTHING", "DataType.NOTHING"),
        ("sum", "sum"),
        ("[1, 2]", [1, 2]),
        ("None", None),
        ("1e-5", 1e-5),
        ("some words", "some words"),
        ("sigmoid_accurate_traced_3", "sigmoid_accurate_traced_3"),
        ({"type": "MemoryConfig", "data": SHARDED_TEXT["data"]}, SHARDED),
        ({"type": "ttnn.MemoryConfig", "data": json.dumps(SHARDED_TEXT["data"])}, SHARDED),
        ({"type": "MemoryConfig", "data": {}, "more": 1}, {"type": "MemoryConfig", "data": {}, "more": 1}),
        ({"type": "Unknown", "data": {"a": "2"}}, {"type": "Unknown", "data": {"a": 2}}),
    ],
)
def test_texts_of_files_are_read(text, value):
    assert deserialize(text) == value


def test_numbers_of_members_are_read_too():
    data = {**SHARDED_TEXT["data"], "buffer_type": 1, "memory_layout": 2}
    assert deserialize({"type": "ttnn._ttnn.tensor.MemoryConfig", "data": data}) == SHARDED


def test_program_configs_survive_a_file():
    config = ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig(
        compute_with_storage_grid_size=ttnn.CoreCoord(8, 1),
        in0_block_w=2,
        out_subblock_h=1,
        out_subblock_w=4,
        per_core_M=1,
        per_core_N=4,
        fuse_batch=True,
        fused_activation=None,
        mcast_in0=True,
    )
    assert deserialize(json.loads(json.dumps(serialize(config)))) == config


def test_the_id_of_a_vector_is_the_hash_of_its_text():
    vector = {"b": [1, 2], "a": "DataType.BFLOAT16", "suite_name": "ü"}
    text = '{"a":"DataType.BFLOAT16","b":[1,2],"suite_name":"ü"}'
    assert input_hash(vector) == hashlib.sha224(text.encode()).hexdigest()
    assert input_hash({**vector, "config_hash": "given"}) == "given"
    assert input_hash({**vector, "config_hash": None}) != input_hash(vector)


# --- files ------------------------------------------------------------------------------------------------------------


def test_meshes_have_files_of_their_own():
    def name(info):
        return vector_files.file_name("m", {"traced_machine_info": info}, "mesh")

    assert vector_files.file_name("m", {}, "mesh") == "m.json"
    assert name({"mesh_device_shape": [4, 8]}) == "m__mesh_4x8.json"
    assert name([{"tensor_placements": [{"mesh_device_shape": "[1, 2]"}]}]) == "m__mesh_1x2.json"
    assert name({"device_series": "tt-galaxy-wh", "card_count": 32}) == "m__mesh_4x8.json"
    assert name({"device_series": "n300", "card_count": 1}) == "m.json"
    hardware = {"board_type": "Wormhole", "device_series": "n300", "card_count": 1}
    assert vector_files.file_name("m", {"traced_machine_info": hardware}, "hw") == "m__hw_wormhole_n300_1c.json"


def test_a_suite_is_only_rewritten_when_its_vectors_change(tmp_path):
    path = tmp_path / "out" / "m.json"
    assert vector_files.write_suite(path, "nightly", {"h1": {"n": 1}}, "me") is True
    assert vector_files.write_suite(path, "other", {"h9": {"n": 9}}, "me") is True
    before = path.read_text()
    assert vector_files.write_suite(path, "nightly", {"h1": {"n": 1}}, "me") is False
    assert path.read_text() == before
    assert vector_files.write_suite(path, "nightly", {"h1": {"n": 1}}, "you") is True
    assert vector_files.write_suite(path, "nightly", {"h1": {"n": 1}, "h2": {"n": 2}}, "you") is True
    data = json.loads(path.read_text())
    assert list(data["nightly"]) == ["h1", "h2"] and list(data["other"]) == ["h9"]
    assert data["nightly"]["h2"].keys() == {"n", "timestamp", "input_hash", "tag"}
    assert [file.name for file in path.parent.iterdir()] == ["m.json"]


def test_an_unreadable_file_is_put_aside(tmp_path, capsys):
    path = tmp_path / "m.json"
    path.write_text('{"nightly": {')
    vector_files.write_suite(path, "nightly", {"h1": {"n": 1}}, "me")
    (aside,) = [file for file in tmp_path.iterdir() if file.name.startswith("m.json.corrupted.")]
    assert aside.read_text() == '{"nightly": {'
    assert aside.name in capsys.readouterr().out
    assert list(json.loads(path.read_text())["nightly"]) == ["h1"]
