"""The line between a process of a set and the one that started it: questions and answers, both ways.

A message is a line of JSON. Either end asks, and the other answers by the number of the question. That the line is cut
tells each end, at once, that the other is no more.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count
from typing import Final, Literal

import msgspec
from msgspec import Struct

Subject = Literal["health", "meters"]
"""What may be asked about."""
LINE_MAX: Final = 16 * 1_024 * 1_024
"""The longest message; the meters of a process take some dozens of kilobytes."""

NOTHING: Final = b"null"


class Ask(Struct, frozen=True, tag="ask"):
    """A question."""

    number: int
    about: Subject


class Replied(Struct, frozen=True, tag="replied"):
    """The answer to a question: a document of its own, `null` where there is none."""

    number: int
    body: msgspec.Raw


class Up(Struct, frozen=True, tag="up"):
    """A process does its work from now on."""


class Down(Struct, frozen=True, tag="down"):
    """A process ends by itself, and says why.

    Attributes:
        kind: `start` if it cannot do its work as things are, `history` if the database shows another history than the
            one that was signed, `broken` for a fault of its own, of which its log says more.
        why: A sentence; empty for a fault.
    """

    kind: Literal["start", "history", "broken"]
    why: str = ""


Message = Ask | Replied | Up | Down
Answers = Callable[[Subject], Awaitable[bytes | None]]
"""Gives the answer to a question, as JSON."""

_DECODER: Final = msgspec.json.Decoder(Message)


def encode(message: Message) -> bytes:
    """Return a message as it is sent."""
    return msgspec.json.encode(message) + b"\n"


def document_of(body: msgspec.Raw) -> bytes | None:
    """Return a document that stands in a message; None for `null`."""
    document = bytes(body)
    return None if document == NOTHING else document


class Line:
    """One end of a line.

    Attributes:
        up: Done once the process at the other end says that it is up.
        down: What the other end has said of its end.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answers: Answers) -> None:
        """Talk over these, and answer questions so."""
        self.up = asyncio.Event()
        self.down: Down | None = None
        self._reader = reader
        self._writer = writer
        self._answers = answers
        self._numbers = count()
        self._asked: dict[int, asyncio.Future[bytes | None]] = {}
        self._answering: set[asyncio.Task[None]] = set()

    @classmethod
    async def over(cls, end: socket.socket, answers: Answers) -> Line:
        """Return the line over this end of a pair of sockets."""
        return cls(*await asyncio.open_unix_connection(sock=end, limit=LINE_MAX), answers)

    def tell(self, message: Message) -> None:
        """Send a message, to whoever is still there."""
        if not self._writer.is_closing():
            self._writer.write(encode(message))

    async def ask(self, about: Subject, within_s: float) -> bytes | None:
        """Return the answer to a question; None if there is none in time."""
        number = next(self._numbers)
        answer: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        self.tell(Ask(number, about))
        try:
            async with asyncio.timeout(within_s):
                return await answer
        except TimeoutError:
            return None
        finally:
            del self._asked[number]

    async def run(self) -> None:
        """Hear the other end until it is no more."""
        try:
            with suppress(ConnectionError):
                while message := await self._reader.readline():
                    self._hear(_DECODER.decode(message))
        finally:
            self._writer.close()
            for answer in self._asked.values():
                if not answer.done():
                    answer.set_result(None)

    def _hear(self, message: Message) -> None:
        if isinstance(message, Ask):
            answering = asyncio.create_task(self._answer(message))
            self._answering.add(answering)
            answering.add_done_callback(self._answering.discard)
        elif isinstance(message, Replied):
            answer = self._asked.get(message.number)
            if answer is not None and not answer.done():
                answer.set_result(document_of(message.body))
        elif isinstance(message, Up):
            self.up.set()
        else:
            self.down = message

    async def _answer(self, question: Ask) -> None:
        body = await self._answers(question.about)
        self.tell(Replied(question.number, msgspec.Raw(NOTHING if body is None else body)))
