"""A ladder over HTTP, at the real service: challenged, answered, played, and seen on the card."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest_asyncio

from tests.director.house import DICE, QUICK
from tests.director.test_over_http import PATIENCE_S, Organiser, bearer

RULES = {
    "match": DICE,
    "time": {**QUICK, "check_in_ms": 600_000},
    "entry": {"bots": "labelled"},
    "stages": [{"format": "ladder", "reach": 9, "answer_ms": 600_000, "duration_ms": 3_600_000}],
}


@pytest_asyncio.fixture
async def organiser(service_url: str) -> AsyncIterator[Organiser]:
    async with httpx.AsyncClient(base_url=f"{service_url}/api/v1", timeout=30) as client:
        yield Organiser(client)


async def test_entrants_of_a_ladder_challenge_and_answer(organiser: Organiser) -> None:
    await organiser.announce(rules=RULES)
    await organiser.ask("open_entry")
    tokens = {}
    for name in ("Ada", "Ben", "Cleo"):
        told = await organiser.post("/entrants", {"name": name}, {}, good=201)
        tokens[told["number"]] = bearer(told["token"])
    await organiser.ask("open_check_in")
    for token in tokens.values():
        await organiser.ask("check_in", token)
    await organiser.ask("proceed")
    await organiser.until("running")
    rows = (await organiser.get("/standings"))["rows"]
    top, middle, last = (row["number"] for row in rows)
    card = (await organiser.get("/me", tokens[last]))["card"]
    assert [each["number"] for each in card["ladder"]["rivals"]] == [top, middle]
    assert "challenge" in card["may"]
    refused = await organiser.post("/commands", {"type": "challenge", "against": last}, tokens[top], good=409)
    assert (refused["code"], refused["reach"]) == ("out_of_reach", 9)
    await organiser.ask("challenge", tokens[last], against=top)
    asked = (await organiser.get("/me", tokens[top]))["card"]
    assert asked["ladder"]["challenge"]["number"] == last
    assert "answer" in asked["may"]
    busy = await organiser.post("/commands", {"type": "challenge", "against": top}, tokens[middle], good=409)
    assert (busy["code"], busy["number"]) == ("already_challenged", top)
    await organiser.ask("answer", tokens[top], challenge=1, accepted=True)
    gone = await organiser.post(
        "/commands", {"type": "answer", "challenge": 1, "accepted": True}, tokens[top], good=409
    )
    assert gone["code"] == "no_challenge"
    async with asyncio.timeout(PATIENCE_S):
        while (await organiser.get("/me", tokens[last]))["card"]["now"] != "play":
            await asyncio.sleep(0.05)
    view = await organiser.get("/rounds/1/1")
    assert (view["law"], {seat["number"] for seat in view["tables"][0]["seats"]}) == ("ladder/1", {top, last})
    await organiser.ask("rule", stage=1, round=1, table=1, ranking=[[last], [top]], reason="agreement")
    standings = await organiser.get("/standings")
    assert (standings["ordered_by"], [row["number"] for row in standings["rows"]]) == ("ladder", [last, top, middle])
