"""Finska liar dice: five poker dice pass under a cup; dice kept in or out decide how the others are rolled.

Source: Finska liar dice, with its hierarchy of hands and the options of the player to the left.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.games.game import Game, anything_goes
from domain.rules import POKER, Doubt, Handling, MatchEnd, Reveal, Rules, Rungs, SharedCup, Tally, Token


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Finska, with their defaults."""

    stake: Annotated[int, Meta(ge=1, le=100)] = 5
    loser_pays: Literal["pot", "winner"] = "pot"
    winner_keeps_pot: bool = True
    may_rehide: bool = True


def _rules(options: Options) -> Rules:
    return Rules(
        "finska",
        (2, 10),
        SharedCup(5, POKER),
        Rungs("finska"),
        Doubt(),
        Handling(law="finska", limit=1, rehide=options.may_rehide),
        Reveal("accused"),
        (
            Tally("loss"),
            Token(options.stake, options.loser_pays, options.winner_keeps_pot),
        ),
        MatchEnd("token", next_start="doubter"),
    )


GAME: Final = Game(
    "finska",
    "Finska liar dice",
    "Five poker dice pass under a cup, in it and beside it; name a better hand than you were handed, or lift.",
    "Finska liar dice",
    Options,
    anything_goes,
    _rules,
)
