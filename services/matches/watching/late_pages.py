"""Pages of what comes late: the frames that whoever casts a match is shown, made once for all who do.

Such a frame is a function of the first lines of a match, as many as had been stored when its round was released. So a
page of them is the same for everybody, and good until somebody's name is erased; a stream that is begun, dropped and
begun again costs the house no more than the bytes of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Final
from uuid import UUID

from domain.ids import Version
from services.matches.watching.named_pages import CalledNow, NamedPage, NamedPages
from services.work.single_flight import Once

PAGE: Final = 64
"""Frames of a page: some 200 kB of three seats. One that a round releases in the middle is made anew with the next."""
BYTES_MAX: Final = 8 * 1_024 * 1_024
"""What all pages come to at most: the last rounds of some tables that are cast, and a few matches as a whole."""

Place = tuple[UUID, Version, Version]
"""A match, the version that a page begins behind, and how many lines tell of it."""
Makes = Callable[[UUID, Version, Version, Version], Coroutine[Any, Any, NamedPage]]
"""Makes the frames of a match after a version up to another, as so many lines tell of them."""


class LatePages:
    """The pages that somebody read lately.

    Attributes:
        pages: The pages themselves.
    """

    def __init__(self, makes: Makes, called_now: CalledNow, bytes_max: int = BYTES_MAX) -> None:
        """Make pages in this way, and keep so many bytes of them at most, while names are what this says."""
        self._makes = makes
        self._once = Once()
        self.pages: NamedPages[Place] = NamedPages(bytes_max, called_now)

    async def frames(self, match_id: UUID, after: Version, limit: int, told: Version) -> list[bytes]:
        """Return at most `limit` frames above version `after`, up to `told`, as the first `told` lines tell of them.

        Cost: the pages that are not kept.
        """
        upto = min(after + limit, told)
        found: list[bytes] = []
        for start in range(after - after % PAGE, upto, PAGE):
            page = await self._page((match_id, start, told))
            found += page[max(0, after - start) : upto - start]
        return found

    def _page(self, place: Place) -> Awaitable[list[bytes]]:
        return self._once.get(place, partial(self._kept_or_made, place))

    async def _kept_or_made(self, place: Place) -> list[bytes]:
        page = await self.pages.get(place)
        if page is None:
            match_id, start, told = place
            page = await self._makes(match_id, start, min(start + PAGE, told), told)
            self.pages.keep(place, page)
        return page.frames
