"""Writers that do not stop while a shard moves, and what they were told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

from infra.entropy import draw
from infra.store import Access, Append, Appended, EventStore, Outcome, Repeated, Unavailable, shard_of
from tests.store.lines import append, chain, stream

SHARD = 2
NAMES = (name for number in count(1) if shard_of(name := stream(number)) == SHARD)


def access_of(name: str) -> str:
    return name.replace("match/", "access/")


def begin(name: str) -> Append:
    """Return a command with everything that one may have."""
    seen = tuple(chain(access_of(name), 1))
    return append(
        name,
        chain(name, 2),
        answer=name.encode(),
        secrets=(("deal/0", b"k"),),
        people=((f"p{name}", "Ana"),),
        tokens=((draw(32), "host", None),),
        anchors=((1, "a", "sealed"),),
        access=Access(access_of(name), 0, seen),
    )


class Writer:
    """One table: what it has stored, each with what it was told."""

    def __init__(self, store: EventStore, name: str) -> None:
        self._store = store
        self.name = name
        self.commands: list[Append] = []
        self.lines: list[bytes] = []

    async def run(self, over: asyncio.Event) -> None:
        """Write until it is over; what is not taken is repeated, as clients do."""
        await self._store_one(begin(self.name))
        while not over.is_set():
            one = append(self.name, chain(self.name, 1, self.lines), len(self.lines), answer=b"%d" % len(self.lines))
            await self._store_one(one)

    async def _store_one(self, one: Append) -> None:
        found: Outcome | None = None
        while found is None:
            try:
                found = await self._store.append(one)
            except Unavailable:
                await asyncio.sleep(0.05)
        assert found == Repeated(one.answer) or isinstance(found, Appended), found
        self.commands.append(one)
        self.lines += one.lines


@asynccontextmanager
async def writing(*stores: EventStore, tables: int = 4) -> AsyncIterator[list[Writer]]:
    """Let so many tables be written to through each of these stores, and nothing stand in doubt in the end."""
    over = asyncio.Event()
    writers = [Writer(store, next(NAMES)) for store in stores for _ in range(tables)]
    running = [asyncio.create_task(writer.run(over)) for writer in writers]
    try:
        await _go_on(writers, running, 2)
        yield writers
        await _go_on(writers, running, 1)
    except BaseException:
        # A shard that is open nowhere takes nothing any more, and they would try for ever.
        for one in running:
            one.cancel()
        raise
    finally:
        over.set()
        await asyncio.gather(*running, return_exceptions=True)
    for one in running:
        one.result()


async def _go_on(writers: list[Writer], running: list[asyncio.Task[None]], more: int) -> None:
    """Wait until each has stored so many more commands; one that has ended has met something that no client may."""
    wanted = {writer.name: len(writer.commands) + more for writer in writers}
    while any(len(writer.commands) < wanted[writer.name] for writer in writers):
        await asyncio.sleep(0.01)
        for one in running:
            if one.done():
                one.result()


async def check(store: EventStore, writers: list[Writer]) -> None:
    """See that everything stands once, in order, and is answered as it was."""
    followed = await store.follow(SHARD, 0, 1_000_000)
    assert [one.position for one in followed] == list(range(1, len(followed) + 1))
    assert (await store.positions())[SHARD] == len(followed)
    for writer in writers:
        assert await store.read(writer.name) == writer.lines
        assert [one.line for one in followed if one.stream == writer.name] == writer.lines
        first, *others = writer.commands
        for one in (first, *others[-3:]):
            assert await store.append(one) == Repeated(one.answer)
        assert await store.secrets(writer.name) == {"deal/0": b"k"}
        assert await store.read_access(access_of(writer.name)) == chain(access_of(writer.name), 1)
        assert await store.token(first.tokens[0][0]) is not None
    assert set(await store.streams_live()) >= {writer.name for writer in writers}
