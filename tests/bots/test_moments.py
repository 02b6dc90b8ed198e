"""The moments of house bots: they owe nothing to their hands, and come soon after a start, however much there is.

The clock stands still here but for who waits and who thinks, so that moments are compared and nobody is timed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import commands, events
from domain.match.record import fold, stream_of
from domain.table.moves import moves_of
from domain.table.offers import BidMove
from domain.table.state import State
from infra.clock import now_ms
from infra.store import Append, Outcome, Unavailable
from infra.store.memory import MemoryStore
from services.bots import player
from services.bots.agenda import STALE_MAX, Agenda, BotTurn
from services.bots.player import AGAIN_MS, AHEAD_STEP_MS, READ_MAX, Bots, moment, thinks_after
from services.engines.levels import Thought
from services.engines.seen import SeenMatch
from services.matches import handler
from services.matches.handler import CommandHandler
from services.matches.requests import Answer, CommandMetadata
from tests.bots.test_player import Nap, Rig, working

RULES = {"game": "common_hand", "options": {"dice_per_player": 3}, "seats": 3, "pause_ms": 0}
COMMANDS = 6
"""How many it takes until somebody is to claim something."""
PAUSE_MS = 1_200
PATIENCE_S = 60
TIMES = st.integers(0, 10_000)


class Clock:
    """A clock that goes on while somebody waits or thinks, up to where a test lets it."""

    def __init__(self) -> None:
        self.now = self.begun = now_ms()
        self.end = self.begun
        self.stands, self.goes_on = asyncio.Event(), asyncio.Event()
        self.rung = False

    def now_ms(self) -> int:
        return self.now

    async def wait(self, timeout_s: float) -> None:
        """Let so much time pass."""
        after = self.now + round(1_000 * timeout_s)
        if after > self.end and not self.rung:
            self.now = self.end
            self.stands.set()
            await self.goes_on.wait()
        elif not self.rung:
            self.now = after
        self.rung = False
        await asyncio.sleep(0)

    def ring(self, *_stored: object) -> None:
        """Wake the next sleeper at once."""
        self.rung = True

    async def reaches(self, after_ms: int) -> None:
        """Return when so much time has passed since the beginning; then it stands still."""
        self.end = self.begun + after_ms
        self.stands.clear()
        self.goes_on.set()
        async with asyncio.timeout(PATIENCE_S):
            await self.stands.wait()
        self.goes_on.clear()

    def since(self, times: Iterable[int]) -> list[int]:
        """Return how long after the beginning these were."""
        return [at - self.begun for at in times]


class Thinker:
    """Claims as little as it may, and thinks as long as it is told, once for each of these times; then nothing more."""

    def __init__(self, clock: Clock, *times_ms: int) -> None:
        self.seen: list[tuple[UUID, int]] = []
        self.began: list[int] = []
        self._clock = clock
        self._times = list(times_ms)

    def __call__(self, _level: str, seen: SeenMatch, _chance: bytes) -> Thought | None:
        assert seen.match is not None
        self.seen.append((seen.match.id, seen.version))
        self.began.append(self._clock.now)
        if len(self.seen) > len(self._times):
            return None
        self._clock.now += self._times[len(self.seen) - 1]
        return Thought(least(seen.state), "L1")


def least(state: State | None) -> commands.Bid:
    """Return the lowest claim of the seat in turn."""
    assert state is not None and state.turn is not None  # noqa: PT018 - one thing: somebody is to claim
    (move,) = (move for move in moves_of(state, state.turn) if isinstance(move, BidMove))
    return commands.Bid(state.turn, *move.lowest[0])


async def least_of(rig: Rig, match_id: UUID) -> commands.Bid:
    """Return the lowest claim of whose turn it is in a match."""
    return least((await rig.matches.load_match(match_id)).match.table)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    for module in (handler, player):
        monkeypatch.setattr(module, "now_ms", found.now_ms)
    monkeypatch.setattr(player, "thinks_after", lambda pause_ms: pause_ms // 2)
    return found


async def dealt(rig: Rig, count: int = 1, clock: Clock | None = None) -> list[UUID]:
    """Return matches of bots alone, in which one of them is to claim something, from the moment of the clock on."""
    if clock is not None:
        # While it stands, each command of a match is a millisecond later than the one before it.
        clock.now -= COMMANDS - 1
    found = []
    async with working(rig.croupier()):
        for number in range(count):
            match_id = UUID(
                (await rig.matches.open(RULES, CommandMetadata("test", f"open-{number}-of-{count}", b""))).match
            )
            await rig.matches.seat_bots(match_id, 3, CommandMetadata("test", "seat", b""))
            await rig.matches.start(match_id, CommandMetadata("test", "start", b""))
            await rig.until(match_id, lambda history: history[-1][0].match.table.turn is not None)
            found.append(match_id)
    if clock is not None:
        clock.now += COMMANDS - 1
    return found


async def bids(rig: Rig, match_id: UUID) -> list[int]:
    """Return when something was claimed in a match."""
    lines = await rig.store.read(stream_of(match_id))
    return [written.match.at for written, event in fold(lines) if isinstance(event, events.Bid)]


# ---- moments --------------------------------------------------------------------------------------


@pytest.mark.parametrize("thinks_ms", [(0, 0, 0), (1, 63, 0), (599, 13, 600)])
async def test_bots_act_at_the_end_of_their_pause_however_long_they_think_over_their_hands(
    clock: Clock, thinks_ms: tuple[int, ...]
) -> None:
    rig = Rig()
    (match_id,) = await dealt(rig, clock=clock)
    async with working(Bots(rig.store, rig.house(), clock, PAUSE_MS, Thinker(clock, *thinks_ms)).run()):
        await clock.reaches(4 * PAUSE_MS)
    assert clock.since(await bids(rig, match_id)) == [PAUSE_MS, 2 * PAUSE_MS, 3 * PAUSE_MS]


async def test_bots_think_in_the_middle_of_their_pause_when_the_line_before_has_long_been_sent(clock: Clock) -> None:
    rig = Rig()
    await dealt(rig, clock=clock)
    thinker = Thinker(clock, 63, 0)
    async with working(Bots(rig.store, rig.house(), clock, PAUSE_MS, thinker).run()):
        await clock.reaches(2 * PAUSE_MS)
    assert clock.since(thinker.began) == [PAUSE_MS // 2, PAUSE_MS + PAUSE_MS // 2]


@pytest.mark.parametrize("thinks_ms", [(0, 0, 0), (1, AHEAD_STEP_MS, 0), (AHEAD_STEP_MS, 2, 1)])
async def test_bots_without_a_pause_act_a_step_after_they_began_to_think(
    clock: Clock, thinks_ms: tuple[int, ...]
) -> None:
    rig = Rig()
    (match_id,) = await dealt(rig, clock=clock)
    rig.store.on_commit = clock.ring
    async with working(Bots(rig.store, rig.house(), clock, 0, Thinker(clock, *thinks_ms)).run()):
        await clock.reaches(PAUSE_MS)
    assert clock.since(await bids(rig, match_id)) == [AHEAD_STEP_MS, 2 * AHEAD_STEP_MS, 3 * AHEAD_STEP_MS]


@given(st.integers(0, 100_000))
def test_nobody_can_tell_at_which_moment_of_its_pause_a_bot_thinks(pause_ms: int) -> None:
    moments = {thinks_after(pause_ms) for _ in range(100)}
    assert all(pause_ms // 8 <= moment <= pause_ms // 8 + pause_ms // 2 for moment in moments)
    assert len(moments) > min(pause_ms // 4, 50)


@given(TIMES, TIMES, st.integers(0, 100))
def test_who_thinks_too_long_is_late_by_whole_steps(due_at: int, begun: int, thinks_ms: int) -> None:
    at = moment(due_at, begun, begun + thinks_ms, AHEAD_STEP_MS)
    assert at > begun
    assert at >= max(due_at, begun + thinks_ms)
    assert (at - due_at) % AHEAD_STEP_MS == 0
    assert at == due_at or at - AHEAD_STEP_MS < begun + max(1, thinks_ms)


async def test_who_is_due_waits_for_no_more_than_one_who_thinks(clock: Clock) -> None:
    rig = Rig()
    (due,) = await dealt(rig, clock=clock)
    clock.now += PAUSE_MS // 2 - 50
    others = await dealt(rig, 3, clock)
    thinker = Thinker(clock, 0, 30, 30, 30)
    async with working(Bots(rig.store, rig.house(), clock, PAUSE_MS, thinker).run()):
        await clock.reaches(2 * PAUSE_MS - 50)
    assert clock.since(await bids(rig, due)) == [PAUSE_MS + 10]
    assert {match for match, _ in thinker.seen[1:4]} == {*others}
    assert [clock.since(await bids(rig, other)) for other in others] == [[2 * PAUSE_MS - PAUSE_MS // 2 - 50]] * 3


# ---- trouble between choosing and acting ----------------------------------------------------------


@pytest.mark.parametrize("thinks_ms", [0, 63])
async def test_who_takes_over_after_a_crash_chooses_anew_and_acts_when_it_was_due(clock: Clock, thinks_ms: int) -> None:
    rig = Rig()
    (match_id,) = await dealt(rig, clock=clock)
    thinker = Thinker(clock, thinks_ms, thinks_ms)
    for end_ms in (PAUSE_MS - 2 * AHEAD_STEP_MS, 2 * PAUSE_MS - 1):
        async with working(Bots(rig.store, rig.house(), clock, PAUSE_MS, thinker).run()):
            await clock.reaches(end_ms)
    assert thinker.seen[1] == thinker.seen[0]
    assert clock.since(await bids(rig, match_id)) == [PAUSE_MS]


class Away(MemoryStore):
    """Another program's way to a store that takes so many commands later."""

    times: int

    def __init__(self, store: MemoryStore, times: int) -> None:
        self.__dict__ = store.__dict__ | {"times": times}

    async def append(self, append: Append) -> Outcome:
        if self.times:
            self.times -= 1
            raise Unavailable("for a moment")
        return await super().append(append)


