"""Shows the traced configurations of an operation; without one, lists the operations.

    python @HERE@analyze_operations.py sigmoid_accurate [--list] [--stats] [--brief] [--debug] [--master-file PATH]
"""

import sys
from pathlib import Path

from tracelift import project

ROOT = Path(__file__).resolve().@ROOT@

if __name__ == "__main__":
    sys.exit(project.analyze_operations(ROOT))
