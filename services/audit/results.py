"""Results of a tournament held against the records of their matches: what one says the other has to say as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from services.audit.findings import chance_of
from services.audit.tables import BoardRecord, MatchResult, TableRecord, WantedBoard
from services.audit.verdict import Verdict

What = Literal["head", "rules", "players", "ranking", "units", "board", "key"]
"""What of a match, or of a board, is not what the tournament says of it."""


class HeldMatch(Struct, frozen=True):
    """What is kept of the verdict on a match: the hash of its last line, and what it says to a result.

    Attributes:
        chance: Who had a say in its dice, as `chance_of` has it; None where they are those of a board.
    """

    head: str
    table: TableRecord | None
    chance: str | None = None


class TableSeeds(Struct, frozen=True):
    """Whose seeds were in the dice of the tables whose results were held against their matches, by how many tables.

    Attributes:
        own: Somebody who sat there gave a seed to every deal.
        part: To some deals, and not to others.
        beacon: Where the house alone drew seeds, a public beacon spoke last.
        house: Nobody but the house gave a seed.
    """

    own: int = 0
    part: int = 0
    beacon: int = 0
    house: int = 0


class UnsignedSeat(Struct, frozen=True):
    """A seat without a key, of an entrant who has one: the line of the tournament, from 1, the match, the entrant."""

    line: int
    match: str
    number: int


class TableKeys(Struct, frozen=True):
    """How seats of entrants with keys were played, of the results that are what their matches say.

    Attributes:
        own: How many had the entrant's own key.
        without: Those that had none, so that what they are said to have done is the server's word.
    """

    own: int = 0
    without: tuple[UnsignedSeat, ...] = ()


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
        seeds: Whose seeds were in the dice of those that are what their matches say.
        keys: Whether seats of entrants with keys had these.
    """

    checked: int
    differences: tuple[ResultDifference, ...]
    unchecked: tuple[str, ...]
    seeds: TableSeeds = TableSeeds()
    keys: TableKeys = TableKeys()


def held_match(verdict: Verdict) -> HeldMatch | None:
    """Return what to keep of a match; None if its record is not whole, or has a fault, which its own verdict tells."""
    if verdict.record != "OK" or verdict.head is UNSET:
        return None
    table = None if isinstance(verdict.table, UnsetType) else verdict.table
    return HeldMatch(verdict.head, table, chance_of(verdict) if verdict.shared is UNSET else None)


def hold(
    results: Sequence[MatchResult],
    matches: Mapping[str, HeldMatch],
    wanted: Sequence[WantedBoard] = (),
    boards: Mapping[str, BoardRecord] = {},
) -> HeldResults:
    """Return what the records of matches and boards, by their ids, say to what a tournament says of them."""
    differences: list[ResultDifference] = []
    unchecked: list[str] = []
    chances: list[str | None] = []
    keyed: list[UnsignedSeat | None] = []
    for result in results:
        match = matches.get(result.match)
        if match is None:
            unchecked.append(result.match)
            continue
        what = next(_differing(result, match), None)
        if what is not None:
            differences.append(ResultDifference(result.line, result.match, what))
        else:
            chances.append(match.chance)
            keyed += _keyed_seats(result, match)
    checked = len(results) - len(differences) - len(unchecked)
    for board in wanted:
        found = boards.get(board.board.id)
        if found is None:
            unchecked.append(board.board.id)
        elif found != board.board:
            differences.append(ResultDifference(board.line, board.board.id, "board"))
    counted = Counter(chances)
    seeds = TableSeeds(counted["owned"], counted["owned in part"], counted["beacon"], counted["alone"])
    keys = TableKeys(keyed.count(None), tuple(each for each in keyed if each is not None))
    return HeldResults(checked, tuple(differences), tuple(unchecked), seeds, keys)


def _keyed_seats(result: MatchResult, match: HeldMatch) -> Iterator[UnsignedSeat | None]:
    """Yield of each entrant with a key who was there None, or that the seat had no key."""
    assert match.table is not None, "it is of this table"
    for number, wanted, had in zip(result.seats, result.keys, match.table.keys, strict=True):
        if wanted and number not in result.absent:
            yield None if had else UnsignedSeat(result.line, result.match, number)


def _differing(result: MatchResult, match: HeldMatch) -> Iterator[What]:
    """Yield what of a match is not as its tournament has it, what it is about before what came of it."""
    table = match.table
    # A match at no table of a tournament is played by other rules than any at one.
    if table is None or table.rules != result.rules:
        yield "rules"
        return
    if table.players != result.players:
        yield "players"
    elif any(wanted and not set(had) <= set(wanted) for wanted, had in zip(result.keys, table.keys, strict=True)):
        yield "key"
    if (match.head, table.version, table.ended) != (result.head, result.version, True):
        yield "head"
    if (_numbers(result, *table.ranking), _numbers(result, table.absent)) != (result.ranking, (result.absent,)):
        yield "ranking"
    if tuple((result.seats[seat - 1], units) for seat, units in table.units) != result.units:
        yield "units"


def _numbers(result: MatchResult, *levels: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of entrants in these seats."""
    return tuple(tuple(result.seats[seat - 1] for seat in level) for level in levels)
