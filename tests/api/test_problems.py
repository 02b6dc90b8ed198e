"""Every no of the interface is provoked, has its code and its status, and leaves nothing behind."""

from __future__ import annotations

import json

import httpx
import pytest

from domain.errors import CODES
from services.http.bounds import Bounds
from services.http.problems import PROBLEMS
from tests.api.conftest import RULES, Service, Table, bearer, served

Seated = tuple[Table, dict[str, str], dict[str, str]]

JSON = {"Content-Type": "application/json"}
BID = {"type": "bid", "quantity": 1, "face": 2}
NO_MATCH = "00000000-0000-4000-8000-000000000000"
NOBODY = "truecup_seat_" + "A" * 43


def check(response: httpx.Response, status: int, code: str) -> None:
    """Expect this problem, as RFC 9457 wants it."""
    assert response.headers["content-type"].startswith("application/problem+json"), response.text
    told = response.json()
    assert (response.status_code, told["code"]) == (status, code), told
    assert told["type"] == f"/problems/{code}"
    assert told["status"] == status
    assert told["title"] == PROBLEMS[code].title
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"rules": {}}',
        b'{"rules": {"game": 1}}',
        b'{"rules": {"game": "common_hand"}, "seat": 3}',
        b'{"rules": {"game": "common_hand", "seats": true}}',
        b'{"rules": {"game": "common_hand", "seats": 1e400}}',
        b'{"rules": {"game": "common_hand", "seats": 99999999999999999999999999}}',
        b'{"rules": {"game": "\xff"}}',
        b'{"rules": {"game": "\\ud800"}}',
        b"[" * 10_000,
    ],
)
def test_a_body_that_is_no_request_is_malformed(service: Service, body: bytes) -> None:
    before = len(service.house.rooms)

    check(service.client.post("/api/v1/matches", content=body, headers=JSON), 400, "malformed")

    assert len(service.house.rooms) == before


@pytest.mark.parametrize(
    "command",
    [
        {},
        {"type": "bid"},
        {"type": "bet", "quantity": 1, "face": 2},
        {"type": "bid", "quantity": 2**63, "face": 2},
        {"type": "bid", "quantity": -(2**63) - 1, "face": 2},
        {"type": "bid", "quantity": 2**70, "face": 2},
        {"type": "bid", "quantity": 1.5, "face": 2},
        {"type": "bid", "quantity": "1", "face": 2},
        {"type": "bid", "quantity": True, "face": 2},
        {"type": "bid", "quantity": 1, "face": 2, "seat": 2},
        {"type": "challenge", "quantity": 1},
        {"type": "arrange", "outside": [-1]},
        {"type": "arrange", "outside": [0] * 255},
        {"type": "commit_seed", "deal": 0, "commit": "AB" * 32},
        {"type": "commit_seed", "deal": 0, "commit": "ab" * 32 + "\n"},
        {"type": "open_seed", "deal": 0, "seed": "\0" * 64},
        {"type": "join", "player": "p1", "custody": "server"},
        {"type": "deal"},
    ],
)
def test_a_command_that_is_none_is_malformed_and_says_where(match: Seated, command: object) -> None:
    table, first, _ = match

    refused = table.play(first, command)

    check(refused, 400, "malformed")
    assert refused.json()["faults"]
    assert table.client.get(table.path).json()["version"] == 4


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), 0])
def test_the_edges_of_64_bits_are_for_the_rules_to_refuse(match: Seated, number: int) -> None:
    table, first, _ = match
    table.play(first, BID)

    check(table.play(first, {"type": "bid", "quantity": number, "face": 2}), 409, "not_your_turn")


@pytest.mark.parametrize("key", ["short", "a" * 129, "a b c d e f g h i j", "\u00e4" * 20])
def test_an_idempotency_key_is_16_to_128_visible_characters(service: Service, key: str) -> None:
    headers = [(b"Idempotency-Key", key.encode("latin-1"))]

    check(service.client.post("/api/v1/matches", json=RULES, headers=headers), 400, "bad_idempotency_key")


def test_a_key_that_came_with_another_request_is_refused(match: Seated) -> None:
    table, first, _ = match
    key = {"Idempotency-Key": "fedcba9876543210"}
    table.play(first, BID, **key)

    check(table.play(first, {**BID, "quantity": 2}, **key), 422, "key_reused")


@pytest.mark.parametrize("tags", ["4", "v4", '"v4', '"v4" "v5"', 'w/"v4"', ", ,", '"v4", 5', '*, "v4"', '"v 4"'])
def test_if_match_is_a_list_of_entity_tags(match: Seated, tags: str) -> None:
    table, first, _ = match

    check(table.play(first, BID, **{"If-Match": tags}), 400, "bad_if_match")


@pytest.mark.parametrize(
    "tags", ['W/"v4"', '"v0"', '"v99999999999999999999"', '"v3", "v5"', '"", "v4,", W/"v4"', '"V4"']
)
def test_a_command_is_not_done_at_a_version_that_is_not_in_the_list(match: Seated, tags: str) -> None:
    table, first, _ = match

    check(table.play(first, BID, **{"If-Match": tags}), 412, "version_passed")


