"""Pages of the house that tests are done with, for the tests that follow: what they have loaded need not be again.

A page that comes to a table in a browser of its own costs a second of the processor, and one that has been at a table
before a third of that: its process is there, with every script in it. Nothing else is left of whoever had it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, CDPSession, Frame, Page

PLAIN = "/problems/claim_not_higher"
"""A page without a script, where a browser is somebody's before it goes to a table."""
VIEWPORT = {"width": 1280, "height": 720}
MEDIA = {"color_scheme": "light", "reduced_motion": "reduce", "forced_colors": "none"}
"""What a page is told of its screen when nobody says anything: a page can be told anew, as of its size.

What moves is drawn sixty times a second, a fifth of what a table costs: a test in which it matters asks for it.
"""
MOVES: dict[str, Any] = {"reduced_motion": "no-preference"}
"""The look of a page on which what moves is what a test is about."""
USUAL = {"viewport", *MEDIA}
IDLE_MAX = 4
"""How many pages wait: as many as most tests open, and each is a process."""
LASTING = frozenset(
    (
        *("add_init_script", "expose_binding", "expose_function", "grant_permissions", "install", "new_cdp_session"),
        *("new_page", "on", "once", "route", "route_web_socket", "set_extra_http_headers", "set_geolocation"),
        *("set_offline", "add_cookies"),
    )
)
"""What stays with a page, with its context or its clock: a page of which this was asked is nobody's afterwards."""
UNDONE = frozenset({"on", "route"})
"""What of it is undone, where it was asked of the page itself."""


class Kept:
    """A page in a context of its own, which may be somebody else's once it is tidy.

    Attributes:
        page: The page.
    """

    def __init__(self, page: Page, session: CDPSession, url: str, *, is_usual: bool) -> None:
        self.page = page
        self._session = session
        self._url = url
        self._changed = not is_usual
        self._listen: Any = page.on
        self._heard: list[tuple[str, Callable[..., object]]] = []
        page.on("framenavigated", self._goes)
        for owner in (page, page.context, page.clock):
            for name in LASTING - (UNDONE if owner is page else frozenset()):
                if hasattr(owner, name):
                    setattr(owner, name, self._noted(getattr(owner, name)))
        setattr(page, "on", self._hears)  # noqa: B010 - a method of its class

    def _noted(self, ask: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **options: Any) -> Any:
            self._changed = True
            return ask(*args, **options)

        return noted

    def _goes(self, frame: Frame) -> None:
        self._changed |= not frame.url.startswith((f"{self._url}/", "about:"))

    @property
    def is_as_it_was(self) -> bool:
        """Report whether nothing was asked of it that lasts, and it was nowhere else."""
        return not self._changed and not self.page.is_closed() and self.page.context.pages == [self.page]

    def _hears(self, event: str, hear: Callable[..., object]) -> None:
        self._heard.append((event, hear))
        self._listen(event, hear)

    def listen(self, **heard: Callable[..., object]) -> None:
        """Tell whoever has it of what happens on it, until it is given back."""
        for event, hear in heard.items():
            self._hears(event, hear)

    async def tidy(self) -> None:
        """Leave nothing in it of whoever had it."""
        while self._heard:
            self.page.remove_listener(*self._heard.pop())
        await self.page.unroute_all(behavior="ignoreErrors")
        await self.page.mouse.move(-1, -1)
        await self.page.goto(PLAIN)
        await self.page.evaluate("sessionStorage.clear(), window.name = ''")
        await self._session.send("Storage.clearDataForOrigin", {"origin": self._url, "storageTypes": "all"})
        await self._session.send("Page.resetNavigationHistory")

    async def dress(self, look: dict[str, Any]) -> None:
        """Tell it of a screen."""
        await self.page.set_viewport_size(look.get("viewport", VIEWPORT))
        await self.page.emulate_media(media="null", **{name: look.get(name, usual) for name, usual in MEDIA.items()})


class KeptPages:
    """The pages that wait."""

    def __init__(self, browser: Browser, url: str, idle_max: int = IDLE_MAX) -> None:
        parts = urlsplit(url)
        self._browser = browser
        self._idle_max = idle_max
        self._url = f"{parts.scheme}://{parts.netloc}"
        self._idle: list[Kept] = []

    async def take(self, look: dict[str, Any]) -> Kept:
        """Return a page that is nobody's."""
        if not self._idle or not look.keys() <= USUAL:
            return await self.make(look)
        kept = self._idle.pop()
        await kept.dress(look)
        return kept

    async def make(self, look: dict[str, Any]) -> Kept:
        """Return a page that was nobody's before."""
        context = await self._browser.new_context(base_url=self._url, **{**MEDIA, **look})
        page = await context.new_page()
        return Kept(page, await context.new_cdp_session(page), self._url, is_usual=look.keys() <= USUAL)

    async def give_back(self, kept: Kept) -> None:
        """Keep a page for whoever comes next, or close it."""
        if len(self._idle) < self._idle_max and kept.is_as_it_was:
            await kept.tidy()
            self._idle.append(kept)
        else:
            await kept.page.context.close()
