"""Private tables and names of tables: who sits down, who is told, and what nobody can guess."""

from __future__ import annotations

import asyncio
from uuid import UUID

import httpx
import pytest

from infra.sealing import Sealing
from infra.store import Card, Choices
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.handler import CommandHandler
from services.matches.requests import CommandMetadata, KeyUsed
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import RULES, Service, served
from tests.api.test_problems import check

KEYS = bytes(range(32)), bytes(range(1, 33))
GIVEN = {"game": "common_hand", "options": {}}


def house(store: MemoryStore, *keys: bytes) -> CommandHandler:
    return CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(*(keys or KEYS[:1])))


def opened(service: Service, **more: object) -> dict[str, str]:
    answer = service.client.post("/api/v1/matches", json={**RULES, **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, str] = answer.json()
    return found


def sit_down(service: Service, match: str, **body: object) -> httpx.Response:
    return service.client.post(f"/api/v1/matches/{match}/seats", json=body)


# ---- names of tables ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", "   ", "\u202etable", "\u3164", "a\nb", "T" + "\u0301" * 40, "\u0422able", "Basil", "truecup!", "..."]
)
def test_no_table_is_called_what_cannot_be_read(service: Service, name: str) -> None:
    before = len(service.house.rooms)
    refused = service.client.post("/api/v1/matches", json={**RULES, "name": name})

    assert refused.json()["code"] in {"bad_name", "malformed"}
    assert refused.status_code in {400, 422}
    assert len(service.house.rooms) == before


def test_a_table_bears_its_name_on_its_pages_in_its_normal_form() -> None:
    with served(Bounds(), house(MemoryStore())) as service:
        match = opened(service, name="  Friday \uff4eight <b> ")["match"]
        for page in ("", "/replay"):
            text = service.client.get(f"/m/{match}{page}").text
            assert "<title>" in text
            assert "Friday night &lt;b&gt; \u00b7 Truecup</title>" in text
        assert 'name="Friday night &lt;b&gt;"' in service.client.get(f"/m/{match}").text
        other = opened(service)["match"]
        assert "An empty table" in service.client.get(f"/m/{other}").text


# ---- invitations --------------------------------------------------------------------------------


def test_a_seat_at_a_private_table_takes_the_invitation_of_the_opening() -> None:
    with served(Bounds(writes_per_s=100), house(MemoryStore())) as service:
        found = opened(service, private=True)
        match, invite = found["match"], found["invite"]
        other = opened(service, private=True)["invite"]
        assert len({invite, other}) == 2
        assert (len(invite), invite.isascii()) == (32, True)
        for guess in (None, "", "a" * 32, "a" * 64, "\u00e9", invite[:-1], invite + "a", invite.swapcase(), other):
            check(sit_down(service, match, name="Ada", invite=guess), 403, "needs_invite")
        check(sit_down(service, match, name="Ada"), 403, "needs_invite")
        check(sit_down(service, match, name="Ada", invite="a" * 65), 400, "malformed")
        assert service.client.get(f"/api/v1/matches/{match}").json()["version"] == 1

        seated = sit_down(service, match, name="Ada", invite=invite)
        assert (seated.status_code, seated.json()["seat"]) == (201, 1)
        assert "invite" not in seated.json()
        # Its host brings bots without being invited, and everybody may watch.
        host = {"Authorization": f"Bearer {found['token']}"}
        assert service.client.post(f"/api/v1/matches/{match}/bots", json={"count": 1}, headers=host).status_code == 201
        for path in (f"/m/{match}", f"/api/v1/matches/{match}", f"/api/v1/matches/{match}/record"):
            assert invite not in service.client.get(path).text
        assert " private>" in service.client.get(f"/m/{match}").text


def test_an_open_table_has_no_invitation_and_asks_for_none(service: Service) -> None:
    found = opened(service)
    assert "invite" not in found
    assert sit_down(service, found["match"], name="Ada", invite="a" * 32).status_code == 201


