"""Interludes: what some games put between rounds or in the middle of one, a file each.

In reading order:

    slips      numbers that are played in an order nobody can plan on
    chase      five aces, and one more throw for the other seat
    cocked     dice that may lie cocked, and the look at them
    buying     staying in after the last loss, for a price
"""

from __future__ import annotations

from typing import Final, get_args

from domain.table.interlude import Interlude
from domain.table.interludes.buying import Buying
from domain.table.interludes.chase import Chase
from domain.table.interludes.cocked import Cocked
from domain.table.interludes.slips import Slips

AnyInterlude = Slips | Chase | Cocked | Buying
"""Every interlude there is. Whoever adds one adds it here and nowhere else: its events and commands are found by it."""
KINDS: Final[tuple[type[Interlude], ...]] = get_args(AnyInterlude)
EVENTS: Final = tuple(event for kind in KINDS for event in kind.event_types)
COMMANDS: Final = tuple(command for kind in KINDS for command in kind.command_types)
