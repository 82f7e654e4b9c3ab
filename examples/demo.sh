#!/usr/bin/env bash
# The tour that `make demo` runs after the build: two models are traced, looked at, swept and checked.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export TRACELIFT_DIR=${TRACELIFT_DIR:-build/demo}
rm -rf "$TRACELIFT_DIR"

step() { printf '\n$ %s\n' "$*"; "$@"; }

step tracelift trace examples/bert/test_bert_encoder.py::test_bert_encoder --name bert
step tracelift trace build/bin/example_mlp --name mlp
step tracelift ops
step tracelift show layer_norm
step tracelift show softmax
step tracelift sweep run --all
step tracelift selfcheck
printf '\nThe results are in %s: %s for people and tools, tracelift.db for everything.\n' \
    "$TRACELIFT_DIR" ttnn_operations_master.json
