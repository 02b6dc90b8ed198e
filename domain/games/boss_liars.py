"""Liars, or Boss: the bar game, own cups, one throw a hand, lost hands put a player out.

Source: bar dice rules, "Liars" and "Boss dice", with buy-backs, doubles and cocked dice.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.errors import Refused
from domain.games.game import Game
from domain.games.wording import ON, Natural, Needs, Starter, Wild, option
from domain.rules.rules import (
    Counting,
    Doubt,
    Handling,
    InterludeRules,
    MatchEnd,
    OwnCups,
    Pot,
    Reveal,
    Rules,
    Settler,
    Tally,
)
from domain.table.interludes.buying import Buying
from domain.table.interludes.cocked import Cocked

MONEY: Final[Needs] = {"stakes": ("money",)}
COCKED_ONE_IN: Final = 36
"""How rarely a simulated die lies cocked; the sources give no figure."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Liars, with their defaults."""

    wild: Wild = "unless_opened"
    natural_required: Natural = True
    mode: Annotated[
        Literal["one_challenges", "all_challenge"],
        option(
            "A claim is tested when",
            group="Doubting",
            words={"one_challenges": "one seat doubts it", "all_challenge": "all others doubt it in a row"},
        ),
    ] = "one_challenges"
    challenge_by: Annotated[
        Literal["anyone", "next"],
        option(
            "Who may doubt",
            group="Doubting",
            words={"anyone": "anyone, at any time", "next": "only the next seat"},
            needs={"mode": ("one_challenges",)},
        ),
    ] = "anyone"
    loser_may_muck: Annotated[bool, option("Losers keep their dice hidden", group="Doubting")] = False
    hands_to_lose: Annotated[int, Meta(ge=1, le=20), option("Lost hands that put a seat out", group="Hands")] = 2
    next_starter: Annotated[Starter, option("Who opens the next hand", group="Hands")] = "loser"
    first: Annotated[
        Literal["boss_decides", "high_roll"],
        option(
            "The highest die at the start",
            group="Hands",
            words={"boss_decides": "says who opens", "high_roll": "opens"},
        ),
    ] = "boss_decides"
    cocked: Annotated[
        bool,
        option(
            "Dice may come to lie cocked",
            "a seat may claim once without looking; cocked dice are shown and thrown anew",
            group="Hands",
        ),
    ] = False
    stakes: Annotated[
        Literal["none", "drinks", "money"],
        option(
            "Played for",
            group="Stakes",
            words={"none": "nothing", "drinks": "a round, which the first to go out buys", "money": "a pot of chips"},
        ),
    ] = "none"
    ante: Annotated[int, Meta(ge=1, le=1_000_000), option("Ante in chips", group="Stakes", needs=MONEY)] = 1
    buy_back: Annotated[bool, option("Who goes out may buy back in", "for the ante", group="Stakes", needs=MONEY)] = (
        False
    )
    max_buy_backs: Annotated[
        int,
        Meta(ge=0, le=20),
        option("Buy-backs each", "0: nobody buys back", group="Stakes", needs={**MONEY, "buy_back": ON}),
    ] = 3
    doubles: Annotated[bool, option("A winner without a loss is paid twice", group="Stakes", needs=MONEY)] = False


def _check(options: Options) -> None:
    for name in ("buy_back", "doubles"):
        if getattr(options, name) and options.stakes != "money":
            raise Refused("bad_options", option=name, why="needs stakes to be money")


def _rules(options: Options) -> Rules:
    settlers: tuple[Settler, ...] = (Tally("loss"),)
    if options.stakes == "money":
        settlers = (*settlers, Pot(options.ante, options.doubles))
    interludes: tuple[InterludeRules, ...] = ()
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
    aliases=("Bar dice", "Boss"),
)
