"""Tables that start by themselves and tables left to stand-ins, with their clock: they begin, are counted, and end."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from services.matches.attendance import BotBounds
from tests.idle.house import IDLE, House, is_dealt

HERE = "192.0.2.7"
AWAY_MS = 30_000


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


async def test_a_table_starts_by_itself_once_its_last_seat_is_taken(house: House) -> None:
    async with house.croupier():
        match_id = await house.opened(seats=2, start="full")
        for name in ("Ada", "Bob"):
            await house.matches.join(match_id, name, "server", house.ask())
        await house.until(match_id, is_dealt)
    assert await house.is_whole(match_id)


async def test_a_table_that_starts_by_itself_with_bots_is_counted_where_the_last_seat_was_taken(house: House) -> None:
    house.bound(BotBounds(house=9, network=9, left=1))
    first, second = await house.opened(seats=2, start="full"), await house.opened(seats=2, start="full")
    for match_id in (first, second):
        await house.matches.join(match_id, "Ada", "server", house.ask())
    await house.matches.seat_bots(first, 1, replace(house.ask(), network=HERE))
    house.tables._alone[first] = None  # noqa: SLF001 - as if it were left to its bot
    with pytest.raises(Refused) as refused:
        await house.matches.seat_bots(second, 1, replace(house.ask(), network=HERE))
    assert refused.value.code == "too_many_bot_tables"


async def test_the_last_person_has_a_bot_stand_in_only_where_another_table_of_bots_may_be(house: House) -> None:
    house.bound(BotBounds(house=9, network=1, left=9))
    found = []
    for _ in range(2):
        match_id = await house.begun("Ada", "Bob", host={})
        await house.matches.submit(match_id, commands.StandIn(1), replace(house.ask(), network=HERE))
        try:
            await house.matches.submit(match_id, commands.StandIn(2), replace(house.ask(), network=HERE))
            found.append("")
        except Refused as refused:
            found.append(refused.code)
    assert found == ["", "too_many_bot_tables"]


async def test_a_table_left_to_stand_ins_is_to_end_when_nobody_looks(house: House) -> None:
    async with house.croupier(), house.usher():
        match_id = await house.begun("Ada", "Bob", host={})
        await house.until(match_id, is_dealt)
        for seat in (1, 2):
            await house.matches.submit(match_id, commands.StandIn(seat), house.ask())
        house.wait(IDLE["bots_ms"])
        await house.until(match_id, lambda match: match.ending is not None)
    assert events.EndAsked("unattended") in await house.events(match_id)
    assert await house.is_whole(match_id)


@pytest.mark.parametrize("rules", [{}, {"clock": {"bank_ms": 60_000}}], ids=["no clocks", "clocks"])
@pytest.mark.parametrize("waited_ms", [0, 20_000], ids=["just in turn", "in turn for a while"])
async def test_time_in_which_nobody_was_there_makes_nobody_away(
    house: House, rules: dict[str, Any], waited_ms: int
) -> None:
    heart = house.heart()
    program = house.program(heart)
    async with house.croupier(heart):
        match_id = await house.begun("Ada", "Bob", host={"away_ms": AWAY_MS}, **rules)
        await house.until(match_id, is_dealt)
        seat = await house.seat_in_turn(match_id)
        house.wait(waited_ms)
        await heart.leave_word()
        house.step(3_600_000)
        with pytest.raises(Refused) as early:
            await program.submit(match_id, commands.StandInFor(seat), house.ask())
        assert (early.value.code, early.value.facts) == ("not_away", {})
        house.wait(AWAY_MS - waited_ms)
        await program.submit(match_id, commands.StandInFor(seat), house.ask())
    assert events.StoodIn(seat, "host") in await house.events(match_id)
    assert await house.is_whole(match_id)


async def test_a_pause_ends_by_itself_when_nobody_ends_it(house: House) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob", host={"hold_ms": 600_000})
        await house.until(match_id, is_dealt)
        await house.matches.submit(match_id, commands.PauseTable("break"), house.ask())
        await house.pauses_for(match_id, 600_000)
    assert events.Resumed("limit") in await house.events(match_id)
    assert await house.is_whole(match_id)
