"""Decisions on what is due in a tournament, made where they hold nobody up.

To pair a thousand takes half a second of a core, and what a package pairs some seconds. So small fields are decided
where they are, larger ones in a thread, and the largest by a worker, whose only argument is what the decision follows
from. Nothing is locked meanwhile: what comes of it is appended at the version it was worked out from, or thrown away.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.ids import UnixMs
from domain.tournaments import commands
from domain.tournaments.deciding.decide import TournamentDecision, decide
from domain.tournaments.tournament import Tournament
from services.audit.dutch import given_pairing
from services.work.worker import Worker

LARGE: Final = 24
"""Entrants from which on what is due is decided in a thread: pairing them takes longer than others should wait."""
VERY_LARGE: Final = 96
"""Those from which on a worker does it: a thread that computes slows all others down, and it takes a tenth of a second
by then, many times what it takes to hand it over."""


class DueGiven(Struct, frozen=True):
    """All that a decision on what is due follows from; as `decide` takes it."""

    tournament: Tournament
    command: commands.Proceed
    at: UnixMs
    head: str
    keeper: DealSecrets | None


class RefusedThere(Struct, frozen=True):
    """A refusal on its way from another process."""

    code: str
    facts: dict[str, Any]


class DueDecisions:
    """Decides, here or elsewhere."""

    def __init__(self, worker: Worker | None = None) -> None:
        """Let this worker do what takes long; without one, a thread does."""
        self._worker = worker

    async def decide(
        self, tournament: Tournament, command: commands.AnyCommand, at: UnixMs, head: str, keeper: DealSecrets | None
    ) -> TournamentDecision:
        """Return what a command leads to.

        Raises:
            Refused: A law says no.
            WorkerLost: The worker has ended meanwhile.
            Unavailable: It had ended before.
        """
        if not isinstance(command, commands.Proceed):
            return decide(tournament, command, at, head, keeper)
        given = DueGiven(tournament, command, at, head, keeper)
        if len(tournament.entrants) < LARGE:
            found = decide_due(given)
        elif self._worker is None or len(tournament.entrants) < VERY_LARGE:
            found = await asyncio.to_thread(decide_due, given)
        else:
            found = await self._worker.do(decide_due, given)
        if isinstance(found, RefusedThere):
            raise Refused(found.code, **found.facts)
        return found


def decide_due(given: DueGiven) -> TournamentDecision | RefusedThere:
    """Return what is due with the tables that a package makes of it, where one does."""
    command = replace(given.command, given=given_pairing(given.tournament))
    try:
        return decide(given.tournament, command, given.at, given.head, given.keeper)
    except Refused as refused:
        return RefusedThere(refused.code, refused.facts)
