"""Caches: values of so many, pages of so many bytes; what was used longest ago goes first.

The one of values does what every command does a dozen times, and takes a fifth of what that takes of
`cachetools.LRUCache`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Place = TypeVar("Place", bound=Hashable)


class LastUsed(Generic[Key, Value]):
    """Values by their keys; None is no value."""

    def __init__(self, most: int) -> None:
        """Keep so many at most, one at least."""
        self._most = most
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """Return a value, which counts as used now; None if it is not kept."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def __setitem__(self, key: Key, value: Value) -> None:
        """Keep a value, which counts as used now, in the place of the one before it."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def update(self, values: Iterable[tuple[Key, Value]]) -> None:
        """Keep some values, one after the other."""
        for key, value in values:
            self[key] = value

    def drop(self, key: Key) -> None:
        """Keep a value no longer."""
        self._kept.pop(key, None)

    def clear(self) -> None:
        """Keep nothing any more."""
        self._kept.clear()


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
