"""What tests use of `tracy`, the original's profiler: marks in a profile. Nothing is profiled here."""

from __future__ import annotations


def signpost(header: str, message: object = None) -> None:
    """Writes a mark into the profile."""
    import ttnn

    ttnn.tracy_message(f"`TT_SIGNPOST: {header}`" if message is None else f"`TT_SIGNPOST: {header}\n{message}`")


class Profiler:
    """Switches profiling of Python code."""

    def enable(self) -> None:
        """Begins nothing."""

    def disable(self) -> None:
        """Ends nothing."""
