"""The store of a monitor: one SQLite file in a folder of its own, and the notes that prove a second history.

Two things are kept apart: the checkpoint seen last, which continues all that were seen before, and how far its entries
were read. Entries are noted some bundles at a time, each time together with the head they lead to, so that whoever is
stopped goes on from there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from domain.log.checkpoints import Checkpoint
from domain.log.monitoring import Anchor
from domain.log.witnessing import NOTHING, Head
from infra.files.whole import write_whole

NOTEBOOK: Final = "monitor.db"
PROOFS_MAX: Final = 10
"""Second histories that are kept; one is enough."""
_SCHEMA: Final = """
create table if not exists seen (
  one integer primary key check (one = 1), origin text not null, size integer not null, root blob not null,
  note text not null
);
create table if not exists read_to (
  one integer primary key check (one = 1), size integer not null, root blob not null
);
create table if not exists anchor (
  number integer primary key, stream text not null, seq integer not null, head text not null, kind text not null,
  again integer, unique (stream, seq, head, kind)
);
create table if not exists repeated (number integer primary key, first integer not null);
create index if not exists anchor_again on anchor (again) where again is not null;
create index if not exists anchor_final on anchor (stream, seq) where kind = 'final';
create index if not exists anchor_sealed on anchor (stream, seq) where kind = 'sealed';
create table if not exists doubled (stream text not null, seq integer not null, primary key (stream, seq));
create table if not exists outlived (stream text primary key);
create table if not exists unended (stream text primary key, since integer not null);
create index if not exists unended_since on unended (since);
create table if not exists compared (stream text primary key, at integer not null);
create index if not exists compared_at on compared (at, stream);
create table if not exists counting (stream text primary key, since integer not null, counted integer not null);
"""
# Each new row costs a few searches in an index, however often an entry comes or a line is spoken of.
_ADD: Final = """
insert into anchor (number, stream, seq, head, kind) values (?, ?, ?, ?, ?)
on conflict (stream, seq, head, kind) do update set again = excluded.number
"""
_REPEATED: Final = """
insert or ignore into repeated
select ?, number from anchor where stream = ? and seq = ? and head = ? and kind = ? and number <> ?
"""
_DOUBLED: Final = """
insert or ignore into doubled select stream, seq from anchor new where number >= ? and (
  exists (select 1 from anchor o where o.stream = new.stream and o.seq = new.seq and o.head < new.head)
  or exists (select 1 from anchor o where o.stream = new.stream and o.seq = new.seq and o.head > new.head))
"""
_OUTLIVED: Final = """
insert or ignore into outlived select stream from anchor new where number >= ? and (
  exists (select 1 from anchor o indexed by anchor_final
    where o.stream = new.stream and o.kind = 'final' and o.seq < new.seq)
  or kind = 'final' and exists (select 1 from anchor o where o.stream = new.stream and o.seq > new.seq))
"""
_BEGUN: Final = """
insert or ignore into unended select stream, ? from anchor new where number >= ? and kind = 'sealed'
and not exists (select 1 from anchor o indexed by anchor_final
  where o.stream = new.stream and o.kind = 'final' and o.seq > new.seq)
"""
_ENDED: Final = """
delete from unended where stream in (select stream from anchor where number >= ? and kind = 'final')
and (select max(seq) from anchor o indexed by anchor_final where o.stream = unended.stream and o.kind = 'final')
  > (select max(seq) from anchor o indexed by anchor_sealed where o.stream = unended.stream and o.kind = 'sealed')
