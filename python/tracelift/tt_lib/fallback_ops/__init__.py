"""tt_lib.fallback_ops: torch functions on ttnn tensors.

y = fallback_ops.reshape(x, 1, 1, 32, 64)
y = fallback_ops.softmax(x, -1, output_layout=ttnn.ROW_MAJOR_LAYOUT, output_on_device=False)
"""

import sys as _sys

from ._functions import *  # noqa: F403
from ._functions import __all__ as _functions
from ._modules import AdaptiveAvgPool2d, BatchNorm2d, Conv2d, GroupNorm, LayerNorm, MaxPool2d

__all__ = [*_functions, "AdaptiveAvgPool2d", "BatchNorm2d", "Conv2d", "GroupNorm", "LayerNorm", "MaxPool2d"]

# The original is a package with one module in it: both paths are imported.
fallback_ops = _sys.modules[f"{__name__}.fallback_ops"] = _sys.modules[__name__]
