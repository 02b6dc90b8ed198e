"""Words of comments, and who may write them, of the store's double."""

from __future__ import annotations

from collections.abc import Iterable

from infra.store.comments import SaidWords, Writers


class MemoryComments:
    """The part of the double that keeps words."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self._words: dict[tuple[str, str], SaidWords] = {}
        self._writers: dict[str, Writers] = {}

    async def keep_words(self, stream: str, words: SaidWords) -> None:
        """Keep words that a line of this stream is going to name."""
        self._words.setdefault((stream, words.hash), words)

    async def words(self, stream: str, hashes: Iterable[str]) -> dict[str, SaidWords]:
        """Return those of these words that were not erased."""
        return {one: self._words[stream, one] for one in hashes if (stream, one) in self._words}

    async def erase_words(self, stream: str, words: str) -> bool:
        """Erase words, and report whether there were any."""
        return self._words.pop((stream, words), None) is not None

    async def keep_writers(self, stream: str, writers: Writers) -> None:
        """Let these write from now on."""
        self._writers[stream] = writers

    async def writers(self, stream: str) -> Writers:
        """Return who may write."""
        return self._writers.get(stream, Writers())
