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


class KnownOutcomes(Struct, frozen=True):
    """Outcomes, and what they were worked out of."""

    outcomes: Outcomes
    results: Sequence[TableResult]
    byes: Sequence[Bye]


def outcomes_of(
    scoring: Scoring,
    preferred: int,
    rounds: int,
    numbers: Iterable[int],
    results: Sequence[TableResult],
    byes: Sequence[Bye],
    known: KnownOutcomes | None = None,
) -> Outcomes:
    """Return what each of so many rounds was to each entrant.

    With outcomes of the same entrants that are `known` from before, whoever has the same results and byes as then has
    the same list as then; a result counts as the same if it is the same object.

    Cost: proportional to the pairs that met, or to those of whoever has others.
    """
    shapes = [(len(result.numbers), tuple(map(len, result.ranking))) for result in results]
    worth = _worth_of(scoring, preferred, shapes, results, byes)
    size, numbers = max((preferred, *(size for size, _ in shapes))), tuple(numbers)
    anew, found = set(numbers), dict[int, list[RoundOutcome]]()
    if known is not None and (known.outcomes.rounds, known.outcomes.unit) == (rounds, worth.unit):
        anew, found = _changed(known, results, byes), dict(known.outcomes.of)
    found |= {number: [RoundOutcome(ASKED, 0)] * rounds for number in numbers if number in anew}
    for bye in byes:
        if bye.number in anew:
            how = ASKED if bye.kind in {"half", "zero"} else BYE
            found[bye.number][bye.round - 1] = RoundOutcome(how, worth.rested[bye.kind])
    for result, shape in zip(results, shapes, strict=True):
        for number, outcome in () if anew.isdisjoint(result.numbers) else _counted(result, worth, shape):
            if number in anew:
                found[number][result.round - 1] = outcome
    return Outcomes(rounds, worth.unit, worth.top, size, found)


TableShape = tuple[int, tuple[int, ...]]
"""How many were paired at a table, and how many came level at each place of it."""


class Worth(Struct, frozen=True):
    """Points of an event in units, of which a point has `unit`: of a first place, of places by shape, of byes."""

    unit: int
    top: int
    places: dict[TableShape, list[int]]
    rested: dict[str, int]


def _worth_of(
    scoring: Scoring,
    preferred: int,
    shapes: Iterable[TableShape],
    results: Iterable[TableResult],
    byes: Iterable[Bye],
) -> Worth:
    top = scoring.places(preferred)[0]
    worth = {shape: level_points(scoring.places(shape[0]), shape[1]) for shape in set(shapes)}
    rested = {kind: scoring.bye_points(kind, top) for kind in {bye.kind for bye in byes}}
    ruled = [points for result in results if result.points is not None for points in result.points.values()]
    unit = lcm(
        (top * HALF).denominator,
        *(points.denominator for levels in worth.values() for points in levels),
        *(points.denominator for points in (*rested.values(), *ruled)),
    )
    places = {shape: [int(points * unit) for points in levels] for shape, levels in worth.items()}
    return Worth(unit, int(top * unit), places, {kind: int(points * unit) for kind, points in rested.items()})


def _changed(known: KnownOutcomes, results: Iterable[TableResult], byes: Iterable[Bye]) -> set[int]:
    """Return who has another result or bye than was known."""
    before, now = {id(each): each for each in known.results}, {id(each): each for each in results}
    others = [(before.get(at) or now[at]) for at in before.keys() ^ now.keys()]
    changed = {number for result in others for number in result.numbers}
    return changed | {bye.number for bye in {*known.byes} ^ {*byes}}


def _counted(result: TableResult, worth: Worth, shape: TableShape) -> Iterable[tuple[int, RoundOutcome]]:
    """Give everybody who was paired at a table, with what it was to them and counts."""
    for number, outcome in _at_the_table(result, worth.places[shape]):
        if result.points is None:
            yield number, outcome
        else:
            points = int(result.points.get(number, Fraction(0)) * worth.unit)
            yield number, RoundOutcome(outcome.how, points, outcome.met, outcome.beaten, outcome.place)


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