"""


class MonitorStore:
    """What was seen of one log."""

    def __init__(self, folder: Path) -> None:
        """Open the notebook in this folder, and make both the first time.

        Raises:
            OSError: The folder cannot be made.
            sqlite3.Error: The file cannot be opened, or is none of ours.
        """
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder
        self._db = sqlite3.connect(folder / NOTEBOOK, isolation_level=None)
        try:
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = full")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error:
            self._db.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Keep all of what is written in here, or nothing. A crash keeps nothing."""
        self._db.execute("begin immediate")
        try:
            yield
            self._db.execute("commit")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("rollback")
            raise

    def head(self) -> Head:
        """Return the head of the entries that were read; they are the first of those of the checkpoint seen last."""
        found = self._db.execute("select size, root from read_to").fetchone()
        return NOTHING if found is None else Head(*found)

    def last_head(self) -> Head:
        """Return the head of the checkpoint seen last."""
        found = self._db.execute("select size, root from seen").fetchone()
        return NOTHING if found is None else Head(*found)

    def note(self) -> str | None:
        """Return the checkpoint seen last."""
        found = self._db.execute("select note from seen").fetchone()
        return None if found is None else str(found[0])

    def origin(self) -> str | None:
        """Return which log this is about; None before the first look."""
        found = self._db.execute("select origin from seen").fetchone()
        return None if found is None else str(found[0])

    def accept(self, checkpoint: Checkpoint) -> None:
        """Note a checkpoint as the one seen last."""
        row = (checkpoint.origin, checkpoint.size, checkpoint.root, str(checkpoint.note))
        self._db.execute("insert or replace into seen values (1, ?, ?, ?, ?)", row)

    def add(self, anchors: Sequence[Anchor], head: Head, at: int) -> None:
        """Note what the next entries say, and the head they lead to: both, or nothing.

        Args:
            anchors: What the entries from the end of those that were read say.
            head: The head with them.
            at: When they were seen, in Unix milliseconds.
        """
        first = head.size - len(anchors)
        with self._whole():
            rows = [(first + n, one.stream, one.seq, one.head, one.kind) for n, one in enumerate(anchors)]
            self._db.executemany(_ADD, rows)
            # All of them make the tree again, by which others believe what stands here.
            self._db.executemany(_REPEATED, ((*row, row[0]) for row in rows))
            self._db.execute(_DOUBLED, (first,))
            self._db.execute(_OUTLIVED, (first,))
            self._db.execute(_BEGUN, (at, first))
            self._db.execute(_ENDED, (first,))
            self._db.execute("insert or ignore into compared select stream, 0 from anchor where number >= ?", (first,))
            self._db.execute("insert or replace into read_to values (1, ?, ?)", (head.size, head.root))

    def repeated_entries(self, most: int) -> list[tuple[int, int]]:
        """Return the entries that came again: the index of the first, and of the last that is the same."""
        asked = "select number, again from anchor where again is not null limit ?"
        return self._db.execute(asked, (most,)).fetchall()

    def streams_after_end(self, most: int) -> list[str]:
        """Return the streams of which the log speaks of a line after one that it calls the last."""
        return [stream for (stream,) in self._db.execute("select stream from outlived limit ?", (most,))]

    def two_heads(self, most: int) -> list[tuple[str, int]]:
        """Return the lines, as stream and number, for which the log has more than one head."""
        return self._db.execute("select stream, seq from doubled limit ?", (most,)).fetchall()

    def unfinished_streams(self, before: int, most: int) -> list[tuple[str, int]]:
        """Return the streams that had a deal sealed before this time and have no end, and since when."""
        asked = "select stream, since from unended where since < ? order by since limit ?"
        return self._db.execute(asked, (before, most)).fetchall()

    def due(self, most: int | None) -> list[str]:
        """Return the streams that have not been compared for the longest time; None for all."""
        asked = "select stream from compared order by at, stream limit ?"
        return [stream for (stream,) in self._db.execute(asked, (-1 if most is None else most,))]

    def anchors(self, stream: str) -> list[Anchor]:
        """Return what the log says of a stream, by the number of the line."""
        asked = "select stream, seq, head, kind from anchor where stream = ? order by seq"
        return [Anchor(*row) for row in self._db.execute(asked, (stream,))]

    def note_comparison(self, streams: Iterable[str], at: int) -> None:
        """Note when streams were compared."""
        rows = ((stream, at) for stream in streams)
        with self._whole():
            self._db.executemany("insert or replace into compared values (?, ?)", rows)

    def counting(self, stream: str) -> tuple[bool, int | None]:
        """Return whether a match was in the statistics, and when it was first held against them; None for never."""
        found = self._db.execute("select counted, since from counting where stream = ?", (stream,)).fetchone()
        return (False, None) if found is None else (bool(found[0]), int(found[1]))

    def note_counting(self, stream: str, since: int, *, counted: bool) -> None:
        """Note whether a match was in the statistics, and when it was first held against them."""
        self._db.execute("insert or replace into counting values (?, ?, ?)", (stream, since, int(counted)))

    def keep_proof(self, shown: Checkpoint) -> str | None:
        """Keep a checkpoint that contradicts the one seen last beside it; return the name both begin with.

        Both are signed by the log: together they prove what it did, to anybody.
        """
        name = f"proof-{shown.size}-{shown.root.hex()[:16]}"
        if not (self._folder / f"{name}.shown").exists():
            if len(list(self._folder.glob("proof-*.shown"))) >= PROOFS_MAX:
                return None
            write_whole(self._folder / f"{name}.seen", (self.note() or "").encode())
            write_whole(self._folder / f"{name}.shown", str(shown.note).encode())
        return name
