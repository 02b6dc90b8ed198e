"""Chances of claims by odds alone: nobody's moves are read, dice that a viewer does not know are fair.

The law of the file: a chance is an exact fraction of the dice that the viewer does not see, and all that decides it is
what the viewer knows of them. Every claim is judged in the state that it leads to: an opening on ones that kills the
wild ones is judged with plain ones.

Source: `domain.statistics.odds`, which has the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import perm

from domain.ids import CupId, Face, Seat
from domain.rules import claims
from domain.rules.claims import ONE, Auction
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Counting, Rungs, SharedCup
from domain.statistics.odds import Throw, chance_of_bid, chance_of_exact_bid, chances_of_hands_or_higher
from domain.strategy.knowledge import Knowledge, faces_known
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


def chance_of_claim(state: State, claim: Claim, claimant: Seat, knowledge: Knowledge) -> Fraction:
    """Return the chance that a claim holds, by what a viewer knows.

    Args:
        state: The game before or after the claim.
        claim: A lawful one.
        claimant: Whose it is: a hand is claimed of the dice this seat handles.
        knowledge: What the viewer knows of hidden dice (`domain.strategy.knowledge`).

    Cost: a look into tables for each way in which dice the viewer knew may have been handled since.
    """
    if isinstance(claim, Count):
        return _mean(knowledge, lambda known: _chance_of_bid(state, claim, known))
    cup, first = cup_of(state, claimant), state.rules.tokens.faces.first
    shown, throw = open_faces(state.places[cup], first), _throw(state, claim)
    rung = throw.ladder.rungs[claim]
    about = {cup: knowledge[cup]} if cup in knowledge else {}
    return _mean(about, lambda known: _chances_by_rung(throw, tuple(sorted((*shown, *known.get(cup, ())))))[rung])


def chance_of_exactly(state: State, claim: Count, knowledge: Knowledge) -> Fraction:
    """Return the chance that a count is exactly right; otherwise as `chance_of_claim`."""
    wild, faces = state.wild_after(claim), state.rules.tokens.faces
    return _mean(
        knowledge,
        lambda known: chance_of_exact_bid(claim, *_seen(state, known), wild=wild, faces=faces),
    )


def chance_of_pass(state: State, passer: Seat, knowledge: Knowledge) -> Fraction:
    """Return the chance that all dice of a seat differ, by what a viewer knows."""
    place, faces = state.places[passer], state.rules.tokens.faces
    shown = open_faces(place, faces.first)
    about = {passer: knowledge[passer]} if passer in knowledge else {}

    def chance(known: Faces) -> Fraction:
        seen = (*shown, *known.get(passer, ()))
        left = len(place.dice) - len(seen)
        different = len(set(seen)) == len(seen)
        return Fraction(perm(faces.count - len(seen), left) if different else 0, faces.count**left)

    return _mean(about, chance)


def own_and_need(state: State, claim: Count, known: Faces) -> tuple[int, int]:
    """Return how many dice that a viewer knows count for a claim, and how many more it takes.

    A claim that needs a natural die takes one more at least as long as none is seen.
    """
    auction, seen = _auction(state, claim), _seen(state, known)[0]
    own = claims.count_of(auction, claim.face, seen)
    helped = auction.wild and auction.counting.natural and claim.face not in {ONE, *seen}
    return own, max(claim.quantity - own, int(helped))


def holds(state: State, claim: Claim, claimant: Seat, dice: Faces) -> bool:
    """Report whether a claim holds by all dice it is about; `dice` are the hidden ones of its cups."""
    if isinstance(claim, Count):
        return claims.holds(_auction(state, claim), claim, _seen(state, dice)[0])
    throw = _throw(state, claim)
    return throw.ladder.measure(values_of(state, claimant, dice)) >= throw.ladder.rungs[claim]


def rung_made(state: State, claim: Hand, claimant: Seat, dice: Faces) -> int:
    """Return the rung that a claimant's dice reach, and `NOTHING` (-1) if they are worth no claim."""
    return _throw(state, claim).ladder.measure(values_of(state, claimant, dice))


def values_of(state: State, seat: Seat, dice: Faces) -> tuple[int, ...]:
    """Return what the dice a seat handles show, from 0; `dice` are the hidden ones."""
    cup, first = cup_of(state, seat), state.rules.tokens.faces.first
    return tuple([face - first for face in (*dice.get(cup, ()), *open_faces(state.places[cup], first))])


def _mean(knowledge: Knowledge, ask: Callable[[Faces], Fraction]) -> Fraction:
    """Return the mean of what is asked over the ways in which hidden dice may have been handled, by their weights."""
    found = [(ask(known), weight) for known, weight in faces_known(knowledge)]
    if len(found) == 1:
        return found[0][0]
    total: Fraction = sum([chance * weight for chance, weight in found], Fraction(0))
    return total / sum([weight for _, weight in found])


def _seen(state: State, known: Faces) -> tuple[tuple[Face, ...], int]:
    """Return the faces that a viewer sees on the table, and how many dice it does not see."""
    seen = (*shown_faces(state), *(face for cup in state.places for face in known.get(cup, ())))
    return seen, state.dice_in_play - len(seen)


def _chance_of_bid(state: State, claim: Count, known: Faces) -> Fraction:
    seen, unseen = _seen(state, known)
    return _chance_by_view(_auction(state, claim), claim, tuple(sorted(seen)), unseen)


@lru_cache(maxsize=4_096)
def _chance_by_view(auction: Auction, claim: Count, seen: tuple[Face, ...], unseen: int) -> Fraction:
    natural = auction.counting.natural
    return chance_of_bid(claim, seen, unseen, wild=auction.wild, natural=natural, faces=auction.faces)


def _auction(state: State, claim: Count) -> Auction:
    counting = state.rules.claims
    assert isinstance(counting, Counting)
    return Auction(counting, state.dice_in_play, state.rules.tokens.faces, state.wild_after(claim))


def _throw(state: State, claim: Hand) -> Throw:
    rungs, tokens = state.rules.claims, state.rules.tokens
    assert isinstance(rungs, Rungs)
    return Throw(rungs, tokens.dice, tokens.faces, state.wild_after(claim))


@lru_cache(maxsize=4_096)
def _chances_by_rung(throw: Throw, kept: tuple[Face, ...]) -> tuple[Fraction, ...]:
    """Return the chance of each rung or a higher one, by rung; `kept` are the faces seen, ascending."""
    return tuple(chances_of_hands_or_higher(throw, kept).values())
