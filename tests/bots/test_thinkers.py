"""Bots that look ahead beside the play: when they act owes nothing to how long that takes, and little is lost with it.

The clock stands still here but for who waits, as in `test_moments`; in a process of their own they think at the end.
"""

from __future__ import annotations

import asyncio
import copy
import gc
import os
import signal
from collections.abc import Callable
from functools import partial
from multiprocessing import active_children
from typing import Any, TypeVar
from uuid import UUID

import pytest
from prometheus_client import CollectorRegistry

from domain import commands
from domain.games import GAMES
from domain.match.record import fold, stream_of
from infra.clock import now_ms
from infra.store import Unavailable
from infra.store.people import StoredBotTurn
from services.bots import player, thinkers
from services.bots.ahead import TurnAsked, begin_to_think, think_over
from services.bots.player import AHEAD_STEP_MS, WAITS_MS, Bots
from services.bots.playing import thinks_beside
from services.bots.thinkers import Thinkers
from services.engines.levels import player_of
from services.engines.seen import SeenMatch
from services.local.child import die_with_parent
from services.matches import handler
from services.matches.requests import Answer, CommandMetadata
from services.work.worker import Worker
from tests.bots.tables import BotTable
from tests.bots.test_bot_turns import seen_at
from tests.bots.test_moments import PATIENCE_S, PAUSE_MS, Clock, Handed
from tests.bots.test_player import Nap, Rig, working

ODD: dict[str, Any] = {"game": "two_dice_pass", "options": {"lives": 1}, "seats": 3, "pause_ms": 0}
"""A game in which how long a level looks ahead hangs on dice, and which it soon has looked through."""
HANDS: dict[str, Any] = {
    "game": "individual_hand",
    "options": {"wins_needed": 1, "rerolls": 1},
    "seats": 2,
    "pause_ms": 0,
}
NEVER_MS = 10**9
ClockKind = TypeVar("ClockKind", bound=Clock)


