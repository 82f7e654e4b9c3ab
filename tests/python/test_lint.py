"""scripts/tidy.py, on a small project with a history."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shutil.which("clang-tidy-14") is None, reason="clang-tidy-14 is not installed")

CLEAN = "int answer() { return 42; }\n"
FINDING = "int* nothing(bool found) {\n    int* place = found ? new int(1) : 0;\n    return place;\n}\n"
CHECKS = "Checks: '-*,modernize-use-nullptr'\nWarningsAsErrors: '*'\nHeaderFilterRegex: '/src/'\n"


def git(folder, *arguments):
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "protocol.file.allow=always"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env=environment)


def configure(project):
    """What CMake would leave in build/."""
    (project / "build").mkdir()
    entries = [
        {"directory": str(project / "build"), "file": str(file), "command": f"c++ -I{project}/src -o x.o -c {file}"}
        for file in sorted((project / "src").glob("*.cpp"))
    ]
    (project / "build" / "compile_commands.json").write_text(json.dumps(entries))


@pytest.fixture
def project(tmp_path):
    """Two commits: the first has a finding in old.cpp, the second adds recent.cpp, which is clean."""
    root = tmp_path / "project"
    (root / "scripts").mkdir(parents=True)
    (root / "src").mkdir()
    shutil.copy(SOURCE / "scripts" / "tidy.py", root / "scripts")
    (root / ".clang-tidy").write_text(CHECKS)
    (root / ".gitignore").write_text("build/\n")
    (root / "src" / "old.cpp").write_text(FINDING)
    git(root, "init")
    git(root, "add", ".")
    git(root, "commit", "-m", "first")
    (root / "src" / "recent.cpp").write_text(CLEAN)
    git(root, "add", ".")
    git(root, "commit", "-m", "second")
    configure(root)
    return root


def tidy(project, *arguments):
    command = [sys.executable, project / "scripts" / "tidy.py", "--jobs", "1", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_all_files_are_checked(project):
    result = tidy(project)
    assert result.returncode == 1 and "old.cpp:2:" in result.stdout
    assert result.stdout.endswith("tidy: 2 files, 1 with findings\n")


def test_only_the_files_of_the_last_commits_are_checked(project):
    result = tidy(project, "--recent", "1")
    assert result.returncode == 0 and result.stdout == "tidy: 1 files, 0 with findings\n", result.stderr
    assert tidy(project, "--recent", "2").returncode == 1


def test_more_commits_than_there_are(project):
    assert tidy(project, "--recent", "20").stdout.endswith("tidy: 2 files, 1 with findings\n")


def test_of_many_files_the_newest_are_checked(project):
    script = project / "scripts" / "tidy.py"
    script.write_text(re.sub(r"^MOST_RECENT = \d+", "MOST_RECENT = 1", script.read_text(), flags=re.MULTILINE))
    result = tidy(project, "--recent", "2")
    assert result.returncode == 0, result.stdout
    assert result.stdout == (
        "tidy: 1 of 2 files; the other 1 are left to `make test-long`\ntidy: 1 files, 0 with findings\n"
    )


def test_what_is_said_about_the_limit_is_so():
    (limit,) = re.findall(r"^MOST_RECENT = (\d+)", (SOURCE / "scripts" / "tidy.py").read_text(), re.MULTILINE)
    told = {
        "scripts/tidy.py": r"of more than (\d+),\s+the (\d+) changed last",
        "scripts/lint.sh": r"about the (\d+) changed\s+# last",
        "scripts/test.sh": r"else the (\d+) changed last",
        "Makefile": r"at most (\d+) files",
    }
    for name, text in told.items():
        (found,) = re.finditer(text, (SOURCE / name).read_text())
        assert set(found.groups()) == {limit}, name


def test_what_is_not_committed_counts(project):
    (project / "src" / "recent.cpp").write_text(CLEAN + FINDING)
    result = tidy(project, "--recent", "1")
    assert result.returncode == 1 and "recent.cpp:3:" in result.stdout


def test_a_shallow_clone_works(project, tmp_path):
    git(tmp_path, "clone", "--depth", "1", f"file://{project}", "shallow")
    configure(tmp_path / "shallow")
    result = tidy(tmp_path / "shallow", "--recent", "20")
    assert result.returncode == 1 and result.stdout.endswith("tidy: 2 files, 1 with findings\n"), result.stderr


def test_sources_without_a_history_are_all_checked(project):
    shutil.rmtree(project / ".git")
    result = tidy(project, "--recent", "20")
    assert result.returncode == 1 and result.stdout.endswith("tidy: 2 files, 1 with findings\n"), result.stderr


def test_headers_are_checked(project):
    (project / "src" / "alone.hpp").write_text("#pragma once\ninline " + FINDING)
    result = tidy(project, "--recent", "1")
    assert result.returncode == 1 and "alone.hpp:3:" in result.stdout


def test_nothing_to_check_is_an_error(project):
    (project / "build" / "compile_commands.json").write_text("[]")
    result = tidy(project, "--recent", "1")
    assert result.returncode == 2 and "there is no file to check" in result.stderr
    (project / "build" / "compile_commands.json").unlink()
    assert tidy(project).returncode == 2


def test_a_clean_file_is_remembered_until_something_changes(project):
    assert tidy(project, "--recent", "1").returncode == 0
    remembered = list((project / "build" / "lint" / "clean").iterdir())
    assert len(remembered) == 1
    (project / "src" / "recent.cpp").write_text(FINDING)
    assert tidy(project, "--recent", "1").returncode == 1
    (project / "src" / "recent.cpp").write_text(CLEAN)
    assert tidy(project, "--recent", "1").returncode == 0
    assert list((project / "build" / "lint" / "clean").iterdir()) == remembered
