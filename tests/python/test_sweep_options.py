"""The options of `tracelift sweep run` that decide which vectors run and how long, and what it shows meanwhile."""

import json
import os
import pty
import re
import subprocess
import time

import pytest

from sweep_support import ROOT
from test_masters_command import as_json, find_tool, run

MODULE = '''
import time

parameters = {
    "nightly": {"behaviour": ["fine", "hangs", "late", "later"]},
    "other": {"behaviour": ["fine"]},
    "partly": {"behaviour": ["fine", "odd", "even"]},
    "broken": {"behaviour": ["fine", "breaks the device", "late"]},
}


def invalidate_vector(vector):
    return vector["behaviour"] == "odd", "nobody likes odd ones"


def run(behaviour, *, device):
    with open("ran.txt", "a") as log:
        log.write(behaviour + "\\n")
    if behaviour == "hangs":
        time.sleep(600)
    if behaviour == "breaks the device":
        raise RuntimeError("DEVICE EXCEPTION: it does not answer")
    return True, "0.9999"
'''


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "sweeps").mkdir()
    (tmp_path / "sweeps" / "patient.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def swept(suite, *options, status=0):
    """behaviour -> (status, message or exception) of a suite of the module, in the order of the vectors."""
    command = ("sweep", "run", "--module-name", "patient", "--suite-name", suite, "--jobs", "1", "--dir", "store", *options)
    as_json(*command, status=status)
    rows = as_json("sql", "SELECT parameters, status, message FROM results WHERE sweep = (SELECT max(sweep) FROM results)", "--dir", "store")
    return {json.loads(row["parameters"])["behaviour"]: (row["status"], row["message"]) for row in rows}


# --- devices ------------------------------------------------------------------------------------------------------------


def test_a_device_that_cannot_be_opened_is_no_failure_of_a_vector(project):
    module = MODULE + """

def mesh_device_fixture():
    raise RuntimeError("nobody answers")
    yield
"""
    (project / "sweeps" / "patient.py").write_text(module)
    result = swept("other", status=1)
    status, message = result["fine"]
    assert status == "infra_device" and "the device cannot be opened: nobody answers" in message
    assert not (project / "ran.txt").exists()


# --- machines -----------------------------------------------------------------------------------------------------------


def test_the_environment_chooses_the_machine_that_was_traced(project, monkeypatch):
    one = {"board_type": "Wormhole", "device_series": "n150", "card_count": 1, "device_count": 1}
    many = {**one, "device_series": "tt-galaxy-wh", "card_count": 32, "device_count": 32, "mesh_device_shape": [4, 8]}
    rows = [("fine", one), ("other", many), ("unknown", None)]
    module = MODULE + f"\n\nparameters['model_traced'] = {{'behaviour,traced_machine_info': {rows}}}\n"
    (project / "sweeps" / "patient.py").write_text(module)
    assert set(swept("model_traced")) == {"fine", "other", "unknown"}
    monkeypatch.setenv("LEAD_MODELS_RUN", "1")
    assert set(swept("model_traced")) == {"fine", "unknown"}
    monkeypatch.delenv("LEAD_MODELS_RUN")
    monkeypatch.setenv("MESH_DEVICE_SHAPE", "1x2")
    assert set(swept("model_traced")) == {"fine", "unknown"}


# --- timeouts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("retries", [0, 2])
def test_a_vector_that_hangs_has_its_time_and_its_tries(project, retries):
    results = swept("nightly", "--timeout", "1", "--retries", str(retries), status=1)
    assert [status for status, _ in results.values()] == ["pass", "fail_timeout", "pass", "pass"]
    assert results["hangs"][1].startswith("TEST TIMED OUT (CRASH / HANG): no result within 1000 ms")
    assert (project / "ran.txt").read_text().split("\n").count("hangs") == 1 + retries


def test_after_a_timeout_the_rest_of_the_suite_can_be_skipped(project):
    results = swept("nightly", "--timeout", "1", "--retries", "0", "--skip-on-timeout", status=1)
    skipped = ("not_run", "SKIPPED DUE TO PREVIOUS TIMEOUT")
    assert [results[name] for name in ("late", "later")] == [skipped] * 2
    assert (project / "ran.txt").read_text().split() == ["fine", "hangs"]


def test_a_broken_device_ends_its_suite(project):
    results = swept("broken", status=1)
    assert results["breaks the device"][0] == "fail" and results["late"][0] == "not_run"
    assert (project / "ran.txt").read_text().splitlines() == ["fine", "breaks the device"]


def test_loading_a_module_is_not_charged_to_its_first_vector(project):
    """Libraries take seconds to import; a short TIMEOUT is that of a vector."""
    (project / "sweeps" / "patient.py").write_text("import time\ntime.sleep(2.5)\n\nTIMEOUT = 1\n" + MODULE)
    assert [status for status, _ in swept("other").values()] == ["pass"]


# --- invalid vectors, summaries -----------------------------------------------------------------------------------------


def test_invalid_vectors_are_left_out_or_kept_with_their_reason(project):
    assert swept("partly") == {"fine": ("pass", "0.9999"), "even": ("pass", "0.9999")}
    kept = swept("partly", "--keep-invalid")
    assert kept["odd"] == ("not_run", "INVALID VECTOR: nobody likes odd ones") and len(kept) == 3
    assert "odd" not in (project / "ran.txt").read_text().split()


def test_a_summary_counts_by_suite(project):
    done = run("sweep", "run", "--module-name", "patient", "--suite-name", "partly", "--keep-invalid", "--summary", "--dir", "store")
    assert done.returncode == 0, done.stderr
    assert "patient, partly: 2 pass, 1 not_run\n" in done.stdout


def test_a_vector_by_the_beginning_of_its_id(project):
    vectors = as_json("sweep", "run", "--module-name", "patient", "--suite-name", "partly", "--dry-run", "--dir", "store")
    (one,) = as_json("sweep", "run", "--module-name", "patient", "--vector-id", vectors[1]["vector_id"][:20], "--dir", "store")
    assert one["vector_id"] == vectors[1]["vector_id"] and one["status"] == "pass"


# --- progress -----------------------------------------------------------------------------------------------------------


def test_a_long_run_shows_its_rate_what_is_left_and_the_statuses_so_far(project):
    module = 'import time\n\nparameters = {"nightly": {"n": list(range(50))}}\n\n\ndef run(n, *, device):\n    time.sleep(0.1)\n    return n % 5 != 0, "1.0"\n'
    (project / "sweeps" / "slow.py").write_text(module)
    seen, terminal = pty.openpty()
    command = [find_tool(), "sweep", "run", "--module-name", "slow", "--jobs", "1", "--dir", "store"]
    started = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal) as process:
        os.close(terminal)
        text = b""
        try:
            while part := os.read(seen, 4096):
                text += part
        except OSError:  # the other end is closed
            pass
        os.close(seen)
        assert process.wait() == 1
    longest = time.monotonic() - started
    shown = re.findall(r"(\d+) of 50 vectors: ([\d.]+)/s, (\d+):(\d\d) left; (\d+) pass, (\d+) fail", text.decode())
    assert len(shown) > 5, text.decode()
    for done, rate, minutes, seconds, passed, failed in shown:
        assert int(done) == int(passed) + int(failed) and abs(int(failed) - int(done) / 5) <= 1
        assert float(rate) <= 10 and int(minutes) * 60 + int(seconds) <= (50 - int(done)) / float(rate) + 1 <= longest * 10


def test_the_statuses_of_the_documentation_are_those_that_exist():
    """The one table that maps them: ours, their words in result files, and what a replay calls them."""
    table = re.findall(r"^\| `(\w+)` \| .*? \| `(\w+)` \|", (ROOT / "docs/sweep-runner.md").read_text(), re.MULTILINE)
    header = (ROOT / "src/tracelift/catalog/status.hpp").read_text()
    assert sorted(name for name, _ in table) == sorted(re.findall(r'\{Status::\w+, "(\w+)"\}', header))
