# Every target works from a fresh clone: it starts with set-up, which costs about a second when nothing is missing.
# JOBS=n sets how many processes build and test at once.
JOBS ?= $(shell nproc)
export JOBS

.DEFAULT_GOAL := build
.PHONY: build test test-long demo bench lint format clean help setup

help:  ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | awk -F '\t' '{printf "make %-10s %s\n", $$1, $$2}'

setup:  ## Install what is missing on this machine (Debian packages, .venv)
	@scripts/setup.sh

build: setup  ## Build everything and install the Python package and the tracelift command into .venv
	@scripts/build.sh release
	@scripts/install_python.sh

test: build  ## C++ tests (release, address + undefined-behaviour sanitizers), Python tests, and lint of recent changes (at most 60 files)
	@scripts/test.sh

test-long: build  ## The same with the thread sanitizer, the long tests, and lint of everything
	@scripts/test.sh long

demo: build  ## Run the demonstration
	@PATH="$(CURDIR)/.venv/bin:$$PATH" bash examples/demo.sh

bench: build  ## Run all benchmarks and print one table
	@scripts/bench.sh

lint: build  ## Check formatting, clang-tidy findings, Python syntax and types
	@scripts/lint.sh

format: setup  ## Format the C++ files
	@scripts/lint.sh format

clean:  ## Remove the build directories (not .venv)
	rm -rf build build-debug build-asan build-tsan build-nocapture