@pytest.mark.parametrize("thinks_ms", [0, 63])
async def test_what_was_chosen_is_handed_in_when_the_store_is_there_again(clock: Clock, thinks_ms: int) -> None:
    rig = Rig()
    (match_id,) = await dealt(rig, clock=clock)
    rig.store = Away(rig.store, 2)
    thinker = Thinker(clock, thinks_ms)
    async with working(Bots(rig.store, rig.house(), clock, PAUSE_MS, thinker).run()):
        await clock.reaches(PAUSE_MS + 2 * AGAIN_MS + 1)
    assert len(thinker.seen) == 1
    assert clock.since(await bids(rig, match_id)) == [PAUSE_MS + 2 * AGAIN_MS]


class Gone(MemoryStore):
    """Another program's way to a store that once, from some time on, does not say what has moved."""

    clock: Clock
    gone_at: int | None

    def __init__(self, store: MemoryStore, clock: Clock, after_ms: int) -> None:
        self.__dict__ = store.__dict__ | {"clock": clock, "gone_at": clock.begun + after_ms}

    async def positions(self) -> dict[int, int]:
        if self.gone_at is not None and self.clock.now >= self.gone_at:
            self.gone_at = None
            raise Unavailable("for a moment")
        return await super().positions()


async def test_a_store_that_is_away_between_choosing_and_acting_moves_nothing(clock: Clock) -> None:
    rig = Rig()
    (match_id,) = await dealt(rig, clock=clock)
    rig.store = gone = Gone(rig.store, clock, PAUSE_MS - 300)
    thinker = Thinker(clock, 63, 13)
    async with working(Bots(rig.store, rig.house(), clock, PAUSE_MS, thinker).run()):
        await clock.reaches(2 * PAUSE_MS - 1)
    assert gone.gone_at is None
    assert clock.since(await bids(rig, match_id)) == [PAUSE_MS]


