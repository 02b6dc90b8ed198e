"""Stopwatches of commands: where the time of one goes, noted by whoever it passes, and told to operators alone.

A command carries its stopwatch in its context. Whoever does a part of it notes when that began and ended; where nobody
asks, nothing is noted.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from types import TracebackType
from typing import Final, Literal, Self

from infra.clock import ticks_s

Part = Literal["turn", "read", "decide", "queue", "commit"]
"""Waiting for those before on the same match; reading it; deciding; waiting for a commit to begin; the commit."""

_running: Final[ContextVar[Watch | None]] = ContextVar("watch", default=None)


class Watch:
    """The time of one command, in ticks.

    Attributes:
        began: When it began.
        ended: When it was stopped; not before.
        steps: Its parts as they came, each with when it began and ended.
    """

    __slots__ = ("_token", "began", "ended", "steps")

    def __init__(self) -> None:
        """Begin now, and be carried from here on."""
        self.began = self.ended = ticks_s()
        self.steps: list[tuple[Part, float, float]] = []
        self._token: Token[Watch | None] = _running.set(self)

    def stop(self) -> float:
        """Be carried no more, and return how many seconds it has been."""
        _running.reset(self._token)
        self.ended = ticks_s()
        return self.ended - self.began

    def parts(self) -> dict[Part, float]:
        """Return how many seconds each part took; one that came twice is one of both."""
        found: dict[Part, float] = {}
        for part, began, ended in self.steps:
            found[part] = found.get(part, 0.0) + ended - began
        return found


def note(part: Part, began: float, ended: float) -> None:
    """Note when a part of the command that is under way here, if one is, began and ended."""
    watch = _running.get()
    if watch is not None:
        watch.steps.append((part, began, ended))


class Timed:
    """Times a part, to be held with `with`."""

    __slots__ = ("_began", "_part")

    def __init__(self, part: Part) -> None:
        """Time this one."""
        self._part: Part = part

    def __enter__(self) -> Self:
        """Begin."""
        self._began = ticks_s()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, trouble: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Note how long it took, whatever came of it."""
        note(self._part, self._began, ticks_s())
