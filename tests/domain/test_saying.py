"""Typed words, and the commands people mean by them."""

from __future__ import annotations

from typing import Any

import pytest

from domain import commands
from domain.games import GAMES, rules_of
from domain.rules.ladders import ladder_of
from domain.rules.orders import Count
from domain.rules.rules import Rungs
from domain.table.interludes import buying, chase, cocked
from projections.saying import NotUnderstood, examples, parse_command
from projections.view import View, view_of
from projections.words import claim_words
from tests.domain.playing import Played


def view_in(game: str, options: dict[str, Any] | None = None) -> View:
    played = Played(options or {}, 2, game=game, deal_per="match", pause_ms=0)
    played.start()
    assert played.match.table is not None
    return view_of(played.written, played.match.table.turn, played.keeper, {})


def holding(game: str, options: dict[str, Any] | None = None) -> View:
    """Return the view of a seat that has its own dice, or the cup, in hand."""
    played = Played(options or {}, 2, game=game, deal_per="match", pause_ms=0)
    played.start()
    state = played.match.table
    assert state is not None
    assert state.turn is not None
    if state.phase == "to_roll":
        played.do(commands.Roll(state.turn))
    return view_of(played.written, state.turn, played.keeper, {})


@pytest.mark.parametrize("game", GAMES)
def test_a_claim_is_understood_in_the_words_in_which_it_is_told(game: str) -> None:
    rules, view = rules_of(game, {}), view_in(game)
    seat, faces = view.viewer, rules.tokens.faces
    assert seat is not None
    if isinstance(rules.claims, Rungs):
        for hand in ladder_of(rules.claims, rules.tokens.dice, faces).hands:
            assert parse_command(view, claim_words(hand, faces)) == commands.ClaimHand(seat, hand.shape, hand.faces)
    else:
        for quantity in range(1, 25):
            for face in range(faces.first, faces.first + faces.count):
                told = claim_words(Count(quantity, face), faces)
                assert parse_command(view, told) == commands.Bid(seat, quantity, face)


@pytest.mark.parametrize("game", GAMES)
def test_what_would_do_is_understood_itself(game: str) -> None:
    view = holding(game)
    for text in examples(rules_of(game, {})):
        parse_command(view, text)


@pytest.mark.parametrize(
    ("game", "text", "quantity", "face"),
    [
        ("common_hand", "5x3", 5, 3),
        ("common_hand", "5 \u00d7 3", 5, 3),
        ("common_hand", " Bid FIVE threes ", 5, 3),
        ("common_hand", "2 aces", 2, 1),
        ("dollar_bill", "two aces", 2, 1),
        ("common_hand", "12, sixes", 12, 6),
        ("liars_poker", "four 0s", 4, 0),
        ("liars_poker", "nine zeroes", 9, 0),
        ("common_hand", "999 9", 999, 9),
    ],
)
def test_a_bid(game: str, text: str, quantity: int, face: int) -> None:
    view = view_in(game)
    assert parse_command(view, text) == commands.Bid(view.viewer or 0, quantity, face)


@pytest.mark.parametrize(
    ("game", "text", "shape", "faces"),
    [
        ("finska", "two pair kings tens", "two_pair", (13, 10)),
        ("finska", "2 pair k t", "two_pair", (13, 10)),
        ("finska", "full house, aces over 9s", "full_house", (14, 9)),
        ("finska", "two queens", "pair", (12,)),
        ("finska", "four nines", "four", (9,)),
        ("finska", "four of a kind nines with a jack", "four", (9, 11)),
        ("finska", "big straight", "high_straight", ()),
        ("stanford", "four sixes and a pair of twos", "four_and_pair", (6, 2)),
        ("stanford", "a pair of aces", "pair", (1,)),
        ("beat_this", "one five", "single", (5,)),
        ("beat_this", "5 fives", "five", (5,)),
        ("mexican", "64", "score", (6, 4)),
        ("mexican", "4-6", "score", (6, 4)),
        ("mexican", "double sixes", "score", (6, 6)),
        ("mexican", "mexican", "score", (2, 1)),
        ("six_six_six", "6 5 1", "score", (6, 5, 1)),
    ],
)
def test_a_hand(game: str, text: str, shape: str, faces: tuple[int, ...]) -> None:
    view = view_in(game)
    assert parse_command(view, text) == commands.ClaimHand(view.viewer or 0, shape, faces)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Liar!", commands.Challenge),
        ("I doubt", commands.Challenge),
        ("spot on", commands.SpotOn),
        ("pass", commands.Pass),
        ("believe", commands.Accept),
        ("take the cup", commands.Accept),
        ("catch", commands.Catch),
        ("count it", commands.AskCount),
        ("show the bills", commands.DemandBills),
        ("stop", chase.Stop),
        ("look", cocked.Look),
        ("cocked dice", cocked.ShowCocked),
        ("buy back", buying.BuyBack),
        ("drop out", buying.DropOut),
        ("L\u00fcgner!", commands.Challenge),
        ("\u00a1Mentiroso!", commands.Challenge),
        ("genau", commands.SpotOn),
        ("Calzo", commands.SpotOn),
        ("passen", commands.Pass),
        ("creo", commands.Accept),
        ("zu niedrig", commands.Catch),
        ("z\u00e4hlen", commands.AskCount),
        ("ver billetes", commands.DemandBills),
        ("aufh\u00f6ren", chase.Stop),
        ("mirar", cocked.Look),
        ("schief", cocked.ShowCocked),
        ("recomprar", buying.BuyBack),
        ("aussteigen", buying.DropOut),
    ],
)
def test_a_word(text: str, kind: Any) -> None:
    view = view_in("common_hand")
    assert parse_command(view, text) == kind(view.viewer)


