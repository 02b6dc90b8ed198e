"""Rankings of matches: everybody once, the winner first, and whoever goes out later stands better."""

from __future__ import annotations

import random
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain import commands, events
from domain.fairness.deal import seed_commitment
from domain.games import GAMES
from domain.match.ranking import ranking_of, units_of
from domain.rules.rules import Tally
from domain.tournaments.matches import match_outcome
from tests.domain.absence_tables import audit, wait
from tests.domain.playing import Played
from tests.domain.test_ends_asked_for import SEED
from tests.domain.test_every_game import OPTIONS, QUIET, STEPS_MAX, begun, step
from tests.domain.test_tournament_tables import lobby, settle
from tests.sizes import cases


def places_of(played: Played) -> dict[int, int]:
    """Return the place of every seat, from 0."""
    return {seat: place for place, group in enumerate(ranking_of(played.match)) for seat in group}


@pytest.mark.parametrize("game", GAMES)
@settings(QUIET, max_examples=cases(3, 100))
@given(data=st.data())
def test_everybody_has_one_place_and_who_goes_out_later_a_better_one(game: str, data: st.DataObject) -> None:
    drawn = random.Random(data.draw(st.integers(0, 2**32)))
    options = drawn.choice([each for each in OPTIONS[game] if each.get("format", "duel") == "duel"])
    played = begun(game, drawn, options)
    for steps in range(drawn.randint(1, STEPS_MAX)):
        if played.match.ended:
            break
        step(played, drawn, closing=steps > 40)
    ranking, table = ranking_of(played.match), played.table
    assert sorted(chain(*ranking)) == sorted(table.seats)
    assert all(group == tuple(sorted(group)) for group in ranking)
    assert table.winner is None or ranking[0] == (table.winner,)
    if not (table.rules.match.first_out_ends and table.out):
        places = places_of(played)
        gone = [places[seat] for seat in table.out]
        assert gone == sorted(gone, reverse=True)
        assert max([places[seat] for seat in table.seats if seat not in table.out], default=-1) < min(gone, default=99)


# ---- who is out ----------------------------------------------------------------------------------


def test_before_it_starts_all_who_sit_there_share() -> None:
    assert ranking_of(lobby().match) == ()
    assert ranking_of(lobby("ada", "bob").match) == ((1, 2),)


def test_a_seat_that_gives_up_goes_out_then() -> None:
    played = Played(seats=4)
    played.start()
    played.do(commands.Forfeit(3))
    played.go_on()
    played.do(commands.Forfeit(1))
    assert ranking_of(played.match) == ((2, 4), (1,), (3,))


def test_who_goes_out_by_one_settlement_shares() -> None:
    played = Played({"dice_per_player": 1, "spot_on": True, "spot_on_win": "others_lose"}, seats=3, starter=1)
    played.start()
    for command in (commands.Bid(1, 1, 6), commands.SpotOn(2)):
        played.do(command)
    dropped = [event.seat for event in played.events if isinstance(event, events.Eliminated)]
    together = ((2,), (1, 3)) if dropped == [1, 3] else ((1, 3), (2,))
    assert ranking_of(played.match) == together


def test_who_withholds_seeds_in_one_deal_goes_out_together() -> None:
    played = Played(seats=4)
    for seat in range(1, 5):
        played.do(commands.Join(f"p{seat}", "client" if seat in {1, 3} else "server"))
    played.do(commands.Start(played.chance()))
    for seat in (1, 3):
        deal = played.ceremony
        played.do(commands.CommitSeed(seat, 0, seed_commitment(SEED, deal.ctx, deal.root, seat).hex()))
    played.do(commands.LogDeal(0, 0, (), "checkpoint"))
    wait(played)
    assert played.table.out == (1, 3)
    assert ranking_of(played.match) == ((2, 4), (1, 3))
    # Whoever goes later stands better than both.
    played.do(commands.Forfeit(4))
    assert ranking_of(played.match) == ((2,), (4,), (1, 3))


# ---- who is still in -----------------------------------------------------------------------------


def test_dice_and_tokens_are_the_better_the_more_there_are() -> None:
    played = lobby("ada", "bob", "cyd", stacks={"1": 2, "2": 5, "3": 2})
    for seat in (1, 2, 3):
        played.do(commands.SayReady(seat))
    wait(played)
    assert ranking_of(played.match) == ((2,), (1, 3))


def test_losses_are_the_better_the_fewer_there_are() -> None:
    played = Played({"lives": 3}, seats=2, game="stanford", rounds_max=1, starter=1, pause_ms=0)
    played.start()
    for _ in range(STEPS_MAX):
        if played.match.ended:
            break
        step(played, random.Random(3), closing=False)
    loser = next(event.losers for event in played.events if isinstance(event, events.Judged))
    assert ranking_of(played.match)[-1] == loser
    audit(played)


