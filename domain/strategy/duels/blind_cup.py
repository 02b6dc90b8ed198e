"""The blind cup as a policy: how two seats play it by its tablebase.

A cup is passed on unseen, claims rise, and there is nothing to do but to throw, to claim, to believe and to challenge,
and to show a throw that ends the round with no loser, where there are any. Its table is not written down: it follows
from the dice and from what claims rank by, and is worked out when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Final, cast

from msgspec import Struct

from domain import commands, events
from domain.commands import Special
from domain.ids import Face, Seat
from domain.rules.ladders import NOTHING, SPECIALS, Hand
from domain.rules.rules import Faces, Rungs
from domain.statistics.odds import Throw
from domain.strategy.duels.best_reply import Guarantees
from domain.strategy.duels.tablebase import Tablebase, roller_gets, roller_has, tablebase_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import Option, Weighing
from domain.table.phases import HOLDING, RESPONDING, TO_ROLL
from domain.table.state import PASSED_CUP, State

LADDERS: Final = ("mexican", "doubles_high", "digits")
"""What claims may rank by: ladders of two dice."""
DICE: Final = 2


class BlindCup(Struct, frozen=True):
    """A blind cup of two dice and two seats.

    Attributes:
        faces: What a die shows.
        ladder: What claims rank by.
    """

    faces: Faces
    ladder: Rungs

    @property
    def name(self) -> str:
        """What the policy of it is called: `blind-2d6-mexican`, and the throws that end a round."""
        return "-".join([f"blind-{DICE}d{self.faces.count}", self.ladder.table, *self.ladder.specials])

    @property
    def voids(self) -> bool:
        """Whether some throws end the round with no loser: then what one seat wins the other one need not lose."""
        return bool(self.ladder.specials)

    @property
    def throw(self) -> Throw:
        """The dice, measured by the ladder."""
        return Throw(self.ladder, DICE, self.faces)

    @property
    def base(self) -> Tablebase:
        """Its tablebase. Cost: a fraction of a second the first time; then nothing."""
        return _base_of(self)

    @property
    def top(self) -> int:
        """The rung that cannot be beaten."""
        return self.throw.ladder.top

    def rung_of(self, dice: Sequence[Face]) -> int:
        """Return the rung that dice reach, and `NOTHING` for those that count for nothing."""
        return self.throw.ladder.measure([face - self.faces.first for face in dice])

    def rungs_of(self, made: Iterable[events.Event]) -> tuple[int, ...]:
        """Return the rungs that were claimed by some events of a round, in order."""
        rungs = self.throw.ladder.rungs
        return tuple([rungs[Hand(each.shape, each.faces)] for each in made if isinstance(each, events.HandClaimed)])

    def doubt(self, claims: Sequence[int]) -> Fraction:
        """Return how likely the last of these claims is challenged."""
        lowest = lowest_after(claims[:-1])
        return self.base.answers[lowest].doubts[claims[-1] - lowest]

    def calls(self, claims: Sequence[int], rung: int) -> tuple[Fraction, ...]:
        """Return how likely a throw of this rung, after these claims, makes each claim that beats them."""
        return self.base.answers[lowest_after(claims)].calls[rung + 1]


def lowest_after(claims: Sequence[int]) -> int:
    """Return the lowest rung that may be claimed after these."""
    return claims[-1] + 1 if claims else 0


@lru_cache(maxsize=16)
def _base_of(cup: BlindCup) -> Tablebase:
    return tablebase_of(cup.throw, voids=cup.voids)


def guarantees_of_cup(cup: BlindCup) -> Guarantees:
    """Return what its tablebase guarantees to who throws first: each position by the best replies to it, from the top.

    Where throws end the round with no loser nothing is guaranteed, and this is not asked.
    """
    base = cup.base
    for lowest, answer in enumerate(base.answers):
        assert roller_has(base, lowest) == answer.roller == roller_gets(base, lowest), "both make sure of as much"
    return Guarantees(base.answers[0].value, base.answers[0].value)


def weigh_cup(cup: BlindCup, sight: Sight, claims: Sequence[int]) -> Weighing | None:
    """Return what the tablebase makes of a sight; None where there is nothing to choose.

    Args:
        cup: The round.
        sight: What the seat in turn sees.
        claims: The rungs that were claimed in the round, in order.

    The worth of a move is how likely it is, since an equilibrium knows no better one among those it plays.
    """
    state, seat = sight.state, sight.seat
    if state.phase == TO_ROLL:
        return _weighed([commands.Roll(seat)], (1,))
    if state.phase == RESPONDING:
        doubt = cup.doubt(claims)
        weights = (doubt.numerator, doubt.denominator - doubt.numerator)
        return _weighed([commands.Challenge(seat), commands.Accept(seat)], weights)
    if state.phase != HOLDING or PASSED_CUP not in sight.dice:
        return None
    dice, lowest = sight.dice[PASSED_CUP], lowest_after(claims)
    rung, hands = cup.rung_of(dice), cup.throw.ladder.hands[lowest:]
    # Every claim is looked at whatever lies in the cup, so that how long this takes says nothing of it.
    called = _weighed(
        [commands.ClaimHand(seat, each.shape, each.faces) for each in hands], _rows(cup, lowest)[rung + 1]
    )
    return _weighed([declared(state, seat, dice)], (1,)) if rung == NOTHING and cup.voids else called


@lru_cache(maxsize=256)
def _rows(cup: BlindCup, lowest: int) -> tuple[tuple[int, ...], ...]:
    """Return for each throw how likely it makes each claim from a rung on, as integers beside each other."""
    rows = cup.base.answers[lowest].calls
    wholes = [lcm(*[share.denominator for share in row]) for row in rows]
    return tuple([tuple([int(share * whole) for share in row]) for row, whole in zip(rows, wholes, strict=True)])


def declared(state: State, seat: Seat, dice: Sequence[Face]) -> commands.Declare:
    """Return the showing of a throw that ends the round; of those it may name, the next seat is named."""
    special = cast("Special", SPECIALS[dice_down(dice)])
    others = [each for each in state.remaining if each != seat]
    return commands.Declare(seat, special, others[0] if special == "impose" else None)


def dice_down(dice: Sequence[Face]) -> tuple[Face, ...]:
    """Return dice as throws are named, the highest first."""
    return tuple(sorted(dice, reverse=True))


def _weighed(moves: Sequence[commands.Play], weights: Sequence[int]) -> Weighing:
    total = max(1, sum(weights))
    pairs = zip(moves, weights, strict=True)
    options = [Option(move, Fraction(weight, total), weight) for move, weight in pairs]
    return Weighing(tuple([option for option in options if option.weight]), len(moves))
