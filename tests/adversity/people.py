"""People at the tables of a house in trouble: they ask again with the same key, and hold it to what it has said."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Event, Lock
from time import sleep
from typing import Any

import httpx

from tests.adversity.house import Besieged
from tests.crash.house import Sent, Table
from tests.crash.listening import Listener
from tests.crash.test_killed import assert_kept, watched

PATIENCE_S = 1_800.0
"""How long a match may take, through every mishap: as long as the whole test does, where all is slow to come back."""
LOOK_S = 0.05
SEATS = 3


class Tries:
    """What all have sent, counted.

    Attributes:
        sent: How many commands there were.
        asked: How often they were sent.
        answered: How many were answered, granted or refused.
        at: How many answers each table has had, those to what was sent again to look whether it is the same included.
    """

    def __init__(self, tables: int) -> None:
        """Begin with nothing, at so many tables."""
        self.sent = self.asked = self.answered = 0
        self.at = [0] * tables
        self._lock = Lock()

    def add(self, table: int, *, is_first: bool, is_repeat: bool, is_answered: bool) -> None:
        """Count one try; one of a command that was answered before is none."""
        with self._lock:
            self.sent += is_first
            self.asked += not is_repeat
            self.answered += is_answered and not is_repeat
            self.at[table] += is_answered


class Tried(Sent):
    """A command whose every try is counted, the lost ones as well."""

    def __init__(self, tries: Tries, table: int, *command: Any) -> None:
        """Count tries of this table's command."""
        super().__init__(*command)
        self._add = partial(tries.add, table)
        self._is_new = True

    def send(self, client: httpx.Client) -> httpx.Response:
        """Send it, and count that."""
        is_first, is_repeat, is_answered = self._is_new, self.answer is not None, False
        self._is_new = False
        try:
            answer = super().send(client)
            is_answered = answer.status_code in {httpx.codes.OK, httpx.codes.CONFLICT}
        finally:
            self._add(is_first=is_first, is_repeat=is_repeat, is_answered=is_answered)
        return answer


class Playing:
    """Some tables of one house, played one match after another.

    Attributes:
        tries: What was sent.
        checked: How many matches were held against what had been said.
        frames: How many versions were shown to those who watched.
    """

    def __init__(self, house: Besieged, tables: int, dice: int) -> None:
        """Sit down at so many tables, with so many dice a seat."""
        self._rules: dict[str, Any] = {"options": {"dice_per_player": dice}, "seats": SEATS}
        self.tries = Tries(tables)
        self.checked = self.frames = 0
        self._house = house
        self._over = Event()
        self._threads = ThreadPoolExecutor(2 * tables)
        self._tables = [self._threads.submit(self._play, number, tables) for number in range(tables)]

    def _play(self, number: int, tables: int) -> None:
        seed = number
        while not self._over.is_set():
            table = self._sit_down(number, seed)
            watching = self._threads.submit(watched, self._house, table.path, PATIENCE_S)
            listener = Listener([self._house], table.id, table.tokens[0], seed)
            table.finish(PATIENCE_S)
            self._check(table, watching, listener)
            seed += tables

    def _sit_down(self, number: int, seed: int) -> Table:
        """Open a table; one that is lost before its dice are dealt is left, and another opened."""
        while True:
            try:
                return Table(self._house, self._rules, seed, partial(Tried, self.tries, number))
            except (httpx.TransportError, httpx.HTTPStatusError, KeyError):
                sleep(LOOK_S)

    def _check(self, table: Table, watching: Future[list[int]], listener: Listener) -> None:
        """Hold a match against what its players and spectators were told, while mishaps go on."""
        table.service = self._house.insisting()
        assert_kept(table)
        versions = watching.result(PATIENCE_S)
        with table.service.client() as client:
            last = table.view(client)["version"]
        assert versions == list(range(versions[0], last + 1)), table.path
        listener.check(1)
        self.checked += 1
        self.frames += len(versions) + len(listener.versions)

    async def go_on(self) -> None:
        """Return when somebody at each table was answered once more, which takes a program that goes on."""
        begun = list(self.tries.at)
        async with asyncio.timeout(PATIENCE_S):
            while any(now <= then for now, then in zip(self.tries.at, begun, strict=True)):
                assert self._house.service.is_up, self._house.service.log[-2_000:]
                for table in self._tables:
                    if table.done():
                        table.result()
                await asyncio.sleep(LOOK_S / 5)

    async def end(self) -> None:
        """Let each table finish the match it is at."""
        self._over.set()
        await asyncio.gather(*map(asyncio.wrap_future, self._tables))
        self._threads.shutdown()
