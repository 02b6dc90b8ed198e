"""Comments in the store: words beside the lines that name them by a hash, and who may write them.

The words can be erased, and the stream stays whole. A row is written before the line that names it; without one it was
left by a crash, is shown to nobody, and harms nobody.

In reading order:

    comment_tables    the tables in Postgres
    memory            the same of the double
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct


class SaidWords(Struct, frozen=True):
    """Words that a line names.

    Attributes:
        hash: The hash by which it does, as hex.
        salt: The 16 bytes that were hashed before them.
        body: The words.
    """

    hash: str
    salt: bytes
    body: str


class Writers(Struct, frozen=True):
    """Who may write about a match besides its hosts.

    Attributes:
        casters: Players by their ids, who may write at any time.
        everybody: Whether every player may once the match is over.
    """

    casters: tuple[str, ...] = ()
    everybody: bool = False


class CommentStore(Protocol):
    """What is kept beside commentaries, and stands in no line of them."""

    async def keep_words(self, stream: str, words: SaidWords) -> None:
        """Keep words that a line of this stream is going to name; those that are there stay. Cost: one commit."""

    async def words(self, stream: str, hashes: Iterable[str]) -> dict[str, SaidWords]:
        """Return those of these words that were not erased, by their hashes."""

    async def erase_words(self, stream: str, words: str) -> bool:
        """Erase words with their salt, by their hash, and report whether there were any. Cost: one commit."""

    async def keep_writers(self, stream: str, writers: Writers) -> None:
        """Let these write from now on, and nobody else. Cost: one commit."""

    async def writers(self, stream: str) -> Writers:
        """Return who may write; nobody until somebody is named."""
