"""Signed bytes that are sent again over HTTP: what stands is answered as it was, and a note of a refusal holds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import httpx
import pytest

from domain.fairness.signing.messages import name_commitment
from services.http.bounds import Bounds
from tests.api.conftest import Service, served
from tests.signed.hands import Hand, signing_after
from tests.signed.test_over_http import SALT, SignedTable, house


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds(writes_per_s=10_000), house()) as made:
        yield made


def two(service: Service) -> SignedTable:
    table = SignedTable(service)
    for number, name in ((1, "Ada"), (2, "Ben")):
        assert table.sit(name, Hand(table.id, number)).status_code == 201
    return table


def join_of(table: SignedTable, hand: Hand, name: str) -> dict[str, Any]:
    signed = hand.sign_join(signing_after(table.lines()), "server", name_commitment(bytes.fromhex(SALT), name))
    return {"name": name, "key": hand.key, "salt": SALT, "signed": signed}


def sit(table: SignedTable, body: dict[str, Any]) -> httpx.Response:
    return table.client.post(f"{table.path}/seats", json=body)


def is_noted(answer: httpx.Response, code: str) -> bool:
    assert answer.json()["code"] == code, answer.text
    return "refusal" in answer.json()


# ---- a note holds ---------------------------------------------------------------------------------


def test_a_version_that_was_named_leaves_no_note_where_the_command_can_still_be_taken(service: Service) -> None:
    table = two(service)
    table.start()
    seat, stale = table.turn(), {"If-Match": '"v1"'}
    body = {"type": "bid", "quantity": 1, "face": 3, "signed": table.sign(seat, "bid", quantity=1, face=3)}
    asked = f"{table.path}/commands"
    assert not is_noted(table.client.post(asked, json=body, headers=table.tokens[seat] | stale), "version_passed")
    dead = {"type": "challenge", "signed": table.sign(3 - seat, "challenge")}
    assert table.client.post(asked, json=body, headers=table.tokens[seat]).status_code == 200
    # What a line has overtaken can not.
    assert is_noted(table.client.post(asked, json=dead, headers=table.tokens[3 - seat] | stale), "version_passed")


def test_a_name_or_a_key_that_may_be_free_a_moment_later_leaves_no_note(service: Service) -> None:
    table = SignedTable(service)
    table.sit("Ada", Hand(table.id, 1))
    same_name, same_key = join_of(table, Hand(table.id, 2), "Ada"), join_of(table, Hand(table.id, 1), "Cy")
    assert not is_noted(sit(table, same_name), "name_taken")
    assert not is_noted(sit(table, same_key), "key_taken")
    new = Hand(table.id, 9, 1)
    assert table.ask_signed(1, "rekey", key=new.key).status_code == 200
    assert sit(table, same_key).status_code == 201


def test_a_key_that_nobody_could_sign_with_is_refused_for_good(service: Service) -> None:
    table = two(service)
    assert is_noted(table.ask_signed(1, "rekey", key="02" + "00" * 31), "bad_key")
    assert not is_noted(table.ask_signed(1, "rekey", key=table.hands[2].key), "key_taken")


# ---- what stands is one command --------------------------------------------------------------------


def test_a_command_that_is_sent_again_is_answered_as_it_was(service: Service) -> None:
    table = two(service)
    table.start()
    seat = table.turn()
    body = {"type": "bid", "quantity": 1, "face": 3, "signed": table.sign(seat, "bid", quantity=1, face=3)}
    ask = partial(table.client.post, f"{table.path}/commands", json=body)
    first = ask(headers=table.tokens[seat])
    assert first.json()["receipt"]
    before = table.lines()
    for headers in ({}, {"Idempotency-Key": "0123456789abcdef"}, {"If-Match": '"v1"'}):
        again = ask(headers=table.tokens[seat] | headers)
        assert (again.status_code, again.json()) == (200, first.json())
    assert table.lines() == before


@pytest.mark.parametrize("then", ["at once", "another key", "gone", "started"])
def test_a_join_that_is_sent_again_takes_no_other_seat_and_gives_no_token(service: Service, then: str) -> None:
    table = SignedTable(service)
    body = join_of(table, Hand(table.id, 1), "Ada")
    first = sit(table, body).json()
    table.hands[1], table.tokens[1] = Hand(table.id, 1, 1), {"Authorization": f"Bearer {first.pop('token')}"}
    if then == "another key":
        assert table.ask_signed(1, "rekey", key=Hand(table.id, 9).key).status_code == 200
    elif then == "gone":
        assert table.ask_signed(1, "leave").status_code == 200
    elif then == "started":
        table.join("Ben")
        table.start()
    before = table.lines()

    again = sit(table, body)

    assert (again.status_code, again.json()) == (201, first)
    assert table.lines() == before
