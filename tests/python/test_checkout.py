"""pytest in somebody's checkout, with their conftest.py files and a folder `ttnn` that is no package."""

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

PARTS = Path(__file__).parent / "checkout"
PLACES = {
    "root_conftest.py": "conftest.py",
    "utility_functions.py": "models/common/utility_functions.py",
    "common.py": "tests/scripts/common.py",
    "ttnn_conftest.py": "tests/ttnn/conftest.py",
    "case_unit_tests.py": "tests/ttnn/unit_tests/test_unit.py",
}


@pytest.fixture
def checkout(tmp_path):
    for part, place in PLACES.items():
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PARTS / part, file)
    sources = tmp_path / "ttnn" / "ttnn"
    sources.mkdir(parents=True)
    (sources / "__init__.py").write_text("raise ImportError('the compiled module is not built')\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib -rs\n")
    return tmp_path


def run(checkout, *arguments, **environment):
    path = os.pathsep.join(filter(None, [str(checkout), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=results.xml", *arguments]
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    result = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    cases = ElementTree.parse(checkout / "results.xml").getroot().iter("testcase")
    return result, {case.get("name"): "skipped" if case.find("skipped") is not None else "ran" for case in cases}


def test_tests_of_a_checkout_run(checkout):
    result, cases = run(checkout, "tests/ttnn", TRACELIFT_BOARD="n300")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "7 passed, 2 skipped" in result.stdout
    skipped = [name for name, outcome in cases.items() if outcome == "skipped"]
    assert len(skipped) == 2 and any("mesh_device2" in name for name in skipped)
    assert all(name.startswith("test_slow") or "wormhole_b0" in name or "test_profile" in name for name in cases)
    assert not (checkout / "generated").exists()


def test_on_a_machine_with_one_device(checkout):
    result, cases = run(checkout, "tests/ttnn", "--tt-arch", "wormhole_b0", TRACELIFT_BOARD="n150")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "5 passed, 4 skipped" in result.stdout


def test_on_blackhole(checkout):
    result, cases = run(checkout, "tests/ttnn", "-k", "add or grid", TRACELIFT_BOARD="p150")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 passed" in result.stdout and all("blackhole" in name for name in cases)


def test_overrides_of_the_environment_hold_in_every_test(checkout):
    (checkout / "tests" / "ttnn" / "test_config.py").write_text(
        "import ttnn\n"
        "def test_first():\n    assert not ttnn.CONFIG.enable_fast_runtime_mode\n    ttnn.CONFIG.throw_exception_on_fallback = False\n"
        "def test_second():\n    assert ttnn.CONFIG.throw_exception_on_fallback and 'test_config' in ttnn.CONFIG.report_name\n"
    )
    overrides = '{"enable_fast_runtime_mode": false, "throw_exception_on_fallback": true}'
    result, _ = run(checkout, "tests/ttnn/test_config.py", TTNN_CONFIG_OVERRIDES=overrides)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_config_file_that_is_not_there_yet_is_made(checkout):
    file = checkout / "config" / "ttnn.json"
    program = "import ttnn; print(ttnn.CONFIG_PATH)"
    environment = {**os.environ, "TTNN_CONFIG_PATH": str(file)}
    result = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert result.stdout == f"{file}\n", result.stderr
    assert '"enable_fast_runtime_mode": true' in file.read_text()
