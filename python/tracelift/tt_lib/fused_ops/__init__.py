"""tt_lib.fused_ops: a few layers made of operations."""

from . import add_and_norm, layernorm, linear, softmax

__all__ = ["add_and_norm", "layernorm", "linear", "softmax"]
