"""Reasons for tables, and certificates: what they say is what the law weighed, and any check accepts them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain import events as of_lots
from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.certificates import OK, check_file
from domain.tournaments.events import TablesPaired, TournamentEvent
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.law import PodsRound, round_of
from projections.tournaments.pairings import PastPairing, certificate_file, certificate_of, input_behind, pairing_with
from projections.tournaments.reasons import WhyView, why
from tests.tournaments.events_by_hand import HOST
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.seen_events import NAMES, busy, past, whole_past
from tests.tournaments.test_arenas import Arena


def opened_before(event: WrittenEvent, pairing: PastPairing) -> list[int]:
    """Return the values of the roll that was opened last before a pairing."""
    before: list[TournamentEvent] = event.events[: event.events.index(pairing.event)]
    last = next(each for each in reversed(before) if isinstance(each, of_lots.Revealed))
    return [value for _, value in last.values]


def weighed(pairing: PastPairing) -> PodsRound:
    certificate, value = certificate_of(pairing), input_behind(pairing)
    assert certificate is not None
    assert value is not None
    return round_of(value, Lots(bytes.fromhex(certificate.lot), certificate.stage, certificate.round))


def fixed() -> WrittenEvent:
    """Return an event in which officials set a table of the second round, and took it back once."""
    event = WrittenEvent("pods").begin(11).play_round()
    event.do(commands.FixTables(by=HOST, tables=((1, 2, 3),), reason="request"))
    event.pair()
    event.do(commands.Unpair(by=HOST, reason="technical"))
    return event.play_round()


GROUPS = [
    {"format": "groups", "groups": 2, "inner": {"format": "swiss", "rounds": 2}, "through": 1},
    {"format": "single"},
]


def arena() -> WrittenEvent:
    """Return an arena whose second wave came while the first was played."""
    event = Arena(4)
    event.wait(1, 2, 3, 4)
    event.seat()
    event.end(1, 20_000)
    event.seat()
    return event


EVENTS = {
    "waves": arena,
    "busy": lambda: busy().finish(),
    "a table set by hand": fixed,
    "balanced without a design": lambda: WrittenEvent("league_day").begin(7).finish(),
    "more than sixteen": lambda: WrittenEvent("club_night").begin(18).play_round().pair(),
    "one rests": lambda: WrittenEvent("duel_swiss").begin(5).finish(),
    "groups": lambda: WrittenEvent("groups", stages=GROUPS).begin(9).play_round().pair(),
    "two stages": lambda: WrittenEvent("pods_final").begin(6).finish(),
    "boards": lambda: WrittenEvent("duplicate").begin(9).pair(),
}


@pytest.fixture(scope="module")
def played() -> dict[str, WrittenEvent]:
    return {name: make() for name, make in EVENTS.items()}


@pytest.mark.parametrize("name", EVENTS)
def test_every_certificate_is_accepted_with_nothing_but_its_file_and_the_roll(
    name: str, played: dict[str, WrittenEvent]
) -> None:
    pairings = [each for found in whole_past(played[name]).values() for each in found]
    assert pairings
    for pairing in pairings:
        file = certificate_file(pairing)
        assert file is not None
        assert check_file(file, opened_before(played[name], pairing)) == OK
        assert json.loads(file)["certificate"]["upto"] == pairing.event.upto


def check_exchanges(found: WhyView, pods: PodsRound, tables: list[tuple[int, ...]]) -> None:
    total = pods.cost(tables)
    for each in found.others:
        if each.how == "exchange":
            assert each.more is not None
            assert pods.method == "search" or each.more >= 0
            assert {found.who.number, each.who.number} <= set(each.tables[0])
            moved = set(each.tables[0]) | set(each.tables[1])
            rest = [table for table in tables if not moved & set(table)]
            assert pods.cost([*rest, *each.tables]) - total == each.more
            assert each.forbidden is bool(pods.forbidden(each.tables))


@pytest.mark.parametrize("name", EVENTS)
def test_terms_come_to_the_cost_and_exchanges_to_what_they_would_have_cost_more(
    name: str, played: dict[str, WrittenEvent]
) -> None:
    pairing = list(whole_past(played[name]).values())[-1][-1]
    pods, certificate = weighed(pairing), certificate_of(pairing)
    assert certificate is not None
    own = set(map(frozenset, pods.value.fixed))
    tables = [table for table in certificate.tables if frozenset(table) not in own]
    for table in tables:
        for number in table[:2]:
            found = why(pairing, NAMES, number)
            assert (found.kind, found.total, found.bound) == ("weighed", certificate.cost, certificate.bound)
            assert found.cost == sum(term.cost for term in found.terms) + sum(term.cost for term in found.small)
            assert all(
                term.cost == term.repeat + term.club + term.score + 2**40 * term.forbidden for term in found.terms
            )
            assert len(found.terms) == len(table) * (len(table) - 1) // 2
            assert len(found.others) == len(pods.ranks) - 1
            check_exchanges(found, pods, tables)


def test_the_cheapest_exchange_is_the_cheapest_of_all_that_seat_two_together() -> None:
    pairing = past(busy().pair())[1, 2]
    pods, certificate = weighed(pairing), certificate_of(pairing)
    assert certificate is not None
    tables = [tuple(sorted(table)) for table in certificate.tables]
    one, two = tables[0][0], tables[1][0]
    (found,) = why(pairing, NAMES, one, two).others
    mores = []
    for a in tables[0]:
        for b in tables[1]:
            swapped = [{b if n == a else n for n in tables[0]}, {a if n == b else n for n in tables[1]}, *tables[2:]]
            if any({one, two} <= set(table) for table in swapped):
                mores.append(pods.cost(swapped) - certificate.cost)
    assert found.more == min(mores)


def test_two_who_may_not_meet_are_said_to_be_forbidden() -> None:
    pairing = past(busy().pair())[1, 2]
    (found,) = why(pairing, NAMES, 2, 3).others
    assert (found.how, found.forbidden) == ("exchange", True)
    assert found.more is not None
    assert found.more > 2**39


def kinds(event: WrittenEvent, number: int) -> Any:
    found = why(list(past(event).values())[-1], NAMES, number)
    return found.kind, found.law


def test_tables_that_were_not_weighed_say_why() -> None:
    assert kinds(WrittenEvent("single").begin(4).pair(), 1) == ("law", "single/1")
    assert kinds(WrittenEvent("round_robin").begin(4).pair(), 1) == ("law", "berger/1")
    event = WrittenEvent("pods").begin(7)
    event.do(commands.FixTables(by=HOST, tables=((1, 2, 3), (4, 5, 6, 7)), reason="request"))
    assert kinds(event.pair(), 1) == ("fixed", "manual/1")
    assert certificate_file(past(event)[1, 1]) is None
    some = fixed()
    assert kinds(some, 1) == ("fixed", "pods/1")
    others = why(past(some)[1, 2], NAMES, 4).others
    assert {each.who.number for each in others if each.how == "fixed"} == {1, 2, 3}
    asked = busy()
    assert why(past(asked)[1, 1], NAMES, 1).kind == "not_paired"


def test_who_rests_is_told_by_byes_score_and_lot() -> None:
    event = WrittenEvent("duel_swiss").begin(5).pair()
    (number,) = event.round.byes
    found = why(past(event)[1, 1], NAMES, number)
    assert found.kind == "rests"
    assert found.rest is not None
    assert (found.rest.byes, found.rest.score.value, found.rest.rank) == (0, "0", 0)
    one = event.table(1).seats[0]
    assert [each.how for each in why(past(event)[1, 1], NAMES, one, number).others] == ["rests"]


@pytest.mark.parametrize(("number", "other"), [(77, None), (1, 77)])
def test_nobody_asks_about_a_number_that_was_not_there(number: int, other: int | None) -> None:
    event = WrittenEvent("pods").begin(6).pair()
    with pytest.raises(Refused) as refusal:
        why(past(event)[1, 1], NAMES, number, other)
    assert refusal.value.code == "unknown_number"


def test_of_several_pairings_of_a_round_the_own_one_answers() -> None:
    event = WrittenEvent("duel_swiss").begin(5).pair()
    pairing = past(event)[1, 1]
    (resting,) = event.round.byes
    other = replace(pairing, event=replace(pairing.event, tables=(), byes=()))
    assert pairing_with((other, pairing), resting) is pairing
    assert pairing_with((other, pairing), event.table(2).seats[0]) is pairing
    assert pairing_with((other, pairing), 77) is other


def test_a_pairing_is_plain_json() -> None:
    found = why(past(busy().pair())[1, 2], NAMES, 2)
    assert msgspec.json.decode(msgspec.json.encode(found), type=WhyView) == found
    assert isinstance(past(busy().pair())[1, 2].event, TablesPaired)
