"""`truecup watch`: a match as it is played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

import httpx
import msgspec

from services.cli.exits import FINE, CannotDo
from services.cli.house import CONNECT_S, address, checked, match_id
from services.cli.screen import say, say_aside
from services.cli.words import scene, told

AGAIN_S: Final = 0.5
AGAIN_MAX_S: Final = 5.0
"""How long to wait before the connection is tried again: longer each time, up to this."""
SILENCE_S: Final = 45.0
"""Three heartbeats: a stream silent for so long is dead."""


def watch(match: str, /, *, url: str | None = None, json: bool = False) -> int:
    """Follow a match.

    Args:
        match: The match's id, or the address of its page.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print what the stream says, one JSON document a line.
    """
    asyncio.run(_follow(address(url), match_id(match), json=json))
    return FINE


async def _follow(base: str, match: str, *, json: bool) -> None:
    """Print until the match ends. After a break the stream goes on behind the last version that was printed."""
    version: int | None = None
    delay_s = AGAIN_S
    while True:
        try:
            async for line in _lines(base, match, version):
                item = msgspec.json.decode(line)
                if "snapshot" not in item or version is None:
                    say(line) if json else _say(item)
                if "ended" in item:
                    return
                version, delay_s = _version(item), AGAIN_S
        except httpx.TransportError as trouble:
            if version is None:
                raise CannotDo(f"nobody answers at {base}: is `truecup up` running?") from trouble
        say_aside(f"the connection broke after version {version}; trying again in {delay_s:g} s")
        await asyncio.sleep(delay_s)
        delay_s = min(AGAIN_MAX_S, 2 * delay_s)


async def _lines(base: str, match: str, after: int | None) -> AsyncIterator[str]:
    """Yield what the stream says, without its heartbeats."""
    timeout = httpx.Timeout(CONNECT_S, read=SILENCE_S)
    asked = {} if after is None else {"after": after}
    headers = {"Accept": "application/x-ndjson"}
    async with (
        httpx.AsyncClient(timeout=timeout) as client,
        client.stream("GET", f"{base}/api/v1/matches/{match}/stream", params=asked, headers=headers) as answer,
    ):
        if not answer.is_success:
            await answer.aread()
            checked(answer)
        async for line in answer.aiter_lines():
            if line:
                yield line


def _version(item: dict[str, Any]) -> int:
    if "snapshot" in item:
        return int(item["snapshot"]["version"])
    return int(item["bye"] if "bye" in item else item["version"])


def _say(item: dict[str, Any]) -> None:
    if "snapshot" in item:
        say(scene(item["snapshot"]))
    elif "event" in item:
        text = told(item)
        if text is not None:
            say(text)
