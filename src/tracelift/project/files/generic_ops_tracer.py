"""Traces a model test and adds its operations to traced_operations/ttnn_operations_master.json.

    python @HERE@generic_ops_tracer.py path/to/test.py::test_function [--store]

`--store` keeps the trace files. Every other option of `tracelift trace` works too.
"""

import sys
from pathlib import Path

from tracelift import project

ROOT = Path(__file__).resolve().@ROOT@


class OperationsTracingPlugin:
    def __init__(self):
        # Operations that are left out of the master. Add your own, or take some away.
        self.excluded_operations = {
@EXCLUDED@
        }


if __name__ == "__main__":
    sys.exit(project.trace(ROOT, OperationsTracingPlugin().excluded_operations))
