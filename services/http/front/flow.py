"""The flow of one connection: reading that is held while something waits, and answers whose heads wait for bodies."""

from __future__ import annotations

import asyncio
from http import HTTPMethod
from typing import Any, cast

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle


class HeldFlow(FlowControl):
    """Reading that stays paused while something waits unparsed, whoever wants it to go on."""

    def __init__(self, transport: asyncio.Transport) -> None:
        """Let this connection be read."""
        super().__init__(transport)
        self._held = False

    def hold(self, *, held: bool) -> None:
        """Pause, or go on if this was what it was paused for."""
        if held == self._held:
            return
        self._held = held
        if held:
            self.pause_reading()
        else:
            super().resume_reading()

    def resume_reading(self) -> None:
        """Go on, unless something waits."""
        if not self._held:
            super().resume_reading()


class JoinedAnswer:
    """Where an answer is written: its head leaves with what is written next, in a pass of the event loop at the latest.

    The server writes head and body one after the other, and the event loop writes at once. So each would be a call of
    the system, and wake the client, which can do nothing with a head.

    Whoever has gone is written nothing. The server hears of that a pass later than the connection is closed, and for
    an answer behind another never; the event loop takes what is written meanwhile for a fault of ours. So it is where
    somebody else answers instead, and closes: 100 Continue may be kept here by then, or be meant to come.
    """

    __slots__ = ("_cycle", "_head", "_is_out", "_loop", "_transport")

    def __init__(
        self, cycle: RequestResponseCycle, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop
    ) -> None:
        """Stand between this answer and its connection."""
        self._cycle = cycle
        self._transport = transport
        self._loop = loop
        self._head = b""
        # Nothing follows the head of an answer to HEAD: what comes behind the request must not be answered before it.
        self._is_out = cycle.scope["method"] == HTTPMethod.HEAD
        cycle.transport = cast(Any, self)

    def write(self, data: bytes) -> None:
        """Keep what is written first, and write it with what comes next."""
        if self.is_closing():
            return
        if self._is_out:
            self._transport.write(data)
        elif not self._head:
            self._head = data
            self._loop.call_soon(self.flush)
        else:
            head, self._head, self._is_out = self._head, b"", True
            self._transport.writelines((head, data))

    def flush(self) -> None:
        """Write what is kept, if it is kept still; all else goes straight to the connection."""
        head, self._head, self._is_out = self._head, b"", True
        if head and not self.is_closing():
            self._transport.write(head)

    def is_closing(self) -> bool:
        """Report whether nothing may be written here any more."""
        return self._cycle.disconnected or self._transport.is_closing()

    def close(self) -> None:
        """Write what is kept, and close."""
        self.flush()
        self._transport.close()
