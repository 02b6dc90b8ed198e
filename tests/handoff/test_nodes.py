"""A client cannot tell which node it asks: a match over one that holds no key, and everything else it says."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from services.api.reference import examples
from services.local.nats import EmbeddedNats
from tests.crash.house import Table, wait_until
from tests.crash.test_killed import assert_kept
from tests.handoff.nodes import (
    RULES,
    Nodes,
    Place,
    Reader,
    bearer,
    begun,
    beside_each_other,
    health,
    logins,
    to_bid,
)
from tests.hosting import TEMPLATE, a_database
from tests.store.rights import DOCUMENT

NO_MATCH = "/matches/00000000-0000-4000-8000-000000000000"
NOBODY = "truecup_seat_" + "A" * 43
VARIES = {"date"}
"""Headers that two answers of one node do not share either."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def nodes(tmp_path_factory: pytest.TempPathFactory, postgres_dsn: str) -> AsyncIterator[Nodes]:
    folder = tmp_path_factory.mktemp("nodes")
    bus = EmbeddedNats(folder / "nats")
    await bus.start()
    async with a_database(postgres_dsn, TEMPLATE) as database, logins(database) as databases:
        place = Place(databases, dict.fromkeys(databases, bus.url))
        with beside_each_other(folder, place) as nodes:
            yield nodes
    await bus.stop()


@pytest.fixture
def both(nodes: Nodes) -> Iterator[Both]:
    with nodes.front.client() as front, nodes.dealer.client() as dealer:
        yield Both(front, dealer)


class Both:
    """The same asked of the node without a key and of the dealer."""

    def __init__(self, front: httpx.Client, dealer: httpx.Client) -> None:
        self.front = front
        self.dealer = dealer

    def ask(self, method: str, path: str, **given: Any) -> httpx.Response:
        """Return the answer of the node without a key, which has to be the dealer's."""
        front, dealer = (client.request(method, path, **given) for client in (self.front, self.dealer))
        assert (front.status_code, _headers(front), front.content) == (
            dealer.status_code,
            _headers(dealer),
            dealer.content,
        )
        return front


def _headers(answer: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in VARIES}


# ---- the same, whoever is asked -----------------------------------------------------------------


def test_a_match_is_played_to_its_end_over_a_node_without_a_key(nodes: Nodes) -> None:
    table = Table(nodes.front, RULES)
    eyes: list[str | None] = [None, *table.tokens]
    readers = [(Reader(nodes.front, table.path, one), Reader(nodes.dealer, table.path, one)) for one in eyes]
    table.finish()
    assert_kept(table)
    for front, dealer in readers:
        last, first = min((front.ended(), dealer.ended()), key=len), max((front.ended(), dealer.ended()), key=len)
        assert first[-len(last) + 1 :] == last[1:], "after the snapshot, the same frames"
        assert len(last) > 10
    assert not (nodes.front.folder / "key").exists()


def test_the_same_is_read_at_both_nodes(nodes: Nodes, both: Both) -> None:
    table = begun(nodes.front)
    table.finish()
    assert table.audited().status == "OK"
    host_of_another = both.front.post("/matches", json={"rules": {"game": "common_hand"}}).json()["token"]
    tokens = [None, *table.tokens, NOBODY, "Bearer", host_of_another]
    reads = ["", "/replay", "/replay?version=9", "/replay?version=99999", "/openings", "/openings/folded"]
    reads += ["/record", "/access", "/policy", "/stream?after=99999"]
    for path in (table.path, NO_MATCH):
        for read in reads:
            for token in tokens:
                both.ask("GET", path + read, headers={} if token is None else bearer(token))
    assert both.ask("GET", f"{table.path}/audit").json()["status"] == "OK"
    for path in ("/games", "/matches?state=ended", "/odds", "/log/policy", "/nothing"):
        both.ask("GET", path)
    wait_until(lambda: counts_the_same(both))
    whole = both.ask("GET", table.path, headers=bearer(table.tokens[0]))
    assert (whole.status_code, whole.json()["viewer"]) == (200, 1)
    unchanged = bearer(table.tokens[0]) | {"If-None-Match": whole.headers["etag"]}
    assert both.ask("GET", table.path, headers=unchanged).status_code == 304


