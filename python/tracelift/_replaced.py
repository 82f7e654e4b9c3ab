"""Files that may be there already: they are replaced as a whole or not at all.

Of a link, what it points to is replaced. A pipe, a device or an open descriptor such as /dev/stdout is written into. The
compiled tools do the same (src/tracelift/base/replaced_file.hpp).
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO, Any

_MOST_LINKS = 40  # as the kernel


def _destination(path: str) -> tuple[str, int | None]:
    """Where a path leads, link by link, and the descriptor of this process that it names, if it does."""
    for _ in range(_MOST_LINKS):
        folder = os.path.dirname(path)
        name = os.path.basename(path)
        if name.isdigit() and os.path.realpath(folder) == f"/proc/{os.getpid()}/fd":
            return path, int(name)
        if not os.path.islink(path):
            break
        path = os.path.join(folder, os.readlink(path))
    return path, None


def destination(path: str | os.PathLike[str]) -> str:
    """What would be replaced: the path itself, or what it points to as a link."""
    return _destination(os.fspath(path))[0]


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str], mode: str = "w", **options: Any) -> Iterator[IO[Any]]:
    """A file to write into, opened as by `open(path, mode, **options)`. After an exception the old one stays."""
    target, descriptor = _destination(os.fspath(path))
    if descriptor is not None:
        sys.stdout.flush()  # what was printed before stands before
        with open(os.dup(descriptor), mode, **options) as file:
            yield file
        return
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, mode, **options) as file:
            yield file
        return
    fresh = f"{target}.{os.getpid()}.tmp"
    try:
        with open(fresh, mode, **options) as file:
            yield file
        if os.path.exists(target):
            os.chmod(fresh, os.stat(target).st_mode & 0o7777)
        os.replace(fresh, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
