"""Solved tables, move by move: whatever a seat of theirs does with some weight, nothing else would have been better."""

from __future__ import annotations

from fractions import Fraction

import pytest

from domain.strategy.duels.duel import CHALLENGE
from domain.strategy.duels.solved import SolvedTable
from services.policies.shelf import SHIPPED, Shelf
from tests.sizes import spread

SHELF = Shelf()
TABLES = [name for name in SHIPPED if name.startswith("1v1")]
Worths = list[Fraction]
"""For each hand of the seat that looks for something better."""


class Seeking:
    """A seat that knows the table of the other one, and looks for what would be better than its own.

    Attributes:
        looked: At how many of the positions that its own play leads to.
    """

    def __init__(self, table: SolvedTable, place: int) -> None:
        self.table, self.duel, self.place = table, table.duel, place
        self.hands = table.duel.hands(place).hands
        self.others = table.duel.hands(1 - place).hands
        self.looked = 0

    def best(self, made: bytes, likely: Worths) -> Worths:
        """Return what the best replies win, by how likely each hand of the other one is to have come here."""
        if made[-1:] == bytes([CHALLENGE]):
            return self._judged(made[:-1], likely)
        if len(made) % 2 == self.place:
            return self._own(made, likely)
        found = [Fraction(0)] * len(self.hands)
        for move in self.duel.replies(made):
            then = [chance * self._share(hand, made, move) for hand, chance in zip(self.others, likely, strict=True)]
            if any(then):
                worths = self.best(made + bytes([move]), then)
                found = [one + two for one, two in zip(found, worths, strict=True)]
        return found

    def _own(self, made: bytes, likely: Worths) -> Worths:
        by_move = {move: self.best(made + bytes([move]), likely) for move in self.duel.replies(made)}
        best = [max(worths[hand] for worths in by_move.values()) for hand in range(len(self.hands))]
        for place, hand in enumerate(self.hands):
            moves = self.table.moves(hand, made) or ()
            self.looked += bool(moves)
            assert {by_move[move][place] for move, weight in moves if weight} <= {best[place]}, (hand, made)
        return best

    def _share(self, hand: tuple[int, ...], made: bytes, move: int) -> Fraction:
        moves = dict(self.table.moves(hand, made) or ())
        return Fraction(moves.get(move, 0), sum(moves.values()) or 1)

    def _judged(self, made: bytes, likely: Worths) -> Worths:
        sign = 1 if (len(made) - 1) % 2 == self.place else -1
        verdicts = self.duel.verdicts(made)
        rows = verdicts if self.place == 0 else tuple(zip(*verdicts, strict=True))
        return [sum((sign * w * p for w, p in zip(row, likely, strict=True)), Fraction(0)) for row in rows]


@pytest.mark.parametrize("name", spread(TABLES, 1, lambda name: name.split("-")[2]))
def test_no_move_with_weight_loses_anything_by_its_own_policy(name: str) -> None:
    policy = SHELF.find(name).policy
    table = policy.content
    assert isinstance(table, SolvedTable)
    assert policy.certificate is not None
    for place, value in enumerate((policy.certificate.lower, -policy.certificate.upper)):
        seeking = Seeking(table, place)
        even = [Fraction(1, len(seeking.others))] * len(seeking.others)
        worths = seeking.best(b"", even)
        assert sum(worths, Fraction(0)) == value * len(worths)
        assert seeking.looked > len(worths)
