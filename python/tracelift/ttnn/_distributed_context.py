"""Processes on several hosts: there is one here, so that its rank is 0 of 1."""

from __future__ import annotations

import functools

_initialized = False


@functools.total_ordering
class _Number:
    def __init__(self, value: int) -> None:
        self._value = value

    def __int__(self) -> int:
        return self._value

    def __index__(self) -> int:
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (int, _Number)) and int(other) == self._value

    def __lt__(self, other: int | _Number) -> bool:
        return self._value < int(other)

    def __hash__(self) -> int:
        return hash(self._value)

    def __str__(self) -> str:
        return str(self._value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._value})"


class Rank(_Number):
    """The number of a process."""


class Size(_Number):
    """How many processes there are."""


def using_distributed_env() -> bool:
    """Whether more than one host takes part."""
    return False


def init_distributed_context() -> None:
    global _initialized
    _initialized = True


def distributed_context_is_initialized() -> bool:
    return _initialized


def _require_initialized() -> None:
    if not _initialized:
        raise RuntimeError("Distributed context not initialized. Call init_distributed_context() first.")


def distributed_context_get_rank() -> Rank:
    _require_initialized()
    return Rank(0)


def distributed_context_get_size() -> Size:
    _require_initialized()
    return Size(1)


def distributed_context_barrier() -> None:
    _require_initialized()
