"""A house with a little of everything, whose log witnesses have seen; and hands that change what nobody may."""

from __future__ import annotations

import hashlib
from pathlib import Path
from uuid import UUID

import asyncpg
from msgspec import json

from infra.posting import PostReply
from infra.store import Access, Appended, shard_of
from infra.store.backups.snapshot import Snapshot, snapshot_of
from infra.store.postgres import PostgresStore, open_store
from services.cli.operating.backups.verifying import DatabaseFindings, verify
from tests.notary.jury import Jury
from tests.store.lines import append, chain, line, stream

LATER = 10
"""Later than any line of these matches says it was written."""
SERVED = f"access/{UUID(int=1)}"
LINES, STREAMS = 8, 2
"""What the house has."""


class Showing(Jury):
    """Witnesses that hand out what they have signed last.

    Attributes:
        shy: Those who do not, like some of others.
    """

    def __init__(self, folder: Path, *names: str) -> None:
        self.shy: set[str] = set()
        self.handed_out: dict[str, PostReply] = {}
        super().__init__(folder, *names)

    async def get(self, url: str) -> PostReply:
        name, origin_hash, _ = url.removeprefix("http://").split("/")
        if name in self.silent:
            return await self.post(f"http://{name}/add-checkpoint", b"")
        if name in self.handed_out:
            return self.handed_out[name]
        note = None if name in self.shy else self.real(name).checkpoint(origin_hash)
        return PostReply(404, b"no\n") if note is None else PostReply(200, note.encode())


async def furnish(database: str, jury: Jury) -> None:
    """Let there be a match that is played, one in the archive, who saw what, and all of it in the log."""
    store = await open_store(database, "truecup_dealer")
    played, over = chain(stream(1), 3), chain(stream(2), 4)
    over.append(line(stream(2), 4, head(over[-1]), "match.ended"))
    await _store(store, stream(1), played, (2, head(played[2]), "sealed"))
    await _store(store, stream(2), over, (4, head(over[4]), "final"))
    served = chain(SERVED, 1)
    served.append(line(SERVED, 1, head(served[0]), "access.closed"))
    assert await store.append_access(stream(1), Access(SERVED, 0, tuple(served)))
    await jury.notary(store).work()
    assert (await store.archive_next(shard_of(stream(2)), "", LATER)).moved
    await store.close()


async def go_on(database: str, jury: Jury, number: int) -> None:
    """Let one more stream begin, whose first line the witnesses see."""
    store = await open_store(database, "truecup_dealer")
    (first,) = chain(stream(number), 1)
    await store.append(append(stream(number), [first], anchors=((0, head(first), "sealed"),)))
    await jury.notary(store).work()
    await store.close()


async def _store(store: PostgresStore, name: str, lines: list[bytes], anchor: tuple[int, str, str]) -> None:
    answer = json.encode({"match": name, "version": len(lines), "head": head(lines[-1])})
    given = append(
        name, lines, answer=answer, anchors=(anchor,), secrets=(("deal/0", b"wrapped"),), people=(("p1", "Zoë\t\\N\n"),)
    )
    assert isinstance(await store.append(given), Appended)


def head(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


async def found_after(database: str, change: str) -> DatabaseFindings:
    """Return what is found after a change that no role of ours may make, and take it back again."""
    connection = await asyncpg.connect(database)
    await connection.execute("begin")
    try:
        await connection.execute("set session_replication_role = replica")
        await connection.execute(change)
        return await verify(Snapshot(connection), lambda _seen, _of: None)
    finally:
        await connection.execute("rollback")
        await connection.close()


async def found_in(database: str) -> DatabaseFindings:
    async with snapshot_of(database) as snapshot:
        return await verify(snapshot, lambda _seen, _of: None)
