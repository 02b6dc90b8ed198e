"""`truecup engine`: a player of the house as a program that speaks TCE/1."""

from __future__ import annotations

import sys

from services.cli.exits import FINE
from services.client.house import CannotDo
from services.engines.levels import UnknownLevel, player_of
from services.engines.serving import serve


def engine(level: str, /) -> int:
    """Be an engine, on standard input and output.

    Args:
        level: The player: `L1`, `L2.bold` and so on.
    """
    try:
        player = player_of(level)
    except UnknownLevel as trouble:
        raise CannotDo(str(trouble)) from None
    serve(player, sys.stdin.buffer, sys.stdout.buffer)
    return FINE
