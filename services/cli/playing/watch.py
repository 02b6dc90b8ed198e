"""`truecup watch`: a match as it is played."""

from __future__ import annotations

import asyncio
from typing import Any

from services.cli.exits import FINE
from services.cli.house import address, match_id, understood
from services.cli.playing.following import followed
from services.cli.playing.words import lines_of
from services.cli.screen import say, say_json


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
    async for item in followed(base, match):
        say_json(item) if json else _say(item)


def _say(item: dict[str, Any]) -> None:
    with understood():
        lines = lines_of(item)
    if lines:
        say(*lines)
