"""Rounds of a tournament: stages, pairings, what tables come to."""

from __future__ import annotations

from typing import Any, Literal

from domain.events.base import BaseEvent
from domain.ids import Milliseconds, UnixMs, Version
from domain.tournaments.events.words import Ranking, Reason


class StageOpened(BaseEvent, frozen=True, tag="stage.opened"):
    """A stage begins, with these seeds in order; `roll` is the roll whose lots it was drawn by."""

    stage: int
    rounds: int | None
    seeds: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...] | None
    roll: int | None
    by: str


class TablesPaired(BaseEvent, frozen=True, tag="tables.paired"):
    """Who sits where, by which law, worked out from the lines up to `upto`, of which `head` is the hash of the last.

    `tables` are (table, numbers in seat order).
    """

    stage: int
    group: int | None
    round: int
    law: str
    upto: int
    head: str
    roll: int | None
    byes: tuple[int, ...]
    tables: tuple[tuple[int, tuple[int, ...]], ...]
    certificate: dict[str, Any] | None
    by: str


class TablesUnpaired(BaseEvent, frozen=True, tag="tables.unpaired"):
    """An official has taken tables back; null is all of the round."""

    stage: int
    round: int
    tables: tuple[int, ...] | None
    by: str
    reason: Reason
    note: str | None


class TablesFixed(BaseEvent, frozen=True, tag="tables.fixed"):
    """An official has said who sits together in a round that is not paired yet."""

    stage: int
    round: int
    tables: tuple[tuple[int, ...], ...]
    by: str
    reason: Reason
    note: str | None


class RoundStarted(BaseEvent, frozen=True, tag="round.started"):
    """The matches of these tables are open; who is not there is waited for from `at` on."""

    stage: int
    round: int
    tables: tuple[int, ...]
    at: UnixMs


class TableNoShow(BaseEvent, frozen=True, tag="table.no_show"):
    """These did not come."""

    stage: int
    round: int
    table: int
    numbers: tuple[int, ...]


class ResultRecorded(BaseEvent, frozen=True, tag="result.recorded"):
    """What became of a table: `match` at `version` with `head`, all null where nothing was played."""

    stage: int
    round: int
    table: int
    attempt: int
    match: str | None
    version: Version | None
    head: str | None
    how: Literal["played", "time", "walkover", "nobody"]
    ranking: Ranking
    absent: tuple[int, ...]
    units: tuple[tuple[int, int], ...]


class ResultRuled(BaseEvent, frozen=True, tag="result.ruled"):
    """An official has said what a table counts as; the last such line counts."""

    stage: int
    round: int
    table: int
    ranking: Ranking
    absent: tuple[int, ...]
    points: tuple[tuple[int, str], ...] | None
    by: str
    reason: Reason
    note: str | None


class TableReplayed(BaseEvent, frozen=True, tag="table.replayed"):
    """A table plays again; `attempt` is the new one, and only the last counts."""

    stage: int
    round: int
    table: int
    attempt: int
    by: str
    reason: Reason
    note: str | None


class TournamentRoundClosed(BaseEvent, frozen=True, tag="round.closed"):
    """All tables have a result; `standings` is the hash of the standings after it."""

    stage: int
    round: int
    standings: str


class StageClosed(BaseEvent, frozen=True, tag="stage.closed"):
    """A stage is over; `advanced` are the seeds of the next, in order."""

    stage: int
    standings: str
    ranking: Ranking
    advanced: tuple[int, ...]


class RoundExtended(BaseEvent, frozen=True, tag="round.extended"):
    """A round lasts until then."""

    stage: int
    round: int
    until: UnixMs
    by: str
    reason: Reason
    note: str | None


class TournamentTimeGiven(BaseEvent, frozen=True, tag="time.given"):
    """An entrant gets time back in the match of a table."""

    stage: int
    round: int
    table: int
    number: int
    ms: Milliseconds
    by: str
    reason: Reason
    note: str | None