def test_specials_and_who_opens() -> None:
    view = view_in("mexican")
    seat = view.viewer or 0
    assert parse_command(view, "social") == commands.Declare(seat, "social")
    assert parse_command(view, "impose on 2") == commands.Declare(seat, "impose", 2)
    assert parse_command(view, "first 2") == commands.ChooseFirst(seat, 2)
    assert parse_command(view, "first me") == commands.ChooseFirst(seat, seat)


@pytest.mark.parametrize(
    ("game", "text", "handling"),
    [
        ("individual_hand", "keep 1 3", {"roll_inside": (1, 3, 4)}),
        ("individual_hand", "roll 2 4", {"roll_inside": (1, 3)}),
        ("individual_hand", "roll", {"roll_inside": (0, 1, 2, 3, 4)}),
        ("finska", "keep 1 3", {"roll_outside": (1, 3, 4)}),
        ("finska", "show 1 3 roll rest", {"outside": (0, 2), "roll_inside": (1, 3, 4)}),
        ("finska", "show 1 3", {"outside": (0, 2)}),
        ("finska", "hold 1, roll out 2", {"roll_outside": (1, 2, 3, 4)}),
        ("finska", "hide 2", {"inside": (1,)}),
        ("beat_this", "roll all", {"roll_inside": (0, 1, 2, 3, 4)}),
        ("stud_liars", "push 2", {"outside": (1,), "roll_inside": (0, 2, 3, 4)}),
        ("stud_liars", "keep 2", {"outside": (1,), "roll_inside": (0, 2, 3, 4)}),
        ("common_hand", "keep 2", {"roll_inside": (0, 2, 3, 4)}),
    ],
)
def test_a_handling(game: str, text: str, handling: dict[str, tuple[int, ...]]) -> None:
    view = holding(game)
    assert parse_command(view, text) == commands.Arrange(view.viewer or 0, **handling)


def test_roll_is_the_cup_where_it_has_to_be_rolled() -> None:
    view = view_in("finska")
    assert parse_command(view, "roll") == commands.Roll(view.viewer or 0)


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("common_hand", ""),
        ("common_hand", "hello"),
        ("common_hand", "5x"),
        ("common_hand", "five kings"),
        ("common_hand", "5x3x2"),
        ("common_hand", "1" * 5_000),
        ("common_hand", "first"),
        ("common_hand", "liar " * 80),
        ("common_hand", "-5x3"),
        ("beat_this", "keep all"),
        ("individual_hand", "keep"),
        ("individual_hand", "keep kings"),
        ("individual_hand", "keep 9"),
        ("individual_hand", "keep 0"),
        ("individual_hand", "roll none"),
        ("individual_hand", "keep 1 1"),
        ("finska", "two pair kings and coconuts"),
        ("finska", "kings"),
        ("mexican", "six four and more"),
        ("mexican", ""),
    ],
)
def test_what_nobody_understands_is_answered_with_what_would_do(game: str, text: str) -> None:
    with pytest.raises(NotUnderstood, match="type one of: "):
        parse_command(holding(game), text)