class Handed:
    """A house that notes for which turns it is handed commands, and cannot show frames so many times."""

    def __init__(self, matches: CommandHandler, blind: int = 0) -> None:
        self.versions: list[int] = []
        self._matches = matches
        self._blind = blind

    async def frames(self, match_id: UUID, viewer: int, after: int, limit: int) -> list[bytes]:
        if self._blind:
            self._blind -= 1
            raise Unavailable("for a moment")
        return await self._matches.frames(match_id, viewer, after, limit)

    async def submit(self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata) -> Answer:
        self.versions += () if ask.turn is None else (ask.turn,)
        return await self._matches.submit(match_id, command, ask)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._matches, name)


async def test_what_was_chosen_is_forgotten_once_the_match_has_moved(clock: Clock) -> None:
    rig = Rig()
    (match_id,) = await dealt(rig, clock=clock)
    thinker = Thinker(clock, 0, 0)
    house = Handed(rig.house())
    async with working(Bots(rig.store, house, clock, PAUSE_MS, thinker).run()):
        await clock.reaches(PAUSE_MS - 200)
        ((_, version),) = thinker.seen
        await rig.matches.submit(match_id, await least_of(rig, match_id), CommandMetadata("test", "first", b""))
        await clock.reaches(3 * PAUSE_MS - 1)
    assert clock.since(await bids(rig, match_id)) == [PAUSE_MS - 200, 2 * PAUSE_MS - 200]
    assert house.versions == [version + 1]


