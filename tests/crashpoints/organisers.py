"""Organisers: a small tournament of the house's bots, from its announcement to the close."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final
from uuid import UUID

from domain.tournaments import commands
from domain.tournaments.presets import preset
from domain.tournaments.record import PREFIX as TOURNAMENT
from services.matches.requests import CommandMetadata
from services.tournaments.handler import TournamentHandler
from services.tournaments.requests import TournamentAnswer
from tests.crashpoints.asking import Asker

LOOK_S: Final = 0.05
RULES: Final[dict[str, Any]] = {
    "match": {"game": "common_hand", "options": {"dice_per_player": 1}, "pause_ms": 0},
    "time": {"check_in_ms": 0, "between_ms": 0, "claims_ms": 0},
    "entry": {"bots": "only"},
    "stages": [{"format": "swiss", "rounds": 2}],
}
"""A tournament that waits for nobody."""
BOTS: Final = 3


class Organisers(Asker):
    """Those who hold a tournament."""

    async def _run(self) -> None:
        """Announce it, let bots in, and wait until the director has closed it."""
        rules = preset("pods", **RULES)
        announced = await self._do("create", lambda ask: self._held.create(dict(rules), ask))
        event, host = UUID(announced.tournament), announced.by
        assert host is not None
        await self._submit(event, commands.OpenEntry(by=host))
        for number in range(BOTS):
            await self._enter(event, host, number)
        await self._submit(event, commands.OpenCheckIn(by=host))
        while not (await self._held.load(event, 0)).tournament.ended:
            await asyncio.sleep(LOOK_S)

    async def _enter(self, event: UUID, host: str, number: int) -> None:
        name = f"Bot {number}"
        await self._do(f"enter {number}", lambda ask: self._held.register_bot(event, host, "L0.steady", name, ask))

    async def _submit(self, event: UUID, command: Any) -> None:
        await self._do(type(command).__name__, lambda ask: self._held.submit(event, command, ask))

    async def _do(self, step: str, ask: Callable[[CommandMetadata], Awaitable[TournamentAnswer]]) -> TournamentAnswer:
        asked = CommandMetadata("host", *self._key(step))
        return await self._ask(step, asked, ask, TournamentAnswer, lambda told: f"{TOURNAMENT}{told.tournament}")

    @property
    def _held(self) -> TournamentHandler:
        assert self._program.dealing is not None, "this house deals"
        return self._program.dealing.tournaments
