"""The programs of others that the long tests run: pinned in tests/clients, installed by scripts/setup_clients.sh only."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from viewer_client import programs

ROOT = Path(__file__).parents[2]
LISTS = sorted((ROOT / "tests" / "clients").iterdir())
BASICS = ("bash", "basename", "cat", "comm", "dirname", "echo", "mkdir", "rm", "sed", "sha256sum", "sort", "xargs")


def lines_of(path):
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_every_package_is_pinned(path):
    pinned = {".txt": r"[\w.-]+==[\w.]+", ".npm": r"(@[\w-]+/)?[\w.-]+@\d+\.\d+\.\d+"}[path.suffix]
    assert lines_of(path) and all(re.fullmatch(pinned, line) for line in lines_of(path))


@pytest.mark.long
@pytest.mark.parametrize("path", [path for path in LISTS if path.suffix == ".txt"], ids=lambda path: path.name)
def test_what_is_installed_is_what_the_list_says(path):
    """Nothing is left to the day of the installation: a package that only another one asks for is in the list, too."""
    if os.environ.get("TRACELIFT_LONG") != "1":
        pytest.skip("a long test: TRACELIFT_LONG=1 (make test-long) runs it")
    python = programs.CLIENTS / path.stem / "bin/python"
    assert python.exists(), f"{python} is not there: run scripts/setup_clients.sh"
    frozen = subprocess.run([python, "-m", "pip", "freeze"], capture_output=True, text=True, check=True).stdout

    def names(lines):
        return {re.sub(r"[-_.]+", "-", line).lower() for line in lines}

    assert names(frozen.splitlines()) == names(lines_of(path))


def test_tests_install_nothing():
    """Several processes run them at once, each of which would."""
    installs = re.compile(r"""\b(pip|npm)["']?[\s,]+["']?(install|ci)\b""")
    found = [path.name for path in sorted((ROOT / "tests").rglob("*.py")) if installs.search(path.read_text())]
    assert found == []


@pytest.fixture
def machine(tmp_path):
    """A function that runs a script of scripts/ on a machine with basic programs and the stand-ins it is given."""
    project, folder = tmp_path / "project", tmp_path / "bin"
    for each in (project / "scripts", project / "tests" / "clients", folder):
        each.mkdir(parents=True)
    for name in BASICS:
        (folder / name).symlink_to(shutil.which(name))

    def run(script, *arguments, **stand_ins):
        shutil.copy(ROOT / "scripts" / script, project / "scripts")
        for name, text in stand_ins.items():
            program = folder / name.replace("_", "-")
            program.write_text(f"#!/usr/bin/env bash\n{text}\n")
            program.chmod(0o755)
        command = [project / "scripts" / script, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env={"PATH": str(folder)}, check=False)

    run.project = project
    return run


NOT_ROOT = {"id": "echo 1000", "dpkg_query": "true"}


def test_npm_is_installed_where_there_is_none(machine):
    assert re.search(r" npm( |$)", machine("setup.sh", "long", **NOT_ROOT).stderr)
    assert "npm" not in machine("setup.sh", **NOT_ROOT).stderr


def test_an_npm_that_is_there_is_used(machine):
    result = machine("setup.sh", "long", npm="true", **NOT_ROOT)
    assert result.returncode == 2 and "chromium" in result.stderr and "npm" not in result.stderr


NPM = 'echo "$*" >>"$(dirname "$0")/npm.log"; [ "$*" != "${*/refused/}" ] && exit 1; exit 0'


def test_packages_of_npm_are_installed_once(machine):
    listed = machine.project / "tests" / "clients" / "checker.npm"
    listed.write_text("checker@1.2.3\n")
    first = machine("setup_clients.sh", npm=NPM)
    assert first.returncode == 0 and first.stdout == "setup_clients: installing checker\n", first.stderr
    assert machine("setup_clients.sh").stdout == "setup_clients: checker: present\n"
    listed.write_text("checker@1.2.4\n")
    assert machine("setup_clients.sh").returncode == 0
    calls = (machine.project.parent / "bin" / "npm.log").read_text().splitlines()
    assert [call.split()[0] + " " + call.split()[-1] for call in calls] == [
        "install checker@1.2.3",
        "install checker@1.2.4",
    ]


def test_an_installer_that_fails_is_tried_again(machine):
    (machine.project / "tests" / "clients" / "refused.npm").write_text("refused@1.0.0\n")
    for _ in range(2):
        result = machine("setup_clients.sh", npm=NPM)
        assert (
            result.returncode == 1 and "refused could not be installed from tests/clients/refused.npm" in result.stderr
        )
