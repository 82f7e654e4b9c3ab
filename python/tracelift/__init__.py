"""Tracelift lifts operation traces out of real model runs into tests.

`tracelift.ttnn` is the CPU-emulated runtime. Where no other `ttnn` is installed, `import ttnn` gives the same module.

PYTEST_DONT_REWRITE
"""

# The last line above is for pytest, which otherwise warns that the package is loaded already.
# Interpreter start imports this file (see tracelift_ttnn_fallback.pth): nothing may be imported here.
__version__ = "0.1.0"
