"""The thinkers: turns of bots thought over beside those who play, those that are due first before others.

The law of the file: nobody waits for a thought. Whoever acts asks, at a moment of its own, whether it is there, and
how long it took, or whether it came, is told nowhere but in what is played. So processes that are full, or broken, or
not there cost a bot its better move, and nobody anything.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal, get_args
from uuid import UUID

from cachetools import LRUCache
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from domain.ids import UnixMs, Version
from domain.match.record import stream_of
from infra.clock import now_ms
from infra.store import Unavailable
from services.bots.ahead import TurnAsked, think_over
from services.engines.levels import Thought
from services.work.failures import Stuck
from services.work.worker import Worker

LINE_MAX: Final = 256
"""Turns that wait at once, of ten seats some 50 kB each; of more, those that are due last are not thought over."""
ROOM_BYTES: Final = 192 * 2**20
"""What a process may have taken before another one takes its place: 64 MB, and one for each of 128 tables."""
TABLES_MAX: Final = 4_096
"""Tables of which it is kept how many of their turns were passed over."""
HUNG_S: Final = 20.0
"""After how long by the clock a process is given up: a turn takes three seconds of a core at most, be it a full one."""
SOME: Final = 4
"""Over about how many turns it is reckoned how long one takes by the clock."""
TOLD_BY: Final = 100
"""By how many turns it is told how many came in time: of a single one that would say something of a hand."""
NAME: Final = "bots_ahead"
"""What they are called among the works that may get stuck."""
Fate = Literal["in_time", "late", "full", "ended"]
"""What came of a turn: its thought was there when it was due, or was not; it gave way in a full line; the process that
was to think it over has ended, or could not be started."""


class ThoughtMeter(Collector):
    """How many turns met which fate, for the meters."""

    def __init__(self) -> None:
        """Know of none."""
        self._counted, self._told = Counter[Fate](), Counter[Fate]()

    def count(self, fate: Fate) -> None:
        """Count a turn more. Those that came in time, or late, are told once there are so many more of them."""
        self._counted[fate] += 1
        if fate in {"full", "ended"}:
            self._told[fate] += 1
        elif (self._counted["in_time"] + self._counted["late"]) % TOLD_BY == 0:
            self._told |= self._counted

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield the one counter."""
        told = "Turns that bots had thought over beside the play, by what came of it."
        counter = CounterMetricFamily("truecup_bot_thoughts", told, labels=["fate"])
        for fate in get_args(Fate):
            counter.add_metric([fate], self._told[fate])
        yield counter


class _Turn:
    """A turn, from when it is asked until its match has gone on."""

    def __init__(self, due_at: UnixMs, version: Version, asked: TurnAsked) -> None:
        self.due_at, self.version = due_at, version
        self.asked: TurnAsked | None = asked
        self.thought: Thought | None = None
        self.is_under_way, self.is_answered = True, False


