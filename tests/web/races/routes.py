"""Lines to the house that are slow, or break off, as a test says, and time of a page that runs as fast as it can.

A test of a race holds what one of two waits for until the other is through, so that each run of it goes the same way.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from playwright.async_api import APIResponse, Page, Request, Route

from tests.web.conftest import PATIENCE_MS

TWO_FRAMES = "() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"
LOST_TIMES = 2
A_MOMENT_MS = 200
"""How long a page is given for what follows at once from what it was told, where nothing is to follow."""


class Held:
    """Requests that are held until a test lets them go.

    They come to the house only then; or, for what is old by the time that it is told, the first one's answer is had at
    once and held instead, and all others go their way.
    """

    def __init__(self, *, answered: bool) -> None:
        self._answered = answered
        self._taken = False
        self._holds = asyncio.Event()
        self._goes = asyncio.Event()

    async def __call__(self, route: Route) -> None:
        if self._goes.is_set() or (self._answered and self._taken):
            await route.fallback()
            return
        self._taken = True
        answer = await route.fetch() if self._answered else None
        self._holds.set()
        await self._goes.wait()
        if answer is None:
            await route.continue_()
        else:
            await route.fulfill(response=answer)

    @property
    def is_there(self) -> bool:
        """Report whether one is held."""
        return self._holds.is_set()

    async def there(self) -> None:
        """Wait until one is held."""
        async with asyncio.timeout(PATIENCE_MS / 1_000):
            await self._holds.wait()

    def let_go(self) -> None:
        self._goes.set()


class Lost:
    """A line that is gone twice for each part: when the page has it come in advance, and when it is asked for."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def __call__(self, route: Route) -> None:
        self.asked[route.request.url] += 1
        if self.asked[route.request.url] > LOST_TIMES:
            await route.fallback()
        else:
            await route.abort()

    def is_back(self) -> bool:
        return bool(self.asked) and min(self.asked.values()) > LOST_TIMES


@asynccontextmanager
async def held(page: Page, address: str, *, answered: bool = False) -> AsyncIterator[Held]:
    """Hold what a page asks for at this address, until the test lets it go or is over."""
    found = Held(answered=answered)
    await page.route(address, found)
    try:
        yield found
    finally:
        found.let_go()


@asynccontextmanager
async def broken_off(page: Page, address: str, *, done: bool = False) -> AsyncIterator[list[str]]:
    """Let the next answer that a page asks for at this address stop in the middle, as where a line is lost.

    What is yielded has the address once that has happened. If `done`, the house has done what was asked for before.
    """

    async def stops(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"card":')
        await writer.drain()
        writer.close()

    cut: list[str] = []
    server = await asyncio.start_server(stops, "127.0.0.1", 0)
    elsewhere = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"

    async def once(route: Route) -> None:
        if cut:
            await route.fallback()
            return
        cut.append(route.request.url)
        if done:
            await route.fetch()
        await route.continue_(url=elsewhere, method="GET")

    await page.route(address, once)
    async with server:
        yield cut


class Gibberish:
    """A house that answers the first of what a page listens to with what is no line of its own, and does not end it."""

    def __init__(self) -> None:
        self._asked = False
        self._left = asyncio.Event()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer, and hear when the page has left."""
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n<h1>Welcome to the train</h1>\n")
        await writer.drain()
        await reader.read()
        self._left.set()
        writer.close()

    async def left(self) -> None:
        """Wait until the page has left the line on which that was said."""
        async with asyncio.timeout(PATIENCE_MS / 1_000):
            await self._left.wait()

    @asynccontextmanager
    async def instead(self, page: Page, address: str) -> AsyncIterator[None]:
        """Answer so what a page asks for first at this address."""
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        elsewhere = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"

        async def once(route: Route) -> None:
            if self._asked:
                await route.fallback()
                return
            self._asked = True
            await route.continue_(url=elsewhere)

        await page.route(address, once)
        async with server:
            yield


class Unanswered:
    """A line on which the first so many requests of a method come to the house, and no answer to them comes back.

    If not `comes`, they do not come to the house either. Only those count in whose body `within` stands.

    Attributes:
        answers: What the house has answered.
    """

    def __init__(self, method: str, times: int, *, comes: bool = True, within: str = "") -> None:
        self._method = method
        self._comes = comes
        self._within = within
        self.left = times
        self.answers: list[APIResponse] = []

    async def __call__(self, route: Route) -> None:
        asked = route.request
        if self.left == 0 or asked.method != self._method or self._within not in (asked.post_data or ""):
            await route.fallback()
            return
        self.left -= 1
        if self._comes:
            self.answers.append(await route.fetch())
        await route.abort()

    @property
    def is_back(self) -> bool:
        """Report whether answers come again."""
        return self.left == 0


def counted(page: Page, method: str, ending: str) -> list[str | None]:
    """Return the bodies of requests that a page makes from now on, by a method to addresses that end so."""
    found: list[str | None] = []

    def note(request: Request) -> None:
        if request.method == method and request.url.partition("?")[0].endswith(ending):
            found.append(request.post_data)

    page.on("request", note)
    return found


async def comes_to_rest(page: Page) -> None:
    """Let a page do all that follows at once from what it was told: where nothing is to follow, nothing can be seen."""
    await page.wait_for_timeout(A_MOMENT_MS)
    await page.evaluate(TWO_FRAMES)


async def with_own_time(page: Page) -> None:
    """Give a page a time of its own, which runs as any other until it is told to run ahead; it begins anew."""
    await page.clock.install()
    await page.reload()


async def runs_ahead(page: Page, seen: Callable[[], object]) -> None:
    """Let the own time of a page run ahead, second after second, until something is seen."""
    async with asyncio.timeout(PATIENCE_MS / 1_000):
        while not seen():
            await page.clock.run_for(1_000)
            await asyncio.sleep(0.02)


def seats_of(service_url: str, match: str) -> list[dict[str, Any]]:
    """Return who sits at a table, as everybody sees it."""
    seats: list[dict[str, Any]] = httpx.get(f"{service_url}/api/v1/matches/{match}", timeout=60).json()["seats"]
    return seats
