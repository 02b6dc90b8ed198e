"""The director of tournaments: whoever is killed, and wherever, every round is played, none twice and none lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from time import time_ns
from typing import Any, cast
from uuid import UUID

import pytest

from domain.log import canonical
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.record import stream_of
from infra import clock
from infra.clock import MS, Clock
from infra.store import EventStore
from infra.store.memory import MemoryStore
from infra.store.postgres import PostgresStore
from services.audit.dutch import edition
from services.work.failures import Stuck
from tests.bots.test_player import working
from tests.director.house import EventHouse
from tests.director.killing import KilledHere, Killing, KillingMemory, KillingPostgres

PATIENCE_S = 60


async def documents(house: EventHouse) -> list[dict[str, Any]]:
    return [canonical.decode(line) for line in await house.store.read(stream_of(house.id))]


async def until_closed(house: EventHouse) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not (await house.tournament()).ended:
            await asyncio.sleep(0.005)


async def check_held(house: EventHouse, rounds: int, deals: int = 1) -> None:
    """Check that every round was paired, started and closed once, and every table of it played once."""
    lines = await documents(house)
    kinds = Counter(line["type"] for line in lines)
    for kind in ("tables.paired", "round.started", "round.closed"):
        assert kinds[kind] == rounds, kind
    assert kinds["deal.committed"] == deals
    for kind in ("stage.opened", "stage.closed", "tournament.finished", "tournament.closed"):
        assert kinds[kind] == 1, kind
    results = [line["data"] for line in lines if line["type"] == "result.recorded"]
    paired = [line["data"] for line in lines if line["type"] == "tables.paired"]
    expected = {
        match_id(str(house.id), data["stage"], data["round"], number, 1): seats
        for data in paired
        for number, seats in data["tables"]
    }
    assert sorted(result["match"] for result in results) == sorted(expected)
    opened = {stream for shard in range(8) for stream in _streams(await house.store.follow(shard, 0, 100_000))}
    assert opened == {stream_of(house.id)} | {f"match/{name}" for name in expected}
    for result in results:
        match = [canonical.decode(line) for line in await house.store.read(f"match/{result['match']}")]
        assert [line["type"] for line in match].count("match.ended") == 1
        assert canonical.head(canonical.encode(match[-1])) == result["head"]
        assert sorted(n for level in result["ranking"] for n in level) == sorted(expected[result["match"]])


def _streams(rows: Any) -> set[str]:
    return {row.stream for row in rows}


async def begun(house: EventHouse, bots: int, **members: Any) -> None:
    await house.announce(**{"stages": [{"format": "swiss", "rounds": 2}], **members})
    await house.enter_bots(bots)
    await house.check_in()


async def test_a_director_holds_a_tournament_of_bots_from_the_draw_to_its_close() -> None:
    house, stuck = EventHouse(MemoryStore()), Stuck()
    async with working(*house.works(), house.director(stuck=stuck).run()):
        await begun(house, 7, entry={"bots": "only"})
        await until_closed(house)
    await check_held(house, 2)
    assert await stuck.notice() is None


async def held_by_the_dying(house: EventHouse, killing: Killing) -> int:
    """Hold a tournament by directors who are killed at every append of theirs, and return how many there were."""
    deaths = 0
    async with working(*house.works()), asyncio.timeout(PATIENCE_S):
        while not (await house.tournament()).ended:
            director = house.director(cast("EventStore", killing))
            with suppress(KilledHere):
                await director.begin()
                while not (await house.tournament()).ended:
                    await director.round()
                    await asyncio.sleep(0.002)
                continue
            deaths += 1
    assert killing.before.keys() == killing.behind.keys()
    return deaths


async def test_a_director_killed_before_and_behind_every_append_leaves_the_same_event() -> None:
    store = MemoryStore()
    house = EventHouse(store)
    await begun(house, 7, entry={"bots": "only"})
    deaths = await held_by_the_dying(house, KillingMemory(store))
    assert deaths >= 2 * 10, "two for each of its appends at least, but for those that are made side by side"
    await check_held(house, 2)


async def test_a_director_killed_at_every_append_leaves_the_same_event_in_postgres(postgres: PostgresStore) -> None:
    house = EventHouse(postgres)
    await begun(house, 4, entry={"bots": "only"}, stages=[{"format": "swiss", "rounds": 1}])
    assert await held_by_the_dying(house, KillingPostgres(postgres)) > 10
    await check_held(house, 1)


async def test_three_directors_at_once_do_nothing_twice() -> None:
    house = EventHouse(MemoryStore())
    async with working(*house.works(), *(house.director().run() for _ in range(3))):
        await begun(house, 8, entry={"bots": "only"})
        await until_closed(house)
    await check_held(house, 2)


async def test_where_each_lot_has_a_deal_of_its_own_a_pairing_names_the_line_before_it() -> None:
    house = EventHouse(MemoryStore())
    async with working(*house.works(), house.director().run()):
        await begun(house, 4, entry={"bots": "only"}, lots={"deal": "each"})
        await until_closed(house)
    await check_held(house, 2, deals=3)
    lines = await documents(house)
    for paired in (line["data"] for line in lines if line["type"] == "tables.paired"):
        assert lines[paired["upto"] + 1]["type"] == "deal.committed"
        assert paired["head"] == canonical.head(canonical.encode(lines[paired["upto"]]))


async def test_bots_of_an_arena_wait_for_tables_and_sit_down_wave_after_wave(wait: Callable[[int], None]) -> None:
    house, stuck = EventHouse(MemoryStore()), Stuck()
    async with working(*house.works(), house.director(stuck=stuck).run()):
        stages = [{"format": "arena", "duration_ms": 600_000, "wave_ms": 1_000, "patience_ms": 1_000}]
        await begun(house, 8, entry={"bots": "only"}, stages=stages)
        async with asyncio.timeout(PATIENCE_S):
            while sum(line["type"] == "result.recorded" for line in await documents(house)) < 3:
                await asyncio.sleep(0.01)
                wait(500)
            wait(600_000)
            while not (await house.tournament()).ended:
                await asyncio.sleep(0.01)
                wait(1_000)
    kinds = Counter(line["type"] for line in await documents(house))
    assert kinds["player.waits"] >= 8
    assert kinds["tables.paired"] > 1
    assert await stuck.notice() is None


async def test_a_tournament_whose_lines_are_an_hour_ahead_goes_on_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    house = EventHouse(MemoryStore())
    monkeypatch.setattr(clock, "HOUSE", Clock(lambda: time_ns() + 3_600_000 * MS))
    await begun(house, 3, entry={"bots": "only"})
    # Whoever wrote so has been killed before it has left word of its time.
    monkeypatch.setattr(clock, "HOUSE", Clock())
    async with working(*house.works(), house.director().run()):
        await until_closed(house)
    await check_held(house, 2)


TWO_DICE = {"game": "common_hand", "options": {"dice_per_player": 2}, "pause_ms": 0}
"""Rules by which somebody has a die left after a level, and others have none."""
FORMATS = {
    "last longer": [{"format": "last_longer", "high": 3, "level_rounds": 1}],
    "groups": [{"format": "groups", "groups": 2, "through": 1}, {"format": "single"}],
    "dutch": [{"format": "dutch"}],
}


@pytest.mark.parametrize("name", FORMATS)
async def test_what_goes_along_or_comes_from_a_package_is_the_directors_as_well(name: str) -> None:
    if name == "dutch" and edition() is None:
        pytest.skip("there is no wheel of the package for this machine")
    house = EventHouse(MemoryStore())
    async with working(*house.works(), house.director().run()):
        await begun(house, 5, entry={"bots": "only"}, match=TWO_DICE, stages=FORMATS[name])
        await until_closed(house)
    tournament = await house.tournament()
    lines = [line["data"] for line in await documents(house) if line["type"] == "result.recorded"]
    assert {line["how"] for line in lines} == {"played"}
    assert sorted(n for level in tournament.ranking for n in level) == [1, 2, 3, 4, 5]
    if name == "last longer":
        matches = [(await house.matches.load_match(UUID(line["match"]))).match for line in lines]
        assert [match.settings.stacks is None for match in matches[:2]] == [True, True]
        assert all(match.settings.stacks is not None for match in matches[2:])
