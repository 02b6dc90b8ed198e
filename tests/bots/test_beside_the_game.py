"""Bots at tables where others write beside the game: no key, gift or pause moves the moment at which one acts.

The clock stands still here but for who waits and who thinks, as in `test_moments`.
"""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import pytest
from msgspec import convert

from domain import commands, events
from domain.match.evolve import is_halted
from domain.match.record import fold, stream_of
from domain.match.signed_commands import SeatSignature
from domain.match.turns import TurnBegun
from domain.table.state import State
from infra.store import Card, Choices
from services.bots.player import AHEAD_MS, BANK_SHARE, Bots, turn_of
from services.engines.levels import Thought
from services.engines.seen import SeenMatch
from services.matches.requests import CommandMetadata, SeatMark
from tests.bots.test_bot_turns import done, over, worked_out
from tests.bots.test_moments import PATIENCE_S, PAUSE_MS, Clock, Handed, Thinker, clock, least
from tests.bots.test_player import Nap, Rig, working
from tests.signed.hands import Hand

__all__ = ["clock"]

RULES: dict[str, Any] = {
    "game": "common_hand",
    "options": {"dice_per_player": 2},
    "seats": 2,
    "pause_ms": 0,
    "starter": 2,
    "clock": {"bank_ms": 60_000},
}
ASIDE_MS = 300
"""How far apart the lines beside the game are: a quarter of the pause."""