@pytest.mark.parametrize(("thinks_ms", "steps"), [(0, 2), (100, 2), (101, 3), (AHEAD_STEP_MS, 3)])
async def test_who_cannot_look_at_its_hand_looks_again_later_and_acts_a_whole_number_of_steps_after_it_was_due(
    clock: Clock, thinks_ms: int, steps: int
) -> None:
    rig = Rig()
    (match_id,) = await dealt(rig, clock=clock)
    house = Handed(rig.house(), blind=1)
    async with working(Bots(rig.store, house, clock, PAUSE_MS, Thinker(clock, thinks_ms)).run()):
        await clock.reaches(2 * PAUSE_MS)
    assert clock.since(await bids(rig, match_id)) == [PAUSE_MS + steps * AHEAD_STEP_MS]


# ---- the start ------------------------------------------------------------------------------------


class Busy(MemoryStore):
    """Another program's way to a store in which a match moves while the bots ask what there is, which it tells last."""

    rig: Rig
    new: UUID
    used: list[str]

    def __init__(self, rig: Rig, new: UUID) -> None:
        self.__dict__ = rig.store.__dict__ | {"rig": rig, "new": new, "used": []}

    async def streams_live(self) -> list[str]:
        live = await super().streams_live()
        ask = CommandMetadata("test", "moves", b"")
        await self.rig.matches.submit(self.new, await least_of(self.rig, self.new), ask)
        return sorted(live, key=lambda stream: stream == stream_of(self.new))

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        self.used.append(stream)
        return await super().read(stream, after, limit)

    async def append(self, append: Append) -> Outcome:
        self.used.append("append to " + append.stream)
        return await super().append(append)


async def test_at_the_start_a_match_that_moves_goes_before_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "AHEAD_STEP_MS", player.STEP_MS)  # others are read while a bot keeps its time to itself
    rig, program = Rig(), Rig()
    *old, new = await dealt(rig, 3 * READ_MAX + 2)
    program.store = busy = Busy(rig, new)
    async with working(Bots(busy, program.house(), Nap(), 0).run()):
        for match_id in (new, *old):
            await rig.until(match_id, lambda history: any(isinstance(event, events.Bid) for _, event in history))
        await rig.until(new, lambda _: "append to " + stream_of(new) in busy.used)
    before = busy.used[: busy.used.index("append to " + stream_of(new))]
    read = {stream_of(match_id) for match_id in old} & {*before}
    assert len(read) <= 2 * READ_MAX


# ---- the agenda -----------------------------------------------------------------------------------


@given(st.lists(st.tuples(TIMES, st.integers(0, 3), st.booleans()), max_size=40), TIMES)
def test_the_agenda_holds_the_last_turn_of_each_match_and_gives_them_in_order(puts: Any, now: int) -> None:
    agenda, last = Agenda(), dict[UUID, BotTurn]()
    for version, (at, number, stays) in enumerate(puts):
        turn = BotTurn(at, at, UUID(int=number), 1, version, "L2.steady")
        agenda.put(turn)
        last[turn.match] = turn
        assert agenda.has(turn)
        if not stays:
            agenda.drop(turn.match)
            del last[turn.match]
    assert agenda.next_at() == min((turn.at for turn in last.values()), default=None)
    due = sorted((turn for turn in last.values() if turn.at <= now), key=lambda turn: (turn.at, turn.match))
    assert agenda.take(now, 2) == due[:2]
    assert agenda.take(now, 4) == due[2:]
    assert len(agenda) == len(last) - len(due)


def test_turns_of_one_match_take_the_room_of_one() -> None:
    agenda = Agenda()
    for version in range(10 * STALE_MAX):
        agenda.put(BotTurn(version, version, UUID(int=0), 1, version, "L2.steady"))
    assert len(agenda) == 1
    assert len(agenda._order) <= STALE_MAX + 2  # noqa: SLF001 - nobody else sees how much room it takes
