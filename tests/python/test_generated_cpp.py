"""Generated C++ tests compile against the runtime library alone, and pass."""

import concurrent.futures
import os
import re
import subprocess

import pytest
from test_replay_generated import DATA, ROOT, generate, jsonl, run  # noqa: F401  (jsonl is a fixture)
from test_shrink import jsonl as failing_calls  # noqa: F401  (a fixture)
from test_shrink import run as shrink

BUILD = ROOT / "build"
MASTERS = ("efficientnet_b0_format1.json", "llama32_1b_n300_format2.json", "deepseek_v3_galaxy_format2.json")


@pytest.fixture(scope="module")
def libraries():
    """What the build links its own tests of the runtime with: the library, what it needs, gtest."""
    if not (BUILD / "build.ninja").exists():
        pytest.skip("there is no build/ with the runtime library")
    commands = run("ninja", "-C", BUILD, "-t", "commands", "bin/test_ops").stdout.strip().splitlines()
    words = commands[-1].split()
    return [word for word in words[words.index("-o") + 2 :] if word.endswith(".a") or ".so" in word or word[:2] == "-l"]


def compiled(source, place):
    made = place / (source.stem + ".o")
    command = ("c++", "-std=c++20", "-O0", "-DNDEBUG", f"-I{ROOT / 'src'}", "-c", source, "-o", made)
    result = run(*command)
    assert result.returncode == 0, f"{source.name}: {result.stderr}"
    return made


def run_files(sources, place, libraries):
    place.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda source: compiled(source, place), sources))
    program = place / "generated"
    linked = run("c++", *objects, "-o", program, *libraries, cwd=BUILD)
    assert linked.returncode == 0, linked.stderr
    result = subprocess.run([program], capture_output=True, text=True, timeout=1500)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    return int(re.search(r"\[  PASSED  \] (\d+) test", result.stdout).group(1))


def test_gtest_files_of_calls_compile_and_pass(jsonl, tmp_path, libraries):  # noqa: F811
    told = generate(("--jsonl", jsonl), tmp_path / "generated", "gtest")
    together = tmp_path / "together.cpp"
    files = sorted((tmp_path / "generated").iterdir())
    together.write_text("".join(f'#include "{file}"\n' for file in files))
    assert run_files([together], tmp_path / "objects", libraries) == told["tests"] == 8


def test_gtest_files_notice_a_wrong_expectation(jsonl, tmp_path, libraries):  # noqa: F811
    generate(("--jsonl", jsonl, "--op", "softmax"), tmp_path / "generated", "gtest")
    (file,) = (tmp_path / "generated").iterdir()
    text = file.read_text()
    assert "call.expect({2, 32, 64}" in text
    file.write_text(text.replace("call.expect({2, 32, 64}", "call.expect({2, 32, 65}"))
    with pytest.raises(AssertionError, match="FAILED"):
        run_files([file], tmp_path / "objects", libraries)


def test_the_smallest_call_fails_as_the_recorded_one_does(failing_calls, tmp_path, libraries):  # noqa: F811
    file = tmp_path / "repro.cpp"
    assert shrink("--jsonl", failing_calls, "--index", 1, "--format", "gtest", "-o", file).returncode == 0
    with pytest.raises(AssertionError, match="The width of the first tensor must be equal"):
        run_files([file], tmp_path / "objects", libraries)


@pytest.mark.skipif(os.environ.get("TRACELIFT_LONG") != "1", reason="a long test: minutes of compiling")
@pytest.mark.parametrize("master", MASTERS)
def test_gtest_files_of_a_real_master_compile_and_pass(master, tmp_path, libraries):
    """A sample of every operation, each file by itself."""
    if not (DATA / master).exists():
        pytest.skip(f"no real masters in {DATA}")
    told = generate(("--master", DATA / master, "--per-op", "8"), tmp_path / "generated", "gtest")
    files = sorted((tmp_path / "generated").iterdir())
    passed = run_files(files, tmp_path / "objects", libraries)
    assert passed == told["tests"] >= 70
    assert len(files) >= 13
