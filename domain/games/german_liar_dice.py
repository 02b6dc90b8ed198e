"""The German game (Lügenpoker, hidden dice poker): whole hands announced, three throws a deal, five aces chased.

Source: the German article on hidden dice poker, with its duel, chouette and knockout.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.games.game import Game, anything_goes
from domain.games.wording import LastThrow, Lifted, PokerDice, Starter, Wins, option
from domain.rules.rules import PIPS, POKER, Doubt, Handling, MatchEnd, OwnCups, Reveal, Rules, Rungs, Tally
from domain.table.interludes.chase import Chase


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of the German game, with their defaults."""

    dice: PokerDice = "poker"
    rerolls: Annotated[
        int, Meta(ge=0, le=10), option("Throws again", "for each seat in a round, after the first throw", group="Dice")
    ] = 2
    on_last_reroll: LastThrow = "may_claim"
    five_aces: Annotated[
        bool, option("Five aces end the round at once", "the other may throw on to match them", group="Dice")
    ] = True
    wins_needed: Wins = 2
    next_starter: Starter = "winner"
    reveal: Lifted = "both"
    format: Annotated[
        Literal["duel", "chouette", "knockout"],
        option(
            "Who plays whom",
            "a chouette goes on until the host closes it; a knockout has a champion",
            group="Rounds",
            words={
                "duel": "two play each other",
                "chouette": "three or more: the winner stays, the loser queues",
                "knockout": "three or more: the loser is out",
            },
        ),
    ] = "duel"


def _rules(options: Options) -> Rules:
    spotted = options.dice == "spotted"
    return Rules(
        "german_liar_dice",
        (2, 2) if options.format == "duel" else (3, 10),
        OwnCups(5, PIPS if spotted else POKER),
        Rungs("german", ace_high=spotted),
        Doubt(),
        Handling(
            law="any_hidden",
            limit=options.rerolls,
            per="round",
            last_forces=options.on_last_reroll == "auto_challenge",
        ),
        Reveal("all" if options.reveal == "both" else "accused"),
        (Tally("win"),),
        MatchEnd(
            wins=options.wins_needed,
            next_start=options.next_starter,
            bouts=None if options.format == "duel" else options.format,
        ),
        (Chase(),) if options.five_aces else (),
    )


GAME: Final = Game(
    "german_liar_dice",
    "Hidden dice poker (German)",
    "Two players announce whole poker hands, truthfully or not, with three throws a deal; five aces end it at once.",
    "German article on hidden dice poker",
    Options,
    anything_goes,
    _rules,
    aliases=("L\u00fcgenpoker", "Verdecktes Pokern"),
)
