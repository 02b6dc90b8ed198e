"""The log, with two real witnesses behind a gate: whatever is killed, no anchor is lost or entered twice, no tree head
contradicts another, and no deal goes on that the witnesses have not seen."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import httpx
import pytest
import pytest_asyncio

from domain.log import merkle
from domain.log.checkpoints import checkpoint_of
from domain.log.policies import accept, policy_of
from infra.config import Config
from infra.keys import ed25519_verify
from services.local.nats import EmbeddedNats
from services.local.witness import EmbeddedWitness
from services.program.grounds import own_witnesses
from tests.adversity.proxy import Lane, Proxy, proxied
from tests.crash.house import Service, Table
from tests.crash.test_killed import assert_kept
from tests.hosting import TEMPLATE, a_database
from tests.sizes import cases, spread

RULES: dict[str, Any] = {"options": {"dice_per_player": 2}, "seats": 3, "deal_per": "round"}
PATIENCE_S = 60


class House:
    """The service, its database, its witnesses, and the gates before them."""

    def __init__(
        self, service: Service, database_url: str, witnesses: tuple[EmbeddedWitness, ...], gates: list[Proxy]
    ) -> None:
        self.service = service
        self.witnesses = witnesses
        self.gates = gates
        self._database_url = database_url

    async def rows(self, query: str) -> list[Any]:
        connection = await asyncpg.connect(self._database_url)
        try:
            return list(await connection.fetch(query))
        finally:
            await connection.close()

    async def ask(self, path: str) -> httpx.Response:
        def asked() -> httpx.Response:
            with self.service.client() as client:
                return client.get(client.base_url.join(path))

        return await asyncio.to_thread(asked)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory, postgres_dsn: str) -> AsyncIterator[House]:
    """The house of all tests here: whatever is killed, it goes on in the next one."""
    below = tmp_path_factory.mktemp("house")
    folder, bus = below / "service", EmbeddedNats(below / "nats")
    witnesses = own_witnesses(Config(), folder)
    async with AsyncExitStack() as stack:
        await bus.start()
        stack.push_async_callback(bus.stop)
        database = await stack.enter_async_context(a_database(postgres_dsn, TEMPLATE))
        for one in witnesses:
            stack.push_async_callback(one.stop)
        await asyncio.gather(*(one.start() for one in witnesses))
        gates = [await stack.enter_async_context(proxied(one.url)) for one in witnesses]
        named = ", ".join(f"{one.vkey} {gate.url}" for one, gate in zip(witnesses, gates, strict=True))
        service = Service(database, bus.url, folder, witnesses=named)
        await asyncio.to_thread(service.start)
        stack.callback(service.stop)
        yield House(service, database, witnesses, gates)


async def assert_one_history(house: House) -> None:
    """Every anchor is entered once, every tree head is of the one tree, and those of the policy's time meet it."""
    entries = [bytes(row["entry"]) for row in await house.rows("select entry from log_entry order by index")]
    assert len(set(entries)) == len(entries)
    leaves = [merkle.leaf_hash(entry) for entry in entries]
    policies = [policy_of(row["text"]) for row in await house.rows("select text from log_policy order by number")]
    for row in await house.rows("select size, policy, note from log_checkpoint"):
        checkpoint = checkpoint_of(row["note"])
        assert checkpoint.root == merkle.root(leaves[: row["size"]])
        accept(policies[row["policy"] - 1], checkpoint, ed25519_verify)
    logged = {entry.decode().rpartition("\n")[0].partition("\n")[2] for entry in entries}
    for kind, what in (("deal.sealed", "sealed"), ("match.ended", "final")):
        found = await house.rows(
            f"select stream, seq, encode(hash, 'hex') as head from event where body::jsonb ->> 'type' = '{kind}'"
        )
        assert found
        assert {f"{row['stream']}\n{row['seq']}\n{row['head']}\n{what}" for row in found} <= logged


async def played(house: House, table: Table) -> None:
    """Play a table to its end, and look at everything that is left."""
    await asyncio.to_thread(table.finish)
    await asyncio.to_thread(assert_kept, table)
    await assert_one_history(house)


