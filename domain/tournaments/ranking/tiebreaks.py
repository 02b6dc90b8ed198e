"""Tie-breaks: who stands before whom where scores are equal, for tables of two and of more.

At tables of two they are those of the FIDE Handbook, C.07 as of March 2026. At larger tables an opponent of C.07
becomes the mean of the opponents at the table, and a win the share of them who were beaten. All values are exact; in
this file they are whole numbers in units of the event, and `standings` says what they stand for.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

from domain.tournaments.ranking.outcomes import ABSENT, ASKED, BYE, PLAYED, WALKOVER, Outcomes, RoundOutcome

Encounters = tuple[dict[int, Fraction], list[list[int]]]
"""What each of those that are tied came to against the others, and the groups that makes of them."""
SHARES: Final = 420
"""What every number of opponents at a table, 1 to 7, divides."""


class TieBreaks:
    """The tie-breaks of one event, each worked out when somebody asks for it first.

    Attributes:
        event: What each round was to whom.
        scores: By the entrant the score without penalties, in units.
        units: What tie-breaks came to, by code and entrant, as whoever worked them out has kept it.
        met: The same of direct encounters, by who is tied.
    """

    def __init__(self, event: Outcomes, before: TieBreaks | None = None) -> None:
        """Look at an event; what those of `before` say of entrants whom nothing new concerns holds on.

        A tie-break of somebody follows from the own rounds and from those of whom they met.
        """
        self.event = event
        self.units: dict[tuple[str, int], Any] = {}
        self.met: dict[tuple[int, ...], Encounters] = {}
        self._parts: dict[int, list[tuple[int, bool]]] = {}
        if before is None or _scale(before.event) != _scale(event):
            self.scores = {number: sum(o.points for o in course) for number, course in event.of.items()}
            return
        was = before.event.of
        moved = {number for number, course in event.of.items() if was.get(number) is not course}
        self.scores = {n: sum(o.points for o in event.of[n]) if n in moved else before.scores[n] for n in event.of}
        still = {n for n, course in event.of.items() if n not in moved and all(moved.isdisjoint(o.met) for o in course)}
        self.units = {key: units for key, units in before.units.items() if key[1] in still}
        self.met = {tied: came for tied, came in before.met.items() if moved.isdisjoint(tied)}
        self._parts = {number: row for number, row in before.parts.items() if number in still}

    @cached_property
    def adjusted(self) -> dict[int, int]:
        """By the entrant, the score as it counts for those they met, in units.

        A half or zero bye that only such byes and absences follow counts half a first place.
        """
        return {number: self.scores[number] + self._left(course) for number, course in self.event.of.items()}

    def _left(self, course: list[RoundOutcome]) -> int:
        """Return what the byes at the end of somebody's event count besides what they gave, in units."""
        more = 0
        for outcome in reversed(course):
            if outcome.how == ASKED:
                more += self.event.top // 2 - outcome.points
            elif outcome.how != ABSENT:
                break
        return more

    @cached_property
    def parts(self) -> dict[int, list[tuple[int, bool]]]:
        """By the entrant, what each round contributes to the Buchholz sum, and whether it is cut before all others.

        The first number is in units times `SHARES`.
        """
        adjusted = self.adjusted
        draws = self.event.rounds * (self.event.top // 2) * SHARES
        found = {}
        for number, course in self.event.of.items():
            if number in self._parts:
                found[number] = self._parts[number]
                continue
            most = self.scores[number] * SHARES
            row = []
            for o in course:
                part = sum([adjusted[other] for other in o.met]) * (SHARES // len(o.met)) if o.met else draws
                row.append((part if o.how == PLAYED else min(most, part), o.how in _CUT_FIRST))
            found[number] = row
        return found

    def buchholz(self, number: int, low: int = 0, high: int = 0) -> int:
        """Return the sum of what the rounds contribute, without the lowest and the highest ones.

        Source:
            C.07, articles on Buchholz and its cuts: half and zero byes and absences are cut before others.
        """
        cut = self.cuts(number, low, high)
        return sum(part for at, (part, _) in enumerate(self.parts[number]) if at not in cut)

    def cuts(self, number: int, low: int, high: int) -> list[int]:
        """Return which rounds, from 0, a Buchholz sum leaves out."""
        parts = self.parts[number]
        order = sorted(range(len(parts)), key=parts.__getitem__)
        cut = []
        for _ in range(min(low, len(order))):
            asked = next((place for place, at in enumerate(order) if parts[at][1]), 0)
            cut.append(order.pop(asked))
        return cut + order[max(len(order) - high, 0) :]

    def sonneborn_berger(self, number: int) -> list[int]:
        """Return by round what those who were beaten have, and half of what those have who were level: the mean.

        In units times `SHARES`, 2 and the units of a first place.
        """
        adjusted, top = self.adjusted, self.event.top
        found = []
        for o, (part, _) in zip(self.event.of[number], self.parts[number], strict=True):
            if o.how == PLAYED:
                beaten = sum([r * adjusted[other] for other, r in zip(o.met, o.beaten, strict=True)])
                found.append(beaten * (SHARES // len(o.met)) * top)
            else:
                found.append(2 * o.points * part)
        return found

    def progressive(self, number: int) -> list[int]:
        """Return the score after each round, in units."""
        return list(accumulate(o.points for o in self.event.of[number]))

    def koya(self, number: int) -> list[int]:
        """Return by round what came of it against those with half of what could be had, in halves times `SHARES`."""
        half, scores = self.event.rounds * (self.event.top // 2), self.scores
        return [
            sum([r for other, r in zip(o.met, o.beaten, strict=True) if scores[other] >= half])
            * (SHARES // max(1, len(o.met)))
            for o in self.event.of[number]
        ]

    def wins(self, number: int) -> list[int]:
        """Return 1 for each round worth a first place, played or not: first alone, or a bye that gives as much."""
        top = self.event.top
        return [
            int(o.points >= top if o.how == BYE else o.how == WALKOVER or (o.how == PLAYED and o.place == (0, 1)))
            for o in self.event.of[number]
        ]

    def won(self, number: int) -> list[int]:
        """Return 1 for each round that was played and won alone."""
        return [int(o.how == PLAYED and o.place == (0, 1)) for o in self.event.of[number]]

    def count_back(self, number: int) -> tuple[Fraction, ...]:
        """Return how many first places, second places and so on; of a place that t share, 1/t of each."""
        places = [Fraction(0)] * self.event.size
        for o in self.event.of[number]:
            first, many = o.place
            for place in range(first, first + many):
                places[place] += Fraction(1, many)
        return tuple(places)


def _scale(event: Outcomes) -> tuple[int, int, int, int]:
    return event.rounds, event.unit, event.top, event.size


_CUT_FIRST: Final = {ASKED, ABSENT}