class Guest:
    """Somebody with a key at a table with a bot, which is to act first."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.asked = 0

    async def sit(self, rules: dict[str, Any] = RULES, choices: Choices | None = None) -> UUID:
        card = Card(choices=choices or Choices())
        self.match = UUID((await self.rig.matches.open(rules, self.ask(), card=card)).match)
        self.hand = Hand(self.match, 1)
        signing = (await self.rig.matches.load_match(self.match)).written.signing
        ask = self.ask(convert(self.hand.sign_join(signing, "server"), SeatSignature))
        await self.rig.matches.join(self.match, "Ada", "server", ask, None, SeatMark(self.hand.key))
        self.hand.seat = 1
        await self.rig.matches.seat_bots(self.match, 1, self.ask())
        await self.rig.matches.start(self.match, self.ask())
        async with working(self.rig.croupier()):
            await self.rig.until(self.match, lambda history: history[-1][0].match.table.turn == 2)
        return self.match

    def ask(self, signature: SeatSignature | None = None) -> CommandMetadata:
        self.asked += 1
        return CommandMetadata("test", f"guest-{self.asked}", b"", signature=signature)

    async def rekey(self) -> None:
        """Take another key for the seat."""
        new = Hand(self.match, 1 + self.asked, 1)
        signing = (await self.rig.matches.load_match(self.match)).written.signing
        signed = self.hand.sign(signing, {"type": "rekey", "key": new.key})
        await self.submit(commands.Rekey(1, new.key), convert(signed, SeatSignature))
        self.hand = new

    async def name_key(self) -> None:
        """Have a key named for the seat, as the host."""
        await self.submit(commands.NameKey(1, Hand(self.match, 100 + self.asked).key))

    async def give_time(self) -> None:
        """Give oneself time, as the host."""
        await self.submit(commands.GiveTime(1, 1_000, "other"))

    async def play(self, table: State) -> None:
        """Doubt what stands, or claim as little as may be."""
        bid = None if table.round.standing is not None else least(table)
        public = {"type": "challenge"} if bid is None else {"type": "bid", "quantity": bid.quantity, "face": bid.face}
        signing = (await self.rig.matches.load_match(self.match)).written.signing
        await self.submit(bid or commands.Challenge(1), convert(self.hand.sign(signing, public), SeatSignature))

    async def submit(self, command: commands.MatchCommand, signature: SeatSignature | None = None) -> None:
        await self.rig.matches.submit(self.match, command, self.ask(signature))


async def seated(rig: Rig, clock: Clock, choices: Choices | None = None) -> tuple[Guest, UUID, TurnBegun]:
    """Seat a guest with a bot, whose turn it is, and let it be the time at which that began."""
    guest = Guest(rig)
    match_id = await guest.sit(choices=choices)
    begun = (await rig.matches.load_match(match_id)).match.begun
    clock.now = clock.begun = clock.end = begun.at
    return guest, match_id, begun


async def bid_at(rig: Rig, match_id: UUID) -> int:
    """Return when something was first claimed."""
    lines = await rig.store.read(stream_of(match_id))
    return next(written.match.at for written, event in fold(lines) if isinstance(event, events.Bid))


@pytest.mark.parametrize("aside", [Guest.rekey, Guest.name_key, Guest.give_time])
async def test_no_line_beside_the_game_moves_the_moment_of_a_bot_or_has_it_think_again(
    clock: Clock, aside: Any
) -> None:
    rig = Rig()
    guest, match_id, begun = await seated(rig, clock)
    thinker, house = Thinker(clock, 7), Handed(rig.house())
    async with working(Bots(rig.store, house, clock, PAUSE_MS, thinker).run()):
        for number in range(1, PAUSE_MS // ASIDE_MS):
            await clock.reaches(number * ASIDE_MS)
            await aside(guest)
        await clock.reaches(PAUSE_MS + 10)
    assert await bid_at(rig, match_id) - clock.begun == PAUSE_MS
    assert [version for _, version in thinker.seen] == [begun.version] == house.versions


@pytest.mark.parametrize("plays_ms", [100, 1_000])
async def test_a_table_that_is_held_up_again_and_again_costs_a_bot_no_more_of_its_bank(
    clock: Clock, plays_ms: int
) -> None:
    rig = Rig()
    guest, match_id, _ = await seated(rig, clock)
    thinker = Thinker(clock, 7)
    played_ms, at = 0, 0
    async with working(Bots(rig.store, rig.house(), clock, PAUSE_MS, thinker).run()):
        while played_ms + plays_ms < PAUSE_MS:
            played_ms, at = played_ms + plays_ms, at + plays_ms
            await clock.reaches(at)
            await guest.submit(commands.PauseTable("break"))
            at += 50
            await clock.reaches(at)
            await guest.submit(commands.ResumeTable())
        await clock.reaches(at + PAUSE_MS)
    assert await bid_at(rig, match_id) - clock.begun - at == PAUSE_MS - played_ms
    assert len(thinker.seen) == 1


async def test_a_clock_that_leaps_while_a_bot_thinks_of_a_table_that_is_held_up_delays_it_once(clock: Clock) -> None:
    rig = Rig()
    guest, match_id, _ = await seated(rig, clock)
    loop, leaps_ms = asyncio.get_running_loop(), 9_000
    thinker = Thinker(clock, leaps_ms)

    def held_up_meanwhile(level: str, seen: SeenMatch, chance: bytes) -> Thought | None:
        asyncio.run_coroutine_threadsafe(guest.submit(commands.PauseTable("break")), loop).result(PATIENCE_S)
        return thinker(level, seen, chance)

    thinks_at = PAUSE_MS // 2
    async with working(Bots(rig.store, rig.house(), clock, PAUSE_MS, held_up_meanwhile).run()):
        await clock.reaches(thinks_at + leaps_ms + 200)
        await guest.submit(commands.ResumeTable())
        await clock.reaches(2 * PAUSE_MS + leaps_ms)
    assert len(thinker.seen) == 1
    assert await bid_at(rig, match_id) - clock.begun == PAUSE_MS + leaps_ms + 200


@pytest.mark.parametrize("thinks_ms", [1, 450])
async def test_a_pause_delays_a_bot_as_long_though_it_thinks_from_before_it_until_behind_it(
    clock: Clock, thinks_ms: int
) -> None:
    rig = Rig()
    guest, match_id, _ = await seated(rig, clock)
    loop, begins_ms, ends_ms = asyncio.get_running_loop(), 700, 1_000
    thinker = Thinker(clock, 0)
    is_unseen = PAUSE_MS // 2 + thinks_ms > ends_ms

    def meanwhile(after_ms: int, command: commands.MatchCommand) -> None:
        clock.now = clock.begun + after_ms
        asyncio.run_coroutine_threadsafe(guest.submit(command), loop).result(PATIENCE_S)

    def thinks(level: str, seen: SeenMatch, chance: bytes) -> Thought | None:
        began, thought = clock.now, thinker(level, seen, chance)
        if is_unseen:
            meanwhile(begins_ms, commands.PauseTable("break"))
            meanwhile(ends_ms, commands.ResumeTable())
        clock.now = began + thinks_ms
        return thought

    async with working(Bots(rig.store, rig.house(), clock, PAUSE_MS, thinks).run()):
        if not is_unseen:
            await clock.reaches(begins_ms)
            await guest.submit(commands.PauseTable("break"))
            await clock.reaches(ends_ms)
            await guest.submit(commands.ResumeTable())
        await clock.reaches(3 * PAUSE_MS)
    assert len(thinker.seen) == 1 or thinker.seen[1] != thinker.seen[0]
    assert await bid_at(rig, match_id) - clock.begun == PAUSE_MS + ends_ms - begins_ms


async def test_a_quick_bot_is_put_off_by_no_line_beside_the_game_and_thinks_once(clock: Clock) -> None:
    rig = Rig()
    guest, match_id, begun = await seated(rig, clock, Choices(bots="instant"))
    thinker = Thinker(clock, 1)
    async with working(Bots(rig.store, rig.house(), clock, PAUSE_MS, thinker).run()):
        for at in range(100, AHEAD_MS, 100):
            await clock.reaches(at)
            await guest.name_key()
        await clock.reaches(AHEAD_MS + 10)
    assert await bid_at(rig, match_id) - clock.begun == AHEAD_MS
    assert [version for _, version in thinker.seen] == [begun.version]


async def test_moves_among_lines_beside_the_game_are_worked_out_again_like_any_other() -> None:
    rig = Rig()
    guest = Guest(rig)
    match_id = await guest.sit({**RULES, "options": {"dice_per_player": 1}, "clock": None, "asides": 10_000})
    async with working(rig.croupier(), rig.bots()), asyncio.timeout(PATIENCE_S):
        while not (match := (await rig.matches.load_match(match_id)).match).ended:
            assert match.table is not None
            await guest.rekey()
            if match.table.turn == 1 and not is_halted(match):
                await guest.play(match.table)
            await asyncio.sleep(0.01)
    told = {turn.version: turn for turn in await rig.matches.bot_turns(match_id)}
    steps = list(fold(await rig.store.read(stream_of(match_id))))
    before = [written.match for written, _ in steps]
    acts = [
        (match, event)
        for match, (_, event) in zip(before, steps[1:], strict=False)
        if isinstance(event, events.Bid | events.Challenged) and event.seat == 2
    ]
    assert acts
    assert over(steps)
    assert any(match.version > match.begun.version for match, _ in acts)
    for match, event in acts:
        assert await worked_out(rig, match_id, told[match.begun.version]) == done(event)


async def test_a_bot_never_loses_on_time_by_waiting() -> None:
    rig = Rig()
    guest = Guest(rig)
    match_id = await guest.sit({**RULES, "clock": {"bank_ms": 1_600}})
    match = (await rig.matches.load_match(match_id)).match
    turn = turn_of(match, PAUSE_MS)
    assert turn is not None
    assert turn.due_at - match.begun.at == 1_600 // BANK_SHARE
    async with working(rig.croupier(), Bots(rig.store, rig.house(), Nap(), PAUSE_MS).run()):
        await rig.until(match_id, lambda history: any(isinstance(event, events.Bid) for _, event in history))


@pytest.mark.parametrize("left_ms", [500, 30_000])
async def test_a_stand_in_waits_for_no_more_than_a_part_of_what_the_clock_has_left(clock: Clock, left_ms: int) -> None:
    rig = Rig()
    ask = Guest(rig).ask
    match_id = UUID((await rig.matches.open({**RULES, "starter": 1}, ask())).match)
    for name in ("Ada", "Bob"):
        await rig.matches.join(match_id, name, "server", ask())
    await rig.matches.start(match_id, ask())
    async with working(rig.croupier()):
        await rig.until(match_id, lambda history: history[-1][0].match.table.turn == 1)
    clocks = (await rig.matches.load_match(match_id)).match.clocks
    assert clocks is not None
    assert clocks.due_at is not None
    clock.now = clocks.due_at - left_ms
    await rig.matches.submit(match_id, commands.StandIn(1), ask())
    match = (await rig.matches.load_match(match_id)).match
    turn = turn_of(match, PAUSE_MS)
    assert turn is not None
    assert turn.due_at - match.begun.at == min(PAUSE_MS, left_ms // BANK_SHARE)
