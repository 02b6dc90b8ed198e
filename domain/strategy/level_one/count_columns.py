"""Columns of a count table: the worths and weights of claims on one face, and of what is said to one, by holding.

Few of them come about in a match: they hang on how many dice are seen and unseen, and on no other face.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from domain.ids import Face, Quantity
from domain.rules.claims import Auction, count_of
from domain.statistics.odds import chance_of, chance_of_at_least, chance_of_exactly, chance_of_natural
from domain.strategy.hands import needs_natural
from domain.strategy.level_params import LevelParams
from domain.strategy.weighing import weight_of

ToClaim = Literal["challenge", "spot_on", "count"]
"""What may be said to a claim."""


class Column(Struct, frozen=True):
    """The worths and weights of a move by holding; with one entry each where none matters."""

    worths: tuple[Fraction, ...]
    weights: tuple[int, ...]


class ClaimOdds(Struct, frozen=True):
    """What a claim on one face hangs on, but for the quantity: few of them come about in a match.

    Attributes:
        hidden: How many hidden dice the seat knows.
        unknown: How many it does not know.
        shown: How many open dice count for the face.
        bare: Whether a natural die is needed, and none lies open.
        counts: Of how many faces a die that counts for the claim is one.
        faces: How many faces a die has.
        wide: Whether a column has a second half, for hands that have a natural die.
    """

    hidden: int
    unknown: int
    shown: int
    bare: bool
    counts: int
    faces: int
    wide: bool


def odds_of(auction: Auction, face: Face, shown: tuple[Face, ...], hidden: int, unknown: int) -> ClaimOdds:
    """Return what a claim on a face hangs on in a position."""
    wide = needs_natural(auction, face)
    chance = chance_of(face, auction.faces, wild=auction.wild) * auction.faces.count
    bare = wide and face not in shown
    counts = count_of(auction, face, shown)
    return ClaimOdds(hidden, unknown, counts, bare, chance.numerator, auction.faces.count, wide)


class BidColumns(Struct, frozen=True):
    """The columns of some bids on one face, by quantity, the sum of their weights and the largest of them."""

    columns: tuple[Column, ...]
    sums: tuple[int, ...]
    most: tuple[int, ...]


class FaceColumns:
    """The columns of one face in positions whose odds are these, each made when it is first asked for."""

    def __init__(self, odds: ClaimOdds, params: LevelParams) -> None:
        """Make none yet; `columns_of` makes one of these for all who ask."""
        self._odds, self._params = odds, params
        self._made: dict[Quantity, Column] = {}
        self._bids: dict[tuple[Quantity, ...], BidColumns] = {}
        self._said: dict[tuple[ToClaim, Quantity], Column] = {}

    def bids(self, quantities: tuple[Quantity, ...]) -> BidColumns:
        """Return the columns of bids of these quantities."""
        found = self._bids.get(quantities)
        if found is None:
            columns = tuple(map(self._bid, quantities))
            weights = list(zip(*[column.weights for column in columns], strict=True))
            found = self._bids[quantities] = BidColumns(columns, tuple(map(sum, weights)), tuple(map(max, weights)))
        return found

    def said(self, kind: ToClaim, quantity: Quantity) -> Column:
        """Return the column of what is said to a claim of this quantity."""
        found = self._said.get((kind, quantity))
        if found is None:
            found = self._said[kind, quantity] = weighed(self._worths(kind, quantity), self._params)
        return found

    def _bid(self, quantity: Quantity) -> Column:
        found = self._made.get(quantity)
        if found is None:
            holdings = self._holdings()
            worths = [self._chance(quantity, count, natural=natural) for count, natural in holdings]
            # Who names fewer than it sees gives away that it has more: the bid is worth less.
            sees = [self._odds.shown + count + 1 for count, _ in holdings]
            told = [Fraction(min(quantity + 1, seen), seen) for seen in sees]
            found = weighed([worth * part for worth, part in zip(worths, told, strict=True)], self._params)
            self._made[quantity] = found
        return found

    def _worths(self, kind: ToClaim, quantity: Quantity) -> list[Fraction]:
        odds, holdings = self._odds, self._holdings()
        if kind == "spot_on":
            chance = Fraction(odds.counts, odds.faces)
            return [chance_of_exactly(odds.unknown, quantity - odds.shown - count, chance) for count, _ in holdings]
        holds = [self._chance(quantity, count, natural=natural) for count, natural in holdings]
        return holds if kind == "count" else [1 - chance for chance in holds]

    def _holdings(self) -> list[tuple[int, bool]]:
        """Return how many of the seat's dice count, and whether one of them is natural, for each entry of a column."""
        counts = range(self._odds.hidden + 1)
        return [(count, natural) for natural in ((False, True) if self._odds.wide else (True,)) for count in counts]

    def _chance(self, quantity: Quantity, count: int, *, natural: bool) -> Fraction:
        odds = self._odds
        need, chance = quantity - odds.shown - count, Fraction(odds.counts, odds.faces)
        if odds.bare and not natural:
            alone = Fraction(1, odds.faces)
            return chance_of_natural(odds.unknown, need, alone, chance - alone)
        return chance_of_at_least(odds.unknown, need, chance)


@lru_cache(maxsize=8_192)
def columns_of(odds: ClaimOdds, params: LevelParams) -> FaceColumns:
    """Return the columns of a face, the same ones for all faces and positions that have its odds."""
    return FaceColumns(odds, params)


def weighed(worths: Sequence[Fraction], params: LevelParams) -> Column:
    """Return the column of these worths."""
    return Column(tuple(worths), tuple([weight_of(worth, params) for worth in worths]))
