"""Asks addresses that may be down, slow or hostile: what comes back is small, and in time, or nothing."""

from __future__ import annotations

import asyncio

import httpx
from msgspec import Struct

from infra.abroad.outgoing import OutgoingClient

ANSWER_S = 2.0
"""How long one exchange may take, from the connection to the last byte."""
ANSWER_BYTES_MAX = 64 * 1024
_HEADERS = {"Content-Type": "text/plain; charset=utf-8", "Accept-Encoding": "identity"}


class NoReply(Exception):  # noqa: N818 - named for what happened
    """No answer came, or none that anybody should read to its end."""


class PostReply(Struct, frozen=True):
    """An answer: its status and its body as it came."""

    status: int
    body: bytes


class Poster:
    """Keeps connections to a few addresses. It follows no redirect, and no proxy of the environment."""

    def __init__(self) -> None:
        """Begin with no connection."""
        self._client = OutgoingClient(timeout=ANSWER_S, trust_env=False, headers=_HEADERS)

    async def post(self, url: str, body: bytes) -> PostReply:
        """Return the answer to a post.

        Raises:
            NoReply: Nobody answered in time, or at too great a length.
        """
        return await self._exchange("POST", url, body)

    async def get(self, url: str) -> PostReply:
        """Return what stands at an address.

        Raises:
            NoReply: Nobody answered in time, or at too great a length.
        """
        return await self._exchange("GET", url, None)

    async def _exchange(self, method: str, url: str, body: bytes | None) -> PostReply:
        try:
            async with asyncio.timeout(ANSWER_S), self._client.stream(method, url, content=body) as answer:
                return PostReply(answer.status_code, await _read(answer))
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as trouble:
            raise NoReply(f"it does not answer ({type(trouble).__name__})") from trouble

    async def close(self) -> None:
        """Let go of every connection."""
        await self._client.aclose()


async def _read(answer: httpx.Response) -> bytes:
    # As it comes over the wire: what unpacks to more than was sent is nobody's business here.
    body = b""
    async for chunk in answer.aiter_raw():
        body += chunk
        if len(body) > ANSWER_BYTES_MAX:
            raise NoReply("its answer does not end")
    return body
