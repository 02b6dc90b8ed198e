"""The game as the house lists it: name, title, options, the rules they come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from domain.rules.rules import Rules


class Game(Struct, frozen=True):
    """A game.

    Attributes:
        name: Its name in rules objects, for ever.
        title: What people call it.
        line: The game in one line.
        source: Where its rules come from.
        options: The struct of its options.
        check: Refuses options that contradict each other.
        rules: The rules its options come to.
        presets: Options people know by a name.
        aliases: What else people call it, here or elsewhere, those most asked for first.
    """

    name: str
    title: str
    line: str
    source: str
    options: type[Struct]
    check: Callable[[Any], None]
    rules: Callable[[Any], Rules]
    presets: dict[str, dict[str, Any]] = {}
    aliases: tuple[str, ...] = ()


def anything_goes(_options: Struct) -> None:
    """Accept options that cannot contradict each other."""
