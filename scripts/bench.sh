#!/usr/bin/env bash
# Runs every build/bin/bench_* and bench/*.py, one after the other, and sums them up.
# They print the same columns (bench/ratio.hpp: name, time, ratio, aim), so that the output reads as one table.
# A benchmark that misses an aim ends with a status other than 0, and so does this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --build build --target benches --parallel "${JOBS:-$(nproc)}"

shopt -s nullglob
summary=()
status=0
for bench in build/bin/bench_* bench/*.py; do
    [[ $bench != */scale_master.py ]] || continue  # makes the input of another
    command=("$bench")
    [[ $bench != *.py ]] || command=(.venv/bin/python "$bench")
    printf '\n=== %s\n' "$bench"
    started=$SECONDS
    verdict=ok
    "${command[@]}" || verdict="FAILED or missed an aim (status $?)"
    [ "$verdict" = ok ] || status=1
    summary+=("$(printf '%-40s %4d s  %s' "$bench" $((SECONDS - started)) "$verdict")")
done
if [ ${#summary[@]} -eq 0 ]; then
    echo "bench: found no benchmark in build/bin or bench" >&2
    exit 1
fi
printf '\n=== Summary\n'
printf '%s\n' "${summary[@]}"
exit "$status"
