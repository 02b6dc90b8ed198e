"""HTTP/1.1 over one connection, with bounds on what a client may send, how slowly, and how much it may leave unread.

The law of the file: bytes are counted before they are parsed. The parser (llhttp) joins what belongs together and has
no limit of its own, so a header that never ends would cost the square of its length. It is fed in parts that go no
further than what a head may still have, nor than the end of a head. So it holds one request at a time, and what a
client sends behind it waits unparsed, in the one buffer that was read, until the answer is out.

Each state of a connection has its deadline but one, that of being answered: an answer may be a stream. Its reader has
one instead: it must take something now and then.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from enum import Enum, auto
from math import inf
from typing import Any, Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from websockets.frames import CloseCode

from services.http.front.addresses import UNIX, network_at
from services.http.front.bounded_streams import LOST
from services.http.front.drain import Reason
from services.http.front.flow import HeldFlow, JoinedAnswer
from services.http.front.proxies import Proxies, address_of
from services.http.front.sockets import Sockets
from services.http.front.upgrades import EXTENSION, Messages, Pace, Talk
from services.http.problems import last_answer

END: Final = b"\r\n\r\n"
"""What ends a head, and a body in chunks."""
METHOD: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: |\Z)")
"""What a request begins with, as far as it has come (RFC 9110 sections 5.6.2 and 9.1)."""
PART_MIN: Final = 64
"""No part is shorter if there is more: three of the shortest requests have room in it, and are parsed together."""
WRAPPING_MAX: Final = 8
"""Bytes on the wire for a byte of body, beyond one head's worth: a chunk of one byte takes six."""
TAKEN_MIN: Final = 16 * 1_024
"""What a reader that lags has to take within `write_s`, in bytes: 0.5 kB a second."""
THROWN_MAX: Final = 256 * 1_024
"""What is thrown away of a body behind its answer, and after a last word: whoever sends more is not listening."""


class ConnectionState(Enum):
    """What a connection does."""

    HEAD = auto()
    """The first bytes of a request are awaited, or its head is being read."""
    BODY = auto()
    """The body is being read; the answer may be under way."""
    ANSWER = auto()
    """The request is there, and its answer is under way."""
    REST = auto()
    """All requests are answered."""
    MESSAGES = auto()
    """It has become a WebSocket."""
    LAST_WORD = auto()
    """It has been told why it is closed, and whatever it sends is thrown away."""


