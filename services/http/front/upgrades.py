"""WebSocket connections (RFC 6455): messages both ways over a connection that has begun as HTTP.

The law of the file: nothing is taken in that could not be answered. What comes is parsed a small piece in each pass of
the event loop, each frame is counted against the rate of its network, and while too much is under way, or the peer does
not take what is written, nothing more is read. So a peer that sends a thousand messages and reads no answer waits in
its own buffers. Frames are parsed by `websockets`, which refuses a message by the length in its head, before a byte of
it is kept. No extension is offered: compressed beside what a peer chose, hidden dice would show in the length (CRIME).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Any, Final, Protocol

from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.types import HTTPScope, Receive, Scope, Send
from websockets.datastructures import Headers
from websockets.exceptions import InvalidState
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import OPEN, Side
from websockets.protocol import Protocol as Frames
from websockets.server import ServerProtocol

from services.http.front.sockets import Socket, Sockets
from services.http.problems import HttpProblem

EXTENSION: Final = "truecup.switch"
"""The key in the extensions of a scope, of what switches its connection to another protocol."""
SWITCHING: Final = 101
MESSAGE_MAX: Final = 16 * 1_024
"""The longest message a peer may send, in bytes; as long as the longest request body."""
PIECE: Final = 1_024
"""Bytes parsed in a pass of the event loop: the shortest frames it can hold take some five milliseconds."""
FRAGMENTS_MAX: Final = 16
UNSENT_MAX: Final = 64 * 1_024
"""Bytes that may wait for the end of a pass, to be written together."""
MESSAGE_S: Final = 30.0
"""How long a message may take to come to its end, as a body may."""
_SWITCH: Final = "switch"
"""The key in the state of a scope."""
_SPOKEN: Final = {"Sec-WebSocket-Version": "13"}
"""The version that is spoken here, for whoever has not named it (RFC 6455 section 4.4)."""

_silent: Final = logging.getLogger("websockets.silent")
_silent.setLevel(logging.CRITICAL + 1)
"""The library's own lines hold messages, and so tokens: nobody gets to see them, whatever level is set."""

Pace = Callable[[], None]
"""Counts one frame of a network.

Raises:
    HttpProblem: `too_many_requests`.
"""


class Talk(Protocol):
    """What is said over a connection."""

    def begin(self, wire: Channel) -> None:
        """Begin over this connection."""

    def receive(self, message: bytes) -> None:
        """Take a text message."""

    def end(self) -> None:
        """Hear that the connection is gone."""

    def go_away(self) -> None:
        """Say what there is to say and close: the program goes down."""

    def hurry(self) -> None:
        """Close now."""


class Channel(Protocol):
    """A connection, as whoever talks over it sees it."""

    def send(self, message: bytes) -> None:
        """Send a text message, with all others of this pass of the event loop."""

    async def drained(self) -> None:
        """Wait until the peer takes more, or the connection is lost."""

    def hold(self, *, held: bool) -> None:
        """Take no more messages, or take more again."""

    def rest(self, *, rests: bool) -> None:
        """Note whether nothing is under way: then the connection may be closed after a while, or to make room."""

    def close(self, code: int, reason: str) -> None:
        """Say why, and close."""


class Flow(Protocol):
    """What goes in and out of a connection."""

    def hold(self, *, held: bool) -> None:
        """Read no more, or go on."""

    async def drain(self) -> None:
        """Wait until the peer takes more."""


class Connection(Socket, Protocol):
    """What a WebSocket stands on: a socket, with the bounds that hold for each."""

    @property
    def transport(self) -> asyncio.Transport:
        """The bytes."""

    def finish(self) -> None:
        """Throw away what still comes, and close once the peer has, or in a moment."""


