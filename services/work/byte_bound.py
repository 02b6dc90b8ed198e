"""A cache of pages, bounded by their bytes: what was read longest ago goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Place = TypeVar("Place", bound=Hashable)


class KeptPages(Generic[Place]):
    """Lists of bytes by their place.

    Attributes:
        bytes: What they come to.
    """

    def __init__(self, bytes_max: int) -> None:
        """Keep so many bytes at most."""
        self._bytes_max = bytes_max
        self._pages: OrderedDict[Place, list[bytes]] = OrderedDict()
        self.bytes = 0

    def get(self, place: Place) -> list[bytes] | None:
        """Return the page of a place, which counts as read now; None if it is not kept."""
        page = self._pages.get(place)
        if page is not None:
            self._pages.move_to_end(place)
        return page

    def keep(self, place: Place, page: list[bytes]) -> None:
        """Keep a page in the place of the one before it, unless it is no longer than that."""
        before = self._pages.get(place, [])
        if len(page) <= len(before):
            return
        self.bytes += sum(map(len, page)) - sum(map(len, before))
        self._pages[place] = page
        self._pages.move_to_end(place)
        while self.bytes > self._bytes_max:
            self.drop(next(iter(self._pages)))

    def drop(self, place: Place) -> None:
        """Keep the page of a place no longer."""
        self.bytes -= sum(map(len, self._pages.pop(place, [])))
