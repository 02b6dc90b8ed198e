"""Private tables and rematches over a node that has no key."""

from __future__ import annotations

from uuid import UUID

import pytest
from msgspec import convert
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.fairness.signing.messages import name_commitment
from domain.log.canonical import head as head_of
from domain.match.record import lines_of
from domain.match.signed_commands import SeatSignature
from infra.clock import now_ms
from infra.store import Card, Choices, Unavailable
from services.matches.requests import SeatMark, SitsAgain, TakesKey
from tests.handoff.test_desk import RULES, House, asking, house
from tests.signed.hands import Hand, signing_after

__all__ = ["house"]


async def test_a_private_table_is_opened_and_joined_over_a_node_that_has_no_key(house: House) -> None:
    card = Card("Friday night", listed=False, choices=Choices(hints=True))
    opened = await house.remote.open(RULES, asking("private"), card=card)
    assert opened == await house.matches.open(RULES, asking("private"), card=card)
    match_id = UUID(opened.match)
    assert await house.remote.card(match_id) == card
    with pytest.raises(Refused, match="invitation"):
        await house.remote.join(match_id, "Ada", "server", asking("Ada"))
    assert (await house.remote.join(match_id, "Ada", "server", asking("Ada"), opened.invite)).seat == 1


async def test_a_rematch_is_asked_for_and_seen_over_a_node_that_has_no_key(house: House) -> None:
    match_id, _, seats = await house.table()
    _, _, foreign = await house.table("another")
    with pytest.raises(Refused, match="not over"):
        await house.remote.for_token(seats[0]).rematch(match_id, asking("again"))
    await house.remote.for_token(seats[0]).submit(match_id, commands.Forfeit(1), asking("out"))
    first = await house.remote.for_token(seats[0]).rematch(match_id, asking("again"))
    assert await house.remote.for_token(seats[0]).rematch(match_id, asking("again")) == first
    told = await house.remote.next_table(match_id)
    assert told == await house.matches.next_table(match_id)
    assert (told.match, [one.sits for one in told.seats]) == (first.match, [True, False])
    with pytest.raises(Unavailable):
        await house.remote.for_token(foreign[0]).rematch(match_id, asking("again"))
    assert (await house.remote.for_token(seats[1]).rematch(match_id, asking("again"))).seat == 2
    assert (await house.remote.next_table(match_id)).started


async def test_who_signs_asks_for_a_rematch_over_a_node_that_has_no_key(house: House) -> None:
    match_id, _, seats = await house.table()
    await house.remote.for_token(seats[0]).submit(match_id, commands.Forfeit(1), asking("out"))
    ada = house.remote.for_token(seats[0])
    opened = await ada.rematch(match_id, asking("open"), SitsAgain(sits=False))
    assert (opened.seat, opened.token, opened.host is not None) == (None, None, True)
    hand, lines = Hand(next_id := UUID(opened.match), 1), await house.store.read(f"match/{opened.match}", 0, 100)
    mark, named = SeatMark(hand.key, "5a" * 32), name_commitment(bytes.fromhex("5a" * 32), "Ada")
    signed = convert(hand.sign_join(signing_after(lines), "client", named), SeatSignature)
    ask = replace(asking("sit"), signature=signed)
    sat = await ada.rematch(match_id, ask, SitsAgain(custody="client", mark=mark))
    (seat,) = (await house.matches.load_match(next_id)).match.seated.values()
    assert (sat.seat, seat.key, seat.custody) == (1, hand.key, False)


async def test_a_seat_that_was_given_out_is_taken_again_over_a_node_that_has_no_key(house: House) -> None:
    opened = await house.remote.open(RULES, asking("open"))
    match_id = UUID(opened.match)
    sat = await house.remote.join(match_id, "Ada", "server", asking("Ada"))
    hand, lines = Hand(match_id, 1), await house.store.read(f"match/{opened.match}", 0, 100)
    at = max(now_ms(), (await house.matches.load_match(match_id)).match.at + 1)
    up, _ = lines_of(match_id, len(lines), head_of(lines[-1]), at, [events.SeatLeft(1, "rejoins")])
    signed = convert(hand.sign_join(signing_after([*lines, *up]), "client"), SeatSignature)
    ask, asked = replace(asking("key"), signature=signed), TakesKey(at, "client", SeatMark(hand.key))
    ada = house.remote.for_token(str(sat.token))
    answer = await ada.take_key(match_id, asked, ask)
    assert await ada.take_key(match_id, asked, ask) == answer
    assert (await house.matches.load_match(match_id)).match.seated[1].key == hand.key
    with pytest.raises(Unavailable):
        await house.remote.for_token(str(opened.token)).take_key(match_id, asked, ask)
