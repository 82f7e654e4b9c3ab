"""Op tracing: a JSON line per call of a ttnn operation. Loaded by conftest.py; off unless asked for.

    pytest ... --ops-jsonl /path/to/op_calls.jsonl       or  TT_OP_RESULTS_JSONL=/path/to/op_calls.jsonl
"""

from tracelift.pytest_parts import outputs


def pytest_addoption(parser):
    outputs.add_option(parser, "--ops-jsonl")


def pytest_configure(config):
    outputs.record_calls(config)
