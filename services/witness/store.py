"""The store of a witness: the heads it has signed, in one SQLite file.

A turn is one transaction that no other turn overlaps, in this process or another: what is read in it still holds when
it is written. It is on disk before the turn ends, so whoever was killed in a turn has signed nothing that anybody saw.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

from domain.log.notes import Key, key_of
from domain.log.witnessing import NOTHING, Head

WAIT_S: Final = 5.0
"""How long a turn waits for another process that has the same file."""
_SCHEMA: Final = """
create table if not exists log_key (origin text not null, vkey text not null, primary key (origin, vkey));
create table if not exists head (
  origin text primary key, size integer not null, root blob not null, note text not null
);
create table if not exists fork (
  origin text not null, size integer not null, signed text not null, refused text not null, primary key (origin, size)
);
"""


class WitnessStore:
    """The keys of the logs a witness knows, and the newest head it signed for each."""

    def __init__(self, path: Path) -> None:
        """Open this file, and make it the first time.

        Raises:
            sqlite3.Error: It cannot be opened, or is no register.
        """
        self._lock = Lock()
        self._db = sqlite3.connect(path, timeout=WAIT_S, isolation_level=None, check_same_thread=False)
        try:
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = full")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error:
            self._db.close()
            raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Take the register for oneself; what was written is on disk when the turn ends, all of it or none.

        Raises:
            sqlite3.Error: Another process has it for too long, or it cannot be written; nothing is.
        """
        with self._lock:
            self._db.execute("begin immediate")
            try:
                yield
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise

    def know(self, keys: Collection[Key]) -> None:
        """Know these keys for the logs they name, and no older ones for the same logs; within a turn."""
        self._db.executemany("delete from log_key where origin = ?", [(key.name,) for key in keys])
        self._db.executemany("insert into log_key values (?, ?)", [(key.name, str(key)) for key in keys])

    def keys(self, origin: str) -> tuple[Key, ...]:
        """Return the keys of a log, none if it is not known; within a turn."""
        found = self._db.execute("select vkey from log_key where origin = ? order by vkey", (origin,))
        return tuple(key_of(vkey) for (vkey,) in found)

    def newest(self, origin: str) -> Head:
        """Return the head signed last for a log; within a turn."""
        found = self._db.execute("select size, root from head where origin = ?", (origin,)).fetchone()
        return NOTHING if found is None else Head(*found)

    def note(self, origin: str) -> str | None:
        """Return the checkpoint signed last for a log; within a turn."""
        found = self._db.execute("select note from head where origin = ?", (origin,)).fetchone()
        return None if found is None else str(found[0])

    def sign(self, origin: str, head: Head, note: str) -> None:
        """Note that a head is signed; within the turn in which it was judged."""
        self._db.execute("insert or replace into head values (?, ?, ?, ?)", (origin, head.size, head.root, note))

    def keep_fork(self, origin: str, size: int, refused: str) -> None:
        """Keep a checkpoint beside the one signed before that it contradicts, the first for each size; in a turn.

        The two together prove to anybody that the log has two histories.
        """
        self._db.execute(
            "insert or ignore into fork select origin, size, note, ? from head where origin = ? and size = ?",
            (refused, origin, size),
        )

    def logs(self) -> list[tuple[str, int, int]]:
        """Return the logs that are known: origin, size of the newest head signed, how many forks were refused."""
        found = self._db.execute(
            "select origin, coalesce(max(head.size), 0), (select count(*) from fork where fork.origin = log_key.origin)"
            " from log_key left join head using (origin) group by origin order by origin"
        )
        return found.fetchall()
