"""A tournament over HTTP: its host, people who enter and check in, bots, and where it stands."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from infra.clock import ticks_s
from services.cli.bench.clients.wire import Wire
from services.cli.bench.sheets.figures import Figure, figure
from services.client.house import CannotDo

CONNECTIONS: Final = 50
BOTS_AT_ONCE: Final = 64
DICE: Final[dict[str, Any]] = {"game": "common_hand", "options": {"dice_per_player": 2}}
TIMES: Final = {"check_in_ms": 3_600_000, "between_ms": 0, "claims_ms": 0}
TOO_MANY: Final = 429
BAD: Final = 400
LOOK_S: Final = 0.25
LATE_S: Final = 300.0
"""How long a house may take for a step of a large tournament, on a machine that is busy."""


class TokenHolder(Struct, frozen=True):
    """Who is in: the number and the token."""

    number: int
    token: str


class EventHost:
    """The host of a tournament.

    Attributes:
        path: Its address.
        tournament: Its id.
    """

    def __init__(self, wire: Wire, answer: dict[str, Any]) -> None:
        """Speak over this connection for the host of the tournament that was announced so."""
        self._wire = wire
        self._token: str = answer["token"]
        self.tournament: str = answer["tournament"]
        self.path = f"/api/v1/tournaments/{self.tournament}"

    @classmethod
    async def announced(cls, url: str, entrants: int, client: int, rounds: int = 1) -> EventHost:
        """Announce a tournament in pods of four for so many, whose entry is open."""
        wire = await Wire.to(url, client=client)
        rules = {
            "match": DICE,
            "entry": {"max": max(2, entrants), "bots": "labelled"},
            "stages": [{"format": "swiss", "rounds": rounds}],
            "time": TIMES,
        }
        host = cls(wire, await _done(wire, "/api/v1/tournaments", {"rules": rules, "private": True}))
        await host.ask(type="open_entry")
        return host

    async def ask(self, **command: Any) -> dict[str, Any]:  # noqa: ANN401 - members of the command
        """Ask the tournament for something, and return the answer."""
        return await _done(self._wire, f"{self.path}/commands", command, self._token)

    async def view(self) -> dict[str, Any]:
        """Return how it stands."""
        _, found = await self._wire.ask("GET", self.path)
        view: dict[str, Any] = found
        return view

    async def until(self, come: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Wait until it stands so, and return how.

        Raises:
            CannotDo: It takes too long.
        """
        until = ticks_s() + LATE_S
        while not come(view := await self.view()):
            if ticks_s() > until:
                raise CannotDo(f"the tournament did not {what} within {LATE_S:.0f} s")
            await asyncio.sleep(LOOK_S)
        return view

    async def enter_bots(self, count: int) -> None:
        """Let so many bots of the house in."""
        for begin in range(0, count, BOTS_AT_ONCE):
            body = {"count": min(BOTS_AT_ONCE, count - begin)}
            await _done(self._wire, f"{self.path}/bots", body, self._token)

    async def close(self) -> None:
        """Hang up."""
        await self._wire.close()


async def enter(url: str, host: EventHost, people: int, first: int) -> tuple[list[TokenHolder], Figure]:
    """Let so many people in, each from an address of their own, and return them with how fast that went."""
    entered: list[TokenHolder] = []

    async def one(wire: Wire, number: int) -> None:
        answer = await _done(wire, f"{host.path}/entrants", {"name": f"Player {number}"})
        entered.append(TokenHolder(answer["number"], answer["token"]))

    return entered, await _crowd(url, range(people), one, first)


async def check_in(url: str, host: EventHost, people: Sequence[TokenHolder], first: int) -> Figure:
    """Let all of them check in, and return how fast that went.

    Raises:
        CannotDo: One of them is refused.
    """

    async def one(wire: Wire, number: int) -> None:
        await _done(wire, f"{host.path}/commands", {"type": "check_in"}, people[number].token)

    return await _crowd(url, range(len(people)), one, first)


async def _crowd(url: str, work: Sequence[int], one: Callable[[Wire, int], Awaitable[None]], first: int) -> Figure:
    """Do some work over as many connections as there are, each one piece after the other."""
    clients = min(CONNECTIONS, len(work))
    wires = [await Wire.to(url, client=first + number) for number in range(clients)]
    took: list[float] = []

    async def share(number: int) -> None:
        for each in work[number::clients]:
            before = ticks_s()
            await one(wires[number], each)
            took.append(ticks_s() - before)

    begun = ticks_s()
    await asyncio.gather(*(share(number) for number in range(clients)))
    elapsed = ticks_s() - begun
    await asyncio.gather(*(wire.close() for wire in wires))
    return figure(took, elapsed)


async def _done(wire: Wire, path: str, body: object, token: str | None = None) -> dict[str, Any]:
    """Return the answer to something that has to be accepted; whoever is too quick for the bounds asks again.

    Raises:
        CannotDo: It is not.
    """
    until = ticks_s() + LATE_S
    while True:
        status, answer = await wire.ask("POST", path, body, token)
        if status < BAD:
            found: dict[str, Any] = answer
            return found
        if status != TOO_MANY or ticks_s() > until:
            raise CannotDo(f"{path}: {answer}")
        await asyncio.sleep(LOOK_S)
