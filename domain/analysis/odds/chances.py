"""Chances of claims by odds alone: nobody's moves are read, dice that a viewer does not know are fair.

The law of the file: a chance is an exact fraction of the dice that the viewer does not see, and all that decides it is
what the viewer knows of them. Every claim is judged in the state that it leads to: an opening on ones that kills the
wild ones is judged with plain ones.

Source: `domain.statistics.odds`, which has the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import perm

from domain.ids import CupId, Face, Seat
from domain.rules import claims
from domain.rules.claims import ONE, Auction
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Counting, SharedCup
from domain.statistics.odds import (
    Throw,
    chance_of,
    chance_of_at_least,
    chance_of_natural,
    chances_of_hands_or_higher,
)
from domain.statistics.odds import chance_of_exactly as exactly_of
from domain.strategy.knowledge import Knowledge, dice_known
from domain.strategy.level_one.hands import throw_after
from domain.strategy.sight import open_faces, shown_faces
from domain.table.state import PASSED_CUP, Claim, State

Faces = Mapping[CupId, tuple[Face, ...]]
"""Faces of hidden dice, by cup."""


def cup_of(state: State, seat: Seat) -> CupId:
    """Return the cup that a seat handles."""
    return PASSED_CUP if isinstance(state.rules.tokens, SharedCup) else seat


def cups_of(state: State, claim: Claim, claimant: Seat) -> frozenset[CupId]:
    """Return the cups that a claim is about: all of them for a count, one for a hand."""
    return frozenset(state.places) if isinstance(claim, Count) else frozenset({cup_of(state, claimant)})


def chance_of_claim(
    state: State, claim: Claim, claimant: Seat, knowledge: Knowledge, odds: CountOdds | None = None
) -> Fraction:
    """Return the chance that a claim holds, by what a viewer knows.

    Args:
        state: The game before or after the claim.
        claim: A lawful one.
        claimant: Whose it is: a hand is claimed of the dice this seat handles.
        knowledge: What the viewer knows of hidden dice (`domain.strategy.knowledge`).
        odds: Those of counts in this very game, where more than one claim is asked about.

    Cost: a look into tables for each way in which dice the viewer knew may have been handled since.
    """
    if isinstance(claim, Count):
        return (odds or CountOdds(state)).chance(claim, knowledge)
    cup, first = cup_of(state, claimant), state.rules.tokens.faces.first
    shown, throw = open_faces(state.places[cup], first), throw_after(state, claim)
    rung = throw.ladder.rungs[claim]
    about = {cup: knowledge[cup]} if cup in knowledge else {}
    found = [(tuple(sorted(shown + known)), weight) for known, weight in dice_known(about)]
    return _mean([(_chances_by_rung(throw, seen)[rung], weight) for seen, weight in found])


class CountOdds:
    """The chances of counts in one game, whoever asks: what everybody sees of it is looked at once.

    Attributes:
        state: The game.
        shown: The faces that lie open in it.
        dice: How many dice are in play.
    """

    def __init__(self, state: State, alike: CountOdds | None = None) -> None:
        """Look at a game before or after a claim; `alike` are the odds of another one, which may have the same dice."""
        assert isinstance(state.rules.claims, Counting)
        self.state, self._counting = state, state.rules.claims
        self._asked: dict[Count, AskedCount] = {}
        same = alike is not None and alike.state.places is state.places
        self.shown: tuple[Face, ...] = alike.shown if alike is not None and same else shown_faces(state)
        self.dice: int = alike.dice if alike is not None and same else state.dice_in_play

    def chance(self, claim: Count, knowledge: Knowledge) -> Fraction:
        """Return the chance that a claim holds, by what a viewer knows. Cost: a look-up for each way it may be."""
        asked, ways = self._of(claim), dice_known(knowledge)
        return _mean([(asked.chance(known), weight) for known, weight in ways])

    def exactly(self, claim: Count, knowledge: Knowledge) -> Fraction:
        """Return the chance that a count is exactly right."""
        asked, ways = self._of(claim), dice_known(knowledge)
        return _mean([(asked.exactly(known), weight) for known, weight in ways])

    def own_and_need(self, claim: Count, known: Faces) -> tuple[int, int]:
        """Return how many dice that a viewer knows count for a claim, and how many more it takes.

        A claim that needs a natural die takes one more at least as long as none is seen.
        """
        auction, seen = self._of(claim).auction, self._seen(known)
        own = claims.count_of(auction, claim.face, seen)
        helped = auction.wild and auction.counting.natural and claim.face not in {ONE, *seen}
        return own, max(claim.quantity - own, int(helped))

    def holds(self, claim: Count, dice: Faces) -> bool:
        """Report whether a claim holds by all dice; `dice` are the hidden ones."""
        return claims.holds(self._of(claim).auction, claim, self._seen(dice))

    def _of(self, claim: Count) -> AskedCount:
        found, state = self._asked.get(claim), self.state
        if found is None:
            auction = Auction(self._counting, self.dice, state.rules.tokens.faces, state.wild_after(claim))
            found = self._asked[claim] = AskedCount(auction, claim, self.shown)
        return found

    def _seen(self, known: Faces) -> tuple[Face, ...]:
        """Return the faces that a viewer sees on the table."""
        return self.shown + tuple([face for faces in known.values() for face in faces])


class AskedCount:
    """A claim that is asked about, once for all who see as many dice count for it.

    Attributes:
        auction: The bidding it leads to.
    """

    def __init__(self, auction: Auction, claim: Count, shown: tuple[Face, ...]) -> None:
        """Ask about a claim where these faces lie open."""
        self.auction, self._claim, self._shown = auction, claim, shown
        self._chances: dict[tuple[int, int, bool], Fraction] = {}

    def chance(self, known: tuple[Face, ...] = ()) -> Fraction:
        """Return the chance that it holds, by the hidden dice that a viewer knows."""
        auction, claim, seen = self.auction, self._claim, self._shown + known
        own = claims.count_of(auction, claim.face, seen)
        at = (own, len(seen), auction.counting.natural and claim.face not in seen)
        found = self._chances.get(at)
        if found is None:
            found = self._chances[at] = _chance_of(auction, claim, *at)
        return found

    def exactly(self, known: tuple[Face, ...] = ()) -> Fraction:
        """Return the chance that it is exactly right."""
        seen = self._shown + known
        return _chance_of_exactly(
            self.auction, self._claim, claims.count_of(self.auction, self._claim.face, seen), len(seen)
        )


def chance_of_exactly(state: State, claim: Count, knowledge: Knowledge) -> Fraction:
    """Return the chance that a count is exactly right; otherwise as `chance_of_claim`."""
    return CountOdds(state).exactly(claim, knowledge)


def chance_of_pass(state: State, passer: Seat, knowledge: Knowledge) -> Fraction:
    """Return the chance that all dice of a seat differ, by what a viewer knows."""
    place, faces = state.places[passer], state.rules.tokens.faces
    shown = open_faces(place, faces.first)
    about = {passer: knowledge[passer]} if passer in knowledge else {}

    def chance(known: tuple[Face, ...]) -> Fraction:
        seen = shown + known
        left = len(place.dice) - len(seen)
        different = len(set(seen)) == len(seen)
        return Fraction(perm(faces.count - len(seen), left) if different else 0, faces.count**left)

    return _mean([(chance(known), weight) for known, weight in dice_known(about)])


def holds(state: State, claim: Claim, claimant: Seat, dice: Faces) -> bool:
    """Report whether a claim holds by all dice it is about; `dice` are the hidden ones of its cups."""
    if isinstance(claim, Count):
        return CountOdds(state).holds(claim, dice)
    throw = throw_after(state, claim)
    return throw.ladder.measure(values_of(state, claimant, dice)) >= throw.ladder.rungs[claim]


def rung_made(state: State, claim: Hand, claimant: Seat, dice: Faces) -> int:
    """Return the rung that a claimant's dice reach, and `NOTHING` (-1) if they are worth no claim."""
    return throw_after(state, claim).ladder.measure(values_of(state, claimant, dice))