@pytest.mark.parametrize(
    ("game", "options", "unit"),
    [
        ("individual_hand", {}, "win"),
        ("liars_poker", {}, "unit"),
        ("common_hand", {"elimination": "none", "stakes": "per_round"}, "chip"),
    ],
)
def test_where_nobody_goes_out_seats_are_compared_by_what_the_game_counts(
    game: str, options: dict[str, Any], unit: str
) -> None:
    drawn = random.Random(game)
    played = Played(options, min(3, GAMES[game].rules(GAMES[game].options()).seats[1]), game=game, rounds_max=3)
    played.start()
    for _ in range(STEPS_MAX):
        if not played.match.ended:
            step(played, drawn, closing=False)
    places = places_of(played)
    still = [seat for seat in played.table.seats if seat != played.table.winner]
    assert sorted(still, key=lambda seat: (places[seat], seat)) == sorted(
        still, key=lambda seat: (-played.table.balance(unit, seat), seat)
    )
    compared = [(one, other) for one in still for other in still]
    worth = {seat: played.table.balance(unit, seat) for seat in still}
    assert all((places[one] == places[other]) == (worth[one] == worth[other]) for one, other in compared)


def test_tokens_are_counted_where_a_game_ends_without_them() -> None:
    played = lobby("ada", "bob", "cyd", game="finska", stacks={"1": 2, "2": 5, "3": 2})
    for seat in (1, 2, 3):
        played.do(commands.SayReady(seat))
    wait(played)
    table = played.table
    endless = replace(table.rules, match=replace(table.rules.match, unit=None))
    assert ranking_of(replace(played.match, table=replace(table, rules=endless))) == ((2,), (1, 3))


def test_where_nothing_is_counted_all_share() -> None:
    played = Played({"elimination": "none"}, seats=3, rounds_max=1, pause_ms=0)
    played.start()
    assert not any(isinstance(each, Tally) for each in played.match.rules.settlers)
    settle(played)
    assert ranking_of(played.match) == ((1, 2, 3),)


def test_where_the_first_out_has_lost_all_others_share() -> None:
    played = Played({"stakes": "drinks"}, seats=3, game="boss_liars")
    played.start()
    played.go_on()
    played.do(commands.Forfeit(2))
    assert ranking_of(played.match) == ((1, 3), (2,))


# ---- what everybody has left -----------------------------------------------------------------------


def test_before_it_starts_nobody_has_anything_left_to_say() -> None:
    assert units_of(lobby("ada", "bob").match) == ()


@pytest.mark.parametrize("game", ["common_hand", "finska", "liars_poker", "two_dice_pass"])
@settings(QUIET, max_examples=cases(3, 100))
@given(data=st.data())
def test_who_is_in_has_something_left_and_who_is_out_the_round_in_which_that_was(
    game: str, data: st.DataObject
) -> None:
    drawn = random.Random(data.draw(st.integers(0, 2**32)))
    played = begun(game, drawn, {})
    for steps in range(drawn.randint(1, STEPS_MAX)):
        if played.match.ended:
            break
        step(played, drawn, closing=steps > 40)
    table = played.table
    number, out_in = 0, {}
    for event in played.events:
        number += isinstance(event, events.RoundOpened)
        if isinstance(event, events.Eliminated):
            out_in[event.seat] = number
    found = dict(units_of(played.match))
    if table.rules.match.unit not in {"die", "token"}:
        assert found == {}
        return
    assert sorted(found) == sorted(table.seats)
    assert {seat: -units for seat, units in found.items() if seat in table.out} == out_in
    assert all(found[seat] > 0 for seat in table.remaining)
    opens = next(iter(found))
    assert opens in {table.winner, table.next_starter, table.seats[0]}


# ---- at a table of a tournament --------------------------------------------------------------------


def test_a_table_comes_to_the_places_and_the_units_of_those_who_came() -> None:
    played = lobby("ada", "bob", "cyd", stacks={"1": 2, "2": 5, "3": 4})
    played.do(commands.LeaveOut(2))
    assert match_outcome(played.match, (7, 8, 9)).absent == (7, 8, 9), "nobody has played yet"
    for seat in (1, 3):
        played.do(commands.SayReady(seat))
    wait(played)
    came = match_outcome(played.match, (7, 8, 9))
    assert (came.ranking, came.absent) == (((9,), (7,)), (8,))
    assert dict(came.units) == {7: 2, 9: 4}
