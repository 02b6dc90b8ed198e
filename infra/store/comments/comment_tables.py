"""Tables of comments in Postgres: words, which can be erased while the log stays whole, and who may write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Final

import asyncpg

from infra.store.comments import SaidWords, Writers

KEEP_WORDS: Final = (
    "insert into comment_words (stream, hash, salt, body) values ($1, $2, $3, $4) on conflict do nothing"
)
WORDS: Final = "select hash, salt, body from comment_words where stream = $1 and hash = any ($2::text[])"
ERASE_WORDS: Final = "delete from comment_words where stream = $1 and hash = $2 returning hash"
KEEP_WRITERS: Final = (
    "insert into comment_writers (stream, casters, everybody) values ($1, $2, $3)"
    " on conflict (stream) do update set casters = excluded.casters, everybody = excluded.everybody"
)
WRITERS: Final = "select casters, everybody from comment_writers where stream = $1"
STATEMENTS: Final = (KEEP_WORDS, WORDS, ERASE_WORDS, KEEP_WRITERS, WRITERS)


class CommentTables(ABC):
    """The part of the Postgres store that keeps comments; to change anything needs the dealer's role."""

    @abstractmethod
    async def _fetch(self, query: str, *args: object) -> list[asyncpg.Record]:
        """Return the rows of a query."""

    async def keep_words(self, stream: str, words: SaidWords) -> None:
        """Keep words that a line of this stream is going to name."""
        await self._fetch(KEEP_WORDS, stream, words.hash, words.salt, words.body)

    async def words(self, stream: str, hashes: Iterable[str]) -> dict[str, SaidWords]:
        """Return those of these words that were not erased."""
        return {row["hash"]: SaidWords(*row) for row in await self._fetch(WORDS, stream, list(hashes))}

    async def erase_words(self, stream: str, words: str) -> bool:
        """Erase words, and report whether there were any."""
        return bool(await self._fetch(ERASE_WORDS, stream, words))

    async def keep_writers(self, stream: str, writers: Writers) -> None:
        """Let these write from now on."""
        await self._fetch(KEEP_WRITERS, stream, list(writers.casters), writers.everybody)

    async def writers(self, stream: str) -> Writers:
        """Return who may write."""
        rows = await self._fetch(WRITERS, stream)
        return Writers(tuple(rows[0]["casters"]), rows[0]["everybody"]) if rows else Writers()
