"""The cost of a grouping: a sum over its tables of what each two at it cost, and of small tables that come again.

    c(i, j) = 2^40 if forbidden + 3600 (repeat w(m) + club [same club]) + score (s_i - s_j)²
    a member of a table smaller than the round's largest adds 3600 small w(z)

m is how often the two have met, z how often one has sat at such a small table, w(x) = x (x + 1) / 2, and s is
the score in sixtieths of a first place, rounded down. So 3600 is one first place, squared.

Source: the laws of tournaments, `pods/1`, cost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from domain.tournaments.pairing.pods.inputs import PairingInput
from domain.tournaments.pairing.seating import triangle
from domain.tournaments.points import points_of

FORBIDDEN: Final = 2**40
PLACE: Final = 3600
PARTS: Final = 60
"""Into how many parts a first place is cut."""


class PairCosts(Struct, frozen=True):
    """What seating costs among entrants, each of whom has an index: by strength, the highest first, then by lot.

    Attributes:
        numbers: By index, the entrant.
        ranks: By index, the place in lot order.
        strengths: By index, the score in sixtieths of a first place.
        score: What a difference of strengths counts for.
        pairs: By index and index what the two cost at one table; 0 with oneself.
        fees: By index, what a seat at a small table costs.
    """

    numbers: tuple[int, ...]
    ranks: tuple[int, ...]
    strengths: tuple[int, ...]
    score: int
    pairs: Sequence[Sequence[int]]
    fees: tuple[int, ...]

    def cost(self, tables: Collection[Sequence[int]]) -> int:
        """Return what a grouping costs, its tables as indices."""
        largest = max(map(len, tables), default=0)
        return sum(self.table_cost(table, is_small=len(table) < largest) for table in tables)

    def table_cost(self, table: Sequence[int], *, is_small: bool) -> int:
        """Return what a table costs, its members as indices."""
        cost = sum(self.pairs[i][j] for at, i in enumerate(table) for j in table[:at])
        return cost + sum(self.fees[i] for i in table) if is_small else cost

    def is_score_alone(self, i: int, j: int) -> bool:
        """Report whether two at one table cost nothing besides their difference of scores."""
        return self.pairs[i][j] == self.score * (self.strengths[i] - self.strengths[j]) ** 2


class _Squares(dict[int, int]):
    """What differences of scores cost, worked out once each, so that equal ones are one number in memory."""

    def __init__(self, score: int) -> None:
        super().__init__()
        self.score = score

    def __missing__(self, difference: int) -> int:
        self[difference] = cost = self.score * difference * difference
        return cost


def strengths_of(value: PairingInput) -> dict[int, int]:
    """Return by entrant the score in sixtieths of a first place, rounded down."""
    top = points_of(value.top)
    return {entrant.n: PARTS * points_of(entrant.score) // top for entrant in value.players}


def costs_of(
    value: PairingInput, playing: Iterable[int], strengths: Mapping[int, int], ranks: Mapping[int, int]
) -> PairCosts:
    """Return what seating costs among those who play at free tables.

    Cost: quadratic in them.
    """
    numbers = sorted(playing, key=lambda number: (-strengths[number], ranks[number]))
    entrants = {entrant.n: entrant for entrant in value.players}
    return PairCosts(
        tuple(numbers),
        tuple(ranks[number] for number in numbers),
        tuple(strengths[number] for number in numbers),
        value.weights.score,
        _pairs(value, numbers, strengths),
        tuple(PLACE * value.weights.small * triangle(entrants[number].small) for number in numbers),
    )


def _pairs(value: PairingInput, numbers: list[int], strengths: Mapping[int, int]) -> list[list[int]]:
    clubs = {entrant.n: entrant.club for entrant in value.players}
    squares = _Squares(value.weights.score)
    others = [(strengths[number], clubs[number]) for number in numbers]
    # Who has the same score and club costs the same with everybody: one row serves them all.
    rows: dict[tuple[int, str], list[int]] = {}
    for strength, club in others:
        if (strength, club) not in rows:
            row = [squares[strength - other] for other, _ in others]
            if club:
                same = PLACE * value.weights.club
                row = [cost + same * (club == other) for cost, (_, other) in zip(row, others, strict=True)]
            rows[strength, club] = row
    pairs = [rows[each].copy() for each in others]
    for at, row in enumerate(pairs):
        row[at] = 0
    met = ((i, j, PLACE * value.weights.repeat * triangle(times)) for i, j, times in value.met)
    index = {number: at for at, number in enumerate(numbers)}
    for i, j, cost in (*met, *((i, j, FORBIDDEN) for i, j in value.forbidden)):
        if i in index and j in index:
            pairs[index[i]][index[j]] += cost
            pairs[index[j]][index[i]] += cost
    return pairs
