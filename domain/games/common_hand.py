"""Common hand (Perudo, Dudo): everyone rolls secretly, claims are about all dice on the table.

Source: the liar's dice article, "Common hand" with its five bidding rules, gambling and drinking variants; Perudo's
aces, calza and palifico as published by Board Game Arena and gamerules.com.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.errors import Refused
from domain.games.game import Game
from domain.games.wording import APOSTROPHE, ON, Needs, Starter, Wild, option
from domain.rules.rules import (
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

LOSE_DIE: Final[Needs] = {"elimination": ("lose_die",)}
SPOT_ON: Final[Needs] = {"spot_on": ON}
Few = Annotated[int, Meta(ge=0, le=100)]


class DrinkOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """Who drinks how much: see `domain.rules.rules.Drinks`."""

    basis: Annotated[
        Literal["round", "die", "difference"],
        option(
            "Drinks are counted by",
            group="Drinks",
            words={"round": "rounds lost", "die": "dice lost", "difference": "how far the bid was off"},
            only={"die": LOSE_DIE},
        ),
    ]
    base: Annotated[Few, option("Drinks each time", group="Drinks")] = 1
    elimination: Annotated[Few, option("Drinks more for going out", group="Drinks", needs=LOSE_DIE)] = 0
    ghost_per_round: Annotated[Few, option("Drinks a round for those who are out", group="Drinks", needs=LOSE_DIE)] = 0
    wrong_out_of_turn_factor: Annotated[
        Few, option("A wrong doubt out of turn: times", group="Drinks", needs={"challenge_by": ("anyone",)})
    ] = 2
    wrong_spot_on_factor: Annotated[Few, option("A wrong spot on: times", group="Drinks", needs=SPOT_ON)] = 2


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of common hand, with their defaults."""

    dice_per_player: Annotated[int, Meta(ge=1, le=10), option("Dice each", group="Dice")] = 5
    elimination: Annotated[
        Literal["lose_die", "none"],
        option(
            "Losing a round costs",
            group="Dice",
            words={"lose_die": "a die", "none": "no dice: play goes on until the host ends it"},
        ),
    ] = "lose_die"
    next_starter: Annotated[Starter, option("Who opens the next round", group="Dice")] = "loser"
    system: Annotated[
        Literal["face_first", "quantity_first", "highest_number", "product", "no_decrease"],
        option(
            "A bid beats another if",
            group="Bidding",
            words={
                "quantity_first": "its count is higher, or same count and higher face",
                "face_first": "its face is higher, or same face and more",
                "highest_number": "its larger number is larger",
                "product": "its count times its face is larger",
                "no_decrease": "neither number is lower, and one is higher",
            },
        ),
    ] = "quantity_first"
    wild: Annotated[Wild, option("Ones are wild", group="Bidding")] = "always"
    bid_aces: Annotated[
        Literal["auto", "no", "as_ones", "half_double"],
        option(
            "Bids on ones",
            group="Bidding",
            words={
                "auto": "allowed unless they are always wild",
                "no": "not allowed",
                "as_ones": "like any face",
                "half_double": "half the count, and double back",
            },
        ),
    ] = "auto"
    palifico: Annotated[
        bool,
        option(
            "Palifico round at the last die",
            "who is down to one die opens it; its face stays, and ones are not wild",
            group="Bidding",
            needs=LOSE_DIE,
        ),
    ] = False
    challenge_by: Annotated[
        Literal["next", "anyone"],
        option(
            "Who may challenge",
            group="Doubting",
            words={"next": "only the next seat", "anyone": "anyone, at any time"},
        ),
    ] = "next"
    pass_once: Annotated[
        bool, option("Pass once a round", "by saying that no two dice of the seat are alike", group="Doubting")
    ] = False
    push: Annotated[
        bool, option("Push dice and roll the others again", "show equal dice, then bid", group="Doubting")
    ] = False
    spot_on: Annotated[bool, option("Spot on may be called", "that the bid is exactly right", group="Spot on")] = False
    spot_on_win: Annotated[
        Literal["others_lose", "bidder_loses", "regain", "nothing"],
        option(
            "Spot on, right",
            group="Spot on",
            words={
                "others_lose": "all others lose a die",
                "bidder_loses": "the bidder loses a die",
                "regain": "the caller gets a die back",
                "nothing": "no dice change hands",
            },
            needs={**SPOT_ON, **LOSE_DIE},
        ),
    ] = "others_lose"
    spot_on_fail_dice: Annotated[
        int, Meta(ge=0, le=10), option("Spot on, wrong: dice lost", group="Spot on", needs={**SPOT_ON, **LOSE_DIE})
    ] = 1
    stakes: Annotated[
        Literal["none", "winner_take_all", "per_round"],
        option(
            "Chips",
            group="Stakes",
            words={"none": "none", "winner_take_all": "the winner takes the pot", "per_round": "a wager a round"},
            only={"winner_take_all": LOSE_DIE, "per_round": {"elimination": ("none",)}},
        ),
    ] = "none"
    wager: Annotated[
        int,
        Meta(ge=1, le=1_000_000),
        option("Wager in chips", group="Stakes", needs={"stakes": ("winner_take_all", "per_round")}),
    ] = 1
    drinks: Annotated[
        DrinkOptions | None,
        option("Keep a drinks ledger", "only a ledger: what is in the glass is yours to decide", group="Drinks"),
    ] = None


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
    f"Liar{APOSTROPHE}s Dice (Perudo)",
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
    aliases=("Dudo", "Cacho", "Cachito", "Bluff", f"Pirate{APOSTROPHE}s dice", "Common hand"),
)
