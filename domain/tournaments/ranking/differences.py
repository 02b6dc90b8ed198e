"""Results by difference: what the tables of each round come to where all of them played with the same dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from msgspec.structs import replace

from domain.tournaments.ranking.boards import board_scores
from domain.tournaments.ranking.results import TableResult
from domain.tournaments.ranking.scoring import Scoring, level_points


def compared(scoring: Scoring, results: Sequence[TableResult]) -> tuple[TableResult, ...]:
    """Return results that stand round by round, with points that are the scores of their boards.

    A position is a seat; who was absent from one has no points there. A round of a single table has nothing to be
    compared with, and nobody scores in it.
    """
    found: list[TableResult] = []
    for _round, group in groupby(results, key=lambda result: result.round):
        tables = list(group)
        own = [own_points(scoring, table) for table in tables]
        seats = [
            {seat: points[number] for seat, number in enumerate(table.numbers)}
            for points, table in zip(own, tables, strict=True)
        ]
        scores = board_scores(seats) if len(tables) > 1 else [dict.fromkeys(seats[0], Fraction(0))]
        for table, scored in zip(tables, scores, strict=True):
            points = {number: scored[seat] for seat, number in enumerate(table.numbers)}
            found.append(replace(table, points=points))
    return tuple(found)


def own_points(scoring: Scoring, table: TableResult) -> Mapping[int, Fraction]:
    """Return what everybody at a table has by their place there, or by a ruling, before anything is compared."""
    found = dict.fromkeys(table.numbers, Fraction(0))
    if table.points is not None:
        return found | dict(table.points)
    worth = level_points(scoring.places(len(table.numbers)), [len(level) for level in table.ranking])
    for level, points in zip(table.ranking, worth, strict=True):
        found.update(dict.fromkeys(level, points))
    return found
