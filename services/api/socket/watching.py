"""Matches followed on a socket: for each a task that sends what its stream says, as fast as the client takes it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final, Protocol

from services.api.dependencies import Dependencies, Reading, StreamedItem, first_of
from services.api.looking_on import look
from services.api.requests import bearer_of, checked_token
from services.api.socket.messages import (
    BEAT,
    MessageId,
    UnwatchAnswer,
    UnwatchMessage,
    WatchAnswer,
    WatchMessage,
    encode,
    encode_item,
    heading_of,
)
from services.api.socket.refusing import refusal_of
from services.http.front.drain import DoorPlace
from services.http.front.rates import Rates
from services.http.problems import HttpProblem
from services.matches.secrets.tokens import Holder

WATCHES_MAX: Final = 32
"""Matches followed on one socket; each counts as a stream among those of its network."""


class Sending(Protocol):
    """The way to the client."""

    def send(self, message: bytes) -> None:
        """Send a message."""

    async def drained(self) -> None:
        """Wait until the client takes more."""

    def is_silent(self, for_s: float) -> bool:
        """Report whether nothing has been sent for so many seconds."""


class Watcher:
    """The matches that one socket follows."""

    def __init__(
        self,
        parts: Dependencies,
        rates: Rates,
        network: str,
        to: Sending,
        on_change: Callable[[], None],
        browser: str = "",
    ) -> None:
        """Follow for a client of this network, and tell whenever the count of matches has changed."""
        self._parts = parts
        self._rates = rates
        self._network = network
        self._browser = browser
        self._to = to
        self._on_change = on_change
        self._tasks: dict[MessageId, asyncio.Task[None]] = {}
        self._places: dict[MessageId, DoorPlace] = {}
        self._ending: set[MessageId] = set()
        self._opening = asyncio.Lock()

    @property
    def count(self) -> int:
        """How many matches are followed."""
        return len(self._tasks)

    def begin(self, asked: WatchMessage) -> None:
        """Follow a match.

        Raises:
            HttpProblem: `too_many_streams`, or `malformed` where the id is that of another match followed.
        """
        if asked.id in self._tasks:
            raise HttpProblem("malformed", faults=[{"where": "$.id", "why": "a match is followed under this id"}])
        if len(self._tasks) >= WATCHES_MAX:
            raise HttpProblem("too_many_streams", f"a socket follows at most {WATCHES_MAX} matches")
        self._tasks[asked.id] = asyncio.get_running_loop().create_task(self._follow(asked))

    def end(self, asked: UnwatchMessage) -> None:
        """Let the stream of a match say bye, behind its snapshot if that is still to come.

        Raises:
            HttpProblem: `malformed`: none is followed under this id.
        """
        if asked.watch not in self._tasks:
            raise HttpProblem("malformed", faults=[{"where": "$.watch", "why": "no match is followed under this id"}])
        self._to.send(encode(UnwatchAnswer(asked.id, 200)))
        self._ending.add(asked.watch)
        if asked.watch in self._places:
            self._places[asked.watch].ask_to_leave()

    def stop(self) -> None:
        """Follow nothing any more: nobody hears it."""
        for task in self._tasks.values():
            task.cancel()

    async def _follow(self, asked: WatchMessage) -> None:
        try:
            async with self._opening:
                items, place, first = await self._open(asked)
            await self._tell(asked, items, place, first)
        except Exception as trouble:  # noqa: BLE001 - the end of the way: what has no code of its own is ours, and logged
            self._to.send(refusal_of(asked.id, trouble).message)
        finally:
            del self._tasks[asked.id]
            self._ending.discard(asked.id)
            self._on_change()

    async def _open(self, asked: WatchMessage) -> tuple[AsyncGenerator[StreamedItem, None], DoorPlace, StreamedItem]:
        """Take a place and return the stream with what it begins with; one at a time, for a snapshot costs the most."""
        holder, matches = await self._viewer(asked)
        seat = None if holder is None else (asked.match, holder.seat)
        bounds = self._parts.bounds
        place = self._parts.doors.enter(self._network, seat, bounds.streams_max, bounds.streams_of_network_max)
        try:
            items = self._parts.streams.stream(
                *(asked.match, holder, asked.after, matches, place.over, bounds.beat_s, asked.phrases)
            )
            first = await first_of(items, asked.after)
        except BaseException:
            place.leave()
            raise
        return items, place, first

    async def _viewer(self, asked: WatchMessage) -> tuple[Holder | None, Reading]:
        if asked.token is None:
            return None, self._parts.matches
        bearer = await bearer_of(checked_token(asked.token), asked.match, self._network, self._parts, self._rates)
        return bearer.holder, self._parts.matches.for_token(asked.token)

    async def _tell(
        self, asked: WatchMessage, items: AsyncGenerator[StreamedItem, None], place: DoorPlace, first: StreamedItem
    ) -> None:
        """Send what a stream says, until it has said its last word."""
        match = str(asked.match)
        self._places[asked.id] = place
        if asked.id in self._ending:
            place.ask_to_leave()
        looked = look(self._parts, match, self._network, self._browser if asked.token is None else None)
        try:
            self._to.send(encode(WatchAnswer(asked.id, 200, match, first.version or 0)))
            await self._send(heading_of(asked.id, asked.match), first, items)
        finally:
            looked()
            place.leave()
            del self._places[asked.id]

    async def _send(self, heading: bytes, first: StreamedItem, items: AsyncGenerator[StreamedItem, None]) -> None:
        async with aclosing(items):
            self._to.send(encode_item(heading, first.kind, first.body))
            del first  # what many are shown is not to be kept by each of them
            async for item in items:
                if item.kind != "beat":
                    self._to.send(encode_item(heading, item.kind, item.body))
                    await self._to.drained()
                elif self._to.is_silent(self._parts.bounds.beat_s / 2):
                    self._to.send(BEAT)
                del item
