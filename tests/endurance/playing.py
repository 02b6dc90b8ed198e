"""Tables that are played one match after another, and people who watch them, whatever is killed meanwhile."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from time import sleep
from typing import Any

import httpx

from tests.crash.house import Reachable, Table
from tests.crash.test_killed import assert_kept, watched

PATIENCE_S = 1_800.0
"""How long a match may take, through every kill: as long as the whole test does, where all is slow to come back."""
LOOK_S = 0.1
TABLES = 7
WATCHED = 2
"""Spectators of each match."""
RULES: tuple[dict[str, Any], ...] = (
    {"options": {"dice_per_player": 3, "spot_on": True}, "seats": 3},
    {"options": {"dice_per_player": 4, "wild": "never"}, "seats": 3, "deal_per": "round"},
)


class Hall:
    """Some tables of one service, played until they are told that it is over."""

    def __init__(self, service: Reachable, tables: int = TABLES) -> None:
        self._service = service
        self._tables = tables
        self._threads = ThreadPoolExecutor(tables * (1 + WATCHED))
        self._over = Event()
        self._tables_begun: list[Table] = []
        self._watching: list[tuple[Table, Future[list[int]]]] = []

    def open(self) -> list[Future[list[Table]]]:
        """Begin to play everywhere."""
        return [self._threads.submit(self._play, number) for number in range(self._tables)]

    def close(self) -> None:
        """Let each table finish the match it is at."""
        self._over.set()

    def acknowledged(self) -> int:
        """Return how many commands were answered until now."""
        return sum(sent.answer is not None for table in tuple(self._tables_begun) for sent in tuple(table.sent))

    async def go_on(self, commands: int) -> None:
        """Return once so many more commands were answered, however long that takes on this machine."""
        enough = self.acknowledged() + commands
        async with asyncio.timeout(PATIENCE_S):
            while self.acknowledged() < enough:
                await asyncio.sleep(LOOK_S)

    def _play(self, number: int) -> list[Table]:
        played: list[Table] = []
        while not self._over.is_set() or not played:
            table = self._sit_down(number + self._tables * len(played))
            self._tables_begun.append(table)
            self._watching += [
                (table, self._threads.submit(watched, self._service, table.path, PATIENCE_S)) for _ in range(WATCHED)
            ]
            table.finish(PATIENCE_S)
            played.append(table)
        return played

    def _sit_down(self, seed: int) -> Table:
        """Open a table; one whose service dies before it is dealt is left, and another opened."""
        while True:
            try:
                return Table(self._service, RULES[seed % len(RULES)], seed)
            except (httpx.TransportError, httpx.HTTPStatusError, FileNotFoundError, KeyError):
                sleep(LOOK_S)

    def check(self, tables: list[Table]) -> int:
        """Hold every match against what its players and spectators were told, and return how much was acknowledged."""
        for table in tables:
            assert_kept(table)
        for table, watching in self._watching:
            versions = watching.result(PATIENCE_S)
            with self._service.client() as client:
                last = table.view(client)["version"]
            assert versions == list(range(versions[0], last + 1)), table.path
        self._threads.shutdown()
        return sum(sent.answer is not None for table in tables for sent in table.sent)
