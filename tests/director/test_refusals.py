"""Every no of a tournament over HTTP: its code, its status, and nothing recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest

from domain.tournaments import commands
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.tournaments.tables import open_tables
from tests.api.conftest import Service, bearer, served
from tests.bots.test_player import working
from tests.director.house import DICE, EventHouse
from tests.director.test_tables import PAIRS, TIME

NAMES: Final = ("Ana", "Bob", "Cyd", "Dan")
PATIENCE_S = 60


class Served:
    """A tournament that has come to somewhere, over HTTP, and the tokens of who is in it."""

    def __init__(self, service: Service, house: EventHouse, tokens: dict[str, str]) -> None:
        self.client, self.house, self.path = service.client, house, f"/api/v1/tournaments/{house.id}"
        self.tokens = {who: bearer(token) for who, token in tokens.items()}

    def ask(self, who: str, kind: str, /, **members: Any) -> httpx.Response:
        body = {"type": kind, **members}
        return self.client.post(f"{self.path}/commands", json=body, headers=self.tokens[who])


async def entered(house: EventHouse, **members: Any) -> dict[str, str]:
    """Announce a tournament, and let four people in; return the tokens of all."""
    host = await house.announce(**{**PAIRS, "time": TIME, "entry": {"max": 4}, **members})
    arbiter = await house.tournaments.appoint(house.id, house.host, "arbiter", house.ask())
    tokens = {"host": str(host.token), "arbiter": str(arbiter.token)}
    for name, answer in zip(NAMES, await house.enter(*NAMES), strict=True):
        tokens[name] = str(answer.token)
    return tokens


async def playing(house: EventHouse) -> dict[str, str]:
    """Go on until the matches of the first round are open, and a table has been ruled on."""
    tokens = await entered(house)
    await house.check_in()
    async with working(*house.works(), house.director().run()), asyncio.timeout(PATIENCE_S):
        while not any(at.table.started for at in open_tables(await house.tournament())):
            await asyncio.sleep(0.005)
    seats = open_tables(await house.tournament())[0].seats
    await house.do(
        commands.Rule(by=house.host, stage=1, round=1, table=1, ranking=((seats[0],), (seats[1],)), reason="agreement")
    )
    await house.do(commands.Penalise(by=house.host, number=1, kind="disqualified", reason="conduct"))
    for _ in range(3):
        who = (await house.tournament()).entrants[2].player
        await house.do(commands.Appeal(by=who, number=2, line=3))
    await house.do(commands.DecideAppeal(by=house.host, appeal=1, outcome="denied"))
    await house.do(commands.Appeal(by=(await house.tournament()).entrants[2].player, number=2, line=3))
    return tokens


def at(reach: Callable[[EventHouse], Any]) -> Iterator[Served]:
    house = EventHouse(MemoryStore())
    tokens = asyncio.run(reach(house))
    with served(Bounds(writes_per_s=100_000), events=house) as service:
        yield Served(service, house, tokens)


@pytest.fixture(scope="module")
def entry() -> Iterator[Served]:
    yield from at(entered)


@pytest.fixture(scope="module")
def round_one() -> Iterator[Served]:
    yield from at(playing)


def check_refused(response: httpx.Response, status: int, code: str) -> None:
    assert (response.status_code, response.json().get("code")) == (status, code), response.text
    assert response.headers["content-type"] == "application/problem+json"


OTHER: Final = {"reason": "other"}
AT_ENTRY: Final = [
    ("Ana", "open_check_in", {}, 403, "not_an_official"),
    ("arbiter", "close_entry", {}, 403, "not_the_host"),
    ("host", "withdraw", {"number": 99}, 404, "unknown_number"),
    ("Ana", "withdraw", {"number": 2}, 403, "not_yours"),
    ("Ana", "check_in", {}, 409, "wrong_phase"),
    ("host", "open_entry", {}, 409, "wrong_phase"),
    ("host", "resume", {}, 409, "not_paused"),
    ("host", "unpair", {}, 409, "wrong_phase"),
    ("host", "forbid", {"numbers": [1, 2], **OTHER}, 409, "reason_needed"),
    ("host", "return", {"number": 1}, 409, "already_registered"),
    ("host", "proceed", {}, 409, "wrong_phase"),
    ("arbiter", "pair", {}, 409, "wrong_phase"),
    ("Ana", "pair", {}, 403, "not_an_official"),
    ("arbiter", "finish", {}, 409, "wrong_phase"),
    ("Ana", "commit_seed", {"deal": 0, "commit": "0" * 64}, 403, "not_a_drawer"),
    ("Ana", "open_seed", {"deal": 0, "seed": "0" * 64}, 403, "not_a_drawer"),
    ("host", "withdraw", {}, 400, "malformed"),
    ("host", "no_such_thing", {}, 400, "malformed"),
    ("host", "withdraw", {"number": 1.5}, 400, "malformed"),
    ("host", "withdraw", {"number": 1, "text": "x" * 2_001}, 400, "malformed"),
    ("host", "withdraw", {"number": 1, **OTHER, "text": "late\0"}, 400, "malformed"),
    ("host", "withdraw", {"number": 1, **OTHER, "text": "late \u202e"}, 400, "malformed"),
    ("host", "withdraw", {"number": 1, **OTHER, "text": "late \u2066"}, 400, "malformed"),
    ("host", "withdraw", {"number": 1, **OTHER, "text": "la\u200bte"}, 400, "malformed"),
    ("host", "lift", {"line": 2**70, **OTHER}, 400, "malformed"),
    ("host", "withdraw", {"number": -(2**70)}, 400, "malformed"),
    ("host", "fix_tables", {"tables": [[1, 2**70]]}, 400, "malformed"),
    ("host", "unpair", {"tables": [2**64]}, 400, "malformed"),
    ("host", "forbid", {"numbers": [1, 1]}, 409, "bad_tables"),
    ("host", "allow", {"line": 3}, 409, "unknown_line"),
    ("host", "lift", {"line": 3}, 409, "unknown_line"),
    ("host", "decide", {"appeal": 1, "outcome": "denied"}, 409, "unknown_line"),
]


@pytest.mark.parametrize(("who", "kind", "members", "status", "code"), AT_ENTRY)
def test_what_cannot_be_asked_while_people_enter_is_refused(
    entry: Served, who: str, kind: str, members: dict[str, Any], status: int, code: str
) -> None:
    before = entry.client.get(entry.path).json()["version"]
    check_refused(entry.ask(who, kind, **members), status, code)
    assert entry.client.get(entry.path).json()["version"] == before


RANKED: Final = {"stage": 1, "round": 1, "table": 2, "ranking": [[1]]}
IN_THE_ROUND: Final = [
    ("host", "rule", {**RANKED, "table": 9}, 404, "unknown_table"),
    ("host", "rule", {**RANKED, "stage": 4}, 409, "not_paired"),
    ("host", "rule", {**RANKED, "ranking": [[99], [1]]}, 409, "bad_ranking"),
    ("host", "rule", {**RANKED, "ranking": []}, 409, "bad_ranking"),
    ("host", "replay", {"round": 1, "table": 2}, 409, "table_running"),
    ("host", "unpair", {}, 409, "table_over"),
    ("host", "fix_tables", {"tables": [[1, 2]]}, 409, "already_paired"),
    ("host", "penalise", {"number": 2, "kind": "points", "points": "2/4"}, 409, "bad_points"),
    ("host", "penalise", {"number": 2, "kind": "points", "points": 0.5}, 400, "malformed"),
    ("host", "penalise", {"number": 1, "kind": "warning"}, 409, "disqualified"),
    ("host", "withdraw", {"number": 1}, 409, "already_withdrawn"),
    ("host", "give_time", {"table": 9, "number": 2, "ms": 1_000}, 404, "unknown_table"),
    ("host", "extend", {"until": 1}, 409, "too_late"),
    ("Bob", "appeal", {"line": 2}, 409, "too_many_appeals"),
    ("Cyd", "appeal", {"line": 10_000}, 409, "unknown_line"),
    ("host", "decide", {"appeal": 1, "outcome": "upheld"}, 409, "appeal_decided"),
    ("host", "proceed", {}, 409, "round_open"),
    ("arbiter", "pair", {}, 409, "round_open"),
]


@pytest.mark.parametrize(("who", "kind", "members", "status", "code"), IN_THE_ROUND)
def test_what_cannot_be_asked_in_a_round_is_refused(
    round_one: Served, who: str, kind: str, members: dict[str, Any], status: int, code: str
) -> None:
    before = round_one.client.get(round_one.path).json()["version"]
    check_refused(round_one.ask(who, kind, **members), status, code)
    assert round_one.client.get(round_one.path).json()["version"] == before


def test_no_time_is_given_where_there_are_no_clocks(round_one: Served) -> None:
    table = round_one.client.get(f"{round_one.path}/rounds/1/1").json()["tables"][1]
    seat = {"table": table["table"], "number": table["seats"][0]["number"], "ms": 1_000, "reason": "technical"}
    before = round_one.client.get(round_one.path).json()["version"]
    check_refused(round_one.ask("host", "give_time", **seat), 409, "not_allowed")
    assert round_one.client.get(round_one.path).json()["version"] == before


def test_who_enters_is_refused_by_name_by_number_and_by_the_rules(entry: Served) -> None:
    entrants = f"{entry.path}/entrants"
    check_refused(entry.client.post(entrants, json={"name": "Eve"}), 409, "tournament_full")
    check_refused(entry.client.post(entrants, json={"name": "E\u202eve"}), 422, "bad_name")
    check_refused(entry.client.post(entrants, json={"name": ""}), 400, "malformed")
    check_refused(
        entry.client.post(entrants, json={"name": "Eve"}, headers=entry.tokens["Ana"]), 409, "already_registered"
    )
    check_refused(
        entry.client.post(f"{entry.path}/bots", json={"count": 1}, headers=entry.tokens["Ana"]), 403, "not_an_official"
    )
    check_refused(
        entry.client.post(f"{entry.path}/bots", json={"count": 1}, headers=entry.tokens["host"]), 409, "tournament_full"
    )


def test_tokens_of_others_open_nothing(entry: Served) -> None:
    other = entry.client.post("/api/v1/tournaments", json={"preset": "pods"}).json()
    path, host = f"/api/v1/tournaments/{other['tournament']}", bearer(other["token"])
    check_refused(entry.client.post(f"{path}/commands", json={"type": "open_entry"}), 401, "no_token")
    check_refused(entry.client.get(f"{entry.path}/me", headers=host), 403, "foreign_token")
    check_refused(entry.client.get(f"{entry.path}/me"), 401, "no_token")
    check_refused(entry.client.get(f"{path}/me", headers=host), 403, "not_an_entrant")
    check_refused(entry.client.get(f"{path}/me", headers=bearer("truecup_entrant_" + "A" * 43)), 401, "bad_token")
    check_refused(entry.client.get(f"/api/v1/tournaments/{uuid4()}/me", headers=host), 404, "unknown_tournament")
    check_refused(entry.client.get(f"/api/v1/tournaments/{uuid4()}"), 404, "unknown_tournament")
    check_refused(entry.client.get(f"{path}/standings"), 409, "not_paired")
    check_refused(entry.client.get(f"{path}/rounds/1/1"), 409, "not_paired")
    check_refused(
        entry.client.post(f"{path}/officials", json={"role": "arbiter"}, headers=entry.tokens["host"]),
        403,
        "foreign_token",
    )


def test_nothing_is_asked_of_a_tournament_that_is_over(entry: Served) -> None:
    told = entry.client.post("/api/v1/tournaments", json={"preset": "pods"}).json()
    path, host = f"/api/v1/tournaments/{told['tournament']}", bearer(told["token"])
    entry.client.post(f"{path}/commands", json={"type": "cancel", "reason": "technical"}, headers=host)
    check_refused(
        entry.client.post(f"{path}/commands", json={"type": "open_entry"}, headers=host), 409, "tournament_over"
    )
    check_refused(entry.client.post(f"{path}/entrants", json={"name": "Ana"}), 409, "tournament_over")


def test_nobody_enters_where_entry_is_closed_or_a_condition_is_not_met(entry: Served) -> None:
    told = entry.client.post("/api/v1/tournaments", json={"preset": "pods"}).json()
    path, host = f"/api/v1/tournaments/{told['tournament']}", bearer(told["token"])
    entry.client.post(f"{path}/commands", json={"type": "open_entry"}, headers=host)
    check_refused(entry.client.post(f"{path}/bots", json={"count": 1}, headers=host), 409, "entry_conditions")
    check_refused(
        entry.client.post(f"{path}/commands", json={"type": "open_check_in"}, headers=host), 409, "too_few_players"
    )
    assert entry.client.post(f"{path}/entrants", json={"name": "Ana"}).status_code == 201
    check_refused(entry.client.post(f"{path}/entrants", json={"name": "Ana"}), 409, "name_taken")
    entry.client.post(f"{path}/commands", json={"type": "close_entry"}, headers=host)
    check_refused(entry.client.post(f"{path}/entrants", json={"name": "Bob"}), 409, "entry_closed")


RULES: Final[list[tuple[dict[str, Any], str]]] = [
    ({"stages": [{"format": "none"}]}, "stages"),
    ({"stages": [{"format": "swiss", "sizes": {"preferred": 3, "min": 4, "max": 3}}]}, "stages"),
    ({"stages": [{"format": "swiss", "sizes": {"preferred": 9, "min": 9, "max": 9}}]}, "stages"),
    ({"prizes": {"unit": "EUR", "amounts": [1, 2]}}, "prizes"),
    ({"prizes": {"unit": "EUR", "amounts": [1_000_000_000_001]}}, "prizes"),
    ({"tiebreaks": ["DE", "DE"]}, "tiebreaks"),
    ({"tiebreaks": ["XX"]}, "tiebreaks"),
    ({"scoring": {"scheme": "custom", "points": {"4": ["1", "2/4", "0", "0"]}}}, "scoring"),
    ({"scoring": {"bye": "1/0"}}, "scoring"),
    ({"scoring": {"bye": 0.5}}, "scoring"),
    ({"time": {"start": "times", "times": [2, 1]}}, "time"),
    ({"entry": {"min": 1}}, "entry"),
    ({"match": {"game": "none", "options": {}}}, "match"),
    ({"match": {**DICE, "start": "full"}}, "match"),
    ({"lots": {"beacon": "nowhere"}}, "beacon"),
    ({"nonsense": 1}, "rules"),
]


@pytest.mark.parametrize(("rules", "option"), RULES)
def test_rules_that_are_none_are_refused_by_the_name_of_the_option(
    entry: Served, rules: dict[str, Any], option: str
) -> None:
    refused = entry.client.post("/api/v1/tournaments", json={"preset": "pods", "rules": rules})
    check_refused(refused, 422, "bad_options")
    assert option in refused.json()["option"] or refused.json()["option"] in {"nonsense", "rules"}, refused.text


def test_there_is_no_preset_of_another_name(entry: Served) -> None:
    check_refused(entry.client.post("/api/v1/tournaments", json={"preset": "none"}), 422, "bad_options")
    check_refused(entry.client.post("/api/v1/tournaments", json={"title": "Truecup"}), 422, "bad_name")


def test_looking_at_what_a_board_waits_for_spends_nothing_of_what_one_may_write() -> None:
    house = EventHouse(MemoryStore())
    ana = bearer(asyncio.run(entered(house))["Ana"])
    board, seed = f"/api/v1/boards/{uuid4()}", {"type": "open_seed", "deal": 0, "seed": "5e" * 32}
    with served(Bounds(writes_per_s=3), events=house) as service:
        looked = {service.client.get(f"{board}/me", headers=ana).json()["code"] for _ in range(9)}
        given = {service.client.post(f"{board}/commands", json=seed, headers=ana).json()["code"] for _ in range(9)}
    assert (looked, given) == ({"unknown_board"}, {"unknown_board", "too_many_requests"})
