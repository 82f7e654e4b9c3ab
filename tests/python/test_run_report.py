"""The report database that a model writes while it runs (ttnn.database), and comparison mode."""

import json
import logging
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tracelift import ttnn
from tracelift.ttnn import database


@pytest.fixture
def report(tmp_path):
    """A report of this test alone; gives its folder, which the first operation makes."""
    before = ttnn.Config(ttnn.CONFIG)
    ttnn.CONFIG.root_report_path = tmp_path
    ttnn.CONFIG.report_name = "a test"
    yield ttnn.CONFIG.report_path
    ttnn.CONFIG = before
    if database.SQLITE_CONNECTION is not None:
        database.SQLITE_CONNECTION.close()
        database.SQLITE_CONNECTION = None


@pytest.fixture
def logging_on(report):
    with ttnn.manage_config("enable_logging", True):
        yield report


def rows(folder, question, *values):
    """Read with a connection of its own: what another program would see."""
    with sqlite3.connect(folder / "db.sqlite") as connection:
        return connection.execute(question, values).fetchall()


def addition(device):
    a = ttnn.from_torch(torch.ones(32, 64), layout=ttnn.TILE_LAYOUT, device=device)
    b = ttnn.from_torch(torch.ones(32, 64), layout=ttnn.TILE_LAYOUT, device=device)
    c = ttnn.add(a, b, memory_config=ttnn.L1_MEMORY_CONFIG)
    ttnn.deallocate(a)
    return a, b, c, ttnn.to_torch(c)


def test_every_outermost_operation_has_a_row(device, logging_on):
    addition(device)
    names = [name for (name,) in rows(logging_on, "SELECT name FROM operations ORDER BY operation_id")]
    assert names == ["ttnn.from_torch", "ttnn.from_torch", "ttnn.add", "ttnn.deallocate", "ttnn.to_torch"]
    assert [number for (number,) in rows(logging_on, "SELECT operation_id FROM operations")] == [1, 2, 3, 4, 5]
    assert all(duration > 0 for (duration,) in rows(logging_on, "SELECT duration FROM operations"))


def test_rows_are_there_while_the_model_runs(device, logging_on):
    x = ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
    assert len(rows(logging_on, "SELECT * FROM operations")) == 1
    ttnn.exp(x)
    assert len(rows(logging_on, "SELECT * FROM operations")) == 2


def test_tensors_and_links_between_operations(device, logging_on):
    a, b, c, read = addition(device)
    inputs = rows(logging_on, "SELECT input_index, tensor_id FROM input_tensors WHERE operation_id = 3")
    assert inputs == [(0, a.tensor_id), (1, b.tensor_id)]
    assert rows(logging_on, "SELECT tensor_id FROM output_tensors WHERE operation_id = 3") == [(c.tensor_id,)]
    assert rows(logging_on, "SELECT tensor_id FROM output_tensors WHERE operation_id = 5") == [(read.tensor_id,)]
    columns = "shape, dtype, layout, device_id, address, buffer_type, size, memory_config"
    found = rows(logging_on, f"SELECT {columns} FROM tensors WHERE tensor_id = ?", c.tensor_id)
    assert found == [
        ("Shape([32, 64])", "DataType.FLOAT32", "Layout.TILE", device.id(), c.buffer_address(), 1, 2 * 4096)
        + (
            "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,"
            "shard_spec=std::nullopt)",
        )
    ]
    assert len({a.tensor_id, b.tensor_id, c.tensor_id, read.tensor_id}) == 4


def test_sharded_tensors_have_the_text_that_the_visualizer_parses(device, logging_on):
    config = ttnn.create_sharded_memory_config([64, 64], ttnn.CoreGrid(x=2, y=1), ttnn.ShardStrategy.HEIGHT)
    x = ttnn.from_torch(torch.ones(64, 64), layout=ttnn.TILE_LAYOUT, device=device, memory_config=config)
    ((text,),) = rows(logging_on, "SELECT memory_config FROM tensors WHERE tensor_id = ?", x.tensor_id)
    expected = "shard_spec=ShardSpec(grid={[(x=0,y=0) - (x=1,y=0)]},shape={32, 64},orientation=ShardOrientation::ROW_MAJOR,halo=0)"
    assert expected in text
    ((layout,),) = rows(logging_on, "SELECT buffer_layout FROM buffers WHERE address = ?", x.buffer_address())
    assert layout == 2  # HEIGHT_SHARDED in the visualizer's numbers


