"""Numbers of command queues, and small functions of the original's core that concern the process."""

from __future__ import annotations

import contextlib
import faulthandler
import threading
from collections.abc import Iterator


class QueueId:
    """The number of a command queue; operations take it and plain ints alike."""

    def __init__(self, id: int) -> None:
        self.id = int(id)

    def __int__(self) -> int:
        return self.id

    def __index__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (QueueId, int)) and int(other) == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"QueueId({self.id})"


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.queues: list[int | QueueId] = []


_of_thread = _OfThread()


def push_current_command_queue_id_for_thread(cq_id: int | QueueId) -> None:
    _of_thread.queues.append(cq_id)


def pop_current_command_queue_id_for_thread() -> None:
    _of_thread.queues.pop()


def get_current_command_queue_id_for_thread() -> int | QueueId | None:
    """The queue of the innermost with block; None outside of all."""
    return _of_thread.queues[-1] if _of_thread.queues else None


@contextlib.contextmanager
def command_queue(cq_id: int | QueueId) -> Iterator[None]:
    """Sets the default queue for a with block; all queues are one here."""
    if cq_id is None:
        raise ValueError("command_queue() takes the number of a queue, not None")
    push_current_command_queue_id_for_thread(cq_id)
    try:
        yield
    finally:
        pop_current_command_queue_id_for_thread()


def dump_stack_trace_on_segfault() -> None:
    """Writes the stack of Python when the process crashes."""
    faulthandler.enable()
