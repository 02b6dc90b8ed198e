"""Tournaments over HTTP, at the real service: announced, entered, held by its director, and audited by anybody."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import httpx
import pytest_asyncio
from msgspec import UnsetType

from domain.fairness.deal import Cup, context, rules_hash, seed_commitment
from domain.log import canonical
from domain.log.policies import policy_of
from services.audit.tables import MatchResult
from services.audit.verdict import Evidence, verdict_of
from services.cli.main import run
from tests.director.house import DICE, QUICK

PATIENCE_S = 120
DUELS: Final = {"format": "swiss", "sizes": {"preferred": 2, "min": 2, "max": 2}}
TIME = {**QUICK, "check_in_ms": 600_000}
BOTS = {"match": DICE, "time": TIME, "entry": {"bots": "only"}, "stages": [{"format": "swiss", "rounds": 2}]}


@pytest_asyncio.fixture
async def client(service_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{service_url}/api/v1", timeout=30) as found:
        yield found


class Organiser:
    """A tournament over HTTP, and its host's token."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client

    async def announce(self, **body: Any) -> dict[str, Any]:
        answer = await self.client.post("/tournaments", json=body)
        assert answer.status_code == 201, answer.text
        told: dict[str, Any] = answer.json()
        self.path, self.host = f"/tournaments/{told['tournament']}", bearer(told["token"])
        return told

    async def post(self, path: str, body: object, token: dict[str, str] | None = None, good: int = 200) -> Any:
        answer = await self.client.post(f"{self.path}{path}", json=body, headers=self.host if token is None else token)
        assert answer.status_code == good, answer.text
        return answer.json()

    async def ask(self, kind: str, token: dict[str, str] | None = None, **members: Any) -> Any:
        return await self.post("/commands", {"type": kind, **members}, token)

    async def get(self, path: str = "", token: dict[str, str] | None = None) -> Any:
        answer = await self.client.get(f"{self.path}{path}", headers=token)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def until(self, phase: str) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE_S):
            while (view := await self.get())["phase"] != phase:
                await asyncio.sleep(0.05)
            found: dict[str, Any] = view
            return found


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_an_event_of_eight_bots_is_held_over_http_and_its_records_audit(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    event = Organiser(client)
    await event.announce(rules=BOTS, title="Eight at two tables")
    await event.ask("open_entry")
    await event.post("/bots", {"count": 8}, good=201)
    await event.ask("open_check_in")
    async with asyncio.timeout(PATIENCE_S):
        while (await event.get())["counts"]["here"] < 8:
            await asyncio.sleep(0.05)
    await event.ask("proceed")
    view = await event.until("closed")
    assert (view["title"], view["round"]["round"], view["counts"]["entered"]) == ("Eight at two tables", 2, 8)
    assert sorted(who["number"] for level in view["ranking"] for who in level) == list(range(1, 9))
    rounds = [await event.get(f"/rounds/1/{number}") for number in (1, 2)]
    assert [len(one["tables"]) for one in rounds] == [2, 2]
    assert {table["state"] for one in rounds for table in one["tables"]} == {"over"}
    standings = await event.get("/standings")
    assert len(standings["rows"]) == 8
    assert [row["place"] for row in standings["rows"]] == sorted(row["place"] for row in standings["rows"])
    matches = {result.match for result in await audited(event)}
    assert len(matches) == 4
    await check_bundle(event, matches, tmp_path)


async def check_bundle(event: Organiser, matches: set[str], folder: Path) -> None:
    """Check that one file has all records of a tournament that is closed, and is what the command audits."""
    answer = await event.client.get(f"{event.path}/bundle")
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"].endswith('.zip"')
    assert (await event.client.get(f"{event.path}/bundle")).content == answer.content, "the same bytes every time"
    head = await event.client.head(f"{event.path}/bundle")
    assert (head.status_code, head.headers["content-type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        assert packed.testzip() is None
        files = {f"matches/{match}.{kind}" for match in matches for kind in ("cup", "access")}
        assert set(packed.namelist()) == files | {"tournament.cup", "policy.txt"}
        packed.extractall(folder)
    assert await asyncio.to_thread(run, ["audit", str(folder), "--policy", str(folder / "policy.txt")]) == 0


async def audited(event: Organiser) -> tuple[MatchResult, ...]:
    """Audit the record of a tournament that is closed, once the log has its end, and those of its matches."""
    policy = policy_of((await event.client.get("/log/policy")).text)
    async with asyncio.timeout(PATIENCE_S):
        while (found := verdict_of((await event.client.get(f"{event.path}/export")).content, policy)).status != "OK":
            assert found.status == "INCOMPLETE", found
            await asyncio.sleep(0.1)
    assert found.anchored, found
    results = found.results
    assert not isinstance(results, UnsetType)
    for result in results:
        match = f"/matches/{result.match}"
        record, access = [(await event.client.get(f"{match}/{what}")).content for what in ("record", "access")]
        judged = verdict_of(record, policy, beside=Evidence(access=access))
        assert (judged.status, judged.head) == ("OK", result.head), judged
    return results


async def test_people_draw_the_lots_sit_down_say_that_they_are_there_and_play(client: httpx.AsyncClient) -> None:
    event = Organiser(client)
    rules = {"match": DICE, "time": {**TIME, "claims_ms": 0}, "stages": [{**DUELS, "rounds": 1}]}
    await event.announce(preset="duel_swiss", rules=rules)
    await event.ask("open_entry")
    entered = {name: await event.post("/entrants", {"name": name}, {}, good=201) for name in ("Ana", "Bob")}
    tokens = {name: bearer(told["token"]) for name, told in entered.items()}
    await event.ask("open_check_in")
    assert (await event.get("/me", tokens["Ana"]))["card"]["now"] == "check_in"
    for token in tokens.values():
        await event.ask("check_in", token, draws=True)
    await event.ask("proceed")
    for awaits in ("commit", "open"):
        for token in tokens.values():
            await give_seed(event, token, awaits)
    tables = {name: await seated(event, token) for name, token in tokens.items()}
    match = tables["Ana"]["card"]["table"]["match"]
    assert match == tables["Bob"]["card"]["table"]["match"]
    for told in tables.values():
        assert told["ready"] is False
        seat = bearer(told["token"])
        answer = await client.post(f"/matches/{match}/commands", json={"type": "ready"}, headers=seat)
        assert answer.status_code == 200, answer.text
    await played_out(client, match, [bearer(told["token"]) for told in tables.values()])
    view = await event.until("closed")
    assert [len(level) for level in view["ranking"]] == [1, 1]
    assert len(await audited(event)) == 1


async def give_seed(event: Organiser, token: dict[str, str], awaits: str) -> None:
    """Fix a seed of one's own for the lots, or open it, once the deal waits for it."""
    async with asyncio.timeout(PATIENCE_S):
        while (told := await event.get("/me", token))["awaits"] != awaits:
            await asyncio.sleep(0.05)
    deal, seat = told["deal"], told["drawer"]
    seed = bytes([seat]) * 32
    if awaits == "open":
        await event.ask("open_seed", token, deal=deal, seed=seed.hex())
        return
    record = (await event.client.get(f"{event.path}/export")).content
    lines = [canonical.decode(line) for line in record.splitlines() if line.startswith(b"{")]
    created, begun = lines[0]["data"], next(line["data"] for line in lines if line["type"] == "deal.committed")
    cups = tuple(Cup(*cup) for cup in begun["cups"])
    ctx = context(UUID(created["tournament"]).bytes, deal, rules_hash(created["rules"]), "all", cups)
    commit = seed_commitment(seed, ctx, bytes.fromhex(begun["root"]), seat).hex()
    await event.ask("commit_seed", token, deal=deal, commit=commit)


async def seated(event: Organiser, token: dict[str, str]) -> dict[str, Any]:
    """Return the card of an entrant once the table is open."""
    async with asyncio.timeout(PATIENCE_S):
        while (told := await event.get("/me", token))["token"] is None:
            await asyncio.sleep(0.05)
        found: dict[str, Any] = told
        return found


async def played_out(client: httpx.AsyncClient, match: str, seats: list[dict[str, str]]) -> None:
    """Let one of them give up as soon as there are dice."""
    async with asyncio.timeout(PATIENCE_S):
        while (await client.get(f"/matches/{match}")).json()["turn"] is None:
            await asyncio.sleep(0.05)
    answer = await client.post(f"/matches/{match}/commands", json={"type": "resign"}, headers=seats[0])
    assert answer.status_code == 200, answer.text
