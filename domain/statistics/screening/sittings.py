"""Sittings: rounds as a screening looks at them, who sat with whom, at which score, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

from msgspec import Struct

from domain.statistics.screening.company import RoundBeside
from domain.tournaments.field import StageField
from domain.tournaments.ranking.outcomes import ABSENT, PLAYED, WALKOVER
from domain.tournaments.tournament import Place, Tournament

Pair = tuple[int, int]
"""Who would do it, and who would have it done for."""


class SeatedRound(Struct, frozen=True):
    """A round as company looks at it: who sat at which table, with which points and score before, in units of a point.

    Attributes:
        place: The stage and the round.
        table: The table of each who had one.
        points: What it gave.
        score: What each had before.
        unit: How many units a point has.
    """

    place: Place
    table: dict[int, int]
    points: dict[int, int]
    score: dict[int, int]
    unit: int

    def pairs(self) -> Iterator[Pair]:
        """Yield every ordered pair that sat at one table."""
        seats: dict[int, list[int]] = {}
        for number, table in self.table.items():
            seats.setdefault(table, []).append(number)
        for there in seats.values():
            yield from permutations(there, 2)

    def are_together(self, one: int, other: int) -> bool:
        """Report whether both sat at one table."""
        return one in self.table and self.table[one] == self.table.get(other)

    def apart(self, one: int, other: int) -> Fraction:
        """Return how far apart both were before the round, in points."""
        return Fraction(abs(self.score[one] - self.score[other]), self.unit)

    def meeting(self, one: int, other: int, factor: int) -> RoundBeside:
        """Return what the round was to `other`, who had a table, as it looks to `one`; points times a factor."""
        points = factor * self.points[other]
        if one not in self.table:
            return RoundBeside(points, together=False)
        alike = [each for each in self.table if self.score[each] == self.score[one] and each != other]
        there = sum(self.table[each] == self.table[other] for each in alike)
        return RoundBeside(points, self.are_together(one, other), len(alike), there)


def sittings_of(tournament: Tournament) -> tuple[SeatedRound, ...]:
    """Return all rounds that are closed, in order."""
    return tuple(each for stage in tournament.stages for each in _of_stage(StageField(tournament, stage.number)))


def _of_stage(field: StageField) -> Iterator[SeatedRound]:
    outcomes = field.outcomes
    score = dict.fromkeys(outcomes.of, 0)
    tables: dict[int, dict[int, int]] = {}
    for result in field.results:
        tables.setdefault(result.round, {}).update(dict.fromkeys(result.numbers, result.table))
    for number in range(1, field.upto + 1):
        points = {one: rounds[number - 1].points for one, rounds in outcomes.of.items()}
        sat = {one for one, rounds in outcomes.of.items() if rounds[number - 1].how in {PLAYED, WALKOVER, ABSENT}}
        table = {one: at for one, at in tables.get(number, {}).items() if one in sat}
        yield SeatedRound((field.stage.number, number), table, points, dict(score), outcomes.unit)
        score = {one: had + points[one] for one, had in score.items()}


def places_to_screen(tournament: Tournament) -> tuple[Place, ...]:
    """Return after which rounds a tournament is screened, in order: after each, or once where rounds overlap.

    The lines of an arena close a round every few seconds, and on a ladder one for every match.
    """
    found: list[Place] = []
    for stage in tournament.stages:
        closed = [number for number, held in sorted(stage.rounds.items()) if held.closed_at is not None]
        if stage.overlaps:
            closed = closed[-1:] if stage.closed is not None else []
        found += [(stage.number, number) for number in closed]
    return tuple(found)


def matches_that_count(tournament: Tournament) -> Iterator[tuple[Place, int, str]]:
    """Yield each match of the rounds that are closed, with where it was played: every leg, and no attempt before."""
    for stage in tournament.stages:
        for number, held in sorted(stage.rounds.items()):
            for table, each in sorted(held.tables.items()) if held.closed_at is not None else ():
                yield from (((stage.number, number), table, leg.match) for leg in each.legs if leg.match is not None)
