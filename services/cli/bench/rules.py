"""How fast the rules are: random legal matches through `moves`, `decide` and `evolve`, without anything around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from domain import commands, events, table
from domain.games import rules_of
from domain.offers import BidMove, ChallengeMove, Move
from services.cli.bench.figures import Figure

SEATS: Final = 6
LOOKS: Final = 64
"""Commands between two looks at the clock."""

Clock = Callable[[], float]


class Chance:
    """Numbers that are the same in every run: a linear congruential generator. Source: Knuth's MMIX."""

    def __init__(self) -> None:
        """Begin at one."""
        self._state = 1

    def below(self, limit: int) -> int:
        """Return a number below the limit."""
        self._state = (self._state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % (1 << 64)
        return (self._state >> 33) % limit


class Dice:
    """A dealer whose dice need no deal: what is measured is the rules, not the hashing."""

    number = 0

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        """Return a value that looks random enough to end rounds."""
        return (cup * 7 + roll * 13 + slot * 31 + cup * roll * slot) % 97 % m

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        """Return the opening without its proof."""
        values = tuple((slot, self.value(cup, roll, slot, sides)) for slot, sides in zip(slots, m, strict=True))
        return events.Revealed(0, cup, roll, (), (), (), values)

    def sealed(self, choice: events.Choice, cup: int, slot: int) -> str:
        """Return a seal that hides nothing."""
        return f"{choice}/{cup}/{slot}"

    def unsealed(self, seal: str, cup: int, slot: int, candidates: Iterable[events.Choice]) -> events.Choice | None:
        """Return the choice that has this seal."""
        return next((choice for choice in candidates if self.sealed(choice, cup, slot) == seal), None)


def rules_speed(clock: Clock, seconds: float) -> Figure:
    """Measure commands on whole matches, one after the other."""
    chance, state, played = Chance(), _opened(), 0
    begun = clock()
    while (elapsed := clock() - begun) < seconds:
        for _ in range(LOOKS):
            state = _opened() if state.phase == "finished" else _played(state, chance)
        played += LOOKS
    return _each(played, elapsed)


def replace_speed(clock: Clock, seconds: float) -> Figure:
    """Measure the floor: the same state with one member replaced, over and over."""
    state, replaced = _opened(), 0
    begun = clock()
    while (elapsed := clock() - begun) < seconds:
        for number in range(LOOKS):
            state = replace(state, round=number)
        replaced += LOOKS
    return _each(replaced, elapsed)


def _each(count: int, elapsed: float) -> Figure:
    took_ms = round(1_000 * elapsed / count, 6)
    return Figure(round(count / elapsed, 1), took_ms, took_ms)


def _opened() -> table.State:
    return table.opening(rules_of("common_hand", {"spot_on": True, "palifico": True}), tuple(range(1, SEATS + 1)), 1)


def _played(state: table.State, chance: Chance) -> table.State:
    for event in table.decide(state, _command(state, chance), Dice()):
        state = table.evolve(state, event)
    return state


def _command(state: table.State, chance: Chance) -> commands.TableCommand:
    if state.phase == "between_rounds":
        return commands.Deal()
    assert state.turn is not None
    offered = table.moves(state)[state.turn]
    return _made(state.turn, offered[chance.below(len(offered))], chance)


def _made(seat: int, move: Move, chance: Chance) -> commands.TableCommand:
    if isinstance(move, BidMove):
        quantity, face = move.minimum[chance.below(len(move.minimum))]
        return commands.Bid(seat, quantity, face)
    if isinstance(move, ChallengeMove):
        return commands.Challenge(seat)
    return commands.SpotOn(seat)
