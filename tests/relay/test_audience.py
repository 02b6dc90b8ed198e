"""The audience: frames for seats somebody listens for, on whichever node, and a late frame at worst for the others."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import partial

from domain.fairness.openings import DealSecrets
from domain.match.evolve import Match
from infra.feed import ListenedSeat
from infra.feed.memory import MemoryFeed
from infra.store import Unavailable
from infra.store.memory import MemoryStore
from services.matches.audience import SEATS_MAX, Audience, AudiencePace
from services.matches.reads.frame_buffer import WaitPolicy
from services.matches.reads.streams import StreamHub
from services.relay.relay import Relay
from services.relay.tail import LogTail
from tests.relay.playing import LogSource, Played, Reader, Vaulted, running, until

QUICK = AudiencePace(tell_s=0.02, lapse_s=0.1, answer_s=0.0)
AT_ONCE = AudiencePace(tell_s=0.02, lapse_s=0.1, answer_s=0.0)


class Later(Audience):
    """An audience whose clock a test sets."""

    later_s = 0.0

    def _now(self) -> float:
        return super()._now() + self.later_s


class Counting(Vaulted):
    """Secrets that count how often somebody wants them."""

    asked = 0

    async def keeper(self, match: Match) -> DealSecrets | None:
        self.asked += 1
        return await super().keeper(match)


async def test_what_streams_here_is_known_at_once_and_until_its_end() -> None:
    audience = Audience(MemoryFeed(), AudiencePace(tell_s=60, lapse_s=60, answer_s=0.0))
    async with running(audience.run()):
        await until(lambda: not audience.is_there("m", 1))
        audience.begin("m", 1)
        audience.begin("m", 1)
        assert audience.is_there("m", 1)
        assert not audience.is_there("m", 2)
        audience.end("m", 1)
        assert audience.is_there("m", 1)
        audience.end("m", 1)
        assert not audience.is_there("m", 1)


async def test_who_cannot_know_yet_takes_it_that_everybody_is_there() -> None:
    audience = Audience(MemoryFeed(), AudiencePace(answer_s=0.1))
    assert audience.is_there("m", 1)
    async with running(audience.run()):
        await asyncio.sleep(0)
        assert audience.is_there("m", 1)
        await until(lambda: not audience.is_there("m", 1))


async def test_others_hear_of_it_at_once_then_from_time_to_time_and_forget_who_says_nothing() -> None:
    feed, told, often = MemoryFeed(), Counter[ListenedSeat](), AudiencePace(tell_s=0.02, lapse_s=60, answer_s=0.0)
    near, far = Audience(feed, often), Later(feed, often)
    async with running(far.run()):
        await feed.listeners(told.update)  # behind the one who is far
        async with running(near.run()):
            await until(lambda: not far.is_there("m", 3))
            for seat in range(SEATS_MAX + 3):
                near.begin("m", seat)
            await until(lambda: all(far.is_there("m", seat) for seat in range(SEATS_MAX + 3)))
            for _ in range(10):
                told.clear()
                await until(lambda: len(told) == SEATS_MAX + 3)
                far.later_s += 20
                assert all(far.is_there("m", seat) for seat in range(SEATS_MAX + 3))
        assert far.is_there("m", 3)
        far.later_s += 60
        assert not far.is_there("m", 3)


async def test_who_begins_asks_the_others() -> None:
    feed, slow = MemoryFeed(), AudiencePace(tell_s=60, lapse_s=60, answer_s=0.0)
    near, far = Audience(feed, slow), Audience(feed, slow)
    async with running(near.run()):
        near.begin("m", 3)
        await asyncio.sleep(0.01)
        async with running(far.run()):
            await until(lambda: not far.is_there("m", 4))
            await asyncio.sleep(0.01)
            assert far.is_there("m", 3)


async def test_while_the_bus_is_away_everybody_may_be_there() -> None:
    class Away(MemoryFeed):
        async def attend(self, seats: Sequence[ListenedSeat]) -> None:
            if not self.connected:
                raise Unavailable("away")
            await super().attend(seats)

    feed = Away()
    audience = Audience(feed, QUICK)
    async with running(audience.run()):
        await until(lambda: not audience.is_there("m", 1))
        audience.begin("m", 2)
        feed.connected = False
        await until(lambda: audience.is_there("m", 1))
        feed.connected = True
        await until(lambda: not audience.is_there("m", 1))


async def test_frames_are_made_for_seats_that_somebody_reads_and_for_no_others(store: MemoryStore) -> None:
    feed, match = MemoryFeed(), Played(store, 1)
    await match.seat("Ada", "Bob", "Cyd")
    await match.deal()
    audience = Audience(feed, AT_ONCE)
    told: list[tuple[int, int]] = []
    for seat in (1, 2, 3):
        await feed.listen(str(match.id), seat, partial(lambda seat, version, _body: told.append((seat, version)), seat))
    tail = LogTail(store, feed)
    store.on_commit = tail.on_commit
    vault = Counting([match])
    relay = Relay(store, feed, tail, vault, audience=audience)
    patience = WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=0.01)
    streams = StreamHub(LogSource(match), feed, patience, audience)
    async with running(audience.run()):
        await until(lambda: not audience.is_there(str(match.id), 2))
        async with running(tail.run(), relay.run()):
            await until(lambda: len(feed.kept.get(match.shard, ())) == match.match.version)
            assert vault.asked == 0, "no secret is touched for those who are not there"
            reader = Reader(streams.stream(match.id, 2, None))
            await until(lambda: reader.version == match.match.version)
            begun = match.match.version
            await match.step()
            await until(lambda: reader.version == match.match.version)
            await reader.stop()
            assert told == [(2, version) for version in range(begun + 1, match.match.version + 1)]
            assert vault.asked > 0


async def test_a_seat_that_nobody_knows_of_gets_every_frame_from_the_log(store: MemoryStore) -> None:
    feed, match = MemoryFeed(), Played(store, 1)
    await match.seat("Ada", "Bob")
    await match.deal()
    deaf = Audience(MemoryFeed(), AT_ONCE)
    tail = LogTail(store, feed)
    store.on_commit = tail.on_commit
    patience = WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=0.01)
    reader = Reader(StreamHub(LogSource(match), feed, patience).stream(match.id, 1, None))
    relay = Relay(store, feed, tail, Vaulted([match]), audience=deaf)
    async with running(deaf.run()):
        await until(lambda: not deaf.is_there(str(match.id), 1))
        async with running(tail.run(), relay.run()):
            await until(lambda: reader.version == match.match.version)
            for _ in range(3):
                await match.step()
                await until(lambda: reader.version == match.match.version)
            await reader.stop()
    assert reader.frames == (await match.replay(1))[-len(reader.frames) :]
