"""Meters: what the parts of a program count, and how it is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import get_args

import asyncpg
import pytest
from prometheus_client import CollectorRegistry, Metric
from prometheus_client.registry import Collector

from infra.feed import Placed
from infra.feed.memory import MemoryFeed
from infra.measures.buckets import Buckets
from infra.measures.writes import SIZES, TROUBLES, WriteTally
from infra.store import Append, Appended, Conflict, KeyReused, Outcome, Recorded, Repeated, Unavailable, shard_of
from infra.store.memory import MemoryStore
from infra.store.writer import BATCH_MAX, QUEUE_MAX, ShardWriter
from services.dealer.meters.open_matches import OpenMatches
from services.program.app import LAG_MAX
from services.program.meters.carriers import OUTCOMES
from services.program.meters.families import histogram
from services.program.meters.process import LoopMeter
from services.relay.follower import Follower
from services.relay.relay import Relay
from services.relay.tail import LogTail
from services.work import waiting
from tests.relay.playing import Played, running, until
from tests.store.lines import append, chain, stream

NAME = stream()
SHARD = shard_of(NAME)
OTHER = "other/1"
"""A stream of which viewers are told no more than how long it is."""


class Shown(Collector):
    """A histogram, as a part of a program has it."""

    def __init__(self, buckets: Buckets) -> None:
        self._buckets = buckets

    def collect(self) -> Iterator[Metric]:
        yield histogram("some_seconds", "Something.", self._buckets)


def test_values_are_counted_up_to_each_bound() -> None:
    buckets, registry = Buckets((1, 2, 4)), CollectorRegistry()
    registry.register(Shown(buckets))
    for value in (0.5, 1, 3, 9):
        buckets.add(value)
    found = {le: registry.get_sample_value("some_seconds_bucket", {"le": le}) for le in ("1.0", "2.0", "4.0", "+Inf")}
    assert found == {"1.0": 2, "2.0": 2, "4.0": 3, "+Inf": 4}
    assert registry.get_sample_value("some_seconds_sum") == 13.5


def test_every_outcome_of_an_append_has_a_word() -> None:
    assert OUTCOMES.keys() == {kind.__name__ for kind in get_args(Outcome)}
    assert SIZES[-1] == BATCH_MAX


# ---- writes -----------------------------------------------------------------------------------


async def test_commits_are_counted_with_what_came_of_each_command() -> None:
    outcomes: list[Outcome] = [Appended(1, 1), Conflict(3), Repeated(b""), KeyReused()]
    tally, answers = WriteTally(), iter(outcomes)

    async def send(_shard: int, batch: Sequence[Append]) -> list[Outcome]:
        return [next(answers) for _ in batch]

    writer = ShardWriter(0, send, None, tally)
    await asyncio.gather(*(writer.append(append(NAME, [])) for _ in range(4)))
    assert list(tally.sizes.counts())[2] == ("4.0", 1), "one commit of four commands"
    assert tally.sizes.total == 4
    assert list(tally.seconds.counts())[-1] == ("+Inf", 1)
    assert tally.outcomes == dict.fromkeys(("Appended", "Conflict", "Repeated", "KeyReused"), 1)
    assert not tally.troubles


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (asyncpg.DiskFullError("no room"), "refused"),
        (asyncpg.CheckViolationError("no"), "rejected"),
        (ConnectionResetError(), "lost"),
        (asyncpg.DeadlockDetectedError("deadlock detected"), "undone"),
    ],
)
async def test_what_keeps_the_store_from_answering_is_counted_by_kind(trouble: Exception, kind: str) -> None:
    tally, troubles = WriteTally(), iter([trouble])

    async def send(_shard: int, batch: Sequence[Append]) -> list[Outcome]:
        for met in troubles:
            raise met
        return [Appended(1, 1) for _ in batch]

    (found,) = await asyncio.gather(ShardWriter(0, send, None, tally).append(append(NAME, [])), return_exceptions=True)
    assert isinstance(found, Appended) == (kind in {"lost", "undone"}), "what was lost is sent again"
    assert tally.troubles == {kind: 1}
    assert kind in TROUBLES


async def test_who_finds_the_queue_full_or_waits_in_vain_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.store.writer.ANSWER_S", 0.0)
    tally, never = WriteTally(), asyncio.Event()

    async def send(_shard: int, _batch: Sequence[Append]) -> list[Outcome]:
        await never.wait()
        raise AssertionError

    writer = ShardWriter(0, send, None, tally)
    with pytest.raises(Unavailable):
        await writer.append(append(NAME, []))
    assert tally.troubles == {"unanswered": 1}
    monkeypatch.setattr("infra.store.writer.ANSWER_S", 60.0)
    waiting = [asyncio.create_task(writer.append(append(NAME, []))) for _ in range(QUEUE_MAX + 2)]
    await asyncio.sleep(0.05)
    assert tally.troubles["full"] >= 1
    writer.close()
    never.set()
    await asyncio.gather(*waiting, return_exceptions=True)
    await writer.drain()


# ---- what follows the log ---------------------------------------------------------------------


class Slow:
    """A work that waits to be let, and may find the store away."""

    name, page, pause_s = "slow", 8, 0.0

    def __init__(self) -> None:
        self.lets = asyncio.Event()
        self.away = True

    async def start(self, shard: int) -> int:
        assert shard == SHARD
        if self.away:
            raise Unavailable("the database does not answer")
        return 0

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        assert shard == SHARD
        await self.lets.wait()
        return page[-1].position

    async def try_again(self, shard: int, position: int) -> None:
        """Do nothing: nothing fails."""


async def test_a_follower_says_how_far_and_for_how_long_it_is_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "AGAIN_S", 0.0)
    store, feed, work = MemoryStore(), MemoryFeed(), Slow()
    tail = LogTail(store, feed)
    follower = Follower(work, SHARD, tail)
    assert (follower.events_left, follower.late_s) == (0, 0.0)
    await store.append(append(NAME, chain(NAME, 3)))
    async with running(tail.run(), follower.run()):
        await until(lambda: follower.events_left == 3 and follower.late_s > 0)
        work.away = False
        await until(lambda: follower.behind == 3)
        assert follower.late_s > 0
        work.lets.set()
        await until(lambda: follower.position == 3)
        assert (follower.events_left, follower.late_s, follower.name) == (0, 0.0, "slow")


class HeldUp(MemoryFeed):
    """A bus that takes frames only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.lets = asyncio.Event()

    async def publish(self, shard: int, frames: Sequence[Placed]) -> int:
        await self.lets.wait()
        return await super().publish(shard, frames)


