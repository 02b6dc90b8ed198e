"""The desk where hints are asked for: each is worked out in a process of its own beside those who play, one by one.

A seat asks for one at a time, and few wait at once: a hint is for whoever sits there and thinks, and is no use later.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Literal
from uuid import UUID

from domain.analysis.hints import Hint
from domain.ids import Seat
from infra.store import Choices, Unavailable
from projections.view import View
from services.live.hinting import HintAsked, hint_from
from services.work.worker import Worker

WAITING_MAX: Final = 16
"""Hints that wait at once; whoever asks for another one is told to come back."""
FRAMES_MAX: Final = 4_096
"""Frames of a match that a hint is made of at most: a practice match has some hundreds."""
PAGE: Final = 256
"""Frames that are read at once."""
Frames = Callable[[int, int], Awaitable[list[bytes]]]
"""Reads frames of a seat: those above a version, so many at most."""


def why_no_hints(view: View, choices: Choices) -> Literal["event", "host", "people"] | None:
    """Return why a viewer is given no hints at a table; None where help of a program is nobody's loss."""
    if view.rules.get("event") is not None:
        return "event"
    if not choices.hints:
        return "host"
    return None if all(seat.bot for seat in view.seats if seat.seat != view.viewer) else "people"


class HintsBusy(Exception):  # noqa: N818 - named for what is the matter
    """As many hints wait as may."""


class AskedTwice(Exception):  # noqa: N818 - named for what was done
    """The seat waits for one already."""


class PlayedTooLong(Exception):  # noqa: N818 - named for what is the matter
    """The match has more lines than a hint is made of."""


class HintDesk:
    """All hints of one program."""

    def __init__(self, worker: Worker) -> None:
        """Have them worked out there."""
        self._worker = worker
        self._waiting: set[tuple[UUID, Seat]] = set()

    async def ask(self, match_id: UUID, seat: Seat, frames: Frames) -> Hint | None:
        """Return the hint for a seat now; None where it has nothing to decide.

        Raises:
            AskedTwice: The seat waits for one already.
            HintsBusy: As many wait as may.
            PlayedTooLong: The match has more lines than a hint is made of.
            Unavailable: The process that does it has ended.
        """
        asked = match_id, seat
        if asked in self._waiting:
            raise AskedTwice
        if len(self._waiting) >= WAITING_MAX:
            raise HintsBusy
        self._waiting.add(asked)
        try:
            return await self._worker.do(hint_from, HintAsked(seat, await _all(frames)))
        except MemoryError as trouble:
            raise Unavailable("the process that gives hints had no room left") from trouble
        finally:
            self._waiting.remove(asked)


async def _all(frames: Frames) -> tuple[bytes, ...]:
    found: list[bytes] = []
    while page := await frames(len(found), PAGE):
        found += page
        if len(found) > FRAMES_MAX:
            raise PlayedTooLong
    return tuple(found)
