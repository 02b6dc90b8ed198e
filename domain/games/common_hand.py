"""Common hand (Perudo, Dudo): everyone rolls secretly, claims are about all dice on the table.

Source: the liar's dice article, "Common hand" with its five bidding rules, gambling and drinking variants; Perudo's
aces, calza and palifico as published by Board Game Arena and gamerules.com.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.errors import Refused
from domain.games.game import Game
from domain.rules import (
    Counting,
    Doubt,
    Drinks,
    Handling,
    LoseDie,
    MatchEnd,
    OwnCups,
    Pot,
    Reveal,
    Rules,
    Settler,
    Wager,
)

Few = Annotated[int, Meta(ge=0, le=100)]


class DrinkOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """Who drinks how much: see `domain.rules.Drinks`."""

    basis: Literal["round", "die", "difference"]
    base: Few = 1
    elimination: Few = 0
    ghost_per_round: Few = 0
    wrong_out_of_turn_factor: Few = 2
    wrong_spot_on_factor: Few = 2


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of common hand, with their defaults."""

    dice_per_player: Annotated[int, Meta(ge=1, le=10)] = 5
    system: Literal["face_first", "quantity_first", "highest_number", "product", "no_decrease"] = "quantity_first"
    wild: Literal["always", "never", "unless_opened"] = "always"
    bid_aces: Literal["auto", "no", "as_ones", "half_double"] = "auto"
    challenge_by: Literal["next", "anyone"] = "next"
    spot_on: bool = False
    spot_on_win: Literal["others_lose", "bidder_loses", "regain", "nothing"] = "others_lose"
    spot_on_fail_dice: Annotated[int, Meta(ge=0, le=10)] = 1
    elimination: Literal["lose_die", "none"] = "lose_die"
    stakes: Literal["none", "winner_take_all", "per_round"] = "none"
    wager: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    drinks: DrinkOptions | None = None
    next_starter: Literal["loser", "winner"] = "loser"
    palifico: bool = False
    push: bool = False
    pass_once: bool = False


def _check(options: Options) -> None:
    if options.stakes == "per_round" and options.elimination != "none":
        raise Refused("bad_options", option="stakes", why="per_round needs elimination to be none")
    if options.stakes == "winner_take_all" and options.elimination != "lose_die":
        raise Refused("bad_options", option="stakes", why="winner_take_all needs elimination to be lose_die")
    if options.drinks is not None and options.drinks.basis == "die" and options.elimination != "lose_die":
        raise Refused("bad_options", option="drinks.basis", why="die needs elimination to be lose_die")


def _aces(options: Options) -> Literal["no", "as_ones", "half_double"]:
    if options.bid_aces == "auto":
        return "no" if options.wild == "always" else "as_ones"
    return options.bid_aces


def _settlers(options: Options) -> tuple[Settler, ...]:
    loses = options.elimination == "lose_die"
    found: list[Settler] = []
    if loses:
        found.append(LoseDie(options.spot_on_fail_dice, options.dice_per_player))
    if options.stakes == "per_round":
        found.append(Wager(options.wager))
    if options.stakes == "winner_take_all":
        found.append(Pot(options.wager))
    drinks = options.drinks
    if drinks is not None:
        factors = (drinks.wrong_out_of_turn_factor, drinks.wrong_spot_on_factor)
        found.append(Drinks(drinks.basis, drinks.base, drinks.elimination, drinks.ghost_per_round, *factors))
    return tuple(found)


def _rules(options: Options) -> Rules:
    return Rules(
        "common_hand",
        (2, 10),
        OwnCups(options.dice_per_player),
        Counting(options.system, wild=options.wild, aces=_aces(options)),
        Doubt(
            options.challenge_by,
            spot_on=options.spot_on,
            spot_on_win=options.spot_on_win,
            pass_once=options.pass_once,
        ),
        Handling(law="push", limit=1, opener="anything") if options.push else Handling(),
        Reveal(),
        _settlers(options),
        MatchEnd(
            "die" if options.elimination == "lose_die" else None,
            next_start=options.next_starter,
            palifico=options.palifico,
        ),
    )


GAME: Final = Game(
    "common_hand",
    "Common hand (Perudo, Dudo)",
    "Everyone rolls secretly; each claim about all dice on the table beats the last, until somebody doubts.",
    "Liar's dice: common hand, five bidding systems; Perudo",
    Options,
    _check,
    _rules,
    {
        "perudo": {
            "system": "quantity_first",
            "bid_aces": "half_double",
            "spot_on": True,
            "spot_on_win": "regain",
            "palifico": True,
        }
    },
)
