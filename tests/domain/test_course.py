"""The course of a match around the table: who sits, how the dice come about, whose clock runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from domain import commands, events
from domain.errors import Refused
from domain.fairness.deal import seed_commitment
from domain.fairness.openings import DealSecrets
from domain.games import GAMES, options_of
from domain.match.ceremony import CEREMONY_MS, deal_secrets_of
from domain.match.clocks import Clocks, give_back_events
from domain.match.decide import decide
from domain.match.dues import due_at
from domain.match.evolve import open_match
from domain.match.settings import settings_of
from projections.view import view_of
from tests.domain.playing import MATCH, Played, commands_for

DAY_MS = 86_400_000


def kinds(made: Any) -> list[str]:
    return [events.type_of(event) for event in made.events]


def refused(code: str, call: Callable[[], object]) -> dict[str, object]:
    with pytest.raises(Refused) as caught:
        call()
    assert caught.value.code == code
    return caught.value.facts


# ---- the lobby ----------------------------------------------------------------------------------


def test_a_seat_given_up_in_the_lobby_is_given_to_the_next_who_comes() -> None:
    played = Played(seats=2)
    played.do(commands.Join("p1", "server"))
    played.do(commands.Join("p2", "client"))
    refused("too_many_players", lambda: played.do(commands.Join("p3", "server")))
    played.do(commands.Leave(1))
    refused("unknown_player", lambda: played.do(commands.Leave(1)))
    assert kinds(played.do(commands.Join("p3", "server"))) == ["seat.joined", "game.seed_custody"]
    assert [(seat, who.player) for seat, who in sorted(played.match.seated.items())] == [(1, "p3"), (2, "p2")]


def test_seats_never_run_out_for_those_who_come_and_go() -> None:
    played = Played(seats=2)
    for number in range(600):
        played.do(commands.Join(f"p{number}", "server"))
        played.do(commands.Leave(1))
    assert kinds(played.do(commands.Join("p", "client"))) == ["seat.joined"]


def test_a_record_of_before_gave_each_seat_once_and_no_record_may_choose_seats() -> None:
    played = Played(seats=3)
    for player in ("p1", "p2"):
        played.do(commands.Join(player, "server"))
    played.do(commands.Leave(1))
    for seat in (2, 4, 255):
        refused("bad_target", partial(played.do, commands.Join("p3", "server", seat)))
    played.do(commands.Join("p3", "server", 3))
    played.do(commands.Join("p4", "server", 1))
    assert sorted(played.match.seated) == [1, 2, 3]


def test_nothing_is_played_in_the_lobby() -> None:
    played = Played(seats=2)
    played.do(commands.Join("p1", "server"))
    refused("too_few_players", lambda: played.do(commands.Start(played.chance())))
    refused("wrong_phase", lambda: played.do(commands.Bid(1, 1, 2)))
    refused("wrong_phase", lambda: played.do(commands.Advance(played.chance())))
    refused("wrong_phase", lambda: played.do(commands.GiveBack(5)))
    refused("not_dealing", lambda: played.do(commands.CommitSeed(1, 0, "a" * 64)))
    refused("not_dealing", lambda: played.do(commands.LogDeal(0, 0, (), "c")))


def test_a_table_that_nobody_has_started_is_closed_by_its_host() -> None:
    played = Played(seats=2)
    played.do(commands.Join("p1", "server"))
    assert kinds(played.do(commands.CloseSession())) == ["match.ended"]
    assert view_of(played.written, None, None, {}).phase == "finished"
    refused("game_over", lambda: played.do(commands.Join("p2", "server")))
    refused("game_over", lambda: played.do(commands.Start(played.chance())))
    assert due_at(played.match) is None


def test_a_match_that_has_started_is_closed_to_newcomers_and_leavers() -> None:
    played = Played(seats=2)
    played.start()
    refused("already_started", lambda: played.do(commands.Join("p3", "server")))
    refused("already_started", lambda: played.do(commands.Leave(1)))
    refused("already_started", lambda: played.do(commands.Start(played.chance())))


# ---- rules objects ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "option"),
    [
        ({"game": "snakes", "options": {}}, "game"),
        ({"options": {}}, "game"),
        ({"game": "common_hand", "options": {}, "seats": 11}, "seats"),
        ({"game": "common_hand", "options": {}, "seats": 1}, "seats"),
        ({"game": "common_hand", "options": {}, "pause_ms": -1}, "pause_ms"),
        ({"game": "common_hand", "options": {}, "clock": {"bank_ms": 5}}, "clock.bank_ms"),
        ({"game": "common_hand", "options": {"stakes": "per_round"}}, "stakes"),
        ({"game": "common_hand", "options": {"dice_per_player": True}}, "dice_per_player"),
    ],
)
def test_rules_that_cannot_be_meant_so_are_refused_by_the_name_of_the_option(
    rules: dict[str, Any], option: str
) -> None:
    assert refused("bad_options", lambda: settings_of(rules))["option"] == option


def test_the_first_event_spells_every_option_out() -> None:
    event = open_match(MATCH, {"game": "common_hand", "options": {"spot_on": True}})
    assert event.rules["options"]["spot_on"] is True
    assert event.rules["options"]["system"] == "quantity_first"
    assert event.rules["deal_per"] == "match"


@pytest.mark.parametrize("name", GAMES)
def test_a_table_has_a_seat_for_all_who_can_play_unless_the_host_says_otherwise(name: str) -> None:
    event = open_match(MATCH, {"game": name, "options": {}})
    lowest, highest = GAMES[name].rules(options_of(name, {})).seats
    assert event.rules["seats"] == highest

    assert open_match(MATCH, {"game": name, "options": {}, "seats": lowest}).rules["seats"] == lowest
    assert refused("bad_options", lambda: settings_of({"game": name, "options": {}, "seats": 0}))["option"] == "seats"


@pytest.mark.parametrize(("reveal", "deals"), [("counts", ("match",)), ("full", ("match", "round"))])
def test_numbers_that_only_count_are_dealt_for_the_whole_match(reveal: str, deals: tuple[str, ...]) -> None:
    rules = {"game": "liars_poker", "options": {"reveal": reveal}}

    assert GAMES["liars_poker"].rules(options_of("liars_poker", {"reveal": reveal})).deals == deals
    assert settings_of(rules).deal_per == "match"
    if "round" not in deals:
        assert refused("bad_options", lambda: settings_of({**rules, "deal_per": "round"}))["option"] == "deal_per"
    else:
        assert settings_of({**rules, "deal_per": "round"}).deal_per == "round"


# ---- seeds of one's own -------------------------------------------------------------------------


def with_own_seeds(seats: int = 3, **rules: Any) -> Played:
    """Return a match in which seats 1 and 2 draw their own seeds, right after its start."""
    played = Played({"dice_per_player": 1}, seats, pause_ms=0, **rules)
    for seat in range(1, seats + 1):
        played.do(commands.Join(f"p{seat}", "client" if seat < 3 else "server"))
    played.do(commands.Start(played.chance()))
    return played


def seed_of(seat: int, deal: int = 0) -> bytes:
    return hashlib.sha256(f"own {seat} {deal}".encode()).digest()


def commit(played: Played, seat: int) -> commands.CommitSeed:
    ceremony = played.match.ceremony
    assert ceremony is not None
    made = seed_commitment(seed_of(seat, ceremony.deal), ceremony.ctx, ceremony.root, seat)
    return commands.CommitSeed(seat, ceremony.deal, made.hex())


def opening(played: Played, seat: int) -> commands.OpenSeed:
    assert played.match.ceremony is not None
    return commands.OpenSeed(seat, played.match.ceremony.deal, seed_of(seat, played.match.ceremony.deal).hex())


def test_a_deal_is_sealed_by_the_last_commitment_and_ready_with_the_last_opening() -> None:
    played = with_own_seeds()
    assert kinds(played.do(commit(played, 2))) == ["seed.committed"]
    assert kinds(played.do(commit(played, 1))) == ["seed.committed", "deal.sealed"]
    assert kinds(played.do(commands.LogDeal(0, 4, ("ab",), "note"))) == ["deal.logged", "seed.opened"]
    assert kinds(played.do(opening(played, 1))) == ["seed.opened"]
    last = kinds(played.do(opening(played, 2)))
    assert last[:3] == ["seed.opened", "deal.ready", "cup.rolled"]
    assert last[-4:] == ["game.round_opened", "cup.rolled", "cup.rolled", "cup.rolled"]


def test_seeds_are_refused_out_of_turn() -> None:
    played = with_own_seeds()
    refused("server_custody", lambda: played.do(commit(played, 3)))
    refused("unknown_player", lambda: played.do(commands.CommitSeed(9, 0, "a" * 64)))
    refused("wrong_deal", lambda: played.do(commands.CommitSeed(1, 1, "a" * 64)))
    refused("seed_mismatch", lambda: played.do(commands.CommitSeed(1, 0, "A" * 64)))
    refused("not_dealing", lambda: played.do(opening(played, 1)))
    refused("not_dealing", lambda: played.do(commands.LogDeal(0, 0, (), "too early")))
    played.do(commit(played, 1))
    refused("seed_already_given", lambda: played.do(commit(played, 1)))
    played.do(commit(played, 2))
    refused("not_dealing", lambda: played.do(commit(played, 2)))
    played.do(commands.LogDeal(0, 0, (), "note"))
    refused("seed_mismatch", lambda: played.do(commands.OpenSeed(1, 0, "0" * 64)))
    refused("seed_mismatch", lambda: played.do(commands.OpenSeed(1, 0, "short")))
    played.do(opening(played, 1))
    refused("seed_already_given", lambda: played.do(opening(played, 1)))


def test_nobody_resigns_while_a_deal_is_under_way() -> None:
    played = with_own_seeds()
    refused("wrong_phase", lambda: played.do(commands.Forfeit(1)))


def test_a_seat_that_commits_no_seed_in_time_is_given_one_and_the_record_says_so() -> None:
    played = with_own_seeds()
    played.do(commit(played, 1))
    refused("wrong_phase", lambda: played.do(commands.Advance(played.chance()), CEREMONY_MS - 50))
    made = played.do(commands.Advance(played.chance()), CEREMONY_MS)
    assert kinds(made) == ["game.seed_custody", "seed.committed", "deal.sealed"]
    assert set(made.secrets) == {"seed/0/2"}
    assert played.match.seated[2].custody
    played.do(commands.LogDeal(0, 0, (), "note"))
    played.do(opening(played, 1))
    assert played.match.table is not None
    assert played.match.table.phase == "claiming"


def test_a_seat_that_withholds_its_seed_voids_the_deal_and_is_barred() -> None:
    played = with_own_seeds()
    played.do(commit(played, 1))
    played.do(commit(played, 2))
    played.do(commands.LogDeal(0, 0, (), "note"))
    played.do(opening(played, 1))
    made = kinds(played.do(commands.Advance(played.chance()), CEREMONY_MS))
    assert made[:4] == ["deal.voided", "deal.closed", "seat.left", "game.forfeited"]
    assert events.DealVoided(0, "withheld", (2,)) in played.events
    assert played.match.table is not None
    assert played.match.table.out == (2,)
    again = kinds(played.do(commands.Advance(played.chance())))
    assert again[0] == "deal.committed"
    assert played.match.ceremony is not None
    assert played.match.ceremony.seats == (1, 3)


def test_two_of_three_who_withhold_leave_a_winner() -> None:
    played = with_own_seeds()
    played.do(commit(played, 1))
    played.do(commit(played, 2))
    played.do(commands.LogDeal(0, 0, (), "note"))
    played.do(commands.Advance(played.chance()), CEREMONY_MS)
    assert played.events[-1] == events.MatchEnded(3)


def test_where_everybody_withholds_the_last_seat_is_left() -> None:
    played = Played({"dice_per_player": 1}, 3, pause_ms=0)
    for seat in (1, 2, 3):
        played.do(commands.Join(f"p{seat}", "client"))
    played.do(commands.Start(played.chance()))
    for seat in (1, 2, 3):
        played.do(commit(played, seat))
    played.do(commands.LogDeal(0, 0, (), "note"))
    made = played.do(commands.Advance(played.chance()), CEREMONY_MS)
    assert kinds(made).count("game.forfeited") == 2
    assert played.events[-1] == events.MatchEnded(3)


def test_stored_secrets_give_the_same_dice_after_a_crash() -> None:
    played = Played(seats=2)
    played.start()
    ceremony, keeper = played.match.ceremony, played.keeper
    assert ceremony is not None
    assert keeper is not None
    assert ceremony.mix is not None
    again = deal_secrets_of(ceremony, keeper.secret, keeper.seeds)
    assert again.deal.root == ceremony.root
    assert again.open_deal(ceremony.mix).open(1, 0, [0, 4], [6, 6]) == keeper.open_deal(ceremony.mix).open(
        1, 0, [0, 4], [6, 6]
    )


def test_a_keeper_tells_which_deal_and_nothing_else() -> None:
    played = with_own_seeds()
    assert isinstance(played.keeper, DealSecrets)
    assert repr(played.keeper) == "DealSecrets(deal 0)"


# ---- deals --------------------------------------------------------------------------------------


def test_a_deal_a_round_closes_with_each_round_and_publishes_its_secret() -> None:
    played = Played({"dice_per_player": 2}, 2, deal_per="round", pause_ms=0)
    played.start()
    seat, _ = played.offers()[0]
    played.do(commands.Bid(seat, 4, 6))
    made = kinds(played.do(commands.Challenge(3 - seat)))
    assert made[-2:] == ["game.round_closed", "deal.closed"]
    played.go_on()
    assert played.match.deals == 2


def test_cups_that_are_used_up_make_the_table_begin_another_deal() -> None:
    played = Played({"elimination": "none"}, 2, pause_ms=0)
    played.start()
    for _ in range(50):
        seat, move = played.offers()[0]
        played.do(commands_for(seat, move)[0])
        seat, move = played.offers()[-1]
        played.do(commands.Challenge(seat))
        played.go_on()
    assert played.match.deals == 2
    assert any(isinstance(event, events.DealClosed) and event.deal == 0 for event in played.events)


def test_a_session_ends_when_its_host_says_so_between_two_rounds() -> None:
    played = Played({"elimination": "none"}, 2, pause_ms=1_000)
    played.start()
    refused("wrong_phase", lambda: played.do(commands.CloseSession()))
    seat, _ = played.offers()[0]
    played.do(commands.Bid(seat, 1, 2))
    played.do(commands.Challenge(3 - seat))
    assert kinds(played.do(commands.CloseSession())) == ["game.session_closed", "deal.closed", "match.ended"]
    assert played.events[-1] == events.MatchEnded(None)
    refused("game_over", lambda: played.do(commands.Bid(1, 1, 2)))
    assert due_at(played.match) is None


def test_a_match_of_rounds_cannot_be_closed_by_its_host() -> None:
    played = Played(seats=2)
    played.start()
    refused("not_allowed", lambda: played.do(commands.CloseSession()))


# ---- clocks -------------------------------------------------------------------------------------


def clocked(**clock: Any) -> Played:
    played = Played({"dice_per_player": 2}, 2, pause_ms=0, clock={"bank_ms": 10_000, **clock})
    played.start()
    return played


def test_a_turn_costs_its_time_and_earns_the_increment() -> None:
    played = clocked(increment_ms=500)
    seat, _ = played.offers()[0]
    made = played.do(commands.Bid(seat, 1, 2), 3_000)
    set_to = [event for event in made.events if isinstance(event, events.ClockSet)]
    assert set_to[0] == events.ClockSet(seat, 7_500, None)
    assert set_to[1] == events.ClockSet(3 - seat, 10_000, played.at + 10_000)


def test_a_clock_stops_between_rounds() -> None:
    played = clocked()
    seat, _ = played.offers()[0]
    played.do(commands.Bid(seat, 1, 2))
    made = played.do(commands.Challenge(3 - seat))
    assert [e.due_at for e in made.events if isinstance(e, events.ClockSet)] == [None]
    assert played.match.clocks is not None
    assert played.match.clocks.running is None


def test_who_runs_out_of_time_bids_the_least_and_then_challenges() -> None:
    played = clocked()
    first = kinds(played.do(commands.Advance(played.chance()), 10_000))
    assert first[:2] == ["game.timed_out", "game.bid"]
    second = kinds(played.do(commands.Advance(played.chance()), 10_000))
    assert second[:2] == ["game.timed_out", "game.challenged"]


def test_who_runs_out_of_time_forfeits_where_the_rules_say_so() -> None:
    played = clocked(on_timeout="forfeit")
    refused("wrong_phase", lambda: played.do(commands.Advance(played.chance()), 9_000))
    made = kinds(played.do(commands.Advance(played.chance()), 10_000))
    assert made[:2] == ["game.timed_out", "game.forfeited"]
    assert made[-1] == "match.ended"


def test_the_time_the_service_was_down_is_given_back() -> None:
    played = clocked()
    due = due_at(played.match)
    assert due is not None
    played.do(commands.GiveBack(DAY_MS))
    assert due_at(played.match) == due + DAY_MS
    refused("wrong_phase", lambda: played.do(commands.GiveBack(0)))
    refused("wrong_phase", lambda: played.do(commands.GiveBack(-5)))


def test_nothing_is_given_back_while_no_clock_runs() -> None:
    assert give_back_events(Clocks({1: 5}), 100) == ()


def test_without_a_clock_the_table_waits_for_ever() -> None:
    played = Played(seats=2)
    played.start()
    assert due_at(played.match) is None
    refused("wrong_phase", lambda: decide(played.match, commands.Advance(played.chance()), DAY_MS * 99, played.keeper))
