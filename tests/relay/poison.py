"""Lines that follow the one before them, so that the store takes them, and that a program cannot read."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from domain.log import canonical
from domain.match.record import TYPES
from domain.table.interlude import InterludeEvent
from infra.store import Access, Append, Appended, EventStore

PATIENCE_S: Final = 60
SECRET: Final = "5ecr3t"
"""Stands in every such line, and in no log."""


class Waved(InterludeEvent, frozen=True, tag="game.waved"):
    """Somebody waved: an event of a later version of the program, which changes nothing."""

    seat: int
    text: str = SECRET


@contextmanager
def later_version() -> Iterator[None]:
    """Be a program of a later version, one that knows how to wave."""
    TYPES["game.waved"] = Waved
    try:
        yield
    finally:
        del TYPES["game.waved"]


def _line(stream: str, seq: int, prev: str, kind: str, data: object, version: int = 1) -> bytes:
    line = {"at": 0, "data": data, "prev": prev, "seq": seq, "stream": stream, "type": kind, "v": version}
    return canonical.encode(line)


def waved(stream: str, seq: int, prev: str) -> bytes:
    """Return a line of a type that only a later version knows."""
    return _line(stream, seq, prev, "game.waved", {"seat": 1, "text": SECRET})


def _later(stream: str, seq: int, prev: str) -> bytes:
    return _line(stream, seq, prev, "seat.left", {"reason": SECRET, "seat": 1}, version=2)


def _further_member(stream: str, seq: int, prev: str) -> bytes:
    return _line(stream, seq, prev, "seat.left", {"reason": "left", "seat": 1, SECRET: 1})


def _of_nobody(stream: str, seq: int, prev: str) -> bytes:
    return _line(stream, seq, prev, "seed.custody", {"custody": "server", "seat": 99})


def _spaced(stream: str, seq: int, prev: str) -> bytes:
    return json.dumps(json.loads(waved(stream, seq, prev))).encode()


def _no_event(stream: str, seq: int, prev: str) -> bytes:
    # What the store itself looks at, and nothing else.
    return canonical.encode({"prev": prev, "seq": seq, "stream": stream, "type": [SECRET]})


Poison = Callable[[str, int, str], bytes]
"""Returns a line of a stream, with its place and the hash of the line before it."""
POISONS: Final[dict[str, Poison]] = {
    "unknown type": waved,
    "later version of its type": _later,
    "further member": _further_member,
    "of a seat nobody has": _of_nobody,
    "not canonical": _spaced,
    "no event": _no_event,
}


async def poison(store: EventStore, stream: str, made: Poison = waved) -> bytes:
    """Append such a line to a stream, and return it."""
    lines = await store.read(stream)
    line = made(stream, len(lines), canonical.head(lines[-1]) if lines else "0" * 64)
    await append(store, stream, len(lines), line)
    return line


async def append(store: EventStore, stream: str, version: int, line: bytes) -> None:
    """Append a line to a stream of this version."""
    command = hashlib.sha256(line).digest()
    outcome = await store.append(Append(stream, version, (line,), command, command, b"{}"))
    assert isinstance(outcome, Appended), outcome


async def poison_access(store: EventStore, match: str, made: Poison = waved) -> None:
    """Append such a line to the access stream of a match, where a seat may just have been shown its dice, too."""
    stream = f"access/{match}"
    async with asyncio.timeout(PATIENCE_S):
        while True:
            lines = await store.read_access(stream)
            line = made(stream, len(lines), canonical.head(lines[-1]))
            if await store.append_access(f"match/{match}", Access(stream, len(lines), (line,))):
                return