def test_whoever_guesses_invitations_is_slowed_down() -> None:
    with served(Bounds(writes_per_s=3)) as service:
        match = opened(service, private=True)["match"]
        codes = {sit_down(service, match, name="Ada", invite=f"{number:032d}").json()["code"] for number in range(12)}

        assert codes == {"needs_invite", "too_many_requests"}


async def test_a_repeat_of_the_opening_has_the_same_invitation_and_no_store_has_it() -> None:
    ask, card = CommandMetadata("test", "open", b"a"), Card("Ours", listed=False)
    first = await house(store := MemoryStore()).open(GIVEN, ask, card=card)
    assert await house(store).open(GIVEN, ask, card=card) == first
    assert first.invite is not None
    assert first.invite not in repr(vars(store))
    assert await store.card(f"match/{first.match}") == card


async def test_an_invitation_is_good_while_its_key_is() -> None:
    ask = CommandMetadata("test", "open", b"a")
    answer = await house(store := MemoryStore(), KEYS[0]).open(GIVEN, ask, card=Card(listed=False))
    newer = house(store, KEYS[1], KEYS[0])
    seated = await newer.join(UUID(answer.match), "Ada", "server", CommandMetadata("test", "ada", b""), answer.invite)
    assert seated.seat == 1


async def test_a_key_that_opened_a_table_gives_it_no_other_card() -> None:
    store = MemoryStore()
    for first, second in (
        (Card("One"), Card("Two")),
        (Card(listed=False), Card("One", listed=False)),
        (Card(), Card("One")),
    ):
        key = f"{first} {second}"
        match = (await house(store).open(GIVEN, CommandMetadata("test", key, b"a"), card=first)).match
        with pytest.raises(KeyUsed):
            await house(store).open(GIVEN, CommandMetadata("test", key, b"b"), card=second)
        assert await house(store).card(UUID(match)) == first


async def test_a_crash_between_card_and_opening_leaves_what_the_repeat_opens() -> None:
    ask, card = CommandMetadata("test", "open", b"a"), Card("Ours", listed=False)
    store = MemoryStore()
    await store.keep_card(f"match/{await house(store).id_of(ask)}", card)
    assert (await house(store).open(GIVEN, ask, card=card)).version == 1
    with pytest.raises(KeyUsed):
        await house(store).open(GIVEN, ask, card=Card("Theirs"))


# ---- what a host chooses beside the rules -------------------------------------------------------


def test_what_a_host_chooses_stands_on_the_card_and_not_in_the_record() -> None:
    with served(Bounds(), house(store := MemoryStore())) as service:
        match = opened(service, choices={"delay_ms": 60_000, "phrases": False})["match"]
        record = service.client.get(f"/api/v1/matches/{match}/events").text
        kept = asyncio.run(store.card(f"match/{match}"))
    assert kept == Card(choices=Choices(delay_ms=60_000, phrases=False))
    assert "delay_ms" not in record