class Messages:
    """A WebSocket over a connection: a `Channel`."""

    def __init__(self, connection: Connection, flow: Flow, sockets: Sockets, talk: Talk, pace: Pace) -> None:
        """Carry this talk."""
        self._connection = connection
        self._flow = flow
        self._sockets = sockets
        self._talk = talk
        self._pace = pace
        self._rest_s = sockets.terms.rest_s
        self._frames = Frames(Side.SERVER, state=OPEN, max_size=MESSAGE_MAX, logger=_silent)
        self._loop = asyncio.get_running_loop()
        self._came: deque[bytes] = deque()
        self._events: deque[Frame] = deque()
        self._message: list[bytes] = []
        self._reads_on = False
        self._held = False
        self._lags = False
        self._waits_until = 0.0
        self._partial_due = inf
        self._rest_due = inf
        self._unsent = 0
        self._is_over = False

    def begin(self, came: bytes) -> None:
        """Begin with what has come behind the handshake."""
        self._talk.begin(self)
        if came:
            self.data_received(came)

    # ---- what comes in --------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Keep what has come, in pieces; nothing more is read until it is parsed."""
        self._came.extend(data[start : start + PIECE] for start in range(0, len(data), PIECE))
        self._flow.hold(held=True)
        if not self._reads_on:
            self._read_on()

    def _read_on(self) -> None:
        """Take in a piece, and go on in the next pass."""
        self._reads_on = False
        if not self._listens():
            return
        if not self._events and self._came:
            self._parse(self._came.popleft())
        while self._events and self._listens() and self._may_take():
            self._take(self._events.popleft())
        if not self._listens():
            return
        if not self._events and self._frames.state is not OPEN:
            self._finish()  # the peer has said that it closes, or what no frame is
        elif self._events or self._came:
            self._read_soon()
        else:
            self._flow.hold(held=False)

    def _listens(self) -> bool:
        """Report whether what comes is taken now; whatever changes that asks again in the next pass."""
        return not (self._is_over or self._held or self._lags) and self._loop.time() >= self._waits_until

    def _read_soon(self) -> None:
        if not self._reads_on:
            self._reads_on = True
            self._loop.call_soon(self._read_on)

    def _parse(self, piece: bytes) -> None:
        self._frames.receive_data(piece)
        self._events.extend(event for event in self._frames.events_received() if isinstance(event, Frame))
        self._partial_due = inf if self._events else min(self._partial_due, self._loop.time() + MESSAGE_S)

    def _may_take(self) -> bool:
        """Count a frame, or wait a second: over its rate, a network is not refused, only not listened to."""
        try:
            self._pace()
        except HttpProblem:
            self._waits_until = self._loop.time() + 1
            self._loop.call_later(1, self._read_soon)
            return False
        return True

    def _take(self, frame: Frame) -> None:
        match frame.opcode:
            case Opcode.TEXT | Opcode.CONT:
                self._message.append(bytes(frame.data))
                if frame.fin:
                    message, self._message = b"".join(self._message), []
                    self._rest_due = self._rest_due if self._rest_due == inf else self._loop.time() + self._rest_s
                    self._talk.receive(message)
                elif len(self._message) > FRAGMENTS_MAX:
                    self.close(CloseCode.POLICY_VIOLATION, f"a message has at most {FRAGMENTS_MAX} fragments")
            case Opcode.BINARY:
                self.close(CloseCode.UNSUPPORTED_DATA, "messages are JSON texts")
            case _:
                self._send_soon(0)

    # ---- what goes out --------------------------------------------------------------------------

    def send(self, message: bytes) -> None:
        """Send a text message, with all others of this pass of the event loop."""
        if self._frames.state is OPEN:
            self._frames.send_text(message)
            self._send_soon(len(message))

    def _send_soon(self, count: int) -> None:
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent += count or 1
        if self._unsent > UNSENT_MAX:
            self._flush()

    def _flush(self) -> None:
        data, self._unsent = b"".join(self._frames.data_to_send()), 0
        if data and not self._connection.transport.is_closing():
            self._connection.transport.write(data)

    async def drained(self) -> None:
        """Wait until the peer takes more, or the connection is lost."""
        if self._unsent > UNSENT_MAX // 2:
            self._flush()
        if self._lags:
            await self._flow.drain()

    def lag(self, *, lags: bool) -> None:
        """Note whether the peer leaves unread what is written."""
        self._lags = lags
        if not lags:
            self._read_soon()

    # ---- what is under way ----------------------------------------------------------------------

    def hold(self, *, held: bool) -> None:
        """Take no more messages, or take more again."""
        if self._held and not held:
            self._read_soon()
        self._held = held

    def rest(self, *, rests: bool) -> None:
        """Note whether nothing is under way."""
        if rests == (self._rest_due < inf):
            return
        self._rest_due = self._loop.time() + self._rest_s if rests else inf
        if rests:
            self._sockets.rests(self._connection)
        else:
            self._sockets.busy(self._connection)

    def look(self, now: float) -> None:
        """Close if a deadline has passed."""
        if now >= self._partial_due:
            self.close(CloseCode.POLICY_VIOLATION, "the message did not come to its end in time")
        elif now >= self._rest_due:
            self.close(CloseCode.NORMAL_CLOSURE, "nothing is asked for or watched here")

    # ---- the end --------------------------------------------------------------------------------

    def close(self, code: int, reason: str) -> None:
        """Say why, and close."""
        if not self._is_over:
            with suppress(InvalidState):
                self._frames.send_close(code, reason)
            self._finish()

    def _finish(self) -> None:
        self._is_over = True
        self._flush()
        self._forget()
        self._connection.finish()
        self._talk.end()

    def connection_lost(self) -> None:
        """Hear that the connection is gone."""
        if not self._is_over:
            self._is_over = True
            self._forget()
            self._talk.end()

    def _forget(self) -> None:
        self._came.clear()
        self._events.clear()
        self._message.clear()
        self._partial_due = self._rest_due = inf


