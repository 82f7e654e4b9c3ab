"""Writes the test vectors of sweep modules to vectors_export/.

    python3 tests/sweep_framework/sweeps_parameter_generator.py --module-name eltwise.unary.sigmoid_accurate.sigmoid_accurate
"""

import sys
from pathlib import Path

from tracelift import project

ROOT = Path(__file__).resolve().@ROOT@

if __name__ == "__main__":
    sys.exit(project.generate_vectors(ROOT))