def counts_the_same(both: Both) -> bool:
    """Report whether both nodes tell the same figures: they count every other second, perhaps between two questions."""
    try:
        both.ask("GET", "/statistics")
    except AssertionError:
        return False
    return True


def test_the_same_is_seen_at_both_nodes_while_dice_are_hidden(nodes: Nodes, both: Both) -> None:
    for _ in range(2):
        table, token, _ = to_bid(nodes.front)
        for one in table.tokens:
            view = both.ask("GET", table.path, headers=bearer(one)).json()
            both.ask("GET", f"{table.path}/replay", headers=bearer(one))
            opened = both.ask("GET", f"{table.path}/openings", headers=bearer(one)).json()
            known = {seat["seat"] for seat in view["seats"] for die in seat["dice"] if die["face"] is not None}
            assert known == {view["viewer"]}
            assert {each["cup"] for each in opened} == {view["viewer"]}
        assert both.ask("GET", table.path).json()["viewer"] is None
        assert both.ask("GET", table.path, headers=bearer(token)).json()["moves"]


def test_a_rule_says_no_in_the_same_words_at_both_nodes(nodes: Nodes, both: Both) -> None:
    table, token, bid = to_bid(nodes.front)
    others = next(one for one in table.tokens if one != token)
    path = f"{table.path}/commands"
    no: list[tuple[int, str, dict[str, Any], dict[str, str]]] = [
        (409, token, {"type": "roll"}, {}),
        (409, token, bid | {"face": 9}, {}),
        (409, token, bid | {"quantity": 99}, {}),
        (409, others, bid, {}),
        (400, token, {"type": "say", "text": "?"}, {}),
        (412, token, bid, {"If-Match": '"v1"'}),
        (400, token, bid, {"If-Match": "v1"}),
        (400, token, bid, {"Idempotency-Key": "short"}),
        (401, NOBODY, bid, {}),
        (403, token, {"type": "close_session"}, {}),
        (400, token, {"type": "bid", "quantity": "1", "face": 2}, {}),
        (400, token, {"type": "bid", "quantity": 1, "face": 2, "pad": "x" * 10_000}, {}),
        (413, token, {"type": "say", "text": "x" * 20_000}, {}),
    ]
    for status, one, body, headers in no:
        answer = both.ask("POST", path, json=body, headers=bearer(one) | headers)
        assert answer.status_code == status, answer.text
    foreign = begun(nodes.dealer)
    assert both.ask("POST", path, json=bid, headers=bearer(foreign.tokens[0])).status_code == 403
    assert both.ask("POST", f"{NO_MATCH}/commands", json=bid, headers=bearer(token)).status_code == 404
    assert both.ask("POST", f"{table.path}/start", headers=bearer(token)).status_code == 403
    assert both.ask("POST", f"{table.path}/bots", json={"count": 1}, headers=bearer(token)).status_code == 403
    assert both.ask("POST", f"{table.path}/seats", json={"name": "Eve"}).status_code == 409
    assert both.ask("POST", f"{NO_MATCH}/seats", json={"name": "Eve"}).status_code == 404
    assert both.ask("POST", f"{table.path}/seats", json={"name": "\n"}).status_code == 422
    assert both.ask("DELETE", f"{table.path}/seats/me", headers=bearer(token)).status_code == 409
    assert both.ask("POST", "/matches", json={"rules": {"game": "tiddlywinks"}}).status_code == 422
    assert both.ask("POST", "/matches", json={"rules": {"game": "common_hand", "beacon": "x"}}).status_code == 422
    version = table.view(both.front)["version"]
    assert both.dealer.get(table.path).json()["version"] == version, "nothing of it was recorded"


