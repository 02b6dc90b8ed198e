"""A match from its opening to its record, over HTTP."""

from __future__ import annotations

import pytest

from domain.games import GAMES
from tests.api.conftest import Service, Table

Seated = tuple[Table, dict[str, str], dict[str, str]]


def test_an_answer_names_the_version_it_produced(match: Seated) -> None:
    table, first, _ = match

    bid = table.play(first, {"type": "bid", "quantity": 1, "face": 2})

    assert bid.status_code == 200
    assert bid.json()["version"] == 5
    assert bid.headers["etag"] == '"v5"'
    assert bid.headers["cache-control"] == "no-store"


def test_a_repeat_with_the_same_key_gets_the_same_answer(match: Seated) -> None:
    table, first, _ = match
    command = {"type": "bid", "quantity": 1, "face": 2}
    key = {"Idempotency-Key": "0123456789abcdef"}

    once, again = table.play(first, command, **key), table.play(first, command, **key)

    assert once.json() == again.json()


def test_a_token_is_handed_out_once_more_to_a_repeat_only(table: Table) -> None:
    key = {"Idempotency-Key": f"joining-{table.id}"}

    once = table.client.post(f"{table.path}/seats", json={"name": "Ada"}, headers=key)
    again = table.client.post(f"{table.path}/seats", json={"name": "Ada"}, headers=key)
    other = table.client.post(f"{table.path}/seats", json={"name": "Bob"})

    assert once.json() == again.json()
    assert other.json()["seat"] == 2


def test_a_view_that_has_not_changed_is_not_sent_again(match: Seated) -> None:
    table, first, _ = match
    seen = table.client.get(table.path, headers=first)

    again = table.client.get(table.path, headers=first | {"If-None-Match": seen.headers["etag"]})

    assert seen.json()["viewer"] == 1
    assert (again.status_code, again.content) == (304, b"")


def test_a_seat_sees_its_moves_and_a_spectator_sees_none(match: Seated) -> None:
    table, first, _ = match

    assert table.client.get(table.path, headers=first).json()["moves"] != []
    assert table.client.get(table.path).json()["moves"] == []
    assert table.client.get(table.path, headers=table.host).json()["viewer"] is None


def test_a_refused_bid_comes_with_the_lowest_legal_ones(match: Seated) -> None:
    table, first, second = match
    table.play(first, {"type": "bid", "quantity": 3, "face": 2})

    low = table.play(second, {"type": "bid", "quantity": 3, "face": 2})

    assert low.status_code == 409
    assert low.json()["code"] == "claim_not_higher"
    assert low.json()["minimum_raises"] == [[4, 2]]


def test_a_replay_is_every_frame_or_the_one_at_a_version(match: Seated) -> None:
    table, _, _ = match

    whole = table.client.get(f"{table.path}/replay").json()["frames"]
    one = table.client.get(f"{table.path}/replay", params={"version": 3}).json()

    assert [frame["version"] for frame in whole] == [1, 2, 3, 4]
    assert one == whole[2]


def test_a_long_replay_is_read_in_pages(match: Seated) -> None:
    table, first, second = match
    for quantity in range(1, 300):
        table.play(second if quantity % 2 == 0 else first, {"type": "bid", "quantity": quantity, "face": 2})

    whole = table.client.get(f"{table.path}/replay").json()["frames"]

    assert [frame["version"] for frame in whole] == list(range(1, 304))


def test_a_seat_gets_the_openings_of_its_folded_dice(match: Seated) -> None:
    table, _, second = match
    openings = table.client.get(f"{table.path}/openings/folded", headers=second)
    assert [(opening["cup"], opening["roll"]) for opening in openings.json()] == [(2, 1)]
    assert openings.headers["cache-control"] == "no-store"


def test_a_seat_gets_the_openings_of_its_own_dice(match: Seated) -> None:
    table, _, second = match

    openings = table.client.get(f"{table.path}/openings", headers=second)

    assert [opening["cup"] for opening in openings.json()] == [2]
    assert openings.headers["cache-control"] == "no-store"


