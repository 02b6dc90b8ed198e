"""Entry to a tournament by its conditions: who is let in, turned away, comes late, rests, leaves and comes back."""

from __future__ import annotations

from typing import Any

import pytest

from domain.tournaments import commands, events
from domain.tournaments.deciding.drawing import is_drawing
from tests.tournaments.events_by_hand import ARBITER, HOST, SEASON, STRANGER, EventByHand, player
from tests.tournaments.events_for_audit import WrittenEvent, judged

SOMEBODY = "u" + "7" * 24


def opened(name: str = "pods", **members: Any) -> EventByHand:
    """Return a tournament that lets people in, with an arbiter beside the host."""
    event = EventByHand(name, **members)
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    event.do(commands.OpenEntry(by=HOST))
    return event


def enters(who: str = SOMEBODY, by: str | None = None, **members: Any) -> commands.Register:
    return commands.Register(by=who if by is None else by, player=who, **members)


# ---- who enters ------------------------------------------------------------------------------------


def test_a_host_puts_others_in_and_an_arbiter_does_not() -> None:
    event = opened()
    assert event.code(enters(by=ARBITER)) == "not_the_host"
    assert event.code(enters(by=STRANGER)) == "not_yours"
    event.do(enters(by=HOST))
    assert event.tournament.entrants[1].player == SOMEBODY


def test_who_turns_up_at_the_check_in_is_put_in_by_a_host_and_says_so_like_all() -> None:
    event = WrittenEvent("single", seeding="manual").enter(2).check_in()
    assert event.code(enters()) == "wrong_phase"
    for who, seed in ((SOMEBODY, 1), (STRANGER, None)):
        event.do(enters(who, by=HOST, seed=seed))
    assert not any(event.tournament.entrants[number].here for number in (3, 4))
    event.do(commands.CheckIn(by=SOMEBODY, number=3))
    event.step()
    assert event.code(enters(player(5), by=HOST)) == "wrong_phase"
    event.give_seeds().step()
    assert event.tournament.stages[0].seeds[0] == 3
    assert set(event.tournament.stages[0].seeds) == {1, 2, 3}
    assert judged(event.close().lines).upto == len(event.lines)


def test_nobody_but_a_host_says_who_is_seeded_where() -> None:
    event = opened(seeding="manual")
    assert event.code(enters(seed=1)) == "not_an_official"
    assert event.code(enters(by=ARBITER, seed=1)) == "not_the_host"
    assert event.code(enters(ARBITER, by=ARBITER, seed=1)) == "not_the_host"
    event.do(enters(by=HOST, seed=1))
    assert event.tournament.entrants[1].seed == 1


def test_an_official_may_play_as_well() -> None:
    event = opened()
    event.do(enters(ARBITER, by=ARBITER))
    assert event.tournament.entrants[1].player == ARBITER


@pytest.mark.parametrize(
    ("entry", "member", "condition"),
    [
        ({"invited": True}, {}, "invited"),
        ({}, {"bot": True}, "bots"),
        ({"bots": "only"}, {}, "bots"),
        ({"player": True}, {"who": player(7)}, "player"),
        ({"rating": [20, 30]}, {}, "rating"),
        ({"rating": [20, 30]}, {"rating": (19_999_999, 1)}, "rating"),
        ({"rating": [20, 30]}, {"rating": (30_000_001, 1)}, "rating"),
    ],
)
def test_a_condition_that_is_not_met_is_named(entry: dict[str, Any], member: dict[str, Any], condition: str) -> None:
    refused = opened(entry=entry, season=SEASON).refusal(enters(**member))
    assert (refused.code, refused.facts["condition"]) == ("entry_conditions", condition)


@pytest.mark.parametrize(
    ("entry", "member"),
    [
        ({"invited": True}, {"by": HOST}),
        ({"bots": "labelled"}, {"bot": True}),
        ({"bots": "only"}, {"bot": True}),
        ({"player": True}, {}),
        ({"rating": [20, 30]}, {"rating": (30_000_000, 1)}),
    ],
)
def test_who_meets_the_conditions_is_in(entry: dict[str, Any], member: dict[str, Any]) -> None:
    event = opened(entry=entry, season=SEASON)
    event.do(enters(**member))
    assert event.tournament.entrants[1].is_in