def test_buffers_are_those_in_memory_when_the_operation_ended(device, logging_on):
    a, b, c, _ = addition(device)
    by_operation = {}
    for operation, address in rows(logging_on, "SELECT operation_id, address FROM buffers WHERE buffer_type = 1"):
        by_operation.setdefault(operation, []).append(address)
    assert by_operation == {3: [c.buffer_address()], 4: [c.buffer_address()], 5: [c.buffer_address()]}
    in_dram = rows(logging_on, "SELECT operation_id, COUNT(*) FROM buffers WHERE buffer_type = 0 GROUP BY 1")
    counts = dict(in_dram)
    assert counts[2] == counts[1] + 1 == counts[3] and counts[4] == counts[1]
    ((per_bank,),) = rows(logging_on, "SELECT DISTINCT max_size_per_bank FROM buffers WHERE buffer_type = 1")
    assert per_bank == 4096


def test_arguments_have_the_names_of_parameters(device, logging_on):
    addition(device)
    found = dict(rows(logging_on, "SELECT name, value FROM operation_arguments WHERE operation_id = 3"))
    assert list(found) == ["input_tensor_a", "input_tensor_b", "memory_config"]
    assert found["input_tensor_a"] == "ttnn.Tensor(shape=Shape([32, 64]), dtype=DataType.FLOAT32, layout=Layout.TILE)"
    assert found["memory_config"].startswith("MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,")


def test_stack_traces_are_those_of_the_program(device, logging_on):
    addition(device)
    ((text,),) = rows(logging_on, "SELECT stack_trace FROM stack_traces WHERE operation_id = 3")
    first, second = text.splitlines()[:2]
    assert first.startswith(f'  File "{__file__}", line ') and first.endswith(", in addition")
    assert "ttnn.add(a, b" in second
    assert text.index("in addition") < text.index("test_stack_traces_are_those_of_the_program")


def test_the_captured_graph_of_an_operation(device, logging_on):
    a, b, c, _ = addition(device)
    graph = database.query_captured_graph(logging_on, 3)
    assert graph[0]["node_type"] == "capture_start" and graph[-1]["node_type"] == "capture_end"
    assert any(node["params"].get("name") == "ttnn.add" or node["params"].get("name") == "ttnn::add" for node in graph)
    ids = {node["params"]["tensor_id"] for node in graph if node["node_type"] == "tensor"}
    assert {str(a.tensor_id), str(b.tensor_id), str(c.tensor_id)} <= ids


def test_the_captured_graph_is_in_the_form_that_the_visualizer_reads(device, logging_on):
    x = ttnn.from_torch(torch.ones(96, 32), layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.subtract(x, x, memory_config=ttnn.L1_MEMORY_CONFIG)  # no other test has its program in the cache
    graph = database.query_captured_graph(logging_on, 2)
    assert [node["id"] for node in graph] == [node["counter"] for node in graph] == list(range(len(graph)))
    texts = {kind: [node["params"] for node in graph if node["node_type"] == kind] for kind in {each["node_type"] for each in graph}}
    assert {each["globally_allocated"] for each in texts["circular_buffer_allocate"]} == {"0"}
    assert {each["dtype"] for each in texts["tensor"]} == {"DataType.FLOAT32"}
    assert [each["max_size_per_bank"] for each in texts["buffer_allocate"]] == ["4096"]
    names = [each["name"] for each in texts["function_start"]]
    assert "Device Operation" not in names and any(name.endswith("DeviceOperation") for name in names)


def test_a_graph_that_is_no_list_of_nodes_is_refused(logging_on):
    with pytest.raises(RuntimeError, match="the captured graph: node 0: expected an object"):
        database.insert_captured_graph(logging_on, 1, [1])


def test_the_history_is_whole_after_every_operation(device, logging_on):
    x = ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
    y = ttnn.from_torch(torch.ones(64, 64), layout=ttnn.TILE_LAYOUT, device=device)
    for number, call in enumerate((ttnn.exp, lambda x: ttnn.matmul(x, y), ttnn.neg), 3):
        try:
            output = [call(x).tensor_id]
        except RuntimeError:
            output = []
        history = json.loads((logging_on / "operation_history.json").read_text())
        assert [each["ttnn_operation_id"] for each in history] == list(range(1, number + 1))
        assert history[-1]["output_tensor_ids"] == output and history[-1]["input_tensor_ids"][0] == x.tensor_id
        assert (history[-1]["duration_ns"] > 0, history[-1]["rank"]) == (True, 0)
    assert [each["operation_name"] for each in history[2:]] == ["ttnn.exp", "ttnn.matmul", "ttnn.neg"]


def test_side_files_go_to_where_links_point(device, logging_on):
    logging_on.mkdir(parents=True)
    (logging_on / "cluster_descriptor.yaml").symlink_to("target.yaml")
    (logging_on / "operation_history.json").symlink_to("target.json")
    addition(device)
    assert "arch" in (logging_on / "target.yaml").read_text() and len(json.loads((logging_on / "target.json").read_text())) == 5
    assert not list(logging_on.glob("*.tmp"))


def test_devices_and_side_files(device, logging_on):
    addition(device)
    found = database.query_device_by_id(logging_on, device.id())
    grid = device.compute_with_storage_grid_size()
    assert (found.num_x_compute_cores, found.num_y_compute_cores) == (grid.x, grid.y)
    assert len(rows(logging_on, "SELECT * FROM devices")) == 1
    settings = json.loads((logging_on / "config.json").read_text())
    assert settings["report_name"] == "a test" and settings["enable_logging"] is True
    assert "arch" in (logging_on / "cluster_descriptor.yaml").read_text()
    assert "chips" in (logging_on / "physical_chip_mesh_coordinate_mapping.yaml").read_text()
    metadata = dict(rows(logging_on, "SELECT key, value FROM report_metadata"))
    assert metadata["schema_version"].startswith("3.") and int(metadata["capture_timestamp_ns"]) > 0


def test_a_failing_operation_leaves_an_error_and_the_next_one_goes_on(device, logging_on):
    x = ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT, device=device)
    y = ttnn.from_torch(torch.ones(64, 64), layout=ttnn.TILE_LAYOUT, device=device)
    with pytest.raises(RuntimeError) as raised:
        ttnn.matmul(x, y)
    ttnn.exp(x)
    (error,) = database.query_errors(logging_on)
    assert (error.operation_id, error.operation_name, error.error_type) == (3, "ttnn.matmul", "RuntimeError")
    assert error.error_message == str(raised.value)
    assert error.stack_trace.startswith("Traceback (most recent call last):")
    assert database.query_operation_by_id(logging_on, 3).duration is not None
    assert database.query_operation_by_id(logging_on, 4).name == "ttnn.exp"
    assert not rows(logging_on, "SELECT * FROM output_tensors WHERE operation_id = 3")


