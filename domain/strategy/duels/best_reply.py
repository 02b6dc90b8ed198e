"""Best replies to a solved table, and so what it guarantees whatever the other seat does; exact, in fractions.

One seat plays by the table, the other knows the table, holds some hand, and does the worst it can. Wherever the
replier moves it picks, for each of its own hands, the move that is worst against all that the first may hold there,
each weighed by how likely the table brings it here. No information is given away: hands of the first stay mixed.
Source: Johanson et al., Accelerating best response calculation in large extensive games (IJCAI 2011), for the walk over
the public tree.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Final

from msgspec import Struct

from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.duel import CHALLENGE
from domain.strategy.duels.solved import Moves, SolvedTable

WORK_MAX: Final = 20_000_000
"""How much is gone through: positions of a round, times the hands of both. It is a minute at most."""


class Parts(Struct, frozen=True):
    """Fractions with one denominator."""

    tops: tuple[int, ...]
    bottom: int = 1


class Guarantees(Struct, frozen=True):
    """What the tables guarantee of the value of a round to its opener, +1 won and -1 lost.

    Attributes:
        lower: What the opener has at least, by its own table.
        upper: What the opener has at most, by the table of the other one.
    """

    lower: Fraction
    upper: Fraction


def guarantees_of(table: SolvedTable, work_max: int = WORK_MAX) -> Guarantees:
    """Return what the tables of both guarantee, going through so much for each and no more.

    Raises:
        BadPolicy: A seat's own play comes to where the table says nothing, or there are too many positions.
    """
    return Guarantees(_guarantee(table, 0, work_max), -_guarantee(table, 1, work_max))


def _guarantee(table: SolvedTable, place: int, work_max: int) -> Fraction:
    """Return what the opener (0) or the other one (1) has at least by the table, +1 won and -1 lost."""
    duel = table.duel
    walk = _Walk(table, place, work_max)
    reached = Parts(duel.hands(place).ways)
    worst = walk.worst(b"", reached)
    ways = duel.hands(1 - place).ways
    top = sum([worth * way for worth, way in zip(worst.tops, ways, strict=True)])
    return Fraction(top, worst.bottom * duel.faces.count**duel.tokens)


class _Walk:
    """One seat by its table against the worst replies."""

    def __init__(self, table: SolvedTable, place: int, work_max: int) -> None:
        self._table = table
        self._place = place
        self._left = work_max
        self._pairs = len(table.duel.hands(0)) * len(table.duel.hands(1))

    def worst(self, made: bytes, reached: Parts) -> Parts:
        """Return for each hand of the replier what the table's seat has left, times the ways it came here."""
        # Even what is asked of the rules once a claim is asked of every pair of hands.
        self._left -= self._pairs
        if self._left < 0:
            raise BadPolicy("too_large")
        if len(made) % 2 == self._place:
            return self._by_table(made, reached)
        best = None
        for move in self._table.duel.replies(made):
            after = self._after(made, move, reached)
            best = after if best is None else _lower(best, after)
        assert best is not None
        return best

    def _after(self, made: bytes, move: int, reached: Parts) -> Parts:
        if move == CHALLENGE:
            return self._tested(made, reached)
        return self.worst(made + bytes([move]), reached)

    def _by_table(self, made: bytes, reached: Parts) -> Parts:
        told = [self._told(hand, made) if top else () for hand, top in enumerate(reached.tops)]
        totals = [sum([weight for _, weight in moves]) or 1 for moves in told]
        scale = lcm(*totals)
        by_move: dict[int, list[int]] = {}
        for hand, moves in enumerate(told):
            for move, weight in moves:
                tops = by_move.setdefault(move, [0] * len(told))
                tops[hand] = reached.tops[hand] * weight * (scale // totals[hand])
        played = [self._after(made, move, _reduced(tops, reached.bottom * scale)) for move, tops in by_move.items()]
        return _added(played)

    def _told(self, hand: int, made: bytes) -> Moves:
        """Return the moves with weight; what was never played is no position."""
        moves = self._table.records.get((hand, made))
        if moves is None:
            raise BadPolicy("silent", f"hand {hand} after {list(made)}")
        return tuple([each for each in moves if each[1]])

    def _tested(self, made: bytes, reached: Parts) -> Parts:
        """Return what the challenge of the last claim leads to."""
        # The claimant is whoever moved last, and has +1 where the claim holds.
        claimant = (len(made) - 1) % 2
        sign = 1 if claimant == self._place else -1
        verdicts = self._table.duel.verdicts(made)
        columns = list(zip(*verdicts, strict=True)) if self._place == 0 else verdicts
        known: dict[tuple[int, ...], int] = {}
        tops = []
        for column in columns:
            if column not in known:
                known[column] = sign * sum([top * one for top, one in zip(reached.tops, column, strict=True)])
            tops.append(known[column])
        return Parts(tuple(tops), reached.bottom)


def _reduced(tops: list[int], bottom: int) -> Parts:
    shared = gcd(bottom, *tops)
    return Parts(tuple([top // shared for top in tops]), bottom // shared)


def _lower(one: Parts, other: Parts) -> Parts:
    """Return the lower of both at each place."""
    bottom = lcm(one.bottom, other.bottom)
    by, other_by = bottom // one.bottom, bottom // other.bottom
    pairs = zip(one.tops, other.tops, strict=True)
    return Parts(tuple([min(mine * by, its * other_by) for mine, its in pairs]), bottom)


def _added(several: list[Parts]) -> Parts:
    bottom = lcm(*[parts.bottom for parts in several])
    scaled = [[top * (bottom // parts.bottom) for top in parts.tops] for parts in several]
    return Parts(tuple([sum(column) for column in zip(*scaled, strict=True)]), bottom)
