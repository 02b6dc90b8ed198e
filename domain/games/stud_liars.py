"""Stud Liars: two seats, a die shown before each claim, hidden dice that may be thrown again.

Source: bar dice rules, "Stud Liars", with the claims of Liars.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from domain.games.game import Game, anything_goes
from domain.games.wording import Natural, Starter, Wild, Wins
from domain.rules.rules import Counting, Doubt, Handling, MatchEnd, OwnCups, Reveal, Rules, Tally


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Stud Liars, with their defaults."""

    wild: Wild = "unless_opened"
    natural_required: Natural = True
    wins_needed: Wins = 3
    next_starter: Starter = "loser"


def _rules(options: Options) -> Rules:
    return Rules(
        "stud_liars",
        (2, 2),
        OwnCups(5),
        Counting(wild=options.wild, natural=options.natural_required),
        Doubt(),
        Handling(
            law="show_one",
            limit=1,
            binds=False,
            opener="anything",
            own_claim_first=True,
            show_to_claim=True,
        ),
        Reveal(),
        (Tally("win"),),
        MatchEnd(wins=options.wins_needed, next_start=options.next_starter),
    )


GAME: Final = Game(
    "stud_liars",
    "Stud Liars",
    "Two players, five dice each: show one before every claim, throw the hidden ones again if you dare.",
    "Bar dice: Stud Liars",
    Options,
    anything_goes,
    _rules,
)
