"""Pages of frames in memory, each good while everybody in it whose name can be erased is called what they were."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from typing import Final, Generic, TypeVar

import msgspec
from msgspec import Struct

from services.work.caches import KeptPages

Place = TypeVar("Place", bound=Hashable)
Called = Mapping[str, str]
"""The names of players that can be erased, by player id; of whom there is none here it was."""
CalledNow = Callable[[Iterable[str]], Awaitable[Called]]
"""Returns what players are called now."""


class NamedPage(Struct, frozen=True):
    """Frames, and what they call people.

    Attributes:
        frames: The frames, encoded.
        players: Whose names in them can be erased.
        called: What these, at least, were called when the frames were made.
    """

    frames: list[bytes]
    players: list[str]
    called: Called

    def followed_by(self, page: NamedPage) -> NamedPage:
        """Return both as one; who is called otherwise in the second is as in the first, so it will be made anew."""
        players = sorted({*self.players, *page.players})
        return NamedPage(self.frames + page.frames, players, {**page.called, **self.called})


NOTHING_KEPT: Final = NamedPage([], [], {})


class NamedPages(Generic[Place]):
    """Pages by their place.

    Attributes:
        kept: The pages themselves, behind what they call people.
    """

    def __init__(self, bytes_max: int, called_now: CalledNow) -> None:
        """Keep so many bytes at most, and ask this whether names are what they were."""
        self.kept: KeptPages[Place] = KeptPages(bytes_max)
        self._called_now = called_now

    async def get(self, place: Place) -> NamedPage | None:
        """Return the page of a place; None if it is not kept, or names somebody who is not called so any more.

        Cost: nothing where nobody's name can be erased.
        """
        page = self.kept.get(place)
        if page is None:
            return None
        head, *frames = page
        players, called = msgspec.json.decode(head, type=tuple[list[str], dict[str, str]])
        if players and await self._called_now(players) != called:
            self.kept.drop(place)
            return None
        return NamedPage(frames, players, called)

    def keep(self, place: Place, page: NamedPage) -> None:
        """Keep a page in the place of the one before it, unless it is no longer than that."""
        called = {player: page.called[player] for player in page.players if player in page.called}
        self.kept.keep(place, [msgspec.json.encode((page.players, called)), *page.frames])
