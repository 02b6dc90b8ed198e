"""Commands on a socket: the same answers, refusals and repeats as over HTTP."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import Any

import pytest

from services.api import requests
from services.api.socket.acting import PENDING_MAX
from services.http.bounds import Bounds
from services.http.front.rates import Rate
from tests.api.conftest import Service, Table, served
from tests.socket.speaking import Speaker, key, speaking, token_of

Match = tuple[Table, dict[str, str], dict[str, str]]
HOURLY = partial(Rate, window_s=3_600)
"""A quota that is not whole again before the test is over, however long that takes."""
ABOUT = ("status", "code", "title", "detail", "type")


def bid(quantity: int) -> dict[str, object]:
    return {"type": "bid", "quantity": quantity, "face": 3}


def test_a_command_is_answered_as_over_http_and_a_repeat_may_take_either_way(speaker: Speaker, match: Match) -> None:
    table, first, _ = match
    body, name = '{"type":"bid","quantity":1,"face":3}', key()
    headers = {**first, "Idempotency-Key": name, "Content-Type": "application/json"}
    over_http = table.client.post(f"{table.path}/commands", content=body, headers=headers)
    assert over_http.status_code == 200

    message = '{"id":"mine","do":"command","match":"%s","key":"%s","token":"%s","command":%s}'
    speaker.socket.send(message % (table.id, name, token_of(first), body))
    assert speaker.hear() == {"id": "mine", "status": 200, **over_http.json()}

    other = speaker.play(table, first, bid(2), key=name)
    assert (other["status"], other["code"]) == (422, "key_reused")


def test_what_was_stored_over_the_socket_answers_its_repeat_over_http(speaker: Speaker, match: Match) -> None:
    table, first, _ = match
    body, name = '{"type":"bid","quantity":1,"face":3}', key()
    message = '{"id":1,"do":"command","match":"%s","key":"%s","token":"%s","command":%s}'
    speaker.socket.send(message % (table.id, name, token_of(first), body))
    answered = speaker.hear()
    headers = {**first, "Idempotency-Key": name, "Content-Type": "application/json"}
    again = table.client.post(f"{table.path}/commands", content=body, headers=headers)
    assert {"id": 1, "status": 200, **again.json()} == answered


@pytest.mark.parametrize(
    ("command", "more", "headers"),
    [
        (bid(0), {}, {}),
        ({"type": "bid", "quantity": 1}, {}, {}),
        ({"type": "nothing"}, {}, {}),
        ({"type": "say", "text": "hm"}, {}, {}),
        ({"type": "close_session"}, {}, {}),
        ([], {}, {}),
        (bid(1), {"at": 99}, {"If-Match": '"v99"'}),
        (bid(1), {"key": "short"}, {"Idempotency-Key": "short"}),
    ],
)
def test_a_no_is_the_problem_that_http_answers(
    speaker: Speaker, match: Match, command: object, more: dict[str, Any], headers: dict[str, str]
) -> None:
    table, first, second = match
    assert speaker.play(table, first, bid(1))["status"] == 200
    over_http = table.play(second, command, **headers).json()
    said = speaker.play(table, second, command, **more)
    del said["id"]
    assert said == over_http


def test_whose_token_it_is_is_checked_as_over_http(speaker: Speaker, service: Service, match: Match) -> None:
    table, first, _ = match
    other, nowhere = Table(service), "00000000-0000-4000-8000-000000000000"
    made_up = "truecup_seat_" + "A" * 43
    for match_id, token, code in (
        (other.id, token_of(first), "foreign_token"),
        (nowhere, token_of(first), "unknown_match"),
        (table.id, made_up, "bad_token"),
        (table.id, "no token at all", "bad_token"),
        (table.id, token_of(table.host), "not_a_seat"),
    ):
        said = speaker.play(table, first, bid(1), match=match_id, token=token)
        assert said["code"] == code
        headers = {"Authorization": f"Bearer {token}"}
        over_http = table.client.post(f"/api/v1/matches/{match_id}/commands", json=bid(1), headers=headers).json()
        assert [said[name] for name in ABOUT] == [over_http[name] for name in ABOUT]
    assert speaker.play(table, first, bid(1))["status"] == 200


def test_commands_are_pipelined_and_those_of_a_match_are_done_in_order(speaker: Speaker, match: Match) -> None:
    table, first, second = match
    for number in range(40):
        token = token_of((first, second)[number % 2])
        about = {"match": table.id, "token": token, "key": key(), "command": bid(number + 1)}
        speaker.say({"id": number, "do": "command", **about})
    answers = [speaker.hear() for _ in range(40)]
    assert [answer["id"] for answer in answers] == list(range(40))
    assert [answer["version"] for answer in answers] == list(range(5, 45))


def test_a_thousand_commands_without_reading_are_all_stored_once(service: Service, match: Match) -> None:
    table, first, second = match
    asked = [
        {"match": table.id, "token": token_of((first, second)[number % 2]), "key": key(), "command": bid(number + 1)}
        for number in range(1_000)
    ]
    with speaking(service) as silent:
        for number, about in enumerate(asked):
            silent.say({"id": number, "do": "command", **about})
        answers = [silent.hear() for _ in asked]
    assert [answer["version"] for answer in answers] == list(range(5, 1_005))
    with speaking(service) as again:
        for about, answer in zip(asked[::100], answers[::100], strict=True):
            assert again.ask(do="command", **{**about, "id": answer["id"]}) == answer


def test_no_more_is_taken_than_may_be_under_way(
    service: Service, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, first, _ = match
    begun, most, go_on = set[str](), [0], threading.Event()
    real = service.house.submit

    async def slow(match_id: Any, command: Any, ask: Any) -> Any:
        begun.add(ask.key)
        most[0] = max(most[0], len(begun))
        while not go_on.is_set():
            await asyncio.sleep(0.01)
        begun.discard(ask.key)
        return await real(match_id, command, ask)

    monkeypatch.setattr(service.house, "submit", slow)
    tables = [Table(service) for _ in range(PENDING_MAX + 20)]
    seats = [each.join("Ada") for each in tables]
    with speaking(service) as speaker:
        for number, (each, seat) in enumerate(zip(tables, seats, strict=True)):
            about = {"match": each.id, "token": token_of(seat), "key": key(), "command": bid(1)}
            speaker.say({"id": number, "do": "command", **about})
        while len(begun) < PENDING_MAX:
            threading.Event().wait(0.01)
        with speaking(service) as other:
            assert other.watch(table)["status"] == 200
        go_on.set()
        assert {speaker.hear()["id"] for _ in tables} == set(range(len(tables)))
    assert most[0] == PENDING_MAX
    del first


def test_a_socket_that_dies_at_the_commit_leaves_the_answer_to_its_repeat(
    service: Service, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, first, _ = match
    stored, go_on = threading.Event(), threading.Event()
    real = service.house.submit

    async def slow(match_id: Any, command: Any, ask: Any) -> Any:
        answer = await real(match_id, command, ask)
        stored.set()
        while not go_on.is_set():
            await asyncio.sleep(0.01)
        return answer

    monkeypatch.setattr(service.house, "submit", slow)
    about = {"do": "command", "match": table.id, "token": token_of(first), "key": key(), "command": bid(1)}
    with speaking(service) as dying:
        dying.say({"id": 1, **about})
        assert stored.wait(60)
        dying.socket.socket.close()
    go_on.set()
    with speaking(service) as again:
        answer = again.ask(**about)
        assert (answer["status"], answer["version"]) == (200, 5)
    assert service.client.get(table.path).json()["version"] == 5


def test_a_token_has_so_many_commands_a_second_over_both_ways_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "Rate", HOURLY)
    with served(Bounds(writes_per_s=2)) as service:
        table = Table(service)
        seat = table.join("Ada")
        with speaking(service) as speaker:
            for _ in range(2):
                table.play(seat, bid(1))
            # By itself a way would take two more at once.
            told = [speaker.play(table, seat, bid(1)) for _ in range(2)]
        said = next(each for each in told if each["status"] == 429)
        assert (said["code"], said["ratelimit"]["key"]) == ("too_many_requests", "writes")


def test_tokens_that_are_guessed_are_counted_by_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "Rate", HOURLY)
    with served(Bounds(writes_per_s=5)) as service:
        table = Table(service)
        guesses = [{"Authorization": f"Bearer truecup_seat_{number:043}"} for number in range(8)]
        with speaking(service) as speaker:
            codes = [speaker.play(table, guess, bid(1))["code"] for guess in guesses]
    assert codes == ["bad_token"] * 5 + ["too_many_requests"] * 3


def test_a_fault_of_ours_is_told_without_its_words(
    service: Service, speaker: Speaker, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, first, _ = match

    async def broken(*_: object) -> Any:
        raise RuntimeError("5ec2e7")

    monkeypatch.setattr(service.house, "submit", broken)
    said = speaker.play(table, first, bid(1))
    assert (said["status"], said["code"]) == (500, "broken")
    assert "5ec2e7" not in str(said)
