"""Tables without end: those at which nobody sits, and those at which only house bots do."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Final

from services.cli.bench.abuse.attempt import ONE, Attempt, crowd
from services.cli.bench.clients.tables import WAIT_S
from services.cli.bench.clients.wire import Wire

OPENERS: Final = 8
"""Connections over which tables are opened at once."""
BOTS: Final = 12
CREATED: Final = 201
EMPTY: Final = {"rules": {"game": "common_hand"}}
ENDLESS: Final = {"rules": {"game": "liars_poker"}}
"""A game that goes on until its host ends it."""


async def lobbies(attempt: Attempt) -> None:
    """Open tables at which nobody sits."""
    await asyncio.gather(
        *(attempt.again_and_again(partial(_open_empty, attempt, crowd(which))) for which in range(OPENERS))
    )


async def _open_empty(attempt: Attempt, source: str) -> None:
    wire = await Wire.to(attempt.url, source)
    try:
        while attempt.tally["opened"] < attempt.sizes.lobbies:
            if await _ask(attempt, wire, "/api/v1/matches", EMPTY) is not None:
                attempt.tally["opened"] += 1
    finally:
        wire.abort()
    await _stay(attempt)


async def bot_tables(attempt: Attempt) -> None:
    """Open tables, seat house bots at all their places, start them, and go away."""
    await attempt.again_and_again(partial(_open_for_bots, attempt))


async def _open_for_bots(attempt: Attempt) -> None:
    wire = await Wire.to(attempt.url, ONE)
    try:
        while attempt.tally["opened"] < attempt.sizes.bot_tables:
            await _start_bots(attempt, wire)
    finally:
        wire.abort()
    await _stay(attempt)


async def _start_bots(attempt: Attempt, wire: Wire) -> None:
    host = await _ask(attempt, wire, "/api/v1/matches", ENDLESS)
    if host is None:
        return
    attempt.tally["opened"] += 1
    path = f"/api/v1/matches/{host['match']}"
    seated = await _ask(attempt, wire, f"{path}/bots", {"count": BOTS}, host["token"])
    if seated is not None and await _ask(attempt, wire, f"{path}/start", None, host["token"]) is not None:
        attempt.tally["started"] += 1


async def _ask(
    attempt: Attempt, wire: Wire, path: str, body: object, token: str | None = None
) -> dict[str, Any] | None:
    """Return the answer of a request; None, after a pause, if it was refused."""
    status, answer = await wire.ask("POST", path, body, token)
    attempt.tally[str(status)] += 1
    if status in {200, CREATED}:
        found: dict[str, Any] = answer
        return found
    await asyncio.sleep(WAIT_S)
    return None


async def _stay(attempt: Attempt) -> None:
    await asyncio.sleep(max(0.0, attempt.until - asyncio.get_running_loop().time()))
