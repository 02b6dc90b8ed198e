"""Public odds: what a table looks like to everybody while a round is played, by odds alone.

The law of the file: a figure is a function of the public state, and nobody's moves are read in it. Dice that lie open
count as what they show, and all others are fair.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.analysis.figures import Figure, exact
from domain.analysis.odds.chances import AskedCount, chance_of_pass
from domain.ids import Face, RoundNumber, Seat
from domain.rules.claims import Auction, count_of, minimum_claims
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Counting, Faces, Rungs
from domain.statistics.odds import (
    Throw,
    chance_of,
    chances_of_hands_or_higher,
)
from domain.strategy.hands import faces_of
from domain.strategy.knowledge import NOTHING
from domain.strategy.sight import open_faces, shown_faces
from domain.table.checks import lowest_raise
from domain.table.phases import BETWEEN_ROUNDS, CHOOSING, FINISHED, HOLDING, TO_ROLL
from domain.table.state import PASSED_CUP, Claim, State

STEPS: Final = 3
"""So many rungs above a hand are its smallest raises."""
POSITIONS_MAX: Final = 4_096
"""Positions of which the figures are kept, a few kilobytes each."""
_NOTHING_LIES: Final = frozenset({BETWEEN_ROUNDS, CHOOSING, FINISHED})
_BELIEVED: Final = frozenset({TO_ROLL, HOLDING})
"""Phases of a cup that was passed on and believed: nobody tests the claim that stands any more."""


class LeftDice(Struct, frozen=True):
    """Which dice are left.

    Attributes:
        seats: How many each seat has in this round, those in a cup that is passed on apart.
        in_play: How many there are.
        shown: The faces of those that lie open.
    """

    seats: dict[Seat, int]
    in_play: int
    shown: tuple[Face, ...]


class StandingOdds(Struct, frozen=True, omit_defaults=True):
    """The standing claim.

    Attributes:
        chance: That it holds, as the public sees it; left out where it was believed, and is tested no more.
        exactly: That a count is exactly right.
    """

    seat: Seat
    claim: dict[str, Any]
    chance: Figure | UnsetType = UNSET
    exactly: Figure | UnsetType = UNSET


class PassOdds(Struct, frozen=True):
    """A pass that waits to be believed, and the chance that all dice of its seat differ."""

    seat: Seat
    chance: Figure


class RaiseOdds(Struct, frozen=True):
    """One of the smallest claims that may follow, and the chance that it holds."""

    claim: dict[str, Any]
    chance: Figure


class ExpectedQuantity(Struct, frozen=True):
    """How many dice count for a face on average, in millionths of a die."""

    face: Face
    quantity: Figure


class TableOdds(Struct, frozen=True, omit_defaults=True):
    """What the table looks like to everybody, by odds alone.

    Attributes:
        standing: The claim to beat; left out where none stands.
        passing: A pass that waits to be believed.
        raises: The smallest claims that may follow; for a count those of each face that are no further away.
        expected: Of each face, where claims are counts.
    """

    round: RoundNumber
    dice: LeftDice
    raises: tuple[RaiseOdds, ...]
    standing: StandingOdds | UnsetType = UNSET
    passing: PassOdds | UnsetType = UNSET
    expected: tuple[ExpectedQuantity, ...] | UnsetType = UNSET


def odds_of(state: State) -> TableOdds | UnsetType:
    """Return what a table looks like to everybody; nothing where no round is played.

    Cost: what is the same for all versions between two moves, and at all tables that stand alike, is made once.
    """
    if not state.places or state.phase in _NOTHING_LIES:
        return UNSET
    seats = {seat: len(place.inside) + len(place.outside) for seat, place in state.places.items() if seat != PASSED_CUP}
    shown = shown_faces(state)
    counts = isinstance(state.rules.claims, Counting)
    found = _of_counts(_counts_of(state, shown)) if counts else _of_hands(_hands_of(state))
    return TableOdds(
        round=state.round_number,
        dice=LeftDice(seats, state.dice_in_play, shown),
        raises=() if state.turn is None else found.raises,
        standing=_standing(state, found),
        passing=_passing(state),
        expected=found.expected,
    )


def _standing(state: State, found: _Figures) -> StandingOdds | UnsetType:
    claim, seat = state.round.standing, state.round.claimant
    if claim is None or seat is None:
        return UNSET
    if state.phase in _BELIEVED:
        return StandingOdds(seat, claim_members(claim))
    return StandingOdds(seat, claim_members(claim), found.chance, found.exactly)


def _passing(state: State) -> PassOdds | UnsetType:
    passer = state.round.passer
    return UNSET if passer is None else PassOdds(passer, exact(chance_of_pass(state, passer, NOTHING)))


class _Figures(Struct, frozen=True):
    """The chances of a position: of the standing claim, and of what may follow it."""

    raises: tuple[RaiseOdds, ...]
    chance: Figure | UnsetType = UNSET
    exactly: Figure | UnsetType = UNSET
    expected: tuple[ExpectedQuantity, ...] | UnsetType = UNSET


# ---- counts -------------------------------------------------------------------------------------


class _Counts(Struct, frozen=True):
    """All that decides the chances of counts, as everybody sees it.

    Attributes:
        auction: The bidding as it is under the standing claim.
        raises: The smallest claims that may follow, and whether ones are wild once each stands.
    """

    auction: Auction
    standing: Count | None
    raises: tuple[tuple[Count, bool], ...]
    shown: tuple[Face, ...]


def _counts_of(state: State, shown: tuple[Face, ...]) -> _Counts:
    auction, standing = state.auction, state.round.standing
    assert not isinstance(standing, Hand), "counts are bid"
    # Where nobody may raise, as while dice are shown, what could follow is not told.
    lowest = () if state.turn is None else minimum_claims(auction, standing)
    return _Counts(auction, standing, tuple([(claim, state.wild_after(claim)) for claim in lowest]), shown)


@lru_cache(maxsize=POSITIONS_MAX)
def _of_counts(at: _Counts) -> _Figures:
    claim = at.standing
    stands = None if claim is None else AskedCount(at.auction, claim, at.shown)
    return _Figures(
        tuple(
            [RaiseOdds(claim_members(each), exact(_raised(at, each, wild=wild).chance())) for each, wild in at.raises]
        ),
        UNSET if stands is None else exact(stands.chance()),
        UNSET if stands is None else exact(stands.exactly()),
        tuple(_expected(at)),
    )


def _raised(at: _Counts, claim: Count, *, wild: bool) -> AskedCount:
    auction = at.auction if wild == at.auction.wild else replace(at.auction, wild=wild)
    return AskedCount(auction, claim, at.shown)


def _expected(at: _Counts) -> Iterator[ExpectedQuantity]:
    auction, shown = at.auction, at.shown
    faces, hidden = auction.faces, auction.tokens - len(shown)
    for face, chance in _chances(faces, auction.wild):
        yield ExpectedQuantity(face, _quantity(count_of(auction, face, shown), hidden, chance))


@lru_cache(maxsize=64)
def _chances(faces: Faces, wild: bool) -> tuple[tuple[Face, Fraction], ...]:  # noqa: FBT001 - a key
    return tuple([(face, chance_of(face, faces, wild=wild)) for face in faces_of(faces)])


@lru_cache(maxsize=POSITIONS_MAX)
def _quantity(counted: int, hidden: int, chance: Fraction) -> Figure:
    return exact(counted + hidden * chance)


# ---- hands --------------------------------------------------------------------------------------


class _Hands(Struct, frozen=True):
    """All that decides the chances of hands, as everybody sees it.

    Attributes:
        throw: The dice that a hand is called of, as they are read under the standing one.
        raises: The smallest hands that may follow, and whether ones are wild once each stands.
        of_claimant: The open dice that the standing hand is called of.
        of_next: Those that the next hand will be called of.
    """

    throw: Throw
    standing: Hand | None
    raises: tuple[tuple[Hand, bool], ...]
    of_claimant: tuple[Face, ...]
    of_next: tuple[Face, ...]


def _hands_of(state: State) -> _Hands:
    rules, standing = state.rules, state.round.standing
    assert isinstance(rules.claims, Rungs), "hands are called"
    assert not isinstance(standing, Count), "hands are called"
    throw = Throw(rules.claims, rules.tokens.dice, rules.tokens.faces, wild=state.wild)
    open_dice = [_open_dice(state, seat) for seat in (state.round.claimant, state.turn)]
    lowest = lowest_raise(state)
    raises = [(hand, state.wild_after(hand)) for hand in state.ladder.hands[lowest : lowest + STEPS]]
    return _Hands(throw, standing, tuple(raises), *open_dice)


def _open_dice(state: State, seat: Seat | None) -> tuple[Face, ...]:
    place = None if seat is None else state.place_of(seat)
    return () if place is None else tuple(sorted(open_faces(place, state.rules.tokens.faces.first)))


@lru_cache(maxsize=POSITIONS_MAX)
def _of_hands(at: _Hands) -> _Figures:
    rungs, claim = at.throw.ladder.rungs, at.standing
    then = [(hand, replace(at.throw, wild=wild)) for hand, wild in at.raises]
    return _Figures(
        tuple([RaiseOdds(claim_members(each), _chances_by_rung(by, at.of_next)[rungs[each]]) for each, by in then]),
        UNSET if claim is None else _chances_by_rung(at.throw, at.of_claimant)[rungs[claim]],
    )


@lru_cache(maxsize=POSITIONS_MAX)
def _chances_by_rung(throw: Throw, shown: tuple[Face, ...]) -> tuple[Figure, ...]:
    return tuple(map(exact, chances_of_hands_or_higher(throw, shown).values()))


def claim_members(claim: Claim) -> dict[str, Any]:
    """Return a claim as an analysis writes it."""
    if isinstance(claim, Count):
        return {"quantity": claim.quantity, "face": claim.face}
    return {"shape": claim.shape, "faces": [*claim.faces]}
