"""Players over HTTP: known by one token at a time, called what they wish, erased when they wish, and in events once.

All of it is asked of a house that decides itself, and of a node that hands over what it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Final

import httpx
import pytest

from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.seasons.players import PlayerRegister
from tests.api.conftest import bearer, served
from tests.director.house import DICE, EventHouse
from tests.handoff.remote_house import RemoteHouse

LEAGUE: Final = {"places": ["3", "2", "1"], "best": 2}
NUMBERS = count()


class Front:
    """The interface of a house, as people use it."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def post(self, path: str, body: object = None, token: str | None = None, key: str | None = None) -> httpx.Response:
        headers = {} if token is None else bearer(token)
        headers["Idempotency-Key"] = key or f"a-key-of-its-own-{next(NUMBERS):08}"
        return self.client.post(f"/api/v1{path}", json=body, headers=headers)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.client.get(f"/api/v1{path}", headers=headers)

    def player(self, name: str) -> tuple[str, str]:
        """Make a player known, and return id and token."""
        answer = self.post("/players", {"name": name})
        assert answer.status_code == 201, answer.text
        return answer.json()["player"], answer.json()["token"]

    def season(self, **members: Any) -> tuple[str, str]:
        """Begin a season, and return id and token of its host."""
        answer = self.post("/seasons", {"game": "common_hand"} | members)
        assert answer.status_code == 201, answer.text
        return answer.json()["season"], answer.json()["token"]

    def announce(self, season: str, host: str | None, *, private: bool = False, **rules: Any) -> httpx.Response:
        body = {"preset": "pods", "rules": {"match": DICE, "season": season, **rules}, "private": private}
        return self.post("/tournaments", body, host)

    def opened(self, season: str, host: str, **rules: Any) -> tuple[str, str]:
        """Announce a tournament, and open its entry; return its path and its host's token."""
        answer = self.announce(season, host, **rules)
        assert answer.status_code == 201, answer.text
        path, token = f"/tournaments/{answer.json()['tournament']}", answer.json()["token"]
        assert self.post(f"{path}/commands", {"type": "open_entry"}, token).status_code == 200
        return path, token


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check a no, and return its facts."""
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    facts: dict[str, Any] = answer.json()
    return facts


@pytest.fixture(scope="module", params=[EventHouse, RemoteHouse], ids=["here", "elsewhere"])
def front(request: pytest.FixtureRequest) -> Iterator[Front]:
    with served(Bounds(writes_per_s=100_000), events=request.param(MemoryStore())) as service:
        yield Front(service.client)


# ---- players ----------------------------------------------------------------------------------------


def test_a_player_is_known_by_an_id_and_a_token_that_a_repeat_gets_again(front: Front) -> None:
    key = "one-and-the-same-key"
    first, again = (front.post("/players", {"name": " Ada "}, key=key) for _ in range(2))
    assert first.json() == again.json()
    player, token = first.json()["player"], first.json()["token"]
    assert (len(player), player[0], token.startswith("truecup_player_")) == (25, "u", True)
    assert first.headers["location"] == f"/api/v1/players/{player}"
    refused(front.post("/players", {"name": "Eve"}, key=key), 422, "key_reused")
    assert front.get(f"/players/{player}").json() == {"player": player, "name": "Ada", "ratings": [], "events": []}


@pytest.mark.parametrize("name", ["Ada\u202eBob", "a" * 41, "\u200b", "Basil", "truecup"])
def test_a_name_that_nobody_can_be_called_is_refused(front: Front, name: str) -> None:
    refused(front.post("/players", {"name": name}), 422, "bad_name")


def test_a_name_is_there_and_there_is_nothing_besides(front: Front) -> None:
    refused(front.post("/players", {"name": ""}), 400, "malformed")
    refused(front.post("/players", {"name": "Ada", "mail": "a@b.c"}), 400, "malformed")


def test_a_token_is_renewed_once_and_a_repeat_gets_the_same(front: Front) -> None:
    player, token = front.player("Renée")
    path, key = f"/players/{player}/token", "renew-it-with-this-key"
    renewed = front.post(path, token=token, key=key)
    assert renewed.status_code == 200
    assert front.post(path, token=token, key=key).json() == renewed.json()
    assert renewed.json()["token"] != token
    refused(front.post(path, token=token), 401, "bad_token")
    other, _ = front.player("Olga")
    refused(front.post(f"/players/{other}/token", token=token, key=key), 403, "foreign_token")
    refused(front.post(path, token=token, key="a" * 16), 422, "weak_idempotency_key")
    assert front.post(path, token=renewed.json()["token"]).status_code == 200
    refused(front.post(path, token=token, key=key), 401, "bad_token")


def test_a_name_is_erased_by_its_player_alone_and_for_good(front: Front) -> None:
    (player, token), (_, other) = front.player("Gone"), front.player("Stays")
    path = f"/api/v1/players/{player}/name"
    refused(front.client.delete(path), 401, "no_token")
    refused(front.client.delete(path, headers=bearer(other)), 403, "foreign_token")
    refused(front.client.delete(path, headers=bearer("truecup_player_" + "A" * 43)), 401, "bad_token")
    assert front.client.delete(path, headers=bearer(token)).json()["name"] is None
    assert front.get(f"/players/{player}").json()["name"] is None


def test_nobody_else_has_a_page(front: Front) -> None:
    nobody = "u" + "0" * 24
    _, token = front.player("Some one")
    refused(front.get(f"/players/{nobody}"), 404, "unknown_person")
    refused(front.get("/players/e" + "0" * 24), 404, "unknown_person")
    path, _ = front.opened(*front.season())
    guest = front.post(f"{path}/entrants", {"name": "Just a guest"}).json()["by"]
    refused(front.get(f"/players/{guest}"), 404, "unknown_person")
    refused(front.post(f"/players/{nobody}/token", token=token), 404, "unknown_person")
    refused(front.post(f"/players/{nobody}/token"), 401, "no_token")


async def test_players_stay_who_they_are_when_the_house_has_a_newer_key() -> None:
    store, old, new = MemoryStore(), bytes(32), b"n" * 32
    ask = CommandMetadata("anonymous", "the-key-of-a-player", b"body")
    first = await PlayerRegister(store, TokenIssuer(old)).create("Ada", ask)
    later = PlayerRegister(store, TokenIssuer(new, old))
    assert await later.create("Ada", ask) == first
    renew = CommandMetadata("her", "renew", b"")
    renewed = await PlayerRegister(store, TokenIssuer(old)).renew(first.token, renew)
    assert await later.renew(first.token, renew) == renewed
    assert (await later.create("Ada", ask)).player == first.player


# ---- seasons ----------------------------------------------------------------------------------------


def test_a_season_is_begun_seen_and_ended_by_its_host(front: Front) -> None:
    season, host = front.season(rules={"league": LEAGUE}, title="Autumn")
    seen = front.get(f"/seasons/{season}")
    told = seen.json()
    assert (told["title"], told["state"], told["table"], told["tournaments"]) == ("Autumn", "open", [], [])
    assert told["rules"]["league"] == {"points": "places", **LEAGUE, "up": 0, "down": 0}
    assert front.get(f"/seasons/{season}", **{"If-None-Match": seen.headers["etag"]}).status_code == 304
    _, other = front.season()
    refused(front.post(f"/seasons/{season}/close"), 401, "no_token")
    refused(front.post(f"/seasons/{season}/close", token=other), 403, "foreign_token")
    refused(front.post(f"/seasons/{season}/close", token=host[:-4] + "AAAA"), 401, "bad_token")
    assert front.post(f"/seasons/{season}/close", token=host).status_code == 200
    refused(front.post(f"/seasons/{season}/close", token=host), 409, "season_over")
    assert front.get(f"/seasons/{season}").json()["state"] == "closed"
    record = front.get(f"/seasons/{season}/export")
    assert record.text.splitlines()[1].endswith('"type":"season.closed","v":1}')
    cup = front.get(f"/seasons/{season}/export", accept="application/x-cup")
    assert cup.headers["content-type"] == "application/x-cup"
    assert {each.headers["vary"].partition(",")[0] for each in (record, cup)} == {"Accept"}


def test_what_is_wrong_with_a_season_is_said(front: Front) -> None:
    assert refused(front.post("/seasons", {"game": "chess"}), 422, "bad_options")["option"] == "game"
    asked = {"game": "common_hand", "rules": {"league": {"places": ["1", "2"]}}}
    assert refused(front.post("/seasons", asked), 422, "bad_options")["option"] == "league.places.1"
    refused(front.post("/seasons", {"game": "common_hand", "title": "a" * 41}), 422, "bad_name")
    nowhere = "6f1de1ce-0000-4000-8000-00000000000f"
    refused(front.get(f"/seasons/{nowhere}"), 404, "unknown_season")
    refused(front.get(f"/seasons/{nowhere}/export"), 404, "unknown_season")
    _, host = front.season()
    refused(front.post(f"/seasons/{nowhere}/close", token=host), 404, "unknown_season")
    key = "a-key-that-is-used-twice"
    first = front.post("/seasons", {"game": "common_hand", "title": "One"}, key=key)
    assert front.post("/seasons", {"game": "common_hand", "title": "One"}, key=key).json() == first.json()
    refused(front.post("/seasons", {"game": "common_hand", "title": "Two"}, key=key), 422, "key_reused")


def test_a_tournament_is_announced_for_a_season_by_its_host_alone(front: Front) -> None:
    (season, host), (_, other) = front.season(), front.season()
    for token in (None, other):
        assert refused(front.announce(season, token), 422, "bad_options")["option"] == "season"
    refused(front.announce(season, "truecup_host_" + "A" * 43), 401, "bad_token")
    wrong = front.announce(*front.season(game="mexican"))
    assert refused(wrong, 422, "bad_options")["option"] == "match.game"
    body = {"preset": "pods", "rules": {"match": DICE, "rated": True}}
    assert refused(front.post("/tournaments", body), 422, "bad_options")["option"] == "rated"
    body = {"preset": "pods", "rules": {"name": "x"}}
    assert refused(front.post("/tournaments", body), 422, "bad_options")["option"] == "name"
    assert front.post(f"/seasons/{season}/close", token=host).status_code == 200
    refused(front.announce(season, host), 409, "season_over")


def test_a_repeated_announcement_is_answered_though_the_season_is_over_by_now(front: Front) -> None:
    season, host = front.season()
    body, key = {"preset": "pods", "rules": {"match": DICE, "season": season}}, "announce-with-this-key"
    first = front.post("/tournaments", body, host, key)
    assert first.status_code == 201
    assert front.post(f"/seasons/{season}/close", token=host).status_code == 200
    assert front.post("/tournaments", body, host, key).json() == first.json()


def test_the_host_of_a_season_appoints_another_host_whose_token_is_lost(front: Front) -> None:
    (season, token), (_, other) = front.season(), front.season()
    path, _ = front.opened(season, token)
    asked = {"role": "host"}
    refused(front.post(f"{path}/officials", asked, other), 403, "foreign_token")
    refused(front.post(f"{path}/officials", asked, token[:-4] + "AAAA"), 401, "bad_token")
    refused(
        front.post("/tournaments/6f1de1ce-0000-4000-8000-00000000000f/officials", asked, token),
        404,
        "unknown_tournament",
    )
    refused(front.post(f"{path}/commands", {"type": "cancel"}, token), 401, "bad_token")
    key = "appoint-with-this-key"
    found = front.post(f"{path}/officials", asked, token, key)
    assert (found.status_code, found.json()["role"]) == (201, "host"), found.text
    assert front.post(f"{path}/officials", asked, token, key).json() == found.json()
    gone = front.post(f"{path}/commands", {"type": "cancel"}, found.json()["token"])
    assert gone.status_code == 200, gone.text


# ---- players in events ------------------------------------------------------------------------------


def test_a_player_enters_once_by_the_own_id_and_name_and_guests_stay_outside(front: Front) -> None:
    path, host = front.opened(*front.season(), rated=True)
    player, token = front.player("Ada Lovelace")
    entered = front.post(f"{path}/entrants", {"player": token})
    assert entered.status_code == 201
    assert (entered.json()["by"], entered.json()["number"]) == (player, 1)
    (row,) = front.get(f"{path}/entrants").json()
    assert (row["player"], row["name"], row["rating"]) == (player, "Ada Lovelace", None)
    refused(front.post(f"{path}/entrants", {"player": token}), 409, "already_registered")
    guest = refused(front.post(f"{path}/entrants", {"name": "Guest"}), 409, "entry_conditions")
    assert guest["condition"] == "player"
    _, double = front.player("Ada Lovelace")
    refused(front.post(f"{path}/entrants", {"player": double}), 409, "name_taken")
    _, bob = front.player("Bob")
    assert front.post(f"{path}/entrants", {"player": bob}, host).status_code == 201
    (event,) = front.get(f"/players/{player}").json()["events"]
    assert (event["number"], event["phase"], event["place"]) == (1, "entry", None)


def test_the_page_of_a_player_says_nothing_of_a_tournament_that_stands_in_no_list(front: Front) -> None:
    path, _ = front.opened(*front.season(), private=True)
    player, token = front.player("Among friends")
    assert front.post(f"{path}/entrants", {"player": token}).status_code == 201
    assert front.get(f"/players/{player}").json()["events"] == []


def test_what_was_entered_before_it_was_erased_stays_erased_whoever_asks_again(front: Front) -> None:
    path, _ = front.opened(*front.season())
    player, token = front.player("Forgotten")
    key = "the-key-of-an-old-entering"
    entered = front.post(f"{path}/entrants", {"player": token}, key=key)
    front.client.delete(f"/api/v1/players/{player}/name", headers=bearer(token))
    assert front.post(f"{path}/entrants", {"player": token}, key=key).json() == entered.json()
    refused(front.post(f"{path}/entrants", {"player": token}), 409, "already_registered")
    assert front.get(f"/players/{player}").json()["events"] == []


def test_what_is_no_token_of_a_player_enters_nobody(front: Front) -> None:
    path, host = front.opened(*front.season())
    _, token = front.player("Twice")
    renewed = front.post(f"/players/{_}/token", token=token).json()["token"]
    refused(front.post(f"{path}/entrants", {"player": token}), 401, "bad_token")
    refused(front.post(f"{path}/entrants", {"player": host}), 400, "malformed")
    for body in ({"player": renewed, "name": "Both"}, {}):
        refused(front.post(f"{path}/entrants", body), 422, "bad_name")
    assert front.post(f"{path}/entrants", {"player": renewed}).status_code == 201


def test_a_condition_on_ratings_asks_the_season(front: Front) -> None:
    path, _ = front.opened(*front.season(), entry={"rating": [10, 40]})
    _, token = front.player("Unrated")
    facts = refused(front.post(f"{path}/entrants", {"player": token}), 409, "entry_conditions")
    assert facts["condition"] == "rating"
    assert front.get(f"{path}/entrants").json() == []


def test_whose_name_is_erased_may_enter_and_is_called_by_the_number(front: Front) -> None:
    path, _ = front.opened(*front.season())
    player, token = front.player("Shy")
    front.client.delete(f"/api/v1/players/{player}/name", headers=bearer(token))
    assert front.post(f"{path}/entrants", {"player": token}).status_code == 201
    assert [row["name"] for row in front.get(f"{path}/entrants").json()] == ["#1"]


def test_whoever_has_seen_a_name_that_was_erased_since_is_sent_everything_anew(front: Front) -> None:
    path, host = front.opened(*front.season())
    player, token = front.player("Fleeting")
    assert front.post(f"{path}/entrants", {"player": token}).status_code == 201
    seen = front.get(path)
    tag = {"If-None-Match": seen.headers["etag"]}
    assert front.get(path, **tag).status_code == 304
    front.client.delete(f"/api/v1/players/{player}/name", headers=bearer(token))
    anew = front.get(path, **tag)
    assert (anew.status_code, anew.headers["etag"]) == (200, seen.headers["etag"][:-1] + '.1"')
    pages = ("", "/entrants", "/entrants/1", "/pairings.csv", "/calendar.ics", "/export")
    assert not [page for page in pages if "Fleeting" in front.get(path + page).text]
    headers = bearer(host) | {"Idempotency-Key": "a-key-of-the-host-0123", "If-Match": anew.headers["etag"]}
    answer = front.client.post(f"/api/v1{path}/commands", json={"type": "close_entry"}, headers=headers)
    assert answer.status_code == 200, answer.text


def test_the_token_of_a_player_says_nothing_in_a_tournament(front: Front) -> None:
    path, _ = front.opened(*front.season())
    _, token = front.player("Outside")
    refused(front.post(f"{path}/commands", {"type": "proceed"}, token), 401, "bad_token")
