"""Tables that wait for players: one address has so many, and no more."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from domain import commands
from domain.errors import Refused
from domain.match.evolve import Match
from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.attendance import WaitingTables
from services.matches.handler import CommandHandler
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.work.failures import Unreadable
from tests.api.conftest import RULES, Table, served
from tests.api.test_problems import check

FIRST = {"Idempotency-Key": "the-first-of-seven-tables"}


def test_an_address_opens_so_many_tables_that_wait_and_another_when_one_has_begun_or_was_closed() -> None:
    store = MemoryStore()
    waiting = WaitingTables(7)
    vault, tokens = Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32))
    with served(Bounds(writes_per_s=1_000), CommandHandler(store, vault, tokens, waiting=waiting)) as service:
        first = service.client.post("/api/v1/matches", json=RULES, headers=FIRST)
        tables = [Table(service) for _ in range(6)]
        for _ in range(3):
            refused = service.client.post("/api/v1/matches", json=RULES)
            check(refused, 429, "too_many_tables")
            assert refused.headers["retry-after"] == "60"
            assert refused.json().items() >= {"waiting": 7, "most": 7}.items()
        assert sum((asyncio.run(store.positions())).values()) == 7
        # What was opened is answered as it was.
        assert service.client.post("/api/v1/matches", json=RULES, headers=FIRST).json() == first.json()

        tables[-1].play(tables[-1].host, {"type": "close_session"})
        tables[0].join("Ada")
        tables[0].join("Bob")
        tables[0].start()
        found = [service.client.post("/api/v1/matches", json=RULES).status_code for _ in range(6)]
        assert found.count(201) == 2
        assert found[-1] == 429


def test_a_table_that_cannot_be_read_keeps_nobody_from_opening_another() -> None:
    """It counts as one that waits; of the others it is asked all the same."""
    store, rules = MemoryStore(), {"game": "common_hand", "options": {}, "seats": 2}
    waiting = WaitingTables(2)
    house = CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)), waiting=waiting)

    async def opened(number: int) -> UUID:
        ask = CommandMetadata("test", f"open-{number}", b"", network="a network")
        return UUID((await house.open(rules, ask)).match)

    async def played() -> None:
        broken, other = await opened(1), await opened(2)

        async def load(match_id: UUID) -> Match:
            if match_id == broken:
                raise Unreadable(f"match/{broken}")
            return (await house.load_match(match_id)).match

        await house.submit(other, commands.CloseSession(), CommandMetadata("test", "close", b""))
        await waiting.check_room("a network", load)
        assert not waiting.is_full("a network")
        await opened(3)
        with pytest.raises(Refused, match="so many tables"):
            await waiting.check_room("a network", load)

    asyncio.run(played())
