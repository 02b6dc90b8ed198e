"""Liar's poker on serial numbers: Salomon's rules of 1986, the Wizard's, and the plain one on dollar bills.

Source: Salomon 1986 (rebid, n+3, sixes, hero, skunk, progressive stakes, slips); the Wizard of Odds' liar's poker; the
dollar-bill game of bar dice collections.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain.errors import Refused
from domain.games.game import Game, anything_goes
from domain.games.wording import APOSTROPHE, Digits, Needs, Stake, option
from domain.rules.rules import Counting, Doubt, Handling, InterludeRules, MatchEnd, PayEach, Reveal, Rules, Serials
from domain.table.interludes.slips import Slips

SEATS: Final = (2, 12)
BILLS: Final[Needs] = {"numbers": ("bills",)}
SLIPS: Final[Needs] = {"numbers": ("slips",)}
Starter = Annotated[
    Literal["final_bidder", "letters"],
    option(
        "Who opens the next round",
        group="Rounds",
        words={"final_bidder": "who claimed last", "letters": "the lowest letters on the bills"},
    ),
]


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Salomon's game, with their defaults."""

    digit_order: Digits = "zero_high"
    rebid: Annotated[
        bool,
        option(
            "Who is doubted by all may raise once more",
            "instead of having the claim counted",
            group="Claims",
        ),
    ] = True
    stake: Stake = 1
    n_plus_three: Annotated[
        bool,
        option("High claims are worth more", "from three more than there are seats, if they hold", group="Stakes"),
    ] = True
    sixes: Annotated[bool, option("Claims on sixes are worth double", group="Stakes")] = True
    hero: Annotated[bool, option("Hero: one more for a claim on a digit one has none of", group="Stakes")] = True
    skunk: Annotated[
        bool, option("Skunk: a claim wins if nobody has any of the digit", "from three seats on", group="Stakes")
    ] = True
    progressive: Annotated[
        bool, option("The stake follows the last round", "it becomes what that claim was worth", group="Stakes")
    ] = True
    numbers: Annotated[
        Literal["bills", "slips"],
        option(
            "Numbers come",
            group="Numbers",
            words={"bills": "on bills, new each round", "slips": "on slips, one number after another"},
        ),
    ] = "bills"
    slip_length: Annotated[int, Meta(ge=1, le=100), option("Numbers on a slip", group="Numbers", needs=SLIPS)] = 15
    slip_plays: Annotated[int, Meta(ge=1, le=100), option("Of which are played", group="Numbers", needs=SLIPS)] = 10
    final_double: Annotated[bool, option("The last number of a slip counts double", group="Numbers", needs=SLIPS)] = (
        True
    )
    reveal: Annotated[
        Literal["counts", "full"],
        option(
            "After the count are shown",
            group="Numbers",
            words={"counts": "only how many each has", "full": "all numbers"},
        ),
    ] = "counts"
    single_use: Annotated[
        bool,
        option("No number is played twice", group="Numbers", needs={**BILLS, "reveal": ("full",)}),
    ] = False
    next_starter: Starter = "final_bidder"


class WizardOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of the Wizard's game, with their defaults."""

    digit_order: Digits = "natural"
    stake: Stake = 1
    next_starter: Starter = "letters"


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


def _match_end(starter: Literal["final_bidder", "letters"]) -> MatchEnd:
    return MatchEnd(next_start="claimant" if starter == "final_bidder" else "letters", first="letters")


def _rules(options: Options) -> Rules:
    slips = Slips(options.slip_length, options.slip_plays, options.final_double)
    interludes: tuple[InterludeRules, ...] = (slips,) if options.numbers == "slips" else ()
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
        _match_end(options.next_starter),
        interludes,
    )


def _wizard_rules(options: WizardOptions) -> Rules:
    return Rules(
        "liars_poker_wizard",
        SEATS,
        Serials(),
        Counting(rank=options.digit_order),
        Doubt("all"),
        Handling(),
        Reveal("counts", on_demand=True),
        (PayEach(options.stake),),
        _match_end(options.next_starter),
    )


def _dollar_rules(options: DollarOptions) -> Rules:
    return Rules(
        "dollar_bill",
        SEATS,
        Serials(single_use=True),
        Counting(rank=options.digit_order),
        Doubt("all"),
        Handling(),
        Reveal("all"),
        (PayEach(options.stake),),
        _match_end("final_bidder"),
    )


GAME: Final = Game(
    "liars_poker",
    f"Liar{APOSTROPHE}s poker (Salomon, 1986)",
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
    aliases=("Serial numbers", f"Banknote liar{APOSTROPHE}s poker"),
)
WIZARD: Final = Game(
    "liars_poker_wizard",
    f"Liar{APOSTROPHE}s poker (the Wizard{APOSTROPHE}s)",
    "Serial numbers, nine high, a flat stake: the last claim is counted as soon as all others doubt it.",
    "Wizard of Odds: liar's poker",
    WizardOptions,
    anything_goes,
    _wizard_rules,
)
DOLLAR: Final = Game(
    "dollar_bill",
    f"Dollar-bill liar{APOSTROPHE}s poker",
    "A bill each, used once: claims count a digit over all bills, ones high, and the bills are shown.",
    "Bar dice: liar's poker on dollar bills",
    DollarOptions,
    anything_goes,
    _dollar_rules,
    aliases=("Dollar bills",),
)
