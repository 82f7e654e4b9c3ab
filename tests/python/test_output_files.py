"""What the command writes: links keep pointing, pipes and devices are written into, and lost output is an error."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from test_masters_command import as_json, find_tool, master, run  # noqa: F401 (a fixture)


@pytest.fixture
def store(master, tmp_path):  # noqa: F811
    as_json("import", master, "--dir", tmp_path / "store")
    return tmp_path / "store"


def configurations(text):
    return sum(len(each["configurations"]) for each in json.loads(text)["operations"].values())


@pytest.mark.parametrize("command", ["export", "convert", "merge", "select"])
def test_a_link_keeps_pointing(store, master, tmp_path, command):  # noqa: F811
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    os.chmod(target, 0o640)
    link.symlink_to("target.json")
    registry = tmp_path / "registry.yaml"
    (run_id,) = {each["id"] for each in as_json("runs", "--dir", store)}
    registry.write_text(f"targets:\n  all:\n    - trace: {run_id}\nregistry: []\n")
    arguments = {
        "export": ["export", link, "--dir", store],
        "convert": ["convert", master, link],
        "merge": ["merge", master, master, "-o", link],
        "select": ["select", "--registry", registry, "-o", link, "--dir", store],
    }[command]
    result = run(*arguments)
    assert result.returncode == 0, result.stderr
    assert os.readlink(link) == "target.json"
    assert configurations(target.read_text()) == 4
    assert target.stat().st_mode & 0o777 == 0o640
    assert not list(tmp_path.glob("*.tmp"))


def test_the_master_beside_a_store_may_be_a_link(store, master, tmp_path):  # noqa: F811
    name = "ttnn_operations_master.json"
    (store / name).rename(tmp_path / "elsewhere.json")
    (store / name).symlink_to(tmp_path / "elsewhere.json")
    text = json.loads(master.read_text())
    text["operations"]["ttnn.neg"] = text["operations"].pop("ttnn.relu")
    for each in text["operations"].values():
        for configuration in each["configurations"]:
            configuration["executions"][0]["trace_uid"] = "u-2"
    (tmp_path / "more.json").write_text(json.dumps(text))
    as_json("import", tmp_path / "more.json", "--dir", store)
    assert (store / name).is_symlink()
    assert configurations((tmp_path / "elsewhere.json").read_text()) == 6
    assert run("ops", "--dir", store).returncode == 0


def test_a_pipe_is_written_into(store, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    assert run("export", pipe, "--dir", store).returncode == 0
    reader.join()
    assert configurations(got[0]) == 4
    assert pipe.is_fifo()


def test_standard_output_by_name(store, tmp_path):
    piped = run("export", "/dev/stdout", "--dir", store)
    assert piped.returncode == 0, piped.stderr
    assert configurations(piped.stdout) == 4  # and nothing else
    with open(tmp_path / "file", "w") as file:
        file.write("before\n")
        file.flush()
        subprocess.run([find_tool(), "export", "/dev/stdout", "--dir", str(store)], stdout=file, check=True)
        file.seek(0, os.SEEK_END)
        file.write("after\n")
    text = (tmp_path / "file").read_text()
    assert text.startswith("before\n") and text.endswith("after\n")
    assert configurations(text[len("before\n") : -len("after\n")]) == 4


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "-"],
        ["export", "-", "--format", "csv"],
        ["export", "/dev/full"],
        ["export", "/dev/stdout"],
        ["ops"],
        ["show", "relu"],
        ["stats"],
        ["coverage"],
        ["verify"],
        ["models"],
        ["runs"],
        ["sql", "SELECT 1"],
        ["boards"],
        ["describe", "add"],
        ["describe"],  # longer than the buffer, as are the tables: the loss is noticed while the command prints
        ["report", "tables"],
        ["--help"],
        ["--version"],
        ["export", "--help"],
    ],
    ids=" ".join,
)
def test_output_that_is_lost_is_an_error(store, arguments):
    with_store = [] if arguments[0] in ("boards", "describe", "report", "--help", "--version") else ["--dir", str(store)]
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [find_tool(), *arguments, *with_store], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 1
    assert "No space left on device" in result.stderr
    what = arguments[1] if arguments[-1].startswith("/dev/") else "standard output"
    assert what in result.stderr
    assert Path("/dev/full").is_char_device()


def test_a_diff_that_is_lost_has_not_failed_to_read(store, tmp_path):
    """Status 2 would say that a store cannot be read."""
    master = tmp_path / "master.json"
    configurations_of_many = {
        f"ttnn::op_{number}": {"configurations": [{"arguments": [{"arg0": number}]}]} for number in range(500)
    }
    master.write_text(json.dumps({"operations": configurations_of_many, "metadata": {}}))
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [find_tool(), "diff", str(store), str(master)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (result.returncode, result.stderr) == (
        1,
        "tracelift: standard output could not be written: No space left on device\n",
    )


def test_a_folder_is_known_by_its_content(tmp_path):
    """Two parameter files of equal size are two traces."""

    def call(number):
        return json.dumps(
            {"operation_name": "ttnn.relu", "args": [{"position": 0, "value": number}], "kwargs": {}, "return_value": None}
        )

    uids = []
    for number in (1, 2, 1):
        folder = tmp_path / f"params{len(uids)}"
        folder.mkdir()
        (folder / "1_ttnn_relu_20260115_104616_345678.json").write_text(call(number))
        store = tmp_path / f"store{len(uids)}"
        (report,) = as_json("import", folder, "--dir", store)
        uids.append(report["trace_uid"])
    assert uids[0] != uids[1]
    assert uids[0] == uids[2]


def test_a_tensor_is_dumped_to_where_a_link_points(tmp_path):
    from tracelift import ttnn

    tensor = ttnn.full([32, 32], 2.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    (tmp_path / "link.tensorbin").symlink_to("target.tensorbin")
    ttnn.dump_tensor(tmp_path / "link.tensorbin", tensor)
    assert (tmp_path / "link.tensorbin").is_symlink()
    loaded = ttnn.load_tensor(tmp_path / "target.tensorbin")
    assert ttnn.to_torch(loaded).tolist() == ttnn.to_torch(tensor).tolist()
    assert len(list(tmp_path.iterdir())) == 2


def write_tensor(path):
    from tracelift import ttnn

    ttnn.dump_tensor(path, ttnn.full([32, 32], 2.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))


def write_graph(path):
    from tracelift import ttnn

    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    try:
        ttnn.relu(ttnn.zeros([32, 32], layout=ttnn.TILE_LAYOUT))
    except RuntimeError:
        pass  # a host tensor: the capture has its nodes all the same
    ttnn.graph.end_graph_capture_to_file(str(path))


def write_picture(path):
    from tracelift import ttnn

    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    ttnn.graph.visualize(ttnn.graph.end_graph_capture(), path)


def write_config(path):
    from tracelift import ttnn

    ttnn.save_config_to_json_file(path)


def write_operations(path):
    from tracelift import ttnn

    ttnn.dump_operations(path)


def write_mesh_file(path):
    """Of an import, whose other files are not looked at here."""
    from tracelift.ttnn import graph_report

    there = {path.name for path in path.parent.iterdir()}
    parts = {"version": 1, "graph": [], "devices": [], "metadata": {}, "mesh_coordinate_mapping": "chips:\n  0: [0, 0]\n"}
    (path.parent / "capture.json").write_text(json.dumps(parts))
    graph_report.import_report(path.parent / "capture.json", path.parent)
    for other in path.parent.iterdir():
        if other.name not in there | {path.name}:
            other.unlink()


# What Python writes, with how each begins.
WRITERS = {
    "tensor.tensorbin": (write_tensor, b"TLTENSOR"),
    "report.json": (write_graph, b"{"),
    "picture.svg": (write_picture, b"<svg"),
    "config.json": (write_config, b"{"),
    "mesh_coordinate_mapping.yaml": (write_mesh_file, b"chips:"),
    "operations.csv": (write_operations, b"python_fully_qualified_name"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_python_writes_keeps_links(tmp_path, name):
    write, start = WRITERS[name]
    target = tmp_path / f"target-{name}"
    target.write_text("old")
    os.chmod(target, 0o640)
    link = tmp_path / name
    link.symlink_to(target.name)
    inode = target.stat().st_ino
    write(link)
    assert os.readlink(link) == target.name
    assert target.read_bytes().startswith(start)
    assert target.stat().st_mode & 0o777 == 0o640
    assert target.stat().st_ino != inode, "written in place: who reads meanwhile sees half a file"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, target.name])


@pytest.mark.parametrize("name", WRITERS)
def test_what_python_writes_goes_into_pipes(tmp_path, name):
    write, start = WRITERS[name]
    pipe = tmp_path / name
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join()
    assert got[0].startswith(start)
    assert pipe.is_fifo()


def test_a_graph_report_that_cannot_be_finished_leaves_the_old_one(tmp_path):
    from tracelift import ttnn

    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    with pytest.raises(RuntimeError, match="No space left on device"):
        ttnn.graph.end_graph_capture_to_file("/dev/full")
    assert Path("/dev/full").is_char_device()
    (tmp_path / "folder").mkdir()
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    with pytest.raises(RuntimeError, match="Is a directory"):
        ttnn.graph.end_graph_capture_to_file(str(tmp_path / "folder"))
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_call_lines_go_into_a_pipe_and_to_the_standard_output(tmp_path):
    script = tmp_path / "model.py"
    script.write_text(
        "import ttnn\n"
        "print('before', flush=True)\n"
        "device = ttnn.open_device(device_id=0)\n"
        "ttnn.relu(ttnn.zeros([32, 32], device=device, layout=ttnn.TILE_LAYOUT))\n"
        "print('after', flush=True)\n"
    )

    def called(path, **streams):
        environment = {**os.environ, "TT_OP_RESULTS_JSONL": str(path)}
        return subprocess.run([sys.executable, script], env=environment, text=True, check=True, **streams)

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    called(pipe)
    reader.join()
    assert "ttnn.relu" in [json.loads(line)["op_name"] for line in got[0].splitlines()]
    with open(tmp_path / "out.txt", "w") as file:
        called("/dev/stdout", stdout=file)
    for text in (called("/dev/stdout", stdout=subprocess.PIPE).stdout, (tmp_path / "out.txt").read_text()):
        lines = text.splitlines()
        assert lines[0] == "before" and lines[-1] == "after"
        assert "ttnn.relu" in [json.loads(line)["op_name"] for line in lines[1:-1]]


def test_a_picture_goes_through_links_and_into_pipes(tmp_path):
    write_graph(tmp_path / "report.json")
    link, target, pipe = (tmp_path / name for name in ("link.svg", "target.svg", "pipe.svg"))
    target.write_text("old")
    link.symlink_to("target.svg")
    assert run("graph", "svg", tmp_path / "report.json", "-o", link).returncode == 0
    assert link.is_symlink() and target.read_text().startswith("<svg")
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    assert run("graph", "svg", tmp_path / "report.json", "-o", pipe).returncode == 0
    reader.join()
    assert got[0] == target.read_text() and pipe.is_fifo()


@pytest.mark.parametrize("writer", ["command", "Python"])
def test_an_unreadable_vector_file_behind_a_link_is_put_aside_where_it_is(store, tmp_path, writer):
    from tracelift.sweep_framework import vector_files

    vectors, elsewhere = tmp_path / "vectors", tmp_path / "elsewhere"
    vectors.mkdir()
    elsewhere.mkdir()

    def generate():
        if writer == "command":
            assert run("sweep", "generate", "relu", "--vectors-dir", vectors, "--dir", store).returncode == 0
        else:
            vector_files.write_suite(vectors / "m.json", "nightly", {"h": {"n": 1}}, "me")

    generate()
    (link,) = (path for path in vectors.iterdir() if path.name != "generation_manifest.json")
    target = elsewhere / "target.json"
    link.rename(target)
    link.symlink_to(target)
    whole = json.loads(target.read_text())
    target.write_text('{"nightly": {')
    generate()
    assert link.is_symlink() and os.readlink(link) == str(target)
    assert json.loads(target.read_text()).keys() == whole.keys()
    (aside,) = (path for path in elsewhere.iterdir() if path != target)
    assert aside.name.startswith("target.json.corrupted.") and aside.read_text() == '{"nightly": {'
    assert not list(vectors.glob("*.corrupted.*"))


@pytest.mark.parametrize("disk", ["the same", "another"])
def test_a_database_goes_through_a_link(tmp_path, disk):
    """And so do the files beside it and the tables of a performance report."""
    elsewhere = tmp_path / "elsewhere" if disk == "the same" else Path(f"/dev/shm/tracelift-test-{os.getpid()}")
    elsewhere.mkdir()
    if disk == "another" and elsewhere.stat().st_dev == tmp_path.stat().st_dev:
        elsewhere.rmdir()
        pytest.skip("there is only one disk")
    write_graph(tmp_path / "report.json")
    assert run("report", "import", tmp_path / "report.json", tmp_path / "out").returncode == 0
    assert run("report", "perf", tmp_path / "report.json", tmp_path / "perf").returncode == 0
    for folder in (tmp_path / "out", tmp_path / "perf"):
        for path in [path for path in folder.iterdir() if path.is_file()]:
            shutil.move(path, elsewhere / path.name)
            path.symlink_to(elsewhere / path.name)
    assert run("report", "import", tmp_path / "report.json", tmp_path / "out", "--replace").returncode == 0
    assert run("report", "perf", tmp_path / "report.json", tmp_path / "perf").returncode == 0
    kept = {path.name: path.is_symlink() for folder in ("out", "perf") for path in (tmp_path / folder).iterdir()}
    names = sorted(path.name for path in elsewhere.iterdir())
    opened = run("report", "stats", tmp_path / "out").returncode
    shutil.rmtree(elsewhere)
    assert kept and all(kept.values()), kept
    assert names == sorted(kept) and opened == 0
