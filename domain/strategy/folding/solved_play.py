"""Solved play: what a certified table makes of a duel's positions, with level 1 where the table says nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from domain.ids import Face
from domain.rules.orders import Count
from domain.strategy.duels.duel import CHALLENGE
from domain.strategy.duels.solved import SolvedTable
from domain.strategy.folding.bidding import PositionPlay
from domain.strategy.folding.positions import Claims, Row
from domain.strategy.hands import Hands
from domain.strategy.level_one.count_table import Answer, CountPosition, CountTable, table_of
from domain.strategy.level_params import LEVEL_ONE, LevelParams


class SolvedPlay(Struct, frozen=True):
    """A duel as its table plays it.

    Attributes:
        table: The table.
        params: Of level 1, which is asked where the table says nothing.
    """

    table: SolvedTable
    params: LevelParams = LEVEL_ONE
    remembers: bool = True

    def plays(self, position: CountPosition, claims: Claims) -> PositionPlay:
        """Return what the seat in turn makes of these claims; of hands of another size, what level 1 does."""
        beside, duel = table_of(position, self.params), self.table.duel
        if position.hidden != duel.dice[len(claims) % 2]:
            return _Widened(beside, self.columns(beside, claims))
        return _SolvedPosition(self, beside, claims)

    def columns(self, beside: CountTable, claims: Claims) -> Mapping[Answer, None]:
        """Return the moves that either thinks of with any hand, in the order of the house's offers."""
        hands = self.table.duel.hands(len(claims) % 2).hands
        found = {answer for hand in hands for answer, _ in self.moves(hand, claims) or ()} | set(beside.columns)
        bids = sorted([answer for answer in found if isinstance(answer, Count)])
        return dict.fromkeys([*bids, *[answer for answer in beside.columns if not isinstance(answer, Count)]])

    def moves(self, hand: tuple[Face, ...], claims: Claims) -> tuple[tuple[Answer, int], ...] | None:
        """Return the weighted moves of a hand after these claims; None where the table says nothing."""
        duel = self.table.duel
        found = self.table.moves(hand, bytes([duel.number(claim) for claim in claims]))
        if found is None:
            return None
        return tuple([("challenge" if move == CHALLENGE else duel.claim(move), weight) for move, weight in found])


class _Widened:
    """What level 1 makes of a position in which others think of more moves."""

    def __init__(self, beside: CountTable, columns: Mapping[Answer, None]) -> None:
        self.columns = columns
        self.weights = beside.weights
        self.totals = beside.totals


class _SolvedPosition:
    """What a table makes of a position, and level 1 of hands of which it says nothing."""

    def __init__(self, play: SolvedPlay, beside: CountTable, claims: Claims) -> None:
        self.beside = beside
        self.columns = play.columns(beside, claims)
        self.by_hand = [play.moves(hand, claims) for hand in play.table.duel.hands(len(claims) % 2).hands]

    def weights(self, answer: Answer, hands: Hands) -> Row:
        """Return the weight of a move to each hand."""
        otherwise = self.beside.weights(answer, hands)
        return self._told(otherwise, [None if moves is None else dict(moves).get(answer, 0) for moves in self.by_hand])

    def totals(self, hands: Hands) -> Row:
        """Return the sum of the weights of all moves to each hand."""
        sums = [None if moves is None else sum([weight for _, weight in moves]) for moves in self.by_hand]
        return self._told(self.beside.totals(hands), sums)

    @staticmethod
    def _told(otherwise: Row, told: Sequence[int | None]) -> Row:
        pairs = zip(otherwise, told, strict=True)
        return tuple([beside if weight is None else weight for beside, weight in pairs])
