"""`truecup withdraw`: a comment withdrawn because the law says so, with its words erased."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import UUID

import asyncpg

from domain.commentary.events import WithdrawalReason
from domain.errors import Refused
from infra.config import Config
from infra.store import Unavailable
from infra.store.primaries.opening import open_joined
from services.cli.exits import FINE
from services.cli.screen import say, say_json
from services.cli.settings import folder_of, settings
from services.client.house import CannotDo
from services.commentary.handler import StoredComments
from services.commentary.requests import CommentAnswer
from services.local.servers import LocalServers
from services.matches.reads.queries import MatchQueries
from services.matches.requests import CommandMetadata, KeyUsed
from services.work.startup import CannotStart


def withdraw(
    match: UUID,
    comment: UUID,
    /,
    *,
    reason: WithdrawalReason = "unlawful",
    data: Path | None = None,
    json: bool = False,
) -> int:
    """Withdraw a comment because the law says so.

    Args:
        match: The match.
        comment: The comment.
        reason: Why, as everybody is told.
        data: The folder for everything Truecup keeps.
        json: Print one JSON document.
    """
    config = settings(data=data)
    try:
        answer = asyncio.run(_withdraw(config, folder_of(config), match, comment, reason))
    except Refused as refused:
        raise CannotDo(f"{refused}") from refused
    except KeyUsed as used:
        raise CannotDo("it was withdrawn before, for another reason") from used
    except (CannotStart, OSError, TimeoutError, Unavailable, asyncpg.PostgresError) as trouble:
        raise CannotDo(f"the comment could not be withdrawn: {trouble}") from trouble
    say_json(answer) if json else say(f"withdrawn, and its words are erased: line {answer.version} says so")
    return FINE


async def _withdraw(
    config: Config, folder: Path, match: UUID, comment: UUID, reason: WithdrawalReason
) -> CommentAnswer:
    if config.database_url is not None:
        return await _by_law(config.database_url, config.shards, match, comment, reason)
    async with LocalServers(folder, nats=False) as servers:
        return await _by_law(servers.database_url, config.shards, match, comment, reason)


async def _by_law(dsn: str, shards: str, match: UUID, comment: UUID, reason: WithdrawalReason) -> CommentAnswer:
    store = await open_joined(dsn, shards)
    try:
        comments = StoredComments(store, MatchQueries(store, None))
        ask = CommandMetadata("law", f"withdraw/{comment}", reason.encode())
        return await comments.withdraw_by_law(match, comment, reason, ask)
    finally:
        await store.close()
