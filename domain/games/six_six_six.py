"""Six-Six-Six: three dice, two cups that travel together, numbers read high to low.

Source: bar dice rules, "6-6-6".
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from domain.games.game import Game, anything_goes
from domain.games.wording import Lives, Starter, option
from domain.rules.rules import Doubt, Handling, MatchEnd, Reveal, Rules, Rungs, SharedCup, Tally


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Six-Six-Six, with their defaults."""

    dice: Annotated[int, Meta(ge=2, le=5), option("Dice under the cups", group="Dice")] = 3
    lives: Lives = 2
    next_starter: Starter = "loser"


def _rules(options: Options) -> Rules:
    return Rules(
        "six_six_six",
        (2, 8),
        SharedCup(options.dice),
        Rungs("digits"),
        Doubt(),
        Handling(law="any_hidden", limit=1, keeps=True),
        Reveal("accused"),
        (Tally("loss"),),
        MatchEnd("loss", options.lives, next_start=options.next_starter),
    )


GAME: Final = Game(
    "six_six_six",
    "Six-Six-Six",
    "Three dice under two cups, read as a number: believe, keep what you like, roll the rest, and name a higher one.",
    "Bar dice: 6-6-6",
    Options,
    anything_goes,
    _rules,
    aliases=("6-6-6",),
)
