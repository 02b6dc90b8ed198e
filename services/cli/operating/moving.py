"""`truecup move-shard`: a shard of the house to another of its databases, while it is played; what is left, dropped."""

from __future__ import annotations

import asyncio
from typing import Final

import asyncpg

from infra.config import Config, primaries_of
from infra.store import Unavailable
from infra.store.primaries.copying import NotTheSame
from infra.store.primaries.dropping import DropStep, drop_shard
from infra.store.primaries.moving import CannotMove, ShardMoved, Step, abort_move
from infra.store.primaries.moving import move_shard as move
from services.cli.exits import FINE, FOUND
from services.cli.screen import say, say_aside, say_json
from services.cli.settings import settings
from services.client.house import CannotDo

STEPS: Final[dict[Step, str]] = {
    "noting": "what changes is noted",
    "copying": "everything was copied once",
    "copied": "what has changed meanwhile was copied",
    "proved": "what was copied is the same on both sides",
    "holding": "the shard stands still",
    "ready": "the rest was copied, and is the same",
    "closed": "it is closed where it was: from here on the move is decided",
    "told": "every program is told",
    "open": "it is open where it is now",
    "tidied": "nothing is left to do",
}

DROP_STEPS: Final[dict[DropStep, str]] = {
    "proved": "what is left is all where the shard lives",
    "dropping": "what lay beside some of its lines was dropped",
    "bare": "what lay beside its lines was dropped",
    "dropped": "its lines were dropped",
}


def move_shard(
    shard: int, primary: str | None = None, *, abort: bool = False, drop: bool = False, json: bool = False
) -> int:
    """Move a shard to another database of the house.

    Args:
        shard: Which one, 0 to 7.
        primary: The name of the database in TRUECUP_SHARDS, or `home`.
        abort: Let it stay where it is, if a move was begun and is not decided.
        drop: Drop what moves have left of it at databases where it does not live, if all of that is where it does.
        json: Print one JSON document.
    """
    config = settings()
    if config.database_url is None:
        raise CannotDo("set TRUECUP_DATABASE_URL to the home, and TRUECUP_SHARDS to the other databases of the house")
    if [primary is not None, abort, drop].count(True) != 1:
        raise CannotDo("say where the shard is to live, or --abort, or --drop")
    try:
        if drop:
            return _drop(config, shard, json)
        return _abort(config.database_url, config, shard) if primary is None else _move(config, shard, primary, json)
    except (OSError, TimeoutError, asyncpg.PostgresError, CannotMove, NotTheSame, Unavailable) as trouble:
        what = "not all that is left of the shard was dropped" if drop else "the shard was not moved"
        raise CannotDo(f"{what}: {trouble}") from trouble


def _move(config: Config, shard: int, primary: str, json: bool) -> int:  # noqa: FBT001 - as it was asked for
    home, others = str(config.database_url), primaries_of(config.shards)
    found = asyncio.run(move(home, others, shard, primary, _tell))
    say_json(found) if json else say(_result_words(found, shard, primary))
    return FINE


def _abort(home: str, config: Config, shard: int) -> int:
    if asyncio.run(abort_move(home, primaries_of(config.shards), shard)):
        say(f"shard {shard} stays where it is")
        return FINE
    say(f"shard {shard} has left where it was: move it there once more, or back, to finish that")
    return FOUND


def _drop(config: Config, shard: int, json: bool) -> int:  # noqa: FBT001 - as it was asked for
    def tell(step: DropStep) -> None:
        say_aside(DROP_STEPS[step])

    found = asyncio.run(drop_shard(str(config.database_url), primaries_of(config.shards), shard, tell))
    left = ", ".join(f"{lines} lines at {name}" for name, lines in found.lines.items())
    words = f"dropped {left}" if left else "nothing is left of it elsewhere"
    say_json(found) if json else say(f"shard {shard} lives at {found.at}; {words}")
    return FINE


def _tell(step: Step) -> None:
    say_aside(STEPS[step])


def _result_words(found: ShardMoved, shard: int, primary: str) -> str:
    if found.from_ is None:
        return f"shard {shard} lives at {primary}, with {found.lines} lines"
    held = f"nothing was appended to it for {found.held_ms} ms"
    return f"shard {shard} moved from {found.from_} to {primary} with {found.lines} lines; {held}"