def patched(found: ClockKind, monkeypatch: pytest.MonkeyPatch) -> ClockKind:
    """Let this clock be that of all who look at one."""
    for module in (handler, player, thinkers):
        monkeypatch.setattr(module, "now_ms", found.now_ms)
    monkeypatch.setattr(player, "thinks_after", lambda pause_ms: pause_ms // 2)
    return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return patched(Clock(), monkeypatch)


class Paced(Worker):
    """A process that takes as long as it is told for each turn, and breaks where it is told nothing any more."""

    def __init__(self, clock: Clock, *times_ms: int) -> None:
        super().__init__()
        self.asked: list[TurnAsked] = []
        self._clock, self._times = clock, [*times_ms]

    async def do(self, work: Callable[[Any], Any], given: Any) -> Any:
        self.asked.append(given)
        if not self._times:
            raise Unavailable("it has ended")
        until = self._clock.now + self._times.pop(0)
        while self._clock.now < until:
            await asyncio.sleep(0)
        return work(given)


class Noted(Handed):
    """A house that notes what it is handed."""

    def __init__(self, rig: Rig) -> None:
        super().__init__(rig.house())
        self.commands: dict[int, commands.MatchCommand] = {}

    async def submit(self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata) -> Answer:
        assert ask.turn is not None
        self.commands[ask.turn] = command
        return await super().submit(match_id, command, ask)


async def dealt(rig: Rig, clock: Clock, rules: dict[str, Any] = ODD) -> tuple[UUID, int]:
    """Return a match of bots in which one of them is about to act, and its version."""
    async with working(rig.croupier()):
        match_id = await rig.opened(rules)
        await rig.until(match_id, lambda history: history[-1][0].match.table.turn is not None)
    written, _ = list(fold(await rig.store.read(stream_of(match_id))))[-1]
    clock.now = clock.begun = clock.end = written.match.at
    return match_id, written.match.version


async def acted(rig: Rig, match_id: UUID, version: int) -> tuple[int, str]:
    """Return how long after a version somebody acted, and by which level that was kept to be."""
    steps = [written.match for written, _ in fold(await rig.store.read(stream_of(match_id)))]
    kept = {turn.version: turn.level for turn in await rig.store.bot_turns(stream_of(match_id))}
    return steps[version].at - steps[version - 1].at, kept[version].partition(".")[0]


async def works_out(rig: Rig, match_id: UUID, turn: StoredBotTurn, asked: TurnAsked) -> commands.Play:
    """Return what anybody finds who works a turn out again, by its level, frames and chance."""
    seen = await seen_at(rig, match_id, asked.seen.seat, turn.version)
    thought = player_of(turn.level).choose(seen, asked.chance)
    assert thought is not None
    return thought.command


# ---- when they act, and what they play ------------------------------------------------------------


async def test_bots_act_at_the_same_moment_however_long_a_hand_is_thought_over(clock: Clock) -> None:
    first = Rig()
    match_id, version = await dealt(first, clock)
    found = []
    for takes_ms in (0, 1, 300, PAUSE_MS // 2 + 1, NEVER_MS):
        rig, clock.now = copy.copy(first), clock.begun
        rig.store = copy.deepcopy(first.store)
        worker, house = Paced(clock, takes_ms), Noted(rig)
        async with working(Bots(rig.store, house, clock, PAUSE_MS, thinkers=Thinkers([worker])).run()):
            await clock.reaches(PAUSE_MS + 10)
        found.append(await acted(rig, match_id, version))
        (turn,) = await rig.store.bot_turns(stream_of(match_id))
        assert house.commands[version] == await works_out(rig, match_id, turn, worker.asked[0])
    assert found == [(PAUSE_MS, "L2")] * 3 + [(PAUSE_MS, "L1")] * 2


async def test_who_takes_over_in_the_middle_of_a_thought_thinks_it_again_and_is_in_time(clock: Clock) -> None:
    rig = Rig()
    match_id, version = await dealt(rig, clock)
    cut, again = Paced(clock, NEVER_MS), Paced(clock, 100)
    for worker, until_ms in ((cut, PAUSE_MS - 400), (again, PAUSE_MS + 10)):
        bots = Bots(rig.store, rig.house(), clock, PAUSE_MS, thinkers=Thinkers([worker]))
        async with working(bots.run()):
            await clock.reaches(until_ms)
    assert [(each.seen.version, each.chance) for each in cut.asked] == [(version, again.asked[0].chance)]
    assert await acted(rig, match_id, version) == (PAUSE_MS, "L2")


@pytest.mark.parametrize(
    ("kept", "takes_ms", "after_ms", "played"),
    [
        ("L1.{style}", [0], PAUSE_MS, "L1"),
        ("L2.{style}", [PAUSE_MS // 2 + 100], PAUSE_MS + AHEAD_STEP_MS, "L2"),
        ("L2.{style}", [], PAUSE_MS, "L1"),
        ("L2.{style}", [NEVER_MS], PAUSE_MS + WAITS_MS, "L1"),
    ],
    ids=["another level is there", "waits for its level", "its level comes no more", "its level hangs"],
)
async def test_what_was_kept_before_a_crash_is_what_is_played_behind_it(
    clock: Clock, kept: str, takes_ms: list[int], after_ms: int, played: str
) -> None:
    rig = Rig()
    match_id, version = await dealt(rig, clock)
    match = (await rig.matches.load_match(match_id)).match
    assert match.table is not None
    assert match.table.turn is not None
    style = match.seated[match.table.turn].player.split("/")[1].partition(".")[2]
    row = StoredBotTurn(version, kept.format(style=style), "1")
    await rig.store.keep_bot_turn(stream_of(match_id), row)
    worker, house = Paced(clock, *takes_ms), Noted(rig)
    async with working(Bots(rig.store, house, clock, PAUSE_MS, thinkers=Thinkers([worker])).run()):
        await clock.reaches(after_ms + 10)
    assert (await acted(rig, match_id, version))[0] == after_ms
    again = StoredBotTurn(version, f"{played}.{style}", "1")
    assert house.commands[version] == await works_out(rig, match_id, again, worker.asked[0])


# ---- the line -------------------------------------------------------------------------------------


def asked_of(number: int) -> TurnAsked:
    """Return a turn of a match of this number, of which nobody has seen anything."""
    return TurnAsked(UUID(int=number), "L2.steady", SeenMatch(1), bytes(32))


def told(registry: CollectorRegistry) -> dict[str, float]:
    """Return how many turns met which fate, of those that met any."""
    found = {
        fate: registry.get_sample_value("truecup_bot_thoughts_total", {"fate": fate})
        for fate in ("in_time", "late", "full", "ended")
    }
    return {fate: value for fate, value in found.items() if value}


async def test_a_process_that_ends_is_counted_and_the_next_turn_is_thought_over(clock: Clock) -> None:
    registry, match = CollectorRegistry(), UUID(int=1)
    line = Thinkers([Paced(clock)], registry=registry)
    for version in (1, 2):
        line.ask(clock.now + 100, version, asked_of(1))
        while line.is_under_way(match, version):
            await asyncio.sleep(0)
        assert line.answer(match, version) is None
    assert told(registry) == {"ended": 2}
    line.close()


async def test_a_process_that_has_grown_large_is_followed_by_another(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = []
    monkeypatch.setattr(thinkers, "ROOM_BYTES", 1)
    worker = Paced(clock, 0)
    monkeypatch.setattr(worker, "close", lambda: closed.append(True))
    line = Thinkers([worker])
    line.ask(clock.now + 100, 1, asked_of(1))
    while line.is_under_way(UUID(int=1), 1):
        await asyncio.sleep(0)
    assert closed == [True]
    line.close()


# ---- in another process ---------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["individual_hand", "mexican", "two_dice_pass"])
def test_a_thought_is_the_same_whether_a_round_is_read_on_or_read_anew(game: str) -> None:
    table = BotTable({}, GAMES[game].rules(GAMES[game].options()).seats[0], 4, game=game)
    assert thinks_beside("L2.bold", table.table.rules)
    assert not thinks_beside("L1.bold", table.table.rules)
    for _ in range(6):
        seen, chance = table.seen(table.turn), table.drawn()
        found = think_over(TurnAsked(table.match.id, "L2.bold", copy.copy(seen), chance)).thought
        assert found is not None
        assert found == player_of("L2.bold").choose(copy.copy(seen), chance)
        table.do(found.command)
        table.go_on()
        if table.match.ended:
            return


def test_what_was_read_of_more_than_a_seat_has_seen_is_of_no_use() -> None:
    table = BotTable({}, 2, 4)
    sights = [copy.copy(table.seen(1))]
    while len(sights) < 4:
        found = player_of("L1.bold").choose(copy.copy(table.seen(table.turn)), table.drawn())
        assert found is not None
        table.do(found.command)
        sights.append(copy.copy(table.seen(1)))
    late = sights.pop()
    late.beliefs()
    early = next(each for each in sights if each.course[:1] == late.course[:1] != [])
    assert late.reading.read > len(early.course)
    early.read_on(late.reading)
    assert early.reading.read == 0


def test_a_turn_that_takes_too_long_comes_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table = BotTable({}, 2, 4, game="stud_liars")
    monkeypatch.setattr("services.bots.ahead.TURN_CPU_S", 0.000_1)
    asked = TurnAsked(table.match.id, "L2.bold", copy.copy(table.seen(table.turn)), table.drawn())
    assert think_over(asked).thought is None


class Awaited(Worker):
    """A process of its own, for which the clock stands still."""

    def __init__(self) -> None:
        super().__init__(die_with_parent)
        self.asked: list[TurnAsked] = []
        self.idle = asyncio.Event()
        self.idle.set()

    async def do(self, work: Callable[[Any], Any], given: Any) -> Any:
        self.asked.append(given)
        self.idle.clear()
        try:
            return await super().do(work, given)
        finally:
            self.idle.set()


class Patient(Clock):
    """A clock that stands still while a process thinks."""

    worker: Awaited

    async def wait(self, timeout_s: float) -> None:
        await self.worker.idle.wait()
        await super().wait(timeout_s)


async def test_turns_in_a_game_of_hands_are_taken_by_level_2_in_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, rig = patched(Patient(), monkeypatch), Rig()
    clock.worker = worker = Awaited()
    match_id, version = await dealt(rig, clock, HANDS)
    house = Noted(rig)
    async with working(Bots(rig.store, house, clock, PAUSE_MS, thinkers=Thinkers([worker])).run()):
        await clock.reaches(2 * PAUSE_MS + 10)
    rows = await rig.store.bot_turns(stream_of(match_id))
    assert rows[0].version == version
    assert {row.level.partition(".")[0] for row in rows} == {"L2"}
    for row, asked in zip(rows, worker.asked, strict=False):
        assert house.commands[row.version] == await works_out(rig, match_id, row, asked)


async def test_every_turn_of_a_match_of_hands_is_worked_out_again_by_the_level_that_is_told_of_it() -> None:
    rig, worker = Rig(), Worker(die_with_parent)
    house, match_id = Noted(rig), await rig.opened(HANDS)
    async with working(rig.croupier(), Bots(rig.store, house, Nap(), 0, thinkers=Thinkers([worker])).run()):
        await rig.until(match_id, lambda history: history[-1][0].match.ended)
    turns = await rig.matches.bot_turns(match_id)
    assert {turn.version for turn in turns} == {*house.commands}
    for turn in turns:
        seen = await seen_at(rig, match_id, turn.seat, turn.version)
        assert turn.chance is not None
        thought = player_of(turn.level).choose(seen, bytes.fromhex(turn.chance))
        assert thought is not None
        assert thought.command == house.commands[turn.version]
        assert thought.level == turn.level.partition(".")[0]


async def test_a_process_that_thinks_has_begun_with_all_that_it_takes_and_clears_up_seldom() -> None:
    worker = Worker(partial(begin_to_think, die_with_parent))
    try:
        assert await worker.do(_cleared_up, 0) > 10_000, "what it has loaded is passed over"
    finally:
        worker.close()


def _cleared_up(_: int) -> int:
    """Return what this process passes over when it clears up."""
    assert gc.get_threshold() == (10_000, 2, 500)
    return gc.get_freeze_count()


async def test_processes_that_think_end_with_the_bots_in_the_middle_of_a_thought() -> None:
    worker, before = Worker(die_with_parent), set(active_children())
    await worker.do(think_over, asked_of(0))
    line = Thinkers([worker])
    (process,) = [each for each in active_children() if each not in before]
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)  # it has thought for long, and has not come to an end
    line.ask(now_ms() + NEVER_MS, 1, asked_of(0))
    await asyncio.sleep(0.1)
    assert line.is_under_way(UUID(int=0), 1)
    line.close()
    async with asyncio.timeout(60):
        while process.is_alive():
            await asyncio.sleep(0.01)


async def test_a_process_that_stands_still_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    worker, before, registry = Worker(die_with_parent), set(active_children()), CollectorRegistry()
    await worker.do(think_over, asked_of(0))
    line = Thinkers([worker], registry=registry)
    (process,) = [each for each in active_children() if each not in before]
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)
    monkeypatch.setattr(thinkers, "HUNG_S", 0.2)
    line.ask(now_ms() + NEVER_MS, 1, asked_of(0))
    await asyncio.sleep(0)
    monkeypatch.setattr(thinkers, "HUNG_S", 60)
    line.ask(now_ms() + NEVER_MS, 1, asked_of(1))
    async with asyncio.timeout(PATIENCE_S):
        while line.is_under_way(UUID(int=1), 1):
            await asyncio.sleep(0.01)
    assert told(registry) == {"ended": 1}
    await asyncio.to_thread(process.join, 5)
    assert not process.is_alive()
    line.close()
