"""Moves where claims count: bids, and what is said to one, by the sight of a seat."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate

from domain import commands
from domain.ids import Face, Seat
from domain.rules.orders import Count
from domain.strategy.level_one.count_table import Answer, CountPosition, CountTable, table_of
from domain.strategy.level_params import LevelParams
from domain.strategy.sight import Sight, open_faces
from domain.strategy.weighing import Lot
from domain.table.moves import moves_of
from domain.table.offers import BidMove, ChallengeMove, CountMove, Move, PassMove, SpotOnMove
from domain.table.state import State

Worth = tuple[commands.Play, Fraction]
"""A move that is thought of, and its worth."""


def position_of(sight: Sight, offers: Sequence[Move] | None = None) -> CountPosition:
    """Return what level 1 looks at, but for the faces the seat knows.

    Args:
        sight: What the seat sees.
        offers: Its moves, where they are known already.
    """
    state, shown, known = sight.state, sight.shown, len(sight.known)
    given = moves_of(state, sight.seat) if offers is None else offers
    kinds = tuple([str(offer.__struct_config__.tag) for offer in given])
    standing, passer = state.round.standing, state.round.passer
    return CountPosition(
        state.auction,
        standing if isinstance(standing, Count) else None,
        tuple(sorted(shown)),
        known,
        state.dice_in_play - len(shown) - known,
        kinds,
        None if passer is None else (_open(state, passer), len(state.places[passer].inside)),
        _open(state, sight.seat) if "pass" in kinds else (),
    )


def _open(state: State, seat: Seat) -> tuple[Face, ...]:
    place = state.place_of(seat)
    assert place is not None
    return tuple(sorted(open_faces(place, state.rules.tokens.faces.first)))


def bids(sight: Sight, _move: BidMove, params: LevelParams) -> Iterator[Worth]:
    """Yield the bids thought of, ascending by quantity and face; none over dice that are known to lie cocked.

    Source: bar games page, boss liars: who has looked at cocked dice may not make a first call, and loses by a second.
    """
    if sight.cocked:
        return
    table, hand = _table(sight, params), sight.known
    for answer in table.columns:
        if isinstance(answer, Count):
            yield commands.Bid(sight.seat, answer.quantity, answer.face), _worth(table, answer, hand)


def lots(sight: Sight, _move: BidMove, params: LevelParams) -> Iterator[tuple[int, Lot]]:
    """Yield the weight of all bids thought of together, in the order of `bids`."""
    if sight.cocked:
        return
    table, hand = _table(sight, params), sight.known
    entries: dict[Face, int] = {}
    made: list[Count] = []
    weights: list[int] = []
    for answer, column in table.columns.items():
        if isinstance(answer, Count):
            if answer.face not in entries:
                entries[answer.face] = table.entry_of(answer, hand)
            made.append(answer)
            weights.append(column.weights[entries[answer.face]])
    # Where a bid is on offer, the lowest of some face is thought of.
    sums = list(accumulate(weights))
    yield sums[-1], partial(_bid_at, sight.seat, made, sums)


def _bid_at(seat: Seat, made: Sequence[Count], sums: Sequence[int], mark: int) -> commands.Play:
    bid = made[bisect_right(sums, mark)]
    return commands.Bid(seat, bid.quantity, bid.face)


def challenge(sight: Sight, _move: ChallengeMove, params: LevelParams) -> Iterator[Worth]:
    """Yield doubting the standing bid, or the pass that waits: worth the chance that it is false."""
    yield commands.Challenge(sight.seat), _worth(_table(sight, params), "challenge", sight.known)


def spot_on(sight: Sight, _move: SpotOnMove, params: LevelParams) -> Iterator[Worth]:
    """Yield saying that the standing bid is exactly right."""
    yield commands.SpotOn(sight.seat), _worth(_table(sight, params), "spot_on", sight.known)


def pass_on(sight: Sight, _move: PassMove, params: LevelParams) -> Iterator[Worth]:
    """Yield saying that one's own dice all differ."""
    yield commands.Pass(sight.seat), _worth(_table(sight, params), "pass", sight.known)


def count(sight: Sight, _move: CountMove, params: LevelParams) -> Iterator[Worth]:
    """Yield having one's own bid counted, which all others doubt."""
    yield commands.AskCount(sight.seat), _worth(_table(sight, params), "count", sight.known)


def _table(sight: Sight, params: LevelParams) -> CountTable:
    return table_of(position_of(sight), params)


def _worth(table: CountTable, answer: Answer, hand: tuple[Face, ...]) -> Fraction:
    return table.columns[answer].worths[table.entry_of(answer, hand)]
