"""Field of a stage: everybody in it, what their tables came to, and what of that laws look at; never stored.

Results are those that count: of each table the last ruling, or else what was recorded of its last attempt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from domain.tournaments import events
from domain.tournaments.pairing.history import PlayedTable, TableHistory, history_of
from domain.tournaments.points import points_of
from domain.tournaments.ranking.outcomes import KnownOutcomes, Outcomes, outcomes_of
from domain.tournaments.ranking.results import Bye, PointsPenalty, TableResult
from domain.tournaments.ranking.scoring import Scoring
from domain.tournaments.ranking.standings import Standing, standings, standings_hash
from domain.tournaments.ranking.tiebreaks import TieBreaks
from domain.tournaments.rules import CountingLaw, Stage, TournamentRules, preferred_size
from domain.tournaments.tournament import Entrant, HeldRound, PairedTable, PlayedStage, Tournament


class KnownField(Struct, frozen=True):
    """What somebody has worked out who looked at a stage after the same round, so that it holds on where it can.

    Attributes:
        entrants: Everybody, as they were.
        results: Every table with its result, by round and number.
        byes: Every round with its byes.
        outcomes: What each round was to each.
        breaks: The tie-breaks that somebody asked for.
    """

    entrants: Mapping[int, Entrant]
    results: dict[tuple[int, int], tuple[PairedTable, TableResult | None]]
    byes: dict[int, tuple[HeldRound, tuple[Bye, ...]]]
    outcomes: KnownOutcomes
    breaks: TieBreaks


class StageField:
    """A stage as laws look at it, after so many of its rounds.

    Attributes:
        tournament: The tournament.
        stage: The stage, which has begun.
        rules: What is said of it.
        upto: The last round that is looked at.
    """

    def __init__(
        self, tournament: Tournament, number: int, upto: int | None = None, before: StageField | None = None
    ) -> None:
        """Look at a stage by its number, from 1, after a round; after all that are closed, if none is named.

        Where tables count at once it is after all that are begun. What was worked out when somebody looked `before`,
        at an earlier version or another tournament, is not worked out again where nothing of it has changed.
        """
        self.tournament = tournament
        self.stage: PlayedStage = tournament.stages[number - 1]
        self.rules: Stage = tournament.rules.stages[number - 1]
        whole = self.counting.begun
        looked = [each.number for each in self.stage.rounds.values() if whole or each.closed_at is not None]
        self.upto = max(looked, default=0) if upto is None else upto
        self._known = None if before is None else before.known_to(self)

    def looks_like(self, other: StageField) -> bool:
        """Report whether both look at the same people of the same stage, after the same round."""
        looked = [(each.tournament.id, each.tournament.rules, each.stage.number, each.upto) for each in (self, other)]
        return looked[0] == looked[1] and self.numbers == other.numbers

    def known_to(self, later: StageField) -> KnownField | None:
        """Return what is worked out here, for whoever looks later at the same; None for whoever looks at another."""
        if not self.looks_like(later):
            return None
        outcomes = KnownOutcomes(self.outcomes, self.results, self.byes)
        return KnownField(self.tournament.entrants, self._results, self._byes, outcomes, self.breaks)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Everybody in the stage: its seeds in order, then who came late."""
        seeds = self.stage.seeds
        late = (n for n, each in self.tournament.entrants.items() if _came_in(each, self.stage.number) and each.is_in)
        return (*seeds, *(number for number in late if number not in seeds))

    @property
    def counting(self) -> CountingLaw:
        """How what is played comes to standings."""
        return self.stage.counting

    def entrant(self, number: int) -> Entrant:
        """Return somebody by number."""
        return self.tournament.entrants[number]

    @cached_property
    def scoring(self) -> Scoring:
        """What places are worth."""
        return scoring_of(self.tournament.rules)

    @property
    def top(self) -> Fraction:
        """What a first place at a table of the preferred size is worth."""
        return self.scoring.places(preferred_size(self.rules))[0]

    def rounds(self) -> Iterator[HeldRound]:
        """Yield the rounds that are looked at, in order."""
        for number in range(1, self.upto + 1):
            yield self.stage.rounds[number]

    @cached_property
    def results(self) -> tuple[TableResult, ...]:
        """What each table came to."""
        results = tuple(result for _, result in self._results.values() if result is not None)
        return results if self.counting.results is None else self.counting.results(self.scoring, results)

    @cached_property
    def _results(self) -> dict[tuple[int, int], tuple[PairedTable, TableResult | None]]:
        known = {} if self._known is None else self._known.results
        found = {}
        for held in self.rounds():
            for table in held.tables.values():
                was = known.get((held.number, table.number))
                same = was is not None and was[0] is table
                found[held.number, table.number] = was if was is not None and same else (table, _result(held, table))
        return found

    @cached_property
    def byes(self) -> tuple[Bye, ...]:
        """Who had no table in which round, and why; nobody rests where rounds do not wait for each other."""
        if self.stage.overlaps or not self.counting.byes:
            return ()
        return tuple(bye for _, byes in self._byes.values() for bye in byes)

    @cached_property
    def _byes(self) -> dict[int, tuple[HeldRound, tuple[Bye, ...]]]:
        known = self._known
        was = {} if known is None or known.entrants is not self.tournament.entrants else known.byes
        found = {}
        for held in self.rounds():
            before = was.get(held.number)
            same = before is not None and before[0] is held
            found[held.number] = before if before is not None and same else (held, tuple(self._byes_in(held)))
        return found

    def _byes_in(self, held: HeldRound) -> Iterator[Bye]:
        place, seated = (self.stage.number, held.number), {n for table in held.tables.values() for n in table.seats}
        for number in self.numbers:
            entrant = self.entrant(number)
            if number in held.byes:
                yield Bye(held.number, number, "pairing")
            elif number in seated:
                continue
            elif place < entrant.since:
                yield Bye(held.number, number, self.tournament.rules.entry.late_points)
            elif place in entrant.byes:
                yield Bye(held.number, number, entrant.byes[place])

    @cached_property
    def penalties(self) -> tuple[PointsPenalty, ...]:
        """Points that officials took."""
        found = self.tournament.penalties.values()
        return tuple(
            PointsPenalty(each.number, -points_of(each.points))
            for each in found
            if each.points is not None and (each.stage or 1) == self.stage.number and (each.round or 0) <= self.upto
        )

    @cached_property
    def outcomes(self) -> Outcomes:
        """What each round was to each."""
        known = None if self._known is None else self._known.outcomes
        preferred, results, byes = preferred_size(self.rules), self.results, self.byes
        return outcomes_of(self.scoring, preferred, self.upto, self.numbers, results, byes, known)

    @cached_property
    def breaks(self) -> TieBreaks:
        """The tie-breaks of all, as far as somebody has asked for them."""
        return TieBreaks(self.outcomes, None if self._known is None else self._known.breaks)

    @cached_property
    def rows(self) -> list[Standing]:
        """The standings, by place and then by number."""
        out = {number for number in self.numbers if self.entrant(number).disqualified}
        penalties = [*(each for each in self.penalties if each.number in set(self.numbers)), *self._bonus()]
        if self.order is None:
            return standings(self.outcomes, self.tournament.rules.tiebreaks, penalties, out, self.breaks)
        scored = {row.number: row for row in standings(self.outcomes, (), penalties, out)}
        placed = [scored[number] for number in self.order if number not in out]
        rows = [replace(row, place=place, shared=False) for place, row in enumerate(placed, start=1)]
        return rows + [scored[number] for number in sorted(out)]

    @cached_property
    def order(self) -> tuple[int, ...] | None:
        """Everybody from the first place to the last, where an order says it; None where points do."""
        return None if self.counting.order is None else self.counting.order(self)

    def _bonus(self) -> Iterable[PointsPenalty]:
        """Return what entrants get besides, where they do."""
        return () if self.counting.bonus is None else self.counting.bonus(self)

    @property
    def standings_hash(self) -> str:
        """The hash of the standings."""
        return standings_hash(self.stage.number, self.upto, self.tournament.rules.tiebreaks, self.rows)

    @cached_property
    def scores(self) -> dict[int, Fraction]:
        """The score of each, penalties included."""
        return {row.number: row.score for row in self.rows}

    def ranking(self) -> events.Ranking:
        """Return who has which place by the standings, best first; who was disqualified has none."""
        places: dict[int, list[int]] = {}
        for row in self.rows:
            if row.place is not None:
                places.setdefault(row.place, []).append(row.number)
        return tuple(tuple(places[place]) for place in sorted(places))

    @cached_property
    def history(self) -> TableHistory:
        """Who has met whom, in this stage and before."""
        return history_of(played_tables(self.tournament))

    def playing(self, number: int) -> tuple[int, ...]:
        """Return who is to be paired in a round that is to come, ascending."""
        place = (self.stage.number, number)
        return tuple(number for number in self.left if place not in self.entrant(number).byes)

    @cached_property
    def left(self) -> tuple[int, ...]:
        """Who can still play, ascending, those among them who asked to be left out of a round."""
        return tuple(number for number in sorted(self.numbers) if self.entrant(number).plays)

    @cached_property
    def pairing_byes(self) -> dict[int, int]:
        """How often each has rested because tables were full."""
        found = dict.fromkeys(self.numbers, 0)
        for held in self.rounds():
            for number in held.byes:
                found[number] += 1
        return found

    def forbidden(self, among: Collection[int]) -> tuple[tuple[int, int], ...]:
        """Return which pairs of these may not sit together, ascending."""
        pairs = set(self.tournament.forbidden.values())
        return tuple(sorted(pair for pair in pairs if pair[0] in among and pair[1] in among))


