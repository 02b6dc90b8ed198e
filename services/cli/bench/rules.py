"""`truecup bench rules`: random legal matches through `moves`, `decide` and `evolve`, and each of them by itself.

What counts is the time a core works on it. A clock on the wall would put the slices in which others have the core into
the slowest command, and tell of the machine's neighbours.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Annotated, Any, Final

from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.games import GAMES, rules_of
from domain.rules.rules import Rules
from domain.table import decide as table
from domain.table.moves import moves_of
from infra.clock import cpu_s
from services.cli.bench.clients.choices import Randomness, possible
from services.cli.bench.sheets.figures import Figure, figure
from services.cli.bench.sheets.machine import bare_machine
from services.cli.bench.sheets.sheets import PER_S, REPETITIONS, BenchSheet, Samples, run
from services.client.house import CannotDo

LOOKS: Final = 64
"""Replacements between two looks at the clock."""
ROUNDS_MAX: Final = 30
"""An open session is closed, by beginning another one, after so many rounds."""
SEATS_MAX: Final = 10
MOST_WORK: Final[dict[str, dict[str, Any]]] = {
    "common_hand": {"spot_on": True, "palifico": True, "push": True, "pass_once": True},
    "liars_poker": {"numbers": "slips"},
    "boss_liars": {"cocked": True, "stakes": "money", "buy_back": True},
}
"""House rules under which a game has the most to do; the others are played as they stand in the book."""

COURSE: Final = 400
"""Commands of a course: some matches, and few enough to be done over and over."""
PARTS: Final = 4
REACH: Final[dict[str, str]] = {
    "common_hand": ">= 0.0031",
    "individual_hand": ">= 0.0063",
    "stanford": ">= 0.0045",
    "mexican": ">= 0.0053",
    "finska": ">= 0.0041",
    "liars_poker": ">= 0.0037",
    "liars_poker_wizard": ">= 0.0044",
    "boss_liars": ">= 0.0029",
    "beat_this": ">= 0.0052",
    "stud_liars": ">= 0.0071",
    "six_six_six": ">= 0.0056",
    "two_dice_pass": ">= 0.0055",
    "dollar_bill": ">= 0.0043",
    "german_liar_dice": ">= 0.0056",
}
"""Five times the share of the floor that each game came to before its rules were made faster."""
REPLACE: Final = "bare struct replaced"

Clock = Callable[[], float]
Say = Callable[[str], None]


class Dice:
    """A dealer whose dice need no deal: what is measured is the rules, not the hashing."""

    number = 0

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        """Return a value that looks random enough to end rounds."""
        return hash((cup, roll, slot)) % m

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        """Return the opening without its proof."""
        values = tuple((slot, self.value(cup, roll, slot, sides)) for slot, sides in zip(slots, m, strict=True))
        return events.Revealed(0, cup, roll, (), (), (), values)

    def seal_of(self, choice: events.Choice, cup: int, slot: int) -> str:
        """Return a seal that hides nothing."""
        return f"{choice}/{cup}/{slot}"

    def unseal(self, seal: str, cup: int, slot: int, candidates: Iterable[events.Choice]) -> events.Choice | None:
        """Return the choice that has this seal."""
        return next((choice for choice in candidates if self.seal_of(choice, cup, slot) == seal), None)


class Speed(Struct, frozen=True):
    """How fast a game is with as many seats as it takes, up to ten; `worst_ms` is the slowest command of a run."""

    seats: int
    figure: Figure
    worst_ms: float


def rules(
    *,
    seconds: Annotated[float, Parameter(validator=Number(gte=1, lte=3_600))] = 30.0,
    only: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    json: bool = False,
) -> int:
    """Measure the rules of every game.

    Args:
        seconds: How long a core is to measure in all.
        only: A game to measure; may be said again.
        json: Print one JSON document.
    """
    unknown = [game for game in only if game not in GAMES]
    if unknown:
        raise CannotDo(f"there is no game {unknown[0]!r}; there are {', '.join(GAMES)}")
    return run(partial(_rules, seconds, only or tuple(GAMES)), json=json)


async def _rules(seconds: float, games: Sequence[str], say: Say) -> BenchSheet:
    samples, courses = Samples(), {game: course_of(game, COURSE) for game in games}
    slice_s = seconds / (REPETITIONS * (1 + PARTS * len(games)))
    for number in range(REPETITIONS):
        say(f"repetition {number + 1} of {REPETITIONS}")
        floor = replace_speed(cpu_s, slice_s).per_s
        for game, course in courses.items():
            title, reach = f"{game}, {len(course.seats)} seats", REACH.get(game, "")
            played = rules_speed(game, cpu_s, slice_s).figure
            samples.add(f"{title}: all of it", PER_S, played.per_s, REPLACE, floor, reach)
            for what, speed in SPEEDS.items():
                samples.add(f"{title}: {what}", PER_S, speed(course, cpu_s, slice_s).per_s, REPLACE, floor)
    return BenchSheet("rules", bare_machine(), seconds, REPETITIONS, samples.rows())


def rules_speed(game: str, clock: Clock, seconds: float) -> Speed:
    """Measure the commands of a game's matches, one match after the other."""
    chance, took = Randomness(), list[float]()
    rules = rules_of(game, MOST_WORK.get(game, {}))
    seats = tuple(range(1, min(SEATS_MAX, rules.seats[1]) + 1))
    state = table.initial_state(rules, seats, 1)
    # As timeit does: what the collector has to walk through is not the rules'.
    gc.collect()
    gc.disable()
    begun = before = clock()
    while before - begun < seconds:
        if state.phase == "finished" or state.round_number > ROUNDS_MAX:
            state = table.initial_state(rules, seats, 1)
        try:
            state, _ = _played(state, chance)
        except Refused:
            # A number came up that was played before: at a table another deal begins, here another match.
            state = table.initial_state(rules, seats, 1)
        after = clock()
        took.append(after - before)
        before = after
    gc.enable()
    return Speed(len(seats), figure(took, before - begun), round(1_000 * max(took), 3))


