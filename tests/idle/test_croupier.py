"""Deadlines where people stop: kept by whoever follows the log, and never too early."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest
from msgspec import convert
from msgspec.structs import replace

from domain import commands, events
from domain.match.evolve import Match
from domain.match.record import stream_of
from domain.match.signed_commands import SeatSignature
from infra.clock import now_ms
from infra.store import Append, Outcome
from services.dealer.scheduler import NAME
from services.matches.handler import CommandHandler
from services.matches.requests import Answer, CommandMetadata, SeatMark
from services.work.failures import AGAIN_MS, Stuck
from tests.failing import Failing
from tests.idle import house as house_module
from tests.idle.house import House, is_dealt, is_over
from tests.signed.hands import Hand


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


def turn_since(match: Match) -> int:
    """Return when the turn began that the match waits for, in Unix milliseconds."""
    assert match.absence is not None
    return match.absence.turn_since


def has_waited(match: Match) -> bool:
    """Report whether the table has waited for somebody in vain."""
    return match.absence is not None and bool(match.absence.turns)


async def test_the_table_acts_for_a_seat_that_lets_it_wait_and_ends_when_nobody_comes_back(house: House) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob", "Cyd")
        await house.until(match_id, is_dealt)
        await house.stays(match_id)
        for _ in range(20):
            house.wait(60_000)
            await house.until(match_id, lambda match: match.ended or turn_since(match) > now_ms() - 59_000)
            if (await house.match(match_id)).ended:
                break
        await house.until(match_id, is_over)
    happened = await house.events(match_id)
    assert any(isinstance(event, events.Absent) for event in happened)
    assert await house.is_whole(match_id)


class Crowded(CommandHandler):
    """A program in which, whenever the table is to act, somebody is just before it with a line beside the game."""

    async def advance(self, match_id: UUID, ask: CommandMetadata) -> Answer:
        aside = CommandMetadata("test", f"aside-{ask.key}", b"")
        key = Hand(match_id, int.from_bytes(ask.command)).key
        await self.submit(match_id, commands.NameKey(1, key), aside)
        return await super().advance(match_id, ask)


async def test_nobody_keeps_the_table_from_acting_with_lines_beside_the_game(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house_module, "CommandHandler", Crowded)
    async with house.croupier():
        match_id = await house.opened(seats=2)
        hand = Hand(match_id, 1)
        signing = (await house.matches.load_match(match_id)).written.signing
        ask = replace(house.ask(), signature=convert(hand.sign_join(signing, "server"), SeatSignature))
        await house.matches.join(match_id, "Ada", "server", ask, None, SeatMark(hand.key))
        await house.matches.join(match_id, "Bob", "server", house.ask())
        await house.matches.start(match_id, house.ask())
        await house.until(match_id, is_dealt)
        house.wait(60_000)
        await house.until(match_id, has_waited)
    assert any(isinstance(event, events.SeatKeyed) for event in await house.events(match_id))


async def test_a_lobby_where_nobody_comes_or_goes_expires_and_one_that_moves_does_not(house: House) -> None:
    async with house.croupier():
        quiet, busy = await house.opened(), await house.opened()
        house.wait(60_000)
        await house.matches.join(busy, "Ada", "server", house.ask())
        house.wait(40_000)
        await house.until(quiet, is_over)
        await house.stays(busy)
        house.wait(51_000)
        await house.until(busy, is_over)
    assert (await house.events(busy))[-2:] == [events.EndAsked("expired"), events.MatchEnded(None)]


async def test_whoever_was_waited_for_while_the_service_was_down_gets_the_whole_time_again(house: House) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob")
        await house.until(match_id, is_dealt)
    house.wait(3_600_000)
    async with house.croupier():
        await house.stays(match_id)
        house.wait(50_000)
        await house.stays(match_id)
        house.wait(12_000)
        await house.until(match_id, has_waited)


async def test_a_pause_after_time_in_which_nobody_was_there_ends_when_it_was_said_to(house: House) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob", host={"hold_ms": 600_000})
        await house.until(match_id, is_dealt)
    house.wait(3_600_000)
    async with house.croupier():
        await house.matches.submit(match_id, commands.PauseTable("break"), house.ask())
        await house.pauses_for(match_id, 600_000)


@pytest.mark.parametrize("rules", [{}, {"clock": {"bank_ms": 60_000}}], ids=["no clocks", "clocks"])
async def test_a_pause_in_which_nobody_was_there_has_its_whole_time_again(house: House, rules: dict[str, Any]) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob", host={"hold_ms": 600_000}, **rules)
        await house.until(match_id, is_dealt)
        await house.matches.submit(match_id, commands.PauseTable("break"), house.ask())
    house.wait(3_600_000)
    async with house.croupier():
        await house.stays(match_id)
        await house.pauses_for(match_id, 600_000)


async def test_time_that_nobody_kept_is_given_back_without_a_start(house: House) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob")
        await house.until(match_id, is_dealt)
    async with house.croupier():
        await house.bid(match_id)
        house.wait(50_000)
        await house.stays(match_id, 0.1)
        house.wait(12_000)
        await house.until(match_id, has_waited)


async def test_a_match_that_its_host_wants_to_wait_for_ever_waits(house: House) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob", idle=None)
        lobby = await house.opened(idle=None)
        await house.until(match_id, is_dealt)
        house.wait(86_400_000)
        await house.stays(match_id)
        await house.stays(lobby, 0.1)


async def begun_without_room(house: House, failing: Failing) -> UUID:
    """Return a match whose second round is due, from when on something fails."""
    match_id = await house.begun("Ada", "Bob", pause_ms=10_000, deal_per="round", options={"dice_per_player": 2})
    await house.until(match_id, is_dealt)
    await house.bid(match_id)
    await house.challenge(match_id)
    await house.stays(match_id, 0.05)
    failing.left, failing.tried = 1, 0
    house.wait(10_000)
    return match_id


def is_dealt_again(match: Match) -> bool:
    return is_dealt(match) and match.table is not None and match.table.round_number == 2


def logs_deal(_self: object, _match_id: UUID, command: object, *_more: object) -> bool:
    return isinstance(command, commands.LogDeal)


STEPS: dict[str, tuple[str, Callable[..., bool]]] = {
    "acting": ("advance", lambda *_given: True),
    "looking": ("load_in_time", lambda *_given: True),
    "logging": ("submit", logs_deal),
}
"""What the table does after a round, by the method it takes, and when it is that."""


@pytest.mark.parametrize("step", STEPS)
async def test_what_there_was_no_room_for_at_a_table_is_done_half_a_minute_later(
    house: House, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    (name, when), failing, stuck = STEPS[step], Failing(), Stuck()
    monkeypatch.setattr(CommandHandler, name, failing.instead_of(getattr(CommandHandler, name), when))
    async with house.croupier(stuck=stuck):
        match_id = await begun_without_room(house, failing)
        await house.becomes(lambda: stuck.is_stuck(NAME, stream_of(match_id)))
        await house.stays(match_id, 0.1)
        house.wait(AGAIN_MS)
        await house.until(match_id, is_dealt_again)
        await house.becomes(lambda: not stuck.is_stuck(NAME, stream_of(match_id)))


async def test_what_always_fails_at_a_table_is_tried_once_in_half_a_minute_and_stays_told(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing, stuck = Failing(), Stuck()
    monkeypatch.setattr(CommandHandler, "advance", failing.instead_of(CommandHandler.advance))
    async with house.croupier(stuck=stuck):
        match_id = await begun_without_room(house, failing)
        failing.left = 9
        for tried in (1, 2, 3):
            await house.becomes(lambda tried=tried: failing.tried == tried)  # type: ignore[misc]
            await house.stays(match_id, 0.1)
            assert failing.tried == tried
            assert stuck.is_stuck(NAME, stream_of(match_id))
            house.wait(AGAIN_MS)


@contextmanager
def late(house: House, match_id: UUID, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the store take lines of this match no sooner than behind this."""
    append, is_over = house.store.append, asyncio.Event()

    async def append_late(lines: Append) -> Outcome:
        if lines.stream == stream_of(match_id):
            await is_over.wait()
        return await append(lines)

    monkeypatch.setattr(house.store, "append", append_late)
    try:
        yield
    finally:
        is_over.set()


async def test_a_table_whose_commit_is_slow_holds_up_no_other_that_is_due(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house.croupier():
        slow, other = await house.begun("Ada", "Bob"), await house.begun("Cyd", "Dan")
        for match_id in (slow, other):
            await house.until(match_id, is_dealt)
        with late(house, slow, monkeypatch):
            house.wait(60_000)
            await house.until(other, has_waited)
            assert not has_waited(await house.match(slow))
        await house.until(slow, has_waited)


async def test_a_deal_whose_commit_is_slow_holds_up_no_other_that_is_in_the_log(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, other = sorted([await house.begun("Ada", "Bob"), await house.begun("Cyd", "Dan")])
    with late(house, slow, monkeypatch):
        async with house.croupier():
            await house.until(other, is_dealt)
            assert not is_dealt(await house.match(slow))
    async with house.croupier():
        await house.until(slow, is_dealt)
