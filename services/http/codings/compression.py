"""Compression of answers as they are made: of those that anybody may see, and of no other.

A handler says so of itself: `opt={"public": True}`, its answer to whoever shows no token is the same for everybody. To
whoever does, or sends a cookie, nothing is compressed: views of seats, tokens, receipts, openings. So is nothing that
no handler has vouched for, and no stream, whose every frame has to leave at once.
"""

from __future__ import annotations

from typing import Final

from litestar.datastructures import Headers, MutableScopeHeaders
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, HTTPResponseBodyEvent, HTTPResponseStartEvent, Message, Receive, Scope, Send

from services.http.codings.coders import CODERS, Coder, CoderPool
from services.http.codings.negotiation import accepted_by, coding_for
from services.http.codings.variants import BODY_MIN, VARY

PUBLIC: Final = "public"
AT_ONCE: Final = 2
"""Bodies that are compressed in threads at once."""
_OK: Final = 200
_SECRETS: Final = ("authorization", "cookie")


class Compression:
    """Compresses what anybody may see, for whoever takes it."""

    def __init__(self) -> None:
        """Compress few at once."""
        self._pool = CoderPool(AT_ONCE)

    def concerns(self, handler: HTTPRouteHandler) -> bool:
        """Report whether anybody may see what it answers."""
        return bool(handler.opt.get(PUBLIC))

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on, and compress its answer if that may be."""
        answer = _Answer(_coding_of(Headers.from_scope(scope)), self._pool, send)
        await next_app(scope, receive, answer.send)


class _Answer:
    """An answer on its way out. Its head is kept until its first bytes say whether it is worth the work."""

    def __init__(self, coding: str | None, pool: CoderPool, send: Send) -> None:
        self._coding = coding
        self._pool = pool
        self._send = send
        self._head: HTTPResponseStartEvent | None = None
        self._coder: Coder | None = None

    async def send(self, message: Message) -> None:
        """Send what comes next, compressed or as it is."""
        if message["type"] == "http.response.start":
            self._head = message
        elif message["type"] == "http.response.body":
            await self._send_body(message)
        else:
            await self._send(message)

    async def _send_body(self, message: HTTPResponseBodyEvent) -> None:
        head, self._head = self._head, None
        if head is not None:
            self._begin(head, message)
        if self._coder is not None:
            last = not message["more_body"]
            message["body"] = await self._pool.compress(self._coder, message["body"], first=head is not None, last=last)
            if head is not None and last:
                MutableScopeHeaders(head)["Content-Length"] = str(len(message["body"]))
            if head is None and not last and not message["body"]:
                return  # the coder keeps it for later: nothing has to be sent for that
        if head is not None:
            await self._send(head)
        await self._send(message)

    def _begin(self, head: HTTPResponseStartEvent, first: HTTPResponseBodyEvent) -> None:
        """Choose how the body is sent, and say so in the head of the answer."""
        headers = MutableScopeHeaders(head)
        _vary(headers)
        is_short = not first["more_body"] and len(first["body"]) < BODY_MIN
        if self._coding is None or head["status"] != _OK or is_short or "content-encoding" in headers:
            return
        self._coder = CODERS[self._coding]()
        headers["Content-Encoding"] = self._coding
        headers.pop("Content-Length", None)
        tag = headers.get("ETag")
        if tag is not None and not tag.startswith("W/"):
            # A strong tag is of these very bytes (RFC 9110 section 8.8.1), which are others in each coding.
            headers["ETag"] = f"W/{tag}"


def _vary(headers: MutableScopeHeaders) -> None:
    """Tell caches that an answer depends on the codings a reader takes."""
    told = headers.get("Vary")
    if told is None:
        headers["Vary"] = VARY
    elif VARY.lower() not in told.lower():
        headers["Vary"] = f"{told}, {VARY}"


def _coding_of(headers: Headers) -> str | None:
    if any(name in headers for name in _SECRETS):
        return None
    return coding_for(accepted_by(headers), CODERS)
