#!/usr/bin/env python3
"""Runs clang-tidy over the C++ files of src/, each compiled as the build compiles it but without precompiled headers: every
file has to include what it uses. Needs a configured build/.

    scripts/tidy.py              all files
    scripts/tidy.py --recent 20  those that the last 20 commits (and what is not committed yet) changed; of more than 60,
                                 the 60 changed last

A file that was clean is not looked at again as long as its preprocessed text, the checks and the program are the same.
Status: 0 clean, 1 findings, 2 there was nothing to check or it could not be checked.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

CLANG = "14"
MOST_RECENT = 60  # files of --recent: a few minutes on two cores; a clone without history has changed them all
ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "lint"

# -Werror belongs to gcc, whose warning flags clang may not know.
EXTRA = ["-Wno-error", "-Wno-unknown-warning-option"]


def compile_commands() -> dict[Path, list[str]]:
    """The command of every source under src/ and, made after that of a neighbour, of a source that includes a header
    and nothing else, for every header."""
    commands: dict[Path, list[str]] = {}
    for entry in json.loads((ROOT / "build" / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        if file.is_relative_to(ROOT / "src"):
            text = re.sub(r" -include \S*cmake_pch\.hxx| -fpch-preprocess| -Winvalid-pch", "", entry["command"])
            words = shlex.split(text)
            place = words.index("-o")
            commands[file] = words[:place] + words[place + 2 :]
    if not commands:
        return commands
    flags = next(iter(commands.values()))
    for header in (ROOT / "src").rglob("*.hpp"):
        neighbour = next((words for file, words in commands.items() if file.parent == header.parent), flags)
        name = header.relative_to(ROOT / "src")
        stand_in = FOLDER / "headers" / f"{name}.cpp"
        if not stand_in.exists():
            stand_in.parent.mkdir(parents=True, exist_ok=True)
            stand_in.write_text(f'#include "{name}"\n')
        commands[header] = [*neighbour[:-1], str(stand_in)]
    return commands


def git(*arguments: str) -> list[str]:
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.split("\0") if result.returncode == 0 else []


def recent_files(commits: int) -> list[Path]:
    """What was changed lately, newest first; everything where there is no history."""
    names = git("diff", "--name-only", "-z", "HEAD", "--", "src") + git(
        "ls-files", "--others", "--exclude-standard", "-z", "--", "src"
    )
    names += git("log", f"-{commits}", "--name-only", "--format=", "-z", "--", "src")
    if not any(names):
        print("tidy: git lists no changes, so all files are candidates", file=sys.stderr)
        names = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "src").rglob("*"))]
    files = [ROOT / name.strip() for name in names if name.strip()]
    return [file for file in dict.fromkeys(files) if file.suffix in (".cpp", ".hpp") and file.is_file()]


def included_by(file: Path) -> set[Path]:
    return {ROOT / "src" / name for name in re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE)}


def stands_for(header: Path, includers: dict[Path, list[Path]]) -> Path:
    """The file to check in place of a header: a source that includes it, or one that includes what includes it. Only a
    header that nobody includes (an operation's) is checked by itself: others may be parts of the one around them."""
    seen: set[Path] = set()
    while header not in seen and includers.get(header):
        seen.add(header)
        around = includers[header]
        header = next((file for file in around if file.suffix == ".cpp"), around[0])
    return header


def chosen(commits: int | None, known: dict[Path, list[str]]) -> list[Path]:
    candidates = sorted(known) if commits is None else [file for file in recent_files(commits) if file in known]
    if commits is not None and len(candidates) > MOST_RECENT:
        left_out = len(candidates) - MOST_RECENT
        print(f"tidy: {MOST_RECENT} of {len(candidates)} files; the other {left_out} are left to `make test-long`")
        candidates = candidates[:MOST_RECENT]
    sources = [file for file in candidates if file.suffix == ".cpp"]
    includers: dict[Path, list[Path]] = {}
    for file in sorted(known):
        for header in included_by(file):
            includers.setdefault(header, []).append(file)
    seen = {header for file in sources for header in included_by(file)}  # clang-tidy reports what it finds there, too
    headers = [file for file in candidates if file.suffix == ".hpp" and file not in seen]
    return list(dict.fromkeys(sources + [stands_for(header, includers) for header in headers]))


def fingerprint(words: list[str], checks: str) -> str | None:
    """Of what clang-tidy would see; None where it does not even preprocess."""
    command = [f"clang++-{CLANG}", *words[1:], *EXTRA, "-E", "-w"]
    command.remove("-c")
    result = subprocess.run(command, cwd=ROOT / "build", capture_output=True)
    if result.returncode != 0:
        return None
    return hashlib.sha256(checks.encode() + result.stdout).hexdigest()


def check(file: Path, words: list[str], checks: str) -> str:
    """What is wrong with a file; empty when nothing is."""
    digest = fingerprint(words, checks)
    stamp = FOLDER / "clean" / str(digest)
    if digest is not None and stamp.exists():
        return ""
    command = [f"clang-tidy-{CLANG}", "-p", str(FOLDER), "--quiet", f"--config-file={ROOT / '.clang-tidy'}"]
    command += [*(f"--extra-arg={flag}" for flag in EXTRA), words[-1]]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if result.returncode == 0 and not result.stdout.strip():
        if digest is not None:
            stamp.touch()
        return ""
    return result.stdout.strip() or f"{file}: clang-tidy ended with status {result.returncode}\n{result.stderr.strip()}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--recent",
        type=int,
        metavar="COMMITS",
        help=f"only what the last COMMITS commits changed, and of that the newest {MOST_RECENT} files",
    )
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or os.cpu_count() or 1))
    options = parser.parse_args()
    if not (ROOT / "build" / "compile_commands.json").exists():
        print("tidy: build/compile_commands.json is missing: run `cmake --preset release` first", file=sys.stderr)
        return 2
    commands = compile_commands()
    files = chosen(options.recent, commands)
    if not files:
        print("tidy: there is no file to check, which cannot be right", file=sys.stderr)
        return 2
    (FOLDER / "clean").mkdir(parents=True, exist_ok=True)
    entries = [
        {"file": words[-1], "directory": str(ROOT / "build"), "command": shlex.join(words)}
        for words in commands.values()
    ]
    (FOLDER / "compile_commands.json").write_text(json.dumps(entries))
    program = subprocess.run([f"clang-tidy-{CLANG}", "--version"], capture_output=True, text=True, check=True).stdout
    checks = (ROOT / ".clang-tidy").read_text() + program
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for problem in pool.map(lambda file: check(file, commands[file], checks), files):
            if problem:
                failed += 1
                print(problem, flush=True)
    print(f"tidy: {len(files)} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
