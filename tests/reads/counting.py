"""A store that counts what is read of it, and a match long enough to be worth remembering."""

from __future__ import annotations

from infra.store import Unavailable
from infra.store.memory import MemoryStore
from tests.relay.playing import Played

LONG = ("Ada", "Bob", "Cyd", "Dot", "Eve", "Fay")


class CountingStore(MemoryStore):
    """Counts the lines of matches it hands out; the length of a page is a query more.

    Attributes:
        lines: How many lines.
        queries: In how many answers.
        away: Whether nobody answers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines = 0
        self.queries = 0
        self.away = False

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        self.queries += 1
        if self.away:
            raise Unavailable("away")
        found = await super().read(stream, after, limit)
        self.lines += len(found)
        return found

    def forget(self) -> None:
        """Begin to count anew."""
        self.lines = self.queries = 0


async def long_match(store: MemoryStore, number: int = 1) -> Played:
    """Return a match of some 500 events that is over."""
    match = Played(store, number)
    await match.seat(*LONG)
    await match.deal()
    await match.finish()
    return match