def test_the_record_comes_as_text_or_as_a_file_of_its_own_kind(match: Seated) -> None:
    table, _, _ = match

    text = table.client.get(f"{table.path}/record")
    cup = table.client.get(f"{table.path}/record", headers={"Accept": "application/x-cup"})

    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert cup.headers["content-type"] == "application/x-cup"
    assert {each.headers["vary"].partition(",")[0] for each in (text, cup)} == {"Accept"}
    assert text.content == cup.content


def test_who_saw_what_comes_as_text_or_as_a_file_of_its_own_kind(match: Seated) -> None:
    table, _, _ = match

    text = table.client.get(f"{table.path}/access")
    cup = table.client.get(f"{table.path}/access", headers={"Accept": "application/x-cup"})

    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert cup.headers["content-type"] == "application/x-cup"
    assert {each.headers["vary"].partition(",")[0] for each in (text, cup)} == {"Accept"}
    assert f'filename="{table.id}.access"' in cup.headers["content-disposition"]
    assert text.content == cup.content


def test_the_audit_answers_with_its_report(match: Seated) -> None:
    table, _, _ = match

    assert table.client.get(f"{table.path}/audit").json()["status"] == "OK"


def test_the_lobby_lists_matches_by_what_they_are_at(service: Service, match: Seated) -> None:
    table, _, _ = match

    live = service.client.get("/api/v1/matches", params={"state": "live"}).json()
    waiting = service.client.get("/api/v1/matches", params={"state": "open"}).json()

    assert table.id in {row["match"] for row in live}
    assert table.id not in {row["match"] for row in waiting}


def test_the_lobby_is_listed_a_page_at_a_time(service: Service) -> None:
    opened = {Table(service).id for _ in range(5)}
    listed: list[str] = []
    path = "/api/v1/matches?state=open&limit=2"
    while path:
        page = service.client.get(path)
        assert len(page.json()) <= 2
        listed += [row["match"] for row in page.json()]
        path = page.links.get("next", {}).get("url", "")

    assert len(listed) == len(set(listed))
    assert opened <= set(listed)
    assert "link" not in service.client.get("/api/v1/matches?limit=1").headers
    assert service.client.get("/api/v1/matches?before=yesterday").status_code == 400


def test_a_seat_can_be_given_up_only_before_the_start(match: Seated) -> None:
    table, first, _ = match

    left = table.client.delete(f"{table.path}/seats/me", headers=first)

    assert left.status_code == 409


def test_the_host_seats_bots(table: Table) -> None:
    seated = table.client.post(f"{table.path}/bots", json={"count": 2}, headers=table.host)

    assert seated.status_code == 201
    assert [seat["bot"] for seat in table.client.get(table.path).json()["seats"]] == [True, True]


@pytest.mark.parametrize("command", ["close_session", "end_match"])
def test_the_host_closes_a_session_and_ends_a_match(match: Seated, command: str) -> None:
    table, _, _ = match

    closed = table.play(table.host, {"type": command})

    assert closed.status_code == 200


def test_the_games_of_the_house_are_listed(service: Service) -> None:
    assert [card["name"] for card in service.client.get("/api/v1/games").json()] == list(GAMES)


def test_the_log_is_published(service: Service) -> None:
    service.house.signed = b"example.org\n1\nAAAA\n\n- example.org AAAA\n"

    assert service.client.get("/api/v1/log/checkpoint").content == service.house.signed
    assert service.client.get("/api/v1/log/policy").text.startswith("log ")


def test_every_response_is_careful(service: Service) -> None:
    for path in ("/api/v1/games", "/nothing/here", "/health/live"):
        headers = service.client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_requests_are_counted_by_the_pattern_of_their_path(service: Service, table: Table) -> None:
    table.client.get(table.path)
    table.client.get(f"{table.path}/replay?version=99")

    told = service.client.get("/metrics").text

    assert 'path="/api/v1/matches/{match_id}",status="200"' in told
    assert 'path="/api/v1/matches/{match_id}/replay",status="409"' in told
    assert table.id not in told


def test_health_says_what_is_missing(service: Service) -> None:
    assert service.client.get("/health/live").status_code == 200
    assert service.client.get("/health/ready").json() == {"status": "ready", "reasons": {}}
    service.house.full = True
    try:
        told = service.client.get("/health/ready")
    finally:
        service.house.full = False
    assert told.status_code == 503
    assert told.json() == {"status": "not_ready", "reasons": {"disk": "the disk is full"}}
