"""Finska liar dice: five poker dice pass under a cup; dice kept in or out decide how the others are rolled.

Source: Finska liar dice, with its hierarchy of hands and the options of the player to the left.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.games.game import Game, anything_goes
from domain.games.wording import option
from domain.rules.rules import POKER, Doubt, Handling, MatchEnd, Reveal, Rules, Rungs, SharedCup, Tally, Token


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Finska, with their defaults."""

    may_rehide: Annotated[bool, option("A shown die may go back under the cup", group="Dice")] = True
    stake: Annotated[int, Meta(ge=1, le=100), option("Tokens each", "who has none left is out", group="Tokens")] = 5
    loser_pays: Annotated[
        Literal["pot", "winner"],
        option("Who loses gives a token", group="Tokens", words={"pot": "to the pot", "winner": "to who won"}),
    ] = "pot"
    winner_keeps_pot: Annotated[
        bool, option("The winner of the match takes the pot", group="Tokens", needs={"loser_pays": ("pot",)})
    ] = True


def _rules(options: Options) -> Rules:
    return Rules(
        "finska",
        (2, 10),
        SharedCup(5, POKER),
        Rungs("finska"),
        Doubt(),
        Handling(law="finska", limit=1, rehide=options.may_rehide, keeps=True),
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
