"""A tracer of everything a program waits for outside of it: each is a point at which it may be killed.

It stands where bytes leave and arrive: in the connections of the event loop, whatever library has opened them. A point
has a place, which is the code of ours that waits and what it waits for, and a side: the bytes have not left, or the
kernel has them, or an answer has come that nobody here has read. SIGKILL there leaves nothing to clean up.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sys
from asyncio import selector_events
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Final, Literal

from msgspec import Struct

Side = Literal["unsent", "sent", "answered"]
SIDES: Final[tuple[Side, ...]] = ("unsent", "sent", "answered")
ROOT: Final = f"{Path(__file__).parents[2]}/"
OURS: Final = ("domain/", "infra/", "projections/", "services/")
FRAMES_MAX: Final = 3
"""How much of a stack of ours a place names, the innermost first."""
MESSAGES: Final = {b"P": "statement", b"B": "statement", b"D": "statement", b"p": "log in", b"X": "say goodbye"}
"""What the first message of some bytes asks a Postgres for; a query in words says so itself. Whether a statement is
prepared anew depends on which connection is free, so it is not told apart from one that is executed."""
SUBJECT: Final = re.compile(rb"([A-Z]+) ?((?:truecup|\$JS)\.[A-Za-z_]+)?")
"""What is said to a NATS, and about which subject, without what tells one of them from another."""


class Point(Struct, frozen=True, order=True):
    """A place of the code, and how far what it waits for has come."""

    place: str
    side: Side


Target = Mapping[Point, int]
"""Where a life ends: at the first of these points that it comes by, each for the so manieth time."""


class Tracer:
    """Counts what one life comes by, and ends it at its target.

    Attributes:
        passed: How often it has come by which point.
    """

    def __init__(self, target: Target | None, tell: Callable[[Point], None]) -> None:
        """End the life at this target, if there is one, after it has been told where."""
        self.passed: Counter[Point] = Counter()
        self._target = target or {}
        self._tell = tell

    def rest(self) -> None:
        """Let the life go on from here."""
        self._target = {}

    def reach(self, place: str, side: Side) -> None:
        """Come by a point."""
        point = Point(place, side)
        self.passed[point] += 1
        if self._target.get(point) == self.passed[point]:
            self._tell(point)
            os.kill(os.getpid(), signal.SIGKILL)


def place_of(what: str, innermost: FrameType | None) -> str:
    """Return what is waited for, and the code of ours that does, seen from a frame."""
    found: list[str] = []
    frame = innermost
    while frame is not None and len(found) < FRAMES_MAX:
        name = frame.f_code.co_filename.removeprefix(ROOT)
        if name.startswith(OURS):
            found.append(f"{name}:{frame.f_code.co_name}")
        frame = frame.f_back
    return " < ".join([what, *(found or ["a task of its library"])])


def asked_of(data: bytes) -> str:
    """Return what some bytes ask for, without what differs each time."""
    if data[:1] == b"Q":
        word = data[5:].split(None, 1)[0].rstrip(b";\0")
        return f"database: {word.decode().lower()}"
    if data[:1] in MESSAGES and data[1:2] == b"\0":
        return f"database: {MESSAGES[data[:1]]}"
    if data[:1] == b"\0":
        return "database: begin a session"
    said = SUBJECT.match(data)
    return "something" if said is None else f"bus: {said[1].decode()} {(said[2] or b'').decode()}".rstrip()


class _Traced(selector_events._SelectorSocketTransport):  # type: ignore[name-defined]  # noqa: SLF001 - see below
    """A connection that a tracer stands at: nobody but the loop's own class knows when bytes come and go."""

    _place = "something comes"
    _awaits = False

    def write(self, data: bytes) -> None:
        if not data:
            return
        tracer: Tracer = self._loop.tracer
        self._place = place_of(asked_of(bytes(data[:80])), sys._getframe(1))  # noqa: SLF001 - no other way to a stack
        tracer.reach(self._place, "unsent")
        super().write(data)
        self._awaits = True
        tracer.reach(self._place, "sent")

    def writelines(self, parts: Any) -> None:
        self.write(b"".join(parts))

    def _read_ready(self) -> None:
        if self._awaits:
            self._awaits = False
            self._loop.tracer.reach(self._place, "answered")
        super()._read_ready()


class TracedLoop(asyncio.SelectorEventLoop):
    """A loop whose connections a tracer stands at.

    Attributes:
        tracer: The one.
    """

    def __init__(self, tracer: Tracer) -> None:
        """Show this tracer every connection."""
        super().__init__()
        self.tracer = tracer

    async def sock_connect(self, sock: socket.socket, address: Any) -> None:
        """Connect, between two points."""
        place = place_of("connect", sys._getframe(1))  # noqa: SLF001 - no other way to a stack
        self.tracer.reach(place, "unsent")
        await super().sock_connect(sock, address)
        self.tracer.reach(place, "answered")

    def _make_socket_transport(
        self, sock: socket.socket, protocol: asyncio.BaseProtocol, waiter: Any = None, **named: Any
    ) -> _Traced:
        return _Traced(self, sock, protocol, waiter, **named)
