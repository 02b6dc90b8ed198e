"""Signed commands that others hand in: whoever has one brings it, and nobody else learns anything (CUP/1, 4.14.7)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import httpx
import pytest

from domain.match.record import signed_of
from services.api import requests
from services.http.bounds import Bounds
from services.http.front.rates import Rate
from tests.api.conftest import Service, served
from tests.signed.hands import Hand
from tests.signed.test_over_http import WAYS, SignedTable, dealt, house, refusal_in
from tests.signed.test_sent_again import join_of, sit

BID = {"quantity": 2, "face": 3}
COCKED = {"game": "boss_liars", "options": {"cocked": True}}
MEXICAN = {"game": "mexican"}
FALSE = {"special": "reverse", "to": None}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds(writes_per_s=10_000), house()) as made:
        yield made


@pytest.fixture
def table(service: Service) -> SignedTable:
    """Two who sign and one who does not, dealt; it is the turn of one who signs."""
    made = dealt(service)
    while made.turn() not in made.hands:
        made.ask(made.turn(), "bid", quantity=1, face=2)
    return made


def hand_in(table: SignedTable, kind: str, members: dict[str, Any], **headers: str) -> httpx.Response:
    return table.client.post(f"{table.path}/commands", json={"type": kind, **members}, headers=headers)


def bid_of(table: SignedTable, seat: int) -> dict[str, Any]:
    return {**BID, "signed": {**table.sign(seat, "bid", **BID), "seat": seat}}


@pytest.mark.parametrize("whose", ["nobody", "another seat", "the host", "the seat"])
def test_a_signed_command_is_taken_from_whoever_has_it(table: SignedTable, whose: str) -> None:
    seat = table.turn()
    tokens = {"nobody": {}, "another seat": table.tokens[3], "the host": table.host, "the seat": table.tokens[seat]}

    answer = hand_in(table, "bid", bid_of(table, seat), **tokens[whose])

    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"match", "version", "head", "receipt"}
    stands = [signed_of(line) for line in table.lines()][-2:]
    assert [(one.seat, one.command["quantity"]) for one in stands if one is not None] == [(seat, 2)]


def test_whoever_brings_the_join_of_another_neither_plays_nor_keeps_the_seat(service: Service) -> None:
    table = SignedTable(service)
    body = join_of(table, Hand(table.id, 1), "Ada")
    bearer = {"Authorization": f"Bearer {sit(table, body).json()['token']}"}
    assert table.client.get(table.path, headers=bearer).json()["viewer"] == 1
    assert hand_in(table, "leave", {}, **bearer).json()["code"] == "needs_signature"

    # Its player learns that he sits there, and needs nothing but his key to get up and sit down anew.
    assert "token" not in sit(table, body).json()
    table.hands[1] = Hand(table.id, 1, 1)
    assert hand_in(table, "leave", {"signed": {**table.sign(1, "leave"), "seat": 1}}).status_code == 200
    own = sit(table, join_of(table, Hand(table.id, 2), "Ada")).json()["token"]

    assert table.client.get(table.path, headers=bearer).json().get("viewer") is None
    assert table.client.get(table.path, headers={"Authorization": f"Bearer {own}"}).json()["viewer"] == 1


def test_a_signed_command_that_two_bring_is_one(table: SignedTable) -> None:
    seat = table.turn()
    body = bid_of(table, seat)
    first = hand_in(table, "bid", body)
    before = table.lines()
    for headers in ({}, table.tokens[seat], table.tokens[3], {"Idempotency-Key": "0123456789abcdef"}):
        again = hand_in(table, "bid", body, **headers)
        assert (again.status_code, again.json()) == (200, first.json())
    assert table.lines() == before


@pytest.mark.parametrize("way", WAYS)
def test_whoever_has_no_command_of_the_seat_learns_nothing(table: SignedTable, way: str) -> None:
    seat, before = table.turn(), table.lines()
    signed = {**WAYS[way][0](table, seat), "seat": seat}
    for headers in ({}, table.tokens[3]):
        refused = hand_in(table, "bid", {**BID, "signed": signed}, **headers).json()
        assert (refused["code"], refused["why"]) == ("bad_signature", "head_or_key")
        assert "refusal" not in refused
    assert table.lines() == before


def test_a_seat_without_a_key_or_without_anybody_has_signed_nothing(table: SignedTable) -> None:
    signed = table.sign(table.turn(), "bid", **BID)
    for seat in (3, 9):
        refused = hand_in(table, "bid", {**BID, "signed": {**signed, "seat": seat}}).json()
        assert (refused["code"], refused["why"]) == ("bad_signature", "head_or_key")


def test_a_command_that_is_handed_in_too_late_is_refused_with_a_note(table: SignedTable) -> None:
    seat = table.turn()
    other = 3 - seat
    early = {"signed": {**table.sign(other, "resign"), "seat": other}}
    assert refusal_in(hand_in(table, "bid", bid_of(table, other)), "not_your_turn").seat == other
    assert hand_in(table, "bid", bid_of(table, seat)).status_code == 200
    assert refusal_in(hand_in(table, "resign", early), "bad_signature").seat == other


SALT = {"n": 1, "version": 1, "sig": "0" * 128, "salt": "5a" * 32}
PRIVATE: dict[str, dict[str, Any]] = {
    "which dice are handled": {"type": "arrange", "roll_inside": [0], "signed": {**SALT, "seat": 1}},
    "words": {"type": "say", "text": "2x3", "signed": {**SALT, "seat": 1}},
    "what the host asks": {"type": "end_match", "signed": {**SALT, "seat": 1}},
    "what has no form": {"type": "continue", "signed": {**SALT, "seat": 1}},
    "whose seat nobody says": {"type": "bid", **BID, "signed": {**SALT}},
    "what nobody has signed": {"type": "bid", **BID},
    "no command": {"type": "fly"},
}


@pytest.mark.parametrize("which", PRIVATE)
def test_what_takes_more_than_a_signature_takes_the_token_of_its_seat(table: SignedTable, which: str) -> None:
    before = table.lines()
    refused = table.client.post(f"{table.path}/commands", json=PRIVATE[which])
    assert (refused.status_code, refused.json()["code"]) == (401, "no_token")
    assert table.lines() == before


CLAIM = {"quantity": 1, "face": 2}
OF_HIDDEN_DICE: dict[str, tuple[dict[str, Any], str, str, dict[str, Any], dict[str, str]]] = {
    "a claim too high, over dice that may lie cocked": (COCKED, "look", "bid", {"quantity": 99, "face": 3}, {}),
    "a claim, of another version": (COCKED, "look", "bid", CLAIM, {"If-Match": '"1"'}),
    "dice that may lie cocked, of another version": (COCKED, "look", "show_cocked", {}, {"If-Match": '"1"'}),
    "a special that may lie there, of another version": (MEXICAN, "roll", "declare", FALSE, {"If-Match": '"1"'}),
    "a special that may lie there, for nobody": (MEXICAN, "roll", "declare", {**FALSE, "to": 2}, {}),
}


@pytest.mark.parametrize("which", OF_HIDDEN_DICE)
def test_a_no_is_the_same_whatever_lies_hidden(service: Service, which: str) -> None:
    rules, first, kind, members, headers = OF_HIDDEN_DICE[which]
    table = SignedTable(service, **rules, seats=2)
    for number, name in ((11, "Ada"), (12, "Ben")):
        table.sit(name, Hand(table.id, number))
    table.start()
    if table.client.get(table.path).json()["phase"] == "choosing":
        assert table.ask_signed(table.turn(), "choose_first", who=table.turn()).status_code == 200
    seat = table.turn()
    assert table.ask_signed(seat, first).status_code == 200
    before, signed = table.lines(), {**table.sign(seat, kind, **members), "seat": seat}

    for token in ({}, table.tokens[3 - seat], table.host):
        refused = hand_in(table, kind, {**members, "signed": signed}, **token, **headers).json()

        assert refused["code"] == ("version_passed" if headers else "not_allowed")
        assert refused.keys() == {"type", "title", "status", "detail", "code", *(["version"] if headers else [])}
    assert table.lines() == before


def test_only_claims_that_cocked_dice_keep_back_hang_on_dice(service: Service) -> None:
    table = SignedTable(service, seats=2)
    for number, name in ((11, "Ada"), (12, "Ben")):
        table.sit(name, Hand(table.id, number))
    table.start()
    seat = table.turn()
    signed = {**table.sign(seat, "bid", quantity=99, face=3), "seat": seat}
    assert refusal_in(hand_in(table, "bid", {"quantity": 99, "face": 3, "signed": signed}), "count_out_of_range")


def test_junk_is_counted_by_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "Rate", partial(Rate, window_s=3_600))  # however long it takes
    with served(Bounds(writes_per_s=3), house()) as service:
        junk = {"type": "bid", **BID, "signed": {"n": 1, "version": 1, "sig": "0" * 128, "seat": 1}}
        path = "/api/v1/matches/00000000-0000-4000-8000-000000000000/commands"
        codes = [service.client.post(path, json=junk).status_code for _ in range(6)]
    assert (codes[0], codes[-1]) == (404, 429)
