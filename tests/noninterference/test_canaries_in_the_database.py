"""Canaries in the database: what it keeps opens no deal, and what a node that only shows may read not even the seals.

All of every table is copied out, as text and as the server sends it, as a dump would: by the owner, and by each role
that may read it.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import AsyncIterator
from typing import Any, Final
from uuid import UUID

import asyncpg
import pytest
import pytest_asyncio
from msgspec import Struct

from domain.fairness.openings import DealSecrets
from infra.entropy import draw
from infra.feed.memory import MemoryFeed
from infra.sealing import Sealing
from infra.store.postgres import PostgresStore, open_store
from services.matches.handler import CommandHandler
from services.matches.reads.shared import shared_reads
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.relay.follower import FollowingWork
from services.relay.lobby_projector import LobbyProjector
from services.relay.publisher import Publisher
from services.relay.statistics_projector import StatisticsProjector
from tests.attack.test_access import RULES, House
from tests.noninterference.canaries import Canaries, of_deal
from tests.noninterference.sight import Seen
from tests.store.test_rights import TABLES

KEY: Final = draw(32)
"""No pattern: the bytes of one could stand anywhere."""
SEATS: Final = 3
FORMS: Final = ("text", "binary")


class Kept(Struct):
    """A house of one match, as its database has it.

    Attributes:
        secrets: What opens what it keeps, by name.
        sealed: What is kept of secrets, and by what a token is known: what only a dealer may read.
    """

    secrets: dict[str, bytes]
    sealed: dict[str, bytes]


class KeyedHouse(House):
    """A house with this key, and its match."""

    match: UUID

    def another(self) -> CommandHandler:
        return CommandHandler(self.store, Vault(self.store, Sealing(KEY)), TokenIssuer(KEY))

    async def of_deal(self) -> dict[str, bytes]:
        """Return what opens the deal of its match, without the keys of what is shown by now."""
        keeper, lines = await self.keeper(), await self.store.read(f"match/{self.match}")
        return of_deal(keeper, Seen({keeper.deal.ctx: keeper}, lines).shown)

    async def keeper(self) -> DealSecrets:
        """Return the secrets of the deal of its match, unwrapped."""
        found = await Vault(self.store, Sealing(KEY)).keeper((await self.matches.load_match(self.match)).match)
        assert found is not None
        return found


async def seated(house: KeyedHouse) -> dict[str, bytes]:
    """Open a match, seat people and start it; return the tokens that were given out."""
    opened = await house.matches.open(RULES, CommandMetadata("canary", "open", b""))
    house.match = UUID(opened.match)
    tokens = {"token of the host": opened.token}
    for seat in range(1, SEATS + 1):
        asked = CommandMetadata("canary", f"join {seat}", b"")
        tokens[f"token of {seat}"] = (await house.matches.join(house.match, f"Player {seat}", "server", asked)).token
    await house.matches.start(house.match, CommandMetadata("canary", "start", b""))
    return {name: token.encode() for name, token in tokens.items() if token is not None}


async def relayed(database: str, store: PostgresStore) -> None:
    """Let a relay make everything of the log that it makes."""
    relay = await open_store(database, "truecup_relay")
    shared = shared_reads(relay)
    works: list[FollowingWork] = [
        Publisher(relay, MemoryFeed(), Vault(relay, Sealing(KEY)), shared),
        LobbyProjector(relay, shared),
        StatisticsProjector(relay, cards=shared.cards),
    ]
    for shard in await store.positions():
        page = await relay.follow(shard, 0, 1_000)
        for work in works if page else []:
            await work.start(shard)
            await work.take(shard, page)
    await relay.close()


@pytest_asyncio.fixture
async def postgres(database: str) -> AsyncIterator[PostgresStore]:
    store = await open_store(database, "truecup_dealer")
    yield store
    await store.close()


@pytest_asyncio.fixture
async def house(postgres: PostgresStore) -> KeyedHouse:
    store: Any = postgres
    return KeyedHouse(store)


@pytest_asyncio.fixture
async def kept(postgres: PostgresStore, house: KeyedHouse) -> Kept:
    tokens = await seated(house)
    secrets = {"key of the house": KEY, **tokens}
    digests = {f"digest of the {name}": hashlib.sha256(token).digest() for name, token in tokens.items()}
    return Kept(secrets, {**digests, **await postgres.secrets(f"match/{house.match}")})


@pytest_asyncio.fixture
async def owner(database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database)
    yield connection
    await connection.close()


async def copied(owner: asyncpg.Connection) -> dict[str, bytes]:
    """Return all that whoever asks may read, by the table it is in; of what is a view or in parts what it shows."""
    found: dict[str, bytes] = {}
    for (table,) in await owner.fetch(f"{TABLES} and c.relkind in ('r', 'p', 'v', 'm')"):
        try:
            found[table] = b"\n".join([await _copied_as(owner, table, form) for form in FORMS])
        except asyncpg.InsufficientPrivilegeError:
            continue
    return found


async def _copied_as(owner: asyncpg.Connection, table: str, form: str) -> bytes:
    into = io.BytesIO()
    await owner.copy_from_query(f"select * from {table}", output=into, format=form)
    return into.getvalue()


def held(canaries: Canaries, tables: dict[str, bytes]) -> set[tuple[str, str]]:
    """Return which canaries stand in which table."""
    return {(table, name) for table, text in tables.items() for name in canaries.found_in(text)}


async def test_nothing_that_the_database_keeps_opens_a_deal_or_is_a_token(
    database: str, postgres: PostgresStore, house: KeyedHouse, kept: Kept, owner: asyncpg.Connection
) -> None:
    # Seeds are fixed and not open yet: whoever had them early could tell the server's own dice.
    seeds = {f"seed of {seat}": seed for seat, seed in (await house.keeper()).seeds.items()}
    assert len(seeds) == SEATS
    assert held(Canaries({**kept.secrets, **seeds, **await house.of_deal()}), await copied(owner)) == set()
    await house.log_the_deal(house.match)
    match = (await house.matches.load_match(house.match)).match
    await house.step(house.matches, match, 1)
    for seat in (1, 2, 3, None):
        await house.matches.view(house.match, seat)
    await relayed(database, postgres)
    tables = await copied(owner)
    assert held(Canaries({**kept.secrets, **await house.of_deal()}), tables) == set()
    assert {"public.projection", "public.command", "public.token", "vault.secret"} <= {
        table for table, text in tables.items() if text
    }


async def test_a_node_that_only_shows_may_read_neither_what_is_sealed_nor_by_what_a_token_is_known(
    database: str, postgres: PostgresStore, house: KeyedHouse, kept: Kept, owner: asyncpg.Connection
) -> None:
    await house.log_the_deal(house.match)
    await relayed(database, postgres)
    canaries = Canaries({**kept.secrets, **kept.sealed, **await house.of_deal()})
    # Whoever has all of the database finds them, and nowhere but where they belong.
    assert {table for table, _ in held(canaries, await copied(owner))} == {"vault.secret", "public.token"}
    await owner.execute("set role truecup_api")
    tables = await copied(owner)
    assert held(canaries, tables) == set()
    assert {"public.event", "public.projection"} <= tables.keys()


@pytest.mark.parametrize("name", ["token of 2", "key of the house"])
async def test_a_secret_that_is_kept_in_the_open_is_found(kept: Kept, owner: asyncpg.Connection, name: str) -> None:
    await owner.execute("create table open_to_all (one bytea, other text)")
    await owner.execute("insert into open_to_all values ($1, $2)", kept.secrets[name], kept.secrets[name].hex())
    assert held(Canaries(kept.secrets), await copied(owner)) == {("public.open_to_all", name)}
