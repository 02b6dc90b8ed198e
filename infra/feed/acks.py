"""Acks: what JetStream answers to the frames of one connection, whether and where it keeps them.

One subscription for all, and a number for each frame that is asked about. The library's own request does the same with
a random name, a task's timer and two documents taken apart, and costs twice what sending costs.
"""

from __future__ import annotations

import asyncio
from itertools import count

import msgspec
from msgspec import Struct
from nats.aio.client import Client
from nats.aio.msg import Msg


class _Ack(Struct):
    """An answer; one that says no has no sequence."""

    seq: int = 0


_acks = msgspec.json.Decoder(_Ack)


class Acks:
    """The answers that a connection waits for."""

    def __init__(self, client: Client) -> None:
        """Ask over this connection."""
        self._client = client
        self._inbox: str | None = None
        self._numbers = count(1)
        self._asked: dict[str, asyncio.Future[int]] = {}

    async def send(self, subject: str, body: bytes, headers: dict[str, str] | None, within_s: float) -> int:
        """Send a frame, and return the sequence under which it is kept; 0 if it is not, or nobody says so in time.

        A crash here may leave it kept.

        Raises:
            nats.errors.Error: It cannot be sent.
        """
        inbox = self._inbox or await self._listen()
        reply = f"{inbox}.{next(self._numbers)}"
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._asked[reply] = answer
        timer = asyncio.get_running_loop().call_later(within_s, self._settle, reply, 0)
        try:
            await self._client.publish(subject, body, reply=reply, headers=headers)
            return await answer
        finally:
            timer.cancel()
            self._asked.pop(reply, None)

    async def _listen(self) -> str:
        """Listen for answers, and return below which subject; the library listens again wherever it reconnects."""
        inbox = self._client.new_inbox()
        await self._client.subscribe(f"{inbox}.*", cb=self._hear)
        self._inbox = inbox
        return inbox

    async def _hear(self, message: Msg) -> None:
        # Where there is no stream, and nobody listens, the server answers for it, with nothing but a header.
        self._settle(message.subject, _acks.decode(message.data).seq if message.data else 0)

    def _settle(self, reply: str, sequence: int) -> None:
        answer = self._asked.get(reply)
        if answer is not None and not answer.done():
            answer.set_result(sequence)
