#!/usr/bin/env bash
# Checks looks and habits: clang-format, clang-tidy (needs a configured build/), Python syntax and types.
# `scripts/lint.sh format` rewrites the C++ files instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang=14
jobs=${JOBS:-$(nproc)}
status=0

cpp_files() { find src tests bench examples \( -name '*.cpp' -o -name '*.hpp' \) -print0; }

if [ "${1:-}" = format ]; then
    cpp_files | xargs -0r "clang-format-$clang" -i
    echo "format: done"
    exit 0
fi

echo "lint: clang-format"
cpp_files | xargs -0r "clang-format-$clang" --dry-run -Werror || status=1

# Only our own sources that the build compiles, without precompiled headers: each has to include what it uses. -Werror
# belongs to gcc, whose warning flags clang may not know.
echo "lint: clang-tidy"
mkdir -p build/lint
tidied=$(/usr/bin/python3 - build/compile_commands.json "$PWD/src/" build/lint/compile_commands.json <<'PY'
import json, re, sys
commands = [e for e in json.load(open(sys.argv[1])) if e["file"].startswith(sys.argv[2])]
for entry in commands:
    entry["command"] = re.sub(r" -include \S*cmake_pch\.hxx| -fpch-preprocess| -Winvalid-pch", "", entry["command"])
json.dump(commands, open(sys.argv[3], "w"))
print("\n".join(sorted({e["file"] for e in commands})))
PY
)
if [ -z "$tidied" ]; then
    echo "lint: build/compile_commands.json names no file under src/" >&2
    exit 1
fi
xargs -d '\n' -P "$jobs" -n 1 "clang-tidy-$clang" -p build/lint --quiet \
    --extra-arg=-Wno-error --extra-arg=-Wno-unknown-warning-option <<<"$tidied" 2>&1 |
    sed '/^[0-9]* warnings* .*generated\.$/d' || status=1

echo "lint: Python"
# Byte code goes to a place of its own: none beside the sources.
python_dirs=()
for dir in python tests/python bench scripts examples; do
    [ ! -d "$dir" ] || python_dirs+=("$dir")
done
PYTHONPYCACHEPREFIX=build/pycache .venv/bin/python -m compileall -q "${python_dirs[@]}" || status=1
if [ -d python/tracelift ]; then
    .venv/bin/python -m mypy || status=1
fi

[ "$status" = 0 ] && echo "lint: clean" || echo "lint: FAILED" >&2
exit "$status"
