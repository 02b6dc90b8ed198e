"""Count tables: what level 1 makes of one position of a bidding, whatever the hand.

Where claims count, what a seat does hangs on its hand only through its holding of each face (`domain.strategy.hands`).
So all weights of a position are a few columns of integers with an entry for each holding, and the total of a hand is a
sum of one entry a face.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import perm
from operator import add
from typing import Final, Literal

from msgspec import Struct

from domain.ids import Face, Quantity
from domain.rules.claims import Auction, lowest_claims
from domain.rules.orders import Count
from domain.strategy.hands import Hands, faces_of, holding_of
from domain.strategy.level_one.count_columns import Column, FaceColumns, ToClaim, columns_of, odds_of, weighed
from domain.strategy.level_params import LevelParams

Kind = Literal["challenge", "spot_on", "pass", "count", "look", "show_cocked"]
"""A move beside bids that a table has a column for."""
HANDLE: Final = "arrange"
"""The offer to handle dice, whose weights hang on more than a holding: see `count_handling`."""
Answer = Count | Kind
"""A move of a table."""


class CountPosition(Struct, frozen=True):
    """All of a position that level 1 looks at, but for the faces of the seat's own hidden dice.

    Attributes:
        auction: The bidding.
        standing: The claim to beat.
        shown: The faces that lie open, ascending.
        hidden: How many hidden dice the seat knows.
        unknown: How many it does not know.
        kinds: The kinds of moves on offer as `moves` lists them; a table knows `bid` and those of `Kind`.
        passer: The open faces and the number of hidden dice of the seat whose pass waits to be believed.
        own_shown: The faces of the seat's own open dice, ascending, where it may pass.
    """

    auction: Auction
    standing: Count | None
    shown: tuple[Face, ...]
    hidden: int
    unknown: int
    kinds: tuple[str, ...]
    passer: tuple[tuple[Face, ...], int] | None = None
    own_shown: tuple[Face, ...] = ()


class CountTable:
    """The worth and weight of every move that level 1 thinks of in a position.

    Attributes:
        position: Which.
        params: The constants of level 1.
        bids: How many of its moves are bids.
        legal: How many moves are legal: every claim, and one for every other kind of move on offer.
        complete: Whether there is a column for every kind of move on offer.
        complete_but_handling: Whether there is one for every kind but dice that may be handled.
    """

    def __init__(self, position: CountPosition, params: LevelParams) -> None:
        """Make the columns. Cost: 0.1 ms where the odds of a face have been asked for in another position before."""
        self.position = position
        self.params = params
        auction, standing = position.auction, position.standing
        bids = _bids_thought_of(auction, standing, params.steps) if "bid" in position.kinds else _NO_BIDS
        faces = _faces_of(auction, position.shown, position.hidden, position.unknown, params)
        self._bids = bids
        self._on_faces = {face: faces[face].bids(some) for face, some in bids.by_face}
        self.bids = len(bids.ascending)
        beside = [kind for kind in position.kinds if kind != "bid"]
        made = {kind: make(position, params) for kind, make in COLUMNS.items() if kind in beside}
        self._beside: dict[Answer, Column] = {kind: column for kind, column in made.items() if column is not None}
        self.legal = bids.legal + len(beside)
        self.complete = all(kind in COLUMNS for kind in beside)
        self.complete_but_handling = all(kind in COLUMNS or kind == HANDLE for kind in beside)
        sums = {face: on_face.sums for face, on_face in self._on_faces.items()}
        for answer, column in self._beside.items():
            face = self.face_of(answer)
            if face is not None:
                sums[face] = tuple(map(add, sums[face], column.weights)) if face in sums else column.weights
        self._sums = tuple(sums.items())
        self._faceless = tuple([answer for answer in self._beside if self.face_of(answer) is None])
        self._totals: tuple[int, ...] | None = None

    @cached_property
    def columns(self) -> Mapping[Answer, Column]:
        """By move, in the order of the house's offers: bids ascending by quantity and face, then the others.

        A pass has two entries: of a hand whose dice do not all differ, and of one whose do.
        """
        found: dict[Answer, Column] = {bid: self._bid_column(bid) for bid in self._bids.ascending}
        return {**found, **self._beside}

    def _bid_column(self, bid: Count) -> Column:
        return self._on_faces[bid.face].columns[bid.quantity - self._bids.lowest[bid.face]]

    def face_of(self, answer: Answer) -> Face | None:
        """Return the face on whose holding the weight of a move hangs; None where it hangs on none."""
        if isinstance(answer, Count):
            return answer.face
        if answer in {"pass", "look"} or (answer == "challenge" and self.position.passer is not None):
            return None
        assert self.position.standing is not None
        return self.position.standing.face

    def entry_of(self, answer: Answer, hand: Sequence[Face]) -> int:
        """Return where the entry of a hand stands in the column of a move."""
        face = self.face_of(answer)
        if face is not None:
            return holding_of(self.position.auction, face, hand)
        return int(_all_differ((*self.position.own_shown, *hand))) if answer == "pass" else 0

    def weight(self, answer: Answer, hand: Sequence[Face]) -> int:
        """Return the weight of a move to a hand; 0 where it is not thought of."""
        column = self.columns.get(answer)
        return 0 if column is None else column.weights[self.entry_of(answer, hand)]

    def weights(self, answer: Answer, hands: Hands) -> tuple[int, ...]:
        """Return the weight of a move to each hand; 0 where it is not thought of."""
        column = (self.columns if isinstance(answer, Count) else self._beside).get(answer)
        if column is None:
            return (0,) * len(hands)
        face = self.face_of(answer)
        if face is not None:
            return hands.picker(self.position.auction, face)(column.weights)
        return tuple([column.weights[self.entry_of(answer, hand)] for hand in hands.hands])

    def total(self, hand: Sequence[Face]) -> int:
        """Return the sum of the weights of all moves to a hand."""
        auction = self.position.auction
        beside = sum([self.weight(answer, hand) for answer in self._faceless])
        return beside + sum([column[holding_of(auction, face, hand)] for face, column in self._sums])

    def totals(self, hands: Hands) -> tuple[int, ...]:
        """Return the sum of the weights of all moves to each hand.

        Cost: a look-up a hand and face. Remembered of all hands of so many dice, which are the same ones for ever.
        """
        if not hands.lasts:
            return self._totals_of(hands)
        if self._totals is None:
            self._totals = self._totals_of(hands)
        return self._totals

    def _totals_of(self, hands: Hands) -> tuple[int, ...]:
        auction = self.position.auction
        parts = [hands.picker(auction, face)(column) for face, column in self._sums]
        parts += [self.weights(answer, hands) for answer in self._faceless]
        found: Sequence[int] = parts[0] if parts else (0,) * len(hands)
        for part in parts[1:]:
            found = list(map(add, found, part))
        return tuple(found)


def largest_weights(position: CountPosition, hands: Hands, params: LevelParams) -> tuple[int, ...]:
    """Return the largest weight of any bid or answer to each hand; that of no worth at all where there is none.

    Cost: a look-up a hand and face, and no table is made.
    """
    auction = position.auction
    bids = _bids_thought_of(auction, position.standing, params.steps) if "bid" in position.kinds else _NO_BIDS
    faces = _faces_of(auction, position.shown, position.hidden, position.unknown, params)
    parts: list[Sequence[int]] = [
        hands.picker(auction, face)(faces[face].bids(some).most) for face, some in bids.by_face
    ]
    if "challenge" in position.kinds:
        parts.append(_challenges(position, hands, params))
    return tuple(map(max, (1,) * len(hands), (1,) * len(hands), *parts))


def _challenges(position: CountPosition, hands: Hands, params: LevelParams) -> tuple[int, ...]:
    column = _challenge_column(position, params).weights
    if position.passer is not None:
        return column * len(hands)
    return hands.picker(position.auction, _standing(position).face)(column)


@lru_cache(maxsize=2_048)
def table_of(position: CountPosition, params: LevelParams) -> CountTable:
    """Return the table of a position, made once for all who ask."""
    return CountTable(position, params)


# ---- bids ---------------------------------------------------------------------------------------


class _Bids(Struct, frozen=True):
    """The bids thought of: ascending by quantity and face, by face, the lowest of each; and how many are legal."""

    ascending: tuple[Count, ...]
    by_face: tuple[tuple[Face, tuple[Quantity, ...]], ...]
    lowest: dict[Face, Quantity]
    legal: int


@lru_cache(maxsize=8_192)
def _bids_thought_of(auction: Auction, standing: Count | None, steps: int) -> _Bids:
    lowest = lowest_claims(auction, standing)
    by_face = tuple(
        [(bid.face, tuple(range(bid.quantity, min(bid.quantity + steps, auction.tokens + 1)))) for bid in lowest]
    )
    return _Bids(
        tuple(sorted([Count(quantity, face) for face, some in by_face for quantity in some])),
        by_face,
        {bid.face: bid.quantity for bid in lowest},
        sum([auction.tokens - bid.quantity + 1 for bid in lowest]),
    )


_NO_BIDS: Final = _Bids((), (), {}, 0)


@lru_cache(maxsize=2_048)
def _faces_of(
    auction: Auction, shown: tuple[Face, ...], hidden: int, unknown: int, params: LevelParams
) -> Mapping[Face, FaceColumns]:
    """Return the columns of each face in positions that differ in what stands alone: there are few in a round."""
    every = faces_of(auction.faces)
    return {face: columns_of(odds_of(auction, face, shown, hidden, unknown), params) for face in every}


# ---- answers ------------------------------------------------------------------------------------


def _challenge_column(position: CountPosition, params: LevelParams) -> Column:
    if position.passer is not None:
        return weighed([1 - chance_of_pass(*position.passer, position.auction.faces.count)], params)
    return _of_standing_claim("challenge", position, params)


def _count_column(position: CountPosition, params: LevelParams) -> Column:
    return _of_standing_claim("count", position, params)


def _spot_on_column(position: CountPosition, params: LevelParams) -> Column:
    return _of_standing_claim("spot_on", position, params)


def _standing(position: CountPosition) -> Count:
    assert position.standing is not None
    return position.standing


def _of_standing_claim(kind: ToClaim, position: CountPosition, params: LevelParams) -> Column:
    standing = _standing(position)
    faces = _faces_of(position.auction, position.shown, position.hidden, position.unknown, params)
    return faces[standing.face].said(kind, standing.quantity)


def _pass_column(_position: CountPosition, params: LevelParams) -> Column:
    return weighed([Fraction(0), Fraction(1)], params)


def _look_column(position: CountPosition, params: LevelParams) -> Column | None:
    # Dice that one has seen are not looked at again.
    return weighed([Fraction(1)], params) if position.hidden == 0 else None


def _show_cocked_column(_position: CountPosition, _params: LevelParams) -> None:
    # A table is of hands that lie flat.
    return None


COLUMNS: Final[dict[Kind, Callable[[CountPosition, LevelParams], Column | None]]] = {
    "challenge": _challenge_column,
    "spot_on": _spot_on_column,
    "pass": _pass_column,
    "count": _count_column,
    "look": _look_column,
    "show_cocked": _show_cocked_column,
}
"""How the column of a move beside bids is made, by the tag of move and command, in the order of the offers; none where
it is not thought of."""


def chance_of_pass(shown: tuple[Face, ...], hidden: int, faces: int) -> Fraction:
    """Return the chance that all dice of a cup differ, given those of its dice that lie open."""
    if not _all_differ(shown):
        return Fraction(0)
    return Fraction(perm(faces - len(shown), hidden), faces**hidden)


def _all_differ(faces: Sequence[Face]) -> bool:
    return len(set(faces)) == len(faces)
