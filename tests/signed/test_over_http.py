"""Seats with keys over HTTP: a join and a bid that are signed stand in the record as they were signed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from uuid import UUID

import httpx
import pytest
from msgspec import structs

from domain.fairness.signing.messages import name_commitment
from domain.log.receipts import sign_receipt
from domain.log.refusals import Refusal, refusal_of, sign_refusal
from domain.match.settings import HOUSE_RULES
from domain.match.signing import message_for
from infra.keys import Ed25519Signer
from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import Service, bearer, served
from tests.api.test_real_match import Prompt
from tests.signed.hands import Hand, signing_after

ORIGIN = "dice.example/log"
SALT = "5a" * 32
RULES = {"game": "common_hand", "pause_ms": 0, "seats": 3}


def house() -> Prompt:
    """Return a house that signs what it takes, and what it refuses."""
    store, signers = MemoryStore(), (Ed25519Signer(bytes(32)),)
    signs, refuses = (partial(by, ORIGIN, signers=signers) for by in (sign_receipt, sign_refusal))
    return Prompt(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(range(32))), signs, refuses=refuses)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds(writes_per_s=10_000), house()) as made:
        yield made


class SignedTable:
    """A table at which people sign."""

    def __init__(self, service: Service, **rules: Any) -> None:
        self.client = service.client
        opened = self.client.post("/api/v1/matches", json={"rules": {**RULES, **rules}}).json()
        self.id = UUID(opened["match"])
        self.path = f"/api/v1/matches/{self.id}"
        self.host = bearer(opened["token"])
        self.tokens: dict[int, dict[str, str]] = {}
        self.hands: dict[int, Hand] = {}

    def lines(self) -> list[bytes]:
        return [line for line in self.client.get(f"{self.path}/record").content.splitlines() if line.startswith(b"{")]

    def sit(self, name: str, hand: Hand, **members: Any) -> httpx.Response:
        salt = members.pop("salt", SALT)
        signed = hand.sign_join(signing_after(self.lines()), "server", name_commitment(bytes.fromhex(salt), name))
        asked = {"name": name, "key": hand.key, "salt": salt, "signed": signed, **members}
        sat = self.client.post(f"{self.path}/seats", json=asked)
        if sat.status_code == 201:
            hand.seat = sat.json()["seat"]
            self.hands[hand.seat], self.tokens[hand.seat] = hand, bearer(sat.json()["token"])
        return sat

    def join(self, name: str) -> int:
        sat = self.client.post(f"{self.path}/seats", json={"name": name}).json()
        self.tokens[sat["seat"]] = bearer(sat["token"])
        return int(sat["seat"])

    def ask(self, seat: int, kind: str, **members: Any) -> httpx.Response:
        return self.client.post(f"{self.path}/commands", json={"type": kind, **members}, headers=self.tokens[seat])

    def sign(self, seat: int, kind: str, **members: Any) -> dict[str, Any]:
        return self.hands[seat].sign(signing_after(self.lines()), {"type": kind, **members})

    def ask_signed(self, seat: int, kind: str, **members: Any) -> httpx.Response:
        return self.ask(seat, kind, **members, signed=self.sign(seat, kind, **members))

    def start(self) -> None:
        assert self.client.post(f"{self.path}/start", headers=self.host).status_code == 200

    def turn(self) -> int:
        return int(self.client.get(self.path).json()["turn"])


def test_a_join_and_a_bid_stand_in_the_record_as_they_were_signed(service: Service) -> None:
    table = SignedTable(service)
    for number, name in ((1, "Ada"), (2, "Ben")):
        assert table.sit(name, Hand(table.id, number)).status_code == 201
    table.start()
    seat = table.turn()

    unsigned = table.ask(seat, "bid", quantity=2, face=3)
    assert (unsigned.status_code, unsigned.json()["code"]) == (403, "needs_signature")
    answer = table.ask_signed(seat, "bid", quantity=2, face=3)
    assert answer.status_code == 200, answer.text

    lines = [json.loads(line) for line in table.lines()]
    joined = [line for line in lines if line["type"] == "seat.joined"]
    assert [line["data"]["key"] for line in joined] == [table.hands[1].key, table.hands[2].key]
    assert joined[0]["data"]["name"] == name_commitment(bytes.fromhex(SALT), "Ada")
    bid = next(line for line in lines if line["type"] == "game.bid")
    assert bid["signed"]["command"] == {"type": "bid", "quantity": 2, "face": 3}
    assert (bid["signed"]["seat"], bid["signed"]["n"]) == (seat, 1)
    assert signing_after(table.lines()).seats[seat].n == 1


# ---- what is not signed as the match stands -------------------------------------------------------


def dealt(service: Service) -> SignedTable:
    """Return a table of two who sign and one who does not, dealt."""
    made = SignedTable(service)
    for number, name in ((11, "Ada"), (12, "Ben")):
        made.sit(name, Hand(made.id, number))
    made.join("Cy")
    made.start()
    return made


@pytest.fixture(scope="module")
def table(service: Service) -> SignedTable:
    return dealt(service)


def flipped(signature: str) -> str:
    return ("0" if signature[0] != "0" else "1") + signature[1:]


def malleable(signature: str) -> str:
    """Return the signature with the order of the group added to its second half: some verifiers take it as well."""
    order = 2**252 + 27742317777372353535851937790883648493
    raw = bytes.fromhex(signature)
    second = int.from_bytes(raw[32:], "little") + order
    return (raw[:32] + second.to_bytes(32, "little")).hex()


def another_head(table: SignedTable, seat: int) -> dict[str, Any]:
    """Return a bid that is signed over a head that the match does not have."""
    lines = table.lines()
    signing = signing_after(lines)
    elsewhere = structs.replace(signing, heads=(*signing.heads[:-1], "ab" * 32))
    return table.hands[seat].sign(elsewhere, BID)


BID = {"type": "bid", "quantity": 2, "face": 3}


def signed_bid(table: SignedTable, seat: int) -> dict[str, Any]:
    return table.sign(seat, "bid", quantity=2, face=3)


def elsewhere(table: SignedTable, seat: int) -> dict[str, Any]:
    hand = Hand(UUID(int=1), 10 + seat, seat)
    return hand.sign(signing_after(table.lines()), BID)


def by_key_of(table: SignedTable, seat: int, other: int) -> dict[str, Any]:
    hand = Hand(table.id, 10 + other, seat)
    return hand.sign(signing_after(table.lines()), BID)


WAYS: dict[str, tuple[Callable[[SignedTable, int], dict[str, Any]], str]] = {
    "a signature altered": (lambda t, s: {**signed_bid(t, s), "sig": flipped(signed_bid(t, s)["sig"])}, "head_or_key"),
    "a malleable one": (lambda t, s: {**signed_bid(t, s), "sig": malleable(signed_bid(t, s)["sig"])}, "head_or_key"),
    "another command": (lambda t, s: t.sign(s, "bid", quantity=3, face=3), "head_or_key"),
    "another match": (elsewhere, "head_or_key"),
    "another seat's key": (lambda t, s: by_key_of(t, s, 3 - s), "head_or_key"),
    "another head": (another_head, "head_or_key"),
    "a counter that goes back": (lambda t, s: {**signed_bid(t, s), "n": 0}, "n"),
    "a counter ahead": (lambda t, s: {**signed_bid(t, s), "n": 9}, "n"),
    "a version that has passed": (lambda t, s: {**signed_bid(t, s), "version": 1}, "version"),
    "a version still to come": (lambda t, s: {**signed_bid(t, s), "version": 10_000}, "version"),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_not_signed_as_the_match_stands_is_refused_and_not_stored(table: SignedTable, way: str) -> None:
    if table.turn() not in table.hands:
        assert table.ask(table.turn(), "bid", quantity=1, face=2).status_code == 200
    seat, before = table.turn(), table.lines()
    sign, why = WAYS[way]

    refused = table.ask(seat, "bid", quantity=2, face=3, signed=sign(table, seat))

    assert (refused.status_code, refused.json()["code"], refused.json()["why"]) == (422, "bad_signature", why)
    assert "refusal" not in refused.json()
    assert table.lines() == before


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("00" * 32, "bad_key"),
        ("01" + "00" * 31, "bad_key"),
        ("ed" + "ff" * 30 + "7f", "bad_key"),
        ("02" + "00" * 31, "bad_key"),
        ("", "key_taken"),
    ],
    ids=["small order", "the neutral point", "not canonical", "no point", "used at another seat"],
)
def test_a_key_with_which_nobody_or_somebody_else_signs_is_refused(service: Service, key: str, code: str) -> None:
    table = SignedTable(service)
    table.sit("Ada", first := Hand(table.id, 21))
    before = table.lines()

    refused = table.sit("Ben", Hand(table.id, 22), key=key or first.key)

    assert refused.json()["code"] == code
    assert table.lines() == before


def test_a_key_and_a_signature_come_together(service: Service) -> None:
    table = SignedTable(service)
    hand = Hand(table.id, 31)
    signed = hand.sign_join(signing_after(table.lines()), "server")
    for members in ({"key": hand.key}, {"signed": signed}):
        refused = table.client.post(f"{table.path}/seats", json={"name": "Ada", **members})
        assert (refused.status_code, refused.json()["why"]) == (422, "form")
    for malformed in (signed["sig"][2:], signed["sig"] + "00", signed["sig"].upper()):
        asked = {"name": "Ada", "key": hand.key, "signed": {**signed, "sig": malformed}}
        assert table.client.post(f"{table.path}/seats", json=asked).json()["code"] == "malformed"
    assert len(table.lines()) == 1


def test_who_has_no_key_signs_nothing_and_words_are_signed_by_nobody(table: SignedTable) -> None:
    signed = Hand(table.id, 99).sign(signing_after(table.lines()), BID) | {"n": 1}
    without = table.ask(3, "bid", quantity=2, face=3, signed=signed)
    assert (without.status_code, without.json()["code"]) == (409, "no_key")
    words = table.ask(1, "say", text="2x3", signed=signed)
    assert (words.status_code, words.json()["code"], words.json()["why"]) == (422, "bad_signature", "form")
    asked = table.ask(1, "continue", signed=signed)
    assert (asked.status_code, asked.json()["why"]) == (422, "form")


def test_nobody_else_plays_a_seat_that_signs(service: Service) -> None:
    table = SignedTable(service, host={})
    table.sit("Ada", Hand(table.id, 41))
    table.join("Ben")
    for members in ({"who": 1, "reason": "other"},):
        kicked = table.client.post(f"{table.path}/commands", json={"type": "kick", **members}, headers=table.host)
        assert (kicked.status_code, kicked.json()["code"]) == (409, "has_key")
    table.start()
    assert table.ask(1, "stand_in").json()["code"] == "has_key"


# ---- what everybody sees of it --------------------------------------------------------------------


def test_a_view_says_who_signs_with_what_and_a_seat_which_signature_comes_next(service: Service) -> None:
    table = SignedTable(service)
    table.sit("Ada", hand := Hand(table.id, 51))
    table.join("Ben")
    seen = table.client.get(table.path, headers=table.tokens[1]).json()
    assert [seat["key"] for seat in seen["seats"]] == [hand.key, None]
    signing = signing_after(table.lines())
    assert seen["signing"] == {"n": 1, "loud": signing.loud} == {"n": signing.seats[1].n + 1, "loud": 0}
    for other in (table.tokens[2], {}):
        assert table.client.get(table.path, headers=other).json()["signing"] is None


def test_a_seat_changes_its_key_and_its_host_names_one_for_who_has_lost_his(service: Service) -> None:
    table = SignedTable(service)
    table.sit("Ada", old := Hand(table.id, 61))
    new, third = Hand(table.id, 62, 1), Hand(table.id, 63, 1)
    assert table.ask_signed(1, "rekey", key=new.key).status_code == 200
    table.hands[1] = new
    assert table.client.get(table.path).json()["seats"][0]["key"] == new.key

    named = table.client.post(f"{table.path}/seats/1/key", json={"key": third.key}, headers=table.host)
    assert named.status_code == 200
    seat = table.client.get(table.path).json()["seats"][0]
    assert (seat["key"], seat["key_named"]) == (new.key, third.key)
    # Two minutes have to pass, in which the old key stops it with any command.
    table.hands[1] = third
    assert table.ask_signed(1, "leave").json()["why"] == "head_or_key"
    table.hands[1] = old
    assert table.ask_signed(1, "leave").json()["why"] == "head_or_key"
    for who, code in ((1, "key_taken"), (2, "unknown_player")):
        key = third.key if who == 1 else Hand(table.id, 64).key
        asked = table.client.post(f"{table.path}/seats/{who}/key", json={"key": key}, headers=table.host)
        assert asked.json()["code"] == code
    seat_token = table.client.post(f"{table.path}/seats/1/key", json={"key": old.key}, headers=table.tokens[1])
    assert seat_token.json()["code"] == "not_the_host"
    table.hands[1] = new
    assert table.ask_signed(1, "leave").status_code == 200
    assert table.client.get(table.path).json()["seats"] == []


def test_a_seat_without_a_key_gets_none_later(service: Service) -> None:
    table = SignedTable(service)
    table.join("Ben")
    key = Hand(table.id, 71).key
    assert table.ask(1, "rekey", key=key).json()["code"] == "no_key"
    named = table.client.post(f"{table.path}/seats/1/key", json={"key": key}, headers=table.host)
    assert named.json()["code"] == "no_key"


# ---- what the house signs of a command that it has not taken ---------------------------------------


def refusal_in(answer: httpx.Response, code: str) -> Refusal:
    assert answer.json()["code"] == code, answer.text
    refusal, note = refusal_of(answer.json()["refusal"])
    assert note.signatures[0].name == ORIGIN
    assert refusal.code == code
    return refusal


def test_a_signed_command_that_is_refused_is_answered_with_a_note_of_it(service: Service) -> None:
    table = SignedTable(service)
    for number, name in ((81, "Ada"), (82, "Ben")):
        table.sit(name, Hand(table.id, number))
    early = table.sign(2, "resign")
    table.start()
    seat = table.turn()

    signing = signing_after(table.lines())
    refused = refusal_in(table.ask_signed(3 - seat, "bid", quantity=1, face=3), "not_your_turn")
    command = {"type": "bid", "quantity": 1, "face": 3}
    message = message_for(signing, table.id.bytes, 3 - seat, 1, signing.version, command)
    assert refused.message == hashlib.sha256(message).hexdigest()
    assert (refused.stream, refused.seat, refused.n, refused.version) == (
        f"match/{table.id}", 3 - seat, 1, signing.version,
    )  # fmt: skip

    # What was signed before a line that it had to see is dead, and was heard all the same.
    assert refusal_in(table.ask(2, "resign", signed=early), "bad_signature").version == early["version"]
    # So is what is meant for a version that has passed.
    late = table.client.post(
        f"{table.path}/commands",
        json={"type": "challenge", "signed": table.sign(seat, "challenge")},
        headers={**table.tokens[seat], "If-Match": '"v1"'},
    )
    assert refusal_in(late, "version_passed").seat == seat
    # A newcomer has no seat yet.
    full = table.sit("Cy", Hand(table.id, 83))
    assert refusal_in(full, "already_started").seat == 0


def test_what_nobody_has_signed_well_is_refused_without_a_note(service: Service) -> None:
    table = SignedTable(service)
    for number, name in ((91, "Ada"), (92, "Ben")):
        table.sit(name, Hand(table.id, number))
    table.start()
    seat = 3 - table.turn()
    good = table.sign(seat, "bid", quantity=1, face=3)
    for wrong in ({"n": 0}, {"sig": "0" * 128}, {"version": 9_999}, {"version": 1}):
        assert "refusal" not in table.ask(seat, "bid", quantity=1, face=3, signed={**good, **wrong}).json()
    huge = table.ask(seat, "bid", quantity=2**62, face=3, signed=good).json()
    assert "refusal" not in huge
    # Where dice are handled, only the line would say where they lie.
    handled = table.ask(seat, "arrange", inside=[0], signed={**good, "salt": "ab" * 32}).json()
    assert "refusal" not in handled
    unsealed = table.ask(3 - seat, "arrange", signed=table.sign(3 - seat, "arrange"))
    assert "refusal" not in unsealed.json()


def test_keys_are_named_and_changed_so_often_and_the_seat_plays_on(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HOUSE_RULES, "asides", 1)
    table = SignedTable(service)
    table.sit("Ada", hand := Hand(table.id, 71))
    hand.seat = 1
    for number, code in ((72, None), (73, "no_asides_left")):
        asked = {"key": Hand(table.id, number).key}
        named = table.client.post(f"{table.path}/seats/1/key", json=asked, headers=table.host)
        assert named.json().get("code") == code
    new = Hand(table.id, 74, 1)
    for other, code in ((new, None), (Hand(table.id, 75, 1), "no_asides_left")):
        signed = hand.sign(signing_after(table.lines()), {"type": "rekey", "key": other.key})
        assert table.ask(1, "rekey", key=other.key, signed=signed).json().get("code") == code
        hand = new