def test_who_holds_no_seat_is_shown_a_match_as_late_as_its_host_wants() -> None:
    with served(Bounds(writes_per_s=100), house(MemoryStore())) as service:
        found = opened(service, choices={"delay_ms": 900_000, "phrases": False})
        path, page = f"/api/v1/matches/{found['match']}", f"/m/{found['match']}"
        ada = {"Authorization": f"Bearer {sit_down(service, found['match'], name='Ada').json()['token']}"}
        sit_down(service, found["match"], name="Bob")
        host = {"Authorization": f"Bearer {found['token']}"}
        waits = service.client.get(path).json()
        lobby = waits["version"]
        assert len(waits["seats"]) == 2, "a lobby waits for nobody"
        started = service.client.post(f"{path}/start", headers=host).json()["version"]

        assert service.client.get(path).json() == service.client.get(path, headers=host).json() == waits
        assert service.client.get(path, headers=ada).json()["version"] == started > lobby
        late = service.client.get(f"{path}/replay").json()["frames"]
        assert [frame["version"] for frame in late] == list(range(1, lobby + 1))
        assert len(service.client.get(f"{path}/replay", headers=ada).json()["frames"]) == started
        for query in (f"version={lobby + 1}", f"version={lobby + 1}&eyes=all", f"version={started}&eyes=1"):
            refused = service.client.get(f"{path}/replay?{query}", headers=ada if "eyes" in query else {})
            check(refused, 409, "version_in_the_future")
        check(
            service.client.get(f"/matches/{found['match']}/card.svg?version={lobby + 1}"), 409, "version_in_the_future"
        )
        for address in (page, f"/embed/matches/{found['match']}", f"/overlay/matches/{found['match']}"):
            text = service.client.get(address).text
            assert f'version="{lobby}"' in text
            assert 'data-delay="900000"' in text
            assert ("shown 900 s late" in text) == (address != page), "the table says it where it knows who looks"
        # Who plays speaks of the match as it is, though this host wants to hear nothing.
        at_once, passed = (
            service.client.post(
                f"{path}/phrases", json={"phrase": "nice"}, headers={**ada, "If-Match": f'"v{version}"'}
            )
            for version in (started, lobby)
        )
        check(at_once, 403, "no_phrases")
        check(passed, 412, "version_passed")
        assert passed.json()["version"] == started
        # The record is evidence, and is there at once.
        assert service.client.get(f"{path}/record").text.count('"type":') >= started


def test_whoever_meets_a_match_is_told_what_its_host_chose(service: Service) -> None:
    usual = {"delay_ms": 0, "phrases": True, "hints": False, "bots": "usual", "live_reads": False, "private": False}
    for choices in ({}, {"hints": True}, {"delay_ms": 60_000, "phrases": False, "bots": "instant", "live_reads": True}):
        match = opened(service, choices=choices)["match"]
        assert service.client.get(f"/api/v1/matches/{match}/choices").json() == usual | choices
    private = opened(service, private=True)["match"]
    assert service.client.get(f"/api/v1/matches/{private}/choices").json() == usual | {"private": True}
    nothing = service.client.get(f"/api/v1/matches/{UUID(int=0)}/choices")
    assert (nothing.status_code, nothing.json()["code"]) == (404, "unknown_match")


def test_an_answer_tells_whoever_is_shown_a_match_late_no_later_version() -> None:
    with served(Bounds(writes_per_s=100), house(MemoryStore())) as service:
        found = opened(service, choices={"delay_ms": 900_000})
        path, host = f"/api/v1/matches/{found['match']}", {"Authorization": f"Bearer {found['token']}"}
        for name in ("Ada", "Bob"):
            sit_down(service, found["match"], name=name)
        lobby = service.client.get(path).json()["version"]
        started = service.client.post(f"{path}/start", headers=host).json()["version"]
        # Whoever opened it may do things at the version that the answer named; nobody else hears of that.
        for who, version, status in ((host, 1, 412), (host, lobby, 409), (host, started, 409), ({}, started, 412)):
            asked = {**who, "Idempotency-Key": f"a-key-of-its-own-{status}-{version}", "If-Match": f'"v{version}"'}
            what, body = ("start", None) if who else ("seats", {"name": "Eve"})
            told = service.client.post(f"{path}/{what}", json=body, headers=asked)
            assert (told.status_code, told.json().get("version", lobby)) == (status, lobby), told.text


@pytest.mark.parametrize("choices", [{"delay_ms": -1}, {"delay_ms": 900_001}, {"phrases": "no"}, {"colour": 1}])
def test_choices_that_there_are_not_open_nothing(service: Service, choices: dict[str, object]) -> None:
    before = len(service.house.rooms)
    refused = service.client.post("/api/v1/matches", json={**RULES, "choices": choices})
    check(refused, 400, "malformed")
    assert len(service.house.rooms) == before