def test_where_matches_are_rated_guests_do_not_enter() -> None:
    refused = opened(rated=True).refusal(enters(player(1)))
    assert (refused.code, refused.facts["condition"]) == ("entry_conditions", "player")


def test_of_several_reasons_not_to_let_somebody_in_the_first_is_told() -> None:
    event = opened(entry={"max": 2, "invited": True})
    for who in (player(1), player(2)):
        event.do(enters(who, by=HOST))
    assert event.code(enters(player(1))) == "already_registered"
    assert event.code(enters()) == "tournament_full"
    event.do(commands.CloseEntry(by=HOST))
    assert event.code(enters(player(1))) == "entry_closed"
    event.do(commands.OpenCheckIn(by=HOST))
    assert event.code(enters(player(1))) == "wrong_phase"
    assert event.code(enters(by=STRANGER)) == "not_yours"


def test_who_has_left_makes_room_and_comes_back_only_where_some_is_left() -> None:
    event = opened(entry={"max": 2}).enter(2)
    event.do(commands.Withdraw(by=player(1), number=1))
    event.enter(1)
    assert event.code(commands.Return(by=player(1), number=1)) == "tournament_full"
    event.do(commands.Withdraw(by=player(2), number=2))
    event.do(commands.Return(by=player(1), number=1))
    assert event.tournament.entrants[1].gone is None


def test_entry_is_opened_and_closed_by_a_host_and_once() -> None:
    event = EventByHand()
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    for command in (commands.OpenEntry, commands.CloseEntry, commands.OpenCheckIn):
        assert event.code(command(by=ARBITER)) == "not_the_host"
        assert event.code(command(by=STRANGER)) == "not_an_official"
    assert event.code(commands.CloseEntry(by=HOST)) == "wrong_phase"
    event.do(commands.OpenEntry(by=HOST))
    assert event.code(commands.OpenEntry(by=HOST)) == "wrong_phase"
    assert event.code(commands.OpenCheckIn(by=HOST)) == "too_few_players"
    event.do(commands.CloseEntry(by=HOST))
    assert event.code(commands.CloseEntry(by=HOST)) == "entry_closed"
    assert event.code(enters()) == "entry_closed"
    event.do(enters(by=HOST))


# ---- approval --------------------------------------------------------------------------------------


def test_where_officials_let_people_in_who_waits_does_not_check_in() -> None:
    event = opened(entry={"approve": True}).enter(3)
    assert event.code(commands.OpenCheckIn(by=HOST)) == "too_few_players"
    for number in (1, 2):
        event.do(commands.Approve(by=ARBITER, number=number))
    assert event.code(commands.Approve(by=ARBITER, number=1)) == "already_registered"
    event.check_in((1, 2))
    assert event.code(commands.CheckIn(by=player(3), number=3)) == "entry_conditions"
    event.do(commands.Approve(by=HOST, number=3))
    event.do(commands.CheckIn(by=player(3), number=3))


@pytest.mark.parametrize("kind", [commands.Approve, commands.TurnAway])
def test_only_officials_let_in_and_turn_away_and_say_why(kind: Any) -> None:
    event = opened(entry={"approve": True}).enter(1)
    assert event.code(kind(by=player(1), number=9)) == "not_an_official"
    assert event.code(kind(by=ARBITER, number=9)) == "unknown_number"
    assert event.code(kind(by=ARBITER, number=1, reason="other")) == "reason_needed"
    event.do(kind(by=ARBITER, number=1, reason="other", note="ab" * 32))


def test_who_was_turned_away_is_not_let_in_and_comes_back_with_an_official_only() -> None:
    event = opened().enter(1)
    event.do(commands.TurnAway(by=ARBITER, number=1))
    assert event.code(commands.TurnAway(by=ARBITER, number=1)) == "already_withdrawn"
    assert event.code(commands.Approve(by=ARBITER, number=1)) == "already_withdrawn"
    refused = event.refusal(commands.Return(by=player(1), number=1))
    assert (refused.code, refused.facts["condition"]) == ("entry_conditions", "approve")
    event.do(commands.Return(by=HOST, number=1))
    assert not event.tournament.entrants[1].is_in
    event.do(commands.Approve(by=ARBITER, number=1))
    assert event.tournament.entrants[1].is_in


