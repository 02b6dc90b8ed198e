"""The speed of the rules: random legal matches through `moves`, `decide` and `evolve`, without anything around them.

What counts is the time a core works on it. A clock on the wall would put the slices in which others have the core into
the slowest command, and tell of the machine's neighbours.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.games import rules_of
from domain.table import decide as table
from services.cli.bench.choices import Randomness, possible
from services.cli.bench.figures import Figure, figure

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

Clock = Callable[[], float]


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
            state = _played(state, chance)
        except Refused:
            # A number came up that was played before: at a table another deal begins, here another match.
            state = table.initial_state(rules, seats, 1)
        after = clock()
        took.append(after - before)
        before = after
    gc.enable()
    return Speed(len(seats), figure(took, before - begun), round(1_000 * max(took), 3))


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


def _played(state: table.State, chance: Randomness) -> table.State:
    """Return the state after one command: the first of the possible ones that the dice allow."""
    if state.phase == "between_rounds":
        return _after(state, table.next_deal(state))
    for command in possible(table.moves(state), chance):
        try:
            return _after(state, command)
        except Refused:
            continue
    return _after(state, table.timeout_command(state))


def _after(state: table.State, command: commands.TableCommand) -> table.State:
    for event in table.decide(state, command, Dice()):
        state = table.evolve(state, event)
    return state