class Thinkers:
    """So many processes, each with one turn at a time, and the line before them: a turn of each match at most."""

    def __init__(
        self, workers: Sequence[Worker] = (), stuck: Stuck | None = None, registry: CollectorRegistry | None = None
    ) -> None:
        """Think in these, and in none of them before somebody asks; without any, nothing is thought."""
        self._workers, self._idle = tuple(workers), [*workers]
        self._stuck = stuck or Stuck()
        self._turns: dict[UUID, _Turn] = {}
        self._passed: LRUCache[UUID, int] = LRUCache(TABLES_MAX)
        self._takes_ms = 0
        self._works: set[asyncio.Task[None]] = set()
        self._meter = ThoughtMeter()
        if registry is not None:
            registry.register(self._meter)

    def ask(self, due_at: UnixMs, version: Version, asked: TurnAsked) -> None:
        """Have a turn of a match thought over for this moment, in the place of any other of the match."""
        if not self._workers:
            return
        self._forget(asked.match)
        self._turns[asked.match] = _Turn(due_at, version, asked)
        waiting = self._waiting()
        if len(waiting) > LINE_MAX:
            self._end(max(waiting, key=_due_at), "full")
        if self._idle:
            work = asyncio.create_task(self._work(self._idle.pop()))
            self._works.add(work)
            work.add_done_callback(self._works.discard)

    def answer(self, match: UUID, version: Version) -> Thought | None:
        """Return what was thought of a turn; None where nothing is there, yet or at all."""
        turn = self._turns.get(match)
        if turn is None or turn.version != version:
            return None
        if not turn.is_answered:
            turn.is_answered = True
            self._meter.count("late" if turn.thought is None else "in_time")
        return turn.thought

    def is_under_way(self, match: UUID, version: Version) -> bool:
        """Report whether something may still come of a turn."""
        turn = self._turns.get(match)
        return turn is not None and turn.version == version and turn.is_under_way

    def drop(self, match: UUID, unless: Version) -> None:
        """Forget the turn of a match, unless it began with this version. What is thought just now comes to nothing."""
        turn = self._turns.get(match)
        if turn is not None and turn.version != unless:
            self._forget(match)

    def _forget(self, match: UUID) -> None:
        turn = self._turns.pop(match, None)
        if turn is not None and turn.asked is not None and turn.due_at <= now_ms():
            self._pass_over(turn)

    def close(self) -> None:
        """Think no more, at once."""
        self._turns.clear()
        for work in self._works:
            work.cancel()
        for worker in self._workers:
            worker.kill()

    async def _work(self, worker: Worker) -> None:
        while (turn := self._next()) is not None:
            asked, turn.asked = turn.asked, None
            assert asked is not None, "it waited"
            self._passed.pop(asked.match, None)
            begun = now_ms()
            with self._stuck.contain_failures(NAME, stream_of(asked.match)):
                turn.thought = await self._thought(worker, asked)
            turn.is_under_way = False
            self._takes_ms += (now_ms() - begun - self._takes_ms) // SOME
        self._idle.append(worker)

    async def _thought(self, worker: Worker, asked: TurnAsked) -> Thought | None:
        try:
            async with asyncio.timeout(HUNG_S):
                found = await worker.do(think_over, asked)
        except (Unavailable, MemoryError):
            self._meter.count("ended")
            return None
        except TimeoutError:
            # A process that stands still uses no core, and so is never stopped by how much of one it may take.
            worker.kill()
            self._meter.count("ended")
            return None
        if found.bytes > ROOM_BYTES:
            # What it has remembered is of no more use than what the next one will.
            worker.close()
        return found.thought

    def _next(self) -> _Turn | None:
        """Return the turn that is due first of those that wait and may be in time; None if there is none.

        When all are in a hurry, whoever takes the one that is due first whatever its time comes too late for each; and
        tables that keep the same pace would be passed over again and again by the same others. So of more than can be
        thought over, tables come first of which most turns have been passed over since one was not.
        """
        now, waiting = now_ms(), sorted(self._waiting(), key=self._place)
        for turn in waiting:
            if turn.due_at - now > self._takes_ms:
                return turn
            self._pass_over(turn)
        if waiting:
            # So that one that took very long does not keep all others from being thought over.
            self._takes_ms -= self._takes_ms // SOME
        return None

    def _waiting(self) -> list[_Turn]:
        return [turn for turn in self._turns.values() if turn.asked is not None]

    def _place(self, turn: _Turn) -> tuple[int, UnixMs]:
        assert turn.asked is not None, "it waits"
        return -self._passed.get(turn.asked.match, 0), turn.due_at

    def _pass_over(self, turn: _Turn) -> None:
        assert turn.asked is not None, "it waited"
        match = turn.asked.match
        turn.asked, turn.is_under_way = None, False
        self._passed[match] = self._passed.get(match, 0) + 1

    def _end(self, turn: _Turn, fate: Fate) -> None:
        self._pass_over(turn)
        turn.is_answered = True
        self._meter.count(fate)


def _due_at(turn: _Turn) -> UnixMs:
    return turn.due_at
