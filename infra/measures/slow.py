"""Lines of the log about slow commands: where the time went, and neither what was asked nor what it led to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog

from infra.clock import ticks_s
from infra.measures.lines import LinesEachSecond
from infra.measures.tracing import keep_past
from infra.measures.watches import Watch

LINES_PER_S: Final = 10
"""Slow commands of a second that get a line; the next line says how many did not."""
SLOW_MS: Final = 500
"""From which time on a command is slow, if nothing is said, in milliseconds."""

log = structlog.get_logger(__name__)


class SlowCommands:
    """Whoever writes those lines."""

    def __init__(self, after_ms: int = SLOW_MS) -> None:
        """Write about commands that take so many milliseconds or more; 0 is about none."""
        self._after_s = after_ms / 1_000
        self._lines = LinesEachSecond()

    def begin(self) -> Watch:
        """Return the running stopwatch of a command."""
        return Watch()

    @contextmanager
    def timed(self, command: str, stream: str) -> Iterator[None]:
        """Time a command of this kind at a stream, whatever comes of it."""
        watch = self.begin()
        try:
            yield
        finally:
            self.end(watch, command, stream)

    def end(self, watch: Watch, command: str, stream: str) -> None:
        """Stop it, let it be a span where somebody traces, and write a line if it was slow."""
        seconds = watch.stop()
        keep_past("command", watch, command=command, stream=stream)
        if not self._after_s or seconds < self._after_s:
            return
        also = self._lines.take(ticks_s(), LINES_PER_S)
        if also is None:
            return
        parts = watch.parts()
        told: dict[str, int] = {part: _ms(took) for part, took in parts.items()}
        told["other"] = _ms(max(0.0, seconds - sum(parts.values())))
        log.warning("command.slow", command=command, stream=stream, ms=_ms(seconds), **told, **also)


def _ms(seconds: float) -> int:
    return round(seconds * 1_000)
