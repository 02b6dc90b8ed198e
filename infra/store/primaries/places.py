"""Places of shards: at which primary each lives, as the home says it, and as this program last heard.

What is remembered is only where one asks first: a primary that does not have a shard refuses what is appended to it. A
program that has not heard of a move reads for a moment where the shard was, and misses nothing: whoever moves a shard
waits as long before it takes lines at its new place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from infra.store import SHARDS, Unavailable
from infra.store.postgres import PostgresStore

HEAR_S: Final = 0.1
"""How often a program asks where shards are."""
PLACES: Final = "select shard, lives_at, epoch from shard_place"
SELF: Final = "select name, house from primary_self"
STATEMENTS: Final = (PLACES, SELF)


def stream_beside(stream: str) -> str:
    """Return the stream that lies where this one does and has its shard: of an access stream that of its match."""
    kind, _, name = stream.partition("/")
    return f"match/{name}" if kind == "access" else stream


class WrongPrimary(Unavailable):
    """A database is not the primary that the settings call it: nobody works with it before somebody mends that."""


class Places:
    """Where each shard lives."""

    def __init__(self, home: PostgresStore) -> None:
        """Ask the home."""
        self._home = home
        self._found: dict[int, str] = {}

    def __getitem__(self, shard: int) -> str:
        """Return the name of the primary that has a shard."""
        return self._found[shard]

    async def hear(self) -> None:
        """Ask where shards are.

        Raises:
            Unavailable: The home does not answer.
        """
        self._found = {row["shard"]: row["lives_at"] for row in await self._home.ask(PLACES)}
        assert len(self._found) == SHARDS, "each shard lives somewhere"

    def check(self, named: Collection[str]) -> None:
        """Check that each shard lives at one of these.

        Raises:
            WrongPrimary: One does not.
        """
        for shard, name in self._found.items():
            if name not in named:
                raise WrongPrimary(f"shard {shard} lives at {name}: name that primary in TRUECUP_SHARDS")

    async def run(self) -> None:
        """Ask again and again, until cancelled. While the home is away nothing moves."""
        while True:
            await asyncio.sleep(HEAR_S)
            with suppress(Unavailable):
                await self.hear()
