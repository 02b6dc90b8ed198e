"""Turns of bots: told once their deal is over, and then anybody works each move out again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from domain import commands, events
from domain.ids import Seat, Version
from domain.match.record import fold, stream_of
from services.bots.playing import chooser_of
from services.engines.levels import CHANCE_BYTES
from services.engines.seen import SeenMatch
from services.matches.requests import CommandMetadata
from services.matches.secrets.turn_chance import chance_of_turn
from services.matches.watching.bot_turns import ToldTurn
from tests.bots.test_player import Rig, working

RULES: dict[str, Any] = {"game": "common_hand", "options": {"dice_per_player": 2}, "seats": 2, "pause_ms": 0}


def done(event: events.Bid | events.Challenged | events.SpotOnCalled) -> commands.Play:
    """Return what was asked for when this happened."""
    if isinstance(event, events.Bid):
        return commands.Bid(event.seat, event.quantity, event.face)
    return (commands.Challenge if isinstance(event, events.Challenged) else commands.SpotOn)(event.seat)


async def seen_at(rig: Rig, match_id: UUID, seat: Seat, version: Version) -> SeenMatch:
    """Return what a seat has seen of a match by then, frame by frame."""
    seen = SeenMatch(seat)
    for frame in await rig.matches.frames(match_id, seat, 0, version):
        seen.take(frame)
    return seen


async def worked_out(rig: Rig, match_id: UUID, turn: ToldTurn) -> commands.Play:
    """Return the move that anybody finds who works a turn out again: from the frames of its seat, and its chance."""
    seen = await seen_at(rig, match_id, turn.seat, turn.version)
    assert turn.chance is not None
    thought = chooser_of(turn.level).choose(seen, bytes.fromhex(turn.chance))
    assert thought is not None
    return thought.command


def over(history: list[Any]) -> bool:
    return bool(history[-1][0].match.ended)


@pytest.mark.parametrize("deal_per", ["match", "round"])
async def test_every_move_of_a_bot_is_worked_out_again_from_its_frames_and_the_secret_of_the_deal(
    deal_per: str,
) -> None:
    rig = Rig()
    match_id = await rig.opened({**RULES, "deal_per": deal_per})
    async with working(rig.croupier(), rig.bots()):
        await rig.until(match_id, over)
    told = {turn.version: turn for turn in await rig.matches.bot_turns(match_id)}
    steps = list(fold(await rig.store.read(stream_of(match_id))))
    acts = [
        (written.match.version - 1, event)
        for written, event in steps
        if isinstance(event, events.Bid | events.Challenged | events.SpotOnCalled)
    ]
    assert acts
    assert {version for version, _ in acts} == {*told}
    for version, event in acts:
        assert await worked_out(rig, match_id, told[version]) == done(event)


async def test_turns_of_a_deal_that_goes_on_are_told_to_nobody() -> None:
    rig = Rig()
    match_id = await rig.opened(RULES)
    async with working(rig.croupier(), rig.bots()):
        await rig.until(match_id, lambda history: any(isinstance(event, events.Bid) for _, event in history))
        kept, told = await rig.store.bot_turns(stream_of(match_id)), await rig.matches.bot_turns(match_id)
    assert kept
    ended = (await rig.matches.load_match(match_id)).match.ended
    assert told == [] or ended


async def test_a_deal_that_keeps_its_secret_keeps_the_chance_of_its_bots() -> None:
    rig = Rig()
    asked = CommandMetadata("test", "shown", b"")
    opened = await rig.matches.open(RULES, asked, policy="shown")
    match_id = UUID(opened.match)
    await rig.matches.seat_bots(match_id, 2, CommandMetadata("test", "seat", b""))
    await rig.matches.start(match_id, CommandMetadata("test", "start", b""))
    async with working(rig.croupier(), rig.bots()):
        await rig.until(match_id, over)
    told = await rig.matches.bot_turns(match_id)
    assert told
    assert {turn.chance for turn in told} == {None}


def test_the_chance_of_a_turn_is_another_at_every_version_in_every_match_and_deal() -> None:
    one, other = bytes(32), bytes(31) + b"1"
    found = {
        chance_of_turn(secret, mix, UUID(int=match), version)
        for secret in (one, other)
        for mix in (one, other)
        for match in (1, 2)
        for version in (1, 2)
    }
    assert len(found) == 16
    assert {len(chance) for chance in found} == {CHANCE_BYTES}
