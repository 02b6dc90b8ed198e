"""Directors of ladders, chouettes and tables of several matches: whoever is killed, nothing is doubled or lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from domain.tournaments import commands
from domain.tournaments.pairing.lots import match_id
from infra.store.memory import MemoryStore
from tests.bots.test_player import working
from tests.director.house import EventHouse
from tests.director.killing import KillingMemory
from tests.director.test_director import PATIENCE_S, begun, documents, held_by_the_dying

LADDER = [{"format": "ladder", "reach": 2, "answer_ms": 60_000, "duration_ms": 600_000}]


async def results(house: EventHouse) -> list[dict[str, Any]]:
    return [line["data"] for line in await documents(house) if line["type"] == "result.recorded"]


async def test_killed_anywhere_a_table_plays_each_of_its_matches_once_with_seats_changed() -> None:
    store = MemoryStore()
    house = EventHouse(store)
    stages = [{"format": "round_robin", "best_of": 3}]
    await begun(house, 2, entry={"bots": "only"}, stages=stages)
    assert await held_by_the_dying(house, KillingMemory(store)) > 10
    found = await results(house)
    assert [each["attempt"] for each in found] == list(range(1, len(found) + 1))
    assert [each["match"] for each in found] == [match_id(str(house.id), 1, 1, 1, each["attempt"]) for each in found]
    assert len(found) in {2, 3}
    seated = [(await house.matches.load_match(UUID(each["match"]))).match.seated for each in found]
    players = [[each[seat].player for seat in sorted(each)] for each in seated]
    assert players[1] == players[0][::-1]
    kinds = Counter(line["type"] for line in await documents(house))
    assert (kinds["round.started"], kinds["round.closed"]) == (len(found), 1)


async def test_killed_anywhere_a_chouette_plays_each_bout_once() -> None:
    store = MemoryStore()
    house = EventHouse(store)
    await begun(house, 3, entry={"bots": "only"}, stages=[{"format": "chouette", "bouts": 3}])
    assert await held_by_the_dying(house, KillingMemory(store)) > 10
    assert [each["round"] for each in await results(house)] == [1, 2, 3]


@pytest.mark.parametrize("bots", [True, False])
async def test_on_a_ladder_bots_play_whoever_challenges_and_what_nobody_answers_lapses(
    wait: Callable[[int], None],
    bots: bool,  # noqa: FBT001
) -> None:
    house = EventHouse(MemoryStore())
    async with working(*house.works(), house.director().run()), asyncio.timeout(PATIENCE_S):
        await house.announce(stages=LADDER, entry={"bots": "labelled"})
        if bots:
            await house.enter_bots(3)
        else:
            await house.enter("Ada", "Ben", "Cleo")
        await house.check_in()
        while (await house.tournament()).phase != "running":
            await asyncio.sleep(0.005)
        tournament = await house.tournament()
        above, below, _ = tournament.stages[0].seeds
        player = tournament.entrants[below].player
        await house.do(commands.ChallengeAbove(by=player, number=below, against=above))
        while not any(line["type"] in {"result.recorded", "challenge.lapsed"} for line in await documents(house)):
            await asyncio.sleep(0.005)
            wait(1_000)
        wait(900_000)
        while not (await house.tournament()).ended:
            await asyncio.sleep(0.005)
            wait(10_000)
    kinds = Counter(line["type"] for line in await documents(house))
    assert (kinds["challenge.answered"], kinds["challenge.lapsed"]) == ((1, 0) if bots else (0, 1))
    assert kinds["tables.paired"] == kinds["result.recorded"] == bots
    if not bots:
        assert (await house.tournament()).ranking[0] == (below,)
