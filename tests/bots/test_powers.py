"""House bots at a table whose host has powers: they wait in a pause, and stand in for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from domain import commands, events
from domain.errors import Refused
from services.bots.player import turn_of
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import Holder
from tests.bots.test_player import Rig, working
from tests.domain.absence_tables import start
from tests.domain.test_host_powers import hosted

RULES: dict[str, Any] = {
    "game": "common_hand",
    "options": {"dice_per_player": 2},
    "seats": 2,
    "pause_ms": 0,
    "host": {},
}


def test_no_bot_has_a_turn_in_a_pause() -> None:
    played = hosted()
    start(played, "bot/bold/1", "bot/bold/2", "bot/bold/3")
    assert turn_of(played.match, 0) is not None
    played.do(commands.PauseTable("break"))
    assert turn_of(played.match, 0) is None
    played.do(commands.ResumeTable())
    assert turn_of(played.match, 0) is not None


def asking(key: str, holder: Holder | None = None) -> CommandMetadata:
    return CommandMetadata("test", key, b"", holder=holder)


async def seated(rig: Rig, **rules: Any) -> tuple[UUID, list[Holder]]:
    """Return a match that has begun, with two people who will do nothing."""
    match_id = UUID((await rig.matches.open({**RULES, **rules}, asking("open"))).match)
    for name in ("Ada", "Bob"):
        await rig.matches.join(match_id, name, "server", asking(name))
    await rig.matches.start(match_id, asking("start"))
    match = (await rig.matches.load_match(match_id)).match
    return match_id, [Holder(seat, who.player) for seat, who in sorted(match.seated.items())]


def has_acted(seat: int) -> Callable[[list[Any]], bool]:
    acts = (events.Bid, events.Challenged)
    return lambda history: any(isinstance(event, acts) and event.seat == seat for _, event in history)


def is_over(history: list[Any]) -> bool:
    return bool(history[-1][0].match.ended)


def in_round(number: int) -> Callable[[list[Any]], bool]:
    return lambda history: any(isinstance(event, events.RoundOpened) and event.round == number for _, event in history)


def in_play(history: list[Any]) -> bool:
    table = history[-1][0].match.table
    return table is not None and table.turn is not None


async def test_a_bot_plays_for_who_asks_for_it_after_a_restart_too_and_the_match_ends() -> None:
    rig = Rig()
    match_id, (ada, bob) = await seated(rig)
    await rig.matches.submit(match_id, commands.StandIn(1), asking("one", ada))
    await rig.matches.submit(match_id, commands.StandIn(2), asking("two", bob))
    async with working(rig.croupier(), rig.bots()):
        await rig.until(match_id, has_acted(1))
    async with working(rig.croupier(), rig.bots()):
        await rig.until(match_id, is_over)
    table = (await rig.matches.load_match(match_id)).match.table
    assert table is not None
    assert table.winner in {1, 2}


async def test_the_croupier_deals_once_everybody_has_asked_for_the_next_round_after_a_restart_too() -> None:
    rig = Rig()
    match_id, holders = await seated(rig, pause_ms=60_000)
    async with working(rig.croupier()):
        await rig.until(match_id, in_play)
        turn = (await rig.matches.view(match_id, None)).turn
        assert turn is not None
        bidder, doubter = holders[turn - 1], holders[2 - turn]
        await rig.matches.submit(match_id, commands.Bid(bidder.seat, 1, 2), asking("bid", bidder))
        await rig.matches.submit(match_id, commands.Challenge(doubter.seat), asking("doubt", doubter))
        await rig.matches.submit(match_id, commands.Continue(bidder.seat), asking("one", bidder))
    await rig.matches.submit(match_id, commands.Continue(doubter.seat), asking("two", doubter))
    async with working(rig.croupier()):
        await rig.until(match_id, in_round(2))


async def test_who_has_a_stand_in_plays_only_after_taking_the_seat_back() -> None:
    rig = Rig()
    match_id, holders = await seated(rig)
    async with working(rig.croupier()):
        await rig.until(match_id, in_play)
    view = await rig.matches.view(match_id, None)
    assert view.turn is not None
    holder = holders[view.turn - 1]
    bid = commands.Bid(holder.seat, 1, 2)
    await rig.matches.submit(match_id, commands.StandIn(holder.seat), asking("stand in", holder))
    with pytest.raises(Refused) as refused:
        await rig.matches.submit(match_id, bid, asking("bid", holder))
    assert refused.value.code == "stood_in"
    assert (await rig.matches.view(match_id, holder)).moves == ()
    await rig.matches.submit(match_id, commands.TakeBack(holder.seat), asking("back", holder))
    await rig.matches.submit(match_id, bid, asking("bid", holder))


async def test_who_has_a_stand_in_may_leave_and_is_served_the_own_dice() -> None:
    rig = Rig()
    match_id, (ada, _) = await seated(rig)
    async with working(rig.croupier()):
        await rig.until(match_id, in_play)
    await rig.matches.submit(match_id, commands.StandIn(1), asking("stand in", ada))
    own = next(seat for seat in (await rig.matches.view(match_id, ada)).seats if seat.seat == 1)
    assert all(die.face is not None for die in own.dice)
    await rig.matches.submit(match_id, commands.Forfeit(1), asking("leave", ada))
    assert (await rig.matches.load_match(match_id)).match.ended
