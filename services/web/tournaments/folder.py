"""Pages of tournaments that are kept: each is written once for all who read it, until the tournament moves.

What a page says follows from the lines of a tournament and the names of people alone, so it has an entity tag of its
text (RFC 9110 section 8.8.3), and whoever looks again is sent nothing new while nothing is.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Hashable, Mapping
from typing import Any, Final, TypeVar

from cachetools import LRUCache
from litestar import Request, Response
from msgspec import Struct

from services.http.etags import has
from services.web.tournaments.sites import ShownTournament, brackets_of
from services.web.writing.renderer import PageRenderer
from services.words.catalogue import spoken
from services.words.figures import moment_stamp, moment_text
from services.work.single_flight import Once

KEPT_MAX: Final = 16_000_000
"""Characters that are kept: the standings of a thousand entrants have half a million."""
_DIGEST_HEX: Final = 32
_GLANCES_MAX: Final = 64

GLANCE_S: Final = 1.0
"""For how long whoever looks at what runs sees what somebody else has just seen."""
VIEWS_MAX: Final = 8
"""Standings that are kept besides their pages, some megabytes of a thousand entrants: names are looked up in them."""

Context = Mapping[str, object]
T = TypeVar("T")


class WrittenPage(Struct, frozen=True):
    """A page as it is handed out, with its tag."""

    text: str
    etag: str


class Folder:
    """Where pages of tournaments are kept."""

    def __init__(self) -> None:
        """Keep none yet."""
        self._kept: LRUCache[Hashable, WrittenPage] = LRUCache(KEPT_MAX, lambda page: len(page.text))
        self._once = Once()
        self._glances: LRUCache[Hashable, tuple[float, Any]] = LRUCache(_GLANCES_MAX)
        self._views: LRUCache[Hashable, Any] = LRUCache(VIEWS_MAX)

    async def glance(self, of: Hashable, look: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what is seen of something that runs: one look a second, however many watch."""
        clock = asyncio.get_running_loop().time
        until, found = self._glances.get(of, (0.0, None))
        if clock() >= until:
            found = await self._once.get(of, look)
            self._glances[of] = (clock() + GLANCE_S, found)
        seen: T = found
        return seen

    async def view(self, shown: ShownTournament, of: Hashable, make: Callable[[], T]) -> T:
        """Return what is said of a tournament, kept for other pages of it; it is made in a thread."""
        key = (shown.tournament.id, shown.tournament.version, frozenset(shown.names.items()), of)

        async def write() -> T:
            return await asyncio.to_thread(make)

        if key not in self._views:
            self._views[key] = await self._once.get(("view", *key), write)
        found: T = self._views[key]
        return found

    async def page(
        self,
        request: Request[Any, Any, Any],
        paper: PageRenderer,
        template: str,
        shown: ShownTournament,
        of: Hashable,
        make: Callable[[], Context],
    ) -> Response[str]:
        """Return a page of a tournament, or 304 to whoever has it.

        Args:
            request: Who asks.
            paper: What it is written on.
            template: Its template.
            shown: The tournament.
            of: Whatever else it is of, such as a round.
            make: Returns what the template needs. It runs in a thread, since standings of many take long.

        Cost: nothing for a page that is kept but the comparison of its names.
        """
        names = frozenset(shown.names.items())
        key = (template, spoken(), shown.tournament.id, shown.tournament.version, shown.title, names, of)

        async def write() -> WrittenPage:
            return await asyncio.to_thread(_write, paper, template, shown, make)

        found = self._kept.get(key)
        if found is None:
            found = await self._once.get(key, write)
            if len(found.text) <= KEPT_MAX:
                self._kept[key] = found
        answer = paper.written(found.text)
        answer.headers["ETag"] = found.etag
        if has(request.headers.get("if-none-match"), found.etag):
            return Response("", status_code=304, media_type="text/html", headers=answer.headers)
        return answer


def _write(paper: PageRenderer, template: str, shown: ShownTournament, make: Callable[[], Context]) -> WrittenPage:
    told: dict[str, Any] = {
        "shown": shown,
        "stamp": moment_stamp,
        "clock": moment_text,
        "has_bracket": bool(brackets_of(shown)),
    }
    text = str(paper.page(template, **told | dict(make())).content)
    return WrittenPage(text, f'"{hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_HEX]}"')