def test_an_idempotency_key_is_one_for_all_nodes(both: Both) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    opened = both.ask("POST", "/matches", json={"rules": {"game": "common_hand", "seats": 3}}, headers=key)
    assert opened.status_code == 201
    path, host = f"/matches/{opened.json()['match']}", bearer(opened.json()["token"])
    joined = [
        both.ask("POST", f"{path}/seats", json={"name": name}, headers={"Idempotency-Key": str(uuid4())})
        for name in ("Ada", "Bob")
    ]
    assert [answer.json()["seat"] for answer in joined] == [1, 2]
    bots = both.ask("POST", f"{path}/bots", json={"count": 1}, headers=host | {"Idempotency-Key": str(uuid4())})
    assert bots.status_code == 201
    start = {"Idempotency-Key": str(uuid4())}
    assert both.ask("POST", f"{path}/start", headers=host | start).status_code == 200
    assert both.ask("POST", f"{path}/start", json={}, headers=host | start).status_code == 422, "another body"
    assert both.ask("POST", f"{path}/start", headers=host).json()["code"] == "already_started"


def test_many_who_ask_both_nodes_at_once_are_served_once_each(both: Both) -> None:
    opened = both.front.post("/matches", json={"rules": {"game": "common_hand", "seats": 6}}).json()
    path = f"/matches/{opened['match']}"

    def join(number: int) -> tuple[int, bytes]:
        client = (both.front, both.dealer)[number % 2]
        key = {"Idempotency-Key": f"everybody-at-once-{number // 2}"}
        tries = (client.post(f"{path}/seats", json={"name": f"p{number // 2}"}, headers=key) for _ in range(20))
        answer = next(tries)
        while answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            answer = next(tries)
        return answer.status_code, answer.content

    with ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(join, range(24)))
    assert {status for status, _ in answers} == {201, 409}
    for one, other in zip(answers[::2], answers[1::2], strict=True):
        assert one == other
    taken = [json.loads(body)["seat"] for status, body in answers[::2] if status == 201]
    assert sorted(taken) == [1, 2, 3, 4, 5, 6]


def test_a_tournament_is_entered_and_read_at_both_nodes_alike(nodes: Nodes, both: Both) -> None:
    rules = {"match": {"game": "common_hand", "options": {}}, "stages": [{"format": "swiss"}]}
    keys = (f"over-two-nodes-{number:04}" for number in count())

    def asked(path: str, body: dict[str, Any], token: str | None = None) -> dict[str, Any]:
        headers = ({} if token is None else bearer(token)) | {"Idempotency-Key": next(keys)}
        answer = both.ask("POST", path, json=body, headers=headers)
        found: dict[str, Any] = answer.json()
        return found

    host = asked("/tournaments", {"rules": rules, "title": "Over two nodes"})
    path = f"/tournaments/{host['tournament']}"
    assert asked(f"{path}/entrants", {"name": "Ada"})["code"] == "wrong_phase"
    asked(f"{path}/commands", {"type": "open_entry"}, host["token"])
    ada, bob = [asked(f"{path}/entrants", {"name": name}) for name in ("Ada", "Bob")]
    forbid = {"type": "forbid", "numbers": [1, 2], "reason": "other", "text": "They are sisters.", "restricted": True}
    asked(f"{path}/commands", forbid, host["token"])
    assert asked(f"{path}/commands", {"type": "open_check_in"}, ada["token"])["code"] == "not_an_official"
    asked(f"{path}/commands", {"type": "open_check_in"}, host["token"])
    assert asked(f"{path}/commands", {"type": "check_in"}, ada["token"])["version"]
    for token in (None, host["token"], bob["token"], begun(nodes.front).tokens[0], NOBODY):
        for read in ("", "/entrants", "/entrants/1", "/standings", "/notes", "/me", "/export", "/stream?after=99999"):
            both.ask("GET", path + read, headers={} if token is None else bearer(token))
    assert len(both.ask("GET", f"{path}/notes", headers=bearer(host["token"])).json()) == 1
    assert both.ask("GET", "/tournaments?state=open").status_code == 200
    both.ask("GET", f"/t/{host['tournament']}")


