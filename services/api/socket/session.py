"""The session of one client on a socket: takes its messages, and knows whether anything is under way."""

from __future__ import annotations

import asyncio

from websockets.frames import CloseCode

from services.api.dependencies import Dependencies
from services.api.meters import SocketMeter
from services.api.socket.acting import PENDING_MAX, Actor
from services.api.socket.messages import (
    CommandMessage,
    UnwatchMessage,
    WatchMessage,
    decode_asked,
    encode_problem,
    id_of,
)
from services.api.socket.refusing import refusal_of
from services.api.socket.watching import Watcher
from services.http.front.rates import Rates
from services.http.front.upgrades import Channel
from services.http.layers.finishing import CODE, WHY
from services.http.problems import HttpProblem, document_of

UNREAD_MAX = 32
"""Messages in a row that ask for nothing: then nobody is there whom answers help."""


class SocketSession:
    """What is said on one socket: a `Talk`."""

    def __init__(self, parts: Dependencies, rates: Rates, network: str, meter: SocketMeter, browser: str = "") -> None:
        """Serve a client of this network, which calls itself so, and have its commands counted."""
        self._doors = parts.doors
        self._actor = Actor(parts, rates, network, self.send, self._look, meter)
        self._watcher = Watcher(parts, rates, network, self, self._look, browser)
        self._wire: Channel | None = None
        self._spoke_at = 0.0
        self._unread = 0
        self._is_leaving = False

    def begin(self, wire: Channel) -> None:
        """Begin over this connection."""
        self._wire = wire
        self._doors.welcome(self)
        self._look()
        if not self._doors.are_open:
            self.go_away()

    def receive(self, message: bytes) -> None:
        """Do what a message asks for, or say why not."""
        try:
            asked = decode_asked(message)
        except HttpProblem as trouble:
            self._answer_unread(message, trouble)
            return
        self._unread = 0
        try:
            self._begin(asked)
        except HttpProblem as trouble:
            self.send(refusal_of(asked.id, trouble).message)
        self._look()

    def _begin(self, asked: CommandMessage | WatchMessage | UnwatchMessage) -> None:
        match asked:
            case CommandMessage():
                self._actor.put(asked)
            case WatchMessage():
                self._watcher.begin(asked)
            case UnwatchMessage():
                self._watcher.end(asked)

    def _answer_unread(self, message: bytes, trouble: HttpProblem) -> None:
        self.send(refusal_of(id_of(message), trouble).message)
        self._unread += 1
        if self._unread >= UNREAD_MAX and self._wire is not None:
            self._wire.close(CloseCode.POLICY_VIOLATION, "nothing that was sent asks for anything")

    # ---- what goes out --------------------------------------------------------------------------

    def send(self, message: bytes) -> None:
        """Send a message, if there is still anybody to hear it."""
        if self._wire is not None:
            self._spoke_at = asyncio.get_running_loop().time()
            self._wire.send(message)

    async def drained(self) -> None:
        """Wait until the client takes more."""
        if self._wire is not None:
            await self._wire.drained()

    def is_silent(self, for_s: float) -> bool:
        """Report whether nothing has been sent for so many seconds."""
        return asyncio.get_running_loop().time() - self._spoke_at >= for_s

    # ---- coming and going -----------------------------------------------------------------------

    def _look(self) -> None:
        """Tell the connection how much is under way."""
        if self._wire is None:
            return
        self._wire.hold(held=self._is_leaving or self._actor.pending >= PENDING_MAX)
        rests = self._actor.pending == 0 and self._watcher.count == 0
        if rests and self._is_leaving:
            self._wire.close(CloseCode.GOING_AWAY, "the service goes down; come again in a moment")
        else:
            self._wire.rest(rests=rests)

    def go_away(self) -> None:
        """Take no more, answer what was taken, and close: the program goes down. Matches say bye by themselves."""
        self._is_leaving = True
        self._look()

    def hurry(self) -> None:
        """Say of what is not answered that no answer will come, and close."""
        for name in self._actor.forget():
            self.send(encode_problem(name, document_of(CODE, WHY)))
        if self._wire is not None:
            self._wire.close(CloseCode.GOING_AWAY, "the service goes down")

    def end(self) -> None:
        """Hear that the connection is gone."""
        self._wire = None
        self._doors.farewell(self)
        self._actor.forget()
        self._watcher.stop()
