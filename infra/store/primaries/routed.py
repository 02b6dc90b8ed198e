"""The store over several primaries: what belongs to a stream is at the one that has its shard, all else at home.

It is the store of the home, and asks the others for what is theirs. Everything of a command is in one transaction of
one primary, but what people are called, which is at home, and is kept there before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import Any, Final, TypeVar

import asyncpg
from msgspec.structs import replace

from infra.config import HOME
from infra.measures.writes import WriteTally
from infra.store import (
    SHARDS,
    Access,
    Append,
    ArchiveStep,
    Away,
    Card,
    Outcome,
    ProjectionRow,
    Recorded,
    StoredToken,
    Unavailable,
    batches,
    check_set,
    shard_of,
)
from infra.store.lending import Lending
from infra.store.postgres import PostgresStore
from infra.store.primaries.beside import HouseLog
from infra.store.primaries.places import Places, stream_beside
from infra.store.primaries.spanning import Spanning
from infra.store.writer import ShardWriter

MOVED_S: Final = 5.0
"""How long a command waits for a shard that is on its way to another primary."""
AGAIN_S: Final = 0.05
LIVE: Final = "live"
"""The cursor that moves with its shard."""

Found = TypeVar("Found")


class RoutedStore(HouseLog):
    """The log on several primaries. Open it with `open_house`."""

    def __init__(
        self,
        pool: asyncpg.Pool[Any],
        others: Mapping[str, PostgresStore],
        writes: WriteTally | None = None,
        *,
        decides: bool,
    ) -> None:
        """Be the home on this pool, with these others beside it; `decides` is for programs that store commands.

        All of them count what is written in one tally.
        """
        super().__init__(pool, others, writes)
        self.places = Places(self)
        self._spanning = Spanning({**others, HOME: self})
        self._spans = ShardWriter(SHARDS, self._send_spanning, None, self.writes)
        self._works = [asyncio.create_task(self.places.run())]
        self._works += [asyncio.create_task(self._spanning.run())] if decides else []
        for other in others.values():
            other.on_commit = self._heard

    def _heard(self, shard: int, lines: Sequence[Recorded]) -> None:
        if self.on_commit is not None:
            self.on_commit(shard, lines)

    def _at(self, shard: int) -> PostgresStore:
        """Return the store of the primary that has a shard, as far as is known here.

        Raises:
            Unavailable: It has gone to one that this program was not told of.
        """
        found = self.stores.get(self.places[shard])
        if found is None:
            raise Unavailable(f"shard {shard} lives at {self.places[shard]}, which the settings do not name")
        return found

    async def _in(self, shard: int, call: Callable[[PostgresStore], Awaitable[Found]]) -> Found:
        """Return what a call to the primary of a shard comes to.

        Raises:
            Away: That is another than the home, and does not answer.
            Unavailable: The home does not answer.
        """
        store = self._at(shard)
        if store.lending.hangs:
            raise Away(f"the primary {self.places[shard]} does not answer", shard=shard)
        try:
            return await call(store)
        except Unavailable as trouble:
            if store is self:
                raise
            raise Away(f"the primary {self.places[shard]} does not answer: {trouble}", shard=shard) from trouble

    async def _of(self, stream: str, call: Callable[[PostgresStore], Awaitable[Found]]) -> Found:
        return await self._in(shard_of(stream), call)

    async def _where_it_lives(self, shard: int, call: Callable[[PostgresStore], Awaitable[Found]]) -> Found:
        """Return what a call to the primary of a shard comes to, wherever the shard goes meanwhile.

        Raises:
            Unavailable: It is nowhere for too long, or nobody answers.
        """
        deadline = asyncio.get_running_loop().time() + MOVED_S
        while True:
            try:
                return await self._in(shard, call)
            except asyncpg.CheckViolationError as gone:
                if not batches.is_closed(gone):
                    raise
                if asyncio.get_running_loop().time() > deadline:
                    raise Unavailable("the shard is being moved") from gone
            await asyncio.sleep(AGAIN_S)
            with suppress(Unavailable):
                await self.places.hear()

    # ---- what is stored -------------------------------------------------------------------------

    async def append(self, append: Append) -> Outcome:
        """Store a command, or say why not."""

        async def call(store: PostgresStore) -> Outcome:
            (kept,) = await self._named(store, (append,))
            return await PostgresStore.append(store, kept)

        return await self._where_it_lives(shard_of(append.stream), call)

    async def append_chain(self, chain: Sequence[Append]) -> list[Outcome]:
        """Store commands of one stream, all of them or none."""

        async def call(store: PostgresStore) -> list[Outcome]:
            return await PostgresStore.append_chain(store, await self._named(store, chain))

        return await self._where_it_lives(shard_of(chain[0].stream), call)

    async def append_all(self, appends: Sequence[Append]) -> list[Outcome]:
        """Store commands of as many streams, all of them or none, whatever primaries they are at."""
        check_set(appends)
        return await self._where_it_lives(shard_of(appends[0].stream), partial(self._append_all, appends))

    async def _append_all(self, appends: Sequence[Append], _first: PostgresStore) -> list[Outcome]:
        stores = {self.places[shard_of(one.stream)]: self._at(shard_of(one.stream)) for one in appends}
        if len(stores) > 1:
            return await self._spans.append_all(appends)
        (store,) = stores.values()
        return await PostgresStore.append_all(store, await self._named(store, appends))

    async def _send_spanning(self, _shard: int, appends: Sequence[Append]) -> list[Outcome]:
        parts: dict[str, list[Append]] = {}
        for one in appends:
            parts.setdefault(self.places[shard_of(one.stream)], []).append(one)
        named = {name: await self._named(self.stores[name], each) for name, each in parts.items()}
        return await self._spanning.send(appends, named)

    async def _named(self, store: PostgresStore, appends: Sequence[Append]) -> Sequence[Append]:
        """Return commands as they are stored at a primary: what they call people is kept at home before.

        A crash behind it leaves names that no line has brought, which harms nobody.
        """
        people = () if store is self else tuple(person for one in appends for person in one.people)
        if not people:
            return appends
        await self.keep_names(people)
        return [replace(one, people=()) for one in appends]

    async def append_access(self, stream: str, access: Access) -> bool:
        """Store lines of the access stream of this stream."""

        async def call(store: PostgresStore) -> bool:
            return await PostgresStore.append_access(store, stream, access)

        return await self._where_it_lives(shard_of(stream), call)

    async def keep_card(self, stream: str, card: Card) -> Card | None:
        """Keep a card, which is at home, for a stream that has not begun wherever it is."""
        grown = await self._at(shard_of(stream)).ask(batches.VERSION, shard_of(stream), stream)
        return await (self.card(stream) if grown else super().keep_card(stream, card))

    # ---- what is read ---------------------------------------------------------------------------

    def turn(self, stream: str) -> AbstractAsyncContextManager[None]:
        """Return the turn of a stream, which its own primary hands on."""
        return PostgresStore.turn(self._at(shard_of(stream)), stream)

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        """Return the lines of a stream from a version on."""
        return await self._of(stream, lambda store: PostgresStore.read(store, stream, after, limit))

    async def read_access(self, stream: str, after: int = 0) -> list[bytes]:
        """Return the lines of an access stream from a version on."""
        return await self._of(stream_beside(stream), lambda store: PostgresStore.read_access(store, stream, after))

    async def answer(self, stream: str, command: bytes) -> tuple[bytes, bytes] | None:
        """Return the fingerprint and answer stored for a command."""
        return await self._of(stream, lambda store: PostgresStore.answer(store, stream, command))

    async def secrets(self, stream: str) -> dict[str, bytes]:
        """Return the wrapped secrets of a stream by name."""
        return await self._of(stream, lambda store: PostgresStore.secrets(store, stream))

    async def follow(self, shard: int, after: int, limit: int) -> list[Recorded]:
        """Return the lines of a shard after a position."""
        return await self._in(shard, lambda store: PostgresStore.follow(store, shard, after, limit))

    async def archive_next(self, shard: int, after: str, before: int) -> ArchiveStep:
        """Move one finished match to the archive of its own primary."""
        return await self._in(shard, lambda store: PostgresStore.archive_next(store, shard, after, before))

    async def streams_live(self) -> list[str]:
        """Return the streams that have dealt and not ended."""
        return await self._all(PostgresStore.streams_live)

    async def streams_open(self, kind: str) -> list[str]:
        """Return the streams of a kind that have begun and not ended."""
        return await self._all(lambda store: PostgresStore.streams_open(store, kind))

    async def token(self, digest: bytes) -> StoredToken | None:
        """Return whom a token was given to; whichever primary knows it says so, though others are away."""
        asked = (PostgresStore.token(store, digest) for store in self.stores.values())
        told = await asyncio.gather(*asked, return_exceptions=True)
        found = next((one for one in told if isinstance(one, StoredToken)), None)
        trouble = next((one for one in told if isinstance(one, BaseException)), None)
        if found is None and trouble is not None:
            raise trouble
        return found

    async def cursor(self, name: str, shard: int) -> int:
        """Return how far a projection has come; rows are at home, and so is how far they have come."""
        if name != LIVE:
            return await super().cursor(name, shard)
        return await self._in(shard, lambda store: PostgresStore.cursor(store, name, shard))

    async def save_projection(self, name: str, shard: int, position: int, rows: Sequence[ProjectionRow]) -> None:
        """Store newer rows and the cursor."""
        await PostgresStore.save_projection(self._at(shard) if name == LIVE else self, name, shard, position, rows)

    async def log_live(self, shard: int, after: int) -> int:
        """Let an anchor wait for the last line of each stream of a shard that moved."""
        return await self._in(shard, lambda store: PostgresStore.log_live(store, shard, after))

    async def _all(self, call: Callable[[PostgresStore], Awaitable[list[str]]]) -> list[str]:
        """Return what all primaries say together, in order.

        Raises:
            Away: One of the others does not answer; with what those say who do.
            Unavailable: The home does not answer.
        """
        told = await asyncio.gather(*map(call, self.stores.values()), return_exceptions=True)
        found = sorted({one for each in told if not isinstance(each, BaseException) for one in each})
        for store, each in zip(self.stores.values(), told, strict=True):
            if isinstance(each, BaseException):
                raise Away(str(each), found) if store is not self and isinstance(each, Unavailable) else each
        return found

    @property
    def lendings(self) -> Sequence[Lending]:
        """The connections, of each database."""
        return [store.lending for store in self.stores.values()]

    @property
    def pending(self) -> int:
        """How many commands wait for their commit, wherever it is."""
        others = sum(other.pending for other in self.others.values())
        return super().pending + others + self._spans.pending

    # ---- whether all is well --------------------------------------------------------------------

    async def refusal(self) -> str | None:
        """Return which primary is away, or why a shard's last write was refused; None if all is well."""
        for name, other in self.others.items():
            try:
                await other.check()
            except Unavailable:
                return f"the primary {name} does not answer: tables whose shards live there stand still"
            found = await other.check_writes() or await other.refusal()
            if found is not None:
                return f"{name}: {found}"
        return await super().refusal()

    async def close(self) -> None:
        """Finish what is in flight, within a time, and let go of all databases."""
        await self._spans.drain()
        for work in self._works:
            work.cancel()
        await asyncio.wait(self._works)
        await asyncio.gather(super().close(), *(other.close() for other in self.others.values()))
