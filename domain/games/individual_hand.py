"""Individual hand: two seats, five dice each behind a screen, claims about one's own hand.

Source: the liar's dice article, "Individual hand", after Hoyle's poker dice.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.games.game import Game, anything_goes
from domain.rules import (
    PIPS,
    POKER,
    Doubt,
    Handling,
    MatchEnd,
    OwnCups,
    Reveal,
    Rules,
    Rungs,
    Tally,
)


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of individual hand, with their defaults."""

    dice: Literal["spotted", "poker"] = "spotted"
    ace_high: bool = False
    rerolls: Annotated[int, Meta(ge=1, le=10)] = 3
    reroll_scope: Literal["turn", "round"] = "turn"
    on_last_reroll: Literal["auto_challenge", "may_claim"] = "auto_challenge"
    reveal: Literal["accused", "both"] = "accused"
    wins_needed: Annotated[int, Meta(ge=1, le=20)] = 2
    next_starter: Literal["loser", "winner"] = "loser"


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
    "Individual hand (Hoyle)",
    "Two players behind screens; each names a better poker hand of their own than the last, and may throw for it.",
    "Liar's dice: individual hand",
    Options,
    anything_goes,
    _rules,
)
