"""Those in an arena who wait for a table and have gone: a table would wait for them in vain."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from domain.ids import Version
from domain.seats import is_person
from domain.tournaments.commands import AnyCommand, TakeBreak
from domain.tournaments.events import RULE
from domain.tournaments.field import StageField
from domain.tournaments.formats.arenas import idle_since
from domain.tournaments.formats.table import format_of
from domain.tournaments.tournament import Tournament
from services.matches.watching.presence import Presence

GONE_MS: Final = 1_000
"""How often it is looked at who has gone."""
Submit = Callable[[Tournament, AnyCommand, str, Version | None], Awaitable[bool]]
"""Asks a tournament for something under a key, if it is still at a version; says whether it has moved."""


def people_idle(tournament: Tournament) -> Iterator[int]:
    """Yield the numbers of people who wait for a table of an arena that is played, ascending."""
    stage = tournament.stage
    if tournament.phase != "running" or stage is None or stage.closed is not None:
        return
    if not format_of(tournament.stage_rules).waits:
        return
    idle, _ = idle_since(StageField(tournament, stage.number))
    yield from (n for n in sorted(idle) if is_person(tournament.entrants[n].player))


async def pause_the_gone(tournament: Tournament, presence: Presence, submit: Submit) -> bool:
    """Let nobody wait who has gone, and report whether anybody did.

    Whoever is seated first, or says anything else meanwhile, is looked at anew. A crash between leaves the rest.
    """
    for number in people_idle(tournament):
        if presence.has_gone(tournament.id, number):
            gone, key = TakeBreak(by=RULE, number=number), f"gone/{number}/{tournament.version}"
            return await submit(tournament, gone, key, tournament.version)
    return False