def asked(operation: str, path: str, told: dict[str, Any], own: dict[str, str]) -> dict[str, Any]:
    """Return the request of an operation as the document has it, with the tokens and ids of what is there."""
    named = {each["name"]: str(own.get(each["name"], each.get("example", 1))) for each in told.get("parameters", ())}
    token = own["host"] if "/tournaments/" in path else own["seat"] if "/matches/{" in path else None
    headers = {"Accept": "*/*", "Idempotency-Key": uuid4().hex} | ({} if token is None else bearer(token))
    request: dict[str, Any] = {"url": path.format_map(named), "headers": headers}
    if operation in examples.LISTS:
        media_type, text = next(iter(examples.LISTS[operation].items()))
        return {**request, "content": text, "headers": {**headers, "Content-Type": media_type}}
    if operation in examples.BODIES:
        return {**request, "json": next(iter(examples.BODIES[operation].values()))}
    return request


def test_every_operation_is_done_or_handed_over_but_those_that_are_listed(nodes: Nodes, both: Both) -> None:
    announced = both.front.post("/tournaments", json={"preset": "pods"}).json()
    table, house = Table(nodes.front, RULES), str(both.front.base_url).removesuffix("/api/v1/")
    own = {"match_id": table.path.rpartition("/")[2], "tournament_id": announced["tournament"]}
    own |= {"host": announced["token"], "seat": table.tokens[0], "hook": str(uuid4())}
    refused: dict[str, str | None] = {}
    for path, methods in httpx.get(f"{house}/openapi.json").json()["paths"].items():
        for method, told in methods.items():
            request = asked(told["operationId"], path, told, own)
            with both.front.stream(method, house + request.pop("url"), **request) as answer:
                assert answer.status_code not in {500, 405}, told["operationId"]
                if answer.status_code == 503:
                    assert json.loads(answer.read())["code"] == "unavailable"
                    refused[told["operationId"]] = answer.headers.get("Retry-After")
    listed = re.search(r"not handed over.*?: (.*?)\. Send", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert listed is not None
    assert refused == dict.fromkeys(re.findall(r"`(\w+)`", listed[1]), "1")


def test_a_body_of_ten_thousand_bytes_is_handed_over_whole(nodes: Nodes, both: Both) -> None:
    long = {"rules": {"game": "common_hand", "options": {"x" * 4_900: "ü" * 2_500}}}
    answer = both.ask("POST", "/matches", json=long)
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_options")
    table, token, bid = to_bid(nodes.front)
    padded = json.dumps(bid).encode() + b" " * 10_000
    headers = bearer(token) | {"Content-Type": "application/json", "Idempotency-Key": str(uuid4())}
    assert both.ask("POST", f"{table.path}/commands", content=padded, headers=headers).status_code == 200


# ---- what a node serves -------------------------------------------------------------------------


def test_a_node_without_the_role_api_says_how_it_is_and_nothing_else(nodes: Nodes) -> None:
    for path in ("/health/live", "/health/ready", "/metrics"):
        assert health(nodes.relay, path).status_code == 200
    for path in ("/", "/api/v1/games", "/api/v1/matches", "/openapi.json", "/log/checkpoint", "/static/page.css"):
        answer = health(nodes.relay, path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_what_was_handed_over_is_counted(nodes: Nodes) -> None:
    to_bid(nodes.front)
    told = health(nodes.front, "/metrics").text
    assert 'truecup_handoffs_total{answer="accepted",question="open"}' in told
    assert 'truecup_handoffs_total{answer="view",question="view"}' in told
    assert "truecup_seat_" not in told
