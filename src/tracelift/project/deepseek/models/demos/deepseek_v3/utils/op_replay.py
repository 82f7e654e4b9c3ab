"""Replays one captured call with fresh inputs.

    python -m models.demos.deepseek_v3.utils.op_replay --jsonl op_calls.jsonl --index 0
"""

import sys

from tracelift.op_replay import Refused, main, replay_op_record

__all__ = ["Refused", "main", "replay_op_record"]

if __name__ == "__main__":
    sys.exit(main(program="python -m models.demos.deepseek_v3.utils.op_replay"))
