"""The options of the games: what may be asked for, and what it comes to."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given

from domain.errors import Refused
from domain.games import GAMES, options_of, rules_of
from domain.rules.rules import Counting, Drinks, LoseDie, Pot, Wager
from tests.domain.options import MATCHES, SESSIONS


@pytest.mark.parametrize(
    ("given_options", "option"),
    [
        ({"dice": 5}, "dice"),
        ({"dice_per_player": 0}, "dice_per_player"),
        ({"dice_per_player": 11}, "dice_per_player"),
        ({"dice_per_player": "5"}, "dice_per_player"),
        ({"dice_per_player": True}, "dice_per_player"),
        ({"system": "highest"}, "system"),
        ({"spot_on": 1}, "spot_on"),
        ({"wager": 0}, "wager"),
        ({"drinks": {}}, "drinks.basis"),
        ({"drinks": {"basis": "glass"}}, "drinks.basis"),
        ({"drinks": {"basis": "round", "base": -1}}, "drinks.base"),
        ({"drinks": {"basis": "round", "beer": 1}}, "drinks.beer"),
        ({"stakes": "per_round"}, "stakes"),
        ({"stakes": "winner_take_all", "elimination": "none"}, "stakes"),
        ({"drinks": {"basis": "die"}, "elimination": "none"}, "drinks.basis"),
    ],
)
def test_an_option_that_cannot_be_is_refused_by_name(given_options: dict[str, Any], option: str) -> None:
    with pytest.raises(Refused) as caught:
        options_of("common_hand", given_options)
    assert (caught.value.code, caught.value.facts["option"]) == ("bad_options", option)


@pytest.mark.parametrize("given_options", [None, [], "perudo", 3])
def test_options_are_an_object(given_options: Any) -> None:
    with pytest.raises(Refused) as caught:
        options_of("common_hand", given_options)
    assert caught.value.facts["option"] == "options"


@given(MATCHES | SESSIONS)
def test_every_other_set_of_options_can_be_spelled_out_and_comes_to_the_same_rules(options: dict[str, Any]) -> None:
    spelled_out = msgspec.to_builtins(options_of("common_hand", options))
    assert rules_of("common_hand", options) == rules_of("common_hand", spelled_out)


def test_the_presets_are_options() -> None:
    for game in GAMES.values():
        for preset in game.presets.values():
            assert rules_of(game.name, preset) != rules_of(game.name, {})


@pytest.mark.parametrize(
    ("wild", "aces"),
    [("always", "no"), ("never", "as_ones"), ("unless_opened", "as_ones")],
)
def test_unless_somebody_says_so_ones_may_be_named_where_they_are_not_always_wild(wild: str, aces: str) -> None:
    for options, named in (({"wild": wild}, aces), ({"wild": wild, "bid_aces": "half_double"}, "half_double")):
        claims = rules_of("common_hand", options).claims
        assert isinstance(claims, Counting)
        assert claims.aces == named


def test_each_stake_is_a_settler_of_its_own() -> None:
    drinks = {"basis": "round"}
    match = rules_of("common_hand", {"stakes": "winner_take_all", "drinks": drinks})
    assert [type(settler) for settler in match.settlers] == [LoseDie, Pot, Drinks]
    session = rules_of("common_hand", {"elimination": "none", "stakes": "per_round", "wager": 3})
    assert session.settlers == (Wager(3),)
