"""Queries of commentaries: folds in memory, kept up with the log, and comments as they may be read by now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from cachetools import LRUCache

from domain.commentary.commentary import Comment
from domain.commentary.record import CommentaryAtHead, step_commentary, stream_of_commentary
from domain.seasons.members import is_player
from infra.store import EventStore
from infra.store.comments import Writers
from projections.commentary.comments import (
    CommentView,
    ExportedLine,
    comment_view,
    exported,
    lines_told,
    readable,
)
from services.commentary.writers import ReadMatches
from services.work.failures import Unreadable

COMMENTARIES_MAX: Final = 64
"""Folds kept in memory, one of a thousand comments half a megabyte; the rest are read again from the log."""
PAGE: Final = 256


class CommentQueries:
    """What is said about every match, by its id."""

    def __init__(self, store: EventStore, matches: ReadMatches) -> None:
        """Read from this store, as far as these matches are shown to whoever holds no seat."""
        self._store = store
        self._matches = matches
        self._cached: LRUCache[UUID, CommentaryAtHead] = LRUCache(COMMENTARIES_MAX)

    async def load(self, match_id: UUID) -> CommentaryAtHead | None:
        """Return a commentary as of the last line in the store; None where nobody has said anything.

        Cost: a query, and a step for each new line.

        Raises:
            Unreadable: This program cannot read it.
        """
        stream, written = stream_of_commentary(match_id), self._cached.get(match_id)
        while True:
            lines = await self._store.read(stream, 0 if written is None else written.commentary.version, PAGE)
            for line in lines:
                written = _step(stream, written, line)
            if len(lines) < PAGE:
                break
        if written is not None:
            self._cached[match_id] = written
        return written

    async def comments(
        self, match_id: UUID, reader: str | None = None, after: str = "", limit: int | None = None
    ) -> list[CommentView]:
        """Return the comments that an author, or whoever is none, may read by now, in the order of their ids.

        Args:
            match_id: The match.
            reader: Who reads.
            after: Behind which id they begin.
            limit: How many at most; all of them for None.

        Raises:
            UnknownMatch: There is no such match.
        """
        released, written = await self._matches.released(match_id), await self.load(match_id)
        if written is None:
            return []
        found = [each for each in readable(written.commentary, released, reader) if each.id > after][:limit]
        return await self._seen(match_id, found)

    async def _seen(self, match_id: UUID, found: list[Comment]) -> list[CommentView]:
        texts = await self._words(match_id, (each.text for each in found))
        names = await self._store.names({each.author for each in found if is_player(each.author)})
        words = {name: body for name, (_, body) in texts.items()}
        return [comment_view(each, words, names) for each in found]

    async def _words(self, match_id: UUID, hashes: Iterable[str]) -> dict[str, tuple[bytes, str]]:
        found = await self._store.words(stream_of_commentary(match_id), hashes)
        return {name: (bytes(each.salt), each.body) for name, each in found.items()}

    async def export(self, match_id: UUID) -> list[ExportedLine]:
        """Return the lines that may be read by everybody, with the words that they name.

        Raises:
            UnknownMatch: There is no such match.
        """
        released, written = await self._matches.released(match_id), await self.load(match_id)
        if written is None:
            return []
        told = min(lines_told(written.commentary, released), written.commentary.version)
        lines = await self._store.read(stream_of_commentary(match_id), 0, told)
        words = await self._words(match_id, (each.text for each in written.commentary.comments.values()))
        return list(exported(lines, written.commentary, words))

    async def writers(self, match_id: UUID) -> tuple[Writers, dict[str, str]]:
        """Return who may write about a match besides its hosts, and what these are called, by id.

        Raises:
            UnknownMatch: There is no such match.
        """
        await self._matches.released(match_id)
        found = await self._store.writers(stream_of_commentary(match_id))
        return found, await self._store.names(found.casters)


def _step(stream: str, written: CommentaryAtHead | None, line: bytes) -> CommentaryAtHead:
    try:
        found = step_commentary(written, line)
        assert stream_of_commentary(found.commentary.match) == stream, "it says that it is of another match"
    except Exception as fault:
        raise Unreadable(stream, line) from fault
    return found
