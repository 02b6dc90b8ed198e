"""Browsers for the tests of the pages: the real Chromium, and everything it was sent."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from time import monotonic, sleep
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import (
    Browser,
    CDPSession,
    ConsoleMessage,
    Error,
    Page,
    async_playwright,
    expect,
)

from tests.web.keeping import PLAIN, Kept, KeptPages

# A browser that phones nobody and keeps nothing; as root it cannot have its sandbox.
QUIET = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # A page of another site, which tests make up, embeds one of this machine.
    "--disable-features=LocalNetworkAccessChecks",
)
PATIENCE_MS = 60_000
"""How long a page may take to show what a test waits for, on a machine that is busy with other tests."""
expect.set_options(timeout=PATIENCE_MS)
NO_SOCKET = "delete window.WebSocket;"
"""A browser that has none, before the page begins."""
WOKEN = """() => {
  const { now } = Date;
  Date.now = () => now() + 60_000;
  document.dispatchEvent(new Event('visibilitychange'));
}"""
"""What a page sees when its device has slept for a minute: the clock on the wall has gone on, and no timer has."""
ROAMED = """() => {
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false });
  dispatchEvent(new Event('offline'));
  delete navigator.onLine;
  dispatchEvent(new Event('online'));
}"""
"""What a page sees when its device goes from one network to another: whatever it listened on is gone without a word."""
CLOSED_AND_PRESSED = """(key) => {
  document.querySelector('dialog.keys').close();
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}"""
"""Close the list of keys and press one before the page is drawn again: until then what is closed has the focus."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium_path: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path, args=list(QUIET))
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def kept_pages(browser: Browser, service_url: str) -> KeptPages:
    """Pages of the service that tests are done with, a worker's; they end with its browser."""
    return KeptPages(browser, service_url)


class Open:
    """Opens pages, each as a person of its own.

    Attributes:
        complaints: What their consoles complained of.
        expected: The complaint that is what the test is about.
    """

    def __init__(self, pages: KeptPages) -> None:
        self._pages = pages
        self._taken: list[Kept] = []
        self.complaints: list[str] = []
        self.expected: str | None = None

    async def __call__(self, path: str = PLAIN, **look: Any) -> Page:
        return await self._at(path, await self._pages.take(look))

    async def fresh(self, path: str = PLAIN, **look: Any) -> Page:
        """Open a page that has loaded nothing before."""
        return await self._at(path, await self._pages.make(look))

    async def _at(self, path: str, kept: Kept) -> Page:
        self._taken.append(kept)
        kept.listen(console=self._hear, pageerror=self._fail)
        kept.page.set_default_timeout(PATIENCE_MS)
        await kept.page.goto(path)
        return kept.page

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"{message.text} ({message.location['url']})")

    def _fail(self, error: Error) -> None:
        self.complaints.append(str(error))

    async def close(self) -> None:
        for kept in self._taken:
            await self._pages.give_back(kept)
        assert [text for text in self.complaints if self.expected is None or self.expected not in text] == []


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(kept_pages: KeptPages) -> AsyncIterator[Open]:
    """Open pages; whatever their consoles complain of fails the test."""
    opened = Open(kept_pages)
    yield opened
    await opened.close()


async def seated(page: Page, rules: dict[str, Any], *, bots: int = 0, name: str = "Ada", signs: bool = True) -> str:
    """Open a table under these rules, sit down at it as its host, with own seeds, and return the match.

    The page is one of the house already, whichever.
    """
    opened = await page.evaluate(
        """async (rules) => {
          const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
          const answer = await fetch('/api/v1/matches', { method: 'POST', headers, body: JSON.stringify({ rules }) });
          const { match, token } = await answer.json();
          localStorage.setItem(`truecup.match.${match}`, JSON.stringify({ host: token }));
          return match;
        }""",
        rules,
    )
    match = str(opened)
    await page.goto(f"/m/{match}")
    await sit_down(page, name, signs=signs)
    if bots:
        await page.get_by_label("House bots").fill(str(bots))
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(page.locator(".seat")).to_have_count(1 + bots)
    return match


async def sit_down(page: Page, name: str, *, own_seeds: bool = True, signs: bool = True) -> None:
    """Take a seat at the table of this page; no bot can play for one that signs."""
    await page.get_by_label("Your name").fill(name)
    await page.get_by_label("Draw my own seeds in this browser").set_checked(own_seeds)
    await page.get_by_label("Sign my moves with a key of this browser").set_checked(signs)
    await page.get_by_role("button", name="Sit down").click()
    await expect(page.locator(".seat.you .name")).to_contain_text(name)


