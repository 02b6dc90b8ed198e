"""`truecup watch`: a match as it is played."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from services.cli.exits import FINE
from services.cli.house import address
from services.cli.playing.lines import tell_break
from services.cli.playing.words import lines_of, view_in
from services.cli.screen import say, say_json, takes_screens
from services.client.following import follow
from services.client.house import match_id, read_reply


def watch(match: str, /, *, url: str | None = None, json: bool = False, plain: bool = False) -> int:
    """Follow a match.

    Args:
        match: The match's id, or the address of its page.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print what the stream says, one JSON document a line.
        plain: Tell it line by line, as it is without the extra `tui`, or where there is no terminal.
    """
    if takes_screens() and not json and not plain:
        asyncio.run(_felt()(address(url), match_id(match)))
        return FINE
    asyncio.run(_follow(address(url), match_id(match), json=json))
    return FINE


async def _follow(base: str, match: str, *, json: bool) -> None:
    earlier: dict[str, Any] | None = None
    async for item in follow(base, match, broke=tell_break):
        if json:
            say_json(item)
        else:
            earlier = _say(item, earlier) or earlier


def _felt() -> Callable[[str, str], Coroutine[None, None, None]]:
    """Return how a match is watched over the whole terminal."""
    from services.cli.playing.felt.watching import watch_felt  # noqa: PLC0415 - an extra

    return watch_felt


def _say(item: dict[str, Any], earlier: dict[str, Any] | None) -> dict[str, Any] | None:
    """Say what an item tells after this view, and return the view it brings."""
    with read_reply():
        lines, view = lines_of(item, earlier), view_in(item)
    if lines:
        say(*lines)
    return view
