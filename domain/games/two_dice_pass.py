"""Two dice, pass the cup: believe, look, keep or roll both, and name a higher pair.

Source: bar dice rules, two-dice pass the cup; the place of doubles is an option, since the source leaves it open.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Struct

from domain.games.game import Game, anything_goes
from domain.games.wording import Lives, Starter, option
from domain.rules.rules import Doubt, Handling, MatchEnd, Reveal, Rules, Rungs, SharedCup, Tally


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of two dice, with their defaults."""

    order: Annotated[
        Literal["doubles_high", "numeric"],
        option(
            "Doubles",
            group="Claims",
            words={"doubles_high": "rank above all other throws", "numeric": "rank by their number, 1-1 lowest"},
        ),
    ] = "doubles_high"
    lives: Lives = 2
    next_starter: Starter = "loser"


def _rules(options: Options) -> Rules:
    return Rules(
        "two_dice_pass",
        (2, 8),
        SharedCup(2),
        Rungs("digits" if options.order == "numeric" else "doubles_high"),
        Doubt(),
        Handling(law="all_or_none", limit=1, keeps=True),
        Reveal("accused"),
        (Tally("loss"),),
        MatchEnd("loss", options.lives, next_start=options.next_starter),
    )


GAME: Final = Game(
    "two_dice_pass",
    "Two dice, pass the cup",
    "Two dice pass under a cup; believe, look, keep or roll both, and name a higher throw.",
    "Bar dice: pass the cup",
    Options,
    anything_goes,
    _rules,
    aliases=("Pass the cup",),
)