def _came_in(entrant: Entrant, stage: int) -> bool:
    # Nobody but who came late is there without having been there when the stage began.
    return entrant.since[0] == stage and entrant.here and (entrant.gone is None or entrant.gone > entrant.since)


def scoring_of(rules: TournamentRules) -> Scoring:
    """Return what places are worth."""
    said = rules.scoring
    listed = {int(size): tuple(points_of(each) for each in worth) for size, worth in said.points.items()}
    return Scoring(said.scheme, points_of(said.bye), listed)


def _result(held: HeldRound, table: PairedTable) -> TableResult | None:
    """Return what a table came to, for tie-breaks; None while it counts as nothing yet."""
    counts = result_of(table)
    if counts is None:
        return None
    return TableResult(held.number, table.number, table.paired, counts.ranking, counts.absent, ruled_points(counts))


def result_of(table: PairedTable) -> events.ResultRuled | events.ResultRecorded | None:
    """Return what a table counts as; None while it counts as nothing yet."""
    return table.counts


def ruled_points(counts: events.ResultRuled | events.ResultRecorded) -> dict[int, Fraction] | None:
    """Return the points that a ruling gives; None where places are worth what they are."""
    if isinstance(counts, events.ResultRecorded) or counts.points is None:
        return None
    return {number: points_of(text) for number, text in counts.points}


def played_tables(tournament: Tournament) -> Iterator[PlayedTable]:
    """Yield every table that has a result, for what pairing remembers."""
    for stage in tournament.stages:
        for held in stage.rounds.values():
            largest = max((len(table.seats) for table in held.tables.values()), default=0)
            for table in held.tables.values():
                counts = result_of(table)
                if counts is not None:
                    yield PlayedTable(table.paired, frozenset(counts.absent), len(table.seats) < largest)
