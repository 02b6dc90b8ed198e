"""Host powers over HTTP: who may use them, what stands in the view, and what nobody can ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.handler import CommandHandler
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import Service, bearer, served
from tests.api.test_problems import check


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    store = MemoryStore()
    matches = CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(range(32))))
    with served(Bounds(writes_per_s=10_000), matches) as made:
        yield made


class Hosted:
    """A table whose host has powers."""

    def __init__(self, service: Service, *names: str, **rules: Any) -> None:
        self._client = service.client
        asked = {"game": "common_hand", "host": {}, **rules}
        opened = self._client.post("/api/v1/matches", json={"rules": asked})
        assert opened.status_code == 201, opened.text
        self.path = f"/api/v1/matches/{opened.json()['match']}"
        self.host = bearer(opened.json()["token"])
        self.seats = [self.join(name) for name in names]

    def join(self, name: str) -> dict[str, str]:
        sat = self._client.post(f"{self.path}/seats", json={"name": name})
        assert sat.status_code == 201, sat.text
        return bearer(sat.json()["token"])

    def start(self) -> None:
        assert self._client.post(f"{self.path}/start", headers=self.host).status_code == 200

    def ask(self, token: dict[str, str], kind: str, **members: Any) -> httpx.Response:
        return self._client.post(f"{self.path}/commands", json={"type": kind, **members}, headers=token)

    def post(self, path: str, token: dict[str, str], body: object = None) -> httpx.Response:
        return self._client.post(f"{self.path}{path}", json=body, headers=token)

    def view(self, who: dict[str, str] | None = None) -> dict[str, Any]:
        found: dict[str, Any] = self._client.get(self.path, headers=who or {}).json()
        return found


def test_that_a_host_has_powers_stands_in_the_rules(service: Service) -> None:
    usual = {"hold_ms": 1_800_000, "away_ms": 30_000, "changes": 100, "moves": "since"}
    assert Hosted(service).view()["rules"]["host"] == usual
    assert Hosted(service, host={"hold_ms": 0}).view()["rules"]["host"] == {**usual, "hold_ms": 0}
    assert "host" not in Hosted(service, host=None).view()["rules"]
    opened = service.client.post("/api/v1/matches", json={"rules": {"game": "common_hand"}}).json()["match"]
    assert service.client.get(f"/api/v1/matches/{opened}").json()["rules"]["host"] == usual
    assert "pause the table, for 30 min in all" in service.client.get(f"/m/{opened}").text


@pytest.mark.parametrize("host", [{"kick": True}, {"hold_ms": -1}, {"hold_ms": 2**40}, {"away_ms": 0}, True, []])
def test_powers_that_are_none_are_malformed(service: Service, host: object) -> None:
    asked = {"game": "common_hand", "host": host}
    check(service.client.post("/api/v1/matches", json={"rules": asked}), 400, "malformed")


def test_a_kicked_player_has_no_seat_and_the_number_goes_to_the_next(service: Service) -> None:
    table = Hosted(service, "Ada", "Bob")
    assert table.ask(table.host, "kick", who=1, reason="conduct").status_code == 200
    assert [seat["seat"] for seat in table.view()["seats"]] == [2]
    check(table.ask(table.seats[0], "resign"), 409, "unknown_player")
    table.join("Cyd")
    assert [seat["name"] for seat in table.view()["seats"]] == ["Cyd", "Bob"]


def test_who_was_kicked_in_the_lobby_may_sit_down_again_until_the_table_is_locked(service: Service) -> None:
    table = Hosted(service, "Ada", "Bob")
    for _ in range(2):
        assert table.ask(table.host, "kick", who=1, reason="conduct").status_code == 200
        again = table.join("Ada")
    check(table.ask(table.seats[0], "stand_in"), 409, "unknown_player")
    assert table.ask(table.host, "kick", who=1, reason="conduct").status_code == 200
    assert table.ask(table.host, "lock").status_code == 200
    check(table.post("/seats", {}, {"name": "Ada"}), 409, "locked")
    check(table.ask(again, "resign"), 409, "unknown_player")


def test_a_seat_kicked_while_dice_come_about_is_shown_as_such(service: Service) -> None:
    table = Hosted(service, "Ada", "Bob", "Cyd")
    table.start()
    assert table.ask(table.host, "kick", who=2, reason="away").status_code == 200
    assert [seat["kicked"] for seat in table.view()["seats"]] == [False, True, False]
    check(table.ask(table.host, "kick", who=2, reason="away"), 409, "wrong_phase")


def test_only_the_host_kicks_and_only_where_the_rules_say_so(service: Service) -> None:
    table = Hosted(service, "Ada", "Bob")
    before = table.view()["version"]
    check(table.ask(table.seats[0], "kick", who=2, reason="away"), 403, "not_the_host")
    check(table.ask(table.host, "kick", who=9, reason="away"), 409, "unknown_player")
    for bad in ({"who": 2}, {"reason": "away"}, {"who": 2, "reason": "no fun"}, {"who": "2", "reason": "away"}):
        check(table.ask(table.host, "kick", **bad), 400, "malformed")
    assert table.view()["version"] == before
    plain = Hosted(service, "Ada", host=None)
    check(plain.ask(plain.host, "kick", who=1, reason="away"), 409, "not_allowed")


@pytest.mark.parametrize("begun", [False, True])
def test_a_host_who_asks_for_what_cannot_be_is_told_why_and_nothing_is_recorded(
    service: Service, *, begun: bool
) -> None:
    table = Hosted(service, "Ada", "Bob")
    assert table.ask(table.host, "hand_over", to=1).status_code == 200
    (host, _) = table.seats
    if begun:
        assert table.post("/start", host).status_code == 200
    version = table.view()["version"]

    for code, asked in (
        ("bad_target", {"type": "kick", "who": 1, "reason": "conduct"}),
        ("unknown_player", {"type": "kick", "who": 9, "reason": "conduct"}),
        ("unknown_player", {"type": "hand_over", "to": 9}),
        ("bad_target", {"type": "hand_over", "to": 1}),
        ("not_stood_in", {"type": "take_back", "who": 2}),
    ):
        check(table.post("/commands", host, asked), 409, code)
    assert table.view()["version"] == version

    assert table.ask(host, "end_match").status_code == 200
    version = table.view()["version"]
    check(table.ask(host, "end_match"), 409, "wrong_phase" if begun else "game_over")
    assert table.view()["version"] == version


def test_a_pause_is_shown_until_the_host_lets_the_table_go_on(service: Service) -> None:
    table = Hosted(service, "Ada", "Bob")
    check(table.ask(table.host, "pause", reason="break"), 409, "wrong_phase")
    table.start()
    check(table.ask(table.host, "resume"), 409, "not_paused")
    assert table.ask(table.host, "pause", reason="break").status_code == 200
    paused = table.view()["paused"]
    assert paused == {"since": paused["since"], "until": paused["since"] + 1_800_000, "reason": "break"}
    check(table.ask(table.host, "pause", reason="break"), 409, "paused")
    refused = table.ask(table.seats[0], "challenge")
    check(refused, 409, "paused")
    assert refused.json()["until"] == paused["until"]
    check(table.ask(table.seats[0], "resume"), 403, "not_the_host")
    assert table.ask(table.host, "resume").status_code == 200
    view = table.view()
    assert view["paused"] is None
    assert 0 < view["hold_ms"] < 1_800_000


def test_a_player_has_a_bot_stand_in_and_takes_the_seat_back(service: Service) -> None:
    table = Hosted(service, "Ada", "Bob")
    ada = table.seats[0]
    check(table.ask(ada, "stand_in"), 409, "wrong_phase")
    table.start()
    check(table.ask(ada, "take_back"), 409, "not_stood_in")
    assert table.ask(ada, "stand_in").status_code == 200
    assert [seat["stand_in"] for seat in table.view()["seats"]] == [True, False]
    check(table.ask(ada, "challenge"), 409, "stood_in")
    check(table.ask(ada, "stand_in"), 409, "stood_in")
    assert table.ask(ada, "take_back").status_code == 200
    check(table.ask(ada, "challenge"), 409, "wrong_phase")


def test_the_host_has_bots_stand_in_for_others_and_nobody_else_has(service: Service) -> None:
    table = Hosted(service, "Ada", "Bob")
    table.start()
    check(table.ask(table.host, "stand_in", who=1), 409, "not_away")
    check(table.ask(table.host, "stand_in"), 403, "not_a_seat")
    check(table.ask(table.seats[1], "stand_in", who=1), 403, "not_the_host")
    assert table.ask(table.seats[0], "stand_in").status_code == 200
    check(table.ask(table.seats[1], "take_back", who=1), 403, "not_the_host")
    assert table.ask(table.host, "take_back", who=1).status_code == 200
    check(table.ask(table.host, "take_back", who=1), 409, "not_stood_in")


def test_the_host_gives_time_where_clocks_are(service: Service) -> None:
    table = Hosted(service, "Ada", "Bob", clock={"bank_ms": 60_000})
    table.start()
    assert table.ask(table.host, "give_time", who=1, ms=30_000, reason="trouble").status_code == 200
    assert [seat["bank_ms"] for seat in table.view()["seats"]] == [90_000, 60_000]
    assert table.view()["hold_ms"] == 1_770_000
    check(table.ask(table.host, "give_time", who=1, ms=-1, reason="trouble"), 409, "bad_time")
    check(table.ask(table.host, "give_time", who=1, ms=2**64, reason="trouble"), 400, "malformed")
    check(table.ask(table.seats[0], "give_time", who=1, ms=30_000, reason="trouble"), 403, "not_the_host")


def test_who_was_handed_the_powers_has_them_and_who_opened_the_match_has_them_no_more(service: Service) -> None:
    table = Hosted(service, "Ada", "Bob", "Cyd")
    ada, bob, cyd = table.seats
    check(table.ask(table.host, "hand_over", to=9), 409, "unknown_player")
    check(table.ask(table.host, "hand_over", to=None), 400, "malformed")
    check(table.ask(ada, "hand_over", to=1), 403, "not_the_host")
    assert table.ask(table.host, "hand_over", to=1).status_code == 200
    assert table.view()["host"] == 1
    for token in (table.host, bob):
        check(table.ask(token, "kick", who=3, reason="other"), 403, "not_the_host")
        check(table.ask(token, "end_match"), 403, "not_the_host")
        check(table.post("/start", token), 403, "not_the_host")
        check(table.post("/bots", token, {"count": 1}), 403, "not_the_host")
    check(table.ask(ada, "kick", who=1, reason="other"), 409, "bad_target")
    assert table.ask(ada, "kick", who=3, reason="other").status_code == 200
    assert table.post("/bots", ada, {"count": 1}).status_code == 201
    assert table.post("/start", ada).status_code == 200
    check(table.ask(cyd, "end_match"), 409, "unknown_player")
    check(table.ask(ada, "end_match", reason="no fun"), 400, "malformed")
    assert table.ask(ada, "end_match", reason="break").status_code == 200
    twice = table.ask(ada, "end_match", reason="break")
    check(twice, 409, "wrong_phase")
    assert twice.json()["ending"] == "host"


def test_a_power_that_was_handed_over_answers_its_repeat(service: Service) -> None:
    table = Hosted(service, "Ada")
    key = {"Idempotency-Key": "0123456789abcdef"}
    handed = table.ask(table.host | key, "hand_over", to=1)
    assert handed.status_code == 200
    assert table.ask(table.host | key, "hand_over", to=1).content == handed.content


def test_a_locked_table_takes_bots_and_nobody_else(service: Service) -> None:
    table = Hosted(service, "Ada", seats=3)
    check(table.ask(table.seats[0], "lock"), 403, "not_the_host")
    assert table.ask(table.host, "lock").status_code == 200
    assert table.view()["locked"]
    check(table.post("/seats", {}, {"name": "Bob"}), 409, "locked")
    assert table.post("/bots", table.host, {"count": 1}).status_code == 201
    check(table.ask(table.host, "lock"), 409, "wrong_phase")
    assert table.ask(table.host, "unlock").status_code == 200
    table.join("Bob")


@pytest.mark.parametrize("then", [None, "out", "stand_in"])
def test_the_page_of_a_table_says_what_becomes_of_who_stops_too_often(service: Service, then: str | None) -> None:
    table = Hosted(service, **({} if then is None else {"idle": {"then": then}}))
    page = service.client.get(f"/m/{table.path.rpartition('/')[2]}")
    assert page.status_code == 200
    assert ("Who stops too often" in page.text) == (then == "stand_in")
    assert ("then" in table.view()["rules"]["idle"]) == (then == "stand_in")
