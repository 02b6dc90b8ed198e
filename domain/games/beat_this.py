"""Beat This: five dice in one cup, passed on; claims are the most of a kind in it.

Source: bar dice rules, "Beat This", with the wild ones of Liars.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from domain.games.game import Game, anything_goes
from domain.games.wording import Lives, Starter, Wild
from domain.rules.rules import Doubt, Handling, MatchEnd, Reveal, Rules, Rungs, SharedCup, Tally


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Beat This, with their defaults."""

    wild: Wild = "unless_opened"
    lives: Lives = 2
    next_starter: Starter = "loser"


def _rules(options: Options) -> Rules:
    return Rules(
        "beat_this",
        (2, 10),
        SharedCup(5),
        Rungs("kinds", wild=options.wild),
        Doubt(),
        Handling(law="all_or_none", limit=1, keeps=True),
        Reveal("accused"),
        (Tally("loss"),),
        MatchEnd("loss", options.lives, next_start=options.next_starter),
    )


GAME: Final = Game(
    "beat_this",
    "Beat This",
    "Five dice pass in one cup; believe, look, keep or roll all of them, and name more of a kind.",
    "Bar dice: Beat This",
    Options,
    anything_goes,
    _rules,
)
