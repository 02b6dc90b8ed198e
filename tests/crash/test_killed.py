"""Nothing acknowledged is ever lost or doubled, whatever is killed in the middle of a match."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from shutil import rmtree
from time import monotonic, sleep
from typing import Any

import httpx
import pytest

from domain.audit.access_audit import judge
from domain.audit.replay import replay
from domain.fairness import records
from domain.log.policies import policy_of
from domain.log.receipts import compare
from infra.keys import ed25519_verify
from infra.store.postgres import open_store
from services.local.servers import LocalServers
from tests.crash.conftest import Lasting
from tests.crash.house import Reachable, Service, Table
from tests.crash.killing import kill_bus, kill_database
from tests.crash.listening import Listener
from tests.sizes import spread

RULES: dict[str, Any] = {"options": {"dice_per_player": 3, "spot_on": True}, "seats": 3}
WATCHED_S = 120.0
"""Far longer than any match here."""
CEREMONY = (
    "match.created",
    "seat.joined",
    "game.started",
    "deal.committed",
    "seed.committed",
    "deal.sealed",
    "deal.logged",
    "seed.opened",
    "deal.ready",
    "game.first_drawn",
    "cup.rolled",
    "game.bid",
    "cup.revealed",
    "game.round_closed",
    "deal.closed",
)


def assert_kept(table: Table) -> None:
    """Every acknowledged command is in the log once, a repeat is answered as it was, and the record is fair.

    A database that was killed just now is waited for, as a client does that repeats what it was not answered.
    """
    with table.service.client() as client:
        for sent in table.sent:
            if sent.answer is not None:
                assert sent.again(client) == sent.answer
        lines = [json.loads(line) for line in table.record(client).splitlines() if line.startswith(b"{")]
    bids = [(one["data"]["quantity"], one["data"]["face"]) for one in lines if one["type"] == "game.bid"]
    acknowledged = [sent for sent in table.sent if sent.answer is not None]
    for sent in acknowledged:
        if sent.body["type"] == "bid":
            assert (sent.body["quantity"], sent.body["face"]) in bids
    versions = [json.loads(sent.answer or b"{}")["version"] for sent in acknowledged]
    assert len(set(versions)) == len(versions), "two commands were acknowledged as one"
    verdict = table.audited()
    assert (verdict.status, verdict.anchored) == ("OK", True), verdict.message
    assert_on_record(table)


def assert_on_record(table: Table) -> None:
    """Whatever was killed, who saw what is on record once, and every receipt is for the history there is."""
    with table.service.client() as client:
        record, seen = table.record(client), client.get(f"{table.path}/access").content
        policy = policy_of(client.get("/log/policy").text)
    lines = records.split(record).lines
    found = judge(seen, lines, replay(records.events_of(record)), policy, ed25519_verify)
    assert (found.status, found.anchored) == ("OK", True), found
    kept = [str(json.loads(sent.answer)["receipt"]) for sent in table.sent if sent.answer is not None]
    compared = compare(lines, kept, policy, ed25519_verify)
    assert (compared.borne_out, compared.contradicted) == (len(kept), ())


async def killing(service: Service, times: int, seed: int) -> None:
    """Kill the service again and again, at moments nobody chose."""
    moments = random.Random(seed)
    for _ in range(times):
        await asyncio.sleep(moments.uniform(0.05, 0.5))
        service.kill()
        await asyncio.to_thread(service.start)


@pytest.mark.long
async def test_a_service_killed_again_and_again_loses_nothing(service: Service) -> None:
    """Neither of a match with one deal nor of one that is dealt anew in each round."""
    tables = [await asyncio.to_thread(Table, service, {**RULES, "deal_per": per}) for per in ("match", "round")]
    listeners = [
        [Listener([service], table.id, token, seed) for seed, token in enumerate(table.tokens)] for table in tables
    ]
    finishing = (asyncio.to_thread(table.finish) for table in tables)
    await asyncio.gather(killing(service, 4, 7), *finishing)
    for table, seats in zip(tables, listeners, strict=True):
        for seat, listener in enumerate(seats, start=1):
            await asyncio.to_thread(listener.check, seat)
        await asyncio.to_thread(assert_kept, table)


async def test_a_database_killed_in_the_middle_of_a_match_loses_nothing(
    mortal: LocalServers, service_of_mortals: Service
) -> None:
    table = await asyncio.to_thread(Table, service_of_mortals, RULES)

    async def kill() -> None:
        for _ in range(2):
            await asyncio.sleep(0.3)
            await kill_database(mortal)

    await asyncio.gather(kill(), asyncio.to_thread(table.finish))
    await kill_database(mortal)
    await asyncio.to_thread(assert_kept, table)


async def test_a_bus_killed_in_the_middle_of_a_match_costs_no_frame(
    mortal: LocalServers, service_of_mortals: Service, tmp_path: Path
) -> None:
    """Also where it comes back without all that it kept."""
    table = await asyncio.to_thread(Table, service_of_mortals, RULES)
    listeners = [Listener([service_of_mortals], table.id, token, seed) for seed, token in enumerate(table.tokens)]
    watching = asyncio.create_task(asyncio.to_thread(watched, service_of_mortals, table.path))

    async def kill() -> None:
        for wiped in (True, False):
            await asyncio.sleep(0.3)
            await kill_bus(mortal)
            if wiped:
                rmtree(tmp_path / "servers" / "nats" / "jetstream", ignore_errors=True)

    await asyncio.gather(kill(), asyncio.to_thread(table.finish))
    await asyncio.to_thread(assert_kept, table)
    versions = await asyncio.wait_for(watching, 60)
    assert versions == list(range(versions[0], versions[0] + len(versions)))
    for seat, listener in enumerate(listeners, start=1):
        await asyncio.to_thread(listener.check, seat)


def watched(service: Reachable, path: str, patience_s: float = WATCHED_S) -> list[int]:
    """Return the versions a spectator was shown, to the end of the match, however often the stream broke."""
    versions: list[int] = []
    ended, deadline = False, monotonic() + patience_s
    while not ended:
        assert monotonic() < deadline, "the match does not end"
        after = {"after": versions[-1]} if versions else {}
        try:
            with (
                service.client() as client,
                client.stream("GET", f"{path}/stream", params=after, headers=NDJSON) as told,
            ):
                for line in told.iter_lines():
                    item = json.loads(line) if line else {}
                    if "snapshot" in item and not versions:
                        versions.append(item["snapshot"]["version"])
                    elif "view" in item:
                        versions.append(item["version"])
                    ended = ended or "ended" in item
        except (httpx.TransportError, FileNotFoundError):
            sleep(0.05)
    return versions


NDJSON = {"Accept": "application/x-ndjson"}


@pytest.mark.parametrize("moment", spread(CEREMONY, 2))
async def test_a_service_killed_right_after_an_event_goes_on_with_the_same_dice(
    lasting: Lasting, service: Service, moment: str
) -> None:
    store = await open_store(lasting.database_url, "truecup_dealer")
    playing = asyncio.create_task(asyncio.to_thread(_played, service))
    while not (seen := [line for line in await _lines(store) if f'"type":"{moment}"'.encode() in line]):
        await asyncio.sleep(0.002)
    service.kill()
    before = await _lines(store)
    await asyncio.to_thread(service.start)
    table = await asyncio.wait_for(playing, 180)
    await asyncio.to_thread(assert_kept, table)
    stream = json.loads(seen[0])["stream"]
    kept = [line for line in before if json.loads(line)["stream"] == stream]
    assert (await store.read(stream))[: len(kept)] == kept, "what was stored is never stored otherwise"
    finished = await store.read(f"match/{table.id}")
    assert sum(b'"type":"deal.committed"' in line for line in finished) == 1, "no deal was dealt again"
    await store.close()


def _played(service: Service) -> Table:
    while True:
        try:
            table = Table(service, {"options": {"dice_per_player": 1}, "seats": 3})
        except (httpx.TransportError, httpx.HTTPStatusError, FileNotFoundError, KeyError):
            sleep(0.05)
            continue
        table.finish()
        return table


async def _lines(store: Any) -> list[bytes]:
    positions = await store.positions()
    return [row.line for shard in positions for row in await store.follow(shard, 0, 10_000)]
