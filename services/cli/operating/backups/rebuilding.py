"""Rows of lists and counts, made again from lines and held against those that are stored.

A stream at a time: the row of a match in the lobby and its sheet of dice, the rows of a tournament in both lists. Each
says how many lines it shows, and is made again from as many. Of a shard only the sum of its sheets is kept meanwhile.

Names are passed over, of people, tables and tournaments: no line says them, and one that was erased is gone from rows.
So is what a row of an older program lacks, and any row of a stream that this program cannot read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from domain.match.record import MatchAtHead, is_known, is_match
from domain.statistics.tallies import DiceTally, TallyBuilder, total_after_moves
from domain.tournaments.record import TournamentAtHead, is_tournament, step
from infra.store import Card, ProjectionRow
from infra.store.backups.snapshot import Snapshot, StoredStream
from projections.lobby import row_of, shelf_of
from projections.sheets import ROWS as DICE
from projections.sheets import sums_of
from projections.tournaments.overview import tournament_row
from projections.view import view_of
from services.matches.watching.listing import PLAYERS, encode_row
from services.relay.lobby_projector import LobbyProjector
from services.relay.statistics_projector import Total, sheet_row
from services.tournaments.reads import ROWS as LIST
from services.tournaments.reads import ROWS_OF_GAMES, shelf_of_game
from services.work.failures import Unreadable, fold, reading

LOBBY: Final = LobbyProjector.name
REBUILT: Final = (LOBBY, DICE, LIST, ROWS_OF_GAMES)
NAMED: Final = frozenset({"name", "title"})
"""Members that hold names."""
CALLED: Final = {LOBBY: "the lobby", DICE: "the count of dice", LIST: "the list of tournaments"}


class ShardRows(Struct):
    """What is stored of a shard as a whole, and what is summed up of it meanwhile.

    Attributes:
        seen: How far each projection has come.
        left_out: The streams that the lists do not show, since whoever made them could not read them.
        total: The total of its dice, as it is stored; None where there is none.
        position: Up to which position that is.
        tally: What its sheets have come to so far.
        whole: Whether all of its matches could be read.
    """

    seen: dict[str, int]
    left_out: frozenset[str] = frozenset()
    total: Total | None = None
    position: int = 0
    tally: DiceTally = field(default_factory=DiceTally)
    whole: bool = True


class Rebuilding:
    """The rows of a database, held against its lines.

    Attributes:
        rows: How many were made again and looked at.
        unread: How many streams this program cannot read, whose rows were passed over.
    """

    def __init__(self, snapshot: Snapshot, add_fault: Callable[[str], None], add_stale: Callable[[str], None]) -> None:
        """Read the rows of this state of a database, and tell what is wrong with them.

        Rows that differ from what their lines come to are stale. Those that show more lines than there are, or of
        streams that are not there, are a fault: they may be all that is left of what was lost.
        """
        self.rows = self.unread = 0
        self._snapshot, self._add_fault, self._add_stale = snapshot, add_fault, add_stale
        self._passed = 0
        self._shards: dict[int, ShardRows] = {}

    async def _of_shard(self, shard: int) -> ShardRows:
        if shard not in self._shards:
            known = self._shards[shard] = ShardRows(await self._snapshot.cursors(shard))
            for row in await self._snapshot.rows((LOBBY, LIST), f"shard/{shard}"):
                known.left_out |= frozenset(msgspec.json.decode(row[1].doc, type=list[str]))
                self._passed += 1
            for row in await self._snapshot.rows((DICE,), str(shard)):
                known.total, known.position = msgspec.json.decode(row[1].doc, type=Total), row[1].version
                self._passed += 1
        return self._shards[shard]

    async def look(self, shard: int, stream: StoredStream) -> None:
        """Make the rows of a stream again. Cost: the fold of its lines, and two HMACs for each die it rolled."""
        known = await self._of_shard(shard)
        names = (LOBBY, DICE) if is_match(stream.name) else (LIST, ROWS_OF_GAMES) if is_tournament(stream.name) else ()
        if not names:
            return
        rows = await self._snapshot.rows(names, stream.name.partition("/")[2])
        self.rows += len(rows)
        stored = {name: row for name, row in rows if self._has_lines_of(stream, name, row)}
        card = await self._snapshot.card(stream.name) or Card()
        look = self._look_at_match if is_match(stream.name) else self._look_at_tournament
        try:
            with reading(stream.name):
                look(stream, card, stored, known)
        except Unreadable:
            known.whole = False
            self.unread += 1

    async def finish(self) -> None:
        """Hold the totals of the shards against the sum of their sheets, and look for rows of what is not there."""
        for shard, known in self._shards.items():
            if known.total is None or not known.whole:
                continue
            sums = sums_of(known.tally)
            made = Total(sums.matches, sums.deals, sums.rows, sums.shown, sums.dealt, known.total.apart)
            for member in _differing(msgspec.to_builtins(known.total), msgspec.to_builtins(made)):
                self._add_stale(f"the total of the dice of shard {shard} has other {member} than its lines come to")
        strays = await self._snapshot.row_count(REBUILT) - self.rows - self._passed
        if strays:
            self._add_fault(f"there are {strays} rows of lists and counts of no stream")

    # ---- matches ------------------------------------------------------------------------------------

    def _look_at_match(
        self, stream: StoredStream, card: Card, stored: Mapping[str, ProjectionRow], known: ShardRows
    ) -> None:
        row, seen = stored.get(LOBBY), _lines_seen(stream, known.seen.get(LOBBY, 0))
        if row is None and seen and stream.name not in known.left_out:
            _after(stream, seen)  # if it can be read
            self._add_stale(f"the lobby has no row of {stream.name}")
        if row is not None:
            written = _after(stream, row.version)
            made = row_of(view_of(written, None, None, {}), None, card.choices.delay_ms, written.match.deals_drawn)
            shelf = shelf_of(made, listed=card.listed)
            again = ProjectionRow(made.match, made.version, encode_row(made, written.match), shelf, made.at)
            self._compare(stream.name, LOBBY, row, again)
            # Of a match with the dice of a board a round is kept back until it is over at all tables.
            if row.version < seen and written.match.settings.board is None and stream.name not in known.left_out:
                self._add_stale(f"the lobby shows {row.version} lines of {stream.name}, and has seen {seen}")
        if known.total is not None:
            self._look_at_dice(stream, card, stored.get(DICE), known)

    def _look_at_dice(self, stream: StoredStream, card: Card, row: ProjectionRow | None, known: ShardRows) -> None:
        """Count the dice of a match again: those of private tables are in no sheet and no total."""
        assert known.total is not None, "there is one"
        counted = known.total.apart.get(stream.name, _lines_seen(stream, known.position)) if card.listed else 0
        counting = _counted(stream.name, stream.lines[:counted])
        known.tally = total_after_moves(known.tally, [(DiceTally(), counting.tally)])
        if row is None:
            if counting.tally != DiceTally():
                self._add_stale(f"the count of dice has no sheet of {stream.name}")
            return
        if row.version != counted:
            self._add_stale(f"the sheet of {stream.name} is of {row.version} lines, and its total of {counted}")
            counting = _counted(stream.name, stream.lines[: row.version])
        self._compare(
            stream.name, DICE, row, sheet_row(stream.name, row.version, stream.lines[row.version - 1], counting)
        )

    # ---- tournaments --------------------------------------------------------------------------------

    def _look_at_tournament(
        self, stream: StoredStream, card: Card, stored: Mapping[str, ProjectionRow], known: ShardRows
    ) -> None:
        is_left_out = stream.name in known.left_out
        for name in (LIST, ROWS_OF_GAMES):
            row, seen = stored.get(name), _lines_seen(stream, known.seen.get(name, 0))
            if row is None:
                if seen and card.listed and not is_left_out:
                    self._add_stale(f"{CALLED[LIST]} has no row of {stream.name}")
                continue
            written: TournamentAtHead | None = None
            for line in stream.lines[: row.version]:
                written, _ = step(written, line)
            assert written is not None, "a row shows a line"
            made = tournament_row(written.tournament, None)
            shelf = made.state if name == LIST else shelf_of_game(made.state, written.tournament.rules.match["game"])
            self._compare(
                stream.name,
                name,
                row,
                ProjectionRow(made.tournament, made.version, msgspec.json.encode(made), shelf, made.at),
            )
            if row.version < seen and not is_left_out:
                self._add_stale(f"{CALLED[LIST]} shows {row.version} lines of {stream.name}, and has seen {seen}")

    # ---- all of them --------------------------------------------------------------------------------

    def _has_lines_of(self, stream: StoredStream, name: str, row: ProjectionRow) -> bool:
        """Report whether there are as many lines of a stream as a row says that it shows."""
        if 0 < row.version <= len(stream.lines):
            return True
        where = CALLED.get(name, CALLED[LIST])
        self._add_fault(f"{where} shows {row.version} lines of {stream.name}, which has {len(stream.lines)}")
        return False

    def _compare(self, stream: str, name: str, row: ProjectionRow, made: ProjectionRow) -> None:
        where = CALLED.get(name, CALLED[LIST])
        found = [member for member in ("shelf", "at") if getattr(row, member) != getattr(made, member)]
        try:
            told = msgspec.json.decode(row.doc, type=dict[str, Any])
        except msgspec.DecodeError:
            self._add_stale(f"{where} has a row of {stream} that is none")
            return
        found += _differing(told, msgspec.json.decode(made.doc))
        if found:
            self._add_stale(f"{where} has another row of {stream} than its lines come to: {', '.join(found)}")


def _lines_seen(stream: StoredStream, position: int) -> int:
    """Return how many lines of a stream are at this position of its shard or before it."""
    return sum(place <= position for place in stream.positions)


def _after(stream: StoredStream, version: int) -> MatchAtHead:
    """Return a match after so many lines."""
    written: MatchAtHead | None = None
    for after, _ in fold(stream.name, stream.lines[:version]):
        written = after
    assert written is not None, "it has a line"
    return written


def _counted(stream: str, lines: Iterable[bytes]) -> TallyBuilder:
    """Return what these lines say of dice."""
    counting = TallyBuilder()
    for line in lines:
        if not is_known(line):
            raise Unreadable(stream, line)
        counting.step(line)
    return counting


def _differing(stored: Mapping[str, Any], made: Mapping[str, Any]) -> list[str]:
    """Return the members of a stored row that are others in the one that was made, names left out."""
    return [member for member, value in stored.items() if not _is_same(member, value, made.get(member))]


def _is_same(member: str, value: Any, made: Any) -> bool:  # noqa: ANN401 - whatever a row holds
    if member == PLAYERS and isinstance(value, dict) and isinstance(made, dict):
        # Who erases a name adds its id to a row that has none yet.
        return value.items() <= made.items()
    return bool(_unnamed(member, value) == _unnamed(member, made))


def _unnamed(member: str, value: Any) -> Any:  # noqa: ANN401 - whatever a row holds
    """Return a member of a row without the names in it."""
    if member in NAMED:
        return None
    if member == "seats" and isinstance(value, list):
        return [{key: each for key, each in seat.items() if key not in NAMED} for seat in value]
    return value
