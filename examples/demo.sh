#!/usr/bin/env bash
# The tour that `make demo` runs after the build: a model on the emulated device, its memory, and the operations' checks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() { printf '\n$ %s\n' "$*"; "$@"; }

step build/bin/tracelift boards
step .venv/bin/python examples/mlp.py
step build/bin/tracelift describe linear
step build/bin/tracelift opcheck add linear softmax layer_norm embedding
