"""Individual hand: two seats, five dice each behind a screen, claims about one's own hand.

Source: the liar's dice article, "Individual hand", after Hoyle's poker dice.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.games.game import Game, anything_goes
from domain.games.wording import APOSTROPHE, LastThrow, Lifted, PokerDice, Starter, Wins, option
from domain.rules.rules import PIPS, POKER, Doubt, Handling, MatchEnd, OwnCups, Reveal, Rules, Rungs, Tally


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of individual hand, with their defaults."""

    dice: PokerDice = "spotted"
    ace_high: Annotated[
        bool, option("Ones rank above sixes", "but not in straights", group="Dice", needs={"dice": ("spotted",)})
    ] = False
    rerolls: Annotated[int, Meta(ge=1, le=10), option("Throws again", group="Dice")] = 3
    reroll_scope: Annotated[
        Literal["turn", "round"],
        option(
            "Throws are counted", group="Dice", words={"turn": "anew in each turn", "round": "over the whole round"}
        ),
    ] = "turn"
    on_last_reroll: LastThrow = "auto_challenge"
    wins_needed: Wins = 2
    next_starter: Starter = "loser"
    reveal: Lifted = "accused"


def _rules(options: Options) -> Rules:
    return Rules(
        "individual_hand",
        (2, 2),
        OwnCups(5, POKER if options.dice == "poker" else PIPS),
        Rungs("hoyle", ace_high=options.ace_high),
        Doubt(),
        Handling(
            law="any_hidden",
            limit=options.rerolls,
            per=options.reroll_scope,
            last_forces=options.on_last_reroll == "auto_challenge",
        ),
        Reveal("all" if options.reveal == "both" else "accused"),
        (Tally("win"),),
        MatchEnd(wins=options.wins_needed, next_start=options.next_starter),
    )


GAME: Final = Game(
    "individual_hand",
    f"Liar{APOSTROPHE}s Dice with poker hands (Hoyle)",
    "Two players behind screens; each names a better poker hand of their own than the last, and may throw for it.",
    "Liar's dice: individual hand",
    Options,
    anything_goes,
    _rules,
    aliases=("Individual hand", f"Poker liar{APOSTROPHE}s dice"),
)
