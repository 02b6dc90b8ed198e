"""Matches in words."""

from __future__ import annotations

import random

import msgspec
import pytest

from domain.events import data_of, type_of
from domain.games import GAMES
from domain.match.record import TYPES, fold
from domain.rules.rules import PIPS, POKER
from projections.view import view_of
from services.cli.playing.names import dice_drawn
from services.cli.playing.words import scene, sentence_of
from services.words.catalogue import CATALOGUE
from tests.bots.tables import BotTable
from tests.domain.test_every_game import OPTIONS, begun, play_on


def test_every_event_of_a_match_can_be_told():
    assert set(TYPES) == set(CATALOGUE["events"])


def test_an_event_of_tomorrow_is_named_rather_than_lost():
    view = {"seats": [], "title": "Perudo", "faces": [1, 6], "cup": [], "turn": None}
    assert sentence_of({"event": {"type": "game.danced", "seat": 1}, "view": view}) == "(game.danced)"


def die(face, *, shown=False, cocked=False):
    return {"face": face, "shown": shown, "cocked": cocked}


@pytest.mark.parametrize(
    ("dice", "tokens", "text"),
    [
        ([die(3), die(None), die(5)], PIPS, "[3][ ][5]"),
        ([die(13), die(10), die(14, shown=True)], POKER, "[K][10] | [A]"),
        ([die(1, cocked=True)], PIPS, "[1~]"),
        ([], PIPS, ""),
    ],
)
def test_hidden_dice_are_drawn_empty_and_shown_ones_stand_apart(dice, tokens, text):
    assert dice_drawn(dice, tokens) == text


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_match_of_every_game_is_told(game):
    for options in OPTIONS[game]:
        played = begun(game, random.Random(1), options)
        texts = [text for frame in frames_of(played) if (text := sentence_of(frame))]
        assert all(text.endswith((".", "---")) for text in texts)
        assert not [text for text in texts if "None" in text or "{" in text]


def frames_of(played):
    """Play on at random, and yield a frame a line, as spectators get them."""
    play_on(played, random.Random(2))
    for written, event in fold(played.lines):
        view = msgspec.to_builtins(view_of(written, None, None, {}))
        yield {"event": {"type": type_of(event), **data_of(event)}, "view": view}


def test_a_scene_says_that_a_round_waits_for_other_tables():
    table = BotTable({}, 3, 1)
    view = next(msgspec.to_builtins(view) for view, _ in table.turns(1)) | {"phase": "awaiting_board", "turn": None}
    text = "\n".join(scene(view))
    assert "round 1 is over here, and goes on at other tables with the same dice" in text


def test_a_scene_says_whose_turn_it_is_and_what_stands():
    table = BotTable({}, 3, 1)
    views = [msgspec.to_builtins(view) for view, _ in table.turns(6)]
    text = "\n".join(scene(views[1]))
    assert "round 1, 15 dice in play" in text
    assert f" > {views[1]['seats'][views[1]['turn'] - 1]['name']}:  [" in text
    assert "has claimed" in text
