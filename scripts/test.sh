#!/usr/bin/env bash
# Runs the tests that `make test` (no argument) and `make test-long` (argument: long) stand for, after a release build.
# Every runner runs even when one before it failed; the table at the end has them all. Status 1 when anything failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=${JOBS:-$(nproc)}
results=build/test-results
failures=()
rm -rf "$results"
mkdir -p "$results"

heading() { printf '\n=== %s\n' "$*"; }

# run NAME COMMAND...: remembers NAME when the command fails, and goes on.
run() {
    local name=$1
    shift
    heading "$name"
    "$@" || failures+=("$name")
}

build_and_ctest() {
    local preset=$1
    scripts/build.sh "$preset" &&
        ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/$results/ctest-$preset.xml"
}

run_pytest() {
    .venv/bin/python -m pytest tests/python -n "$jobs" --dist loadgroup --junitxml="$results/pytest.xml"
}

if [ "${1:-}" = long ]; then
    export TRACELIFT_LONG=1
    run "Packages of the long tests" scripts/setup.sh long
    run "Programs of others, for the long tests" scripts/setup_clients.sh
fi
run "C++ tests, release" build_and_ctest release
run "C++ tests, address and undefined-behaviour sanitizers" build_and_ctest asan
if [ "${1:-}" = long ]; then
    run "C++ tests, thread sanitizer" build_and_ctest tsan
fi
if [ -d python/tracelift ]; then
    run "Python tests" run_pytest
else
    heading "Python tests"
    echo "there is no python/tracelift yet, nothing to test"
fi

# clang-tidy takes some seconds per file: all of them only in the long run, else the 60 changed last in 20 commits.
run "Lint" scripts/lint.sh "$([ "${1:-}" = long ] && echo all || echo recent)"

heading "Summary"
run_count=0
/usr/bin/python3 scripts/count_tests.py "$results" || run_count=$?
if [ ${#failures[@]} -gt 0 ]; then
    printf 'FAILED: %s\n' "${failures[@]}"
    exit 1
fi
exit "$run_count"
