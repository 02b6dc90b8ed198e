"""Mexican: two dice under a cup, believed unseen or lifted, and specials that do something instead of counting.

Source: the liar's dice article, "Mexican"; Mexicali and Mia texts for what the next player may do.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.games.game import Game, anything_goes
from domain.games.wording import Starter, option
from domain.rules.rules import Doubt, Drinks, Handling, MatchEnd, Reveal, Rules, Rungs, SharedCup, Tally


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Mexican, with their defaults."""

    ties_allowed: Annotated[bool, option("A claim as high as the last is enough", group="Claims")] = False
    claim_check: Annotated[
        Literal["server", "next_player"],
        option(
            "A claim that is too low",
            group="Claims",
            words={"server": "cannot be made", "next_player": "stands, if the next seat does not catch it"},
        ),
    ] = "server"
    forty_one: Annotated[
        Literal["rank", "impose"],
        option(
            "Four-one",
            group="Claims",
            words={"rank": "is the lowest score", "impose": "gives somebody a drink, when shown"},
        ),
    ] = "rank"
    finish_on_mexican: Annotated[
        bool, option("Over a Mexican the loser finishes the glass", "whether it was claimed or thrown", group="Drinks")
    ] = True
    false_catch_drinks: Annotated[
        int,
        Meta(ge=0, le=100),
        option(
            "Drinks for catching a claim that was high enough", group="Drinks", needs={"claim_check": ("next_player",)}
        ),
    ] = 1
    next_starter: Starter = "loser"


def _rules(options: Options) -> Rules:
    specials = ("social", "reverse", "impose") if options.forty_one == "impose" else ("social", "reverse")
    return Rules(
        "mexican",
        (2, 8),
        SharedCup(2),
        Rungs("mexican", ties=options.ties_allowed, specials=specials),
        Doubt(catch=options.claim_check == "next_player", false_catch=options.false_catch_drinks),
        Handling(gate="blind"),
        Reveal("accused"),
        (
            Tally("loss"),
            Drinks(finish_on_top=options.finish_on_mexican),
        ),
        MatchEnd(next_start=options.next_starter),
    )


GAME: Final = Game(
    "mexican",
    "Mexican (Mia)",
    "Two dice under a cup: say more than the last, believe it unseen or lift; whoever is wrong drinks.",
    "Liar's dice: Mexican; Mexicali",
    Options,
    anything_goes,
    _rules,
    aliases=("Mexicali", "M\u00e4xchen", "Meyer", "Meiern", "Twenty-one"),
)
