"""Module results: a CSV row per test. Loaded by conftest.py; off unless asked for.

    pytest ... --results-csv /path/to/results.csv        or  TT_TEST_RESULTS_CSV=/path/to/results.csv
"""

from tracelift.pytest_parts import outputs


def pytest_addoption(parser):
    outputs.add_option(parser, "--results-csv")


def pytest_configure(config):
    outputs.record_results(config)
