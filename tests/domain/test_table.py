"""The table where its laws leave something open, by example."""

from __future__ import annotations

import pytest

from domain import commands, events
from domain.errors import Refused
from domain.table import decide as table
from domain.table.dice import DRAWS_MAX, ROLLS_MAX
from domain.table.evolve import evolve
from tests.domain.seeded import Game, SeededDealer


def refused(game: Game, command: commands.TableCommand) -> str:
    before, length = game.state, len(game.events)
    with pytest.raises(Refused) as caught:
        game.do(command)
    assert (game.state, len(game.events)) == (before, length)
    return caught.value.code


# ---- the dice a deal has to hold ----------------------------------------------------------------


def test_a_deal_for_a_match_holds_a_cup_a_seat_and_the_tables_while_nobody_is_due_to_begin() -> None:
    cups = table.deal_cups(Game({}, 3, starter=None).state, "match")
    assert [(cup.id, cup.owner, cup.rolls, cup.width) for cup in cups] == [
        (0, 0, DRAWS_MAX, 3),
        (1, 1, 14, 5),
        (2, 2, 14, 5),
        (3, 3, 14, 5),
    ]


def test_a_deal_for_a_round_holds_one_roll_a_seat_and_the_rolls_of_its_pushes() -> None:
    assert [cup.rolls for cup in table.deal_cups(Game({}, 2).state, "round")] == [1, 1]
    assert [cup.rolls for cup in table.deal_cups(Game({"push": True}, 2).state, "round")] == [5, 5]


def test_a_deal_for_a_session_or_a_long_match_holds_as_many_rolls_as_a_deal_may() -> None:
    assert {cup.rolls for cup in table.deal_cups(Game({"elimination": "none"}, 2).state, "match")} == {ROLLS_MAX}
    assert {cup.rolls for cup in table.deal_cups(Game({"dice_per_player": 10}, 10).state, "match")} == {ROLLS_MAX}


def test_a_new_deal_is_due_when_some_cup_cannot_serve_a_whole_round() -> None:
    game = Game({"push": True, "dice_per_player": 3}, 2)
    assert not table.needs_deal(game.state, {1: 3, 2: 3})
    assert table.needs_deal(game.state, {1: 3, 2: 2})
    assert table.needs_deal(game.state, {1: 3})
    game.do(commands.DealRound())
    assert table.needs_deal(game.state, {1: 3, 2: 3})
    assert not table.needs_deal(game.state, {1: 4, 2: 4})


def test_a_new_deal_takes_the_old_dice_off_the_table() -> None:
    game = Game({}, 2)
    game.do(commands.DealRound())
    after = evolve(game.state, events.DealReady(1, "", None))
    assert (after.places, after.rolls) == ({}, {})


# ---- who begins ---------------------------------------------------------------------------------


class TyingDealer(SeededDealer):
    """A dealer at whose table everybody ties, for ever."""

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        return 0 if cup == 0 else super().value(cup, roll, slot, m)


def test_the_highest_die_of_the_table_cup_begins_and_only_those_who_tie_roll_again() -> None:
    game = Game({}, 4, "tie 10", None)
    game.do(commands.DealRound())
    tied, faces = [1, 2, 3, 4], {}
    for event in game.events:
        if isinstance(event, events.Revealed):
            assert [slot + 1 for slot, _ in event.values] == tied
            faces = {slot + 1: value for slot, value in event.values}
            tied = [seat for seat, value in faces.items() if value == max(faces.values())]
    assert tied == [game.state.turn]
    assert sum(isinstance(event, events.Revealed) for event in game.events) > 2, "this seed ties twice"
    assert events.FirstDrawn(tied[0]) in game.events


def test_when_everybody_ties_for_ever_the_first_seat_begins() -> None:
    game = Game({}, 3, starter=None)
    game.dealer = TyingDealer("")
    happened = game.do(commands.DealRound())
    assert sum(isinstance(event, events.Rolled) and event.cup == 0 for event in happened) == DRAWS_MAX
    assert game.state.turn == 1


def test_nobody_is_drawn_where_the_starter_is_known() -> None:
    game = Game({}, 3, starter=2)
    assert not any(isinstance(event, events.Revealed) for event in game.do(commands.DealRound()))
    assert game.state.turn == 2


# ---- forfeits, sessions, stakes -----------------------------------------------------------------


def test_a_seat_that_leaves_before_the_first_round_puts_nothing_into_the_pot() -> None:
    game = Game({"stakes": "winner_take_all", "wager": 7}, 3)
    game.do(commands.Forfeit(1))
    assert game.state.next_starter == 2
    game.do(commands.DealRound())
    assert game.state.balances["chip"] == {2: -7, 3: -7, "pot": 14}
    game.do(commands.Forfeit(3))
    assert game.state.balances["chip"] == {2: 7, 3: -7, "pot": 0}
    assert (game.state.phase, game.state.winner) == ("finished", 2)


def test_when_all_but_one_leave_before_the_first_round_nobody_pays() -> None:
    game = Game({"stakes": "winner_take_all"}, 2)
    game.do(commands.Forfeit(2))
    assert "chip" not in game.state.balances
    assert game.state.winner == 1


