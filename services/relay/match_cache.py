"""The matches a follower of the log walks through, each as of the last line it has seen."""

from __future__ import annotations

from collections.abc import Mapping

from cachetools import LRUCache
from msgspec import Struct

from domain import events
from domain.match.evolve import Match
from domain.match.record import MatchAtHead
from infra.store import EventStore, Recorded
from services.matches.reads.milestones import Milestones, version_of
from services.work.failures import fold

MATCHES_MAX = 2_048
"""Folds kept in memory, some tens of kilobytes each; the rest are read again from the log."""


class MatchEvent(Struct, frozen=True):
    """A match right after one event, and what people call its players, by player id."""

    written: MatchAtHead
    event: events.Event
    names: Mapping[str, str]

    @property
    def match(self) -> Match:
        """The match after the event."""
        return self.written.match


class MatchCache:
    """Folds lines as they come."""

    def __init__(self, store: EventStore, matches_max: int = MATCHES_MAX, milestones: Milestones | None = None) -> None:
        """Read from this store, by these milestones, what is not in memory."""
        self._store = store
        self._milestones = milestones or Milestones(store)
        self._kept: LRUCache[str, MatchEvent] = LRUCache(matches_max)

    async def after(self, line: Recorded) -> MatchEvent:
        """Return the match right after this line.

        Cost: one step for the next line of a match in memory. Otherwise the match is read from its last milestone on,
        or from where memory ends, in slices of the event loop.

        Raises:
            Unreadable: It, or a line before it, cannot be read here.
        """
        known = self._kept.get(line.stream)
        if known is not None and known.match.version > line.seq:
            known = None
        followed = await self._fold_to_line(known, line)
        self._keep(line.stream, followed)
        return followed

    async def _fold_to_line(self, known: MatchEvent | None, line: Recorded) -> MatchEvent:
        names = {} if known is None else known.names
        written = None if known is None else known.written
        if version_of(written) < line.seq:
            written = await self._milestones.at(line.stream, line.seq, written)
        written, event = next(fold(line.stream, [line.line], written))
        return MatchEvent(written, event, await self._names_of(names, written.match))

    async def newest(self, stream: str) -> MatchEvent | None:
        """Return the match as of its last line; None where no line was ever written.

        Cost: that of its fold, and of its last step once more.

        Raises:
            Unreadable: A line of it cannot be read here.
        """
        written = await self._milestones.newest(stream)
        if written is None:
            return None
        version = written.match.version
        (line,) = await self._store.read(stream, version - 1, 1)
        return await self.after(Recorded(0, stream, version - 1, line))

    async def _names_of(self, names: Mapping[str, str], match: Match) -> Mapping[str, str]:
        """Return the names with those of players who have just come; a name is stored with the line that seats it."""
        newcomers = [who.player for who in match.seated.values() if who.player not in names]
        if not newcomers:
            return names
        return {**names, **dict(zip(newcomers, newcomers, strict=True)), **await self._store.names(newcomers)}

    def _keep(self, stream: str, followed: MatchEvent) -> None:
        if followed.match.ended:
            self._kept.pop(stream, None)
        else:
            self._kept[stream] = followed