class PlayedCourse(Struct, frozen=True):
    """What seats did in matches of a game, to be done again.

    Attributes:
        seats: Who plays.
        matches: The commands of each match, in order.
    """

    rules: Rules
    seats: tuple[int, ...]
    matches: tuple[tuple[commands.TableCommand, ...], ...]


def course_of(game: str, count: int) -> PlayedCourse:
    """Return so many random legal commands of a game."""
    chance, matches, done = Randomness(), list[tuple[commands.TableCommand, ...]](), 0
    rules = rules_of(game, MOST_WORK.get(game, {}))
    seats = tuple(range(1, min(SEATS_MAX, rules.seats[1]) + 1))
    while done < count:
        state, played = table.initial_state(rules, seats, 1), list[commands.TableCommand]()
        while state.phase != "finished" and state.round_number <= ROUNDS_MAX and done + len(played) < count:
            try:
                state, command = _played(state, chance)
            except Refused:
                break
            played.append(command)
        matches.append(tuple(played))
        done += len(played)
    return PlayedCourse(rules, seats, tuple(matches))


def decide_speed(course: PlayedCourse, clock: Clock, seconds: float) -> Figure:
    """Measure deciding and evolving, match by match, without asking who may do what."""
    return _course_speed(course, clock, seconds, _after)


def own_moves_speed(course: PlayedCourse, clock: Clock, seconds: float) -> Figure:
    """Measure the moves of the seat that acts next, on states that nobody has asked anything."""
    return _course_speed(course, clock, seconds, _moves_of)


def all_moves_speed(course: PlayedCourse, clock: Clock, seconds: float) -> Figure:
    """Measure the moves of all seats, on states that nobody has asked anything."""
    return _course_speed(course, clock, seconds, lambda state, _command: table.moves(state))


def _moves_of(state: table.State, command: commands.TableCommand) -> object:
    return moves_of(state, getattr(command, "seat", state.remaining[0]))


SPEEDS: Final = {"decide + evolve": decide_speed, "own moves": own_moves_speed, "all moves": all_moves_speed}
"""The rules in parts."""


def _course_speed(
    course: PlayedCourse, clock: Clock, seconds: float, work: Callable[[table.State, commands.TableCommand], object]
) -> Figure:
    """Measure some work at every state of a course, over and over; how the course goes on is not in it."""
    took: list[float] = []
    gc.collect()
    gc.disable()
    begun = clock()
    while clock() - begun < seconds or not took:
        for match in course.matches:
            if took and clock() - begun > seconds:
                break
            state = table.initial_state(course.rules, course.seats, 1)
            for command in match:
                before = clock()
                work(state, command)
                took.append(clock() - before)
                state = _after(state, command)
    gc.enable()
    return figure(took, sum(took))


def replace_speed(clock: Clock, seconds: float) -> Figure:
    """Measure the floor: a state with one member replaced, over and over."""
    state, replaced = table.initial_state(rules_of("common_hand", {}), (1, 2, 3), 1), 0
    begun = clock()
    while (elapsed := clock() - begun) < seconds:
        for number in range(LOOKS):
            state = replace(state, round_number=number)
        replaced += LOOKS
    took_ms = round(1_000 * elapsed / replaced, 6)
    return Figure(round(replaced / elapsed, 1), took_ms, took_ms)


def _played(state: table.State, chance: Randomness) -> tuple[table.State, commands.TableCommand]:
    """Return the state after one command, and the command: the first of the possible ones that the dice allow."""
    if state.phase == "between_rounds":
        return _with(state, table.next_deal(state))
    for command in possible(table.moves(state), chance):
        try:
            return _with(state, command)
        except Refused:
            continue
    return _with(state, table.timeout_command(state))


def _with(state: table.State, command: commands.TableCommand) -> tuple[table.State, commands.TableCommand]:
    return _after(state, command), command


def _after(state: table.State, command: commands.TableCommand) -> table.State:
    for event in table.decide(state, command, Dice()):
        state = table.evolve(state, event)
    return state
