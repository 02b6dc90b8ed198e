"""Spectator delay: a match as it was some time ago, for whoever holds no seat.

The law of the file: what is shown late is a version that the match had, a function of the times of its lines and of the
clock. A command's lines have one time, so no command is shown in part. Before the first deal nothing waits, since
whoever looks for a seat has to see who sits there; afterwards no line is shown before its time is so long ago, the last
one of the match among them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Final, Protocol

from cachetools import LRUCache
from msgspec import Struct

from domain import events
from domain.ids import Milliseconds, UnixMs
from domain.match.evolve import Match
from domain.match.record import MatchAtHead, stream_of
from infra.clock import now_ms
from infra.store import DELAY_MS_MAX

PAGE: Final = 256
"""Lines read at once on the way to what may be shown, some ten milliseconds in slices."""
SHOWN_MAX: Final = 1_024
"""Matches of which it is known how far they are shown; of the rest it is found out again from their first line on."""


class Steps(Protocol):
    """Where matches are found as they were."""

    async def steps(self, stream: str, after: int, limit: int) -> Sequence[tuple[MatchAtHead, events.Event]]:
        """Return the match after each of at most `limit` lines behind version `after`, and what the line says."""


class KeepsBack(Protocol):
    """What keeps lines back, however old they are."""

    async def shown(self, newest: MatchAtHead) -> MatchAtHead:
        """Return a match as everybody may see it."""


class Shown(Struct, frozen=True):
    """How far a match is shown.

    Attributes:
        written: The match there.
        next_at: When the first of the lines came that wait, in Unix milliseconds; None if none is known to wait.
    """

    written: MatchAtHead
    next_at: UnixMs | None = None


class Delays:
    """How far matches with a delay are shown."""

    def __init__(self, history: Steps, now: Callable[[], UnixMs] = now_ms, embargo: KeepsBack | None = None) -> None:
        """Find matches as they were in this history, and learn the time from this clock, which does not go back.

        Nothing is shown that an `embargo` keeps back.
        """
        self._embargo = embargo
        self._history = history
        self._now = now
        self._shown: LRUCache[str, Shown] = LRUCache(SHOWN_MAX)

    async def shown(self, newest: MatchAtHead, delay_ms: Milliseconds) -> MatchAtHead:
        """Return a match as it is shown now to whoever holds no seat.

        Args:
            newest: The match as it is.
            delay_ms: How long its spectators wait.

        Cost: nothing without a delay, or where no line waits whose time has come; otherwise a query, and a step for
        each line that is due. A match that nobody has watched of late is walked through once.
        """
        early = newest if self._embargo is None else await self._embargo.shown(newest)
        if early is not newest:
            return early
        upto, stream = self._now() - delay_ms, stream_of(newest.match.id)
        if not delay_ms or _is_due(newest.match, upto):
            return newest
        known = self._shown.get(stream)
        if known is None or known.next_at is None or known.next_at <= upto:
            known = self._shown[stream] = await self._due(stream, None if known is None else known.written, upto)
        return known.written

    def wait_s(self, match: str, delay_ms: Milliseconds) -> float:
        """Return how long it is until more of a match may be shown, in seconds; infinity if nothing is known to wait.

        Args:
            match: Its stream.
            delay_ms: How long its spectators wait.
        """
        known = self._shown.get(match)
        if known is None or known.next_at is None:
            return inf
        return max(0, known.next_at + delay_ms - self._now()) / 1_000

    def may_keep(self, at: UnixMs) -> bool:
        """Report whether what happened at this time may still wait, however long spectators wait."""
        return at > self._now() - DELAY_MS_MAX

    async def _due(self, stream: str, written: MatchAtHead | None, upto: UnixMs) -> Shown:
        """Return the last version of a match that is due, given one that is."""
        while True:
            steps = await self._history.steps(stream, 0 if written is None else written.match.version, PAGE)
            for after, _ in steps:
                if written is not None and not _is_due(after.match, upto):
                    return Shown(written, after.match.at)
                written = after
            assert written is not None, "a match has a first line"
            if len(steps) < PAGE:
                return Shown(written)


def _is_due(match: Match, upto: UnixMs) -> bool:
    return match.table is None or match.at <= upto
