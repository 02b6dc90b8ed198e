"""The number of tables that bots may play alone: counted for the house after a restart too, and for each network."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from infra.config import Config
from services.matches.attendance import BotBounds, BotTables, is_left_to_bots
from tests.idle.house import House, is_dealt

HERE, THERE = "192.0.2.7", "2001:db8::/64"


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


async def starts(house: House, network: str | None, *names: str, bots: int = 2) -> UUID | None:
    """Start a table from this network; None if it is one too many."""
    match_id = await house.opened(seats=len(names) + bots)
    for name in names:
        await house.matches.join(match_id, name, "server", house.ask())
    if bots:
        await house.matches.seat_bots(match_id, bots, house.ask())
    with suppress(Refused):
        await house.matches.start(match_id, replace(house.ask(), network=network))
        return match_id
    assert (await house.match(match_id)).table is None
    return None


async def gives_up(house: House, match_id: UUID | None) -> None:
    """Let the person in the first seat leave the table to the bots."""
    assert match_id is not None
    await house.until(match_id, is_dealt)
    await house.matches.submit(match_id, commands.Forfeit(1), house.ask())
    left = is_left_to_bots(await house.match(match_id))
    await house.becomes(lambda: (match_id in house.tables._alone) == left)  # noqa: SLF001 - tells nobody else


async def test_a_network_has_a_few_tables_and_the_house_a_few_more(house: House) -> None:
    house.bound(BotBounds(house=3, network=2))
    assert [bool(await starts(house, HERE)) for _ in range(3)] == [True, True, False]
    assert [bool(await starts(house, THERE)) for _ in range(2)] == [True, False]
    assert await starts(house, HERE, "Ada"), "who sits down as well is welcome"
    assert await starts(house, HERE, "Ada", "Bob", bots=0)
    assert await starts(house, None), "the house itself keeps its demonstration"


async def test_a_repeat_of_a_start_is_no_other_table(house: House) -> None:
    house.bound(BotBounds(house=1, network=1))
    match_id = await house.opened(seats=2)
    await house.matches.seat_bots(match_id, 2, house.ask())
    ask = replace(house.ask(), network=HERE)
    assert await house.matches.start(match_id, ask) == await house.matches.start(match_id, ask)


async def test_bots_that_a_request_has_seated_leave_room_for_the_rest_of_it(house: House) -> None:
    match_id, ask = await house.opened(seats=2), house.ask()
    await house.matches.seat_bots(match_id, 1, ask)  # as a program that is killed behind the first of two leaves it
    first = (await house.match(match_id)).seated[1]
    await house.program().seat_bots(match_id, 2, ask)
    assert (await house.match(match_id)).seated.keys() == {1, 2}
    assert (await house.match(match_id)).seated[1] == first
    for other in (house.ask(), replace(ask, key=f"{ask.key} again")):
        with pytest.raises(Refused) as refused:
            await house.matches.seat_bots(match_id, 1, other)
        assert refused.value.code == "too_many_players"


async def test_a_start_that_fails_takes_no_room(house: House) -> None:
    house.bound(BotBounds(house=1, network=1))
    lonely = await house.opened(seats=2)
    await house.matches.seat_bots(lonely, 1, house.ask())
    with pytest.raises(Refused) as refused:
        await house.matches.start(lonely, replace(house.ask(), network=HERE))
    assert refused.value.code == "too_few_players"
    assert await starts(house, HERE)


async def test_starts_at_the_same_time_are_counted(house: House) -> None:
    house.bound(BotBounds(house=99, network=2))
    found = await asyncio.gather(*(starts(house, HERE) for _ in range(8)))
    assert sum(one is not None for one in found) == 2


async def test_tables_left_to_their_bots_count_for_whoever_started_them(house: House) -> None:
    house.bound(BotBounds(house=99, network=99, left=2))
    async with house.croupier():
        for number in range(2):
            match_id = await starts(house, HERE, "Ada")
            assert len(house.tables.tables()) == number, "a person plays there"
            await gives_up(house, match_id)
        assert len(house.tables.tables()) == 2
        assert await starts(house, HERE, "Ada") is None
        assert await starts(house, HERE, "Ada", "Bob", bots=0), "people alone need no bots"
        assert await starts(house, THERE, "Ada")


async def test_the_house_counts_its_tables_again_after_a_restart(house: House) -> None:
    async with house.croupier():
        for _ in range(3):
            match_id = await house.begun(bots=2)
            await house.until(match_id, is_dealt)
    house.bound(BotBounds(house=3))
    assert house.tables.tables() == []
    async with house.croupier():
        await house.becomes(lambda: len(house.tables.tables()) == 3)
        assert await starts(house, HERE) is None
        assert await starts(house, HERE, "Ada")


async def test_a_table_that_has_ended_makes_room(house: House) -> None:
    house.bound(BotBounds(house=1))
    async with house.croupier():
        match_id = await starts(house, HERE)
        assert await starts(house, HERE) is None
        await gives_up(house, match_id)
        assert match_id is not None
        match = await house.match(match_id)
        assert match.ended
        assert not is_left_to_bots(match)
        assert await starts(house, HERE)


def test_a_house_bounds_itself_unless_it_is_told_otherwise() -> None:
    assert BotTables().tables() == []
    config = Config()
    assert BotBounds.of(config.bot_tables, config.bot_tables_each) == BotBounds()
