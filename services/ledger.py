"""Sees to it that whatever hidden dice leave the dealer are on record before they do (`domain.access`).

What the rules let a seat know is stored with the command that lets it, so in the ordinary course there is nothing to
write here: what is about to leave is looked up, and found. Only what nobody foresaw costs a commit of its own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from itertools import pairwise
from uuid import UUID

from domain import access
from domain.access import Book, Served
from domain.match import Match
from domain.record import fold, stream_of
from infra.events import Access, EventStore, Unavailable

BOOKS_MAX = 4_096
"""Access streams kept in memory, a line for each seat and roll; the rest are read again."""
TRIES_MAX = 5
"""How often lines are written anew after somebody else was first."""


class Ledger:
    """The access streams of all matches."""

    def __init__(self, store: EventStore) -> None:
        """Keep them in this store."""
        self._store = store
        self._books: OrderedDict[UUID, Book] = OrderedDict()

    async def book(self, match_id: UUID) -> Book:
        """Return the access stream of a match, as far as this program knows; nobody writes behind an old one."""
        known = self._books.get(match_id)
        return await self.caught_up(match_id) if known is None else known

    def keep(self, match_id: UUID, book: Book) -> None:
        """Remember an access stream that has just been stored."""
        known = self._books.get(match_id)
        if known is None or known.version < book.version:
            self._books[match_id] = book
        self._books.move_to_end(match_id)
        if len(self._books) > BOOKS_MAX:
            self._books.popitem(last=False)

    async def caught_up(self, match_id: UUID) -> Book:
        """Return the access stream as it is stored. A match that is older than access streams is given its own."""
        book = self._books.get(match_id, Book())
        book = access.read(book, await self._store.read_access(access.stream_of(match_id), book.version))
        if not book.version:
            lines, grown = await self._from_the_start(match_id)
            if not await self._stored(match_id, book, lines):
                return await self.caught_up(match_id)
            book = grown
        self.keep(match_id, book)
        return book

    async def told(self, match: Match, served: Iterable[Served]) -> None:
        """Return once all of this is on record. Cost: nothing, as a rule; a query for what another program stored.

        A crash after the lines are stored leaves lines for dice that nobody was sent, which is harmless.

        Raises:
            Unavailable: It cannot be put on record now, so the dice must stay where they are.
        """
        leaving = tuple(served)
        book = self._books.get(match.id)
        if not leaving or (book is not None and all(each.key in book.told for each in leaving)):
            return
        for _ in range(TRIES_MAX):
            book = await self.caught_up(match.id)
            lines, grown = access.noted(book, match, leaving)
            if not lines or await self._stored(match.id, book, lines):
                self.keep(match.id, grown)
                return
        raise Unavailable("others were first too often")

    async def _from_the_start(self, match_id: UUID) -> tuple[tuple[bytes, ...], Book]:
        """Return the lines that would be on record had there been an access stream from the first line on."""
        course = list(fold(await self._store.read(stream_of(match_id))))
        lines, book = access.opened(match_id, course[0][0].match.at)
        for (before, _), (after, event) in pairwise(course):
            more, book = access.followed(book, before.match, [event], after.match.at)
            lines += more
        return lines, book

    async def _stored(self, match_id: UUID, book: Book, lines: tuple[bytes, ...]) -> bool:
        return await self._store.append_access(
            stream_of(match_id), Access(access.stream_of(match_id), book.version, lines)
        )
