"""The desk where hints are asked for: each is worked out in a process of its own beside those who play, one by one.

A seat asks for one at a time, and few wait at once: a hint is for whoever sits there and thinks, and is no use later.

The law of the file: how long a hint takes hangs on its seat's dice, and only that seat is told. Whoever waits behind it
waits for whole steps, of which nearly every hint takes one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Literal
from uuid import UUID

from domain.analysis.hints import Hint
from domain.ids import Seat
from infra.store import Choices, Unavailable
from projections.view import View
from services.live.hinting import HintAsked, hint_from
from services.live.untold import left_of_step
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
        self._worker, self._turn = worker, asyncio.Lock()
        self._waiting: set[tuple[UUID, Seat]] = set()
        self._places = WAITING_MAX

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
        if not self._places:
            raise HintsBusy
        self._waiting.add(asked)
        self._places -= 1
        has_turn = False
        try:
            given = HintAsked(seat, await _all(frames))
            has_turn = await self._turn.acquire()
            return await self._work(given)
        except MemoryError as trouble:
            raise Unavailable("the process that gives hints had no room left") from trouble
        finally:
            self._waiting.remove(asked)
            if not has_turn:
                self._places += 1

    async def _work(self, asked: HintAsked) -> Hint | None:
        """Work a hint out. Turn and place are kept to the end of a step, also where whoever asked goes away."""
        loop = asyncio.get_running_loop()
        began, doing = loop.time(), asyncio.ensure_future(self._worker.do(hint_from, asked))

        def end(_done: object) -> None:
            loop.call_later(left_of_step(loop.time() - began), self._pass_on)

        doing.add_done_callback(end)
        return await asyncio.shield(doing)

    def _pass_on(self) -> None:
        self._places += 1
        self._turn.release()


async def _all(frames: Frames) -> tuple[bytes, ...]:
    found: list[bytes] = []
    while page := await frames(len(found), PAGE):
        found += page
        if len(found) > FRAMES_MAX:
            raise PlayedTooLong
    return tuple(found)
