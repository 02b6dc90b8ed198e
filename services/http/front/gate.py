"""The gate before the application: whom a request comes from, what it names, whether it may come now.

It speaks ASGI and knows no route. Reads of one network queue among themselves, and others' are worked at in between; a
turn ends where the answer begins. Of a crowd that comes at once, some begin in each pass of the event loop. Whatever
goes wrong behind it, the answer is a problem document.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from http import HTTPMethod, HTTPStatus
from typing import Any, Final, cast
from urllib.parse import urlsplit

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from services.http.front.addresses import network_of
from services.http.front.bounded_streams import Rest, take_rest
from services.http.front.drain import Drain
from services.http.front.proxies import Proxies
from services.http.front.queues import Queues, QueueTurn, keep
from services.http.front.rates import Rates
from services.http.front.sockets import Terms
from services.http.front.upgrades import SWITCHING, Pace, take_switch
from services.http.heads import as_get
from services.http.problems import MEDIA_TYPE, PROBLEMS, HttpProblem, document_of, headers_of
from services.work.wakeups import Arrivals

POLICY: Final = "requests"
ARRIVALS_AT_ONCE: Final = 3
"""How many reads of people without a token begin in a pass of the event loop; each takes about a millisecond."""
_HEALTH: Final = "/health/"
"""Asked by machines that end the program if it is silent: never behind a queue."""
_HOST: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(?::[0-9]{0,5})?")
"""RFC 9110 section 7.2, with the host that an http address has to have."""
_READS: Final = frozenset({HTTPMethod.GET, HTTPMethod.HEAD})


class Gate:
    """An application behind the front door."""

    def __init__(self, app: ASGIApp, doors: Drain, terms: Terms, proxies: Proxies) -> None:
        """Let requests in to this application."""
        self._app = app
        self._doors = doors
        self._terms = terms
        self._proxies = proxies
        self._rates = Rates(doors.turned_away)
        self._queues = Queues(terms.reads_at_once, terms.reads_waiting_max)
        self._arrivals = Arrivals(ARRIVALS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        if _is_read(scope) and not _bears_a_token(scope):
            await self._arrivals.turn()
        try:
            self._believe(scope)
            _check_host(scope)
            network = network_of(scope)
            self._rates.check(POLICY, self._terms.requests, network)
            turn = await self._turn(scope, network)
        except HttpProblem as trouble:
            await _say(send, trouble)
        else:
            rest, switch = await self._let_in(scope, receive, send, turn)
            del turn
            if rest is not None:
                _forget(cast("dict[str, Any]", scope))
                await rest(send)
            if switch is not None:
                switch(partial(self._rates.check, POLICY, self._terms.requests, network))

    def _believe(self, scope: HTTPScope) -> None:
        """Put whom a named proxy speaks for into the place of the proxy."""
        client = scope["client"]
        if client is not None and self._proxies.believes(client[0]):
            headers = cast("list[tuple[bytes, bytes]]", scope["headers"])
            scope["client"] = (self._proxies.client(client[0], headers), 0)
            scope["scheme"] = self._proxies.scheme(headers, scope["scheme"])

    async def _turn(self, scope: HTTPScope, network: str) -> QueueTurn | None:
        return await self._queues.turn(network) if _is_read(scope) else None

    async def _let_in(
        self, scope: HTTPScope, receive: Receive, send: Send, turn: QueueTurn | None
    ) -> tuple[Rest | None, Callable[[Pace], None] | None]:
        """Have a request answered; return what is still to be said, and what switches its connection, if either is."""
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            if not begun:
                begun = True
                if turn is not None:
                    turn.end()
                if scope["method"] == HTTPMethod.OPTIONS or message.get("status") == HTTPStatus.METHOD_NOT_ALLOWED:
                    _allow_head(message)
                if message.get("status") == SWITCHING:
                    return
            await send(message)

        if turn is not None:
            keep(scope, turn)
        asked = as_get(scope) if scope["method"] == HTTPMethod.HEAD else scope
        try:
            await self._app(asked, receive, sending)
            rest, switch = take_rest(asked), take_switch(asked)
        finally:
            if turn is not None:
                turn.end()
            if not begun:
                # Cancelled as the program goes down, or a fault that nobody caught: the server logs it.
                await _say(send, HttpProblem("broken" if self._doors.are_open else "closing"))
        return rest, switch


def _is_read(scope: HTTPScope) -> bool:
    """Report whether this is a read, which may have to wait: what machines ask of health never does."""
    return scope["method"] in _READS and not scope["path"].startswith(_HEALTH)


def _bears_a_token(scope: HTTPScope) -> bool:
    """Report whether a seat asks, or whoever says that it is one: a crowd of people who watch has no token."""
    return any(name == b"authorization" for name, _ in scope["headers"])


def _forget(scope: dict[str, Any]) -> None:
    """Let go of all that the application has read of a request; the server still asks which method it had."""
    method = scope["method"]
    scope.clear()
    scope["method"] = method


def _check_host(scope: HTTPScope) -> None:
    """Refuse a request that does not say which host it is for, or says it twice, or names one that cannot be.

    RFC 9112 section 3.2 asks for this: what stands between might have read another one.

    Raises:
        HttpProblem: `bad_host`.
    """
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    if not hosts and scope["http_version"] == "1.0":
        return
    if len(hosts) != 1:
        raise HttpProblem(
            "bad_host", f"an HTTP/1.1 request names its host once, and this one does so {len(hosts)} times"
        )
    if not _is_host(hosts[0]):
        raise HttpProblem("bad_host", "what the Host header says is no host")


@lru_cache(maxsize=256)
def _is_host(written: bytes) -> bool:
    text = written.decode("latin-1")
    if _HOST.fullmatch(text) is None:
        return False
    try:
        port = urlsplit(f"//{text}").port
    except ValueError:
        return False
    return port != 0


def _allow_head(message: Message) -> None:
    """Name HEAD among the methods of an address that has GET, and all of them in the same order in every process."""
    if message["type"] != "http.response.start":
        return
    message["headers"] = [
        (name, _with_head(value) if name.lower() == b"allow" else value) for name, value in message["headers"]
    ]


def _with_head(allowed: bytes) -> bytes:
    methods = {method.strip() for method in allowed.split(b",")}
    return b", ".join(sorted(methods | {b"HEAD"} if b"GET" in methods else methods))


async def _say(send: Send, trouble: HttpProblem) -> None:
    """Answer with a problem document."""
    body = document_of(trouble.code, trouble.detail, trouble.facts)
    fields = {
        "content-type": MEDIA_TYPE,
        "content-length": str(len(body)),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        **headers_of(trouble.code),
        **trouble.headers,
    }
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in fields.items()]
    status = HTTPStatus(PROBLEMS[trouble.code].status)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
