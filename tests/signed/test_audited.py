"""Whatever the house writes for seats with keys passes both auditors, whoever is slow or lost."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET, convert, to_builtins
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.fairness.deal import Policy
from domain.fairness.signing.keyed_seats import RECOVERY_MS
from domain.games import GAMES
from domain.match.signed_commands import SeatSignature
from domain.table.offers import ArrangeMove
from services.audit.verdict import Evidence, verdict_of
from services.matches.secrets.signatures import decide_signed
from tests.domain.playing import MATCH, commands_for
from tests.domain.truth_oracle import played_out as course_played_out
from tests.fairness.javascript_auditor import Ask, told_in_javascript
from tests.fairness.record_files import access_beside
from tests.fairness.scripted_server import POLICY
from tests.signed.courses import SignedCourse
from tests.signed.hands import Hand


def begun(game: str, name: str, **rules: Any) -> SignedCourse:
    seats = GAMES[game].rules(convert({}, GAMES[game].options)).seats
    course = SignedCourse({}, max(seats[0], min(3, seats[1])), name, game, pause_ms=0, **rules)
    course.start()
    return course


def played_out(course: SignedCourse) -> SignedCourse:
    """Play a match to its end."""
    course_played_out(course, 1)
    return course


def check(course: SignedCourse) -> dict[str, Any]:
    """Check that all auditors pass a record; return what the first says of its seats."""
    record = course.bundle()
    access = access_beside(record)
    found = verdict_of(record, POLICY, beside=Evidence(access))
    assert (found.status, found.layers) == ("OK", (1, 2, 3)), found
    (ruled,) = told_in_javascript([Ask(record, layers=(1, 2, 3), access=access)])
    assert (ruled["status"], ruled["layers"]) == ("OK", [1, 2, 3]), ruled
    seats: dict[str, Any] = ruled["seats"]
    assert seats == to_builtins(found.seats)
    return seats


def matches() -> list[tuple[str, Policy]]:
    return [(name, policy) for name, game in GAMES.items() for policy in game.rules(game.options()).policies]


@pytest.mark.parametrize(("game", "policy"), matches())
def test_a_match_in_which_people_sign_passes_both_auditors(game: str, policy: Policy) -> None:
    course = played_out(begun(game, "signed", policy=policy))
    check(course)


@pytest.mark.parametrize("game", ["stanford", "individual_hand"])
def test_where_dice_stay_hidden_a_salt_stands_beside_each_choice_that_was_sealed_and_is_shown(game: str) -> None:
    course = played_out(begun(game, "salted", policy="shown", signs=(1, 2, 3)))
    shown = [choice for event in course.events if isinstance(event, events.ChoicesRevealed) for choice in event.choices]
    assert shown
    assert all(choice.salt is not UNSET for choice in shown)
    check(course)
    closed = [event for event in course.events if isinstance(event, events.DealClosed)]
    assert all(event.handled is UNSET for event in closed)


def test_positions_that_were_sealed_in_another_order_than_they_are_read_in_are_opened_by_no_salt() -> None:
    course = begun("individual_hand", "turned", policy="shown", signs=(1, 2, 3))
    while not any(isinstance(move, ArrangeMove) for _, move in course.offers()):
        course.act(course.turn)
    course.do(commands.Arrange(course.turn, roll_inside=(1, 0)))
    made = next(event for event in reversed(course.events) if isinstance(event, events.Arranged))
    played_out(course)
    shown = [event for event in course.events if isinstance(event, events.ChoicesRevealed) and event.cup == made.cup]
    salts = {choice.salt for event in shown for choice in event.choices if choice.roll == made.roll}
    assert salts == {UNSET}
    check(course)


# ---- what the clock does, and who is lost ---------------------------------------------------------


@pytest.mark.parametrize("game", ["common_hand", "mexican", "stanford", "liars_poker"])
@pytest.mark.parametrize("on_timeout", ["act", "forfeit"])
def test_what_the_clock_does_stands_behind_the_line_that_says_so(game: str, on_timeout: str) -> None:
    course = begun(game, "idle", clock={"bank_ms": 1_000, "on_timeout": on_timeout})
    seats = check(played_out(course))
    assert any(seat["clock"] for seat in seats.values())


@pytest.mark.parametrize("then", ["out", "stand_in"])
def test_a_table_takes_out_who_stays_away_and_lends_no_seat_that_signs(then: str) -> None:
    course = begun("common_hand", "away", idle={"turn_ms": 30_000, "turns": 2, "then": then})
    while not course.match.ended:
        course.let_time_pass()
    check(course)
    kinds = [events.type_of(event) for event in course.events]
    assert "game.absent" in kinds
    assert "game.forfeited" in kinds
    lent = {event.seat for event in course.events if isinstance(event, events.StoodIn)}
    assert not lent & course.hands.keys()


def test_seeds_that_were_due_are_drawn_by_the_house_and_it_says_so() -> None:
    course = SignedCourse({}, 3, "slow", pause_ms=0)
    course.slow = {1}
    course.start()
    seats = check(played_out(course))
    assert {seat: one["custody"] for seat, one in seats.items()} == {"1": True, "2": False}


def test_time_for_seeds_that_is_used_up_takes_the_seeds_of_no_seat_that_signs_before_they_are_due() -> None:
    course = SignedCourse({}, 3, "spent", pause_ms=0, deal_per="round", idle={"seeds_ms": 1_000, "turn_ms": 60_000})
    course.start()
    course.match = replace(course.match, absence=replace(course.absence, seeds_ms={1: 60_000, 2: 60_000}))
    assert all(not who.custody for seat, who in course.match.seated.items() if seat in course.hands)
    seats = check(played_out(course))
    assert not any(seat["custody"] for seat in seats.values())


def test_who_withholds_a_seed_is_barred_and_signs_nothing_any_more() -> None:
    course = SignedCourse({}, 3, "void", pause_ms=0)
    course.start_withholding(2)
    course.slow = set()
    assert course.match.seated[2].key is None
    with pytest.raises(Refused, match="no key"):
        course.do(commands.NameKey(2, Hand(MATCH, 5).key))
    check(played_out(course))


def test_a_seat_changes_its_key_and_one_that_was_lost_is_recovered() -> None:
    course = begun("common_hand", "keys")
    course.rekey(1, Hand(MATCH, 77, 1))
    lost, found = course.hands[2], Hand(MATCH, 78, 2)
    course.do(commands.NameKey(2, found.key))
    seen = course.written.signing.seats[2]
    course.act_until(lambda: course.table.turn == 2, but=2)
    course.hands[2] = found
    with pytest.raises(Refused) as refused:
        course.act(2)
    assert refused.value.facts == {"why": "head_or_key"}
    course.at += RECOVERY_MS
    course.act(2)
    assert course.written.signing.seats[2].n == seen.n + 1
    course.hands[2] = lost
    course.act_until(lambda: course.table.turn == 2, but=2)
    with pytest.raises(Refused):
        course.act(2)
    course.hands[2] = found
    seats = check(played_out(course))
    assert (seats["1"]["key"], seats["2"]["key"]) == (course.hands[1].key, found.key)
    assert len(seats["2"]["recovered"]) == 1


def test_a_recovery_that_the_player_contests_is_off() -> None:
    course = begun("common_hand", "contested")
    course.do(commands.NameKey(1, Hand(MATCH, 79).key))
    seats = check(played_out(course))
    assert (seats["1"]["key"], seats["1"]["recovered"]) == (course.hands[1].key, [])


def test_a_deal_that_publishes_nothing_opens_no_handling() -> None:
    for policy, opened in (("all", True), ("shown", False)):
        course = played_out(begun("stanford", "sealed", policy=policy))
        handled = [
            event for event in course.events if isinstance(event, events.Arranged) and event.seat in course.hands
        ]
        closed = [event for event in course.events if isinstance(event, events.DealClosed)]
        assert handled
        assert sum(len(event.handled or ()) for event in closed) == (len(handled) if opened else 0)


def test_dice_are_handled_under_a_seal_or_not_at_all() -> None:
    course = begun("stud_liars", "unsealed")
    seat, move = next((seat, move) for seat, move in course.offers() if isinstance(move, ArrangeMove))
    signed = course.hands[seat].sign(course.written.signing, {"type": "arrange"})
    with pytest.raises(Refused) as refused:
        decide_signed(
            course.written, commands_for(seat, move)[0], course.at, course.keeper, convert(signed, SeatSignature)
        )
    assert (refused.value.code, refused.value.facts) == ("bad_signature", {"why": "form"})
