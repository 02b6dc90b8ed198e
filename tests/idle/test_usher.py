"""Tables that nobody is at any more: lobbies of before the service began, and tables that bots play for nobody."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any
from uuid import UUID

import pytest

from domain import commands, events
from domain.errors import Refused
from domain.match.settings import HOUSE_IDLE, Idle
from infra.clock import now_ms
from infra.store import Card, ProjectionRow, Unavailable
from infra.store.memory import MemoryStore
from services.bots.player import Bots
from services.dealer import usher as usher_module
from services.matches import attendance
from services.matches.handler import CommandHandler
from tests.failing import Failing
from tests.idle.house import IDLE, NEVER_ENDING, RULES, House, Nap, is_dealt, is_over, working


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


# ---- lobbies ------------------------------------------------------------------------------------


async def test_a_lobby_of_before_the_start_expires_after_its_whole_time(house: House) -> None:
    match_id, other = await house.opened(), await house.opened(idle=None)
    private = UUID((await house.matches.open(RULES, house.ask(), card=Card(listed=False))).match)
    await house.register()
    house.wait(3_600_000)
    async with house.usher():
        await house.stays(match_id)
        house.wait(91_000)
        await house.until(match_id, is_over)
        await house.until(private, is_over)
        await house.stays(other, 0.1)
    assert (await house.events(match_id))[-2:] == [events.EndAsked("expired"), events.MatchEnded(None)]


async def test_a_lobby_that_has_moved_since_its_row_was_written_stays(house: House) -> None:
    match_id = await house.opened()
    await house.register()
    async with house.usher():
        house.wait(60_000)
        await house.matches.join(match_id, "Ada", "server", house.ask())
        house.wait(31_000)
        await house.stays(match_id)


async def test_more_lobbies_than_a_page_expire(house: House) -> None:
    found = [await house.opened() for _ in range(230)]
    await house.register()
    async with house.usher():
        house.wait(91_000)
        for match_id in found:
            await house.until(match_id, is_over)


async def test_a_lobby_whose_rules_keep_it_for_ever_is_closed_after_a_day(house: House) -> None:
    match_id = await house.opened(idle=None)
    await house.register()
    async with house.usher():
        house.wait(86_000_000)
        await house.stays(match_id, 0.2)
        house.wait(500_000)
        await house.until(match_id, is_over)


async def test_a_lobby_that_nobody_looks_at_is_closed_unless_its_host_chose_its_time(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usher_module, "UNSEEN_MS", 1_000)
    usual = {**IDLE, "lobby_ms": HOUSE_IDLE.lobby_ms}
    left, looked_at, chosen = await house.opened(idle=usual), await house.opened(idle=usual), await house.opened()
    await house.matches.join(left, "Ada", "server", house.ask())
    await house.register()
    house.looks.begin(str(looked_at))
    async with house.usher():
        house.wait(60_000)
        await house.until(left, is_over)
        await house.stays(looked_at, 0.2)
        await house.stays(chosen, 0.1)


async def test_a_row_that_cannot_be_read_stops_no_other_lobby(house: House) -> None:
    match_id = await house.opened()
    await house.register()
    await house.store.save_projection("lobby", 0, 0, [ProjectionRow("nobody", 1, b"{", "open", now_ms())])
    async with house.usher():
        house.wait(91_000)
        await house.until(match_id, is_over)


class Away(MemoryStore):
    """A store that is away for as many times as a test says."""

    times = 0

    async def projection(self, *args: Any, **more: Any) -> Any:
        if self.times:
            self.times -= 1
            raise Unavailable("for a moment")
        return await super().projection(*args, **more)


async def test_a_store_that_is_away_is_waited_for(house: House) -> None:
    house.store = away = Away()
    house.matches = house.program()
    match_id = await house.opened()
    await house.register()
    away.times = 3
    async with house.usher():
        house.wait(91_000)
        await house.until(match_id, is_over)
    assert house.store.times == 0


# ---- what failed once ----


async def test_a_table_that_could_not_be_ended_or_begun_once_is_so_at_the_next_look(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lobbies, and tables that start at a time, are looked at each minute, tables of bots each second."""
    lobby, begins = await house.opened(), await house.opened(starts_at=now_ms() + 90_000)
    for name in ("Ada", "Bob"):
        await house.matches.join(begins, name, "server", house.ask())
    await house.register()
    tried = Counter[UUID]()

    def is_first_try(_self: object, match_id: UUID, *_more: object) -> bool:
        failing.left, tried[match_id] = int(match_id not in tried), tried[match_id] + 1
        return True

    failing = Failing()
    async with house.croupier():
        bots = await house.begun(bots=3)
        await house.until(bots, is_dealt)
        with monkeypatch.context() as patched:
            patched.setattr(CommandHandler, "submit", failing.instead_of(CommandHandler.submit, is_first_try))
            async with house.usher():
                house.wait(91_000)
                await house.until(bots, lambda match: match.ending is not None)
                await house.until(begins, lambda match: match.table is not None)
                await house.until(lobby, is_over)
    assert min(tried[each] for each in (lobby, begins, bots)) > 1


