"""The form of every game's house rules: everything in it is said in words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.games import GAMES
from domain.settings import rules_object, settings_of
from services.api.games import cards
from services.web.labels import LABELS, NEEDS
from services.web.options import Field, groups, spelled_out

CARDS: dict[str, dict[str, Any]] = {card.name: msgspec.to_builtins(card) for card in cards()}


def fields_of(game: str) -> list[Field]:
    return [field for group in groups(CARDS[game]) for field in group.fields]


@pytest.mark.parametrize("game", GAMES)
def test_every_option_has_a_label_and_a_group(game: str) -> None:
    assert [field.name for field in fields_of(game) if field.name not in LABELS] == []
    assert "More" not in [group.title for group in groups(CARDS[game])]


@pytest.mark.parametrize("game", GAMES)
def test_every_value_to_choose_from_is_said_in_words(game: str) -> None:
    said = {(field.name, value): label for field in fields_of(game) for value, label in field.choices}
    assert [
        key for key, label in said.items() if "_" in label or (label == label.capitalize() and label.isalpha())
    ] == []
    assert [field.name for field in fields_of(game) if field.kind == "text"] == []


def test_what_an_option_needs_is_there() -> None:
    names = {field.name for game in GAMES for field in fields_of(game)}
    assert {need.partition("=")[0] for need in NEEDS.values()} <= names
    assert NEEDS.keys() <= names


def test_rules_that_mean_nothing_are_left_out_of_the_rules_of_a_table() -> None:
    told = dict(spelled_out(rules_object(settings_of({"game": "boss_liars", "options": {"buy_back": False}}))))
    assert "Everybody puts in" not in told
    money = {"game": "boss_liars", "options": {"stakes": "money", "buy_back": True}}
    assert dict(spelled_out(rules_object(settings_of(money))))["Everybody puts in"] == "1"


def test_a_number_that_may_be_left_out_says_what_that_means() -> None:
    lives = next(field for field in fields_of("stanford") if field.name == "lives")
    assert (lives.kind, lives.optional, lives.note) == ("number", True, "empty: nobody goes out")


@pytest.mark.parametrize("game", GAMES)
def test_a_table_has_room_for_as_many_as_the_game_takes(game: str) -> None:
    assert settings_of({"game": game, "options": {}}).seats == CARDS[game]["seats"][1]


def test_a_game_for_two_says_how_many_play_it_in_turns() -> None:
    card = CARDS["german_liar_dice"]
    assert (card["seats"], card["seats_of_any"]) == ((2, 2), (2, 10))
