"""The cards of the games, for forms and programs that open matches."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from domain.errors import Refused
from domain.games import GAMES, options_of
from domain.rules.rules import DealPer, OwnCups, Serials, SharedCup, Tokens

Family = Literal["own_cups", "passed_cup", "serials"]


class GameCard(Struct, frozen=True):
    """A game that can be opened.

    Attributes:
        line: The game in one line for people.
        source: Where its rules come from.
        family: Whether everybody has a cup, one cup is passed on, or everybody has a serial number.
        seats: The fewest and the most who can play under the usual rules.
        seats_of_any: The same, under whichever of its rules.
        deals: What a provable deal may be for while the house rules are the usual ones.
        options: A JSON Schema of its house rules, with what people read beside them: `x-words` has a phrase for each
            value, `x-needs` the other options with the values at which this one counts, `x-only` the same for a value.
        defaults: What they are if nothing is said.
        presets: House rules that people know by a name.
        aliases: What else people call the game.
    """

    name: str
    title: str
    line: str
    source: str
    family: Family
    seats: tuple[int, int]
    seats_of_any: tuple[int, int]
    deals: tuple[DealPer, ...]
    options: dict[str, Any]
    defaults: dict[str, Any]
    presets: dict[str, dict[str, Any]]
    aliases: tuple[str, ...] = ()


_FAMILIES: Final[dict[type[Tokens], Family]] = {
    OwnCups: "own_cups",
    SharedCup: "passed_cup",
    Serials: "serials",
}


def cards() -> tuple[GameCard, ...]:
    """Return one card for each game of the house, in the order of the registry."""
    return tuple(_card(name) for name in GAMES)


def _card(name: str) -> GameCard:
    game, options = GAMES[name], options_of(name, {})
    rules = game.rules(options)
    return GameCard(
        name=name,
        title=game.title,
        line=game.line,
        source=game.source,
        family=_FAMILIES[type(rules.tokens)],
        seats=rules.seats,
        seats_of_any=_seats_of_any(name),
        deals=rules.deals,
        options=msgspec.json.schema(game.options),
        defaults=msgspec.to_builtins(options),
        presets=game.presets,
        aliases=game.aliases,
    )


def _seats_of_any(name: str) -> tuple[int, int]:
    """Return the fewest and the most seats that any one choice among the options leads to."""
    schema = msgspec.json.schema(GAMES[name].options)["$defs"][GAMES[name].options.__name__]["properties"]
    asked = [{}, *({option: value} for option, part in schema.items() for value in part.get("enum", ()))]
    ranges = [seats for given in asked if (seats := _seats_with(name, given)) is not None]
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _seats_with(name: str, given: dict[str, Any]) -> tuple[int, int] | None:
    """Return the seats under these options; None where the option needs another one beside it."""
    try:
        return GAMES[name].rules(options_of(name, given)).seats
    except Refused:
        return None
