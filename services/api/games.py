"""The cards of the games, for forms and programs that open matches."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from domain.errors import Refused
from domain.games import GAMES, options_of
from domain.rules.rules import OwnCups, Serials, SharedCup, Tokens
from services.api.answers import Family, GameCard

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
