"""The notebook of another monitor, read and not believed: its last checkpoint, and the entries below it.

Whoever filled the file may be hostile. It is opened to be read alone, and what is asked of it ends: whatever its tables
are, no answer takes more work than its size explains, or more room than an entry.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from heapq import merge
from pathlib import Path
from typing import Final
from urllib.parse import quote

from domain.log.proofs import anchor_entry

VALUE_BYTES_MAX: Final = 1 << 16
"""No value is longer: a checkpoint has a few hundred bytes, an entry fewer."""
STEPS: Final = 10_000
"""After so many steps of the database it is asked whether it may go on."""
STEPS_MIN: Final = 10_000_000
STEPS_A_BYTE: Final = 16
"""How many steps reading may take in all; an entry takes some thirty, and a hundred bytes at least."""
_READ: Final = (
    "select number, stream, seq, head, kind from anchor order by number",
    "select again, stream, seq, head, kind from anchor where again is not null order by again",
)
_REPEATED: Final = """
select r.number, a.stream, a.seq, a.head, a.kind from repeated r join anchor a on a.number = r.first order by r.number
"""
"""What notebooks have that know of every time an entry came again, and not of the last alone."""


class Notebook:
    """A file like those that a monitor writes (`services.monitor.store`)."""

    def __init__(self, path: Path) -> None:
        """Open it.

        Raises:
            sqlite3.Error: It cannot be read, here and below.
        """
        self._steps_left = STEPS_MIN + STEPS_A_BYTE * path.stat().st_size
        self._db = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=rw", uri=True, isolation_level=None)
        # Opened for reading alone, it would leave files beside it.
        self._db.execute("pragma query_only = on")
        self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
        self._db.set_progress_handler(self._is_too_much, STEPS)

    def close(self) -> None:
        """Close it."""
        self._db.close()

    def note(self) -> str | None:
        """Return the checkpoint that it shows."""
        found = self._db.execute("select note from seen").fetchone()
        return None if found is None else str(found[0])

    def entries(self, most: int) -> Iterator[bytes]:
        """Yield the entries from the first one on, as far as there is one of each number, at most so many."""
        repeats = self._db.execute("select 1 from sqlite_master where name = 'repeated'").fetchone()
        asked = _READ if repeats is None else (*_READ, _REPEATED)
        # Of some numbers two are there that should be one: whichever is taken has to give the root.
        rows = merge(*(self._db.execute(each) for each in asked), key=_number)
        number = 0
        for row in rows:
            if number == most or row[0] not in {number - 1, number}:
                return
            if row[0] == number:
                yield anchor_entry(*row[1:])
                number += 1

    def _is_too_much(self) -> bool:
        self._steps_left -= STEPS
        return self._steps_left < 0


def _number(row: tuple[object, ...]) -> int:
    """Return the number of an entry; what is none comes last."""
    return row[0] if isinstance(row[0], int) else 1 << 64
