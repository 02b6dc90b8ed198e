"""Matches in bulk over HTTP: all tables or none, and whatever is wrong is told of every row at once."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import pytest

from domain.errors import Refused
from infra.clock import now_ms
from infra.sealing import Sealing
from infra.store import Append, Outcome, Unavailable
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.attendance import ScheduledTables, WaitingTables
from services.matches.handler import CommandHandler
from services.matches.requests import ANONYMOUS, CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.matches.tables.bulk import BulkAnswer, BulkTable
from tests.api.conftest import Service, bearer, served
from tests.api.test_problems import check

CSV, NDJSON = "text/csv", "application/x-ndjson"
PATH: Final = "/api/v1/matches/bulk"
DAY_MS: Final = 86_400_000


class Losing(MemoryStore):
    """A store that says of the next sets that nobody knows whether they are stored: before they are, or after."""

    before = after = 0

    async def append_all(self, appends: Sequence[Append]) -> list[Outcome]:
        if self.before:
            self.before -= 1
            raise Unavailable("before it was stored")
        found = await super().append_all(appends)
        if self.after:
            self.after -= 1
            raise Unavailable("after it was stored")
        return found


STORE: Final = Losing()


def house(*keys: bytes, waiting: WaitingTables | None = None) -> CommandHandler:
    tokens = TokenIssuer(*(keys or (bytes(32),)))
    return CommandHandler(STORE, Vault(STORE, Sealing(bytes(32))), tokens, waiting=waiting)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds(writes_per_s=100_000), matches=house()) as running:
        yield running


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def pair(*names: str, **more: Any) -> dict[str, Any]:
    return {"rules": {"game": "common_hand"}, "names": names, "starts_at": now_ms() + DAY_MS, **more}


def opened(service: Service, listed: str | bytes, media_type: str = NDJSON, key: str | None = None) -> httpx.Response:
    body = listed.encode() if isinstance(listed, str) else listed
    headers = {"Content-Type": media_type, "Idempotency-Key": key or uuid4().hex}
    return service.client.post(PATH, content=body, headers=headers)


def recorded() -> int:
    return sum(asyncio.run(STORE.positions()).values())


def refused(service: Service, listed: str | bytes, media_type: str = NDJSON) -> list[tuple[int, str, str]]:
    """Return what is wrong with the rows of a list, of which nothing is recorded."""
    before = recorded()
    answer = opened(service, listed, media_type)
    check(answer, 422, "bad_list")
    assert recorded() == before
    return [(row["row"], row["code"], row["why"]) for row in answer.json()["rows"]]


def view(service: Service, match: str, token: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = service.client.get(
        f"/api/v1/matches/{match}", headers={} if token is None else bearer(token)
    ).json()
    return found


def test_a_list_opens_its_tables_and_gives_each_seat_and_host_a_token(service: Service) -> None:
    answer = opened(service, lines(pair("Ada", "Ben"), pair("Ada", "Cem", name="Table 2", private=True), pair()))
    assert (answer.status_code, answer.headers["cache-control"]) == (201, "no-store")
    first, second, third = answer.json()["tables"]
    assert [seat["seat"] for seat in first["seats"]] == [1, 2]
    assert (third.get("seats"), "invite" in second, "invite" in first) == (None, True, False)
    shown = view(service, first["match"], first["seats"][1]["token"])
    assert shown["viewer"] == 2
    assert [seat["name"] for seat in shown["seats"]] == ["Ada", "Ben"]
    assert (shown["rules"]["seats"], shown["rules"]["starts_at"]) == (2, first["starts_at"])
    started = service.client.post(f"/api/v1/matches/{second['match']}/start", headers=bearer(second["token"]))
    assert started.status_code == 200
    assert service.client.get(f"/api/v1/matches/{second['match']}/audit").json()["status"] != "FAULT"
    listed = {row["match"]: row for row in service.client.get("/api/v1/matches?state=open&limit=100").json()}
    assert second["match"] not in listed


def test_a_spreadsheet_is_taken_as_it_was_saved(service: Service) -> None:
    at = (datetime.now(UTC) + timedelta(days=2)).replace(microsecond=0)
    rows = f'Game;Seat 1;Seat 2;Starts_at;Name;Seats\r\nfinska;"Ada ""A"" Lee";=1+1;{at.isoformat()};;4\r\n;;;;;\r\n'
    (table,) = opened(service, b"\xef\xbb\xbf" + rows.encode(), CSV).json()["tables"]
    shown = view(service, table["match"])
    assert [seat["name"] for seat in shown["seats"]] == ['Ada "A" Lee', "=1+1"]
    assert (shown["game"], shown["rules"]["seats"]) == ("finska", 4)
    assert shown["rules"]["starts_at"] == int(at.timestamp() * 1000)


def test_whatever_is_wrong_is_told_of_every_row_and_no_table_is_opened(service: Service) -> None:
    now = now_ms()
    assert refused(
        service,
        lines(
            pair("Ada", "Ben"),
            pair("Ada", "ADA"),
            pair("x\u202e", "Basil"),
            pair(starts_at=now - 1),
            pair(starts_at=now + 8 * DAY_MS),
        ),
    ) == [
        (2, "name_taken", "somebody else at this table is called that, or looks like it"),
        (3, "bad_name", "a name has nothing in it that cannot be seen: U+202E"),
        (3, "bad_name", "Basil is what a bot of the house is called"),
        (4, "bad_options", "starts_at: this is not within the next seven days"),
        (5, "bad_options", "starts_at: this is not within the next seven days"),
    ]
    idle = {"rules": {"game": "common_hand", "idle": None}, "starts_at": now + DAY_MS}
    found = refused(service, lines(pair(), {"rules": {"game": "chess"}}, idle, pair(*"ABCD", rules={"game": "mia"})))
    assert [(row, code, why.partition(":")[0]) for row, code, why in found] == [
        (2, "bad_options", "game"),
        (3, "bad_options", "starts_at"),
        (4, "bad_options", "game"),
    ]
    found = refused(service, lines({"rules": {}}, pair(names=["Ada", ""]), {"more": 1}, pair(custody="mine")))
    assert [row for row, _, _ in found] == [1, 2, 3, 4]
    assert refused(service, "game,starts_at\ncommon_hand,2026-11-27T19:00\n", CSV)[0][0] == 2
    assert refused(service, "game,seat 0\ncommon_hand,Ada\n", CSV)[0][:2] == (1, "malformed")
    assert refused(service, "game,game\nfinska,finska\n", CSV) == [
        (1, "malformed", "the first row names each column once")
    ]


def test_a_list_has_bounds(service: Service) -> None:
    assert refused(service, lines(*[{"rules": {"game": "finska"}}] * 501))[0][0] == 501
    crowd = [f"P{number}" for number in range(12)]
    too_many = [(342, "malformed", "at most 4096 people sit at all tables together")]
    assert refused(service, lines(*[pair(*crowd)] * 342)) == too_many
    assert refused(service, lines(*[pair(*["="] * 12)] * 342)) == too_many, "no name is looked at"
    told = opened(service, lines(*[pair("=", "Ada", "ADA"), pair("=", "x\u202e")] * 200)).json()
    assert (told["wrong"], len(told["rows"])) == (100, 100), "nor more than the answer tells"
    assert status_of_long(service, 2**20 + 1) == 413
    check(opened(service, "{}", "application/json"), 415, "bad_media_type")
    check(opened(service, lines(pair()), key="a" * 32), 422, "weak_idempotency_key")


def status_of_long(service: Service, length: int) -> int:
    """Return the status for a list that is announced to be so long; nothing of it is sent."""
    asked = http.client.HTTPConnection("127.0.0.1", service.server.port, timeout=60)
    asked.request("POST", PATH, headers={"Content-Type": NDJSON, "Content-Length": str(length)})
    try:
        return asked.getresponse().status
    finally:
        asked.close()


def test_a_repeat_is_given_the_same_tokens_and_opens_nothing(service: Service) -> None:
    key, listed = uuid4().hex, lines(pair("Ada", "Ben"), pair("Cem", name="Table 2"))
    first, after = opened(service, listed, key=key), recorded()
    assert opened(service, listed, key=key).json() == first.json()
    assert recorded() == after
    check(opened(service, lines(pair("Ada", "Ben")), key=key), 422, "key_reused")
    stream, command = f"match/{first.json()['tables'][0]['match']}", CommandMetadata(ANONYMOUS, key, b"").command
    stored = asyncio.run(STORE.answer(stream, command))
    assert stored is not None
    assert not any(text in stored[1] for text in (b"Ada", b"truecup_")), "what is stored names nobody and opens nothing"


def test_a_repeat_after_the_key_of_the_service_has_changed_is_given_the_same() -> None:
    old, new, key, listed = b"o" * 32, b"n" * 32, uuid4().hex, lines(pair("Ada", "Ben"))
    with served(Bounds(), matches=house(old)) as before:
        first = opened(before, listed, key=key).json()
    with served(Bounds(), matches=house(new, old)) as after:
        assert opened(after, listed, key=key).json() == first
        (table,) = first["tables"]
        assert view(after, table["match"], table["seats"][0]["token"])["viewer"] == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_commit_in_doubt_leaves_all_tables_or_none_and_the_repeat_says_which(service: Service, when: str) -> None:
    key, listed, before = uuid4().hex, lines(*(pair("Ada", "Ben", name=f"Table {n}") for n in range(20))), recorded()
    setattr(STORE, when, 1)
    check(opened(service, listed, key=key), 503, "unavailable")
    assert recorded() - before == {"before": 0, "after": 20 * 5}[when]
    tables = opened(service, listed, key=key).json()["tables"]
    assert recorded() - before == 20 * 5
    assert len({table["match"] for table in tables}) == 20
    assert view(service, tables[7]["match"], tables[7]["seats"][1]["token"])["viewer"] == 2


def test_one_network_has_so_many_that_wait_for_their_time_and_what_is_refused_costs_nothing() -> None:
    with served(Bounds(writes_per_s=2), matches=house(waiting=WaitingTables(1, 3))) as service:
        for _ in range(6):
            check(opened(service, lines(pair("=", "=")), key=None), 422, "bad_list")
        assert opened(service, lines(pair(), pair())).status_code == 201
        for _ in range(6):
            again = opened(service, lines(pair(), pair()))
            check(again, 429, "too_many_tables")
            assert again.json().items() >= {"waiting": 2, "most": 3}.items()
        assert opened(service, lines(pair())).status_code == 201


def test_a_long_list_that_is_refused_counts_as_a_command() -> None:
    with served(Bounds(writes_per_s=1), matches=house()) as service:
        long = lines(*[pair("=", "=")] * 100)
        check(opened(service, long), 422, "bad_list")
        assert any(opened(service, long).json()["code"] == "too_many_requests" for _ in range(60))


def test_tables_count_until_their_time_and_no_longer() -> None:
    scheduled = ScheduledTables(2)
    for number in range(2):
        scheduled.note("a network", UUID(int=number), 100 + number)
    scheduled.note(None, UUID(int=9), 1_000)
    scheduled.check_room(None, 9, 0)
    scheduled.check_room("another", 2, 0)
    with pytest.raises(Exception, match="so many tables"):
        scheduled.check_room("a network", 1, 99)
    scheduled.check_room("a network", 1, 100)
    scheduled.check_room("a network", 2, 101)


@pytest.mark.parametrize("keys", [4, 1])
async def test_lists_sent_at_once_have_no_more_room_than_one_after_the_other(keys: int) -> None:
    matches = house(waiting=WaitingTables(1, 20))
    tables = [BulkTable({"game": "common_hand", "options": {}, "seats": 2, "starts_at": now_ms() + DAY_MS})] * 15
    asks = [CommandMetadata(ANONYMOUS, uuid4().hex, b"", network="a network") for _ in range(keys)]
    tried = (matches.open_all(tables, asks[number % keys]) for number in range(4))
    found = await asyncio.gather(*tried, return_exceptions=True)
    full = [one for one in found if isinstance(one, Refused)]
    assert [one.facts["waiting"] for one in full] == [15] * (keys - 1)
    assert len({one for one in found if isinstance(one, BulkAnswer)}) == 1


async def test_the_same_list_sent_twice_at_once_opens_one_set_of_tables(service: Service) -> None:
    key, listed, before = uuid4().hex, lines(*(pair("Ada", "Ben") for _ in range(10))), await STORE.positions()
    headers = {"Content-Type": NDJSON, "Idempotency-Key": key}
    async with httpx.AsyncClient(base_url=service.url, timeout=60) as client:
        found = await asyncio.gather(*(client.post(PATH, content=listed, headers=headers) for _ in range(4)))
    assert len({answer.text for answer in found}) == 1
    assert sum((await STORE.positions()).values()) - sum(before.values()) == 10 * 5
