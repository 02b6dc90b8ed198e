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
    game, options = GAMES[name], options_of(name, {})
    defaults: dict[str, Any] = msgspec.to_builtins(options)
    schema = msgspec.json.schema(game.options)
    return GameCard(name, game.title, game.line, game.source, game.rules(options).seats, schema, defaults, game.presets)