class Bounded(HttpToolsProtocol):
    """One connection."""

    # An object of many attributes has a dictionary of its own, of two kilobytes; the server's alone are few enough.
    __slots__ = (
        "_body_bytes", "_came", "_due", "_flow", "_head_bytes", "_lags", "_lost", "_messages", "_parsed", "_proxies",
        "_sockets", "_state", "_terms", "_thrown", "_wire_bytes", "network", "url",
    )  # fmt: skip

    def __init__(self, sockets: Sockets, proxies: Proxies, **of_the_server: Any) -> None:  # noqa: ANN401 - as it has it
        """Speak HTTP under the terms of these sockets, and believe these proxies."""
        super().__init__(**of_the_server)
        self.network: str | None = UNIX
        self.url = b""
        self._sockets = sockets
        self._terms = sockets.terms
        self._proxies = proxies
        self._state = ConnectionState.HEAD
        self._due = inf
        self._came = b""
        self._parsed = 0
        self._head_bytes = self._body_bytes = self._wire_bytes = self._thrown = 0
        self._lags: tuple[float, int] | None = None
        self._messages: Messages | None = None
        self._lost: Callable[[], None] | None = None

    # ---- coming and going -----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a place among the sockets, or say that there is none."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self.flow = self._flow = HeldFlow(self.transport)
        if self.client is not None:
            self.network = self._network_of(self.client[0])
        if self._sockets.admit(self) is None:
            self._be(ConnectionState.HEAD, self._terms.head_s)
            return
        # It has no place, so it cannot stay to hear this: what it has sent already may cost it the word.
        self._write_problem("too_many_connections")
        self._state = ConnectionState.LAST_WORD
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place up."""
        self._sockets.leave(self)
        self._came, self._parsed = b"", 0
        super().connection_lost(exc)
        if self._lost is not None:
            self._lost()

    def hang_up(self) -> None:
        """Close, since nothing is under way; an answer that nobody has read by now is dropped."""
        if self._messages is not None:
            self._messages.close(CloseCode.TRY_AGAIN_LATER, "others need the place")
        elif self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def look(self, now: float) -> None:
        """Close if a deadline has passed."""
        if self._lags is not None:
            self._check_reader(now)
        elif self.transport.is_closing() and self._state is not ConnectionState.LAST_WORD:
            self._be(ConnectionState.LAST_WORD, self._terms.write_s)
        elif self._state is ConnectionState.MESSAGES and self._messages is not None:
            self._messages.look(now)
        elif now >= self._due:
            self._be_too_late()

    def _network_of(self, host: str) -> str | None:
        address = address_of(host)
        assert address is not None, "a peer has an address"
        return None if self._proxies.believes(host) else network_at(address)

    def _be(self, state: ConnectionState, seconds: float = inf) -> None:
        self._state = state
        self._due = self.loop.time() + seconds

    # ---- what comes in --------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Parse what has come, as far as it is its turn."""
        if self._state is ConnectionState.LAST_WORD:
            self._throw(len(data))
        elif self._messages is not None:
            self._messages.data_received(data)
        else:
            self._came, self._parsed = self._came[self._parsed :] + data, 0
            self._read_on()

    def _throw(self, count: int) -> None:
        self._thrown += count
        if self._thrown > THROWN_MAX:
            self.transport.abort()

    def _read_on(self) -> None:
        while self._parsed < len(self._came) and self._takes_more():
            self._feed(self._part())
        if self._parsed == len(self._came):
            # A few bytes of a request would keep the whole page that they were read into, as long as its answer lasts.
            self._came, self._parsed = b"", 0
        self._flow.hold(held=self._parsed < len(self._came) and self._state is not ConnectionState.LAST_WORD)

    def _takes_more(self) -> bool:
        """Report whether it is the turn of what comes next: a request waits for the answer to the one before."""
        if self.transport.is_closing() or self._state in {ConnectionState.ANSWER, ConnectionState.LAST_WORD}:
            return False
        return self._state is ConnectionState.BODY or not self._is_answering()

    def _is_answering(self) -> bool:
        # The server's own type says that there is always one; before the first request there is none.
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _part(self) -> bytes:
        """Take as much of what has come as may be parsed now."""
        room = self._terms.head_bytes_max - (0 if self._state is ConnectionState.BODY else self._head_bytes)
        start = self._parsed
        end = self._came.find(END, start + PART_MIN - len(END), start + room)
        self._parsed = min(len(self._came), start + room if end < 0 else end + len(END))
        return self._came[start : self._parsed]

    def _feed(self, part: bytes) -> None:
        if self._state is ConnectionState.BODY:
            self._wire_bytes += len(part)
        else:
            self._begin()
            self._head_bytes += len(part)
        try:
            self.parser.feed_data(part)
        except httptools.HttpParserUpgrade as upgrade:
            # Nobody upgrades here. The request stands as it is, and what came behind it is the next one.
            self._parsed -= len(part) - upgrade.args[0]
        except httptools.HttpParserInvalidMethodError:
            self._refuse_method(part)
        except httptools.HttpParserError:
            self._refuse("malformed", "malformed", "this is no HTTP/1.1 request")
        else:
            self._check_sizes()

    def _refuse_method(self, part: bytes) -> None:
        """Tell a method that nobody knows from what is no request at all; both are the client's to mend.

        RFC 9110 section 9.1 would have 501 for the first, but as no more than a SHOULD; and a client is wrong here and
        no server, so nothing that is sent may look as if the house had failed. 405 says that the method is
        known, and its `Allow` would be that of an address which has not been read yet. So it is 400 (section 15.5.1).
        """
        if METHOD.match(part.lstrip(b"\r\n")):
            self._refuse("unknown_method", "unknown_method")
        else:
            self._refuse("malformed", "malformed", "this is no HTTP/1.1 request")

    def _begin(self) -> None:
        """Note that a request has begun, if that is new."""
        if self._state is ConnectionState.REST:
            self._sockets.unheard(self)
            self._be(ConnectionState.HEAD, self._terms.head_s)

    def _check_sizes(self) -> None:
        head_bytes_max = self._terms.head_bytes_max
        if self._state is ConnectionState.HEAD and self._head_bytes >= head_bytes_max:
            long = len(self.url) > head_bytes_max // 2
            self._refuse("address_too_long" if long else "head_too_large", "head_too_large")
        elif (
            self._state is ConnectionState.BODY and self._wire_bytes > head_bytes_max + WRAPPING_MAX * self._body_bytes
        ):
            self._refuse("malformed", "malformed", "what the body is wrapped in is longer than the body")

    # ---- what the parser says -------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Begin a request: perhaps in the last bytes of a part, behind another one."""
        super().on_message_begin()
        if self._state is not ConnectionState.HEAD:
            self._be(ConnectionState.HEAD, self._terms.head_s)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a field of the head; those behind a body in chunks are dropped, as nobody here knows one."""
        if self._state is ConnectionState.HEAD:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Let the request be answered."""
        self._sockets.busy(self)
        self._body_bytes = self._wire_bytes = self._thrown = 0
        self._be(ConnectionState.BODY, self._terms.body_s)
        extensions: dict[str, Any] = {EXTENSION: self._switch, LOST: self._when_lost}
        self.scope["extensions"] = extensions
        super().on_headers_complete()
        if self._sockets.are_last:
            self.cycle.keep_alive = False
        JoinedAnswer(self.cycle, self.transport, self.loop)

    def on_body(self, body: bytes) -> None:
        """Hand a piece of the body on."""
        self._body_bytes += len(body)
        super().on_body(body)
        if not self._is_answering():
            self._throw(len(body))

    def on_message_complete(self) -> None:
        """End a request; its answer may be out already."""
        self._head_bytes = 0
        super().on_message_complete()
        if self._is_answering():
            self._be(ConnectionState.ANSWER)
        else:
            self._rest()

    # ---- what goes out --------------------------------------------------------------------------

    def on_response_complete(self) -> None:
        """Go on with what waits, or rest."""
        super().on_response_complete()
        self._lost = None
        self._unset_keepalive_if_required()
        if self.transport.is_closing() or self._is_answering():
            return
        if self._state is ConnectionState.ANSWER:
            self._rest()
        elif self._state is ConnectionState.HEAD:
            self._be(ConnectionState.HEAD, self._terms.head_s)
        if self._parsed < len(self._came):
            # Not at once: this is called from the middle of an answer, and others want their turn.
            self.loop.call_soon(self._read_on)

    def _rest(self) -> None:
        self._sockets.rests(self)
        self._be(ConnectionState.REST, self._terms.rest_s)

    def pause_writing(self) -> None:
        """Note since when the reader lags, and how much of what was written is still here."""
        super().pause_writing()
        self._lags = (self.loop.time(), self.transport.get_write_buffer_size())
        if self._messages is not None:
            self._messages.lag(lags=True)

    def resume_writing(self) -> None:
        """Note that it has caught up."""
        super().resume_writing()
        self._lags = None
        if self._messages is not None:
            self._messages.lag(lags=False)

    def _check_reader(self, now: float) -> None:
        assert self._lags is not None
        since, unread = self._lags
        if now < since + self._terms.write_s:
            return
        left = self.transport.get_write_buffer_size()
        if unread - left < TAKEN_MIN:
            self._sockets.count_refusal("not_reading")
            self.transport.abort()
        self._lags = (now, left)

    def _when_lost(self, told: Callable[[], None]) -> None:
        """Tell of the loss of the connection while this answer is under way, at once if it is lost."""
        self._lost = told
        if self.cycle.disconnected:
            told()

    # ---- as a WebSocket -------------------------------------------------------------------------

    def _switch(self, talk: Talk, pace: Pace, head: bytes) -> None:
        """Answer a handshake with this head, and carry this talk from now on."""
        self.cycle.disconnected = True  # whatever the server would still say of the request
        if self.transport.is_closing():
            return
        came, self._came, self._parsed = self._came[self._parsed :], b"", 0
        self._be(ConnectionState.MESSAGES)
        self._flow.hold(held=False)
        self.transport.write(head)
        self._messages = Messages(self, self._flow, self._sockets, talk, pace)
        self._lost = self._messages.connection_lost
        self._messages.begin(came)

    def finish(self) -> None:
        """Throw away what still comes, and close once the peer has, or in a moment."""
        self._sockets.rests(self)
        self._be(ConnectionState.LAST_WORD, self._terms.linger_s)
        self._flow.hold(held=False)
        if not self.transport.is_closing() and self.transport.can_write_eof():
            self.transport.write_eof()
        # Not by a look at the sockets alone: nobody looks any more while the server stops.
        self.loop.call_later(self._terms.linger_s, self.transport.abort)

    # ---- the end --------------------------------------------------------------------------------

    def _be_too_late(self) -> None:
        if self._state is ConnectionState.LAST_WORD:
            self.transport.abort()
        elif self._state is ConnectionState.HEAD and self._is_answering():
            self._be(ConnectionState.HEAD, self._terms.head_s)  # its time begins when it is its turn
        elif self._state is ConnectionState.REST or (self._state is ConnectionState.BODY and not self._is_answering()):
            self.hang_up()
        elif self._state is ConnectionState.HEAD and self._head_bytes == 0:
            self._sockets.count_refusal("too_slow")
            self.hang_up()
        else:
            self._refuse("too_slow", "too_slow")

    def _refuse(self, code: str, reason: Reason, detail: str = "") -> None:
        """Say why, and close once that can have been read: a close with bytes unread would reset it away."""
        self._sockets.count_refusal(reason)
        speaks = self._leaves_unanswered()
        self._came, self._parsed = b"", 0
        self._sockets.rests(self)
        self._be(ConnectionState.LAST_WORD, self._terms.linger_s)
        if not speaks:
            self.transport.abort()
            return
        self._write_problem(code, detail)
        self._flow.hold(held=False)
        self.flow.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _leaves_unanswered(self) -> bool:
        """Leave the request under way to us, and report whether nothing else is still to be said before it."""
        if not self._is_answering():
            return True
        if self._state is not ConnectionState.BODY or self.pipeline or self.cycle.response_started:
            return False
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        return True

    def _write_problem(self, code: str, detail: str = "") -> None:
        self.transport.write(last_answer(code, detail, self.server_state.default_headers))