async def test_a_bus_that_hangs_leaves_viewers_so_far_behind_that_health_says_so() -> None:
    store, feed = MemoryStore(), HeldUp()
    await store.append(append(OTHER, chain(OTHER, LAG_MAX + 1, kind="other.told")))
    tail = LogTail(store, feed)
    relay = Relay(store, feed, tail)
    assert (await relay.lag(), relay.followers) == (0, []), "it is not to run here"
    async with running(tail.run(), relay.run()):
        await until(lambda: tail.highest_position(shard_of(OTHER)) > LAG_MAX)
        assert await relay.lag() == LAG_MAX + 1
        (frames,) = [one for one in relay.followers if one.name == "frames" and one.shard == shard_of(OTHER)]
        assert frames.events_left == LAG_MAX + 1
        feed.lets.set()
        await until(lambda: not frames.events_left)
        assert relay.publisher.published == LAG_MAX + 1


async def test_matches_that_go_on_are_counted_by_how_far_they_are() -> None:
    seen, match = OpenMatches(), Played(MemoryStore(), 1)
    await match.seat("Ada", "Bob")
    seen.see(match.match)
    assert seen.by_stage() == {"lobby": 1}
    await match.deal()
    seen.see(match.match)
    assert seen.by_stage() == {"playing": 1}
    await match.finish()
    seen.see(match.match)
    assert not seen.by_stage()


# ---- the process ------------------------------------------------------------------------------


async def test_a_loop_that_is_held_up_says_how_late_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.program.meters.process.LOOK_S", 0.0)
    registry = CollectorRegistry()
    meter = LoopMeter(registry)

    def count() -> float:
        return registry.get_sample_value("truecup_loop_late_seconds_count") or 0.0

    async with running(meter.run()):
        await until(lambda: count() >= 3)
    assert registry.get_sample_value("process_open_fds")
    (about,) = (one for family in registry.collect() for one in family.samples if one.name == "truecup_build_info")
    assert about.labels.keys() == {"version", "python"}
