"""Moves of level 2 where claims count: bids, what is said to one, and dice that are handled before it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from domain import commands
from domain.ids import Seat
from domain.rules.claims import count_of
from domain.rules.orders import Count
from domain.strategy.hands import all_hands
from domain.strategy.level_one.arrangements import Arranger, DiceAfter
from domain.strategy.level_one.arranging import worth_of_result
from domain.strategy.level_one.count_table import table_of
from domain.strategy.level_one.counts import Worth, position_of
from domain.strategy.level_two.ahead import Answerer
from domain.strategy.level_two.outlook import THROWS_MAX, Outlook, outlook_of
from domain.strategy.level_two.prospects import Prospects, all_doubt, in_order
from domain.strategy.reading.beliefs import ONE
from domain.strategy.sight import Sight, shown_faces
from domain.table.offers import ArrangeMove, BidMove, ChallengeMove, CountMove
from domain.table.places import Die, Place
from domain.table.state import State

SIGHTS_MAX: Final = 12
"""How many ways to leave dice open are gone through with all answers; no game of the house has more."""


def challenge(outlook: Outlook, _move: ChallengeMove) -> Iterator[Worth]:
    """Yield doubting the standing bid: worth the chance that it is false; in stakes, where all have to doubt it."""
    sight = outlook.sight
    worth = 1 - _truth_of_standing(outlook)
    if sight.state.rules.doubt.who == "all":
        # It comes to a verdict only if everybody who is still to answer doubts as well.
        doubted = all_doubt([answerer.doubt_now() for answerer in _still_to_answer(outlook)])
        worth = Fraction(doubted, ONE) * (2 * worth - 1)
    yield commands.Challenge(sight.seat), worth


def _still_to_answer(outlook: Outlook) -> list[Answerer]:
    state, seat = outlook.sight.state, outlook.sight.seat
    answered = {state.round.claimant, seat, *state.round.doubters}
    return [Answerer(outlook, other) for other in in_order(state, seat) if other not in answered]


def count(outlook: Outlook, _move: CountMove) -> Iterator[Worth]:
    """Yield having one's own bid counted, which all others doubt: worth what each of them pays or is paid."""
    sight = outlook.sight
    stakes = len(sight.state.remaining) - 1
    yield commands.AskCount(sight.seat), (2 * _truth_of_standing(outlook) - 1) * stakes


def _truth_of_standing(outlook: Outlook) -> Fraction:
    sight = outlook.sight
    standing, known = sight.state.round.standing, (*sight.shown, *sight.known)
    assert isinstance(standing, Count)
    need = standing.quantity - count_of(sight.state.auction, standing.face, known)
    return Fraction(outlook.spread(standing.face).holds(need, natural=standing.face in known), ONE)


def bids(outlook: Outlook, _move: BidMove) -> Iterator[Worth]:
    """Yield the bids that level 1 thinks of, with the answer to each in mind."""
    sight = outlook.sight
    some = _thought_of(outlook)
    prospects = Prospects(outlook, some)
    known = (*sight.shown, *sight.known)
    for bid in some:
        yield commands.Bid(sight.seat, bid.quantity, bid.face), prospects.worth(bid, known)


def _thought_of(outlook: Outlook) -> list[Count]:
    position = replace(position_of(outlook.sight, ()), kinds=("bid",))
    table = table_of(position, outlook.beliefs.params)
    return [answer for answer in table.columns if isinstance(answer, Count)]


# ---- dice handled before a bid --------------------------------------------------------------------


def arrange(outlook: Outlook, _move: ArrangeMove) -> Iterator[Worth]:
    """Yield every lawful way to handle the dice: worth the best bid after it, the mean over what is thrown."""
    sight = outlook.sight
    arranger, some = Arranger(sight.state, sight.seat), _thought_of(outlook)
    known = sight.dice.get(arranger.place.cup, ())
    if len(known) < len(arranger.place.inside):
        return
    prospects: dict[tuple[int, ...], Prospects] = {}
    ways = list(arranger.arrangements(known))
    too_many = not some or len({made.result.outside for made in ways}) > SIGHTS_MAX
    for made in ways:
        result = made.result
        throws = all_hands(result.roll_inside, sight.state.rules.tokens.faces)
        if too_many or result.roll_outside or len(throws) > THROWS_MAX:
            yield made.command, worth_of_result(sight, result, outlook.beliefs.params)
            continue
        after = _outlook_after(outlook, result)
        # How others answer hangs on what lies open, and not on what else was thrown under the cup.
        if result.outside not in prospects:
            prospects[result.outside] = Prospects(after, some)
        yield made.command, _mean_after(prospects[result.outside], after, result)


def _mean_after(prospects: Prospects, after: Outlook, result: DiceAfter) -> Fraction:
    sight = after.sight
    throws = all_hands(result.roll_inside, sight.state.rules.tokens.faces)
    known = (*shown_faces(sight.state), *result.inside)
    worths = [prospects.best((*known, *throw)) * ways for throw, ways in zip(throws.hands, throws.ways, strict=True)]
    return sum(worths, Fraction(0)) * Fraction(1, sum(throws.ways))


def _outlook_after(outlook: Outlook, result: DiceAfter) -> Outlook:
    """Return what the seat goes by once its dice lie so, with fresh ones under the cup that nobody has seen yet."""
    state, seat = outlook.sight.state, outlook.sight.seat
    place = state.place_of(seat)
    assert place is not None
    places = {**state.places, place.cup: _place_after(state, place, seat, result)}
    after = Sight(replace(state, places=places), seat)
    # Hands that were drawn stay the same, but where the next seat is to have this very cup.
    return replace(outlook, sight=after) if place.cup == seat else outlook_of(after, outlook.beliefs, outlook.words)


def _place_after(state: State, place: Place, seat: Seat, result: DiceAfter) -> Place:
    first = state.rules.tokens.faces.first
    inside = (Die(None),) * (len(result.inside) + result.roll_inside)
    outside = tuple([Die(None, face - first) for face in result.outside])
    return replace(place, inside=inside, outside=outside, knowers=(seat,))
