"""Commands as a terminal sends them: over the socket, and over HTTP where no answer comes, as the same request."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, Final

import httpx
import msgspec
from msgspec import Struct

from infra.entropy import draw
from services.client.house import CannotDo, accepted, members_or_fail
from services.client.socket import MatchSocket

TRIES: Final = 4
AGAIN_S: Final = 0.4
"""How long to wait before a command is repeated: longer each time."""
KEY_BYTES: Final = 16


class _Request(Struct, frozen=True):
    """A command to be done once, however often it is sent.

    Attributes:
        seen: The version that the player had seen.
    """

    token: str
    body: bytes
    seen: int
    key: str


class Sender:
    """Sends what a player asks for at one match.

    Attributes:
        seen: The newest version that the player has seen.
    """

    def __init__(self, client: httpx.AsyncClient, socket: MatchSocket, match: str) -> None:
        """Send over this socket, or with this client of the interface."""
        self.seen = 0
        self._client = client
        self._socket = socket
        self._path = f"/matches/{match}/commands"
        self._unanswered: _Request | None = None

    async def send(self, command: dict[str, str], token: str) -> dict[str, Any]:
        """Return what the service answers to a command it accepts.

        Raises:
            CannotDo: It says no, or nobody answers: then the same, asked again, is the same request, unless the player
                has seen the match go on.
        """
        request = self._unanswered = self._request(msgspec.json.encode(command), token)
        said = await self._socket.command(token, request.key, request.body)
        if said is None or said.get("status") == HTTPStatus.SERVICE_UNAVAILABLE:
            answer = await self._over_http(request)
            self._unanswered = None
            return members_or_fail(answer)
        self._unanswered = None
        return accepted(said)

    def _request(self, body: bytes, token: str) -> _Request:
        before = self._unanswered
        if before is not None and (before.body, before.token, before.seen) == (body, token, self.seen):
            return before
        return _Request(token, body, self.seen, draw(KEY_BYTES).hex())

    async def _over_http(self, request: _Request) -> httpx.Response:
        headers = {
            "Authorization": f"Bearer {request.token}",
            "Idempotency-Key": request.key,
            "Content-Type": "application/json",
        }
        for number in range(1, TRIES + 1):
            try:
                answer = await self._client.post(self._path, content=request.body, headers=headers)
            except httpx.TransportError:
                pass
            else:
                if answer.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
                    return answer
            if number < TRIES:
                await asyncio.sleep(number * AGAIN_S)
        raise CannotDo("nobody answers; type it again")
