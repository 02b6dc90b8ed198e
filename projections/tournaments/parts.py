"""Parts of a score and of tie-breaks: what each is made of, round by round, so that any place can be explained.

All of it is what the law itself adds up (`domain.tournaments.ranking`); here it gets the tables it comes from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import islice
from operator import is_
from typing import Final

from msgspec import Struct

from domain.tournaments.field import StageField
from domain.tournaments.formats.table import format_of
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.ranking.outcomes import ASKED, PLAYED, RoundOutcome
from domain.tournaments.ranking.standings import Standing, cuts_of, rounds_of
from domain.tournaments.ranking.tiebreaks import TieBreaks
from domain.tournaments.tournament import PairedTable
from projections.tournaments.numbers import ExactNumber, exact
from projections.tournaments.people import rest_kind

DIRECT = "DE"
COUNT_BACK = "CB"
WITH_OPPONENTS = ("BH", "BH-C1", "BH-C2", "BH-M1", "SB")
"""Tie-breaks that look at what those one met have."""
NAMED_MAX: Final = 64
"""How many others a tie-break names: before the first round all are tied with all, and n would name n² otherwise."""


class CourseRound(Struct, frozen=True):
    """What a round was to an entrant.

    Attributes:
        how: `played`; `walkover`, alone at a table; `absent` from it; `bye` from the pairing; `half` or `zero`, as
            asked for; `late`, for a round before they came; `missed`, for no table and no bye.
        table: Where, with the `match` that counts and the seat there.
        place: The place at the table, from 1, and how many `shared` it; null where it was not played.
        against: Who was there, or was paired there where it was not played.
        points: What it gave.
        ruled: Whether an official has spoken, and that counts.
    """

    round: int
    how: str
    points: ExactNumber
    table: int | None = None
    seat: int | None = None
    match: str | None = None
    place: int | None = None
    shared: int = 1
    against: tuple[int, ...] = ()
    ruled: bool = False


class Opponent(Struct, frozen=True):
    """Somebody met, as a tie-break looks at them.

    Attributes:
        score: What they have, as it counts for those they met: rounds they asked to be left out of at the end are
            worth half a first place, and penalties count for nothing.
        ahead: What one came to against them: 1 ahead, 1/2 level, 0 behind.
    """

    number: int
    score: ExactNumber
    ahead: ExactNumber


class TiePart(Struct, frozen=True):
    """What one round, or one who is tied as well, gives to a tie-break.

    Attributes:
        rounds: The round, or all in which the two met.
        value: What it gives.
        cut: Whether it is left out: a Buchholz sum without its lowest or highest rounds.
        against: Whom the number comes from.
        place: For `CB`, the place at the table; null where there was none.
    """

    rounds: tuple[int, ...]
    value: ExactNumber
    cut: bool = False
    against: tuple[Opponent, ...] = ()
    place: int | None = None


class TieValueView(Struct, frozen=True):
    """A tie-break of an entrant.

    Attributes:
        code: Which.
        value: What it comes to; null for `CB`, and where it was not looked at since nobody was tied any more.
        places: For `CB`, how many first places, second places and so on.
        tied: With whom one was still tied when it was looked at, 64 of them at most, by number.
        parts: What it is made of.
        unmet: For `DE`, those of the tied whom one has not met, 64 of them at most, by number.
        tied_count: With how many one was still tied.
        unmet_count: How many of them one has not met.
    """

    code: str
    value: ExactNumber | None = None
    places: tuple[ExactNumber, ...] = ()
    tied: tuple[int, ...] = ()
    parts: tuple[TiePart, ...] = ()
    unmet: tuple[int, ...] = ()
    tied_count: int = 0
    unmet_count: int = 0


class KnownCourse(Struct, frozen=True):
    """The course of an entrant as it was told, and of what."""

    outcomes: list[RoundOutcome]
    tables: list[PairedTable]
    told: tuple[CourseRound, ...]


def _are_same(before: list[PairedTable], now: list[PairedTable]) -> bool:
    return len(before) == len(now) and all(map(is_, before, now))


def _named(group: Iterable[int], but: Collection[int]) -> tuple[int, ...]:
    """Return the first of a group, as many as are named, but for these."""
    return tuple(islice((number for number in group if number not in but), NAMED_MAX))


class Explanation:
    """A stage whose standings are explained.

    Attributes:
        field: The stage, after so many rounds.
    """

    def __init__(self, field: StageField, before: Explanation | None = None) -> None:
        """Look at a stage; what somebody has told who looked `before`, at whatever stage, is told again if it holds."""
        self.field = field
        same = before is not None and before.field.looks_like(field)
        self._known = before.courses if before is not None and same else {}
        self.courses: dict[int, KnownCourse] = {}
        self._codes = field.tournament.rules.tiebreaks if field.order is None else ()
        # Elsewhere nobody misses anything who has no table in a round.
        self._misses = format_of(field.rules).by_score and field.order is None and not field.stage.overlaps

    @cached_property
    def _breaks(self) -> TieBreaks:
        return self.field.breaks

    @cached_property
    def _tied(self) -> dict[tuple[str, tuple[object, ...]], dict[int, None]]:
        """Who was tied when a tie-break was looked at, in order, by its code and what came before it."""
        found: dict[tuple[str, tuple[object, ...]], list[int]] = {}
        for row in self.field.rows:
            for at, code in enumerate(self._codes):
                if code in row.ties:
                    found.setdefault((code, self._before(row, at)), []).append(row.number)
        return {key: dict.fromkeys(sorted(group)) for key, group in found.items()}

    def _before(self, row: Standing, at: int) -> tuple[object, ...]:
        """Return what somebody had in common with whom they were tied before a tie-break."""
        return (row.score, *(row.ties[code] for code in self._codes[:at]))

    def points(self, outcome: RoundOutcome) -> Fraction:
        """Return the points of a round."""
        return Fraction(outcome.points, self.field.outcomes.unit)

    # ---- the course of an entrant ----------------------------------------------------------------

    @cached_property
    def _seats(self) -> dict[tuple[int, int], tuple[int, int, int, bool]]:
        """By round and number: the table, the seat, the attempt that counts, and whether it was ruled on."""
        return {
            (held.number, number): (table.number, seat, table.attempt, table.ruling is not None)
            for held in self.field.rounds()
            for table in held.tables.values()
            for seat, number in enumerate(table.seats, start=1)
        }

    @cached_property
    def _byes(self) -> dict[tuple[int, int], str]:
        tournament, stage = self.field.tournament, self.field.stage.number
        return {(bye.round, bye.number): rest_kind(tournament, bye, stage) for bye in self.field.byes}

    def course(self, number: int) -> tuple[CourseRound, ...]:
        """Return what each round was to an entrant, in order.

        A table without a result is not in it, nor is, in eliminations, a round without a table.
        """
        outcomes, tables = self.field.outcomes.of[number], self._tables[number]
        known = self._known.get(number)
        if known is None or known.outcomes is not outcomes or not _are_same(known.tables, tables):
            numbered = enumerate(outcomes, start=1)
            told = (self._course_round(number, at, outcome) for at, outcome in numbered if self._is_known(number, at))
            known = KnownCourse(outcomes, tables, tuple(told))
        if len(tables) == self.field.upto:
            # Of a round without a table more is told than stands here.
            self.courses[number] = known
        return known.told

    @cached_property
    def _tables(self) -> dict[int, list[PairedTable]]:
        """The tables of each, in the order of rounds."""
        found: dict[int, list[PairedTable]] = {number: [] for number in self.field.numbers}
        for held in self.field.rounds():
            for table in held.tables.values():
                for number in table.seats:
                    found.setdefault(number, []).append(table)
        return found

    def _is_known(self, number: int, at: int) -> bool:
        if (at, number) not in self._seats:
            # Where who is out, or not ready, has no table, there is nothing to tell of rounds without one.
            return self._misses or (at, number) in self._byes
        table = self._seats[at, number][0]
        return self.field.stage.rounds[at].tables[table].is_over

    def _course_round(self, number: int, at: int, outcome: RoundOutcome) -> CourseRound:
        points = exact(self.points(outcome))
        if (at, number) not in self._seats:
            return CourseRound(at, self._byes.get((at, number), "missed"), points)
        table, seat, attempt, ruled = self._seats[at, number]
        played = outcome.how == PLAYED
        return CourseRound(
            round=at,
            how="missed" if outcome.how == ASKED else outcome.how,
            points=points,
            table=table,
            seat=seat,
            match=match_id(str(self.field.tournament.id), self.field.stage.number, at, table, attempt),
            place=outcome.place[0] + 1 if played else None,
            shared=max(1, outcome.place[1]) if played else 1,
            against=outcome.met,
            ruled=ruled,
        )

    # ---- tie-breaks --------------------------------------------------------------------------------

    def ties(self, row: Standing, *, explained: bool) -> tuple[TieValueView, ...]:
        """Return the tie-breaks of an entrant, in the order of the rules.

        Args:
            row: Where the entrant stands.
            explained: Whether what they are made of is said as well.
        """
        return tuple(self._tie(row, at, code, explained=explained) for at, code in enumerate(self._codes))

    def _tie(self, row: Standing, at: int, code: str, *, explained: bool) -> TieValueView:
        if code not in row.ties:
            return TieValueView(code)
        value, group = row.ties[code], self._tied[code, self._before(row, at)]
        parts = tuple(self._parts(code, row.number, group)) if explained else ()
        tied, count = _named(group, {row.number}), len(group) - 1
        if isinstance(value, tuple):
            return TieValueView(code, None, tuple(map(exact, value)), tied, parts, tied_count=count)
        if code != DIRECT or not explained:
            return TieValueView(code, exact(value), (), tied, parts, tied_count=count)
        met = {row.number, *(opponent.number for part in parts for opponent in part.against)}
        return TieValueView(code, exact(value), (), tied, parts, _named(group, met), count, len(group) - len(met))

    def _parts(self, code: str, number: int, tied: Collection[int]) -> Iterator[TiePart]:
        if code == DIRECT:
            yield from self._encounters(number, tied)
            return
        course = self.field.outcomes.of[number]
        if code == COUNT_BACK:
            for at, outcome in enumerate(course, start=1):
                place, many = outcome.place
                share = Fraction(1, many) if many else Fraction(0)
                yield TiePart((at,), exact(share), place=place + 1 if many else None)
            return
        cut = cuts_of(self._breaks, code, number)
        for at, value in enumerate(rounds_of(self._breaks, code, number)):
            against = tuple(self._opponents(course[at])) if code in WITH_OPPONENTS else ()
            yield TiePart((at + 1,), exact(value), at in cut, against)

    def _encounters(self, number: int, tied: Collection[int]) -> Iterator[TiePart]:
        """Yield what one came to against each of the tied, over all tables where the two met."""
        met: dict[int, list[tuple[int, int]]] = {}
        for at, outcome in enumerate(self.field.outcomes.of[number], start=1):
            for other, ahead in zip(outcome.met, outcome.beaten, strict=True) if outcome.how == PLAYED else ():
                met.setdefault(other, []).append((at, ahead))
        for other in sorted(met):
            if other in tied:
                came = Fraction(sum(ahead for _, ahead in met[other]), 2 * len(met[other]))
                yield TiePart(tuple(at for at, _ in met[other]), exact(came), against=(self._opponent(other, came),))

    def _opponents(self, outcome: RoundOutcome) -> Iterator[Opponent]:
        for other, ahead in zip(outcome.met, outcome.beaten, strict=True):
            yield self._opponent(other, Fraction(ahead, 2))

    def _opponent(self, other: int, ahead: Fraction) -> Opponent:
        counts = Fraction(self._breaks.adjusted[other], self.field.outcomes.unit)
        return Opponent(other, exact(counts), exact(ahead))