def test_who_waits_to_be_let_in_may_leave_and_come_back_to_wait() -> None:
    event = opened(entry={"approve": True}).enter(1)
    event.do(commands.Withdraw(by=player(1), number=1))
    event.do(commands.Return(by=player(1), number=1))
    assert (event.tournament.entrants[1].is_in, event.tournament.entrants[1].gone) == (False, None)


def test_once_lots_are_drawn_only_who_waits_is_turned_away() -> None:
    event = EventByHand("duel_swiss", entry={"approve": True, "late_rounds": 1}).enter(2)
    for number in (1, 2):
        event.do(commands.Approve(by=HOST, number=number))
    event.check_in().draw().step()
    event.enter(1)
    assert event.code(commands.TurnAway(by=HOST, number=1)) == "wrong_phase"
    event.do(commands.TurnAway(by=HOST, number=3))
    event.play_round()
    assert set(event.tournament.stages[0].seeds) == {1, 2}


# ---- check-in --------------------------------------------------------------------------------------


def test_officials_check_in_for_others_and_draw_lots_for_nobody() -> None:
    event = opened().enter(2).open_check_in()
    assert event.code(commands.CheckIn(by=ARBITER, number=9)) == "unknown_number"
    assert event.code(commands.CheckIn(by=player(2), number=1)) == "not_yours"
    assert event.code(commands.CheckIn(by=ARBITER, number=1, draws=True)) == "not_yours"
    event.do(commands.CheckIn(by=ARBITER, number=1))
    event.do(commands.CheckIn(by=player(1), number=1, draws=True))
    # Nor does anybody take it back for them.
    assert event.code(commands.CheckIn(by=HOST, number=1)) == "already_registered"
    event.do(commands.CheckIn(by=player(1), number=1))
    assert not event.tournament.entrants[1].draws


def test_of_several_reasons_not_to_check_in_the_first_is_told() -> None:
    event = opened(entry={"approve": True}).enter(4)
    assert event.code(commands.CheckIn(by=player(1), number=1)) == "wrong_phase"
    for number in (1, 2, 3):
        event.do(commands.Approve(by=HOST, number=number))
    event.check_in((1,))
    event.do(commands.Withdraw(by=player(1), number=1))
    event.do(commands.Withdraw(by=player(2), number=2))
    event.do(commands.Withdraw(by=player(4), number=4))
    assert event.code(commands.CheckIn(by=player(1), number=1)) == "already_registered"
    assert event.code(commands.CheckIn(by=player(4), number=4)) == "entry_conditions"
    assert event.code(commands.CheckIn(by=player(2), number=2)) == "already_withdrawn"
    event.do(commands.Penalise(by=HOST, number=2, kind="disqualified"))
    event.do(commands.Penalise(by=HOST, number=3, kind="disqualified"))
    assert event.code(commands.CheckIn(by=player(2), number=2)) == "already_withdrawn"


# ---- seeds that are set by hand ------------------------------------------------------------------------


def test_a_host_sets_the_place_of_somebody_who_has_entered_among_the_seeds_and_takes_it_back() -> None:
    event = WrittenEvent("single", seeding="manual").enter(4)
    for number, place in ((3, 1), (1, 2), (2, 7)):
        event.do(commands.Seed(by=HOST, number=number, seed=place))
    event.do(commands.Seed(by=HOST, number=1, seed=None))
    event.check_in()
    event.do(commands.Seed(by=HOST, number=4, seed=2))
    event.draw().step()
    assert event.tournament.stages[0].seeds == (3, 4, 2, 1), "who has no place comes last"
    assert judged(event.close().lines).upto == len(event.lines)


def test_of_several_reasons_not_to_set_a_seed_the_first_is_told() -> None:
    event = opened(seeding="manual").enter(3)
    assert event.code(commands.Seed(by=player(1), number=1, seed=1)) == "not_an_official"
    assert event.code(commands.Seed(by=ARBITER, number=9, seed=1)) == "not_the_host"
    assert event.code(commands.Seed(by=HOST, number=9, seed=1)) == "unknown_number"
    assert event.code(commands.Seed(by=HOST, number=1)) == "already_registered"
    event.do(commands.Withdraw(by=player(1), number=1))
    assert event.code(commands.Seed(by=HOST, number=1)) == "already_registered"
    assert event.code(commands.Seed(by=HOST, number=1, seed=1)) == "already_withdrawn"
    event.check_in((2, 3)).draw()
    assert event.code(commands.Seed(by=HOST, number=2, seed=1)) == "wrong_phase"
    refused = opened().enter(1).refusal(commands.Seed(by=HOST, number=1, seed=1))
    assert (refused.code, refused.facts["condition"]) == ("entry_conditions", "seeding")