@pytest.mark.long
async def test_a_match_from_before_there_were_witnesses_is_still_fair(house: House) -> None:
    named = house.service.settings.pop("witnesses")
    house.service.stop()
    await asyncio.to_thread(house.service.start)
    old = await asyncio.to_thread(Table, house.service, RULES)
    await asyncio.to_thread(old.finish)
    await asyncio.to_thread(assert_kept, old)
    running = await asyncio.to_thread(Table, house.service, RULES)
    house.service.settings["witnesses"] = named
    house.service.stop()
    await asyncio.to_thread(house.service.start)
    await asyncio.to_thread(running.finish)
    for table in (old, running):
        await until_fair(house, table)
    await assert_one_history(house)


@pytest.mark.parametrize("way", spread(["asks", "answers"], 1))
async def test_killed_between_the_tree_and_its_checkpoint_the_log_goes_on_as_one(house: House, way: str) -> None:
    lane: Lane = getattr(house.gates[0], way)
    lane.shut()
    making = asyncio.create_task(asyncio.to_thread(Table, house.service, RULES))
    async with asyncio.timeout(PATIENCE_S):
        await lane.held.wait()
    table = await making
    of_it = f"stream = 'match/{table.id}'"
    async with asyncio.timeout(PATIENCE_S):
        while not await house.rows(f"select 1 from log_entry where kind = 'sealed' and {of_it}"):
            await asyncio.sleep(0.01)
    assert not await house.rows(f"select 1 from event where body::jsonb ->> 'type' = 'deal.logged' and {of_it}")
    house.service.kill()
    house.gates[0].open()
    await asyncio.to_thread(house.service.start)
    await played(house, table)


async def test_a_service_killed_again_and_again_enters_each_anchor_once(house: House) -> None:
    table = await asyncio.to_thread(Table, house.service, RULES)
    moments = random.Random(11)

    async def killing() -> None:
        for _ in range(cases(2, 4)):
            await asyncio.sleep(moments.uniform(0.05, 0.4))
            house.service.kill()
            await asyncio.to_thread(house.service.start)

    await asyncio.gather(killing(), asyncio.to_thread(table.finish))
    await asyncio.to_thread(assert_kept, table)
    await assert_one_history(house)


async def test_a_witness_killed_in_the_middle_of_a_match_costs_only_time(house: House) -> None:
    table = await asyncio.to_thread(Table, house.service, RULES)

    async def killing() -> None:
        for one in house.witnesses:
            await asyncio.sleep(0.2)
            os.kill(one.pid, signal.SIGKILL)
            while one.alive:
                await asyncio.sleep(0.01)
            await one.start()

    await asyncio.gather(killing(), asyncio.to_thread(table.finish))
    await asyncio.to_thread(assert_kept, table)
    await assert_one_history(house)


async def test_while_a_witness_is_silent_sealed_tables_wait_and_others_play(house: House) -> None:
    first = await asyncio.to_thread(Table, house.service, {"options": {"dice_per_player": 1}, "seats": 3})
    async with asyncio.timeout(PATIENCE_S):
        while '"deal.ready"' not in (await house.ask(f"/api/v1{first.path}/record")).text:
            await asyncio.sleep(0.02)
    house.gates[1].asks.shut()
    second = await asyncio.to_thread(Table, house.service, RULES)
    async with asyncio.timeout(PATIENCE_S):
        while "witness-2" not in (told := (await house.ask("/health/ready")).json())["reasons"].get("log", ""):
            await asyncio.sleep(0.05)
    assert told["status"] == "ready"
    await asyncio.to_thread(first.finish)
    assert (await house.ask(f"/api/v1{second.path}")).json()["deal"]["stage"] == "sealed"
    published = checkpoint_of((await house.ask("/log/checkpoint")).text)
    accept(policy_of((await house.ask("/api/v1/log/policy")).text), published, ed25519_verify)
    house.gates[1].open()
    await played(house, second)
    await asyncio.to_thread(assert_kept, first)


async def until_fair(house: House, table: Table) -> None:
    """Return once the house's own audit finds the match fair, which takes until its end is in the log."""
    async with asyncio.timeout(PATIENCE_S):
        # One who asks too often is told so.
        while (found := (await house.ask(f"/api/v1{table.path}/audit")).json())["status"] in {"INCOMPLETE", 429, 503}:
            await asyncio.sleep(0.25)
    assert (found["status"], found["anchored"]) == ("OK", True), found
