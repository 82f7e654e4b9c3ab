"""Traced shapes and memory configs of unary operations; Tracelift's helpers under the name that sweep modules import."""

from tracelift.sweep_framework.sweep_config_utils import *  # noqa: F401,F403