# ---- leaving and coming back -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [commands.Withdraw, commands.Return])
def test_people_come_and_go_themselves_or_by_the_host(kind: Any) -> None:
    event = opened().enter(2)
    event.do(commands.Withdraw(by=player(2), number=2))
    number = 1 if kind is commands.Withdraw else 2
    assert event.code(kind(by=ARBITER, number=9)) == "not_the_host"
    assert event.code(kind(by=ARBITER, number=number)) == "not_the_host"
    assert event.code(kind(by=HOST, number=9)) == "unknown_number"
    assert event.code(kind(by=STRANGER, number=number)) == "not_yours"
    assert event.code(kind(by=HOST, number=number, reason="other")) == "reason_needed"
    event.do(kind(by=HOST, number=number))


def test_who_has_left_leaves_no_more_and_who_is_there_does_not_come_back() -> None:
    event = opened().enter(1)
    assert event.code(commands.Return(by=player(1), number=1)) == "already_registered"
    event.do(commands.Withdraw(by=player(1), number=1))
    assert event.code(commands.Withdraw(by=player(1), number=1)) == "already_withdrawn"


def test_who_never_checked_in_does_not_come_back_into_rounds() -> None:
    event = opened().enter(4).check_in((1, 2, 3)).draw()
    assert event.code(commands.Return(by=player(4), number=4)) == "wrong_phase"
    event.step()
    assert event.code(commands.Return(by=player(4), number=4)) == "not_checked_in"


def test_who_leaves_a_round_comes_back_for_the_next_and_missed_what_was_between() -> None:
    event = WrittenEvent("duel_swiss").begin(4)
    event.do(commands.Withdraw(by=player(4), number=4))
    event.play_round()
    assert 4 not in {number for table in event.round.tables.values() for number in table.seats}
    event.do(commands.Return(by=player(4), number=4))
    event.pair()
    assert 4 in {number for table in event.round.tables.values() for number in table.seats}
    assert judged(event.close().lines).upto == len(event.lines)


def test_who_is_disqualified_does_not_come_back_until_that_is_lifted() -> None:
    event = EventByHand("duel_swiss").begin(4)
    event.do(commands.Penalise(by=HOST, number=1, kind="disqualified"))
    assert event.code(commands.Return(by=player(1), number=1)) == "disqualified"
    event.do(commands.Lift(by=HOST, line=event.line_of(events.PenaltyImposed)))
    event.do(commands.Return(by=player(1), number=1))
    assert event.tournament.entrants[1].plays


def test_nobody_comes_back_into_an_elimination() -> None:
    event = EventByHand("single").begin(4)
    event.do(commands.Withdraw(by=player(1), number=1))
    assert event.code(commands.Return(by=player(1), number=1)) == "too_late"


def test_nobody_comes_back_after_the_last_round_is_paired_or_the_stage_is_closed() -> None:
    event = EventByHand("pods_final").begin(6).play_round().play_round()
    event.do(commands.Withdraw(by=player(1), number=1))
    event.pair()
    assert event.code(commands.Return(by=player(1), number=1)) == "too_late"
    event.play_round().step()
    assert event.tournament.stages[0].closed is not None
    assert event.code(commands.Return(by=player(1), number=1)) == "too_late"
    event.step()
    assert event.tournament.stage is not None
    assert event.tournament.stage.number == 2
    assert event.code(commands.Return(by=player(1), number=1)) == "too_late"


def test_an_official_in_a_hurry_calls_nothing_off() -> None:
    event = WrittenEvent().enter(3).check_in([1])
    assert event.code(event.proceed_of(HOST)) == "too_few_players"
    event.do(commands.CheckIn(by=player(2), number=2))
    event.do(event.proceed_of(HOST))
    assert is_drawing(event.tournament)
    late = WrittenEvent().enter(3).check_in([1])
    late.step()
    assert late.tournament.phase == "cancelled", "whoever has not come by then does not"
