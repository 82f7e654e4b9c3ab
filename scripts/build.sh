#!/usr/bin/env bash
# Configures (when needed) and builds one CMake preset: scripts/build.sh release|debug|asan|tsan
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:?"usage: scripts/build.sh release|debug|asan|tsan"}
dir=build
[ "$preset" = release ] || dir=build-$preset

# Ninja itself configures again when a CMakeLists.txt changes; a changed preset it does not see.
if [ ! -f "$dir/build.ninja" ] || [ CMakePresets.json -nt "$dir/.configured" ]; then
    echo "build: configuring $dir"
    mkdir -p "$dir"
    if ! cmake --preset "$preset" >"$dir/configure.log" 2>&1; then
        cat "$dir/configure.log" >&2
        exit 1
    fi
    grep -A4 'CMake Warning' "$dir/configure.log" || true
    touch "$dir/.configured"
fi
echo "build: $dir"
cmake --build "$dir" --parallel "${JOBS:-$(nproc)}"
