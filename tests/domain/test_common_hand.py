"""Common hand by example: what the vectors do not show."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import commands
from domain.table.decide import refusal_of
from tests.domain.seeded import Game
from tests.domain.test_refusals import stepped
from tests.rules.adapter import Play

A = [2, 2, 3, 5, 1]
B = [4, 4, 6, 1, 2]
C = [3, 3, 3, 5, 6]


def playing(options: dict[str, Any] | None = None, players: str = "ABC", **setup: Any) -> Play:
    return Play({"players": list(players), "start": "A", "options": options or {}, **setup}, "common_hand")


def dealt(options: dict[str, Any] | None = None, players: str = "ABC", **setup: Any) -> Play:
    play = playing(options, players, **setup)
    deal(play)
    return play


def deal(play: Play, **rolled: list[int]) -> None:
    faces = {"A": A, "B": B, "C": C, "D": C, **rolled}
    done(play, "table", "deal", rolled={name: faces[name][: play.summary()["dice"][name]] for name in play.players})


def done(play: Play, by: str, do: str, **fields: Any) -> None:
    assert play.act({"by": by, "do": do, **fields}) is None


def claimed(play: Play, *claims: tuple[str, int, int]) -> None:
    for by, count, face in claims:
        done(play, by, "claim", count=count, face=face)


def code(play: Play, by: str, do: str, **fields: Any) -> str | None:
    before = play.state
    refused = play.act({"by": by, "do": do, **fields})
    assert play.state is before
    return refused


# ---- push ---------------------------------------------------------------------------------------

PUSH = {"outside": [0, 1], "roll_inside": [2, 3, 4], "rolled": [2, 6, 6]}


def test_a_push_shows_equal_dice_to_all_and_rolls_the_others_anew() -> None:
    play = dealt({"push": True})
    done(play, "A", "arrange", **PUSH)
    seen = play.summary()["see"]
    assert seen["A"]["A"] == {"shown": [2, 2], "hidden": [2, 6, 6]}
    assert seen["B"]["A"] == seen["spectator"]["A"] == {"shown": [2, 2], "hidden": 3}
    assert (play.state.turn, play.state.phase) == (1, "claiming")


def test_pushed_dice_count_as_they_lie_in_the_end() -> None:
    play = dealt({"push": True})
    done(play, "A", "arrange", **PUSH)
    claimed(play, ("A", 5, 2))
    done(play, "B", "challenge")
    assert play.summary()["last"]["count"] == 5
    assert play.summary()["see"]["spectator"]["A"] == {"shown": [2, 2, 2, 6, 6], "hidden": 0}


def test_who_has_pushed_must_claim_and_cannot_push_again_in_this_turn() -> None:
    play = dealt({"push": True, "pass_once": True, "spot_on": True})
    claimed(play, ("A", 1, 2))
    done(play, "B", "arrange", outside=[0, 1], roll_inside=[2, 3, 4], rolled=[5, 5, 5])
    assert code(play, "B", "challenge") == "must_claim"
    assert code(play, "B", "spot_on") == "must_claim"
    assert code(play, "B", "pass") == "must_claim"
    assert code(play, "B", "arrange", outside=[2], roll_inside=[3, 4], rolled=[5, 5]) == "no_rerolls_left"
    claimed(play, ("B", 2, 2), ("C", 3, 2), ("A", 4, 2))
    done(play, "B", "arrange", outside=[2, 3], roll_inside=[4], rolled=[1])
    assert play.summary()["see"]["C"]["B"] == {"shown": [4, 4, 5, 5], "hidden": 1}


@pytest.mark.parametrize(
    "placed",
    [
        {},
        {"outside": [0, 1]},
        {"roll_inside": [0, 1, 2, 3, 4]},
        {"outside": [0, 2], "roll_inside": [1, 3, 4]},
        {"outside": [0, 1], "roll_inside": [2, 3]},
        {"outside": [0, 0], "roll_inside": [1, 2, 3, 4]},
        {"outside": [0, 1], "roll_inside": [2, 3, 4, 5]},
        {"outside": [-1], "roll_inside": [0, 1, 2, 3]},
        {"outside": [0, 1, 2, 3, 4]},
        {"outside": [0, 1], "inside": [2], "roll_inside": [3, 4]},
        {"outside": [0, 1], "roll_inside": [2, 3], "roll_outside": [4]},
    ],
)
def test_only_equal_hidden_dice_may_be_pushed_and_all_others_are_rolled(placed: dict[str, list[int]]) -> None:
    assert code(dealt({"push": True}), "A", "arrange", **placed) == "bad_dice"


def test_dice_pushed_before_cannot_be_pushed_again() -> None:
    play = dealt({"push": True}, "AB")
    done(play, "A", "arrange", **PUSH)
    claimed(play, ("A", 1, 2), ("B", 2, 2))
    assert code(play, "A", "arrange", **PUSH) == "bad_dice"


def test_the_last_hidden_die_cannot_be_pushed_since_one_has_to_be_rolled() -> None:
    play = dealt({"push": True}, dice={"A": 1})
    assert code(play, "A", "arrange", outside=[0]) == "bad_dice"


def test_a_push_without_a_higher_claim_is_refused() -> None:
    play = dealt({"push": True})
    claimed(play, ("A", 15, 6))
    assert code(play, "B", "arrange", **PUSH) == "must_challenge"


def test_where_push_is_off_nobody_handles_dice() -> None:
    assert code(dealt(), "A", "arrange", **PUSH) == "not_allowed"
    assert code(playing(), "A", "arrange", **PUSH) == "not_allowed"
    assert code(playing({"push": True}), "A", "arrange", **PUSH) == "wrong_phase"
    assert code(dealt({"push": True}), "B", "arrange", **PUSH) == "not_your_turn"


def test_anyone_may_challenge_while_the_seat_in_turn_has_pushed() -> None:
    play = dealt({"push": True, "challenge_by": "anyone"})
    claimed(play, ("A", 1, 2))
    done(play, "B", "arrange", outside=[0, 1], roll_inside=[2, 3, 4], rolled=[5, 5, 5])
    done(play, "C", "challenge")
    assert play.summary()["last"]["out_of_turn"]


# ---- pass ---------------------------------------------------------------------------------------


def test_a_pass_is_believed_by_claiming_on_and_the_standing_claim_stays_the_claimants() -> None:
    play = dealt({"pass_once": True})
    claimed(play, ("A", 3, 3))
    done(play, "B", "pass")
    summary = play.summary()
    assert (summary["standing"], summary["claimant"], summary["turn"]) == ({"count": 3, "face": 3}, "A", "C")
    claimed(play, ("C", 4, 3))
    assert code(play, "A", "claim", count=4, face=3) == "claim_not_higher"
    done(play, "A", "challenge")
    assert play.summary()["last"]["kind"] == "challenge"


def test_after_a_pass_the_next_may_not_pass_nor_say_spot_on() -> None:
    play = dealt({"pass_once": True, "spot_on": True})
    claimed(play, ("A", 3, 3))
    done(play, "B", "pass")
    assert code(play, "C", "pass") == "must_claim"
    assert code(play, "C", "spot_on") == "must_claim"


def test_a_seat_passes_once_a_round() -> None:
    play = dealt({"pass_once": True})
    claimed(play, ("A", 1, 3))
    done(play, "B", "pass")
    claimed(play, ("C", 2, 3), ("A", 3, 3))
    assert code(play, "B", "pass") == "already_passed"
    done(play, "B", "challenge")
    deal(play)
    by = play.summary()["turn"]
    claimed(play, (by, 1, 3))
    done(play, play.summary()["turn"], "pass")


def test_nobody_passes_before_the_opening_nor_where_the_option_is_off() -> None:
    assert code(dealt({"pass_once": True}), "A", "pass") == "no_standing_claim"
    assert code(dealt(), "A", "pass") == "not_allowed"


def test_with_two_seats_the_claimant_may_doubt_the_pass_of_the_other() -> None:
    play = dealt({"pass_once": True}, "AB")
    claimed(play, ("A", 1, 3))
    done(play, "B", "pass")
    done(play, "A", "challenge")
    last = play.summary()["last"]
    assert (last["kind"], last["claimant"], last["losers"]) == ("pass", "B", ["B"])


def test_where_anyone_may_challenge_all_but_the_passer_may_doubt_the_pass() -> None:
    play = dealt({"pass_once": True, "challenge_by": "anyone", "drinks": {"basis": "difference"}}, B=[2, 3, 4, 5, 6])
    claimed(play, ("A", 1, 3))
    done(play, "B", "pass")
    assert code(play, "B", "challenge") == "own_claim"
    done(play, "A", "challenge")
    summary = play.summary()
    assert summary["last"]["out_of_turn"]
    assert summary["drinks"] == {"A": 0, "B": 1, "C": 0}


def test_where_the_next_may_challenge_the_next_alone_may_doubt_the_pass() -> None:
    play = dealt({"pass_once": True}, "ABCD")
    claimed(play, ("A", 1, 3))
    done(play, "B", "pass")
    assert [code(play, by, "challenge") for by in ["A", "B", "D"]] == ["not_your_turn"] * 3
    done(play, "C", "challenge")
    assert (play.summary()["last"]["kind"], play.summary()["last"]["out_of_turn"]) == ("pass", False)


def test_a_pass_that_was_believed_is_doubted_by_nobody_any_more() -> None:
    play = dealt({"pass_once": True, "challenge_by": "anyone"})
    claimed(play, ("A", 1, 3))
    done(play, "B", "pass")
    claimed(play, ("C", 2, 3))
    done(play, "A", "challenge")
    assert play.summary()["last"]["kind"] == "challenge"


@given(st.integers(0, 2**32), st.sampled_from(["next", "anyone"]), st.booleans())
def test_a_pass_is_doubted_by_whoever_may_doubt_a_claim_but_its_own_seat(seed: int, who: str, pushes: bool) -> None:  # noqa: FBT001
    game, drawn = Game({"pass_once": True, "push": pushes, "challenge_by": who}, 4, str(seed)), random.Random(seed)
    for _ in range(60):
        if game.state.phase == "finished":
            break
        stepped(game, drawn)
        state = game.state
        if state.round.passer is not None and state.turn is not None:
            asked = state.remaining if who == "anyone" else (state.turn,)
            bound = {state.turn} if state.round.bound else set()
            may = {seat for seat in state.remaining if refusal_of(state, commands.Challenge(seat)) is None}
            assert may == {*asked} - {state.round.passer} - bound


# ---- spot on ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("win", "losers", "dice"),
    [
        ("others_lose", ["A", "C"], {"A": 4, "B": 5, "C": 4}),
        ("bidder_loses", ["A"], {"A": 4, "B": 5, "C": 5}),
        ("regain", [], {"A": 5, "B": 5, "C": 5}),
        ("nothing", [], {"A": 5, "B": 5, "C": 5}),
    ],
)
def test_what_a_right_spot_on_does(win: str, losers: list[str], dice: dict[str, int]) -> None:
    play = dealt({"spot_on": True, "spot_on_win": win})
    claimed(play, ("A", 6, 3))
    done(play, "B", "spot_on")
    summary = play.summary()
    assert (summary["last"]["losers"], summary["dice"], summary["next_starter"]) == (losers, dice, "A")


def test_a_wrong_spot_on_costs_what_the_option_says_but_no_more_than_there_is() -> None:
    play = dealt({"spot_on": True, "spot_on_fail_dice": 2})
    claimed(play, ("A", 5, 3))
    done(play, "B", "spot_on")
    assert play.summary()["dice"]["B"] == 3
    play = dealt({"spot_on": True, "spot_on_fail_dice": 2}, dice={"B": 1})
    claimed(play, ("A", 9, 3))
    done(play, "B", "spot_on")
    assert (play.summary()["dice"]["B"], play.summary()["out"]) == (0, ["B"])


def test_after_a_right_spot_on_the_bidder_opens_or_the_next_in_if_it_went_out() -> None:
    play = dealt({"spot_on": True, "spot_on_win": "bidder_loses"}, dice={"A": 1})
    claimed(play, ("A", 4, 3))
    done(play, "B", "spot_on")
    assert (play.summary()["out"], play.summary()["next_starter"]) == (["A"], "B")


def test_only_the_seat_in_turn_says_spot_on_even_where_anyone_may_challenge() -> None:
    play = dealt({"spot_on": True, "challenge_by": "anyone"})
    assert code(play, "A", "spot_on") == "no_standing_claim"
    claimed(play, ("A", 6, 3))
    assert code(play, "C", "spot_on") == "not_your_turn"


def test_in_a_session_the_bidder_pays_for_a_right_spot_on_and_the_caller_for_a_wrong_one() -> None:
    options = {"spot_on": True, "elimination": "none", "stakes": "per_round", "wager": 2}
    play = dealt(options)
    claimed(play, ("A", 6, 3))
    done(play, "B", "spot_on")
    assert play.summary()["chips"] == {"A": -2, "B": 2, "C": 0}
    play = dealt(options)
    claimed(play, ("A", 5, 3))
    done(play, "B", "spot_on")
    assert play.summary()["chips"] == {"A": 2, "B": -2, "C": 0}


def test_a_right_spot_on_that_the_winner_opens_is_the_callers_to_open() -> None:
    play = dealt({"spot_on": True, "next_starter": "winner"})
    claimed(play, ("A", 6, 3))
    done(play, "B", "spot_on")
    assert play.summary()["next_starter"] == "B"


# ---- who opens, palifico, drinks ----------------------------------------------------------------


def test_where_the_winner_opens_the_doubter_opens_after_a_claim_that_failed() -> None:
    play = dealt({"next_starter": "winner"})
    claimed(play, ("A", 9, 3))
    done(play, "B", "challenge")
    assert play.summary()["next_starter"] == "B"


def test_a_seat_that_falls_to_one_die_again_brings_no_second_palifico() -> None:
    play = dealt({"palifico": True, "spot_on": True, "spot_on_win": "regain"}, dice={"A": 2})
    claimed(play, ("A", 9, 3))
    done(play, "B", "challenge")
    assert play.summary()["palifico"]
    deal(play, A=[3])
    claimed(play, ("A", 1, 3), ("B", 2, 3), ("C", 4, 3))
    done(play, "A", "spot_on")
    assert play.summary()["dice"]["A"] == 2
    assert not play.summary()["palifico"]
    deal(play)
    claimed(play, ("C", 1, 2), ("A", 12, 2))
    done(play, "B", "challenge")
    assert (play.summary()["dice"]["A"], play.summary()["palifico"]) == (1, False)


def test_ones_are_not_wild_once_the_round_opened_on_them() -> None:
    play = dealt({"wild": "unless_opened"})
    claimed(play, ("A", 1, 1), ("B", 5, 3))
    done(play, "C", "challenge")
    assert play.summary()["last"]["count"] == 4
    deal(play)
    claimed(play, ("B", 5, 3))
    done(play, "C", "challenge")
    assert play.summary()["last"]["count"] == 6, "it holds for the round only"


def test_a_wrong_challenge_out_of_turn_costs_more_and_a_right_one_costs_the_claimant_no_more() -> None:
    drinks = {"basis": "difference", "base": 2, "wrong_out_of_turn_factor": 3}
    play = dealt({"challenge_by": "anyone", "drinks": drinks})
    claimed(play, ("A", 4, 3))
    done(play, "C", "challenge")
    assert play.summary()["drinks"] == {"A": 0, "B": 0, "C": 2 * 3 * 2}
    play = dealt({"challenge_by": "anyone", "drinks": drinks})
    claimed(play, ("A", 8, 3))
    done(play, "C", "challenge")
    assert play.summary()["drinks"] == {"A": 2 * 2, "B": 0, "C": 0}


def test_a_claim_met_exactly_is_at_least_one_drink_off() -> None:
    play = dealt({"drinks": {"basis": "difference"}})
    claimed(play, ("A", 6, 3))
    done(play, "B", "challenge")
    assert play.summary()["drinks"]["B"] == 1


def test_a_wrong_spot_on_drinks_the_base_times_its_factor_whatever_the_basis() -> None:
    for basis in ("round", "die", "difference"):
        play = dealt({"spot_on": True, "drinks": {"basis": basis, "base": 3, "wrong_spot_on_factor": 4}})
        claimed(play, ("A", 2, 3))
        done(play, "B", "spot_on")
        assert play.summary()["drinks"] == {"A": 0, "B": 12, "C": 0}


# ---- refusals, the first of several -------------------------------------------------------------


def test_the_end_of_the_match_refuses_everybody_first() -> None:
    play = dealt(players="AB", dice={"A": 1, "B": 1})
    claimed(play, ("A", 2, 6))
    done(play, "B", "challenge")
    assert play.summary()["winner"] == "B"
    for by in ("A", "B", "Z"):
        assert code(play, by, "spot_on") == "game_over"


def test_a_seat_that_is_out_is_told_so_before_anything_else() -> None:
    play = dealt(dice={"A": 1})
    claimed(play, ("A", 9, 6))
    done(play, "B", "challenge")
    assert code(play, "A", "pass") == "eliminated"
    assert code(play, "Z", "pass") == "unknown_player"
    assert code(play, "B", "pass") == "not_allowed"
    assert code(play, "B", "claim", count=99, face=9) == "wrong_phase"


def test_a_challenge_out_of_turn_before_the_opening_is_out_of_turn_first() -> None:
    assert code(dealt(), "B", "challenge") == "not_your_turn"
    assert code(dealt({"challenge_by": "anyone"}), "B", "challenge") == "no_standing_claim"