Switch = Callable[[Talk, Pace, bytes], None]
"""Switches a connection to messages, with this head as the answer to its request."""


def accept(scope: HTTPScope) -> bytes:
    """Return the head that answers a WebSocket handshake.

    It has no body (RFC 6455 section 4.1): what of one is still to come would be taken for frames. HTTP/1.0 knows no
    upgrade (RFC 9110 section 7.8), nor need it name a host, by which pages of other sites are told.

    Raises:
        HttpProblem: `upgrade_required`, `malformed`.
    """
    headers = Headers([(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]])
    asked = [value.lower() for value in headers.get_all("Upgrade")]
    if asked != ["websocket"] or scope["http_version"] == "1.0":
        raise HttpProblem("upgrade_required").with_headers(_SPOKEN)
    if "Transfer-Encoding" in headers or headers.get_all("Content-Length") not in ([], ["0"]):
        raise HttpProblem("malformed", "a WebSocket handshake has no body")
    answer = ServerProtocol(logger=_silent).accept(Request(scope["path"], headers))
    if answer.status_code != SWITCHING:
        raise HttpProblem("malformed", "this is no WebSocket handshake").with_headers(_SPOKEN)
    return answer.serialize()


class Switching(Response[None]):
    """The answer to a handshake: the framework notes it, and the gate switches the connection behind its back."""

    def __init__(self, scope: HTTPScope, talk: Talk) -> None:
        """Answer this handshake, and carry this talk.

        Raises:
            HttpProblem: `upgrade_required`, `malformed`.
        """
        super().__init__(None, status_code=SWITCHING)
        self._switch = _Switch(scope, talk)

    def to_asgi_response(self, *_args: Any, **_more: Any) -> ASGIResponse:  # noqa: ANN401 - the framework's signature
        """Return what says so."""
        return _Answer(self._switch)


class _Switch:
    """A connection that is about to change its protocol."""

    __slots__ = ("_head", "_switch", "_talk")

    def __init__(self, scope: HTTPScope, talk: Talk) -> None:
        self._head = accept(scope)
        extensions: dict[str, Any] = scope.get("extensions") or {}
        self._switch: Switch = extensions[EXTENSION]
        self._talk = talk

    def __call__(self, pace: Pace) -> None:
        self._switch(self._talk, pace, self._head)


class _Answer(ASGIResponse):
    """What the framework calls when the handler is done."""

    __slots__ = ("_switch",)

    def __init__(self, switch: _Switch) -> None:
        super().__init__()
        self._switch = switch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI has it
        await send({"type": "http.response.start", "status": SWITCHING, "headers": []})
        scope["state"][_SWITCH] = self._switch


def take_switch(scope: HTTPScope) -> Callable[[Pace], None] | None:
    """Take out what switches the connection, if the application has left anything."""
    switch: _Switch | None = scope["state"].pop(_SWITCH, None)
    return switch
