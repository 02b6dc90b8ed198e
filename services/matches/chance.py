"""Chance for commands: the secrets of a deal, drawn when it is decided and for each try anew."""

from __future__ import annotations

from typing import Final

import msgspec

from domain import commands
from domain.match.evolve import Match
from infra.entropy import draw

NO_CHANCE: Final = commands.Chance(b"", {})
"""Stands for the secrets of a command until it is decided: they are drawn anew for each try."""


CHANCED: Final = (commands.Start, commands.Advance)
"""The commands that a deal may follow from."""


def with_chance(command: commands.Start | commands.Advance, match: Match) -> commands.MatchCommand:
    """Return the command with fresh secrets, for the seats of the very match it is decided on."""
    chance = commands.Chance(draw(32), {seat: draw(32) for seat in match.seated})
    return msgspec.structs.replace(command, chance=chance)
