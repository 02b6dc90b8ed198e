"""The cards of the games, for forms and programs that open matches."""

from __future__ import annotations

from typing import Any

import msgspec
from domain.games import GAMES, options_of

from services.api.answers import GameCard


def cards() -> tuple[GameCard, ...]:
    """Return one card for each game of the house, in the order of the registry."""
    return tuple(_card(name) for name in GAMES)


def _card(name: str) -> GameCard:
    game = GAMES[name]
    options = options_of(name, {})
    defaults: dict[str, Any] = msgspec.to_builtins(options)
    lowest, highest = game.rules(options).seats
    schema = msgspec.json.schema(type(options))
    return GameCard(name, game.title, game.line, game.source, (lowest, highest), schema, defaults)
