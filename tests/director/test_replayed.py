"""Tables that play again after their round and after the end, under directors who are killed at every append."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final, cast

from domain.log import canonical
from domain.tournaments import commands
from domain.tournaments.deciding.due import due
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.record import stream_of
from domain.tournaments.tournament import Tournament
from infra.store import EventStore
from infra.store.memory import MemoryStore
from services.matches.chance import NO_CHANCE
from tests.director.house import QUICK, EventHouse
from tests.director.killing import KillingMemory
from tests.director.test_every_format import PAIRS, Course
from tests.tournaments.events_for_audit import judged

ROUNDS: Final = 2


def replayed(tournament: Tournament) -> commands.AnyCommand | None:
    """Return what an official asks: each round has its first table played again once it is closed, and then the next.

    After the last one the places stand by then, and the tournament is closed.
    """
    stage, by = tournament.stage, next(iter(tournament.officials))
    if stage is None or tournament.phase not in {"running", "finished"}:
        return None
    if tournament.phase == "running" and due(tournament) is not None:
        return None
    last = stage.played
    if last is None or (last.closed_at is not None and last.tables[1].attempt > 1):
        over = tournament.phase == "finished"
        return commands.Finish(by=by) if over else commands.Pair(by=by, chance=NO_CHANCE)
    return None if last.closed_at is None else commands.Replay(by=by, round=last.number, table=1, reason="house_fault")


async def test_a_table_that_plays_again_is_opened_and_recorded_once_more(wait: Callable[[int], None]) -> None:
    store = MemoryStore()
    house = EventHouse(store)
    time = {**QUICK, "start": "host", "claims_ms": 86_400_000}
    stage = {"format": "swiss", "rounds": ROUNDS, "sizes": PAIRS}
    await house.announce(entry={"bots": "only"}, time=time, stages=[stage])
    await house.enter_bots(4)
    await house.check_in()
    course = Course(house, cast("EventStore", KillingMemory(store)), wait, replayed)
    await course.hold(1)
    assert await course.stuck.notice() is None
    raw = await store.read(stream_of(house.id))
    ruling = judged(raw)
    assert (ruling.code, ruling.upto) == (None, len(raw)), ruling.why
    lines = [canonical.decode(line) for line in raw]
    kinds = Counter(line["type"] for line in lines)
    assert (kinds["table.replayed"], kinds["round.closed"], kinds["tournament.finished"]) == (ROUNDS, 2 * ROUNDS, 2)
    assert lines[-1]["data"] == {"by": house.host}
    expected = {
        match_id(str(house.id), 1, number, table, attempt)
        for number in range(1, ROUNDS + 1)
        for table, attempt in ((1, 1), (1, 2), (2, 1))
    }
    results = Counter(line["data"]["match"] for line in lines if line["type"] == "result.recorded")
    assert results == dict.fromkeys(expected, 1)
    for name in expected:
        match = [canonical.decode(line)["type"] for line in await store.read(f"match/{name}")]
        assert match.count("match.ended") == 1
