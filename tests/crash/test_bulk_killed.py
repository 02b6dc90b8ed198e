"""A service that is killed while it opens a list of tables: all are there, or none, and the repeat opens all."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from time import sleep

import asyncpg
import httpx

from tests.crash.house import Service

TABLES = 200
MOMENT_S = 0.2
"""About when 200 tables are stored; whichever it is, the law is the same."""


async def matches_in(database: str) -> int:
    connection = await asyncpg.connect(database)
    try:
        return int(await connection.fetchval("select count(*) from stream where stream like 'match/%'"))
    finally:
        await connection.close()


def send(service: Service, listed: str, headers: dict[str, str]) -> None:
    """Send a list; whoever it was sent to may be killed over it."""
    try:
        with service.client() as client:
            client.post("/matches/bulk", content=listed, headers=headers)
    except httpx.TransportError:
        return


def repeated(service: Service, listed: str, headers: dict[str, str]) -> Sequence[dict[str, str]]:
    with service.client() as client:
        answer = client.post("/matches/bulk", content=listed, headers=headers)
    assert answer.status_code == 201, answer.text
    tables: Sequence[dict[str, str]] = answer.json()["tables"]
    return tables


def test_a_list_is_opened_whole_or_not_at_all_when_the_service_is_killed(service: Service, database: str) -> None:
    rows = [{"rules": {"game": "common_hand"}, "names": ["Ada", "Ben"], "name": f"Table {n}"} for n in range(TABLES)]
    listed = "\n".join(map(json.dumps, rows))
    headers = {"Content-Type": "application/x-ndjson", "Idempotency-Key": "a-list-that-is-cut-off"}
    sending = threading.Thread(target=send, args=(service, listed, headers))
    sending.start()
    sleep(MOMENT_S)
    service.kill()
    sending.join()
    service.start()
    assert asyncio.run(matches_in(database)) in {0, TABLES}
    assert len({table["match"] for table in repeated(service, listed, headers)}) == TABLES
    assert asyncio.run(matches_in(database)) == TABLES
