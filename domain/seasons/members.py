"""Members of a season: players by their ids, and bots of the house by how they play; guests are none.

A player is `u` and 24 hex digits in every tournament, so records say who is whom without anybody's word. A bot of the
house is `bot/<manner>/<8 hex digits>` in a tournament, another one each time, and counts as `bot/<manner>`; its manner
is a style, or a level and a style with a point between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from domain.seats import BOT_PREFIX
from domain.tournaments.tournament import Entrant

PLAYER: Final = re.compile(r"u[0-9a-f]{24}")
BOT: Final = re.compile(rf"({BOT_PREFIX}(?:L[0-9]\.)?[a-z]+)/[0-9a-f]{{8}}")


def is_player(name: str) -> bool:
    """Report whether this is the id of a player."""
    return PLAYER.fullmatch(name) is not None


def is_bot(member: str) -> bool:
    """Report whether a member is a bot of the house."""
    return member.startswith(BOT_PREFIX)


def member_of(player: str) -> str | None:
    """Return what an entrant of this id is known by in seasons; None for a guest."""
    bot = BOT.fullmatch(player)
    if bot is not None:
        return bot[1]
    return player if is_player(player) else None


def members_of(entrants: Iterable[Entrant]) -> dict[int, str]:
    """Return the members among entrants, by number: of several bots that play alike, the first stands for all."""
    found: dict[str, int] = {}
    for entrant in entrants:
        member = member_of(entrant.player)
        if member is not None:
            found.setdefault(member, entrant.number)
    return {number: member for member, number in found.items()}
