"""Contenders: who is measured. A level of the house, a policy as a file, or a program of others.

A contender sits in as many seats of a match as the plan gives it, and plays each by what that seat has been shown.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

from msgspec import Struct

from domain import events
from domain.fairness.openings import DealSecrets
from domain.ids import Seat
from domain.match.evolve import Match
from domain.match.record import MatchAtHead
from domain.strategy.policies.files import Policy
from projections.frames import encode_frame, frame_of
from services.engines.hosting import Engaged, EngineHost, Go, Tries
from services.engines.levels import Chooser, player_of
from services.engines.lines import Greeting
from services.engines.process import EngineCommand
from services.engines.seen import SeenMatch
from services.gauntlet.named import PolicyChooser

ENGINE: Final = "engine:"
POLICY: Final = "policy:"


class SeenEvent(Struct, frozen=True):
    """An event of a match, with what whoever deals knows of it.

    Attributes:
        match: The match after it.
        head: The hash of its line.
        keeper: The secrets of the deal; who sits sees of them what its seat may know.
    """

    event: events.Event
    match: Match
    head: str
    keeper: DealSecrets | None


class SeatHeld(Protocol):
    """A contender in one seat of one match."""

    async def see(self, moment: SeenEvent) -> None:
        """See one more event."""

    async def choose(self, go: Go, tries: Tries) -> Engaged:
        """Choose a move and have it done."""

    async def leave(self, winner: Seat | None) -> None:
        """See that the match is over."""


class Contender(Protocol):
    """Somebody who is measured.

    Attributes:
        name: What the table of results calls it, as it was asked for.
        remembers: Whether it may keep what it has seen from one match to the next, so that no dice may come again.
    """

    name: str
    remembers: bool

    async def sit(self, match: str, rules: dict[str, Any], seat: Seat, seats: int) -> SeatHeld:
        """Take a seat in a new match."""

    async def end(self) -> None:
        """Let go of whatever was started."""


class HousePlayer:
    """A player of the house, which thinks in this process."""

    remembers = False

    def __init__(self, name: str, player: Chooser | None = None) -> None:
        """Be called so, and choose as this player does; as the level of that name, if nobody is given.

        Raises:
            UnknownLevel: There is no such level.
        """
        self.name = name
        self._player = player or player_of(name)

    async def sit(self, match: str, rules: dict[str, Any], seat: Seat, seats: int) -> SeatHeld:  # noqa: ARG002 - events say it
        """Take a seat in a new match."""
        return _HouseSeat(self._player, seat)

    async def end(self) -> None:
        """Hold nothing."""


class _HouseSeat:
    def __init__(self, player: Chooser, seat: Seat) -> None:
        self._player, self._seen = player, SeenMatch(seat)

    async def see(self, moment: SeenEvent) -> None:
        self._seen.see(moment.event, moment.match, moment.keeper)

    async def choose(self, go: Go, tries: Tries) -> Engaged:
        thought = self._player.choose(self._seen, bytes.fromhex(go.chance))
        code = "no_move" if thought is None else await tries(thought.command)
        return Engaged("move" if code is None else "foul", code or "")

    async def leave(self, winner: Seat | None) -> None:
        """See that the match is over."""


class EnginePlayer:
    """A program of others, one process for each seat it takes."""

    remembers = True

    def __init__(self, name: str, folder: Path, memory_mib: int) -> None:
        """Be the engine of a command, `engine:CMD`, whose error output goes into this folder."""
        self.name = name
        self._command = EngineCommand(name.removeprefix(ENGINE), folder / "engine.log", memory_mib)
        self._free: list[EngineHost] = []
        self._every: list[EngineHost] = []

    async def greet(self) -> Greeting:
        """Start a first process, and return who it says it is.

        Raises:
            NoProgram: There is no such program.
            Untold: It is no engine.
        """
        host = EngineHost(self._command)
        greeting = await host.start()
        self._every.append(host)
        self._free.append(host)
        return greeting

    async def sit(self, match: str, rules: dict[str, Any], seat: Seat, seats: int) -> SeatHeld:
        """Take a seat in a new match."""
        if not self._free:
            await self.greet()
        host = self._free.pop()
        await host.new_match(match, rules, seat, seats)
        return _EngineSeat(host, seat, self._free.append)

    async def end(self) -> None:
        """End every process."""
        for host in self._every:
            await host.end()


class _EngineSeat:
    def __init__(self, host: EngineHost, seat: Seat, free: Callable[[EngineHost], None]) -> None:
        self._host, self._seat, self._free = host, seat, free

    async def see(self, moment: SeenEvent) -> None:
        written = MatchAtHead(moment.match, moment.head)
        await self._host.frame(encode_frame(frame_of(written, moment.event, self._seat, moment.keeper, {}, more=False)))

    async def choose(self, go: Go, tries: Tries) -> Engaged:
        return await self._host.choose(go, self._seat, tries)

    async def leave(self, winner: Seat | None) -> None:
        await self._host.end_match(winner)
        self._free(self._host)


class PolicyPlayer(HousePlayer):
    """A policy that plays, and level 1 where it says nothing.

    Attributes:
        policy: The policy.
    """

    def __init__(self, name: str, policy: Policy) -> None:
        """Be called so, and play by this policy.

        Raises:
            PlaysNothing: It says nothing of moves.
        """
        super().__init__(name, PolicyChooser(policy))
        self.policy = policy


def contender_of(text: str, folder: Path, memory_mib: int, find: Callable[[str], Policy]) -> Contender:
    """Return the contender that a text names: `L2`, `L1.bold`, `policy:ID`, `engine:CMD`.

    Args:
        text: The text.
        folder: Where the error output of a program goes.
        memory_mib: What a program may take.
        find: Returns the policy of a name or hash, and raises what it has to say where there is none.

    Raises:
        UnknownLevel: It names none.
        PlaysNothing: It names a policy that says nothing of moves.
    """
    if text.startswith(ENGINE):
        return EnginePlayer(text, folder, memory_mib)
    return PolicyPlayer(text, find(text.removeprefix(POLICY))) if text.startswith(POLICY) else HousePlayer(text)
