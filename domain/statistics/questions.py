"""Questions: what may be asked of the odds, for a command or a route.

`QUESTIONS` lists them, with the bounds of each parameter as msgspec reads them (`json.schema`), and `answer` answers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from domain.faults import shaped
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import DIGITS, PIPS
from domain.statistics.odds import (
    SERIAL,
    THROWS,
    Pattern,
    chance_of_at_least,
    chance_of_bid,
    chance_of_exact_bid,
    chance_of_exactly,
    chance_of_hand_or_higher,
    chances_of_at_least,
    chances_of_exactly,
    chances_of_hands,
    chances_of_hands_or_higher,
    drinks_of_first_out,
    expected_at_most,
    expected_quantity,
    greatest_frequency,
    label,
    likeliest_quantities,
    odds_against,
    pattern_chance,
    pattern_of,
    patterns,
    raise_threshold,
    shapes,
    specials,
    winners_curse,
)

MOST: Final = 200
"""Twice the dice of the fullest table; the longest fraction has 600 digits, which Python writes out."""
Answer = Fraction | dict[str, Fraction]
"""A chance or another number; or a table of them by what they are the chance of, in reading order."""


class OddsQuestion(Struct, frozen=True):
    """What may be asked: a line for people, the struct its parameters are converted to, and who answers them."""

    line: str
    params: type[Struct]
    ask: Callable[..., Any]


def answer(name: str, given: object) -> Answer:
    """Return the answer to a question; `given` are its `params`, or an object of them, whose values may be texts.

    Raises:
        ValueError: There is no such question, or nobody can ask it.
    """
    if name not in QUESTIONS:
        raise ValueError(f"no question is called {name}")
    asked = msgspec.structs.asdict(shaped(given, QUESTIONS[name].params))
    found = QUESTIONS[name].ask(**{key: _READ[key](value) if key in _READ else value for key, value in asked.items()})
    table = dict(enumerate(found)) if isinstance(found, tuple) else found
    return {label(key): part for key, part in table.items()} if isinstance(table, dict) else Fraction(table)


def _of_bid(ask: Callable[..., Fraction]) -> Callable[..., Fraction]:
    return lambda quantity, face, token, **view: ask(Count(quantity, face), faces=_TOKENS[token], **view)


def _of_hand(shape: str, faces: tuple[int, ...], **thrown: Any) -> Fraction:  # noqa: ANN401  what goes with every hand
    return chance_of_hand_or_higher(hand=Hand(shape, faces), **thrown)


def _of_serial(serial: str) -> dict[Pattern, Fraction]:
    return {pattern_of(serial): pattern_chance(pattern_of(serial))}


_TOKENS: Final = {"die": PIPS, "digit": DIGITS}
_READ: Final[dict[str, Callable[[Any], Any]]] = {"chance": Fraction, "throw": THROWS.__getitem__}
"""How parameters of these names are read; all others are what they say."""
_COUNT: Final = Annotated[int, Meta(ge=0, le=MOST)]
_FEW: Final = Annotated[int, Meta(ge=1, le=20)]
_FACE = Annotated[int, Meta(ge=0, le=14)]
_FACES: Final = Annotated[tuple[_FACE, ...], Meta(max_length=MOST)]
_CHANCE: Final = ("chance", Annotated[str, Meta(pattern="^([01]|[0-9]{1,3}/[1-9][0-9]{0,2})$", examples=["1/6"])])
_OF: Final = (("tokens", _COUNT), _CHANCE)
_VIEW: Final = (("seen", _FACES, ()), ("unseen", _COUNT), ("wild", bool), ("token", Literal["die", "digit"], "die"))
_BID: Final = (("quantity", _COUNT), ("face", _FACE), *_VIEW)
_THROW: Final = (("throw", Literal[tuple(THROWS)]), ("kept", _FACES, ()))
_HAND: Final = (*_THROW, ("shape", Annotated[str, Meta(max_length=20)]), ("faces", _FACES, ()))
_PLAYERS: Final = ("players", Annotated[int, Meta(ge=2, le=MOST)])
_ALIKE: Final = (("length", _FEW, SERIAL), ("faces", _FEW, DIGITS.count))
_SERIAL: Final = ("serial", Annotated[str, Meta(pattern="^[0-9]{1,20}$")])

_ROWS: Final[tuple[tuple[str, str, Callable[..., Any], tuple[tuple[Any, ...], ...]], ...]] = (
    ("at_least", "Chance that so many unknown tokens or more count", chance_of_at_least, (*_OF, ("quantity", _COUNT))),
    ("at_least_each", "The same for every quantity", chances_of_at_least, _OF),
    ("exactly", "Chance that exactly so many unknown tokens count", chance_of_exactly, (*_OF, ("quantity", _COUNT))),
    ("exactly_each", "The same for every quantity", chances_of_exactly, _OF),
    ("expected_quantity", "How many count on average, rounded down", expected_quantity, _OF),
    ("likeliest_quantities", "Which exact counts are likeliest, and how likely", likeliest_quantities, _OF),
    ("expected_at_most", "How many count on average if few do", expected_at_most, (*_OF, ("most", _COUNT))),
    ("odds_against", "The x of x to 1 against", odds_against, (_CHANCE,)),
    ("bid_holds", "Chance that a bid holds, as you see it", _of_bid(chance_of_bid), (*_BID, ("natural", bool, False))),
    ("bid_exact", "Chance that a bid is exactly right, as you see it", _of_bid(chance_of_exact_bid), _BID),
    ("drinks_of_first_out", "Most drinks of the first out", drinks_of_first_out, (_PLAYERS, ("dice", _FEW))),
    ("patterns", "Chance of each pattern of a serial number", patterns, _ALIKE),
    ("pattern_of", "The pattern of a serial number, and its chance", _of_serial, (_SERIAL,)),
    ("greatest_frequency", "Chance of so many alike, no more", greatest_frequency, (("most", _FEW), *_ALIKE)),
    ("raise_threshold", "How likely a raise must hold", raise_threshold, (_PLAYERS, ("multiplier", _FEW, 1))),
    ("winners_curse", "Mean of a digit elsewhere", winners_curse, (("doubters", _COUNT), ("raisers", _COUNT, 0))),
    ("hand_at_least", "Chance of a hand or a higher one", _of_hand, _HAND),
    ("hands_at_least", "Chance of each hand or a higher one", chances_of_hands_or_higher, _THROW),
    ("hands_exactly", "Chance that each hand is the highest made", chances_of_hands, _THROW),
    ("shapes", "Chance of each kind of hand", shapes, _THROW),
    ("specials", "Chance of the throws of Mexican that have a name", specials, ()),
)
QUESTIONS: Final[dict[str, OddsQuestion]] = {
    name: OddsQuestion(
        line, msgspec.defstruct(name, fields, frozen=True, forbid_unknown_fields=True, kw_only=True), ask
    )
    for name, line, ask, fields in _ROWS
}
