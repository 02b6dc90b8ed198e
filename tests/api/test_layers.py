"""Layers before handlers: each handler has those that concern it, and what they refuse is counted as what it is."""

from __future__ import annotations

from typing import Any, cast

import httpx
from litestar import Litestar, get
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from services.http.layers.layered import layered, note_status, status_of


class Noting:
    """A layer that notes who passes it, on the way in and with the status on the way out."""

    def __init__(self, name: str, noted: list[str], only: str | None = None) -> None:
        self._name = name
        self._noted = noted
        self._only = only

    def concerns(self, handler: HTTPRouteHandler) -> bool:
        return self._only is None or bool(handler.opt.get(self._only))

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        self._noted.append(f"{self._name} {status_of(scope)}")
        await next_app(scope, receive, send)
        self._noted.append(f"{self._name} {status_of(scope)}")


@get("/plain")
async def plain() -> str:
    return "plain"


@get("/dear", opt={"dear": True}, status_code=203)
async def dear() -> str:
    return "dear"


async def test_a_handler_has_the_layers_that_concern_it_the_outermost_first() -> None:
    noted: list[str] = []
    layers = [Noting("every", noted), Noting("some", noted, "dear")]
    app = Litestar([plain, dear], middleware=[layered(layers)], before_send=[note_status], openapi_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast(Any, app)), base_url="http://house") as client:
        for path, expected in {
            "/plain": ["every 0", "every 200"],
            "/dear": ["every 0", "some 0", "some 203", "every 203"],
        }.items():
            for _ in range(2):
                noted.clear()
                await client.get(path)
                assert expected == noted
