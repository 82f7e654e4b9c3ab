"""Sums up the results of the last sweep run.

    python analyze_sweep_results.py [--results-dir DIR] [--result-file FILE] [--metadata-file FILE] [--latest]
"""

import sys
from pathlib import Path

from tracelift import project

ROOT = Path(__file__).resolve().@ROOT@

if __name__ == "__main__":
    sys.exit(project.analyze_sweep_results(ROOT))
