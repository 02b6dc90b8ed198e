"""Planted bugs: faults of services as they are made in practice, each a small change that the simulation has to find.

bug            what one is
commands       who takes commands
deals          secrets, tokens, who was served which dice
followers      cursors and rows
viewers        whose eyes, and in which order
clocks         who is waited for, and what is due
transparency   anchors, checkpoints, witnesses
tournaments    directors
talk           comments
keys           seats that sign and draw their own seeds
hooks          who is told of tournaments, and of what
"""

from __future__ import annotations

from typing import Final

from tests.simulation.planted import (
    clocks,
    commands,
    deals,
    followers,
    hooks,
    keys,
    talk,
    tournaments,
    transparency,
    viewers,
)
from tests.simulation.planted.bug import Planted

BUGS: Final[tuple[Planted, ...]] = (
    *commands.BUGS,
    *deals.BUGS,
    *followers.BUGS,
    *viewers.BUGS,
    *clocks.BUGS,
    *transparency.BUGS,
    *tournaments.BUGS,
    *talk.BUGS,
    *hooks.BUGS,
    *keys.BUGS,
)
