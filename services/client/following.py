"""A match as a client follows it, over a socket or as a stream of HTTP: taken up again wherever it breaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Final

import httpx
import msgspec

from infra.abroad.outgoing import OutgoingClient
from services.client.house import CONNECT_S, CannotDo, answer_or_fail, read_reply
from services.client.socket import SILENCE_S, MatchSocket, NoSocket

AGAIN_S: Final = 0.5
AGAIN_MAX_S: Final = 5.0
"""How long to wait before the connection is tried again: longer each time, up to this."""
Broke = Callable[[int | None, float], None]
"""What is told of a break: behind which version it came, None before the first, and in how many seconds to go on."""


async def follow(
    base: str, match: str, token: str | None = None, socket: MatchSocket | None = None, *, broke: Broke
) -> AsyncGenerator[dict[str, Any], None]:
    """Yield what is said of a match until the match ends, item by item.

    After a break it goes on behind the last version that was yielded, without another snapshot.

    Args:
        base: Where the service is.
        match: The match's id.
        token: The token of the seat that looks; None for a spectator.
        socket: The socket of the match, if commands are to be sent on it as well.
        broke: Told of every break.

    Raises:
        CannotDo: Nobody answers, or what is answered is no stream of a match.
    """
    ours = MatchSocket(base, match) if socket is None else socket
    version: int | None = None
    delay_s = AGAIN_S
    while True:
        try:
            async with aclosing(_items(ours, base, match, version, token)) as items:
                async for item in items:
                    with read_reply():
                        now = _version(item)
                    if "snapshot" in item and version is not None:
                        # What lies between is yet to come, and may not come before the next break.
                        continue
                    yield item
                    if "ended" in item:
                        return
                    version, delay_s = now, AGAIN_S
        except httpx.TransportError as trouble:
            if version is None:
                raise CannotDo(f"nobody answers at {base}: is `truecup up` running?") from trouble
        broke(version, delay_s)
        await asyncio.sleep(delay_s)
        delay_s = min(AGAIN_MAX_S, 2 * delay_s)


async def earlier_frames(base: str, match: str, token: str, version: int) -> list[dict[str, Any]]:
    """Return the frames of a match from its beginning up to a version that it has, as a seat has been shown them.

    Raises:
        CannotDo: Nobody answers, or what is answered is no stream of a match.
    """
    found: list[dict[str, Any]] = []
    try:
        async with aclosing(_lines(base, match, 0, token)) as lines:
            async for line in lines:
                with read_reply():
                    item = msgspec.json.decode(line, type=dict[str, Any])
                    found += [item] if "event" in item else []
                    if found and found[-1]["version"] >= version:
                        return found
    except httpx.TransportError as trouble:
        raise CannotDo(f"nobody answers at {base}") from trouble
    raise CannotDo(f"the stream of the match ended before its version {version}")


async def _items(
    socket: MatchSocket, base: str, match: str, after: int | None, token: str | None
) -> AsyncGenerator[dict[str, Any], None]:
    """Yield what the socket says or, where none can be had, the stream."""
    try:
        async with aclosing(socket.items(after, token)) as items:
            async for item in items:
                yield item
    except NoSocket:
        async with aclosing(_lines(base, match, after, token)) as lines:
            async for line in lines:
                with read_reply():
                    item = msgspec.json.decode(line, type=dict[str, Any])
                yield item


async def _lines(base: str, match: str, after: int | None, token: str | None) -> AsyncGenerator[str, None]:
    """Yield what the stream says, without its heartbeats."""
    timeout = httpx.Timeout(CONNECT_S, read=SILENCE_S)
    asked = {} if after is None else {"after": after}
    headers = {"Accept": "application/x-ndjson"} | ({} if token is None else {"Authorization": f"Bearer {token}"})
    async with (
        OutgoingClient(timeout=timeout) as client,
        client.stream("GET", f"{base}/api/v1/matches/{match}/stream", params=asked, headers=headers) as answer,
    ):
        if not answer.is_success:
            await answer.aread()
            answer_or_fail(answer)
        async for line in answer.aiter_lines():
            if line:
                yield line


def _version(item: dict[str, Any]) -> int:
    """Return the version an item leads to.

    Raises:
        ValueError: It is no item of a stream.
    """
    match item:
        case {"snapshot": {"version": version}} | {"bye": version} | {"ended": version}:
            return int(version)
        case {"event": _, "version": version}:
            return int(version)
        case _:
            raise ValueError("no item of a stream")
