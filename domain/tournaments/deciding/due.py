"""Steps that are due: a pure function of the tournament, so that all directors find the same, whatever was killed."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from domain.ids import UnixMs
from domain.match.ceremony import CEREMONY_MS
from domain.tournaments.deciding.drawing import ROLLS
from domain.tournaments.field import StageField
from domain.tournaments.formats.table import format_of
from domain.tournaments.tournament import Tournament

STAGE_MIN: Final = 2
"""With fewer no stage begins."""

Step = Literal[
    "draw", "lots", "seal", "void", "open_stage", "pair", "start", "close_round", "close_stage", "finish", "close"
]
"""What the tournament does by itself. Between `start` and `close_round` its matches are played."""


class DueStep(Struct, frozen=True):
    """A step, and when it may be done at the earliest, in Unix milliseconds."""

    step: Step
    at: UnixMs


def due(tournament: Tournament) -> DueStep | None:
    """Return what is due next; None while others are waited for: people, the log, matches."""
    match tournament.phase:
        case "check_in":
            return None if tournament.check_in_until is None else DueStep("draw", tournament.check_in_until)
        case "drawing":
            return _lots_due(tournament) or (None if awaits_log(tournament) else DueStep("open_stage", tournament.at))
        case "running":
            return None if tournament.paused else _lots_due(tournament) or _round_due(tournament)
        case "finished":
            return _finishing_due(tournament)
        case "cancelled":
            # A deal that the log has is not thrown away: it is waited for, as if it were needed.
            logged = tournament.ceremony is not None and tournament.ceremony.stage in {"logged", "fixed"}
            return _lots_due(tournament) if logged else DueStep("close", tournament.at)
        case _:
            return None


def _finishing_due(tournament: Tournament) -> DueStep | None:
    if tournament.outdated:
        waits = _lots_due(tournament)
        if waits is None and not awaits_log(tournament):
            return DueStep("finish" if tournament.rolled < ROLLS else "lots", tournament.at)
        return waits
    heard = all(each.outcome is not None for each in tournament.appeals.values())
    return DueStep("close", tournament.changed_at + tournament.rules.time.claims_ms) if heard else None


def _lots_due(tournament: Tournament) -> DueStep | None:
    """Return what the drawing of lots waits for; None where a roll can be opened, or others are waited for."""
    ceremony = tournament.ceremony
    if ceremony is None or ceremony.stage == "closed":
        return DueStep("lots", tournament.at)
    if ceremony.stage == "committed" and ceremony.waiting_for:
        return DueStep("seal", ceremony.since + CEREMONY_MS)
    if ceremony.stage == "logged" and ceremony.waiting_for:
        return DueStep("void", ceremony.since + CEREMONY_MS)
    return None


def awaits_log(tournament: Tournament) -> bool:
    """Report whether the log or the beacon is waited for, before a lot can be drawn."""
    ceremony = tournament.ceremony
    return ceremony is not None and ceremony.stage in {"sealed", "logged", "fixed"}


def _round_due(tournament: Tournament) -> DueStep | None:
    stage = tournament.stage
    assert stage is not None, "it runs"
    now = tournament.at
    if awaits_log(tournament):
        return None
    if tournament.rolled >= ROLLS:
        return DueStep("lots", now)
    if stage.closed is not None:
        last = len(tournament.stages) == len(tournament.rules.stages)
        going_on = sum(tournament.entrants[number].plays for number in stage.advanced)
        return DueStep("finish" if last or going_on < STAGE_MIN else "open_stage", now)
    held = stage.last
    if held is None or held.closed_at is not None or not held.is_paired:
        field = StageField(tournament, stage.number)
        chosen = format_of(tournament.rules.stages[stage.number - 1])
        return DueStep("close_stage", now) if chosen.is_over(field) else _pairing_due(tournament)
    if any(not table.started and not table.is_over for table in held.tables.values()):
        return DueStep("start", now)
    return None if held.missing else DueStep("close_round", now)


def _pairing_due(tournament: Tournament) -> DueStep | None:
    stage, time = tournament.stage, tournament.rules.time
    assert stage is not None, "it runs"
    since = max((each.closed_at for each in stage.rounds.values() if each.closed_at is not None), default=None)
    if time.start == "host":
        return None
    if time.start == "times":
        played = sum(len(each.rounds) for each in tournament.stages[:-1]) + stage.next_number
        given = time.times[played - 1] if played <= len(time.times) else 0
        return DueStep("pair", max(given, since or tournament.at))
    # The first round follows the draw at once: everybody has just said that they are there.
    return DueStep("pair", tournament.changed_at if since is None else since + time.between_ms)