def values_of(state: State, seat: Seat, dice: Faces) -> tuple[int, ...]:
    """Return what the dice a seat handles show, from 0; `dice` are the hidden ones."""
    cup, first = cup_of(state, seat), state.rules.tokens.faces.first
    return tuple([face - first for face in (*dice.get(cup, ()), *open_faces(state.places[cup], first))])


def _mean(found: Sequence[tuple[Fraction, int]]) -> Fraction:
    """Return the mean of what is found in each way in which hidden dice may have been handled, by their weights."""
    if len(found) == 1:
        return found[0][0]
    total: Fraction = sum([chance * weight for chance, weight in found], Fraction(0))
    return total / sum([weight for _, weight in found])


@lru_cache(maxsize=4_096)
def _chance_of(auction: Auction, claim: Count, own: int, seen: int, bare: bool) -> Fraction:  # noqa: FBT001 - a key
    """Return the chance of a claim for which `own` of the dice seen count; `bare` if no natural one is seen yet."""
    need, unseen = max(claim.quantity - own, 0), auction.tokens - seen
    chance = chance_of(claim.face, auction.faces, wild=auction.wild)
    if not bare:
        return chance_of_at_least(unseen, need, chance)
    alone = chance_of(claim.face, auction.faces)
    return chance_of_natural(unseen, need, alone, chance - alone)


@lru_cache(maxsize=4_096)
def _chance_of_exactly(auction: Auction, claim: Count, own: int, seen: int) -> Fraction:
    """Return the chance that a claim is exactly right for which `own` of the dice seen count."""
    chance = chance_of(claim.face, auction.faces, wild=auction.wild)
    return exactly_of(auction.tokens - seen, claim.quantity - own, chance)


@lru_cache(maxsize=4_096)
def _chances_by_rung(throw: Throw, kept: tuple[Face, ...]) -> tuple[Fraction, ...]:
    """Return the chance of each rung or a higher one, by rung; `kept` are the faces seen, ascending."""
    return tuple(chances_of_hands_or_higher(throw, kept).values())
