"""Browsers for the tests of the pages: the real Chromium, and everything it was sent."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, CDPSession, ConsoleMessage, Page, async_playwright

# A browser that phones nobody and keeps nothing; as root it cannot have its sandbox.
QUIET = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
Open = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium_path: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path, args=list(QUIET))
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: Browser, service_url: str) -> AsyncIterator[Open]:
    """Open pages, each as a person of its own; whatever their consoles complain of fails the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    async def opened(path: str, **look: Any) -> Page:
        context = await browser.new_context(base_url=service_url, **look)
        contexts.append(context)
        page = await context.new_page()
        page.on("console", lambda message: complaints.append(_said(message)) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.set_default_timeout(15_000)
        await page.goto(path)
        return page

    yield opened
    for context in contexts:
        await context.close()
    assert complaints == []


def _said(message: ConsoleMessage) -> str:
    return f"{message.text} ({message.location['url']})"


class Received:
    """Every byte of every body that a page was sent; the stream piece by piece, as it came."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._pieces: list[bytes] = []
        self._streams: set[str] = set()

    @classmethod
    async def by(cls, page: Page) -> Received:
        """Listen to a page from now on."""
        session = await page.context.new_cdp_session(page)
        received = cls(session)
        session.on("Network.responseReceived", received._begins)  # noqa: SLF001 - its own
        session.on("Network.dataReceived", received._comes)  # noqa: SLF001 - its own
        session.on("Network.loadingFinished", received._ends)  # noqa: SLF001 - its own
        await session.send("Network.enable")
        return received

    async def _begins(self, event: dict[str, Any]) -> None:
        if event["response"]["mimeType"] == "application/x-ndjson":
            self._streams.add(event["requestId"])
            found = await self._session.send("Network.streamResourceContent", {"requestId": event["requestId"]})
            self._pieces.append(base64.b64decode(found["bufferedData"]))

    def _comes(self, event: dict[str, Any]) -> None:
        self._pieces.append(base64.b64decode(event.get("data", "")))

    async def _ends(self, event: dict[str, Any]) -> None:
        if event["requestId"] not in self._streams:
            found = await self._session.send("Network.getResponseBody", {"requestId": event["requestId"]})
            body = found["body"]
            self._pieces.append(base64.b64decode(body) if found["base64Encoded"] else body.encode())

    @property
    def text(self) -> str:
        """All of it."""
        return b"".join(self._pieces).decode()
