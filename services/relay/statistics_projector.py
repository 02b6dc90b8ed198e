"""Keeps what all dice came to: a sheet a match, and a total a shard, in the store itself.

The law of the file: the total of a shard is what its lines up to a position come to, and is stored under that position
together with the sheets, in one transaction. So a match counts once, whoever is killed: whoever begins, begins where a
stored total ends; and of two who write, both write the same, or the one who has come further stays. Without rows it
begins with the first line, so deleting them makes everything anew.

A match that cannot be read here stays in the total as far as it was counted, and the total says of it up to which
version that is: `apart`, in the very row, so that whoever begins with a total knows what is missing in it. Who can read
the match counts the rest when it starts, and who could not for a reason that may pass does so a while later. That may
be further than the position of the total, and then the total says that, too, until the position has come as far.

Streams that are no match's are passed over: lots of tournaments are no dice.

Private tables are in no sheet and in no total: their dice are their own people's, who have the record. A table is
private from before its first line on and for ever, so that what a total comes to depends on nothing else.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

import msgspec
from msgspec import Struct, field

from domain.ids import UnixMs, Version
from domain.log import canonical
from domain.match.record import PREFIX, is_known, is_match
from domain.statistics.tallies import DiceTally, TallyBuilder, total_after_moves
from infra.store import SHARDS, EventStore, ProjectionRow, Recorded
from projections.sheets import NAME, ROWS, SHEETS, TOTALS, Sheet, Sums, sums_of, tally_of
from services.matches.reads.cards import CardCache
from services.work.failures import Stuck, Unreadable, due_in
from services.work.slices import Pace

MATCHES_MAX: Final = 64
"""Matches of a shard kept in memory, some tens of kilobytes each; the rest are read again from the log."""
_END: Final = b'"type":"match.ended","v":1}'


class Total(Sums, frozen=True, omit_defaults=True):
    """What the dice of a shard came to, up to the position it is stored under.

    Attributes:
        apart: The streams that are counted up to another version than the one they had there, with that version.
    """

    apart: dict[str, int] = {}


class _Kept(Struct):
    """A match in memory: as far as it was counted, its last line so far, and what that came to."""

    stream: str
    counting: TallyBuilder = field(default_factory=TallyBuilder)
    tally: DiceTally = DiceTally()
    version: Version = 0
    last: bytes = b""


class _Shard(Struct):
    """What is counted of a shard.

    Attributes:
        tally: Its total.
        apart: As in the stored total.
        ahead: The streams that are counted further than the position, with the position that has come as far.
        kept: Matches in memory.
    """

    tally: DiceTally = DiceTally()
    apart: dict[str, int] = field(default_factory=dict)
    ahead: dict[str, int] = field(default_factory=dict)
    kept: OrderedDict[str, _Kept] = field(default_factory=OrderedDict)

    def keep(self, kept: _Kept) -> None:
        """Keep a match in memory, unless it is over."""
        if kept.last.endswith(_END):
            return
        self.kept[kept.stream] = kept
        if len(self.kept) > MATCHES_MAX:
            self.kept.popitem(last=False)


class StatisticsProjector:
    """Counts the dice of each match that moves, a shard every other second at most: each time is a commit."""

    name = NAME
    page = 1_024
    pause_s = 2.0

    def __init__(
        self,
        store: EventStore,
        pace: Pace | None = None,
        stuck: Stuck | None = None,
        cards: CardCache | None = None,
    ) -> None:
        """Read the log of this store at this pace, and write the rows into it; `cards` say which tables are private."""
        self._store = store
        self._cards = cards or CardCache(store)
        self._pace = pace or Pace()
        self._stuck = stuck or Stuck()
        self._shards: dict[int, _Shard] = {}
        self._again: defaultdict[int, dict[str, UnixMs]] = defaultdict(dict)

    async def start(self, shard: int) -> int:
        """Return the position of the stored total. What it lacks is counted first, as far as it can be read now.

        A crash before that is saved leaves it to be done again.
        """
        rows = {row.key: row for row in await self._store.projection(ROWS, TOTALS, SHARDS)}
        row = rows.get(str(shard))
        known = self._shards[shard] = _Shard()
        if row is None:
            return 0
        total = msgspec.json.decode(row.doc, type=Total)
        known.tally, known.apart = tally_of(total), total.apart
        # Who could not read it before cannot read it now, or tries again when that is due.
        fresh = [stream for stream in sorted(known.apart) if not self._stuck.is_stuck(NAME, stream)]
        await self._count_rests(shard, row.version, fresh)
        return row.version

    async def try_again(self, shard: int, position: int) -> None:
        """Count what the total lacks of matches that could not be counted, where that is due."""
        due = due_in(self._again[shard])
        for stream in [stream for stream in due if stream not in self._shards[shard].apart]:
            # Others have counted it, and the total begins behind that.
            self._stuck.clear(NAME, stream)
            del self._again[shard][stream]
        await self._count_rests(shard, position, [stream for stream in due if stream in self._again[shard]])

    async def _count_rests(self, shard: int, position: int, streams: Sequence[str]) -> None:
        """Count what the total of a shard, which has come to a position, lacks of these matches."""
        known, again = self._shards[shard], self._again[shard]
        rest = list[_Kept]()
        for stream in streams:
            with self._stuck.contain_failures(NAME, stream) as contained:
                rest.append(await self._count_rest(known, stream))
            if contained.failed:
                again.pop(stream, None)
                contained.put_back(again, stream)
        if rest:
            # Asked when all were read, so that no line that was counted stands behind it.
            end = (await self._store.positions())[shard]
            known.ahead |= {kept.stream: end for kept in rest}
            await self._save(shard, position, rest)
        for kept in rest:
            again.pop(kept.stream, None)

    async def _count_rest(self, known: _Shard, stream: str) -> _Kept:
        """Count what the total lacks of a match."""
        kept = await self._read(_Kept(stream), known.apart[stream])
        before = kept.tally
        await self._read(kept, None)
        known.tally = total_after_moves(known.tally, [(before, kept.tally)])
        known.apart[stream] = kept.version
        return kept

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Count these lines.

        A crash before the rows are saved leaves them all to be made again: memory is dropped by `start`.
        """
        known, position = self._shards[shard], page[-1].position
        changes, counted = [], []
        for stream, group in groupby(sorted(page, key=_stream), key=_stream):
            lines = list(group)
            if not is_match(stream) or not (await self._cards.of_stream(stream)).listed:
                continue
            version = known.apart.get(stream, lines[0].seq)
            fresh = [line.line for line in lines if line.seq >= version]
            found = await self._count_lines(shard, stream, version, fresh) if fresh else None
            if found is not None:
                before, kept = found
                changes.append((before, kept.tally))
                counted.append(kept)
        known.tally = total_after_moves(known.tally, changes)
        await self._save(shard, position, counted)
        return position

    async def _count_lines(
        self, shard: int, stream: str, version: Version, fresh: Sequence[bytes]
    ) -> tuple[DiceTally, _Kept] | None:
        """Count these lines of a match that is counted up to a version; return what it came to before, and the match.

        Where they cannot be counted the match stays in the total as it is there, which says so from now on.
        """
        known = self._shards[shard]
        if not self._stuck.is_stuck(NAME, stream):
            with self._stuck.contain_failures(NAME, stream) as contained:
                kept = known.kept.pop(stream, None) or await self._read(_Kept(stream), version)
                assert kept.version == version, "lines come in order, each once"
                before = kept.tally
                await self._count(kept, fresh)
                if stream in known.apart:
                    known.apart[stream] = kept.version
                known.keep(kept)
                return before, kept
            contained.put_back(self._again[shard], stream)
        known.apart.setdefault(stream, version)
        known.ahead.pop(stream, None)
        return None

    async def _read(self, kept: _Kept, version: Version | None) -> _Kept:
        """Count a match on from where it is counted up to this version, or to its last line for None."""
        while kept.version != version:
            most = self.page if version is None else min(self.page, version - kept.version)
            lines = await self._store.read(kept.stream, kept.version, most)
            if not lines:
                break
            await self._count(kept, lines)
        return kept

    async def _count(self, kept: _Kept, lines: Sequence[bytes]) -> None:
        """Count the next lines of a match, at least one, in slices of the event loop.

        Raises:
            Unreadable: This program does not know what one of them says; what was counted is of no use then.
        """
        if any(await self._pace.collect(_take_lines(kept, lines))):
            kept.tally = kept.counting.tally
        kept.version += len(lines)
        kept.last = lines[-1]

    async def _save(self, shard: int, position: int, counted: Sequence[_Kept]) -> None:
        """Save the total with the sheets of the matches that have just been counted, in one transaction."""
        known = self._shards[shard]
        for stream in [stream for stream, end in known.ahead.items() if end <= position]:
            del known.ahead[stream], known.apart[stream]
        sums = sums_of(known.tally)
        total = Total(sums.matches, sums.deals, sums.rows, sums.shown, sums.dealt, known.apart)
        rows = [
            sheet_row(kept.stream, kept.version, kept.last, kept.counting)
            for kept in counted
            if kept.tally != DiceTally()
        ]
        rows.append(ProjectionRow(str(shard), position, msgspec.json.encode(total), TOTALS))
        await self._store.save_projection(ROWS, shard, position, rows)


def _take_lines(kept: _Kept, lines: Iterable[bytes]) -> Iterator[bool]:
    """Take in the next lines of a match, and yield whether they say anything of dice, a step at a time."""
    for line in lines:
        if not is_known(line):
            raise Unreadable(kept.stream, line)
        try:
            yield from kept.counting.steps(line)
        except Exception as fault:
            raise Unreadable(kept.stream, line) from fault


def _stream(line: Recorded) -> str:
    return line.stream


def sheet_row(stream: str, version: Version, last: bytes, counting: TallyBuilder) -> ProjectionRow:
    """Return the row of a match that is counted up to this version, of which this is the last line."""
    players = {str(seat): player for seat, player in sorted(counting.players.items())}
    match = stream.removeprefix(PREFIX)
    sheet = Sheet(match, version, canonical.head(last), players, sums_of(counting.tally))
    return ProjectionRow(match, version, msgspec.json.encode(sheet), SHEETS, canonical.decode(last)["at"])
