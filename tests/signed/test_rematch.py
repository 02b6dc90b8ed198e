"""The next table of people who sign: they sign for their seats there as well."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from msgspec import convert
from msgspec.structs import replace

from domain.audit.replay import replay as ruled
from domain.fairness.names import names_in
from domain.fairness.records import events_of
from domain.fairness.signing.messages import name_commitment
from domain.match.record import stream_of
from domain.match.signed_commands import SeatSignature
from infra.sealing import Sealing
from infra.store import Card, Unavailable
from infra.store.memory import MemoryStore
from services.client.keys.held import HeldRecord
from services.http.bounds import Bounds
from services.matches.handler import CommandHandler
from services.matches.requests import SeatMark, SitsAgain
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import Service, bearer, served
from tests.api.test_rematch import Over
from tests.crash.house import wait_until
from tests.signed.hands import Hand, signing_after
from tests.signed.test_over_http import RULES, SALT, SignedTable, house

OTHER_SALT = "a5" * 32


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds(writes_per_s=10_000), house()) as made:
        yield made


class NextTable(SignedTable):
    """The table after one that is over."""

    def __init__(self, before: SignedTable, opened: dict[str, Any]) -> None:
        """Find it by the answer to whoever asked first."""
        self.client, self.before, self.id = before.client, before, UUID(opened["match"])
        self.path, self.host = f"/api/v1/matches/{self.id}", bearer(opened["host"])
        self.tokens, self.hands = {}, {}

    def signed(self, name: str, hand: Hand, salt: str = SALT, custody: str = "server") -> dict[str, Any]:
        """Return what goes with asking for a seat."""
        named = name_commitment(bytes.fromhex(salt), name)
        signed = hand.sign_join(signing_after(self.lines()), custody, named)
        return {"custody": custody, "key": hand.key, "salt": salt, "signed": signed}

    def sit_again(self, seat: int, name: str, hand: Hand, salt: str = SALT) -> dict[str, Any]:
        """Sit down, who had this seat at the table before."""
        sat = asked(self.before, seat, self.signed(name, hand, salt))
        hand.seat = int(sat["seat"])
        self.hands[hand.seat], self.tokens[hand.seat] = hand, bearer(sat["token"])
        return sat


def asked(table: SignedTable, seat: int, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Ask for a rematch, and return the answer."""
    answer = table.client.post(f"{table.path}/rematch", headers=table.tokens[seat], json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def over(service: Service) -> SignedTable:
    """Return a table of two who sign and one who does not, at which all is over."""
    table = SignedTable(service)
    for number, name in ((1, "Ada"), (2, "Ben")):
        assert table.sit(name, Hand(table.id, number)).status_code == 201
    table.join("Cy")
    table.start()
    end(table)
    return table


def end(table: SignedTable) -> None:
    """Have everybody resign who has to."""
    for seat in (1, 2, 3):
        if table.client.get(table.path).json()["phase"] != "finished":
            answer = table.ask_signed(seat, "resign") if seat in table.hands else table.ask(seat, "resign")
            assert answer.status_code == 200, answer.text


def is_sound(table: SignedTable) -> None:
    """Check that a record holds what its seats have signed, and that the rules lead to it."""
    record = table.client.get(f"{table.path}/record").content
    HeldRecord(str(table.id)).take(record)
    found = ruled(events_of(record))
    assert found.line is None, found
    told = [json.loads(line) for line in table.lines()]
    assert {line["signed"]["seat"] for line in told if "signed" in line} == {*table.hands}


def test_two_who_sign_and_one_who_does_not_play_again_as_they_played(service: Service) -> None:
    first = over(service)
    opened = asked(first, 1, {"sits": False})
    assert ("token" in opened, "seat" in opened, "host" in opened) == (False, False, True)
    table = NextTable(first, opened)
    assert [one["sits"] for one in first.client.get(f"{first.path}/rematch").json()["seats"]] == [False] * 3

    assert "token" in asked(first, 3)
    table.tokens[1] = bearer(asked(first, 3)["token"])
    for seat, name in ((1, "Ada"), (2, "Ben")):
        table.sit_again(seat, name, Hand(table.id, 100 + seat))

    seats = table.client.get(table.path).json()["seats"]
    assert [(one["name"], one["key"] is not None) for one in seats] == [("Cy", False), ("Ada", True), ("Ben", True)]
    assert table.client.get(table.path).json()["phase"] == "dealing"
    is_sound(table)
    told = [json.loads(line) for line in table.client.get(f"{table.path}/names").text.splitlines()]
    assert [(one["name"], one.get("salt")) for one in told] == [("Cy", None), ("Ada", SALT), ("Ben", SALT)]


def test_who_sits_already_is_told_so_before_anything_is_signed_and_a_repeat_changes_no_key_and_no_name(
    service: Service,
) -> None:
    first = over(service)
    table = NextTable(first, asked(first, 1, {"sits": False}))
    sat = table.sit_again(1, "Ada", Hand(table.id, 201))
    before = table.lines()
    again = asked(first, 1, {"sits": False})
    assert [again[name] for name in ("match", "seat", "token")] == [sat[name] for name in ("match", "seat", "token")]
    for body in (None, table.signed("Ada", Hand(table.id, 202), OTHER_SALT)):
        assert asked(first, 1, body)["token"] == sat["token"]
    assert table.lines() == before
    (told,) = [json.loads(line) for line in table.client.get(f"{table.path}/names").text.splitlines()]
    assert told["salt"] == SALT


def test_what_is_not_signed_over_the_next_table_by_whose_seat_it_was_seats_nobody(service: Service) -> None:
    first = over(service)
    table = NextTable(first, asked(first, 1, {"sits": False}))
    before, hand = table.lines(), Hand(table.id, 301)
    good = table.signed("Ada", hand)
    ways: dict[str, tuple[dict[str, Any], int, str]] = {
        "as somebody else": (table.signed("Ben", hand), 422, "bad_signature"),
        "other seeds": ({**good, "custody": "client"}, 422, "bad_signature"),
        "the old table": ({**good, "signed": Hand(first.id, 301).sign_join(signing_after(before), "server")}, 422, ""),
        "no key": ({"signed": good["signed"]}, 422, "bad_signature"),
        "no signature": ({"key": hand.key}, 422, "bad_signature"),
        "a weak key": ({**good, "key": "00" * 32}, 422, "bad_key"),
    }
    for way, (body, status, code) in ways.items():
        refused = first.client.post(f"{first.path}/rematch", headers=first.tokens[1], json=body)
        assert (refused.status_code, code in refused.json()["code"]) == (status, True), (way, refused.text)
    stranger = SignedTable(service)
    stranger.join("Eve")
    strange = first.client.post(f"{first.path}/rematch", headers=stranger.tokens[1], json=good)
    assert (strange.status_code, strange.json()["code"]) == (403, "foreign_token")
    assert table.lines() == before

    # What Ben's token brings is Ben's seat, with a key of anybody's; hers takes hers.
    assert first.client.post(f"{first.path}/rematch", headers=first.tokens[2], json=good).status_code == 422
    table.sit_again(1, "Ada", hand)


def test_a_table_that_was_opened_by_who_never_came_goes_on_without_and_starts_when_the_host_says(
    service: Service,
) -> None:
    first = over(service)
    table = NextTable(first, asked(first, 1, {"sits": False}))
    table.sit_again(2, "Ben", Hand(table.id, 401))
    third = asked(first, 3)
    table.tokens[2] = bearer(third["token"])
    assert table.client.get(table.path).json()["phase"] == "lobby"
    table.start()
    end(table)
    is_sound(table)


def test_a_name_that_was_erased_is_nobodys_at_the_next_table_and_can_still_be_signed(service: Service) -> None:
    first = over(service)
    gone = {**first.tokens[1], "Idempotency-Key": "erase-a-name-of-before"}
    assert first.client.delete(f"{first.path}/seats/me/name", headers=gone).status_code == 200
    table = NextTable(first, asked(first, 1, {"sits": False}))
    wait_until(lambda: first.client.get(f"{first.path}/rematch").json()["seats"][0]["name"] == "Seat 1")
    table.sit_again(1, "Seat 1", Hand(table.id, 501))
    assert table.client.get(table.path).json()["seats"][0]["key"] == table.hands[1].key


def test_the_rules_of_the_second_table_are_those_of_the_first(service: Service) -> None:
    first = over(service)
    table = NextTable(first, asked(first, 1, {"sits": False}))
    asked_for = {name: table.client.get(table.path).json()["rules"][name] for name in RULES}
    assert asked_for == {name: first.client.get(first.path).json()["rules"][name] for name in RULES}


# ---- a house that is killed ------------------------------------------------------------------------


class Killed(MemoryStore):
    """A store whose house is killed after what is stored next, before a salt is kept."""

    kills = False

    async def keep_salt(self, player: str, salt: bytes) -> None:
        if self.kills:
            self.kills = False
            raise Unavailable("killed")
        await super().keep_salt(player, salt)


def another(store: MemoryStore) -> CommandHandler:
    """Return the house as it begins anew, with nothing in memory."""
    return CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(range(32))))


async def test_a_house_that_is_killed_between_two_steps_goes_on_where_it_was() -> None:
    store = Killed()
    over = await Over(store).played(Card())
    opened = await another(store).rematch(over.id, await over.asking(1), SitsAgain(sits=False))
    next_id, hand = UUID(opened.match), Hand(UUID(opened.match), 7)
    signing = signing_after(await store.read(stream_of(next_id), 0, 100))
    named = name_commitment(bytes.fromhex(SALT), "Ada")
    signed = convert(hand.sign_join(signing, "client", named), SeatSignature)
    again = SitsAgain(custody="client", mark=SeatMark(hand.key, SALT))
    ask = replace(await over.asking(1), signature=signed)
    store.kills = True
    with pytest.raises(Unavailable):
        await another(store).rematch(over.id, ask, again)

    sat = await another(store).rematch(over.id, ask, again)
    (line,) = [one for one in names_in(await another(store).names_told(next_id)) if one.name == "Ada"]
    assert (sat.token is not None, line.salt, line.seat) == (True, SALT, sat.seat)
    match = (await another(store).load_match(next_id)).match
    assert [who.key for _, who in sorted(match.seated.items()) if not who.is_bot] == [hand.key]
