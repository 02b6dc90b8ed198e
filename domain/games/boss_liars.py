"""Liars, or Boss: the bar game, own cups, one throw a hand, lost hands put a player out.

Source: bar dice rules, "Liars" and "Boss dice", with buy-backs, doubles and cocked dice.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.errors import Refused
from domain.games.game import Game
from domain.rules import (
    Buying,
    Cocked,
    Counting,
    Doubt,
    Handling,
    Interlude,
    MatchEnd,
    OwnCups,
    Pot,
    Reveal,
    Rules,
    Settler,
    Tally,
)

COCKED_ONE_IN: Final = 36
"""How rarely a simulated die lies cocked; the sources give no figure."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Liars, with their defaults."""

    mode: Literal["one_challenges", "all_challenge"] = "one_challenges"
    challenge_by: Literal["anyone", "next"] = "anyone"
    hands_to_lose: Annotated[int, Meta(ge=1, le=20)] = 2
    wild: Literal["unless_opened", "always", "never"] = "unless_opened"
    natural_required: bool = True
    stakes: Literal["none", "drinks", "money"] = "none"
    ante: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    buy_back: bool = False
    max_buy_backs: Annotated[int, Meta(ge=1, le=20)] = 3
    doubles: bool = False
    loser_may_muck: bool = False
    cocked: bool = False
    next_starter: Literal["loser", "winner"] = "loser"
    first: Literal["boss_decides", "high_roll"] = "boss_decides"


def _check(options: Options) -> None:
    for option in ("buy_back", "doubles"):
        if getattr(options, option) and options.stakes != "money":
            raise Refused("bad_options", option=option, why="needs stakes to be money")


def _rules(options: Options) -> Rules:
    settlers: tuple[Settler, ...] = (Tally("loss"),)
    if options.stakes == "money":
        settlers = (*settlers, Pot(options.ante, options.doubles))
    interludes: tuple[Interlude, ...] = ()
    if options.buy_back:
        interludes = (*interludes, Buying(options.max_buy_backs, options.ante))
    if options.cocked:
        interludes = (*interludes, Cocked(COCKED_ONE_IN))
    return Rules(
        "boss_liars",
        (2, 8),
        OwnCups(5),
        Counting(wild=options.wild, natural=options.natural_required),
        Doubt("all" if options.mode == "all_challenge" else options.challenge_by),
        Handling(),
        Reveal(muck=options.loser_may_muck),
        settlers,
        MatchEnd(
            "loss",
            options.hands_to_lose,
            first_out_ends=options.stakes == "drinks",
            next_start=options.next_starter,
            first=options.first,
        ),
        interludes,
    )


GAME: Final = Game(
    "boss_liars",
    "Liars (Boss dice)",
    "Five dice each, one throw; claims count over all cups with ones wild, and two lost hands put you out.",
    "Bar dice: Liars, Boss",
    Options,
    _check,
    _rules,
)
