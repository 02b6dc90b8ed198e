"""TRF26 report of a tournament, as programs of chess hand events over: tables of two, points whole and half.

Lines end in CR LF. Names have no line ends in them, since lines have fixed columns.
"""

from __future__ import annotations

from domain.errors import Refused
from domain.tournaments.field import StageField
from domain.tournaments.formats.table import format_of
from domain.tournaments.ranking.trf import NAME_MAX, TrfHead, fits_trf, trf_lines
from domain.tournaments.tournament import Tournament
from projections.tournaments.exports.moments import day_text
from projections.tournaments.people import Names, name_of

LABEL = " (bot)"
"""What stands behind the name of a bot of the house."""


def trf_text(tournament: Tournament, names: Names, title: str, stage: int | None = None) -> str:
    """Return the report of a stage, after all its rounds that are closed.

    Args:
        tournament: How it stands.
        names: What people call entrants.
        title: What the event is called.
        stage: Which; the last that has begun, if nothing is said.

    Raises:
        Refused: `not_paired`: there is no such stage yet. `no_trf`: a table has more than two seats, or points are
            others than 1, 1/2 and 0.
    """
    chosen = len(tournament.stages) if stage is None else stage
    if not 1 <= chosen <= len(tournament.stages):
        raise Refused("not_paired", stage=chosen)
    field = StageField(tournament, chosen)
    if not fits_trf(field.outcomes):
        raise Refused("no_trf", stage=chosen)
    called = {number: _called(tournament, names, number) for number in field.numbers}
    days = [held.started_at for held in field.rounds() if held.started_at is not None] or [tournament.changed_at]
    ends = [held.closed_at for held in field.rounds() if held.closed_at is not None] or [tournament.changed_at]
    head = TrfHead(_on_one_line(title), day_text(min(days)), day_text(max(ends)), format_of(field.rules).trf)
    lines = trf_lines(head, called, field.outcomes, field.results, field.byes, field.rows)
    return "".join(f"{line}\r\n" for line in lines)


def _called(tournament: Tournament, names: Names, number: int) -> str:
    """Return the name of an entrant as the report has it; a bot's leaves room for its label."""
    name = _on_one_line(name_of(names, number))
    return f"{name[: NAME_MAX - len(LABEL)]}{LABEL}" if tournament.entrants[number].bot else name


def _on_one_line(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
