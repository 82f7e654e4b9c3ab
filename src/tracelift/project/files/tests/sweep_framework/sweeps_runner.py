"""Runs the test vectors of sweep modules and writes their results to results_export/.

    python3 tests/sweep_framework/sweeps_runner.py --module-name MODULE --suite model_traced
"""

import sys
from pathlib import Path

from tracelift import project

ROOT = Path(__file__).resolve().@ROOT@

if __name__ == "__main__":
    sys.exit(project.run_sweeps(ROOT))
