"""Sees to it that whatever hidden dice leave the dealer are on record before they do (`domain.audit.access`).

What the rules let a seat know is stored with the command that lets it, so in the ordinary course there is nothing to
write here: what is about to leave is looked up, and found. Only what nobody foresaw costs a commit of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from domain.audit import access
from domain.audit.access import AccessStream, Served
from domain.match.evolve import Match
from domain.match.record import stream_of
from infra.store import Access, EventStore, Unavailable
from services.matches.reads.milestones import Milestones
from services.matches.reads.recent import Step
from services.work.caches import LastUsed
from services.work.failures import reading

BOOKS_MAX = 4_096
"""Access streams kept in memory, a line for each seat and roll; the rest are read again."""
TRIES_MAX = 5
"""How often lines are written anew after somebody else was first."""
PIECE = 32
"""Lines of an access stream read in one go, less than a millisecond of work."""


class AccessLog:
    """The access streams of all matches."""

    def __init__(self, store: EventStore, milestones: Milestones | None = None) -> None:
        """Keep them in this store, and work on long ones at the pace of these milestones."""
        self._store = store
        self._milestones = milestones or Milestones(store)
        self._books: LastUsed[UUID, AccessStream] = LastUsed(BOOKS_MAX)

    async def book(self, match_id: UUID) -> AccessStream:
        """Return the access stream of a match, as far as this program knows; nobody writes behind an old one."""
        known = self._books.get(match_id)
        return await self.load_stream(match_id) if known is None else known

    def keep(self, match_id: UUID, book: AccessStream) -> None:
        """Remember an access stream that has just been stored."""
        known = self._books.get(match_id)
        if known is None or known.version < book.version:
            self._books[match_id] = book

    async def load_stream(self, match_id: UUID) -> AccessStream:
        """Return the access stream as it is stored. A match that is older than access streams is given its own.

        Raises:
            Unreadable: This program does not know what one of its lines says, and so not who may have seen what.
        """
        known, stream = self._books.get(match_id) or AccessStream(), access.stream_of(match_id)
        stored = await self._store.read_access(stream, known.version)
        with reading(stream):
            book = [known, *await self._milestones.pace.collect(_read(known, stored))][-1]
        if not book.version:
            lines, grown = await self._from_the_start(match_id)
            if not await self._read_stored(match_id, book, lines):
                return await self.load_stream(match_id)
            book = grown
        self.keep(match_id, book)
        return book

    async def ensure_recorded(self, match: Match, served: Iterable[Served]) -> None:
        """Return once all of this is on record. Cost: nothing, as a rule; a query for what another program stored.

        A crash after the lines are stored leaves lines for dice that nobody was sent, which is harmless.

        Raises:
            Unavailable: It cannot be put on record now, so the dice must stay where they are.
            Unreadable: What is on record cannot be read.
        """
        leaving = tuple(served)
        book = self._books.get(match.id)
        if not leaving or (book is not None and all(each.key in book.told for each in leaving)):
            return
        for _ in range(TRIES_MAX):
            book = await self.load_stream(match.id)
            lines, grown = access.lines_of_served(book, match, leaving)
            if not lines or await self._read_stored(match.id, book, lines):
                self.keep(match.id, grown)
                return
        raise Unavailable("others were first too often")

    async def _from_the_start(self, match_id: UUID) -> tuple[tuple[bytes, ...], AccessStream]:
        """Return the lines that would be on record had there been an access stream from the first line on."""
        lines: list[bytes] = []
        book, before = AccessStream(), None
        async for steps in self._milestones.walk(stream_of(match_id)):
            for more, grown in await self._milestones.pace.collect(_lines_of_steps(match_id, book, before, steps)):
                lines += more
                book = grown
            before = steps[-1][0].match
        return tuple(lines), book

    async def _read_stored(self, match_id: UUID, book: AccessStream, lines: tuple[bytes, ...]) -> bool:
        return await self._store.append_access(
            stream_of(match_id), Access(access.stream_of(match_id), book.version, lines)
        )


def _read(book: AccessStream, lines: Sequence[bytes]) -> Iterator[AccessStream]:
    """Yield an access stream after each piece of some more of its lines."""
    for start in range(0, len(lines), PIECE):
        book = access.fold_lines(book, lines[start : start + PIECE])
        yield book


def _lines_of_steps(
    match_id: UUID, book: AccessStream, before: Match | None, steps: Iterable[Step]
) -> Iterator[tuple[tuple[bytes, ...], AccessStream]]:
    """Yield what goes on record with each of these steps, and the access stream after it.

    Args:
        match_id: The match's.
        book: The access stream before them.
        before: The match before them; None before its first line.
        steps: The match after each event, and the event.
    """
    for written, event in steps:
        if before is None:
            lines, book = access.new_access_stream(match_id, written.match.at)
        else:
            lines, book = access.lines_of_events(book, before, [event], written.match.at)
        before = written.match
        yield lines, book
