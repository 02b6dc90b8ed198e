"""Commands of a socket: those on one match one after the other, in the order they came, and matches side by side.

A command that has begun is carried through when its connection is lost: what was stored answers its repeat. One that
has not begun is forgotten with the connection, as if it had never come.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Final
from uuid import UUID

from msgspec import Struct

from infra.clock import ticks_s
from services.api.dependencies import Acting, Dependencies
from services.api.meters import SocketMeter
from services.api.playing import answer_play
from services.api.requests import Asker, bearer_of, checked_key, checked_token, fingerprint_of, metadata_of
from services.api.socket.messages import CommandMessage, MessageId, decode_play, encode_answer
from services.api.socket.refusing import refusal_of
from services.http.front.rates import Rate, Rates
from services.matches.requests import scope_of
from services.matches.secrets.tokens import Bearer

PENDING_MAX: Final = 64
"""Commands of one socket that are not answered; while there are so many, no further message is taken."""
TOKENS_MAX: Final = 64
"""Tokens a socket remembers; of a further one it is looked up again whose it is."""


class KnownToken(Struct, frozen=True):
    """A token that was looked up: whose it is, the scope of its keys, and the matches as it may change them."""

    bearer: Bearer
    scope: str
    matches: Acting


class Actor:
    """The commands of one socket."""

    def __init__(
        self,
        parts: Dependencies,
        rates: Rates,
        network: str,
        send: Callable[[bytes], None],
        on_change: Callable[[], None],
        meter: SocketMeter,
    ) -> None:
        """Act for a client of this network, and tell whenever the count of pending commands has changed."""
        self.pending = 0
        self._parts = parts
        self._rates = rates
        self._rate = Rate(parts.bounds.writes_per_s)
        self._network = network
        self._send = send
        self._on_change = on_change
        self._meter = meter
        self._known: dict[str, KnownToken] = {}
        self._queues: dict[UUID, deque[tuple[CommandMessage, float]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def put(self, asked: CommandMessage) -> None:
        """Do this behind what was asked of the same match before."""
        self.pending += 1
        came = asked, ticks_s()
        queue = self._queues.get(asked.match)
        if queue is not None:
            queue.append(came)
            return
        self._queues[asked.match] = queue = deque([came])
        task = asyncio.get_running_loop().create_task(self._work(asked.match, queue))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def forget(self) -> list[MessageId]:
        """Begin no command any more, and return which were not answered."""
        left = [asked.id for queue in self._queues.values() for asked, _ in queue]
        for queue in self._queues.values():
            while len(queue) > 1:
                queue.pop()
        return left

    async def _work(self, match: UUID, queue: deque[tuple[CommandMessage, float]]) -> None:
        """Do what is asked of a match. A crash here leaves commands that are stored, or not, as their keys say."""
        while queue:
            asked, came_at = queue[0]
            status, answer = await self._answer(asked)
            queue.popleft()
            if not queue:
                del self._queues[match]
            self.pending -= 1
            self._meter.note(match, status, ticks_s() - came_at)
            self._send(answer)
            self._on_change()

    async def _answer(self, asked: CommandMessage) -> tuple[int, bytes]:
        """Return an answer's status, and the answer."""
        try:
            answer = await answer_play(asked.match, *await self._read(asked), self._parts.matches)
        except Exception as trouble:  # noqa: BLE001 - the end of the way: what has no code of its own is ours, and logged
            refusal = refusal_of(asked.id, trouble)
            return refusal.status, refusal.message
        return HTTPStatus.OK.value, encode_answer(asked.id, answer)

    async def _read(self, asked: CommandMessage) -> tuple[object, Asker]:
        """Return what is asked and who asks, checked in the order in which HTTP does."""
        known = await self._known_token(asked.token, asked.match)
        expected = None if asked.at is None else (asked.at,)
        key, command = checked_key(asked.key), bytes(asked.command)
        fingerprint = fingerprint_of("POST", f"/api/v1/matches/{asked.match}/commands", command)
        ask = metadata_of(known.scope, key, fingerprint, expected, known.bearer, self._network)
        return decode_play(asked.command), Asker(ask, known.bearer, known.matches, command)

    async def _known_token(self, token: str, match: UUID) -> KnownToken:
        known = self._known.get(token)
        scope = scope_of(checked_token(token)) if known is None else known.scope
        self._rates.check("writes", self._rate, scope)
        if known is not None and known.bearer.match == match:
            return known
        bearer = await bearer_of(token, match, self._network, self._parts, self._rates)
        if len(self._known) >= TOKENS_MAX:
            del self._known[next(iter(self._known))]
        self._known[token] = found = KnownToken(bearer, scope, self._parts.matches.for_token(token))
        return found
