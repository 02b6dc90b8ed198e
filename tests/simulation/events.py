"""Events of a schedule: a small tournament of the house's bots, which its host opens and the director holds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from domain.tournaments import commands
from domain.tournaments.presets import preset
from services.program.app import HouseProgram
from services.tournaments.handler import TournamentHandler
from services.tournaments.requests import TournamentAnswer
from tests.simulation.ears import Ears
from tests.simulation.hooks import Hook, HookPlan
from tests.simulation.people import Crowd, GaveUp

RULES: Final[dict[str, Any]] = {
    "match": {"game": "common_hand", "options": {"dice_per_player": 1}, "pause_ms": 0},
    "time": {"check_in_ms": 0, "between_ms": 0, "claims_ms": 0},
    "entry": {"bots": "only"},
    "stages": [{"format": "swiss", "rounds": 2}],
}
"""A tournament that waits for nobody."""


class Event:
    """One tournament, from its announcement to the close.

    Attributes:
        id: The tournament, once it is announced.
        told: What its host was answered.
        hooks: The addresses that are told of it.
    """

    def __init__(self, crowd: Crowd, bots: int, ears: Ears, hooks: Sequence[HookPlan]) -> None:
        self._crowd = crowd
        self._ears, self._plans = ears, hooks
        self.hooks: list[Hook] = []
        self._bots = bots
        self.id: UUID | None = None
        self.told: list[TournamentAnswer] = []

    @property
    def stream(self) -> str:
        """Its stream in the log."""
        return f"tournament/{self.id}"

    async def run(self) -> None:
        """Announce it, let bots in, and wait for the close."""
        with suppress(GaveUp):
            await self._run()

    async def _run(self) -> None:
        rules = preset("pods", **RULES)
        announced = await self._do("create", lambda held, ask: held.create(dict(rules), ask))
        self.id, host = UUID(announced.tournament), announced.by
        assert host is not None
        self.hooks = [Hook(self._crowd, self._ears, self.id, plan) for plan in self._plans]
        await self._make_hooks(early=True)
        await self._submit(commands.OpenEntry(by=host))
        for number in range(self._bots):
            await self._enter(host, number)
        await self._make_hooks(early=False)
        await self._submit(commands.OpenCheckIn(by=host))
        while not await self._crowd.ask_dealer(self._has_closed):
            self._crowd.check_time()
            await asyncio.sleep(0.5)

    async def _make_hooks(self, *, early: bool) -> None:
        for hook in self.hooks:
            if hook.plan.early == early:
                await hook.make()

    async def _enter(self, host: str, number: int) -> None:
        event = self._id()
        await self._do("enter", lambda held, ask: held.register_bot(event, host, "L0.steady", f"Bot {number}", ask))

    async def _submit(self, command: Any) -> None:
        event = self._id()
        await self._do(type(command).__name__, lambda held, ask: held.submit(event, command, ask))

    async def _do(self, kind: str, does: Any) -> TournamentAnswer:
        ask = self._crowd.event_ask(kind)

        async def asked(program: HouseProgram) -> TournamentAnswer:
            return await does(_held(program), ask)

        answer = await self._crowd.ask_twice(kind, asked)
        self.told.append(answer)
        return answer

    async def _has_closed(self, program: HouseProgram) -> bool:
        return (await _held(program).load(self._id(), 0)).tournament.ended

    def _id(self) -> UUID:
        assert self.id is not None, "it was announced"
        return self.id


def _held(program: HouseProgram) -> TournamentHandler:
    assert program.dealing is not None, "a dealer was asked"
    return program.dealing.tournaments
