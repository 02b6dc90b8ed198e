"""Strategy where claims name hands: calls, doubts and belief."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from domain import commands
from domain.rules.ladders import ONE, SPECIALS
from domain.rules.rules import Rungs
from domain.table.offers import AcceptMove, CallMove, ChallengeMove, DeclareMove
from services.bots.reach import lowest_dice
from services.bots.sight import Option, Sight, belief_worth
from services.bots.throwing import (
    Hold,
    bluff,
    chance_of_call,
    chances_of,
    height,
    held_by,
    lowest_call,
    seen_by_all,
    truth,
    worth_of_look,
)

STEPS_MAX: Final = 3
"""How many of the lowest calls a bot thinks of when it has to lie."""
TAMENESS: Final = 0.3
"""What the lowest call is worth less than the highest true one: it is beaten the more easily."""
DECLARED: Final = {"social": 0.7, "reverse": 0.9, "impose": 1.0}
"""The worth of a throw that does something: all drink, the turn comes again, another one drinks."""


def calls(sight: Sight, move: CallMove) -> Iterator[Option]:
    """Yield what may be called: what the dice make, some hands below it, and the lowest that are not true."""
    ladder, has = sight.ladder, _bluff_rung(sight)
    higher = lowest_call(sight)
    # Where nothing stands higher, a call too low is all that is left.
    lowest = ladder.rungs[move.minimum] if higher is None else higher
    public = chances_of(sight, seen_by_all(sight))
    thought_of = {*range(lowest, lowest + STEPS_MAX), has, (has + lowest + 1) // 2}
    rungs = [rung for rung in sorted(thought_of) if lowest <= rung <= ladder.top]
    wise = [rung for rung in rungs if not _kills_wild(sight, rung)]
    for rung in wise or rungs:
        hand = ladder.hands[rung]
        worth = belief_worth(float(rung <= has), chance_of_call(sight, public[rung]), sight.manner)
        tame = TAMENESS * max(0, has - rung) / max(1, has - lowest)
        yield Option(commands.ClaimHand(sight.seat, hand.shape, hand.faces), worth - tame)


def challenge(sight: Sight, _move: ChallengeMove) -> Iterator[Option]:
    """Yield a doubt: it is right as often as the claim is false."""
    yield Option(commands.Challenge(sight.seat), 1 - truth(sight))


def accept(sight: Sight, move: AcceptMove) -> Iterator[Option]:
    """Yield believing: then a higher hand has to be called, of the dice that lie there or of all thrown anew."""
    yield Option(commands.Accept(sight.seat), _after_look(sight) if move.looks else _after_blind(sight))


def declare(sight: Sight, move: DeclareMove) -> Iterator[Option]:
    """Yield showing a throw that does something, if it lies there."""
    thrown = tuple(sorted((die.face or 0 for die in sight.dice_of(sight.seat)), reverse=True))
    name = SPECIALS.get(thrown)
    for special in ("social", "reverse"):
        if special == name and special in move.specials:
            yield Option(commands.Declare(sight.seat, special), DECLARED[special])
    if name == "impose" and name in move.specials:
        yield from (Option(commands.Declare(sight.seat, "impose", to), DECLARED[name]) for to in move.targets)


def _bluff_rung(sight: Sight) -> int:
    """Return the rung of the bot's dice, one of which shows what it likes if it bluffs."""
    values = held_by(sight, sight.seat).values
    rungs = [height(sight, values)]
    if sight.bluffed is not None:
        face = sight.bluffed - sight.rules.tokens.faces.first
        rungs += [height(sight, (*values[:one], face, *values[one + 1 :])) for one in range(len(values))]
    return max(rungs)


def _kills_wild(sight: Sight, rung: int) -> bool:
    """Report whether a call would end ones being wild, on which what it is worth may rest."""
    claims = sight.rules.claims
    opens = isinstance(claims, Rungs) and claims.wild == "unless_opened" and sight.rung is None
    return opens and ONE + sight.rules.tokens.faces.first in sight.ladder.hands[rung].faces


def _after_blind(sight: Sight) -> float:
    """Return the worth of throwing all dice anew."""
    lowest, nothing = lowest_call(sight), Hold((), sight.rules.tokens.dice)
    if lowest is None:
        return 0.0
    reached = chances_of(sight, nothing)[lowest]
    return reached + (1 - reached) * bluff(sight, lowest, nothing)


def _after_look(sight: Sight) -> float:
    """Return the worth of looking: at dice that make the call, as often as it is true, or else at any."""
    lowest, hold = lowest_call(sight), held_by(sight, sight.seat)
    assert sight.rung is not None
    assert lowest is not None, "what nobody can raise has to be doubted"
    public = seen_by_all(sight)
    reached = chances_of(sight, public)[lowest]
    anything = reached + (1 - reached) * bluff(sight, lowest, public)
    tokens = sight.rules.tokens
    thrown = lowest_dice(sight.ladder, tuple(sorted(hold.values)), hold.unknown, tokens.faces.count, sight.rung)
    if thrown is None:
        return anything
    rest = iter(thrown)
    values = tuple(next(rest) if die.face is None else die.face - tokens.faces.first for die in sight.view.cup)
    true = truth(sight)
    return true * worth_of_look(sight, lowest, values) + (1 - true) * anything