class Received:
    """Every byte of every body that a page was sent; the stream piece by piece, and a socket's messages, as they came.

    Attributes:
        messages: How many messages of a socket there were.
    """

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._pieces: list[bytes] = []
        self._streams: set[str] = set()
        self._listens = True
        self.messages = 0

    @classmethod
    async def by(cls, page: Page) -> Received:
        """Listen to a page from now on."""
        session = await page.context.new_cdp_session(page)
        received = cls(session)
        session.on("Network.responseReceived", received._begins)
        session.on("Network.dataReceived", received._comes)
        session.on("Network.loadingFinished", received._ends)
        session.on("Network.webSocketFrameReceived", received._is_told)
        await session.send("Network.enable")
        return received

    async def end(self) -> None:
        """Listen no more: when the page goes elsewhere, the browser forgets what it was sent before."""
        self._listens = False
        await self._session.detach()

    async def _begins(self, event: dict[str, Any]) -> None:
        if event["response"]["mimeType"] == "application/x-ndjson":
            self._streams.add(event["requestId"])
            # What comes later may be told before the answer to this.
            place = len(self._pieces)
            self._pieces.append(b"")
            found = await self._asked("Network.streamResourceContent", event)
            self._pieces[place] = base64.b64decode(found.get("bufferedData", ""))

    def _is_told(self, event: dict[str, Any]) -> None:
        self.messages += 1
        # A frame stands on a line of its own, as in the stream.
        head, name, frame = event["response"]["payloadData"].partition('"frame":')
        told = f"{head}{name}\n{frame[:-1]}\n{frame[-1]}\n" if frame else f"{head}\n"
        self._pieces.append(told.encode())

    def _comes(self, event: dict[str, Any]) -> None:
        self._pieces.append(base64.b64decode(event.get("data", "")))

    async def _ends(self, event: dict[str, Any]) -> None:
        if event["requestId"] not in self._streams:
            found = await self._asked("Network.getResponseBody", event)
            body = found.get("body", "")
            self._pieces.append(base64.b64decode(body) if found.get("base64Encoded") else body.encode())

    async def _asked(self, method: str, event: dict[str, Any]) -> dict[str, Any]:
        """Return what the browser answers about a request; nothing once no test listens, or the page was closed."""
        try:
            answer: dict[str, Any] = await self._session.send(method, {"requestId": event["requestId"]})
        except Error as error:
            if self._listens and "has been closed" not in str(error):
                raise
            return {}
        return answer

    @property
    def text(self) -> str:
        """All of it."""
        return b"".join(self._pieces).decode()


OPTIONS = {"spot_on": True, "push": True, "pass_once": True, "drinks": {"basis": "round"}}


def posted(service_url: str, path: str, body: object, token: str | None = None) -> Any:
    """Return what the interface answers to this."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = httpx.post(f"{service_url}/api/v1{path}", json=body, headers=headers, timeout=60)
    assert answer.is_success, answer.text
    return answer.json()


async def proven(service_url: str, match: str) -> dict[str, Any]:
    """Return what the house's own audit finds of a match that is over, once the log vouches for its end."""
    async with asyncio.timeout(PATIENCE_MS / 1000), httpx.AsyncClient(base_url=service_url, timeout=60) as client:
        while True:
            found: dict[str, Any] = (await client.get(f"/api/v1/matches/{match}/audit")).json()
            if found["status"] != "INCOMPLETE":
                return found
            await asyncio.sleep(0.2)


@pytest.fixture(scope="module")
def running(service_url: str) -> str:
    """Return a match that was in play when the first test of a file asked for it, with clocks and a ledger."""
    return begun(service_url)


def begun(service_url: str) -> str:
    """Return a match between bots in which the dice have just fallen."""
    timing = {"clock": {"bank_ms": 600_000}, "pause_ms": 3_000}
    rules = {"game": "common_hand", "options": OPTIONS, "seats": 5, **timing}
    opened = posted(service_url, "/matches", {"rules": rules})
    path = f"/matches/{opened['match']}"
    posted(service_url, f"{path}/bots", {"count": 5}, opened["token"])
    posted(service_url, f"{path}/start", {}, opened["token"])
    deadline = monotonic() + PATIENCE_MS / 1000
    while not httpx.get(f"{service_url}/api/v1{path}", timeout=60).json()["dice_in_play"]:
        assert monotonic() < deadline, "no dice fall"
        sleep(0.05)
    return opened["match"]
