"""Work of a screening, as a function of what it is given, for a worker that knows nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from domain.statistics.screening.decisions import MatchDecisions, decisions_of_match
from domain.statistics.screening.screening import ScreenedMatch, Screening, screen
from domain.statistics.screening.sittings import matches_that_count, places_to_screen
from domain.tournaments import events
from domain.tournaments.record import TournamentAtHead, step
from domain.tournaments.tournament import Place, Tournament


class ScreeningGiven(Struct, frozen=True):
    """All that a screening follows from: the lines of the tournament, after which round, and what its matches say."""

    lines: Sequence[bytes]
    place: Place
    decisions: dict[str, MatchDecisions]


class ScreeningFound(Struct, frozen=True):
    """What a screening found, and how many lines the tournament had by then."""

    upto: int
    screening: Screening


def decided_in(matches: Sequence[tuple[str, Sequence[bytes]]]) -> dict[str, MatchDecisions]:
    """Return the decisions of each of some matches, given their ids and lines."""
    return {match: decisions_of_match(lines) for match, lines in matches}


def screened(given: ScreeningGiven) -> ScreeningFound:
    """Return what a screening finds. Cost: a step for each line, and that of `screen`."""
    tournament = tournament_at(given.lines, given.place)
    matches = [
        ScreenedMatch(place, table, match, given.decisions[match])
        for place, table, match in matches_that_count(tournament)
    ]
    return ScreeningFound(tournament.version, screen(tournament, given.place, matches))


def tournament_at(lines: Sequence[bytes], place: Place) -> Tournament:
    """Return a tournament as the line left it after which it is screened for this round."""
    written: TournamentAtHead | None = None
    for line in lines:
        written, event = step(written, line)
        closes = isinstance(event, events.TournamentRoundClosed | events.StageClosed)
        if closes and place in places_to_screen(written.tournament):
            return written.tournament
    raise AssertionError("it is to be screened after this round")
