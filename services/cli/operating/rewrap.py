"""`truecup rewrap`: the stored secrets wrapped with the newest key, so that the key of before may go."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import asyncpg
from rich.progress import Progress, TaskID

from infra.config import Config, primaries_of
from infra.store import Unavailable
from infra.store.primaries.moving import CannotMove, nothing_moves
from infra.store.primaries.naming import join_primaries
from infra.store.rewrapping import Rewrapped
from infra.store.rewrapping import rewrap as rewrap_secrets
from services.cli.exits import FINE, FOUND
from services.cli.screen import bar, say, say_json
from services.cli.settings import folder_of, settings
from services.client.house import CannotDo
from services.local.servers import LocalServers
from services.matches.secrets.keys import keys_of
from services.work.startup import CannotStart


def rewrap(*, data: Path | None = None, json: bool = False) -> int:
    """Wrap every stored secret with the newest key.

    Args:
        data: The folder for everything Truecup keeps.
        json: Print one JSON document.
    """
    config = settings(data=data)
    if config.key_before is None:
        raise CannotDo(
            "there is no key of before: set TRUECUP_KEY_BEFORE to it, or TRUECUP_KEY_BEFORE_FILE to its file"
        )
    try:
        with bar() as progress:
            found = asyncio.run(_rewrap(config, folder_of(config), progress))
    except (CannotMove, CannotStart, OSError, TimeoutError, Unavailable, asyncpg.PostgresError) as trouble:
        raise CannotDo(f"the secrets could not be wrapped anew: {trouble}") from trouble
    say_json(found) if json else say(_result_words(found))
    return FOUND if found.closed else FINE


async def _rewrap(config: Config, folder: Path, progress: Progress) -> Rewrapped:
    if config.database_url is not None:
        return await _all(config.database_url, config, folder, progress)
    async with LocalServers(folder, nats=False) as servers:
        return await _all(servers.database_url, config, folder, progress)


async def _all(dsn: str, config: Config, folder: Path, progress: Progress) -> Rewrapped:
    """Wrap the secrets of each primary anew, while nothing moves.

    What a shard takes along to where all were wrapped already would be under the key of before, and nobody told.
    """
    others = primaries_of(config.shards)
    await join_primaries(dsn, others)
    sealing, found = keys_of(config, folder).sealing, Rewrapped()
    async with nothing_moves(dsn) if others else nullcontext():
        for address in (dsn, *others.values()):
            task = progress.add_task("rewrap", total=None)
            one = await rewrap_secrets(address, sealing, partial(_tell, progress, task))
            found = Rewrapped(found.changed + one.changed, found.kept + one.kept, found.closed + one.closed)
    return found


def _tell(progress: Progress, task: TaskID, seen: int, total: int) -> None:
    progress.update(task, completed=seen, total=total)


def _result_words(found: Rewrapped) -> str:
    if found.closed:
        return (
            f"{found.changed} secrets wrapped anew; {found.closed} no key at hand opens: keep looking for the key of"
            " before them, their deals cannot be closed without it"
        )
    if found.changed:
        return f"{found.changed} secrets wrapped anew with the newest key, {found.kept} were so already"
    return f"nothing to do: the newest key wraps all {found.kept} secrets, and the key of before may go"