def test_a_forfeit_between_rounds_is_no_round_for_the_ghosts_and_one_within_a_round_is() -> None:
    game = Game({"drinks": {"basis": "round", "ghost_per_round": 1, "elimination": 3}}, 4)
    game.do(commands.Forfeit(1))
    assert game.state.balances["drink"] == {"bar": -3, 1: 3}
    game.do(commands.Forfeit(2))
    assert game.state.balances["drink"] == {"bar": -6, 1: 3, 2: 3}
    game.do(commands.DealRound())
    game.do(commands.Forfeit(3))
    assert game.state.balances["drink"] == {"bar": -11, 1: 4, 2: 4, 3: 3}


def test_the_dice_of_a_seat_that_leaves_go_to_the_box() -> None:
    game = Game({}, 3)
    game.do(commands.DealRound())
    assert events.Posted("die", 2, "box", 5) in game.do(commands.Forfeit(2))


def test_a_forfeit_looks_at_no_dice() -> None:
    game = Game({}, 3)
    assert table.decide(game.state, commands.Forfeit(1), table.NO_DICE)
    with pytest.raises(AssertionError):
        table.NO_DICE.value(1, 0, 0, 6)
    with pytest.raises(AssertionError):
        table.NO_DICE.open(1, 0, (0,), (6,))


def test_only_a_session_can_be_closed_and_only_between_rounds() -> None:
    assert refused(Game({}, 2), commands.CloseSession()) == "not_allowed"
    game = Game({"elimination": "none"}, 2)
    game.do(commands.DealRound())
    assert refused(game, commands.CloseSession()) == "wrong_phase"
    game.do(commands.Bid(1, 1, 2))
    game.do(commands.Challenge(2))
    assert game.do(commands.CloseSession()) == (events.SessionClosed(),)
    assert (game.state.phase, game.state.winner) == ("finished", None)
    assert refused(game, commands.CloseSession()) == "game_over"
    assert refused(game, commands.DealRound()) == "game_over"


def test_a_round_cannot_be_dealt_while_another_is_played() -> None:
    game = Game({}, 2)
    game.do(commands.DealRound())
    assert refused(game, commands.DealRound()) == "wrong_phase"


def test_a_seat_that_leaves_a_session_pays_nobody_and_a_session_of_one_is_won() -> None:
    game = Game({"elimination": "none", "stakes": "per_round"}, 2)
    game.do(commands.DealRound())
    game.do(commands.Bid(1, 1, 2))
    happened = game.do(commands.Forfeit(2))
    assert not any(isinstance(event, events.Posted) for event in happened)
    assert game.state.winner == 1


# ---- out of time --------------------------------------------------------------------------------


def test_who_runs_out_of_time_before_the_opening_opens_as_low_as_may_be() -> None:
    game = Game({"wild": "never"}, 2)
    game.do(commands.DealRound())
    assert table.timeout_command(game.state) == commands.Bid(1, 1, 1)


def test_who_runs_out_of_time_with_a_claim_or_a_pass_to_answer_challenges_it() -> None:
    game = Game({"pass_once": True}, 3)
    game.do(commands.DealRound())
    game.do(commands.Bid(1, 1, 2))
    assert table.timeout_command(game.state) == commands.Challenge(2)
    game.do(commands.Pass(2))
    assert table.timeout_command(game.state) == commands.Challenge(3)


def test_who_runs_out_of_time_after_a_push_makes_the_lowest_minimum_raise() -> None:
    game = Game({"push": True, "system": "product"}, 2)
    game.do(commands.DealRound())
    game.do(commands.Bid(1, 2, 4))
    game.do(commands.Arrange(2, outside=(0,), roll_inside=(1, 2, 3, 4)))
    assert table.timeout_command(game.state) == commands.Bid(2, 3, 3), "nine is the next product above eight"


# ---- what is no bid at all ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quantity", "face", "code"),
    [
        (1, 0, "face_not_biddable"),
        (1, 7, "face_not_biddable"),
        (1, -(10**30), "face_not_biddable"),
        (10**30, 10**30, "face_not_biddable"),
        (1, True, "face_not_biddable"),
        (True, 2, "count_out_of_range"),
        (0, 2, "count_out_of_range"),
        (-1, 2, "count_out_of_range"),
        (10**30, 2, "count_out_of_range"),
        (11, 2, "count_out_of_range"),
    ],
)
def test_a_bid_out_of_range_is_refused_the_face_first(quantity: int, face: int, code: str) -> None:
    game = Game({"bid_aces": "as_ones"}, 2)
    game.do(commands.DealRound())
    assert refused(game, commands.Bid(1, quantity, face)) == code


def test_a_refusal_tells_what_would_have_been_high_enough() -> None:
    game = Game({}, 2)
    game.do(commands.DealRound())
    game.do(commands.Bid(1, 2, 6))
    with pytest.raises(Refused) as caught:
        game.do(commands.Bid(2, 2, 5))
    assert caught.value.facts["standing"] == [2, 6]
    assert caught.value.facts["minimum"] == [[3, face] for face in range(2, 7)]
