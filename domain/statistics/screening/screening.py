"""Screening of a tournament after a round: both statistics of every pair that plays together often.

The law of the file: it follows from the record of the tournament up to the line that closes a round, and from those of
its matches; so whoever works it out, and whenever, finds the same. It changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Final

from msgspec import Struct

from domain.statistics.screening.company import STATISTIC as COMPANY
from domain.statistics.screening.company import Company
from domain.statistics.screening.decisions import MatchDecisions
from domain.statistics.screening.flags import draws_for, flagged
from domain.statistics.screening.nulls import Null, ScreeningLots
from domain.statistics.screening.sittings import Pair, sittings_of
from domain.statistics.screening.softness import STATISTIC as SOFTNESS
from domain.statistics.screening.softness import Faced, Softness, softness_of
from domain.tournaments.tournament import Place, Tournament

TABLES_MIN: Final = 3
"""A pair is looked at that had so many tables in common."""
FEW: Final = 30
"""With fewer decisions the file says that they are few."""

Test = tuple[Pair, int]
"""A pair, and the number of a statistic."""


class ScreenedMatch(Struct, frozen=True):
    """A match that has ended, at a table that has a result.

    Attributes:
        place: The stage and the round.
        table: The table.
        match: Its id.
        found: What was decided there.
    """

    place: Place
    table: int
    match: str
    found: MatchDecisions


class Measured(Struct, frozen=True):
    """A statistic and its null, fractions as text.

    Attributes:
        value: What was seen.
        mean: What it is on average under chance alone.
        chance: How likely chance alone comes so far.
        drawn: How many permutations that was told by.
        stands_out: Whether it does, among all that were looked at.
    """

    value: str
    mean: str
    chance: str
    drawn: int
    stands_out: bool


class SeenDecision(Struct, frozen=True):
    """A decision of a pair.

    Attributes:
        stage: In which stage it was taken.
        round: In which round of it.
        table: At which table.
        match: In which match, whose record has it.
        line: The place of the decision in that record, from 0.
        fifth: In which fifth the chance of the claim lay, from 0, as whoever decided saw it.
        still: How many seats were still in.
        challenged: Whether the claim was challenged.
    """

    stage: int
    round: int
    table: int
    match: str
    line: int
    fifth: int
    still: int
    challenged: bool


class CaseFile(Struct, frozen=True):
    """What stands out of a pair, and what else would explain it.

    Attributes:
        numbers: Who would do it, and who would have it done for.
        stage: After which round of which stage.
        tables: How many tables they had in common.
        softness: Whether the first spares the claims of the second; None where the game is not judged.
        company: Whether the second does better where the first sits.
        decisions: What the first did about claims of the second.
        same_club: Whether both say that they are of one club.
        few: Whether there are few decisions.
        apart: How far apart their scores were before the rounds that they sat together, on average: who stands far
            apart and meets all the same plays another sort of table than usual.
    """

    numbers: Pair
    stage: int
    round: int
    tables: int
    softness: Measured | None
    company: Measured
    decisions: tuple[SeenDecision, ...]
    same_club: bool
    few: bool
    apart: str


class Screening(Struct, frozen=True):
    """What came of looking at all pairs after a round.

    Attributes:
        place: The stage and the round.
        pairs: How many ordered pairs were looked at.
        tests: How many statistics of them.
        judged: Whether there is an exact chance in the game, so that decisions were looked at.
        cases: The pairs that stand out.
    """

    place: Place
    pairs: int
    tests: int
    judged: bool
    cases: tuple[CaseFile, ...]


def screen(tournament: Tournament, place: Place, matches: Sequence[ScreenedMatch]) -> Screening:
    """Return what stands out after a round.

    Args:
        tournament: The tournament as the line has left it that closed the round.
        place: The stage and the round.
        matches: Its matches that have ended, in any order.

    Cost: a second for 480 tests of 16 entrants in 20 rounds, most of it for what comes near to standing out.
    """
    return _Screen(tournament, place, sorted(matches, key=lambda each: (each.place, each.table, each.match))).screening


class _Screen:
    """The pairs of a tournament on the way."""

    def __init__(self, tournament: Tournament, place: Place, matches: Sequence[ScreenedMatch]) -> None:
        self.tournament = tournament
        self.place = place
        self.matches = matches
        self.sittings = sittings_of(tournament)
        self.unit = lcm(*(each.unit for each in self.sittings))
        # The lots of the stage are drawn before any of it is played, and stay where they are whatever follows.
        roll = tournament.stages[place[0] - 1].lots or bytes(32)
        self.lots = ScreeningLots(roll, *place)
        self.number = {entrant.player: number for number, entrant in tournament.entrants.items()}
        self.together = self._meetings()
        self.judged = any(each.found.decisions is not None for each in matches)
        self.soft = self._soft() if self.judged else {}

    def _meetings(self) -> dict[Pair, int]:
        """Return how many tables each ordered pair had in common, where they are enough."""
        found = Counter(pair for sitting in self.sittings for pair in sitting.pairs())
        return {pair: times for pair, times in sorted(found.items()) if times >= TABLES_MIN}

    def _soft(self) -> dict[int, Softness]:
        """Return how everybody treats claims of whom there is a pair to look at."""
        faced: dict[int, list[Faced]] = {one: [] for one, _ in self.together}
        opponents: dict[int, dict[int, list[int]]] = {one: {} for one in faced}
        for at, match in enumerate(self.matches):
            seats = {seat: self.number[player] for seat, player in sorted(match.found.players.items())}
            for one in seats.values():
                if one in faced:
                    opponents[one][at] = [other for other in seats.values() if other != one]
            for each in match.found.decisions or ():
                if seats[each.seat] in faced:
                    what = Faced(at, (each.fifth, each.still), seats[each.claimant], each.challenged)
                    faced[seats[each.seat]].append(what)
        return {one: softness_of(done, opponents[one]) for one, done in faced.items()}

    @property
    def screening(self) -> Screening:
        tests = len(self.together) * (1 + self.judged)
        nulls = dict(self._nulls(draws_for(tests)))
        out = flagged({test: null.chance for test, null in nulls.items()})
        cases = (self._case(pair, nulls, out) for pair in self.together if {(pair, SOFTNESS), (pair, COMPANY)} & out)
        return Screening(self.place, len(self.together), tests, self.judged, tuple(cases))

    def _nulls(self, most: int) -> Iterator[tuple[Test, Null]]:
        for one, other in self.together:
            if self.judged:
                yield ((one, other), SOFTNESS), self.soft[one].null(one, other, self.lots, most)
            yield ((one, other), COMPANY), self._company(one, other).null(one, other, self.lots, most)

    def _company(self, one: int, other: int) -> Company:
        """Return the rounds of `other` as they look to `one`."""
        meetings = (each.meeting(one, other, self.unit // each.unit) for each in self.sittings if other in each.table)
        return Company(tuple(meetings), self.unit)

    # ---- files ----------------------------------------------------------------------------------

    def _case(self, pair: Pair, nulls: Mapping[Test, Null], out: Collection[Test]) -> CaseFile:
        one, other = pair
        decisions = tuple(self._seen(one, other))
        soft = nulls.get((pair, SOFTNESS))
        clubs = [self.tournament.entrants[number].club for number in pair]
        return CaseFile(
            numbers=pair,
            stage=self.place[0],
            round=self.place[1],
            tables=self.together[pair],
            # The null is of the statistic turned round, in which more is further.
            softness=None
            if soft is None
            else _measured(self.soft[one].towards(other), soft, (pair, SOFTNESS) in out, -1),
            company=_measured(self._company(one, other).helped, nulls[pair, COMPANY], (pair, COMPANY) in out),
            decisions=decisions,
            same_club=clubs[0] is not None and clubs[0] == clubs[1],
            few=len(decisions) < FEW,
            apart=str(self._apart(one, other)),
        )

    def _seen(self, one: int, other: int) -> Iterator[SeenDecision]:
        for match in self.matches:
            seats = {seat: self.number[player] for seat, player in match.found.players.items()}
            for each in match.found.decisions or ():
                if (seats[each.seat], seats[each.claimant]) == (one, other):
                    where = (*match.place, match.table, match.match, each.line)
                    yield SeenDecision(*where, each.fifth, each.still, each.challenged)

    def _apart(self, one: int, other: int) -> Fraction:
        apart = [each.apart(one, other) for each in self.sittings if each.are_together(one, other)]
        return sum(apart, Fraction(0)) / len(apart)


def _measured(value: Fraction, null: Null, stands_out: bool, sign: int = 1) -> Measured:  # noqa: FBT001  what it says
    return Measured(str(value), str(sign * null.mean), str(null.chance), null.drawn, stands_out)
