"""The option of this suite."""

from tracelift.pytest_parts import outputs


def pytest_addoption(parser):
    outputs.add_option(parser, "--op-repros")


def pytest_configure(config):
    outputs.add_repros(config)
