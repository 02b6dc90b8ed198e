"""Liar's poker on serial numbers: Salomon's rules of 1986, the Wizard's, and the plain one on dollar bills.

Source: Salomon 1986 (rebid, n+3, sixes, hero, skunk, progressive stakes, slips); the Wizard of Odds' liar's poker; the
dollar-bill game of bar dice collections.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.errors import Refused
from domain.games.game import Game, anything_goes
from domain.rules import Counting, Doubt, Handling, Interlude, MatchEnd, PayEach, Reveal, Rules, Serials, Slips

Stake = Annotated[int, Meta(ge=1, le=1_000_000)]
Digits = Literal["zero_high", "natural", "ace_high"]
SEATS: Final = (2, 12)


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Salomon's game, with their defaults."""

    digit_order: Digits = "zero_high"
    rebid: bool = True
    n_plus_three: bool = True
    sixes: bool = True
    hero: bool = True
    skunk: bool = True
    progressive: bool = True
    stake: Stake = 1
    numbers: Literal["bills", "slips"] = "bills"
    slip_length: Annotated[int, Meta(ge=1, le=100)] = 15
    slip_plays: Annotated[int, Meta(ge=1, le=100)] = 10
    final_double: bool = True
    reveal: Literal["counts", "full"] = "counts"
    next_starter: Literal["final_bidder", "letters"] = "final_bidder"
    single_use: bool = False


class WizardOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of the Wizard's game, with their defaults."""

    digit_order: Digits = "natural"
    stake: Stake = 1
    next_starter: Literal["letters", "final_bidder"] = "letters"


class DollarOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of the dollar-bill game, with their defaults."""

    digit_order: Digits = "ace_high"
    stake: Stake = 1


def _check(options: Options) -> None:
    if options.slip_plays > options.slip_length:
        raise Refused("bad_options", option="slip_plays", why="a slip has fewer numbers than are to be played")
    if options.single_use and options.reveal != "full":
        raise Refused("bad_options", option="single_use", why="only numbers that are shown can be told from used ones")
    if options.single_use and options.numbers == "slips":
        raise Refused("bad_options", option="single_use", why="a number of a slip is played once as it is")


def _starts(starter: Literal["final_bidder", "letters"]) -> MatchEnd:
    return MatchEnd(next_start="claimant" if starter == "final_bidder" else "letters", first="letters")


def _rules(options: Options) -> Rules:
    slips = Slips(options.slip_length, options.slip_plays, options.final_double)
    interludes: tuple[Interlude, ...] = (slips,) if options.numbers == "slips" else ()
    return Rules(
        "liars_poker",
        SEATS,
        Serials(single_use=options.single_use),
        Counting(rank=options.digit_order),
        Doubt("all", rebid=options.rebid),
        Handling(),
        Reveal("all" if options.reveal == "full" else "counts"),
        (
            PayEach(
                options.stake,
                options.n_plus_three,
                options.sixes,
                options.hero,
                options.skunk,
                options.progressive,
            ),
        ),
        _starts(options.next_starter),
        interludes,
    )


def _wizard(options: WizardOptions) -> Rules:
    return Rules(
        "liars_poker_wizard",
        SEATS,
        Serials(),
        Counting(rank=options.digit_order),
        Doubt("all"),
        Handling(),
        Reveal("counts", on_demand=True),
        (PayEach(options.stake),),
        _starts(options.next_starter),
    )


def _dollar(options: DollarOptions) -> Rules:
    return Rules(
        "dollar_bill",
        SEATS,
        Serials(single_use=True),
        Counting(rank=options.digit_order),
        Doubt("all"),
        Handling(),
        Reveal("all"),
        (PayEach(options.stake),),
        _starts("final_bidder"),
    )


GAME: Final = Game(
    "liars_poker",
    "Liar's poker (Salomon, 1986)",
    "Everyone holds a serial number; claims count a digit over all of them, until all others doubt in a row.",
    "Salomon: liar's poker, 1986",
    Options,
    _check,
    _rules,
    {
        "basic": {
            "rebid": False,
            "n_plus_three": False,
            "sixes": False,
            "hero": False,
            "skunk": False,
            "progressive": False,
        },
        "slips": {"numbers": "slips"},
    },
)
WIZARD: Final = Game(
    "liars_poker_wizard",
    "Liar's poker (the Wizard's)",
    "Serial numbers, nine high, a flat stake: the last claim is counted as soon as all others doubt it.",
    "Wizard of Odds: liar's poker",
    WizardOptions,
    anything_goes,
    _wizard,
)
DOLLAR: Final = Game(
    "dollar_bill",
    "Dollar-bill liar's poker",
    "A bill each, used once: claims count a digit over all bills, ones high, and the bills are shown.",
    "Bar dice: liar's poker on dollar bills",
    DollarOptions,
    anything_goes,
    _dollar,
)
