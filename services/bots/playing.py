"""Levels and styles of the seats of the house, as the ids of their players say.

A bot is `bot/<level>.<style>/<n>`. Before there were levels it was `bot/<style>/<n>`, which level 1 plays for ever.
"""

from __future__ import annotations

from functools import lru_cache

from domain.rules.rules import Rules
from domain.seats import Player
from services.engines.level_names import STEADY, STYLES, USUAL, Style, level_of_bot, looks_ahead
from services.engines.levels import Chooser, Thought, is_even, player_of


def level_of(who: Player) -> str:
    """Return what a seat of the house is played by; whoever stands in plays as the house does where nobody says."""
    return level_of_bot(who.player) if who.is_bot else f"{USUAL}.{STEADY}"


def style_of_bot(player: str) -> Style:
    """Return the style in a bot's player id."""
    style = level_of_bot(player).partition(".")[2]
    return next(each for each in STYLES if each == style)


@lru_cache(maxsize=64)
def chooser_of(level: str) -> Chooser:
    """Return the player of a level as it sits in the house: it thinks as long whatever its hand shows.

    Nothing is kept of it from one match to the next.
    """
    return player_of(level, evenly=True)


def thinks_beside(level: str, rules: Rules) -> bool:
    """Report whether turns of a level are thought over beside the play: it looks ahead, for as long as its hand takes.

    Where all hands take as long, it is thought over on the spot.
    """
    return looks_ahead(level) and not is_even(rules)


def played_by(thought: Thought, level: str) -> str:
    """Return by which level a seat of this level was played with this thought, in its own style: the same or one below.

    By that, and what it has seen, and its chance, the thought is worked out again.
    """
    return f"{thought.level}.{level.partition('.')[2]}"
