#!/usr/bin/env bash
# Makes this machine able to build Tracelift: Debian packages and a Python environment in .venv.
# Safe to run again; when nothing is missing it takes about a second and changes nothing.
# Exit status: 0 ready, 1 an installer failed, 2 somebody with more rights has to run the command it prints.
# TRACELIFT_SKIP_SETUP=1 skips everything, for machines that provide the packages in another way.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# One package per line, with the reason.
DEBIAN_PACKAGES="
    build-essential     # make and the C library's headers
    g++                 # the compiler (C++20)
    cmake               # configures the build
    ninja-build         # runs the build
    ccache              # optional at build time: makes rebuilding cheap
    python3             # the Python face, and a few scripts
    python3-venv        # makes .venv
    python3-dev         # headers for the compiled module
    python3-numpy       # the only hard Python dependency
    python3-torch       # optional at run time: from_torch, to_torch
    libfmt-dev          # text formatting
    libopenblas-dev     # matrix products
    nlohmann-json3-dev  # JSON
    libsqlite3-dev      # the store
    libsimdjson-dev     # masters and graph reports, which can be of gigabytes
    libmimalloc-dev     # memory of the command line tool
    libyaml-cpp-dev     # the selection registry
    libcli11-dev        # the command line
    libxxhash-dev       # digests of texts
    libssl-dev          # SHA-256 of configurations
    libgtest-dev        # C++ tests
    libgmock-dev        # C++ tests: matchers
    clang-14            # the parser behind clang-tidy
    clang-format-14     # make format, make lint
    clang-tidy-14       # make lint
"

# What only the long tests need: `scripts/setup.sh long`.
LONG_PACKAGES="
    zsh                 # completion in the real shells
    fish                # the same
    chromium            # the pages of the real viewer
"
# Node.js from elsewhere brings its own npm, which Debian's package would clash with.
command -v npm >/dev/null || LONG_PACKAGES+="
    npm                 # installs pyright
"
[ "${1:-}" != long ] || DEBIAN_PACKAGES+=$LONG_PACKAGES

say() { echo "setup: $*"; }

package_names() { sed 's/#.*//' <<<"$DEBIAN_PACKAGES" | xargs; }

missing_packages() {
    local names
    read -ra names < <(package_names)
    comm -23 <(printf '%s\n' "${names[@]}" | sort) \
        <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${names[@]}" 2>/dev/null | sed -n 's/^.i  *//p' | sort) |
        xargs
}

# Runs a command as root, or prints what has to be run and ends with status 2.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        say "not root, and sudo does not work without a password here. Please run this, then start again:" >&2
        echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends $MISSING" >&2
        exit 2
    fi
}

set_up_debian() {
    if ! command -v dpkg-query >/dev/null; then
        say "this is not a Debian system. Install the equivalents of these and set TRACELIFT_SKIP_SETUP=1:" >&2
        echo "    $(package_names)" >&2
        exit 2
    fi
    MISSING=$(missing_packages)
    if [ -z "$MISSING" ]; then
        say "Debian packages: all present"
        return
    fi
    say "installing: $MISSING"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
        say "apt-get update failed; trying with the package lists this machine has" >&2
    local names
    read -ra names <<<"$MISSING"
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${names[@]}"; then
        say "apt-get could not install: $MISSING (its own message is above)" >&2
        exit 1
    fi
}

set_up_python() {
    local stamp=.venv/.requirements.sha256 wanted
    wanted=$(sha256sum <requirements-dev.txt)
    if [ ! -x .venv/bin/python ] || ! grep -qsi '^include-system-site-packages = true' .venv/pyvenv.cfg; then
        say "making .venv"
        if ! /usr/bin/python3 -m venv --system-site-packages .venv; then
            say "could not make .venv with /usr/bin/python3" >&2
            exit 1
        fi
        rm -f "$stamp"
    fi
    if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
        say "Python packages: all present"
        return
    fi
    say "installing Python packages: $(sed 's/#.*//' requirements-dev.txt | xargs)"
    if ! .venv/bin/python -m pip install -q --disable-pip-version-check -r requirements-dev.txt; then
        say "pip could not install requirements-dev.txt (its own message is above)" >&2
        exit 1
    fi
    echo "$wanted" >"$stamp"
}

if [ "${TRACELIFT_SKIP_SETUP:-0}" = 1 ]; then
    say "skipped (TRACELIFT_SKIP_SETUP=1)"
    exit 0
fi
set_up_debian
set_up_python
