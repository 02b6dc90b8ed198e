"""Matches in words."""

from __future__ import annotations

import msgspec
import pytest

from domain import events
from services.cli.words import _TELLERS, faces, scene, told
from tests.bots.tables import BotTable


def test_every_event_of_a_match_can_be_told():
    assert set(events.TYPES) == set(_TELLERS)


def test_an_event_of_tomorrow_is_named_rather_than_lost():
    view = {"seats": [], "title": "Common hand"}
    assert told({"event": {"type": "game.danced", "seat": 1}, "view": view}) == "(game.danced)"


@pytest.mark.parametrize(("dice", "text"), [([3, None, 5], "[3][ ][5]"), ([], "no dice")])
def test_hidden_dice_are_drawn_empty(dice, text):
    assert faces(dice) == text


def test_a_scene_says_whose_turn_it_is_and_what_stands():
    table = BotTable({}, 3, 1)
    views = [msgspec.to_builtins(view) for view, _ in table.turns(6)]
    text = scene(views[1])
    assert "round 1, 15 dice in play" in text
    assert f" > {views[1]['seats'][views[1]['turn'] - 1]['name']} (bot): " in text
    assert "has claimed" in text
