"""Matches of house bots played in memory: the domain, the view of each seat, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from domain import commands
from domain.ceremony import Keeper
from domain.deciding import decide
from domain.match import Match, created, due_at, open_match
from domain.record import Written
from projections.view import View, view_of
from services.bots.manner import CHANCE_BYTES, choose, manner_of

MATCH = UUID("018f4e6a-0000-4000-8000-000000000001")
MANNERS = ("cautious", "steady", "bold")


class Chance:
    """Chance that is the same in every run."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn = 0

    def draw(self, length: int) -> bytes:
        """Return the next bytes, at most 32."""
        self._drawn += 1
        return hashlib.sha256(f"{self._seed} {self._drawn}".encode()).digest()[:length]

    def for_deal(self, seats: int) -> commands.Chance:
        """Return what a deal takes."""
        return commands.Chance(self.draw(32), {seat: self.draw(32) for seat in range(1, seats + 1)})


class BotTable:
    """A match between bots."""

    def __init__(self, options: dict[str, Any], seats: int, seed: int, deal_per: str = "match") -> None:
        self.chance = Chance(seed)
        self.seats = seats
        rules = {"game": "common_hand", "options": options, "seats": seats, "pause_ms": 0, "deal_per": deal_per}
        self.at = 1_000
        self.match: Match = created(open_match(MATCH, rules), self.at)
        self.keeper: Keeper | None = None
        for number in range(seats):
            self.do(commands.Join(f"bot/{MANNERS[number % 3]}/{number}", "server"))
        self.do(commands.Start(self.chance.for_deal(seats)))

    def do(self, command: commands.MatchCommand) -> None:
        """Let it happen; a refusal is a failure of the test."""
        self.at += 10
        made = decide(self.match, command, self.at, self.keeper)
        self.match, self.keeper = made.match, made.keeper

    def view(self, seat: int | None) -> View:
        """Return what a seat sees."""
        return view_of(Written(self.match, "0" * 64), seat, self.keeper, {})

    def turns(self, limit: int) -> Iterator[tuple[View, commands.Play | None]]:
        """Play on, and yield what each bot saw and did before it is done."""
        for _ in range(limit):
            if self.match.ended:
                return
            ceremony, table = self.match.ceremony, self.match.table
            assert ceremony is not None
            assert table is not None
            if ceremony.stage == "sealed":
                self.do(commands.LogDeal(ceremony.deal, 0, (), "checkpoint"))
            elif table.turn is None:
                self.at = max(self.at, due_at(self.match) or 0)
                self.do(commands.Advance(self.chance.for_deal(self.seats)))
            else:
                view = self.view(table.turn)
                player = self.match.seated[table.turn].player
                command = choose(view, manner_of(player), self.chance.draw(CHANCE_BYTES))
                yield view, command
                assert command is not None, view
                self.do(command)
