"""Matches that clients play over HTTP as fast as they are answered.

Two seats with ten dice each, or more with fewer, bid through every count and face, and doubt the last: the longest
round there is, so that what is measured is commands, not the dealing between rounds.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, Protocol

from services.cli.bench.clients.wire import Wire
from services.client.house import CannotDo

DICE: Final = 20
FACES: Final = 6
BIDS: Final = DICE * FACES
SEATS: Final = 2
NAMES: Final = ("Ada", "Blaise", "Carl", "Dorothea", "Emil", "Florence", "Georg", "Hypatia", "Isaac", "Jakob")
TOO_MANY: Final = 429
WAIT_S: Final = 0.2
SETTING_UP: Final = 4
"""Connections that open tables; newcomers are let in only so many a second."""


def rules(seats: int) -> dict[str, Any]:
    """Return the rules of a table with as many seats, which share the dice evenly."""
    each = DICE // seats
    return {
        "game": "common_hand",
        "options": {"dice_per_player": each, "elimination": "none", "wild": "never", "bid_aces": "as_ones"},
        "seats": seats,
        "pause_ms": 0,
    }


class Asking(Protocol):
    """A client's way to the service."""

    async def ask(self, method: str, path: str, body: object = None, token: str | None = None) -> tuple[int, Any]:
        """Send a request and return the status and the JSON document of the answer."""


class BenchTable:
    """A match, the tokens of its seats, and where its round stands.

    Attributes:
        path: Its address.
        tokens: By seat, which are numbered from 1.
    """

    def __init__(self, path: str, tokens: dict[int, str]) -> None:
        """Play this match with these tokens, from where it stands."""
        self.path = path
        self.tokens = tokens
        self._seat = 1
        self._bids = 0
        self._round = 0
        self._dealt = False

    async def ready(self, wire: Asking) -> bool:
        """Report whether a seat can act: not while the table deals."""
        if not self._dealt:
            status, view = await wire.ask("GET", self.path)
            self._dealt = status != TOO_MANY and view["phase"] == "claiming" and view["round"] > self._round
            if self._dealt:
                self._round, self._seat, self._bids = view["round"], view["turn"], _bids(view["standing"])
        return self._dealt

    def forget(self) -> None:
        """Know nothing of the round, so that the next look takes it from where it stands: an answer was lost."""
        self._round, self._dealt = 0, False

    async def act(self, wire: Asking) -> int | None:
        """Do what comes next and return the version it led to; None if the service asked to wait."""
        status, answer = await wire.ask("POST", f"{self.path}/commands", self._next(), self.tokens[self._seat])
        if status == TOO_MANY:
            await asyncio.sleep(WAIT_S)
            return None
        if status != 200:  # noqa: PLR2004 - OK
            raise CannotDo(f"the service refused a legal command: {answer}")
        self._advance()
        return int(answer["version"])

    @property
    def match(self) -> str:
        """The match's id."""
        return self.path.rpartition("/")[2]

    def take(self) -> tuple[dict[str, Any], str]:
        """Return the command that comes next with the token of its seat, and take it as done."""
        taken = self._next(), self.tokens[self._seat]
        self._advance()
        return taken

    def _advance(self) -> None:
        self._dealt = self._bids < BIDS
        self._bids += 1
        self._seat = self._seat % len(self.tokens) + 1

    def _next(self) -> dict[str, Any]:
        if self._bids == BIDS:
            return {"type": "challenge"}
        return {"type": "bid", "quantity": self._bids // FACES + 1, "face": self._bids % FACES + 1}


def _bids(standing: dict[str, Any] | None) -> int:
    """Return how many bids a round has come to when this one stands."""
    return 0 if standing is None else (standing["quantity"] - 1) * FACES + standing["face"]


async def open_tables(url: str, count: int) -> list[BenchTable]:
    """Open so many tables, as slowly as newcomers are let in."""
    waiting = list(range(count))
    tables: list[BenchTable] = []

    async def work(number: int) -> None:
        wire = await Wire.to(url, client=number)
        while waiting:
            waiting.pop()
            tables.append(await open_table(wire))
        await wire.close()

    await asyncio.gather(*(work(number) for number in range(SETTING_UP)))
    return tables


async def open_table(wire: Wire, seats: int = SEATS) -> BenchTable:
    """Open a table, take all its seats, and return it when its first round is dealt."""
    host = await _patiently(wire, "/api/v1/matches", {"rules": rules(seats)})
    path = f"/api/v1/matches/{host['match']}"
    tokens = {}
    for name in NAMES[:seats]:
        joined = await _patiently(wire, f"{path}/seats", {"name": name})
        tokens[int(joined["seat"])] = str(joined["token"])
    await _patiently(wire, f"{path}/start", None, host["token"])
    table = BenchTable(path, tokens)
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
