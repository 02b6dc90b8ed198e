"""Keys of entrants over HTTP: registered, changed and named anew, refused where they are no keys, and audited."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx
import pytest_asyncio

from domain.fairness.signing.entrants import key_message
from domain.log import canonical
from infra.keys import Ed25519Signer
from services.audit.results import held_match, hold
from services.audit.verdict import verdict_of
from tests.director.house import DICE
from tests.director.test_over_http import DUELS, TIME, Organiser, audited, bearer, played_out, seated

OLD, NEW, NAMED = (Ed25519Signer(bytes([each]) * 32) for each in (1, 2, 3))
SMALL_ORDER = "01" + "00" * 31


@pytest_asyncio.fixture
async def event(service_url: str) -> AsyncIterator[Organiser]:
    async with httpx.AsyncClient(base_url=f"{service_url}/api/v1", timeout=30) as client:
        found = Organiser(client)
        rules = {"match": DICE, "time": {**TIME, "claims_ms": 0}, "stages": [{**DUELS, "rounds": 1}]}
        await found.announce(preset="duel_swiss", rules=rules)
        await found.ask("open_entry")
        yield found


async def entered(event: Organiser, *names: str) -> list[dict[str, str]]:
    return [bearer((await event.post("/entrants", {"name": name}, {}, good=201))["token"]) for name in names]


async def word(event: Organiser, key: str, by: Ed25519Signer, n: int, spoilt: bytes = b"") -> dict[str, Any]:
    """Return what entrant 1 says of the own key, signed over the last line there is."""
    record = (await event.client.get(f"{event.path}/export")).content
    lines = [line for line in record.splitlines() if line.startswith(b"{")]
    tournament = canonical.decode(lines[0])["data"]["tournament"]
    head = bytes.fromhex(canonical.head(lines[-1] + spoilt))
    message = key_message(UUID(tournament), 1, key, n, len(lines), head)
    signed = {"key": by.public_key.hex(), "n": n, "version": len(lines), "sig": by.sign(message).hex()}
    return {"type": "take_key", "key": key, "signed": signed}


async def refusal(event: Organiser, body: dict[str, Any], token: dict[str, str]) -> tuple[int, str]:
    answer = await event.client.post(f"{event.path}/commands", json=body, headers=token)
    return answer.status_code, answer.json()["code"]


async def test_an_entrant_registers_changes_and_gets_back_a_key(event: Organiser) -> None:
    ana, bob = await entered(event, "Ana", "Bob")
    old, new = OLD.public_key.hex(), NEW.public_key.hex()
    await event.post("/commands", first := await word(event, old, OLD, 0), ana)
    assert await refusal(event, first, ana) == (422, "bad_signature")
    assert await refusal(event, {**first, "number": 1}, bob) == (403, "not_yours")
    await event.post("/commands", await word(event, new, OLD, 1), ana)
    await event.ask("name_key", number=1, key=NAMED.public_key.hex())
    assert await refusal(event, {"type": "name_key", "number": 2, "key": old}, event.host) == (409, "no_key")
    rows = await event.get("/entrants")
    assert [(row["key"], row["key_named"]) for row in rows] == [(new, NAMED.public_key.hex()), (None, None)]
    assert await refusal(event, await word(event, NAMED.public_key.hex(), NAMED, 2), ana) == (422, "bad_signature")
    await event.post("/commands", await word(event, new, NEW, 2), ana)
    assert (await event.get("/entrants/1"))["entrant"]["key_named"] is None


async def test_what_is_no_key_or_was_signed_over_something_else_is_refused(event: Organiser) -> None:
    (ana,) = await entered(event, "Ana")
    old = OLD.public_key.hex()
    assert await refusal(event, await word(event, old, OLD, 0, spoilt=b" "), ana) == (422, "bad_signature")
    small = await word(event, SMALL_ORDER, OLD, 0)
    small["signed"]["key"] = SMALL_ORDER
    assert await refusal(event, small, ana) == (422, "bad_key")
    assert await refusal(event, {"type": "take_key", "key": old}, ana) == (400, "malformed")
    await event.post("/commands", await word(event, old, OLD, 0), ana)


async def test_an_event_of_somebody_with_a_key_audits_and_tells_of_seats_without(event: Organiser) -> None:
    ana, _ = tokens = await entered(event, "Ana", "Bob")
    await event.post("/commands", await word(event, OLD.public_key.hex(), OLD, 0), ana)
    await event.ask("open_check_in")
    for token in tokens:
        await event.ask("check_in", token)
    await event.ask("proceed")
    seats = [await seated(event, token) for token in tokens]
    match = seats[0]["card"]["table"]["match"]
    for told in seats:
        body = {"type": "ready"}
        answer = await event.client.post(f"/matches/{match}/commands", json=body, headers=bearer(told["token"]))
        assert answer.status_code == 200, answer.text
    await played_out(event.client, match, [bearer(told["token"]) for told in seats])
    await event.until("closed")
    results = await audited(event)
    found = held_match(verdict_of((await event.client.get(f"/matches/{match}/record")).content, None))
    assert found is not None
    assert found.table is not None
    held = hold(results, {match: found})
    assert (held.checked, [(each.match, each.number) for each in held.keys.without]) == (1, [(match, 1)])
