"""Verdicts of a round that folds: what each is worth to every seat, exactly and as integers that can be folded back.

A verdict is worth the table at the state that `judging.settled` leads to. For folding, worths are shares of the stake:
the least any verdict can bring any seat is 0, the most is 2^31.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.ids import Seat
from domain.rules.orders import Count
from domain.rules.rules import Drinks
from domain.strategy.folding.positions import Bidding
from domain.strategy.tables import MatchTable, Worths, unit_of
from domain.table import judging
from domain.table.evolve import evolve
from domain.table.state import State

SHARE_BITS: Final = 31
"""A share of the stake is a multiple of 2^-31."""
WHOLE: Final = 1 << SHARE_BITS


class Outcome(Struct, frozen=True):
    """What the dice say to a doubt.

    Attributes:
        holds: Whether the claim holds, or spot on is right.
        off: How far the count is from the claim, where that is paid for; else 0.
    """

    holds: bool
    off: int = 0


class Contest(Struct, frozen=True):
    """A doubt that is judged: whose claim, and by whom, as places in the order of play.

    Attributes:
        spot_on: Whether the claim is said to be exactly right.
    """

    claimant: int
    doubters: tuple[int, ...]
    spot_on: bool = False


class Verdicts(Protocol):
    """What verdicts of one round are worth."""

    @property
    def measures(self) -> bool:
        """Whether it is paid for how far a claim was off."""

    def worths(self, doubt: Contest, outcome: Outcome) -> Worths:
        """Return what a verdict is worth, one per seat, in the order of play."""


class SettledVerdicts:
    """Verdicts valued by a match table."""

    def __init__(self, bidding: Bidding, table: MatchTable) -> None:
        """Value the verdicts of this round by this table."""
        self.bidding = bidding
        self.table = table
        self._known: dict[tuple[Contest, Outcome], Worths] = {}

    @cached_property
    def measures(self) -> bool:
        """Whether it is paid for how far a claim was off: in drinks, where these are what a session is counted in."""
        rules = self.bidding.state.rules
        unit, drinks = unit_of(rules), self.bidding.state.settler(Drinks)
        measured = drinks is not None and drinks.basis == "difference"
        return measured and rules.match.open_ended and unit is not None and unit.name == "drink"

    def worths(self, doubt: Contest, outcome: Outcome) -> Worths:
        """Return what a verdict is worth, one per seat, in the order of play. Cost: a settlement, once each."""
        key = doubt, outcome
        if key not in self._known:
            after = self._settled(doubt, outcome)
            worth = dict(zip(after.seats, self.table.worths(after), strict=True))
            self._known[key] = tuple([worth[seat] for seat in self.bidding.seats])
        return self._known[key]

    def half(self, doubt: Contest, outcome: Outcome) -> Fraction | None:
        """Return half the width of what the worths of a verdict are proved to lie within; None where they are not."""
        return self.table.half(self._settled(doubt, outcome))

    def _settled(self, doubt: Contest, outcome: Outcome) -> State:
        seats = self.bidding.seats
        state, doubters = self._doubted(doubt), tuple([seats[place] for place in doubt.doubters])
        standing = state.round.standing
        assert isinstance(standing, Count)
        off = outcome.off if outcome.off or outcome.holds else 1
        count = standing.quantity + (off if outcome.holds and not doubt.spot_on else -off)
        if doubt.spot_on:
            return judging.settled(state, judging.spot_on_verdict(state, doubters[0], count))
        verdict = judging.test_verdict(state, doubters, "challenge", holds=outcome.holds, count=count)
        return judging.settled(state, verdict)

    def _doubted(self, doubt: Contest) -> State:
        """Return the round in which somebody has claimed all dice there are, and these are about to be judged."""
        state, seats = self.bidding.state, self.bidding.seats
        claim = self.bidding.nodes[0].claim
        assert claim is not None
        claimant: Seat = seats[doubt.claimant]
        state = evolve(replace(state, turn=claimant), events.Bid(claimant, claim.quantity, claim.face))
        return replace(state, round=replace(state.round, doubters=tuple([seats[place] for place in doubt.doubters])))


def stakes_by(bidding: Bidding, table: MatchTable) -> AtStake:
    """Return what is at stake in a round, each verdict valued by a match table."""
    return AtStake(bidding, SettledVerdicts(bidding, table))


class AtStake:
    """The worths of all verdicts of a round as shares of what is at stake.

    Attributes:
        outcomes: What dice can say to a doubt: that a claim falls, by how far it is off, then that it holds, alike.
        width: How many outcomes there are of either kind.
        least: What the worst verdict brings whom it is worst for.
        range: What the best brings whom it is best for, beyond that.
        whole: What each verdict brings all seats together, if that is always as much.
    """

    def __init__(self, bidding: Bidding, verdicts: Verdicts) -> None:
        """Work out every verdict that a doubt of the seat in turn can bring. Cost: two settlements a seat, or a few."""
        self.bidding = bidding
        self.verdicts = verdicts
        tokens = bidding.state.dice_in_play
        offs = range(tokens + 1) if verdicts.measures else range(1)
        self.outcomes = tuple([Outcome(holds, off) for holds in (False, True) for off in offs])
        self.width = len(offs)
        every = range(len(bidding.seats))
        found = [verdicts.worths(doubt, outcome) for doubt in self.doubts_of(every) for outcome in self.outcomes]
        self.least = min(map(min, found))
        self.range = max(map(max, found)) - self.least
        sums = {sum(each, Fraction(0)) for each in found}
        self.whole = sums.pop() if len(sums) == 1 else None
        self._shares: dict[Contest, tuple[tuple[int, ...], ...]] = {}

    def doubts_of(self, claimants: Sequence[int]) -> list[Contest]:
        """Return the doubts of claims of these seats that are foreseen: by whoever is in turn, or by all in a row."""
        steps = range(self.bidding.doubts) if self.bidding.has_spot_on else ()
        spots = [self.spot_on(claimant, step) for claimant in claimants for step in steps]
        return [*[self.test(claimant) for claimant in claimants], *spots]

    def test(self, claimant: int) -> Contest:
        """Return the doubt that tests a claim: of the next seat, or of all others in a row."""
        return Contest(claimant, tuple([self.in_turn(claimant, step) for step in range(self.bidding.doubts)]))

    def spot_on(self, claimant: int, step: int) -> Contest:
        """Return spot on by the seat in turn after so many doubts of a claim."""
        return Contest(claimant, (self.in_turn(claimant, step),), spot_on=True)

    def in_turn(self, claimant: int, doubts: int) -> int:
        """Return who is in turn after a claim and so many doubts of it."""
        return (claimant + 1 + doubts) % len(self.bidding.seats)

    def shares(self, doubt: Contest) -> tuple[tuple[int, ...], ...]:
        """Return, for each outcome, the share of every seat, in the order of play; remembered."""
        if doubt not in self._shares:
            worths = [self.verdicts.worths(doubt, outcome) for outcome in self.outcomes]
            self._shares[doubt] = tuple([tuple(map(self.share, each)) for each in worths])
        return self._shares[doubt]

    def share(self, worth: Fraction) -> int:
        """Return a worth as a share of what is at stake, rounded half to even."""
        return round((worth - self.least) * WHOLE * Fraction(1, self.range)) if self.range else 0

    def worth(self, share: int | Fraction) -> Fraction:
        """Return the worth that a share stands for."""
        return self.least + self.range * Fraction(share) * Fraction(1, WHOLE)
