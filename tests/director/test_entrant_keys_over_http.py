"""Keys of entrants over HTTP: registered, changed and named anew, refused where they are no keys, and audited."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx
import pytest_asyncio
from msgspec import UnsetType

from domain.fairness.signing.entrants import key_message
from domain.fairness.signing.keyed_seats import RECOVERY_MS
from domain.log import canonical
from domain.match.signing import message_for
from infra.keys import Ed25519Signer
from services.audit.results import TableKeys, held_match, hold
from services.audit.verdict import verdict_of
from services.client.keys.held import HeldRecord
from tests.director.house import DICE
from tests.director.test_over_http import DUELS, PATIENCE_S, TIME, Organiser, audited, bearer, played_out, seated
from tests.fairness.test_rules_in_javascript import agree

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
    signing = (await event.get("/me", ana))["signing"]
    told = await event.client.get(f"{event.path}/lines?after={signing['loud']}")
    line = canonical.decode(told.content.splitlines()[0])
    assert line["data"]["key"] == signing["named"] == NAMED.public_key.hex()
    assert (signing["n"], signing["holds_at"]) == (2, line["at"] + RECOVERY_MS)
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


# ---- seats that are kept ---------------------------------------------------------------------------


async def at_table(event: Organiser) -> tuple[dict[str, str], dict[str, str], str]:
    """Let Ana, who has a key, and Bob be paired; return their tokens, and the match that is open."""
    ana, bob = await entered(event, "Ana", "Bob")
    await event.post("/commands", await word(event, OLD.public_key.hex(), OLD, 0), ana)
    await event.ask("open_check_in")
    for token in (ana, bob):
        await event.ask("check_in", token)
    await event.ask("proceed")
    return ana, bob, (await seated(event, bob))["card"]["table"]["match"]


async def signed(event: Organiser, match: str, seat: int | None, n: int, public: dict[str, Any]) -> dict[str, Any]:
    """Return the signature over a command, as the match stands now."""
    held = HeldRecord(match)
    held.take((await event.client.get(f"/matches/{match}/record")).content)
    message = message_for(held.signing, UUID(match).bytes, seat, n, held.version, public)
    return {"n": n, "version": held.version, "sig": OLD.sign(message).hex()}


async def sits(event: Organiser, match: str, token: dict[str, str], by: Ed25519Signer = OLD) -> httpx.Response:
    public = {"type": "join", "key": by.public_key.hex(), "custody": "server"}
    body = {"key": by.public_key.hex(), "signed": await signed(event, match, None, 0, public)}
    return await event.client.post(f"{event.path}/me/seat", json=body, headers=token)


async def says_ready(event: Organiser, match: str, told: dict[str, Any]) -> None:
    headers = bearer(told["token"])
    answer = await event.client.post(f"/matches/{match}/commands", json={"type": "ready"}, headers=headers)
    assert answer.status_code == 200, answer.text


async def keys_held(event: Organiser, match: str) -> TableKeys:
    """Let the event come to its end, and hold the keys of its seats against those of entrants."""
    await event.until("closed")
    results = await audited(event)
    found = held_match(verdict_of((await event.client.get(f"/matches/{match}/record")).content, None))
    assert found is not None
    held = hold(results, {match: found})
    assert (held.checked, held.differences) == (1, ())
    return held.keys


async def test_a_seat_is_kept_for_who_has_a_key_and_all_is_signed_there(event: Organiser) -> None:
    ana, bob, match = await at_table(event)
    kept = await event.get("/me", ana)
    assert (kept["token"], kept["ready"]) == (None, False)
    seat = kept["card"]["table"]["seat"]
    await says_ready(event, match, await event.get("/me", bob))
    view = (await event.client.get(f"/matches/{match}")).json()
    assert (view["phase"], [one["seat"] for one in view["seats"]]) == ("lobby", [3 - seat])
    assert (await sits(event, match, ana, NEW)).json()["code"] == "bad_signature", "another key than hers"
    assert (await sits(event, match, bob)).json()["token"] is not None, "he has his seat"
    told = (await sits(event, match, ana)).json()
    assert (told["ready"], told["token"] is None) == (True, False)
    assert (await sits(event, match, ana)).json()["token"] == told["token"] == (await event.get("/me", ana))["token"]
    async with asyncio.timeout(PATIENCE_S):
        while (await event.client.get(f"/matches/{match}")).json()["turn"] is None:
            await asyncio.sleep(0.05)
    asks = f"/matches/{match}/commands"
    unsigned = await event.client.post(asks, json={"type": "resign"}, headers=bearer(told["token"]))
    assert unsigned.json()["code"] == "needs_signature"
    body = {"type": "resign", "signed": await signed(event, match, seat, 1, {"type": "resign"})}
    assert (await event.client.post(asks, json=body, headers=bearer(told["token"]))).status_code == 200
    assert await keys_held(event, match) == TableKeys(1)
    record = (await event.client.get(f"/matches/{match}/record")).content
    lines = [json.loads(line) for line in record.splitlines() if line.startswith(b"{")]
    assert agree([lines]) == [(True, None, len(lines))], "both referees"
    proved = verdict_of(record, None).seats
    assert not isinstance(proved, UnsetType)
    assert {seat: (one["key"], one["signed"]) for seat, one in proved.items()} == {str(seat): (OLD.public_key.hex(), 2)}


async def test_who_has_no_key_at_hand_sits_down_without_and_the_audit_says_so(event: Organiser) -> None:
    ana, bob, match = await at_table(event)
    told = await event.post("/me/seat", {}, ana)
    assert told["ready"] is False
    for one in (told, await event.get("/me", bob)):
        await says_ready(event, match, one)
    await played_out(event.client, match, [bearer(told["token"])])
    found = await keys_held(event, match)
    assert (found.own, [(each.match, each.number) for each in found.without]) == (0, [(match, 1)])