def test_reports_in_detail(device, report):
    ttnn.CONFIG.enable_graph_report = True  # without enable_logging: asking for a report is enough
    ttnn.CONFIG.enable_detailed_buffer_report = True
    ttnn.CONFIG.enable_detailed_tensor_report = True
    a, b, c, read = addition(device)
    assert sorted(path.name for path in (report / "graph").iterdir()) == [f"{number}.svg" for number in range(1, 6)]
    assert (report / "graph" / "3.svg").read_text().startswith("<svg")
    pages = list(database.query_buffer_pages(report, 3))
    assert [page.page_index for page in pages] == [0, 1] and {page.page_size for page in pages} == {4096}
    assert {page.buffer_type for page in pages} == {ttnn.BufferType.L1}
    columns = "address, bank_id, core_x, core_y, chunk_address, chunk_size, page_size, num_pages, buffer_type"
    assert rows(report, f"SELECT {columns} FROM buffer_chunks WHERE operation_id = 3 ORDER BY bank_id") == [
        (page.address, page.bank_id, page.core_x, page.core_y, page.page_address, page.page_size, page.page_size, 1, 1)
        for page in sorted(pages, key=lambda page: page.bank_id)
    ]
    assert torch.equal(ttnn.to_torch(database.load_tensor_by_id(report, c.tensor_id)), torch.full((32, 64), 2.0))
    assert torch.equal(database.load_tensor_by_id(report, read.tensor_id), read)
    assert database.load_tensor_by_id(report, 1 << 40) is None


def test_without_detail_there_are_no_pages_and_files(device, logging_on):
    addition(device)
    assert not rows(logging_on, "SELECT * FROM buffer_pages")
    assert not (logging_on / "graph").exists() and not (logging_on / "tensors").exists()


def test_nothing_is_written_unless_asked_for(device, report):
    addition(device)
    assert not report.exists()


def test_logging_without_a_name_says_so(device, caplog, monkeypatch):
    from tracelift.ttnn import _run_report

    monkeypatch.setattr(_run_report, "_warned_without_name", False)
    with ttnn.manage_config("enable_logging", True):
        ttnn.from_torch(torch.ones(2))
        ttnn.from_torch(torch.ones(2))
    assert [record.message for record in caplog.records] == [
        "ttnn.CONFIG.report_name is not set: no report will be written"
    ]


