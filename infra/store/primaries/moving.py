"""Moves of shards from one primary to another, under load.

The law of the file: a shard is open at one primary or at none. Its source is closed before its target is opened, both
by their own rows, under the lock that orders appends.

Copying disturbs nobody. Then the row of the shard at the source is held, so that appends wait; the rest is copied and
proved; the source closes, the home says where the shard is, and the target opens. Whoever dies before the source has
closed lets go of the row, and the shard goes on where it was. Behind that the move is decided: whoever begins it again
finishes it, and whoever moves the shard to where it was takes it back. No append is lost or stored twice: one that
waited is refused at the source, and goes to the target.

A closed shard does not say for which primary. The target does: it is ready for one epoch, with all that its source has,
and one that is not gets everything once more. Whoever moves a shard on raises the epoch, so that nobody opens it behind
his back who was overtaken.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from math import inf
from typing import Any, Final, Literal

import asyncpg
from msgspec import Struct

from infra.clock import ticks_s
from infra.config import HOME
from infra.store import SHARDS
from infra.store.logins import connect
from infra.store.primaries.copying import REACHED, NotTheSame, ShardCopy
from infra.store.primaries.naming import check_self
from infra.store.primaries.places import HEAR_S, SELF, WrongPrimary
from infra.store.transparency.log_tables import ENTERED

LOCK: Final = 0x7472_7565_6375_71
"""The advisory lock of whoever moves a shard: one at a time in a house. (`truecup` in ASCII, and one more.)"""
HOLD_S: Final = 1.2
"""How long appends wait at most for what is left to be copied; if that is not enough they go on, and it is tried again.
With the wait for all programs to hear it, a shard stands still for less than two seconds."""
HEARD_S: Final = 4 * HEAR_S
"""How long the target stays closed behind the moment at which the home says that the shard is there."""
LOG: Final = "the log"
"""A second connection to the home, which holds the log while a shard is held: what is copied to the home is stored on
the first before the source closes, whatever becomes of the second."""
LOCK_MS: Final = 1_000
"""How long a move waits for a lock: whoever wants one of those behind it waits as long."""
GONE_MS: Final = 5_000
"""How long a move waits for another one: the database may not yet know that whoever moved has died."""
TRIES: Final = 20
SHORT_S: Final = HOLD_S / 4
"""How long a round of copying may take that is done once more while appends wait."""
SHORTER: Final = 0.8
"""A round that takes more of the time of the one before will not get short: as much is written meanwhile."""

JOURNALED: Final = ("command", "vault.secret", "access_line", "token")
PLACE: Final = "select lives_at, epoch from shard_place where shard = $1"
IS_OPEN: Final = "select closed_at is null from shard where shard = $1"
HAS_LEFT: Final = "select closed_at is not null and epoch = $2 from shard where shard = $1"
FENCE: Final = "update shard set epoch = greatest(epoch, $2) where shard = $1"
HOLD: Final = "select position from shard where shard = $1 for update"
HOLD_LOG: Final = "select size from log_state for no key update"
CLOSE: Final = "update shard set closed_at = position where shard = $1"
FLIP: Final = "update shard_place set lives_at = $2, epoch = $3 where shard = $1 and epoch = $3 - 1"
OPEN: Final = "update shard set closed_at = null, epoch = $2 where shard = $1 and epoch < $2"
OUTBOX: Final = "select * from log_outbox where shard = $1"
CLEAR_OUTBOX: Final = "delete from log_outbox where shard = $1"
ADD_OUTBOX: Final = "insert into log_outbox select * from unnest($1::log_outbox[])"
LIVE: Final = "select position from projection_cursor where name = 'live' and shard = $1"
READY: Final = (
    "insert into projection_cursor (name, shard, position) values ('ready', $1, $2)"
    " on conflict (name, shard) do update set position = excluded.position"
)
IS_READY: Final = "select exists (select from projection_cursor where name = 'ready' and shard = $1 and position = $2)"
NOT_READY: Final = "delete from projection_cursor where name = 'ready' and shard = $1"
ADD_LIVE: Final = (
    "insert into projection_cursor (name, shard, position) values ('live', $1, $2)"
    " on conflict (name, shard) do update set position = excluded.position"
)

Step = Literal["noting", "copying", "copied", "proved", "holding", "ready", "closed", "told", "open", "tidied"]
Tell = Callable[[Step], None]


class CannotMove(Exception):  # noqa: N818 - named for what happened
    """A shard cannot be moved so; it goes on where it is."""


class ShardMoved(Struct, frozen=True):
    """What became of a move.

    Attributes:
        from_: Where the shard was; None if it was there already.
        lines: How many lines it has.
        held_ms: For how long nothing was appended to it, in milliseconds.
        tries: How often it was held.
    """

    from_: str | None
    lines: int
    held_ms: int = 0
    tries: int = 0


class ShardMove:
    """A shard on its way to another primary."""

    def __init__(self, shard: int, connections: Mapping[str, Any], target: str, tell: Tell) -> None:
        """Move it over these connections to the primaries, by their names, and say when each step is done."""
        self._shard = shard
        self._connections = connections
        self._home = connections[HOME]
        self._log = connections[LOG]
        self._name = target
        self._target = connections[target]
        self._tell = tell
        self._epoch = 0

    async def run(self) -> ShardMoved:
        """Move the shard, or finish what somebody began to move there.

        Raises:
            CannotMove: It is written to so much that it is never held for short enough.
            NotTheSame: What was copied is not what is there.
        """
        name, self._epoch = await self._home.fetchrow(PLACE, self._shard)
        if name == self._name:
            if await self._target.fetchval(HAS_LEFT, self._shard, self._epoch):
                await self._place()
            await self._open()
            await self._tidy()
            return ShardMoved(None, await self._target.fetchval(REACHED, self._shard))
        source, began, tries = self._connections[name], ticks_s(), 0
        is_open = await source.fetchval(IS_OPEN, self._shard)
        if not is_open:
            # Somebody has closed it, or not opened it yet, and died, or sleeps.
            await source.execute(FENCE, self._shard, self._epoch)
        if is_open or not await self._target.fetchval(IS_READY, self._shard, self._epoch):
            began, tries = await self._take(source, await self._copy(source))
        if await self._target.fetchval(REACHED, self._shard) != await source.fetchval(REACHED, self._shard):
            raise NotTheSame(f"shard {self._shard} was closed before all of it was at {self._name}")
        # A crash from here on leaves a shard that is open nowhere, until somebody begins again.
        await self._place()
        self._tell("told")
        await asyncio.sleep(HEARD_S)
        await self._open()
        held_s = ticks_s() - began
        await self._tidy()
        return ShardMoved(name, await self._target.fetchval(REACHED, self._shard), round(held_s * 1_000), tries)

    async def _place(self) -> None:
        """Let the home say that the shard is at the target."""
        self._epoch += 1
        if await self._home.execute(FLIP, self._shard, self._name, self._epoch) != "UPDATE 1":
            raise CannotMove("somebody else has moved it meanwhile")

    async def _open(self) -> None:
        await self._target.execute(OPEN, self._shard, self._epoch)
        if not await self._target.fetchval(IS_OPEN, self._shard):
            raise CannotMove("somebody else has moved it meanwhile")
        self._tell("open")

    async def _tidy(self) -> None:
        """Leave nothing that only a move needs; what was copied stays where it was, closed."""
        for name in self._connections.keys() - {LOG}:
            await forget_changes(self._connections[name])
            await self._connections[name].execute(NOT_READY, self._shard)
            if name != self._name:
                await self._connections[name].execute(CLEAR_OUTBOX, self._shard)
        self._tell("tidied")

    async def _copy(self, source: Any) -> ShardCopy:  # noqa: ANN401 - a connection
        """Copy the shard until little is left, and prove what was copied."""
        if await self._target.fetchval(IS_OPEN, self._shard):
            raise WrongPrimary(f"shard {self._shard} is open at two primaries: stop all programs")
        for name in self._connections.keys() - {LOG}:
            await self._connections[name].execute(NOT_READY, self._shard)
        await note_changes(source, self._shard)
        self._tell("noting")
        copy = ShardCopy(self._shard, self._home, source, self._target)
        await copy.copy_all()
        self._tell("copying")
        await self._catch_up(copy)
        self._tell("copied")
        await copy.prove_counts()
        await copy.prove_lines()
        self._tell("proved")
        return copy

    async def _catch_up(self, copy: ShardCopy) -> None:
        """Copy what has come since, until a round is short, or gets no shorter: then appends have to wait for more."""
        took_s = inf
        while True:
            before_s, began = took_s, ticks_s()
            await copy.catch_up()
            took_s = ticks_s() - began
            if took_s <= SHORT_S or took_s > SHORTER * before_s:
                return

    async def _take(self, source: Any, copy: ShardCopy) -> tuple[float, int]:  # noqa: ANN401 - a connection
        """Hold the shard, copy the rest, and close it; return when it was held, and at which try."""
        for tries in range(1, TRIES + 1):
            try:
                began = await self._take_once(source, copy)
            except (TimeoutError, asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
                # Whoever waited goes on at the source.
                await self._catch_up(copy)
                await copy.prove_lines()
            else:
                self._tell("closed")
                return began, tries
        raise CannotMove(f"the shard could not be held for {HOLD_S} s that were enough, {TRIES} times")

    async def _take_once(self, source: Any, copy: ShardCopy) -> float:  # noqa: ANN401 - a connection
        async with self._log.transaction(), source.transaction():
            # In one order everywhere: the log first, which nobody holds who wants a shard.
            for one in (self._log,) if source is self._home else (self._log, source):
                await one.execute(f"set local lock_timeout = {LOCK_MS}")
                await one.execute(HOLD_LOG)
            await source.execute(f"set local lock_timeout = {LOCK_MS}")
            await source.execute(HOLD, self._shard)
            began = ticks_s()
            self._tell("holding")
            async with asyncio.timeout(HOLD_S):
                await self._copy_rest(source, copy)
            self._tell("ready")
            await source.execute(CLOSE, self._shard)
        return began

    async def _copy_rest(self, source: Any, copy: ShardCopy) -> None:  # noqa: ANN401 - a connection
        """Copy what is left, with what waits for the log, while nothing changes; prove all of it, and say so there."""
        while await copy.catch_up():
            pass
        waiting, live = await source.fetch(OUTBOX, self._shard), await source.fetchval(LIVE, self._shard)
        entered = await self._entered(waiting)
        async with self._target.transaction():
            await self._target.execute(CLEAR_OUTBOX, self._shard)
            left = [tuple(row) for row in waiting if (row["stream"], row["seq"], row["kind"]) not in entered]
            if left:
                await self._target.execute(ADD_OUTBOX, left)
            await self._target.execute(ADD_LIVE, self._shard, live or 0)
        await copy.prove_lines()
        await copy.prove_heads()
        await self._target.execute(READY, self._shard, self._epoch)

    async def _entered(self, waiting: list[Any]) -> set[tuple[str, int, str]]:
        """Return which of these anchors the log has by now: they wait no longer."""
        found = await self._home.fetch(ENTERED, *([row[one] for row in waiting] for one in ("stream", "seq", "kind")))
        return {(row["stream"], row["seq"], row["kind"]) for row in found}


async def note_changes(source: Any, shard: int) -> None:  # noqa: ANN401 - a connection
    """Let whatever changes beside the lines of a shard be noted from now on."""
    await forget_changes(source)
    async with source.transaction():
        await source.execute(f"set local lock_timeout = {LOCK_MS}")
        for table in JOURNALED:
            chosen = f"when (new.shard = {shard}) " if table == "command" else ""
            await source.execute(
                f"create trigger shard_changes after insert or update on {table}"
                f" for each row {chosen}execute function shard_changes()"
            )


async def forget_changes(source: Any) -> None:  # noqa: ANN401 - a connection
    """Note no changes any more, and forget those that were."""
    async with source.transaction():
        await source.execute(f"set local lock_timeout = {LOCK_MS}")
        for table in JOURNALED:
            await source.execute(f"drop trigger if exists shard_changes on {table}")
        await source.execute("delete from shard_change")


async def _forget_all(connections: Mapping[str, Any]) -> None:
    for name in connections.keys() - {LOG}:
        await forget_changes(connections[name])


async def _be_alone(home: Any) -> None:  # noqa: ANN401 - a connection
    """Take the lock of whoever moves a shard, for as long as the connection lasts."""
    try:
        async with home.transaction():
            await home.execute(f"set local lock_timeout = {GONE_MS}")
            await home.execute("select pg_advisory_lock($1)", LOCK)
    except asyncpg.LockNotAvailableError as held:
        raise CannotMove("a shard is being moved already, or secrets are wrapped anew") from held


@asynccontextmanager
async def nothing_moves(home: str) -> AsyncIterator[None]:
    """Let nobody begin to move a shard for so long.

    Raises:
        CannotMove: Somebody moves one.
    """
    connection = await connect(home, {"application_name": "truecup"})
    try:
        await _be_alone(connection)
        yield
    finally:
        connection.terminate()


@asynccontextmanager
async def owners(home: str, others: Mapping[str, str]) -> AsyncIterator[dict[str, Any]]:
    """Give a connection to each primary, as whoever owns its tables; nobody else moves a shard meanwhile.

    Raises:
        CannotMove: Somebody else moves one.
        WrongPrimary: A database is not the primary it is called.
    """
    found: dict[str, Any] = {}
    try:
        for name, address in {HOME: home, LOG: home, **others}.items():
            found[name] = await connect(address, {"application_name": "truecup move-shard"})
        await _be_alone(found[HOME])
        known = {name: await each.fetchrow(SELF) for name, each in found.items() if name != LOG}
        for name, told in known.items():
            check_self(told, name, "" if known[HOME] is None else known[HOME]["house"])
        yield found
    finally:
        for each in found.values():
            each.terminate()


async def move_shard(home: str, others: Mapping[str, str], shard: int, target: str, tell: Tell) -> ShardMoved:
    """Move a shard to a primary while it is written to, or finish a move that somebody has begun.

    Args:
        home: The address of the home.
        others: Those of the other primaries, by their names.
        shard: Which shard.
        target: The name of the primary it is to live at.
        tell: Told of each step when it is done.

    Raises:
        CannotMove: There is no such shard or primary, or somebody else moves one, or it is never still for long enough.
        WrongPrimary: A database is not the primary it is called.
        NotTheSame: What was copied is not what is there: nothing has moved.
        OSError: A primary does not answer.
        asyncpg.PostgresError: A database refuses.
    """
    if not 0 <= shard < SHARDS or target not in {HOME, *others}:
        raise CannotMove(f"shards are 0 to {SHARDS - 1}, and primaries {', '.join((HOME, *others))}")
    async with owners(home, others) as connections:
        try:
            return await ShardMove(shard, connections, target, tell).run()
        except NotTheSame:
            await _forget_all(connections)
            raise


async def abort_move(home: str, others: Mapping[str, str], shard: int) -> bool:
    """Let a shard stay where it is that somebody has begun to move; False if it has left by now.

    What was copied stays where it is, closed, and is of use if the shard is moved there later.

    Raises:
        CannotMove: Somebody is moving one just now.
        WrongPrimary: A database is not the primary it is called.
    """
    async with owners(home, others) as connections:
        await _forget_all(connections)
        name, _ = await connections[HOME].fetchrow(PLACE, shard)
        return bool(await connections[name].fetchval(IS_OPEN, shard))
