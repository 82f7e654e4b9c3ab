"""Traced configurations as the parameters of sweep suites; Tracelift's loader under the name that sweep modules import."""

from tracelift.sweep_framework.master_config_loader import *  # noqa: F401,F403
