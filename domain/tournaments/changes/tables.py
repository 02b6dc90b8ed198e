"""Changes of tables: their matches are open, come to something, are ruled on, or are played again."""

from __future__ import annotations

from msgspec.structs import replace

from domain.ids import UnixMs
from domain.tournaments import events
from domain.tournaments.changed import round_changed, stage_changed, table_changed
from domain.tournaments.ranking.legs import table_result
from domain.tournaments.rules import legs_max
from domain.tournaments.tournament import PairedTable, Place, Tournament


def _table(tournament: Tournament, stage: int, number: int, table: int) -> PairedTable:
    return tournament.stages[stage - 1].rounds[number].tables[table]


def on_started(tournament: Tournament, event: events.RoundStarted, _at: UnixMs) -> Tournament:
    """Return the tournament after matches of a round are open."""
    place = (event.stage, event.round)
    before = tournament.stages[event.stage - 1].rounds[event.round].tables
    for number in event.tables:
        began_at = before[number].began_at if before[number].legs else event.at
        tournament = table_changed(tournament, place, number, started=True, opened_at=event.at, began_at=began_at)
    # Where nothing begins but the next legs of tables, the round began before.
    if all(before[number].legs for number in event.tables):
        return tournament
    return round_changed(tournament, place, started_at=event.at)


def on_result(tournament: Tournament, event: events.ResultRecorded, at: UnixMs) -> Tournament:
    """Return the tournament after a result: the table is over, or plays another match with seats changed."""
    table = _table(tournament, event.stage, event.round, event.table)
    place, legs = (event.stage, event.round), (*table.legs, event)
    result = table_result(legs, legs_max(tournament.rules.stages[event.stage - 1]))
    if result is None and table.ruling is None:
        return table_changed(
            tournament, place, event.table,
            attempt=table.attempt + 1, seats=table.seats[::-1], started=False, legs=legs,
        )  # fmt: skip
    line = tournament.seq if table.over_line is None else table.over_line
    changes = {"result": result or event, "over_at": at, "over_line": line, "recorded": tournament.seq, "legs": legs}
    return table_changed(tournament, place, event.table, **changes)


def on_ruled(tournament: Tournament, event: events.ResultRuled, at: UnixMs) -> Tournament:
    """Return the tournament after a ruling on a table."""
    before = _table(tournament, event.stage, event.round, event.table)
    rulings = (*before.rulings, (tournament.seq, event))
    line = tournament.seq if before.over_line is None else before.over_line
    changes = {"rulings": rulings, "over_at": before.over_at or at, "over_line": line}
    return outdated(table_changed(tournament, (event.stage, event.round), event.table, **changes))


def outdated(tournament: Tournament) -> Tournament:
    """Return the tournament after a ruling: where it is finished, places are to be said anew."""
    return replace(tournament, outdated=tournament.phase == "finished")


def on_replayed(tournament: Tournament, event: events.TableReplayed, at: UnixMs) -> Tournament:
    """Return the tournament with a table that begins again, in a round that is open again if it was closed."""
    seats, place = _table(tournament, event.stage, event.round, event.table).paired, (event.stage, event.round)
    after = table_changed(
        tournament, place, event.table, attempt=event.attempt, seats=seats,
        started=False, result=None, rulings=(), over_at=None, over_line=None, recorded=None, legs=(),
    )  # fmt: skip
    closed = tournament.stages[event.stage - 1].rounds[event.round].closed_at is not None
    return _reopened(after, place, at) if closed else after


def _reopened(tournament: Tournament, place: Place, at: UnixMs) -> Tournament:
    """Return the tournament with a round that is open again, and all that was closed behind it."""
    after = round_changed(tournament, place, closed_at=None, until=None)
    stage = replace(after.stages[place[0] - 1], closed=None, advanced=(), closed_at=None)
    after = stage_changed(after, stage.number, stage)
    if after.phase != "finished":
        return after
    return replace(after, phase="running", changed_at=at, ranking=(), paid=(), outdated=False)
