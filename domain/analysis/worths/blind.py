"""Worths of a blind cup of two seats: what each moment and each move comes to, by its tablebase, in fractions.

Where a cup is believed and thrown anew nothing is left of the dice that were: all that follows hangs on the claim that
stands and on who throws, so that every position of a round is worked out at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from domain.ids import Seat
from domain.rules.ladders import NOTHING, SPECIALS
from domain.strategy.duels.blind_cup import BlindCup, declared
from domain.strategy.tables import PAIR, MatchTable, Worths
from domain.table import judging
from domain.table.evolve import evolve_all
from domain.table.places import Die
from domain.table.state import PASSED_CUP, State

Ends = tuple[Worths, Worths]
"""What a verdict brings both, by which of them it is for."""


class CupStakes(Struct, frozen=True):
    """What the verdicts of a round are worth to its two seats, in the order of `seats`.

    Attributes:
        seats: Who plays it.
        won: If the first has won it, and if the second has.
        void: If the first has ended it with no loser, and if the second has.
        half: Half the width of what these are proved to lie within; None where they are a model's.
    """

    seats: tuple[Seat, Seat]
    won: Ends
    void: Ends
    half: Fraction | None

    @property
    def every(self) -> tuple[Worths, ...]:
        """All verdicts there are."""
        return (*self.won, *self.void)


def cup_stakes(state: State, cup: BlindCup, table: MatchTable) -> CupStakes:
    """Return what verdicts of a round are worth, which hangs on nothing but who has won.

    Args:
        state: A round of two seats that was dealt.
        cup: Its claims.
        table: What the state after it is worth.
    """
    first, second = state.remaining
    pair = (first, second)
    ends = [_ends(state, cup, pair, place) for place in range(PAIR)]
    # Where no throw ends the round unlost, there is no such verdict either.
    voids = [_voids(state, cup, seat) for seat in pair] if cup.voids else ends
    found = [_worths(table, pair, some) for some in (*ends, *voids)]
    assert all(len(each) == 1 for each in found), "nothing is paid for what was claimed"
    won, lost, *void = [each.pop() for each in found]
    halves = [table.half(each) for some in (*ends, *voids) for each in some]
    known = [half for half in halves if half is not None]
    return CupStakes(pair, (won, lost), (void[0], void[1]), max(known) if len(known) == len(halves) else None)


def _worths(table: MatchTable, pair: tuple[Seat, Seat], states: Sequence[State]) -> set[Worths]:
    worths = [dict(zip(state.seats, table.worths(state), strict=True)) for state in states]
    return {(each[pair[0]], each[pair[1]]) for each in worths}


def _ends(state: State, cup: BlindCup, pair: tuple[Seat, Seat], winner: int) -> list[State]:
    """Return where the verdicts lead by which this seat wins: of each claim, of its own or of the other one's."""
    won, lost = pair[winner], pair[1 - winner]
    table, found = lifted(state), []
    for hand in cup.throw.ladder.hands:
        for claimant, doubter in ((won, lost), (lost, won)):
            verdict = replace(
                judging.new_verdict("challenge", claimant, hand),
                doubters=(doubter,),
                holds=claimant == won,
                winners=(won,),
                losers=(lost,),
            )
            found.append(judging.settled(table, verdict))
    return found


def _voids(state: State, cup: BlindCup, seat: Seat) -> list[State]:
    """Return where the throws lead that end a round."""
    table, found = lifted(state), []
    for thrown in [thrown for thrown, special in SPECIALS.items() if special in cup.ladder.specials]:
        shown = declared(state, seat, thrown)
        found.append(evolve_all(table, judging.special_events(table, seat, shown.special, shown.to)))
    return found


def lifted(state: State) -> State:
    """Return a round with any dice lying open, as they do once it is judged."""
    place = state.places[PASSED_CUP]
    lying = replace(place, inside=(), outside=tuple([Die(die.at, 0) for die in place.dice]))
    return replace(state, places={**state.places, PASSED_CUP: lying})


@lru_cache(maxsize=8)
def cup_worths(cup: BlindCup, stakes: CupStakes) -> CupWorths:
    """Return what every position is worth; rounds in which as much is at stake share what was worked out."""
    return CupWorths(cup, stakes)


class CupWorths:
    """What every position of a round is worth to both seats, by the tablebase."""

    def __init__(self, cup: BlindCup, stakes: CupStakes) -> None:
        """Work out nothing before it is asked for."""
        self.cup, self.stakes = cup, stakes
        self._known: dict[tuple[int, int], Worths] = {}

    @cached_property
    def proved(self) -> Fraction | None:
        """Half the width of what worths are proved to lie within; None where no throw may end a round unlost.

        Then one seat wins as often as the other one does not, and the tablebase guarantees that to both.
        """
        won = self.stakes.won
        gains = [won[place][place] - won[1 - place][place] for place in range(PAIR)]
        return None if self.cup.voids or min(gains) < 0 else self.stakes.half

    def before_throw(self, lowest: int, place: int) -> Worths:
        """Return what it is worth if this seat is about to throw, and has to claim this rung or more."""
        if (lowest, place) not in self._known:
            chances = self.cup.base.chances
            found = [self.after_throw(lowest, place, throw - 1) for throw in range(len(chances))]
            self._known[lowest, place] = _mean(list(zip(chances, found, strict=True)))
        return self._known[lowest, place]

    def after_throw(self, lowest: int, place: int, rung: int) -> Worths:
        """Return what it is worth if this seat has thrown this rung, and plays on as the tablebase does."""
        if rung == NOTHING and self.cup.voids:
            return self.stakes.void[place]
        calls = self.cup.base.answers[lowest].calls[rung + 1]
        called = [(share, lowest + claim) for claim, share in enumerate(calls) if share]
        return _mean([(share, self.after_claim(lowest, place, claim, holds=rung >= claim)) for share, claim in called])

    def after_claim(self, lowest: int, place: int, claim: int, *, holds: bool) -> Worths:
        """Return what it is worth if this seat has claimed a rung, by whether it holds."""
        doubt = self.cup.base.answers[lowest].doubts[claim - lowest]
        doubted = self.stakes.won[place if holds else 1 - place]
        if doubt == 1:
            return doubted
        return _mean([(doubt, doubted), (1 - doubt, self.before_throw(claim + 1, 1 - place))])

    def challenged(self, claimant: int, true: Fraction) -> Worths:
        """Return what it is worth if a claim is challenged that is so likely true."""
        return _mean([(true, self.stakes.won[claimant]), (1 - true, self.stakes.won[1 - claimant])])


def _mean(parts: Sequence[tuple[Fraction, Worths]]) -> Worths:
    sums = [sum([share * worths[place] for share, worths in parts], Fraction(0)) for place in range(PAIR)]
    return (sums[0], sums[1])
