"""Moves of level 2 where claims count: what a bid is worth with the next seat's doubt in mind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from domain import commands
from domain.ids import Face, Seat
from domain.rules.claims import count_of
from domain.rules.orders import Count
from domain.strategy.hands import needs_natural
from domain.strategy.level_one.count_table import table_of
from domain.strategy.level_one.counts import Worth, position_of
from domain.strategy.level_two.ahead import Answerer
from domain.strategy.level_two.outlook import Outlook
from domain.strategy.reading.beliefs import HALF, ONE, SCALE_BITS, Spread
from domain.table.offers import BidMove, ChallengeMove, CountMove
from domain.table.state import next_seat


def challenge(outlook: Outlook, _move: ChallengeMove) -> Iterator[Worth]:
    """Yield doubting the standing bid: worth the chance that it is false; in stakes, where all have to doubt it."""
    sight = outlook.sight
    false = 1 - _truth(outlook, _standing(outlook))
    worth = false
    if sight.state.rules.doubt.who == "all":
        # It comes to a verdict only if everybody who is still to answer doubts as well.
        worth = _all_doubt([answerer.doubt_now() for answerer in _still_to_answer(outlook)]) * (2 * false - 1)
    yield commands.Challenge(sight.seat), worth


def count(outlook: Outlook, _move: CountMove) -> Iterator[Worth]:
    """Yield having one's own bid counted, which all others doubt: worth what each of them pays or is paid."""
    sight = outlook.sight
    stakes = len(sight.state.remaining) - 1
    yield commands.AskCount(sight.seat), (2 * _truth(outlook, _standing(outlook)) - 1) * stakes


def bids(outlook: Outlook, _move: BidMove) -> Iterator[Worth]:
    """Yield the bids that level 1 thinks of: worth the chance to survive the turn, doubted or not."""
    sight = outlook.sight
    table = table_of(position_of(sight), outlook.beliefs.params)
    worths = _in_stakes if sight.state.rules.doubt.who == "all" else _survivals
    thought_of = [answer for answer in table.columns if isinstance(answer, Count)]
    for bid, worth in zip(thought_of, worths(outlook, thought_of), strict=True):
        yield commands.Bid(sight.seat, bid.quantity, bid.face), worth


def _standing(outlook: Outlook) -> Count:
    standing = outlook.sight.state.round.standing
    assert isinstance(standing, Count)
    return standing


def _truth(outlook: Outlook, claim: Count) -> Fraction:
    sight = outlook.sight
    return outlook.beliefs.chance_of(sight.state, claim, sight.seat, sight.known)


# ---- a turn survived -----------------------------------------------------------------------------


def _survivals(outlook: Outlook, some: Sequence[Count]) -> Iterator[Fraction]:
    sight = outlook.sight
    ahead = Answerer(outlook, next_seat(sight.state, sight.seat))
    rest = {face: _spread_behind(outlook, face, ahead) for face in sorted({bid.face for bid in some})}
    return (survival(outlook, ahead, bid, rest[bid.face], (*sight.shown, *sight.known)) for bid in some)


def _spread_behind(outlook: Outlook, face: Face, ahead: Answerer) -> Spread:
    """Return how many dice are likely to count in all cups but the seat's own, and that which is gone through."""
    apart = ahead.seat if ahead.hands.dice else None
    return outlook.beliefs.spread_of_others(outlook.sight.state, face, outlook.sight.seat, apart)


def survival(outlook: Outlook, ahead: Answerer, bid: Count, rest: Spread, known: Sequence[Face]) -> Fraction:
    """Return the chance that a bid is not doubted and the turn survived, or that it is doubted and holds.

    Args:
        outlook: What the seat goes by.
        ahead: Who answers.
        bid: The bid.
        rest: How many dice are likely to count in all other cups.
        known: The faces the bidder knows, shown or its own.
    """
    seats, dice = len(outlook.sight.state.remaining), ahead.hands.dice
    auction = outlook.sight.state.auction
    need = bid.quantity - count_of(auction, bid.face, known)
    wide = needs_natural(auction, bid.face)
    # Whether a bid holds hangs on the answerer's hand through its holding alone, so hands are put together by it.
    by_holding = [0] * ((dice + 1) * (2 if wide else 1))
    for holding, weight, doubt in zip(
        ahead.hands.holdings(auction, bid.face), ahead.weights, ahead.doubts(bid), strict=True
    ):
        by_holding[holding] += weight * doubt
    worth, doubted = 0, 0
    for holding, both in enumerate(by_holding):
        natural, counts = divmod(holding, dice + 1)
        chance = both + HALF >> SCALE_BITS
        doubted += chance
        worth += chance * rest.holds(need - counts, natural=bool(natural) or bid.face in known)
    return Fraction(worth + (ONE - doubted) * ONE * (seats - 1) // seats, ONE * ONE)


# ---- stakes, where all have to doubt --------------------------------------------------------------


def _in_stakes(outlook: Outlook, some: Sequence[Count]) -> Iterator[Fraction]:
    sight = outlook.sight
    others = [Answerer(outlook, seat) for seat in _in_order(outlook) if seat != sight.seat]
    for bid in some:
        doubted = _all_doubt([other.doubt(bid) for other in others])
        yield doubted * (2 * _truth(outlook, bid) - 1) * len(others)


def _in_order(outlook: Outlook) -> list[Seat]:
    """Return the seats in the round in the order in which they answer, the seat itself last."""
    state, seat = outlook.sight.state, outlook.sight.seat
    found: list[Seat] = []
    while not found or found[-1] != seat:
        found.append(next_seat(state, found[-1] if found else seat))
    return found


def _still_to_answer(outlook: Outlook) -> list[Answerer]:
    now = outlook.sight.state.round
    answered = {now.claimant, outlook.sight.seat, *now.doubters}
    return [Answerer(outlook, seat) for seat in _in_order(outlook) if seat not in answered]


def _all_doubt(chances: Sequence[int]) -> Fraction:
    found = ONE
    for chance in chances:
        found = found * chance + HALF >> SCALE_BITS
    return Fraction(found, ONE)