# ---- bots ---------------------------------------------------------------------------------------


async def test_a_table_of_bots_ends_when_nobody_looks(house: House) -> None:
    async with house.croupier(), house.usher():
        match_id = await house.begun(bots=3)
        await house.until(match_id, is_dealt)
        match = await house.until(match_id, lambda match: match.ending is not None)
    assert match.ending == "unattended"


async def test_a_table_of_bots_goes_on_while_somebody_looks(house: House) -> None:
    async with house.croupier(), house.usher():
        match_id = await house.begun(bots=3)
        house.looks.begin(str(match_id))
        await house.until(match_id, is_dealt)
        house.wait(3_600_000)
        await asyncio.sleep(1.5)
        assert (await house.match(match_id)).ending is None
        house.looks.end(str(match_id))
        await house.until(match_id, lambda match: match.ending == "unattended")


async def test_a_table_at_which_a_person_is_still_in_is_not_ended_for_want_of_looks(house: House) -> None:
    async with house.croupier(), house.usher():
        match_id = await house.begun("Ada", bots=2)
        await house.until(match_id, is_dealt)
        await asyncio.sleep(1.5)
        assert (await house.match(match_id)).ending is None
        await house.matches.submit(match_id, commands.Forfeit(1), house.ask())
        await house.until(match_id, lambda match: match.ending == "unattended")


async def test_an_endless_table_of_before_there_was_a_rule_is_closed_between_two_rounds(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots sat down there one by one, before a house refused it."""
    monkeypatch.setattr(attendance, "HOUSE_IDLE", Idle(bots_ms=1_000))
    match_id = await house.opened(**{**NEVER_ENDING, "idle": None})
    for number in range(3):
        await house.matches.seat_bot(match_id, "steady", f"bot {number}", house.ask())
    await house.matches.start(match_id, house.ask())
    async with house.croupier(), house.usher(), working(Bots(house.store, house.program(), Nap(), 0).run()):
        match = await house.until(match_id, is_over)
    assert events.SessionClosed() in await house.events(match_id)
    assert match.table is not None
    assert match.table.round_number > 0


async def test_bots_are_not_seated_where_they_would_play_without_an_end(house: House) -> None:
    match_id = await house.opened(**{**NEVER_ENDING, "idle": None})
    with pytest.raises(Refused) as refused:
        await house.matches.seat_bots(match_id, 2, house.ask())
    assert refused.value.code == "not_allowed"
    assert (await house.match(match_id)).seated == {}
    await house.matches.seat_bots(await house.opened(idle=None), 2, house.ask())
    await house.matches.seat_bots(await house.opened(**NEVER_ENDING), 2, house.ask())