@pytest.mark.parametrize("tags", ["*", '"v4"', '"v3","v4"', '"v4" ,\t"v9"', ', "a,b", , "v4",', 'W/"v3", "v4"'])
def test_a_command_is_done_at_any_version_of_the_list(match: Seated, tags: str) -> None:
    table, first, _ = match

    assert table.play(first, BID, **{"If-Match": tags}).status_code == 200


def test_a_command_on_a_version_that_has_passed_is_refused(match: Seated) -> None:
    table, first, _ = match

    refused = table.play(first, BID, **{"If-Match": '"v3"'})

    check(refused, 412, "version_passed")
    assert refused.json()["version"] == 4
    assert refused.headers["etag"] == '"v4"'
    assert table.play(first, BID, **{"If-Match": '"v4"'}).status_code == 200


def test_a_command_needs_a_token(match: Seated) -> None:
    table, _, _ = match

    refused = table.play({}, BID)

    check(refused, 401, "no_token")
    assert refused.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("shown", ["Basic abc", "Bearer x", "Bearer", f"Bearer {NOBODY}", f"Bearer {NOBODY}\t!"])
def test_a_token_of_nobody_is_refused_for_reading_too(match: Seated, shown: str) -> None:
    table, _, _ = match

    check(table.play({"Authorization": shown}, BID), 401, "bad_token")
    check(table.client.get(table.path, headers={"Authorization": shown}), 401, "bad_token")


def test_a_token_of_another_match_is_refused(service: Service, match: Seated) -> None:
    table, _, _ = match
    foreign = Table(service).join("Eve")

    check(table.play(foreign, BID), 403, "foreign_token")
    check(table.client.get(table.path, headers=foreign), 403, "foreign_token")
    check(table.client.get(f"{table.path}/stream", headers=foreign), 403, "foreign_token")


def test_a_host_does_not_play_and_a_seat_is_no_host(match: Seated) -> None:
    table, first, _ = match

    check(table.play(table.host, BID), 403, "not_a_seat")
    check(table.play(first, {"type": "close_session"}), 403, "not_the_host")
    check(table.play(first, {"type": "end_match"}), 403, "not_the_host")
    check(table.client.post(f"{table.path}/start", headers=first), 403, "not_the_host")
    check(table.client.get(f"{table.path}/openings", headers=table.host), 403, "not_a_seat")
    check(table.client.get(f"{table.path}/openings"), 401, "no_token")


@pytest.mark.parametrize(
    "fetch",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://[::1"},
        {"Origin": "null"},
        {"Origin": ""},
    ],
)
def test_a_page_of_another_site_may_read_but_not_write(service: Service, fetch: dict[str, str]) -> None:
    check(service.client.post("/api/v1/matches", json=RULES, headers=fetch), 403, "cross_site")
    assert service.client.get("/api/v1/matches", headers=fetch).status_code == 200


def test_a_page_of_our_own_may_write(service: Service) -> None:
    for fetch in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": service.url}):
        assert service.client.post("/api/v1/matches", json=RULES, headers=fetch).status_code == 201


@pytest.mark.parametrize(
    ("method", "rest"),
    [("GET", ""), ("GET", "/replay"), ("GET", "/record"), ("GET", "/access"), ("GET", "/audit"), ("GET", "/stream")],
)
def test_a_match_that_does_not_exist_is_unknown(service: Service, method: str, rest: str) -> None:
    check(service.client.request(method, f"/api/v1/matches/{NO_MATCH}{rest}"), 404, "unknown_match")


def test_a_command_on_a_match_that_does_not_exist_is_refused(service: Service, match: Seated) -> None:
    _, first, _ = match
    path = f"/api/v1/matches/{NO_MATCH}"

    check(service.client.post(f"{path}/commands", json=BID, headers=first), 404, "unknown_match")
    check(service.client.post(f"{path}/seats", json={"name": "Ada"}), 404, "unknown_match")


def test_an_address_with_nothing_behind_it_is_not_found(service: Service) -> None:
    check(service.client.get("/api/v1/nothing"), 404, "not_found")
    check(service.client.get("/api/v1/matches/not-a-match"), 404, "not_found")


def test_a_method_nobody_takes_is_refused_with_those_that_are(service: Service) -> None:
    refused = service.client.put("/api/v1/matches", json=RULES)

    check(refused, 405, "bad_method")
    assert set(refused.headers["allow"].replace(" ", "").split(",")) >= {"GET", "POST"}


def test_nothing_is_logged_at_first(service: Service) -> None:
    service.house.signed = None

    check(service.client.get("/api/v1/log/checkpoint"), 404, "no_checkpoint")


def test_a_stream_in_a_language_nobody_speaks_is_not_acceptable(table: Table) -> None:
    check(table.client.get(f"{table.path}/stream", headers={"Accept": "image/png"}), 406, "not_acceptable")


