"""Every game of the house, by name. A game is a value: one file here says what its rules are.

In reading order:

    game                what a game is to the house: a name, options, rules
    wording             words for options
    common_hand
    individual_hand
    stanford
    mexican
    finska
    liars_poker
    boss_liars
    beat_this
    stud_liars
    six_six_six
    two_dice_pass
    german_liar_dice
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from domain.errors import Refused
from domain.faults import fault_of
from domain.games import (
    beat_this,
    boss_liars,
    common_hand,
    finska,
    german_liar_dice,
    individual_hand,
    liars_poker,
    mexican,
    six_six_six,
    stanford,
    stud_liars,
    two_dice_pass,
)
from domain.games.game import Game
from domain.rules.rules import Rules

GAMES: Final[dict[str, Game]] = {
    game.name: game
    for game in (
        common_hand.GAME,
        individual_hand.GAME,
        stanford.GAME,
        mexican.GAME,
        finska.GAME,
        liars_poker.GAME,
        liars_poker.WIZARD,
        boss_liars.GAME,
        beat_this.GAME,
        stud_liars.GAME,
        six_six_six.GAME,
        two_dice_pass.GAME,
        liars_poker.DOLLAR,
        german_liar_dice.GAME,
    )
}


def options_of(game: str, given: dict[str, Any]) -> msgspec.Struct:
    """Return the options of a game, with defaults for those not given.

    Raises:
        Refused: `bad_options` for an option that is unknown, of another type, out of range or against another one.
    """
    try:
        options = msgspec.convert(given, GAMES[game].options)
    except msgspec.ValidationError as error:
        fault = fault_of(error)
        raise Refused("bad_options", option=fault.named or "options", why=fault.why) from error
    GAMES[game].check(options)
    return options


def rules_of(game: str, given: dict[str, Any]) -> Rules:
    """Return the rules a game and its options come to.

    Raises:
        Refused: `bad_options`, as `options_of`.
    """
    return GAMES[game].rules(options_of(game, given))