def test_another_report_name_begins_another_report(device, logging_on):
    addition(device)
    ttnn.CONFIG.report_name = "another"
    second = ttnn.CONFIG.report_path
    ttnn.from_torch(torch.ones(2))
    assert len(rows(second, "SELECT * FROM operations")) == 1 and len(rows(logging_on, "SELECT * FROM operations")) == 5


def test_questions(device, logging_on):
    a, b, c, _ = addition(device)
    assert [operation.operation_id for operation in database.query_operations(logging_on)] == [1, 2, 3, 4, 5]
    assert database.query_latest_operation(logging_on).name == "ttnn.to_torch"
    this, previous, after = database.query_operation_by_id_together_with_previous_and_next(logging_on, 3)
    assert (this.name, previous.operation_id, after.operation_id) == ("ttnn.add", 2, 4)
    assert database.query_producer_operation_id(logging_on, c.tensor_id) == 3
    assert list(database.query_consumer_operation_ids(logging_on, a.tensor_id)) == [3, 4]
    assert database.query_tensor_by_id(logging_on, c.tensor_id).buffer_type is ttnn.BufferType.L1
    assert database.query_output_tensor_by_tensor_id(logging_on, c.tensor_id).operation_id == 3
    assert [found.tensor_id for found in database.query_input_tensors(logging_on, 3)] == [a.tensor_id, b.tensor_id]
    assert [found.tensor_id for found in database.query_output_tensors(logging_on, 3)] == [c.tensor_id]
    assert database.query_stack_trace(logging_on, 3) and database.query_stack_trace(logging_on, 99) is None
    assert [buffer.address for buffer in database.query_buffers(logging_on, 3) if buffer.buffer_type is ttnn.BufferType.L1] == [
        c.buffer_address()
    ]
    assert {argument.name for argument in database.query_operation_arguments(logging_on, 3)} >= {"memory_config"}
    assert database.query_operation_by_id(logging_on, 99) is None and database.query_device_by_id(logging_on, 9) is None


def test_hooks_and_logging_work_in_a_process_that_asks_by_environment(tmp_path):
    program = (
        "import torch\nfrom tracelift import ttnn\n"
        "with ttnn.manage_device(device_id=0) as device:\n"
        "    ttnn.exp(ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT, device=device))\n"
    )
    overrides = {"enable_logging": True, "report_name": "By Environment", "root_report_path": str(tmp_path)}
    environment = {**os.environ, "TTNN_CONFIG_OVERRIDES": json.dumps(overrides)}
    result = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert result.returncode == 0 and result.stderr == "", result.stderr
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("by_environment_")
    assert rows(folder, "SELECT name FROM operations") == [("ttnn.from_torch",), ("ttnn.exp",)]


