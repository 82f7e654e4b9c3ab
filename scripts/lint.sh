#!/usr/bin/env bash
# Checks looks and habits: clang-format, clang-tidy (needs a configured build/), Python syntax and types.
# `scripts/lint.sh recent` asks clang-tidy only about the files of the last 20 commits, and of these about the 60 changed
# last, as `make test` does;
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

echo "lint: clang-tidy"
if [ "${1:-}" = recent ]; then
    scripts/tidy.py --recent 20 --jobs "$jobs" || status=1
else
    scripts/tidy.py --jobs "$jobs" || status=1
fi

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
