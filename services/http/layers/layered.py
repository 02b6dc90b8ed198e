"""Layering: of the layers between server and handlers, each handler has those that concern it.

The framework's own middlewares cost every request a coroutine and some questions each, besides what they do, and wrap
what sends the answer once more; seven of them took as long as a bare route. Here it is asked once for each handler
what concerns it, and the status of an answer is noted in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol

from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Message, Receive, Scope, Send

_STATUS: Final = "status"
"""The key in the state of a scope."""


class Layer(Protocol):
    """One rule for requests, their answers, or both."""

    def concerns(self, handler: HTTPRouteHandler) -> bool:
        """Report whether there is ever anything to do where this handler answers."""

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass a request on, or raise what it is refused with."""


def layered(layers: Sequence[Layer]) -> Callable[[ASGIApp], ASGIApp]:
    """Return a middleware of the framework that is all these layers, the outermost first.

    The framework makes one for each handler, and says which it is only when a request comes.
    """

    def middleware(app: ASGIApp) -> ASGIApp:
        way, whose = app, None

        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal way, whose
            if whose is not scope["route_handler"]:
                # Once, as the framework is today. Were one shared, nothing that concerns a handler may be left out.
                whose = _handler_of(scope)
                way = _way_to(app, [layer for layer in layers if layer.concerns(whose)])
            await way(scope, receive, send)

        return handle

    return middleware


def _way_to(app: ASGIApp, layers: Sequence[Layer]) -> ASGIApp:
    for layer in reversed(layers):
        app = partial(layer.handle, next_app=app)
    return app


def _handler_of(scope: Scope) -> HTTPRouteHandler:
    handler: Any = scope["route_handler"]
    assert isinstance(handler, HTTPRouteHandler), "all that is served are requests"
    return handler


async def note_status(message: Message, scope: Scope) -> None:
    """Note that an answer begins, and with which status."""
    if message["type"] == "http.response.start":
        scope["state"][_STATUS] = message["status"]


def status_of(scope: Scope) -> int:
    """Return the status of an answer that has begun; 0 before that."""
    status: int = scope["state"].get(_STATUS, 0)
    return status
