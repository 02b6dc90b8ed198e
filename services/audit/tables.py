"""Tables of tournaments as records tell of them: results, what a match says to its own, and whose dice it shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from domain.audit.boards import replay_board
from domain.audit.rulings import ReplayResult
from domain.audit.tournaments import TournamentRuling
from domain.fairness.audit import audit_lines
from domain.fairness.beacons import Chains
from domain.fairness.records import RecordLine
from domain.fairness.shared import BOARD, SharedDeal, shared_deal
from domain.log import canonical
from domain.log.policies import Policy
from domain.tournaments.matches import match_outcome, rules_digest
from infra.keys import ed25519_verify

FAULT = "FAULT"
JOINED = "seat.joined"
KEYS = frozenset([JOINED, "seat.keyed"])
"""The lines that say which key a seat has."""


class MatchResult(Struct, frozen=True):
    """What a tournament has on record of a match, in a line of it, from 1.

    Attributes:
        match: Which match, read up to `version` with `head`.
        seats: Who was paired, by number, in seat order.
        ranking: Who came where, `absent` not at all.
        units: What each had left, or went out in (`domain.match.ranking.units_of`).
        players: Whom the match has to have in its seats, in order.
        rules: A hash of the rules object it has to have (`domain.tournaments.matches.rules_digest`).
        keys: Of each seat, the keys that it may have there; none where its entrant has none.
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
    keys: tuple[tuple[str, ...], ...]


class BoardRecord(Struct, frozen=True):
    """What the record of a board says of it.

    Attributes:
        id: The board.
        rules: A hash of its rules object (`domain.tournaments.matches.rules_digest`).
        players: Who has drawn, in the order of their seats.
    """

    id: str
    rules: str
    players: tuple[str, ...]


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
        keys: Of each seat, in order, every key that it was given there.
    """

    version: int
    players: tuple[str, ...]
    ranking: tuple[tuple[int, ...], ...]
    absent: tuple[int, ...]
    units: tuple[tuple[int, int], ...]
    rules: str
    ended: bool
    keys: tuple[tuple[str, ...], ...]


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
                has.players, has.rules, has.keys,
            )
        )  # fmt: skip
    return tuple(found)


def boards_of(ruling: TournamentRuling) -> tuple[WantedBoard, ...]:
    """Return what the records of boards have to say."""
    return tuple(
        WantedBoard(line, BoardRecord(board.id, board.rules, board.players)) for line, board in ruling.boards.items()
    )


def table_of(
    lines: Sequence[RecordLine], ruling: ReplayResult, keyed: Mapping[str, Any] | UnsetType
) -> TableRecord | UnsetType:
    """Return what a match at a table of a tournament says to its result.

    Args:
        lines: The lines of the match.
        ruling: What layer 3 found.
        keyed: What is proved of its seats that have or had a key, by their numbers.
    """
    match = ruling.match
    if match is None or match.settings.event is None:
        return UNSET
    joined = {line.data["seat"]: line.data["player"] for line in lines if line.kind == JOINED}
    came = match_outcome(match, tuple(sorted(joined)))
    return TableRecord(
        version=len(lines),
        players=tuple(joined[seat] for seat in sorted(joined)),
        ranking=came.ranking,
        absent=came.absent,
        units=came.units,
        rules=rules_digest(lines[0].data["rules"]),
        ended=match.ended,
        keys=tuple(
            seat_keys(lines, seat, {} if keyed is UNSET else keyed.get(str(seat), {})) for seat in sorted(joined)
        ),
    )


def seat_keys(lines: Sequence[RecordLine], seat: int, proved: Mapping[str, Any]) -> tuple[str, ...]:
    """Return every key that a seat was given: as somebody sat down, and by a host where that came to hold.

    A key that the seat itself changed to is not among them: whoever had the key before has signed that.
    """
    said = [line for line in lines if line.kind in KEYS and line.data["seat"] == seat and "key" in line.data]
    given = [each for each in said if each.kind == JOINED or each.number - 1 in proved["recovered"]]
    return tuple(each.data["key"] for each in given)


# ---- boards ----------------------------------------------------------------------------------------


def board_record(lines: Sequence[RecordLine]) -> BoardRecord:
    """Return what a record says of its board, in which no layer has found a fault."""
    players = tuple(line.data["player"] for line in lines if line.kind == JOINED)
    return BoardRecord(lines[0].data["board"], rules_digest(lines[0].data["rules"]), players)


def board_named_in(record: bytes) -> str | None:
    """Return the board whose dice a match shares, by its first line, which nobody has judged yet; None if it has own.

    The name is that of a UUID, so that it may be looked for as a file.
    """
    try:
        rules = canonical.decode(record.partition(b"\n")[0])["data"]["rules"]
        board = rules["board"]["id"]
    except (canonical.NotCanonical, KeyError, TypeError):
        return None
    return board if isinstance(board, str) and set(board) <= set("0123456789abcdef-") else None


def shares_dice(lines: Sequence[RecordLine]) -> bool:
    """Report whether the rules of a match name a board."""
    return isinstance(lines[0].data["rules"].get("board"), dict)


def shared_of(record: bytes, board: bytes | None, policy: Policy | None, chains: Chains) -> SharedDeal | None:
    """Return what the record of its board says to a match; None where it has none, or where that record is at fault."""
    named = board_named_in(record)
    if named is None or board is None:
        return None
    audited = audit_lines(board, policy, ed25519_verify, chains=chains)
    if audited.report.status == FAULT or audited.lines[0].kind != BOARD or audited.lines[0].data["board"] != named:
        return None
    return None if replay_board(audited.lines).line is not None else shared_deal(audited)
