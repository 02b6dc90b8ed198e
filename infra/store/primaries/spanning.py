"""Sets whose streams are at several primaries, stored all or none.

Each primary but the last prepares its part (PREPARE TRANSACTION), and the commit of the last decides: with its part it
writes that the set is kept. Primaries are taken in one order everywhere, the home last, so that two sets wait for each
other and not both.

A crash before that commit leaves prepared parts, and one behind it as well. Both hold their shards until somebody ends
them: any dealer does who finds one that is old enough, as the decision says. Where there is none yet it writes that
there is none, and the set that is behind it is never stored.

Source: two-phase commit with presumed abort, the last agent being the coordinator (Gray, Reuter, "Transaction
Processing", 1993, section 10.4 and 10.5).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import asyncpg
import structlog

from infra.entropy import draw
from infra.store import Append, Appended, Conflict, Outcome, Unavailable, batches, shard_of
from infra.store.postgres import PostgresStore
from infra.store.sets.commit import SEND_S
from infra.store.writer import TROUBLE

OLD_S: Final = 5.0
"""The age from which on a prepared part is ended by whoever finds it; a set takes some hundred milliseconds."""
LOOK_S: Final = 2.0
"""How often a dealer looks for one."""
KEEP: Final = "insert into set_decision (gid, kept) values ($1, true)"
GIVE_UP: Final = "insert into set_decision (gid, kept) values ($1, false) on conflict do nothing"
DECIDED: Final = "select kept from set_decision where gid = $1"
DOUBTS: Final = (
    "select gid from pg_prepared_xacts where database = current_database() and gid like 'truecup/%'"
    # Any login may prepare something under any name, and only its owner may end it.
    " and owner = current_user and prepared < now() - make_interval(secs => $1)"
)
STATEMENTS: Final = (KEEP, GIVE_UP, DECIDED, DOUBTS)

Parts = list[tuple[int, list[Append]]]
"""The commands of each shard of one primary, in the order of the shards."""
Stored = list[list[Outcome]]
"""What came of them, in the same order."""
log = structlog.get_logger(__name__)


class Spanning:
    """Stores sets over several primaries."""

    def __init__(self, stores: Mapping[str, PostgresStore]) -> None:
        """Store at these primaries, in their order: the home is the last."""
        self._stores = stores

    async def send(self, appends: Sequence[Append], parts: Mapping[str, Sequence[Append]]) -> list[Outcome]:
        """Store the commands of each primary, all of them or none, and return what came of each, in their order."""
        *first, last = [name for name in self._stores if name in parts]
        gid = f"truecup/{last}/{draw(16).hex()}"
        of = {name: _by_shard(each) for name, each in parts.items()}
        found: dict[str, Stored] = {}
        is_kept = False
        try:
            for name in first:
                found[name] = await _store(self._stores[name], of[name], f"prepare transaction '{gid}/{name}'")
            stands = all(_are_appended(each) for each in found.values())
            # A crash from here on is looked up in the decision.
            found[last] = await _store(self._stores[last], of[last], "commit" if stands else "rollback", gid)
            is_kept = stands and _are_appended(found[last])
        except BaseException:
            with suppress(Unavailable, asyncpg.PostgresError):
                await self._end(gid, first, is_kept=await self._decided(gid))
            raise
        await self._end(gid, [name for name in first if _are_appended(found[name])], is_kept=is_kept)
        return self._told(appends, of, found, is_kept=is_kept)

    def _told(
        self, appends: Sequence[Append], of: Mapping[str, Parts], found: Mapping[str, Stored], *, is_kept: bool
    ) -> list[Outcome]:
        outcomes: dict[str, Outcome] = {}
        for name, parts in of.items():
            for (shard, batch), told in zip(parts, found[name], strict=True):
                said = told if is_kept else [_taken_back(*each) for each in zip(batch, told, strict=True)]
                self._stores[name].tell(shard, batch, said)
                outcomes |= {one.stream: outcome for one, outcome in zip(batch, said, strict=True)}
        return [outcomes[one.stream] for one in appends]

    async def _decided(self, gid: str) -> bool:
        """Return whether a set is kept; if nobody has decided yet, it is not, from now on."""
        coordinator = self._stores[gid.split("/")[1]]
        await coordinator.ask(GIVE_UP, gid)
        return bool((await coordinator.ask(DECIDED, gid))[0]["kept"])

    async def _end(self, gid: str, names: Iterable[str], *, is_kept: bool) -> None:
        """End what these primaries have prepared of a set. What cannot be ended now is ended by whoever finds it."""
        word = "commit" if is_kept else "rollback"
        for name in names:
            with suppress(Unavailable, asyncpg.UndefinedObjectError, *TROUBLE):
                async with self._stores[name].lending.lend(SEND_S) as connection:
                    await connection.execute(f"{word} prepared '{gid}/{name}'")

    async def run(self) -> None:
        """End what others have left, again and again, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            # What cannot be looked up now is looked up again.
            with suppress(Unavailable, asyncpg.PostgresError):
                await self.end_doubts(OLD_S)

    async def end_doubts(self, old_s: float) -> int:
        """End prepared parts that are at least so old, and return how many sets they are of."""
        found: dict[str, list[str]] = {}
        for name, store in self._stores.items():
            # What one that is away has prepared is ended when it is there again.
            with suppress(Unavailable):
                for row in await store.ask(DOUBTS, old_s):
                    found.setdefault(row["gid"].rpartition("/")[0], []).append(name)
        for gid, names in found.items():
            if gid.split("/")[1] not in self._stores:
                log.error("store.cannot_end_a_set", decided_at=gid.split("/")[1])
                continue
            is_kept = await self._decided(gid)
            log.warning("store.ends_a_set", kept=is_kept)
            await self._end(gid, names, is_kept=is_kept)
        return len(found)


def _by_shard(appends: Sequence[Append]) -> Parts:
    parts: dict[int, list[Append]] = {}
    for one in appends:
        parts.setdefault(shard_of(one.stream), []).append(one)
    return sorted(parts.items())


async def _store(store: PostgresStore, parts: Parts, end: str, decides: str | None = None) -> Stored:
    """Store the commands of a primary and end its transaction so; what something stands against is rolled back."""
    async with store.lending.lend(SEND_S) as connection:
        try:
            # Not the library's transaction: that has no name for what is prepared.
            await connection.execute("begin")
            found = [await batches.store_any(connection, shard, batch) for shard, batch in parts]
            if not _are_appended(found):
                await connection.execute("rollback")
                return found
            if decides is not None and end == "commit":
                await connection.execute(KEEP, decides)
            await connection.execute(end)
        except BaseException:
            await _leave(connection)
            raise
    return found


async def _leave(connection: Any) -> None:  # noqa: ANN401 - the library's connection
    """Leave a transaction with its connection: it is given up as a whole."""
    connection.terminate()
    await asyncio.sleep(0)


def _are_appended(found: Stored) -> bool:
    return all(isinstance(outcome, Appended) for part in found for outcome in part)


def _taken_back(append: Append, outcome: Outcome) -> Outcome:
    return Conflict(append.expected) if isinstance(outcome, Appended) else outcome