def test_the_command_reads_the_report(device, logging_on):
    addition(device)
    command = Path(sys.executable).with_name("tracelift")
    if not command.exists():
        pytest.skip(f"{command} is not installed")
    result = subprocess.run([command, "report", "ops", logging_on], capture_output=True, text=True)
    assert result.returncode == 0 and "ttnn.add" in result.stdout, result.stderr
    result = subprocess.run([command, "report", "check", logging_on], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


# --- comparison mode ---------------------------------------------------------------------------------------------------


@pytest.fixture
def comparing():
    before = ttnn.Config(ttnn.CONFIG)
    ttnn.CONFIG.enable_comparison_mode = True
    yield
    ttnn.CONFIG = before


@pytest.fixture
def wrong_exp():
    """ttnn.exp, with a golden function that says something else."""
    before = ttnn.exp.golden_function
    ttnn.attach_golden_function(ttnn.exp, lambda x, **kwargs: torch.cos(20 * x))
    yield
    ttnn.attach_golden_function(ttnn.exp, before)


def uploaded(device, *shape):
    torch.manual_seed(0)
    return ttnn.from_torch(torch.rand(*shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def test_right_results_pass(device, comparing, caplog):
    ttnn.CONFIG.comparison_mode_should_raise_exception = True
    ttnn.CONFIG.comparison_mode_pcc = 0.99
    x = uploaded(device, 64, 64)
    ttnn.to_torch(ttnn.softmax(ttnn.matmul(x, ttnn.add(x, 1.0)), dim=-1))
    ttnn.max(x, dim=-1)
    ttnn.concat([x, x], dim=0)
    assert not caplog.records


def test_wrong_results_are_logged(device, comparing, wrong_exp, caplog):
    x = uploaded(device, 32, 32)
    ttnn.exp(x)
    levels = [record.levelno for record in caplog.records]
    assert levels == [logging.ERROR, logging.ERROR]
    assert caplog.records[0].message.startswith(
        "ttnn.exp: Comparing output tensor 0 against CPU locally failed: pcc is "
    )
    assert caplog.records[0].message.endswith(" but should be >=0.9999")
    assert "against CPU globally failed" in caplog.records[1].message


def test_wrong_results_raise_when_asked_to(device, comparing, wrong_exp):
    ttnn.CONFIG.comparison_mode_should_raise_exception = True
    x = uploaded(device, 32, 32)
    with pytest.raises(RuntimeError, match="ttnn.exp: Comparing output tensor 0 against CPU locally failed"):
        ttnn.exp(x)
    ttnn.CONFIG.comparison_mode_pcc = -1.0
    ttnn.exp(x)


def test_the_threshold_counts(device, comparing):
    ttnn.CONFIG.comparison_mode_should_raise_exception = True
    x = ttnn.from_torch(torch.rand(64, 64), dtype=ttnn.bfloat8_b, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.CONFIG.comparison_mode_pcc = 1.0
    with pytest.raises(RuntimeError, match="should be >=1.0"):
        ttnn.exp(x)
    ttnn.CONFIG.comparison_mode_pcc = 0.99
    ttnn.exp(x)


def test_errors_that_add_up_are_seen_globally(device, comparing, wrong_exp, caplog):
    x = uploaded(device, 32, 32)
    y = ttnn.exp(x)
    caplog.clear()
    ttnn.add(y, 1.0)
    (record,) = caplog.records
    assert record.message.startswith("ttnn.add: Comparing output tensor 0 against CPU globally failed")


def test_operations_without_a_golden_function_are_named_once(device, comparing, caplog):
    @ttnn.register_python_operation(name="ttnn.made_here.nothing_to_compare")
    def operation(x):
        return x

    x = uploaded(device, 32, 32)
    operation(x)
    operation(x)
    ttnn.deallocate(ttnn.neg(x))  # gives nothing that could be compared
    assert [record.message for record in caplog.records] == [
        "ttnn.made_here.nothing_to_compare has no golden function: comparison mode cannot check it"
    ]


def test_a_golden_function_that_fails_is_a_finding(device, comparing, wrong_exp, caplog):
    def fails(x, **kwargs):
        raise ValueError("no such thing")

    ttnn.attach_golden_function(ttnn.exp, fails)
    x = uploaded(device, 32, 32)
    result = ttnn.exp(x)
    assert result.shape == x.shape
    assert [record.message for record in caplog.records] == [
        f"ttnn.exp: the golden function failed {level}: no such thing" for level in ("locally", "globally")
    ]
    ttnn.CONFIG.comparison_mode_should_raise_exception = True
    with pytest.raises(RuntimeError, match="the golden function failed locally: no such thing"):
        ttnn.exp(x)


def test_an_operation_on_a_deallocated_tensor_says_so_itself(device, comparing):
    x = uploaded(device, 32, 32)
    x.deallocate(force=True)
    with pytest.raises(RuntimeError, match="deallocated"):
        ttnn.exp(x)


def test_in_place_operations_are_compared_with_what_was_there_before(device, comparing, caplog):
    ttnn.CONFIG.comparison_mode_should_raise_exception = True
    x = uploaded(device, 32, 32)
    ttnn.add_(x, x)
    ttnn.add_(x, x)
    assert not caplog.records


def test_records_go_into_the_report(device, report, comparing, wrong_exp):
    x = uploaded(device, 32, 32)
    right, wrong = ttnn.neg(x), ttnn.exp(x)
    for table in ("local_tensor_comparison_records", "global_tensor_comparison_records"):
        good = database.query_tensor_comparison_record(report, table, right.tensor_id)
        assert good.matches is True and good.actual_pcc > 0.9999 and good.desired_pcc == 0.9999
        bad = database.query_tensor_comparison_record(report, table, wrong.tensor_id)
        assert bad.matches is False and bad.actual_pcc < 0.9
        golden = database.query_tensor_by_id(report, bad.golden_tensor_id)
        assert golden.shape == "torch.Size([32, 32])" and golden.device_id is None
    with pytest.raises(ValueError, match="no_such_table"):
        database.query_tensor_comparison_record(report, "no_such_table", 1)
    assert not rows(report, "SELECT * FROM operations")  # only logging writes these


def test_what_goldens_gave_dies_with_the_tensor(device, comparing):
    from tracelift.ttnn import _comparison

    before = len(_comparison._golden_results)
    x = ttnn.neg(uploaded(device, 32, 32))
    assert len(_comparison._golden_results) > before
    del x
    assert len(_comparison._golden_results) == before
