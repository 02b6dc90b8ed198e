"""Tables of tournaments as records tell of them: results in that of the tournament, and what a match says to its."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from domain.audit.rulings import ReplayResult
from domain.audit.tournaments import TournamentRuling
from domain.fairness.records import RecordLine
from domain.tournaments.matches import match_outcome, rules_digest
from services.audit.boards import BoardRecord


class MatchResult(Struct, frozen=True):
    """What a tournament has on record of a match, in a line of it, from 1.

    Attributes:
        match: Which match, read up to `version` with `head`.
        seats: Who was paired, by number, in seat order.
        ranking: Who came where, `absent` not at all.
        units: What each had left, or went out in (`domain.match.ranking.units_of`).
        players: Whom the match has to have in its seats, in order.
        rules: A hash of the rules object it has to have (`domain.tournaments.matches.rules_digest`).
    """

    line: int
    match: str
    version: int
    head: str
    seats: tuple[int, ...]
    ranking: tuple[tuple[int, ...], ...]
    absent: tuple[int, ...]
    units: tuple[tuple[int, int], ...]
    players: tuple[str, ...]
    rules: str


class WantedBoard(Struct, frozen=True):
    """What the record of a board has to say by the line of a tournament, from 1, that paired its tables."""

    line: int
    board: BoardRecord


class TableRecord(Struct, frozen=True):
    """What the record of a match says to the result of its table, by seats.

    Attributes:
        version: How many lines it has.
        players: Who was seated, in seat order; who did not come is among them.
        absent: The seats that did not play.
        ended: Whether it is over.
    """

    version: int
    players: tuple[str, ...]
    ranking: tuple[tuple[int, ...], ...]
    absent: tuple[int, ...]
    units: tuple[tuple[int, int], ...]
    rules: str
    ended: bool


def results_of(ruling: TournamentRuling) -> tuple[MatchResult, ...]:
    """Return what the record says of matches, the last attempt of each table and earlier ones."""
    assert ruling.tournament is not None, "nothing is wrong with it"
    found = []
    for line, event in ruling.results:
        seats = ruling.seats[line]
        assert event.match is not None, "a match was played"
        assert event.version is not None, "a match was played"
        assert event.head is not None, "a match was played"
        has = ruling.matches[line]
        found.append(
            MatchResult(
                line, event.match, event.version, event.head, seats, event.ranking, event.absent, event.units,
                has.players, has.rules,
            )
        )  # fmt: skip
    return tuple(found)


def boards_of(ruling: TournamentRuling) -> tuple[WantedBoard, ...]:
    """Return what the records of boards have to say."""
    return tuple(
        WantedBoard(line, BoardRecord(board.id, board.rules, board.players)) for line, board in ruling.boards.items()
    )


def table_of(lines: Sequence[RecordLine], ruling: ReplayResult) -> TableRecord | UnsetType:
    """Return what a match at a table of a tournament says to its result."""
    match = ruling.match
    if match is None or match.settings.event is None:
        return UNSET
    joined = {line.data["seat"]: line.data["player"] for line in lines if line.kind == "seat.joined"}
    came = match_outcome(match, tuple(sorted(joined)))
    return TableRecord(
        version=len(lines),
        players=tuple(joined[seat] for seat in sorted(joined)),
        ranking=came.ranking,
        absent=came.absent,
        units=came.units,
        rules=rules_digest(lines[0].data["rules"]),
        ended=match.ended,
    )
