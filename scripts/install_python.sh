#!/usr/bin/env bash
# Installs the Python package and the `tracelift` command from build/ into .venv, when a part of them changed.
# pip gets the build directory of `make build`: it configures again, finds nothing to compile, and packs the wheel.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stamp=.venv/.tracelift_installed.sha256

# Everything the wheel is made of: Python sources, the compiled module, the native command, and the rules that pack it.
fingerprint() {
    find python build/python build/bin/tracelift -type f -not -name '*.pyc' -print0 2>/dev/null |
        sort -z | xargs -0r sha256sum
    find pyproject.toml LICENSE README.md CMakeLists.txt -maxdepth 0 -print0 2>/dev/null | xargs -0r sha256sum
    find src -name CMakeLists.txt -print0 | sort -z | xargs -0r sha256sum
}

if [ ! -d python/tracelift ]; then
    echo "install: there is no python/tracelift yet, nothing to install"
    exit 0
fi
wanted=$(fingerprint | sha256sum)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    echo "install: tracelift in .venv is up to date"
    exit 0
fi
echo "install: tracelift -> .venv"
rm -f "$stamp"
.venv/bin/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    --config-settings=build-dir=build \
    --config-settings=cmake.define.TRACELIFT_TESTS=ON \
    .
echo "$wanted" >"$stamp"
