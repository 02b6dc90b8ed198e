"""Results of a tournament held against the records of their matches: what one says the other has to say as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from services.audit.tables import BoardRecord, MatchResult, TableRecord, WantedBoard
from services.audit.verdict import Verdict

What = Literal["head", "rules", "players", "ranking", "units", "board"]
"""What of a match, or of a board, is not what the tournament says of it."""


class HeldMatch(Struct, frozen=True):
    """What is kept of the verdict on a match: the hash of its last line, and what it says to a result."""

    head: str
    table: TableRecord | None


class ResultDifference(Struct, frozen=True):
    """A result that is not what the record of its match says: the line of the tournament, from 1, and the match.

    Of a board, it is the line that paired its tables, and the board.
    """

    line: int
    match: str
    what: What


class HeldResults(Struct, frozen=True):
    """What came of holding the results of a tournament against the records of its matches.

    Attributes:
        checked: How many results are what their matches say.
        differences: Those that are not, in the order of their lines.
        unchecked: The matches whose records were not there, or are not whole, in the same order; then the boards.
    """

    checked: int
    differences: tuple[ResultDifference, ...]
    unchecked: tuple[str, ...]


def held_match(verdict: Verdict) -> HeldMatch | None:
    """Return what to keep of a match; None if its record is not whole, or has a fault, which its own verdict tells."""
    if verdict.record != "OK" or verdict.head is UNSET:
        return None
    return HeldMatch(verdict.head, None if isinstance(verdict.table, UnsetType) else verdict.table)


def hold(
    results: Sequence[MatchResult],
    matches: Mapping[str, HeldMatch],
    wanted: Sequence[WantedBoard] = (),
    boards: Mapping[str, BoardRecord] = {},
) -> HeldResults:
    """Return what the records of matches and boards, by their ids, say to what a tournament says of them."""
    differences: list[ResultDifference] = []
    unchecked: list[str] = []
    for result in results:
        match = matches.get(result.match)
        if match is None:
            unchecked.append(result.match)
            continue
        what = next(_differing(result, match), None)
        if what is not None:
            differences.append(ResultDifference(result.line, result.match, what))
    checked = len(results) - len(differences) - len(unchecked)
    for board in wanted:
        found = boards.get(board.board.id)
        if found is None:
            unchecked.append(board.board.id)
        elif found != board.board:
            differences.append(ResultDifference(board.line, board.board.id, "board"))
    return HeldResults(checked, tuple(differences), tuple(unchecked))


def _differing(result: MatchResult, match: HeldMatch) -> Iterator[What]:
    """Yield what of a match is not as its tournament has it, what it is about before what came of it."""
    table = match.table
    # A match at no table of a tournament is played by other rules than any at one.
    if table is None or table.rules != result.rules:
        yield "rules"
        return
    if table.players != result.players:
        yield "players"
    if (match.head, table.version, table.ended) != (result.head, result.version, True):
        yield "head"
    if (_numbers(result, *table.ranking), _numbers(result, table.absent)) != (result.ranking, (result.absent,)):
        yield "ranking"
    if tuple((result.seats[seat - 1], units) for seat, units in table.units) != result.units:
        yield "units"


def _numbers(result: MatchResult, *levels: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of entrants in these seats."""
    return tuple(tuple(result.seats[seat - 1] for seat in level) for level in levels)
