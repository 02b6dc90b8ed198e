"""Stopwatches of commands: where the time of one goes, noted by whoever it passes, and told to operators alone.

A command carries its stopwatch in its context. Whoever does a part of it adds how long that took; where nobody asks,
nothing is noted.
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
    """The time of one command, in seconds.

    Attributes:
        parts: What its parts took; a part that came twice is one of both.
    """

    __slots__ = ("_began", "_token", "parts")

    def __init__(self) -> None:
        """Begin now, and be carried from here on."""
        self._began = ticks_s()
        self._token: Token[Watch | None] = _running.set(self)
        self.parts: dict[Part, float] = {}

    def stop(self) -> float:
        """Be carried no more, and return how long it has been."""
        _running.reset(self._token)
        return ticks_s() - self._began

    def add(self, part: Part, seconds: float) -> None:
        """Note how long a part took."""
        self.parts[part] = self.parts.get(part, 0.0) + seconds


def note(part: Part, seconds: float) -> None:
    """Note how long a part of the command took that is under way here, if one is."""
    watch = _running.get()
    if watch is not None:
        watch.add(part, seconds)


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
        note(self._part, ticks_s() - self._began)
