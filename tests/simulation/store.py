"""The store as one life of a node reaches it: the double that passes the contract of Postgres, behind a network.

What is committed is never lost, and of what a node is told nothing is certain: a call may be refused, done and said not
to be, or done later than it is said not to be.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import accumulate
from typing import Any, Final
from uuid import UUID

from msgspec.structs import replace

from infra.store import Append, CommitHeard, Outcome, PendingAnchor, ProjectionRow, Recorded, shard_of
from infra.store.hooks import StoredHook
from infra.store.memory import MemoryStore
from infra.store.turns import TURN_S
from tests.simulation.link import Link, Weather
from tests.simulation.world import Life

READS: Final = (
    *("read", "read_access", "answer", "follow", "positions", "secrets", "names", "salts", "erasures", "token"),
    *("card", "streams_live", "streams_open", "own_seeds", "screening", "bot_turns", "is_player", "player_of"),
    *("entries", "notes", "cursor", "projection", "last_words", "check", "words", "writers", "hooks", "retries"),
    *("log_pending", "log_size", "log_entries", "log_hashes", "log_covered", "log_checkpoint", "log_policy_of"),
    "log_policies",
)
"""What changes nothing, so that it is not done late."""


class SharedStore(MemoryStore):
    """What all nodes share: the database itself.

    Attributes:
        appended: Every command that was stored, in the order of commits.
        at_s: When each was, by the clock of the world.
        asked_s: When each was first asked for, by its lines: it may have waited for another that nobody answered.
    """

    def __init__(self, time: Callable[[], float], hold: Callable[[bool, str], None]) -> None:
        super().__init__()
        self.at_s: list[float] = []
        self.asked_s: dict[tuple[bytes, ...], float] = {}
        self._time, self._hold = time, hold
        self.appended: list[Append] = []
        self._ends: defaultdict[int, list[int]] = defaultdict(list)

    def streams(self) -> dict[str, list[bytes]]:
        """Return every stream of the log."""
        return self._streams

    def end_before(self, shard: int, lacks: int, after: int) -> int:
        """Return how far a shard had come before so many commands were stored last.

        Whoever has read some lines of a command, up to `after`, finds the others: they were stored with them.
        """
        ends = list(accumulate(self._ends[shard]))
        begun = next((end for end in ends if end >= after), after)
        return max(begun, ends[-lacks - 1] if len(ends) > lacks else 0)

    def note_asked(self, appends: Sequence[Append]) -> None:
        """Note that these are asked for now, if they were not before."""
        for append in appends:
            self.asked_s.setdefault(append.lines, self._time())

    def token_rows(self) -> list[bytes]:
        """Return what is stored of tokens, instead of them."""
        return list(self._tokens)

    def waiting(self) -> int:
        """Return how many anchors wait for the transparency log."""
        return len(self._outbox)

    def anchors(self) -> list[PendingAnchor]:
        """Return the anchors of the transparency log, in order."""
        return [replace(anchor, board=None) for anchor, _ in self._entries]

    def notes_published(self) -> list[str]:
        """Return every checkpoint."""
        return list(self._checkpoints.values())

    def hooks_on(self) -> int:
        """Return how many hooks are told of what is yet to come, or to come again."""
        return sum(hook.state == "on" for hook in self._hooks.values())

    def hook(self, hook: UUID) -> StoredHook:
        """Return a hook as it is kept."""
        return self._hooks[hook]

    def retries_of(self, hook: UUID) -> set[int]:
        """Return which lines wait to be told to a hook again."""
        return set(self._retries[hook])

    def rows(self, name: str) -> dict[str, ProjectionRow]:
        """Return the rows of a projection, by their keys."""
        return self._rows.get(name, {})

    def shelf(self, name: str, shelf: str) -> dict[str, ProjectionRow]:
        """Return those of one shelf."""
        return {key: row for key, row in self.rows(name).items() if row.shelf == shelf}

    def without_rows(self) -> SharedStore:
        """Return a store with the same log and nothing that was made of it."""
        anew = SharedStore(self._time, self._hold)
        anew.__dict__.update(self.__dict__, _rows={}, _cursors={})
        return anew

    async def save_projection(self, name: str, shard: int, position: int, rows: Sequence[ProjectionRow]) -> None:
        there = self._rows.get(name, {})
        before = {row.key: there[row.key].version for row in rows if row.key in there}
        await super().save_projection(name, shard, position, rows)
        for key, version in before.items():
            self._hold(self._rows[name][key].version >= version, f"a row of {name} has become older")

    def _append(self, append: Append) -> Outcome:
        known = (append.stream, append.command) in self._commands
        outcome = super()._append(append)
        if not known and (append.stream, append.command) in self._commands:
            self.appended.append(append)
            self.at_s.append(self._time())
            self._ends[shard_of(append.stream)].append(len(append.lines))
        return outcome


class NodeStore:
    """The store of one life."""

    def __init__(self, weather: Weather, life: Life, shared: SharedStore) -> None:
        self.on_commit: CommitHeard | None = None
        self._weather = weather
        self._shared = shared
        self._link = Link(weather, life, "store")
        self._lanes: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        method = getattr(self._shared, name)
        called = partial(self._call, name, method)
        setattr(self, name, called)
        return called

    def _call(self, name: str, method: Callable[..., Any], *given: Any, **named: Any) -> Coroutine[Any, Any, Any]:
        return self._link.call(name, lambda: done_now(method(*given, **named)), writes=name not in READS)

    async def append(self, append: Append) -> Outcome:
        (outcome,) = await self._written("append", [append], lambda: [done_now(self._shared.append(append))])
        return outcome

    async def append_chain(self, chain: Sequence[Append]) -> list[Outcome]:
        return await self._written("append_chain", chain, lambda: done_now(self._shared.append_chain(chain)))

    async def append_all(self, appends: Sequence[Append]) -> list[Outcome]:
        return await self._written("append_all", appends, lambda: done_now(self._shared.append_all(appends)))

    async def _written(self, name: str, appends: Sequence[Append], work: Callable[[], Any]) -> list[Outcome]:
        """Have commands stored, those of one shard one after the other, and tell this life of what it has stored."""
        told: list[tuple[int, Sequence[Recorded]]] = []

        def stored() -> list[Outcome]:
            self._shared.on_commit = lambda shard, lines: told.append((shard, lines))
            try:
                return list(work())
            finally:
                self._shared.on_commit = None

        self._shared.note_asked(appends)
        async with self._lanes[shard_of(appends[0].stream)]:
            outcomes: list[Outcome] = await self._link.call(f"{name} {appends[0].stream[:14]}", stored, writes=True)
        if self.on_commit is not None:
            for shard, lines in told:
                self.on_commit(shard, lines)
        return outcomes

    async def follow(self, shard: int, after: int, limit: int) -> list[Recorded]:
        """Return the lines of a shard after a position; a tail that is cut lacks some commands stored last."""
        lacks = self._weather.world.chance.randint(1, 3) if self._weather.happens("cut") else 0

        def followed() -> list[Recorded]:
            return done_now(
                self._shared.follow(shard, after, min(limit, self._shared.end_before(shard, lacks, after) - after))
            )

        found: list[Recorded] = await self._link.call("follow", followed, writes=False)
        return found

    @asynccontextmanager
    async def turn(self, stream: str) -> AsyncIterator[None]:
        """Hold the turn of a stream, or go on without it; a life that ends holds it no more."""
        turn = self._shared.turn(stream)
        assert isinstance(turn, asyncio.Lock)
        held = False
        with suppress(TimeoutError):
            async with asyncio.timeout(TURN_S):
                held = await turn.acquire()
        try:
            yield
        finally:
            if held:
                turn.release()

    async def check_writes(self) -> str | None:
        return None

    async def refusal(self) -> str | None:
        return None


def done_now(work: Coroutine[Any, Any, Any]) -> Any:
    """Return what comes of something that waits for nothing, as all of the double does."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the double waits for something")
