"""Changed parts of a tournament: the same but for one entrant, stage, round or table."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain.tournaments.tournament import HeldRound, Place, PlayedStage, Tournament


def entrant_changed(tournament: Tournament, number: int, **changes: Any) -> Tournament:  # noqa: ANN401 - of its members
    """Return the tournament with an entrant that is so changed."""
    changed = replace(tournament.entrants[number], **changes)
    return replace(tournament, entrants={**tournament.entrants, number: changed})


def stage_changed(tournament: Tournament, number: int, stage: PlayedStage) -> Tournament:
    """Return the tournament with a stage that is so now."""
    stages = tuple(stage if each.number == number else each for each in tournament.stages)
    return replace(tournament, stages=stages)


def round_changed(tournament: Tournament, place: Place, **changes: Any) -> Tournament:  # noqa: ANN401 - of its members
    """Return the tournament with a round that is so changed; one that was not there begins."""
    stage = tournament.stages[place[0] - 1]
    changed = replace(stage.rounds.get(place[1], HeldRound(place[1])), **changes)
    return stage_changed(tournament, stage.number, replace(stage, rounds={**stage.rounds, place[1]: changed}))


def table_changed(tournament: Tournament, place: Place, table: int, **changes: Any) -> Tournament:  # noqa: ANN401 - of its members
    """Return the tournament with a table that is so changed."""
    tables = tournament.stages[place[0] - 1].rounds[place[1]].tables
    return round_changed(tournament, place, tables={**tables, table: replace(tables[table], **changes)})
