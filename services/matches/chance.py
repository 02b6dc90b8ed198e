"""Chance for commands: the secrets of a deal, drawn when it is decided and for each try anew, and public beacons."""

from __future__ import annotations

from typing import Final

import msgspec

from domain import commands
from domain.errors import Refused
from domain.match.evolve import Match
from domain.match.settings import BeaconSettings
from infra.entropy import draw
from services.audit.beacons import BeaconSource

NO_CHANCE: Final = commands.Chance(b"", {})
"""Stands for the secrets of a command until it is decided: they are drawn anew for each try."""


CHANCED: Final = (commands.Start, commands.Advance)
"""The commands that a deal may follow from."""


def with_chance(command: commands.Start | commands.Advance, match: Match) -> commands.MatchCommand:
    """Return the command with fresh secrets, for the seats of the very match it is decided on."""
    chance = commands.Chance(draw(32), {seat: draw(32) for seat in match.seated})
    return msgspec.structs.replace(command, chance=chance)


def beacon_setting(beacon: BeaconSource | None, name: str | None) -> BeaconSettings | None:
    """Return what the rules object says of the beacon of this name, in a house that asks this one, or none.

    Raises:
        Refused: `bad_options`: the house does not ask it.
    """
    known = {} if beacon is None else {beacon.name: beacon.setting}
    if name is not None and name not in known:
        raise Refused("bad_options", option="beacon", why="this house does not ask it", known=sorted(known))
    return None if name is None else known[name]
