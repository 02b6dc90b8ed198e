"""Buying back in at the bar: who may, and what closes it for good."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.rules.adapter import Play

MONEY: Final[dict[str, Any]] = {"stakes": "money", "ante": 5, "buy_back": True}


def test_where_nobody_may_buy_back_a_seat_that_loses_its_last_hand_is_out() -> None:
    play = playing("ABC", max_buy_backs=0)
    lose(play, "A")
    summary = play.summary()
    assert (summary["phase"], summary["out"], summary["pot"]) == ("between_rounds", ["A"], 15)


def test_where_nobody_may_buy_back_the_offer_is_closed_and_not_unknown() -> None:
    play = playing("ABC", max_buy_backs=0)
    assert code(play, "A", "buy_back") == "buy_back_closed"
    assert code(play, "A", "drop_out") == "wrong_phase"


@pytest.mark.parametrize("most", [0, 1, 3])
def test_a_seat_buys_back_as_often_as_it_may_and_no_more(most: int) -> None:
    play = playing("AB", max_buy_backs=most)
    for _ in range(most):
        lose(play, "A")
        done(play, "A", "buy_back")
    lose(play, "A")
    assert (play.summary()["phase"], play.summary()["winner"]) == ("finished", "B")


# ---- playing ------------------------------------------------------------------------------------


def playing(players: str, **options: Any) -> Play:
    setup = {"players": list(players), "start": players[0], "options": {**MONEY, "hands_to_lose": 1, **options}}
    return Play(setup, "boss_liars")


def done(play: Play, by: str, do: str, **fields: Any) -> None:
    assert play.act({"by": by, "do": do, **fields}) is None


def code(play: Play, by: str, do: str) -> str | None:
    return play.act({"by": by, "do": do})


def lose(play: Play, loser: str) -> None:
    """Play a hand in which this player doubts a true claim, or makes a false one."""
    summary = play.summary()
    rolled = {name: [2, 2, 2, 2, 2] for name in play.players if name not in summary["out"]}
    done(play, "table", "deal", rolled=rolled)
    opener = play.summary()["turn"]
    other = next(name for name in play.players if name != opener and name in rolled)
    if opener == loser:
        done(play, opener, "claim", count=1, face=6)
        done(play, other, "challenge")
    else:
        done(play, opener, "claim", count=1, face=2)
        done(play, loser, "challenge")
