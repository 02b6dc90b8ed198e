"""Dues as everybody sees them: what a tournament does next by itself and when, or who is waited for."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from domain.ids import UnixMs
from domain.tournaments.deciding.due import due
from domain.tournaments.formats.format import Step
from domain.tournaments.tournament import Tournament

DueReason = Literal[
    "open_entry", "open_check_in", "check_in", "lots", "seeds", "log", "beacon", "open_stage", "pair", "host", "start",
    "results", "lapse", "close_round", "close_stage", "finish", "claims", "appeals", "close", "paused", "over",
    "unseated", "lasts",
]  # fmt: skip
"""What a tournament waits for, or does next."""


class DueView(Struct, frozen=True):
    """What is due, and why nothing else is.

    Attributes:
        why: What happens next, or who is waited for: `open_entry`, `open_check_in` and `host`, the host; `check_in`,
            `claims`, `pair`, `lapse` and `lasts`, the end of a stage that lasts so long, a time; `seeds`, those who
            draw lots; `log` and `beacon`; `results`, tables; `appeals`, officials; `unseated`, officials, for tables
            that were taken back; `paused`; `over`, nothing.
        at: When it is done by itself, at the earliest, in Unix milliseconds; null where somebody is waited for.
        tables: The tables that are waited for, or were taken back.
    """

    why: DueReason
    at: UnixMs | None = None
    tables: tuple[int, ...] = ()


def due_view(tournament: Tournament) -> DueView:
    """Return what happens next, or what is waited for."""
    step = due(tournament)
    if step is None:
        return _waits_for(tournament)
    if step.step == "close_stage" and step.at > tournament.at:
        return DueView("lasts", step.at)
    is_heard = tournament.phase == "finished" and step.step == "close"
    return DueView("claims" if is_heard else REASONS[step.step], step.at)


REASONS: Final[dict[Step, DueReason]] = {
    # Whatever the ceremony does when time is over, it is seeds that are waited for until then.
    **dict.fromkeys(("seal", "void"), "seeds"),
    "draw": "check_in",
    "lots": "lots",
    "open_stage": "open_stage",
    "lapse": "lapse",
    "pair": "pair",
    "start": "start",
    "close_round": "close_round",
    "close_stage": "close_stage",
    "finish": "finish",
    "close": "close",
}


def _waits_for(tournament: Tournament) -> DueView:
    """Return who is waited for, where nothing is due."""
    match tournament.phase:
        case "announced":
            return DueView("open_entry")
        case "entry":
            return DueView("open_check_in")
        case "closed":
            return DueView("over")
        case _:
            return _waits_while_it_runs(tournament)


def _waits_while_it_runs(tournament: Tournament) -> DueView:
    ceremony = tournament.ceremony
    if tournament.paused:
        return DueView("paused")
    if ceremony is not None and ceremony.stage in {"sealed", "logged", "fixed"}:
        return DueView("beacon" if ceremony.stage == "fixed" else "log")
    if open_appeals(tournament) and tournament.phase == "finished":
        return DueView("appeals")
    playing = [] if tournament.stage is None else tournament.stage.open_rounds
    freed = [table for held in playing for table in held.freed]
    if freed:
        return DueView("unseated", tables=tuple(sorted(freed)))
    if playing:
        missing = {table for held in playing for table in held.missing}
        return DueView("results", tables=tuple(sorted(missing)))
    return DueView("host")


def open_appeals(tournament: Tournament) -> int:
    """Count appeals that wait for a decision."""
    return sum(each.outcome is None for each in tournament.appeals.values())
