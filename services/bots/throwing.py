"""Strategy of throws for a hand: what is there, what others may have, and which dice to show and to throw again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from domain.ids import Seat
from domain.rules.ladders import Value
from domain.rules.laws import LAWS
from domain.rules.rules import Rungs, SharedCup
from domain.table.interludes import chase
from domain.table.offers import ArrangeMove, StopMove
from services.bots import reach
from services.bots.handling import Way, expected_move, ways
from services.bots.sight import Option, Sight, belief_worth

TRIES: Final = 3
"""How many throws seem to stand behind a call: people call what they have, and throw until they have it."""
TRIES_KEEPING: Final = 12
"""The same for a cup that is passed on with dice kept in it, which get better from seat to seat.

Of both: bots that trust so won most against bots that trust more or less, over about a hundred matches of each game.
"""
IN_OPEN: Final = 0.5
"""How much of a lie is left to believe when everybody has seen the throw it is about."""


class Hold(Struct, frozen=True):
    """The dice of a hand as somebody sees them: the values known to them, and how many more dice there are."""

    values: tuple[Value, ...]
    unknown: int


# ---- what one knows of a hand -------------------------------------------------------------------


def held_by(sight: Sight, seat: Seat) -> Hold:
    """Return what the bot knows of the dice that this seat's hand is made of."""
    first, dice = sight.rules.tokens.faces.first, sight.dice_of(seat)
    known = tuple(die.face - first for die in dice if die.face is not None)
    return Hold(known, len(dice) - len(known))


def seen_by_all(sight: Sight) -> Hold:
    """Return what everybody knows of the dice that the bot's hand is made of."""
    first, dice = sight.rules.tokens.faces.first, sight.dice_of(sight.seat)
    shown = tuple(die.face - first for die in dice if die.shown and die.face is not None)
    return Hold(shown, len(dice) - len(shown))


def height(sight: Sight, values: tuple[Value, ...]) -> int:
    """Return the rung that these dice reach."""
    return reach.rung_of(sight.ladder, values)


def chances_of(sight: Sight, hold: Hold) -> tuple[float, ...]:
    """Return the chance that these dice reach each rung, if nobody has picked them."""
    return reach.chances(sight.ladder, hold.values, hold.unknown, sight.rules.tokens.faces.count)


def lowest_call(sight: Sight) -> int | None:
    """Return the lowest rung that stands high enough now; None if the standing claim is the highest there is."""
    claims, standing = sight.rules.claims, sight.rung
    assert isinstance(claims, Rungs)
    lowest = 0 if standing is None else standing + (0 if claims.ties else 1)
    return lowest if lowest <= sight.ladder.top else None


def truth(sight: Sight) -> float:
    """Return the chance that the standing call is true, as far as the bot can tell."""
    standing = sight.view.standing
    assert standing is not None
    assert sight.rung is not None
    return chance_of_call(sight, chances_of(sight, held_by(sight, standing.seat))[sight.rung])


def chance_of_call(sight: Sight, chance: float) -> float:
    """Return the chance that a call is true which dice thrown once would make with this chance."""
    return 1 - pow(1 - chance, TRIES_KEEPING if _keeps(sight) else TRIES)


def _keeps(sight: Sight) -> bool:
    """Report whether who takes the cup may keep some of its dice and throw the others."""
    law = LAWS.get(sight.rules.handling.law)
    return isinstance(sight.rules.tokens, SharedCup) and law is not None and not law.whole


def bluff(sight: Sight, rung: int, public: Hold) -> float:
    """Return the chance that a call that is not true is believed, by those who see this."""
    return belief_worth(0.0, chance_of_call(sight, chances_of(sight, public)[rung]), sight.manner)


# ---- which dice to throw ------------------------------------------------------------------------


def arrange(sight: Sight, move: ArrangeMove) -> Iterator[Option]:
    """Yield what may be done with the dice, and the worth of what can be called after it."""
    chased = any(isinstance(other, StopMove) for other in sight.view.moves)
    forces = sight.rules.handling.last_forces and not chased
    lowest = sight.ladder.top if chased else lowest_call(sight)
    if lowest is None or (forces and move.rolls_left == 1):
        # The last throw puts the standing call to the test, whatever comes of it.
        yield Option(ways(move)[0].command(sight.seat), 1 - truth(sight))
        return
    tested = 1 - truth(sight) if forces else 0.0
    throws = max(1, move.rolls_left - forces)
    for plan in _plans(move, held_by(sight, sight.seat).values):
        lie = 0.0 if chased else plan.lie(sight, lowest)
        yield Option(plan.way.command(sight.seat), _either(plan.reached(sight, lowest, throws), max(lie, tested)))


def stop(sight: Sight, _move: StopMove) -> Iterator[Option]:
    """Yield giving up, which is worth less than any throw."""
    yield Option(chase.Stop(sight.seat), -1.0)


def worth_of_look(sight: Sight, lowest: int, values: tuple[Value, ...]) -> float:
    """Return the worth of taking the cup if its dice show these values, and this is the least that may be called."""
    if height(sight, values) >= lowest:
        return 1.0
    shown = sum(1 for die in sight.view.cup if die.shown)
    handling = sight.rules.handling
    move = expected_move(handling, len(values) - shown, shown)
    plans = _plans(move, values) if handling.limit else ()
    thrown = (_either(plan.reached(sight, lowest, handling.limit), plan.lie(sight, lowest)) for plan in plans)
    return max((bluff(sight, lowest, seen_by_all(sight)), *thrown))


class _Plan(Struct, frozen=True):
    """A way to handle dice, with what is kept of them and what everybody sees of them then."""

    way: Way
    kept: Hold
    public: Hold

    def reached(self, sight: Sight, rung: int, throws: int) -> float:
        """Return the chance to reach a rung, if what is thrown may be thrown again."""
        return 1 - pow(1 - chances_of(sight, self.kept)[rung], throws)

    def lie(self, sight: Sight, rung: int) -> float:
        """Return how often a call is believed that is not reached."""
        return bluff(sight, rung, self.public) * (IN_OPEN if self.way.in_open else 1.0)


def _plans(move: ArrangeMove, values: tuple[Value, ...]) -> Iterator[_Plan]:
    """Yield the ways to handle these dice, one of those that come to the same."""
    found: set[tuple[Hold, Hold, bool]] = set()
    for way in ways(move):
        kept = sorted(value for position, value in enumerate(values) if position not in way.rolls)
        seen = sorted(values[position] for position in way.seen)
        plan = _Plan(way, Hold(tuple(kept), len(values) - len(kept)), Hold(tuple(seen), len(values) - len(seen)))
        if (same := (plan.kept, plan.public, way.in_open)) not in found:
            found.add(same)
            yield plan


def _either(reached: float, otherwise: float) -> float:
    return reached + (1 - reached) * otherwise
