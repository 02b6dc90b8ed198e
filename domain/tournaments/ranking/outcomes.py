"""Outcomes: what each round was to each entrant, in whole units, as tie-breaks look at it.

Fractions are exact and slow. So all points of an event are counted in units, of which a point has as many as make every
number of the event a whole one; tie-breaks are sums of whole numbers until somebody reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Final

from msgspec import Struct

from domain.tournaments.ranking.results import Bye, TableResult
from domain.tournaments.ranking.scoring import HALF, Scoring, level_points

PLAYED: Final = "played"
WALKOVER: Final = "walkover"
ABSENT: Final = "absent"
BYE: Final = "bye"
ASKED: Final = "asked"


class RoundOutcome(Struct, frozen=True):
    """What one round was to one entrant.

    Attributes:
        how: `played`; `walkover`, alone at a table; `absent` from it; `bye`, given by the law or worth a whole first
            place; `asked`, a half or zero bye, which counts as asked for also where a round was missed.
        points: What it gave, in units.
        met: With whom it was played, or who was paired at the same table where it was not.
        beaten: For each of `met`, 2 ahead of them, 1 level, 0 behind.
        place: The first of the places that were shared at the table, from 0, and how many shared them; both 0 where
            it was not played.
    """

    how: str
    points: int
    met: tuple[int, ...] = ()
    beaten: tuple[int, ...] = ()
    place: tuple[int, int] = (0, 0)


class Outcomes(Struct, frozen=True):
    """An event as tie-breaks look at it.

    Attributes:
        rounds: How many rounds are closed.
        unit: How many units a point has.
        top: What a first place at a table of the preferred size is worth, in units; an even number.
        size: The most seats that a table has, or the preferred size if that is larger.
        of: By the entrant, one a round.
    """

    rounds: int
    unit: int
    top: int
    size: int
    of: dict[int, list[RoundOutcome]]


def outcomes_of(
    scoring: Scoring,
    preferred: int,
    rounds: int,
    numbers: Iterable[int],
    results: Sequence[TableResult],
    byes: Sequence[Bye],
) -> Outcomes:
    """Return what each of so many rounds was to each entrant.

    Cost: proportional to the pairs that met.
    """
    top = scoring.places(preferred)[0]
    worth: dict[tuple[int, tuple[int, ...]], tuple[Fraction, ...]] = {}
    shapes = [(len(result.numbers), tuple(map(len, result.ranking))) for result in results]
    for shape in shapes:
        if shape not in worth:
            worth[shape] = level_points(scoring.places(shape[0]), shape[1])
    rested = {kind: scoring.bye_points(kind, top) for kind in {bye.kind for bye in byes}}
    ruled = [points for result in results if result.points is not None for points in result.points.values()]
    unit = lcm(
        (top * HALF).denominator,
        *(points.denominator for levels in worth.values() for points in levels),
        *(points.denominator for points in (*rested.values(), *ruled)),
    )
    units = {shape: [int(points * unit) for points in levels] for shape, levels in worth.items()}
    found = {number: [RoundOutcome(ASKED, 0)] * rounds for number in numbers}
    for bye in byes:
        how = ASKED if bye.kind in {"half", "zero"} else BYE
        found[bye.number][bye.round - 1] = RoundOutcome(how, int(rested[bye.kind] * unit))
    for result, shape in zip(results, shapes, strict=True):
        points = None if result.points is None else {n: int(given * unit) for n, given in result.points.items()}
        for number, outcome in _at_the_table(result, units[shape]):
            if points is not None:
                outcome = RoundOutcome(outcome.how, points.get(number, 0), outcome.met, outcome.beaten, outcome.place)  # noqa: PLW2901
            found[number][result.round - 1] = outcome
    size = max((preferred, *(size for size, _ in shapes)))
    return Outcomes(rounds, unit, int(top * unit), size, found)


def _at_the_table(result: TableResult, units: Sequence[int]) -> Iterable[tuple[int, RoundOutcome]]:
    """Give everybody who was paired at a table, with what it was to them by the places there."""
    if len(result.ranking) == 1 and len(result.ranking[0]) == 1:
        alone = result.ranking[0][0]
        others = tuple(number for number in result.numbers if number != alone)
        yield alone, RoundOutcome(WALKOVER, units[0], others, (2,) * len(others))
    else:
        place = 0
        there = [number for level in result.ranking for number in level]
        for level, given in zip(result.ranking, units, strict=True):
            behind = len(there) - place - len(level)
            beaten = (*(0,) * place, *(1,) * (len(level) - 1), *(2,) * behind)
            shared = (place, len(level))
            for at, number in enumerate(level, place):
                yield number, RoundOutcome(PLAYED, given, (*there[:at], *there[at + 1 :]), beaten, shared)
            place += len(level)
    for number in result.absent:
        paired = tuple(other for other in result.numbers if other != number)
        yield number, RoundOutcome(ABSENT, 0, paired, (0,) * len(paired))
