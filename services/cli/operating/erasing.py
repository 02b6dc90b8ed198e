"""`truecup erase`: a name gone for good, with what records commit to it by."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Final
from uuid import UUID

import asyncpg

from domain.fairness.names import seated_lines
from domain.ids import Seat
from domain.match.record import stream_of
from infra.config import Config
from infra.store import EventStore, Unavailable
from infra.store.primaries.opening import open_joined
from services.cli.exits import FINE
from services.cli.screen import say, say_json
from services.cli.settings import folder_of, settings
from services.client.house import CannotDo
from services.local.servers import LocalServers
from services.work.startup import CannotStart

_PLAYER: Final = re.compile(r"[!-~]{1,64}")
"""What an id may look like; nothing else is asked of a store, which takes no text with zeros in it."""


def erase(who: str, seat: Seat | None = None, /, *, data: Path | None = None, json: bool = False) -> int:
    """Erase what somebody is called, for good.

    Args:
        who: The id of the player, or the match at which the seat is.
        seat: The seat, where a match was named.
        data: The folder for everything Truecup keeps.
        json: Print one JSON document.
    """
    config, match = settings(data=data), None if seat is None else _match(who)
    if match is None and _PLAYER.fullmatch(who) is None:
        raise CannotDo(f"{who!r} is the id of no player")
    try:
        player, erased = asyncio.run(_erase(config, folder_of(config), match, who, seat or 0))
    except (CannotStart, OSError, TimeoutError, Unavailable, asyncpg.PostgresError) as trouble:
        raise CannotDo(f"the name could not be erased: {trouble}") from trouble
    if json:
        say_json({"player": player, "erased": erased})
    else:
        say(f"the name of {player} is erased" if erased else f"there is no name of {player}, or not any more")
    return FINE


def _match(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as trouble:
        raise CannotDo(f"{text} is the id of no match") from trouble


async def _erase(config: Config, folder: Path, match: UUID | None, who: str, seat: Seat) -> tuple[str, bool]:
    if config.database_url is not None:
        return await _erase_in(config.database_url, config.shards, match, who, seat)
    async with LocalServers(folder, nats=False) as servers:
        return await _erase_in(servers.database_url, config.shards, match, who, seat)


async def _erase_in(dsn: str, shards: str, match: UUID | None, who: str, seat: Seat) -> tuple[str, bool]:
    store = await open_joined(dsn, shards)
    try:
        player = who if match is None else await _last_in(store, match, seat)
        return player, await store.erase_name(player)
    finally:
        await store.close()


async def _last_in(store: EventStore, match: UUID, seat: Seat) -> str:
    """Return who took a seat last, be it given up since."""
    seated = [each.player for each in seated_lines(await store.read(stream_of(match))) if each.seat == seat]
    if not seated:
        raise CannotDo(f"nobody took seat {seat} of {match}")
    return seated[-1]
