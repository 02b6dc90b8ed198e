"""Matches that clients play over HTTP as fast as they are answered.

Two seats with ten dice each bid through every count and face, and doubt the last: the longest round there is, so that
what is measured is commands, not the dealing between rounds.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from services.cli.bench.wire import Wire
from services.cli.exits import CannotDo

DICE: Final = 20
FACES: Final = 6
BIDS: Final = DICE * FACES
RULES: Final[dict[str, Any]] = {
    "game": "common_hand",
    "options": {"dice_per_player": 10, "elimination": "none", "wild": "never", "bid_aces": "as_ones"},
    "seats": 2,
    "pause_ms": 0,
}
TOO_MANY: Final = 429
WAIT_S: Final = 0.2
SETTING_UP: Final = 4
"""Connections that open tables; newcomers are let in only so many a second."""


class BenchTable:
    """A match, the tokens of its two seats, and where its round stands."""

    def __init__(self, match: str, tokens: dict[int, str]) -> None:
        """Play this match with these tokens by seat."""
        self.path = f"/api/v1/matches/{match}"
        self._tokens = tokens
        self._seat = 1
        self._bids = 0
        self._round = 0
        self._dealt = False

    async def ready(self, wire: Wire) -> bool:
        """Report whether a seat can act: not while the table deals."""
        if not self._dealt:
            _, view = await wire.ask("GET", self.path)
            self._dealt = view["phase"] == "claiming" and view["round"] > self._round
            if self._dealt:
                self._round, self._seat, self._bids = view["round"], view["turn"], 0
        return self._dealt

    async def act(self, wire: Wire) -> int | None:
        """Do what comes next and return the version it led to; None if the service asked to wait."""
        status, answer = await wire.ask("POST", f"{self.path}/commands", self._next(), self._tokens[self._seat])
        if status == TOO_MANY:
            await asyncio.sleep(WAIT_S)
            return None
        if status != 200:  # noqa: PLR2004 - OK
            raise CannotDo(f"the service refused a legal command: {answer}")
        self._dealt = self._bids < BIDS
        self._bids += 1
        self._seat = 3 - self._seat
        return int(answer["version"])

    def _next(self) -> dict[str, Any]:
        if self._bids == BIDS:
            return {"type": "challenge"}
        return {"type": "bid", "quantity": self._bids // FACES + 1, "face": self._bids % FACES + 1}


async def opened(url: str, count: int) -> list[BenchTable]:
    """Open so many tables, as slowly as newcomers are let in."""
    waiting = list(range(count))
    tables: list[BenchTable] = []

    async def work() -> None:
        wire = await Wire.to(url)
        while waiting:
            waiting.pop()
            tables.append(await _open(wire))
        await wire.close()

    await asyncio.gather(*(work() for _ in range(SETTING_UP)))
    return tables


async def _open(wire: Wire) -> BenchTable:
    host = await _patiently(wire, "/api/v1/matches", {"rules": RULES})
    path = f"/api/v1/matches/{host['match']}"
    tokens = {}
    for name in ("Ada", "Blaise"):
        joined = await _patiently(wire, f"{path}/seats", {"name": name})
        tokens[int(joined["seat"])] = str(joined["token"])
    await _patiently(wire, f"{path}/start", None, host["token"])
    table = BenchTable(host["match"], tokens)
    while True:
        if await table.ready(wire):
            return table
        await asyncio.sleep(WAIT_S)


async def _patiently(wire: Wire, path: str, body: object, token: str | None = None) -> dict[str, Any]:
    while True:
        status, answer = await wire.ask("POST", path, body, token)
        if status != TOO_MANY:
            break
        await asyncio.sleep(WAIT_S)
    if status not in {200, 201}:
        raise CannotDo(f"the service did not open a table: {answer}")
    found: dict[str, Any] = answer
    return found
