"""Decisions on claims, from the record of a match: who could have challenged whom, with which chance of being right.

The law of the file: a decision is what the seat in turn did while the claim of another stood. Who challenges out of
turn is left out, for nobody knows of whom else that did not. The chance is that of the claim as the seat saw it: its
own dice, and all that lay open; so it is known once the deal has published its secret.

Only claims that count dice or digits are judged. What a seat knows of a cup that is passed on hangs on who handled it
and how, and beside what lies between two claims (`domain.table.interludes`) chances have no formula here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from msgspec import Struct

from domain import events
from domain.fairness.deal import Deal
from domain.fairness.openings import OpenDeal
from domain.ids import Seat
from domain.match.evolve import Match
from domain.match.record import fold
from domain.rules.orders import Count
from domain.rules.rules import Counting, Rules
from domain.statistics.odds import chance_of_bid
from domain.table.places import Place, handful
from domain.table.state import State

CLASSES: Final = 5
"""Into so many parts of the same size chances are sorted."""

Act = events.Bid | events.Challenged | events.Passed | events.Accepted


class ClaimDecision(Struct, frozen=True):
    """What a seat did about a standing claim.

    Attributes:
        seat: Whose decision it was.
        claimant: Whose claim.
        fifth: In which fifth the chance of the claim lay, from 0; a certain one is in the last.
        still: How many seats were still in.
        challenged: Whether the seat challenged.
        line: The place of the decision in the stream of the match.
    """

    seat: Seat
    claimant: Seat
    fifth: int
    still: int
    challenged: bool
    line: int


class MatchDecisions(Struct, frozen=True):
    """The decisions of a match: who sat there, by seat, and None where the game is not judged."""

    players: dict[Seat, str]
    decisions: tuple[ClaimDecision, ...] | None


class _Pending(Struct, frozen=True):
    """A decision whose dice are not published yet: the game before it, and what was done."""

    state: State
    act: Act
    line: int


def is_judged(rules: Rules) -> bool:
    """Report whether claims of a game have an exact chance as a seat sees them."""
    return isinstance(rules.claims, Counting) and not rules.interludes


def decisions_of_match(lines: Iterable[bytes]) -> MatchDecisions:
    """Return the decisions of a match whose record has passed an audit. Cost: a fold of its lines."""
    before: Match | None = None
    found: list[ClaimDecision] = []
    pending: list[_Pending] = []
    forced = False
    for line, (written, event) in enumerate(fold(lines)):
        match = written.match
        state = None if before is None else before.table
        if isinstance(event, Act) and not forced and state is not None and _decides(state, event):
            pending.append(_Pending(state, event, line))
        elif isinstance(event, events.DealClosed):
            found += _judged(match, event, pending)
            pending.clear()
        # What the clock does for a seat that lets its time run out is nobody's decision.
        forced = isinstance(event, events.TimedOut)
        before = match
    assert before is not None, "a match has a first line"
    players = {seat: player.player for seat, player in before.seated.items()}
    return MatchDecisions(players, tuple(found) if is_judged(before.rules) else None)


def _decides(state: State, act: Act) -> bool:
    """Report whether the seat in turn does something about the claim of another, in a game that is judged."""
    held = state.round
    faced = isinstance(held.standing, Count) and held.passer is None and held.claimant != act.seat
    return faced and state.turn == act.seat and is_judged(state.rules)


def _judged(match: Match, closed: events.DealClosed, pending: Iterable[_Pending]) -> Iterator[ClaimDecision]:
    """Yield decisions with the chance that each claim had; none where the deal keeps its secret."""
    ceremony = match.ceremony
    assert ceremony is not None, "a deal is closed that was begun"
    if closed.secret is None or ceremony.mix is None:
        return
    deal = Deal(bytes.fromhex(closed.secret), ceremony.ctx, ceremony.cups)
    dealer = OpenDeal(closed.deal, deal, ceremony.mix)
    for each in pending:
        state, claimant = each.state, each.state.round.claimant
        assert claimant is not None, "a claim stands"
        fifth = min(CLASSES - 1, int(CLASSES * _chance(state, each.act.seat, dealer)))
        challenged = isinstance(each.act, events.Challenged)
        yield ClaimDecision(each.act.seat, claimant, fifth, len(state.remaining), challenged, each.line)


def _chance(state: State, seat: Seat, dealer: OpenDeal) -> Fraction:
    """Return the chance that the standing claim holds, as a seat sees it."""
    claims, standing, faces = state.rules.claims, state.round.standing, state.rules.tokens.faces
    assert isinstance(claims, Counting)
    assert isinstance(standing, Count), "the claims of the game are counts"
    seen = [value + faces.first for place in state.places.values() for value in _seen(place, seat, faces.count, dealer)]
    unseen = state.dice_in_play - len(seen)
    return chance_of_bid(standing, seen, unseen, wild=state.wild, natural=claims.natural, faces=faces)


def _seen(place: Place, seat: Seat, sides: int, dealer: OpenDeal) -> Iterator[int]:
    """Yield the values of a place that a seat sees: all of them where it may know what is inside."""
    yield from (die.value for die in place.outside if die.value is not None)
    if seat in place.knowers:
        yield from (dealer.value(place.cup, roll, slot, sides) for roll, slot in handful(place, dealer).inside)