def test_a_version_from_the_future_is_refused(match: Seated) -> None:
    table, _, _ = match

    check(table.client.get(f"{table.path}/replay", params={"version": 5}), 409, "version_in_the_future")
    check(table.client.get(f"{table.path}/stream", params={"after": 5}), 409, "version_in_the_future")
    check(table.client.get(f"{table.path}/stream", headers={"Last-Event-ID": "5"}), 409, "version_in_the_future")


@pytest.mark.parametrize("version", ["-1", "0x4", "1.5", "9" * 40, "", "\0", "true"])
def test_a_version_that_is_none_is_malformed(match: Seated, version: str) -> None:
    table, _, _ = match

    check(table.client.get(f"{table.path}/replay", params={"version": version}), 400, "malformed")
    check(table.client.get(f"{table.path}/stream", params={"after": version}), 400, "malformed")
    if version.isprintable() and version:
        check(table.client.get(f"{table.path}/stream", headers={"Last-Event-ID": version}), 400, "malformed")


@pytest.mark.parametrize("eyes", ["", "0", "100", "own", " 1", "1\n", "all\n", "spectator\n", "\u0661", "all\0"])
def test_eyes_that_are_none_are_malformed(match: Seated, eyes: str) -> None:
    table, _, _ = match

    check(table.client.get(f"{table.path}/replay", params={"eyes": eyes}), 400, "malformed")


def test_a_place_in_the_lobby_ends_with_its_line(service: Service) -> None:
    mark = "11.00000000-0000-4000-8000-000000000001"

    assert service.client.get("/api/v1/matches", params={"before": mark}).status_code == 200
    check(service.client.get("/api/v1/matches", params={"before": f"{mark}\n"}), 400, "malformed")


def test_a_body_is_at_most_16_kib(service: Service) -> None:
    body = json.dumps({"rules": {"game": "a" * 20_000}}).encode()

    check(service.client.post("/api/v1/matches", content=body, headers=JSON), 413, "too_large")
    check(service.client.post("/api/v1/matches", content=iter([body]), headers=JSON), 413, "too_large")


def test_a_body_is_json(service: Service) -> None:
    headers = {"Content-Type": "text/xml"}

    check(service.client.post("/api/v1/matches", content=b"<rules/>", headers=headers), 415, "bad_media_type")


def test_options_that_do_not_fit_are_refused_with_their_name(service: Service) -> None:
    refused = service.client.post("/api/v1/matches", json={"rules": {"game": "common_hand", "options": {"wild": 7}}})

    check(refused, 422, "bad_options")
    assert refused.json()["option"] == "wild"


def test_whoever_asks_too_often_is_told_when_to_ask_again() -> None:
    with served(Bounds(writes_per_s=2)) as service:
        opening = (service.client.post("/api/v1/matches", json=RULES) for _ in range(200))
        taken, refused = next(each for each in enumerate(opening) if each[1].status_code != 201)

        check(refused, 429, "too_many_requests")
        assert refused.headers["retry-after"] == "1"
        assert refused.headers["ratelimit-policy"] == '"writes";q=2;w=1'
        assert refused.json()["ratelimit"] == {"key": "writes", "seconds": 1}
        assert len(service.house.rooms) == taken


def test_whoever_guesses_tokens_is_slowed_down() -> None:
    with served(Bounds(writes_per_s=3)) as service:
        table = Table(service)
        guesses = [bearer(f"truecup_seat_{number:043d}") for number in range(100)]
        codes = {table.client.get(table.path, headers=guess).json()["code"] for guess in guesses}

        assert codes == {"bad_token", "too_many_requests"}


def test_looking_at_ones_own_openings_spends_nothing_of_what_one_may_write() -> None:
    with served(Bounds(writes_per_s=3)) as service:
        table = Table(service)
        seat = table.join("Ada")
        codes = {table.client.get(f"{table.path}/openings", headers=seat).status_code for _ in range(9)}

        assert codes == {200}


def test_when_the_world_says_no_the_caller_may_come_back(service: Service) -> None:
    service.house.full = True
    try:
        refused = service.client.post("/api/v1/matches", json=RULES)
    finally:
        service.house.full = False

    check(refused, 503, "unavailable")
    assert refused.headers["retry-after"] == "1"
    assert "queue" not in refused.text


def test_a_fault_of_ours_says_nothing_about_itself(service: Service, match: Seated) -> None:
    table, _, _ = match
    service.house.broken = True
    try:
        broken = table.client.get(f"{table.path}/audit")
    finally:
        service.house.broken = False

    check(broken, 500, "broken")
    assert set(broken.json()) == {"type", "title", "status", "detail", "code"}


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_rule_that_says_no_is_a_conflict_unless_the_request_itself_is_wrong(code: str) -> None:
    apart = {"bad_options": 422, "needs_invite": 403, "not_the_host": 403, "too_many_bot_tables": 429}
    apart |= {"too_many_tables": 429, "needs_signature": 403, "bad_key": 422, "bad_signature": 422}
    expected = apart.get(code, 409)

    assert PROBLEMS[code].status == expected
