"""Matches of house bots played in memory: the domain, the view of each seat, and nothing else."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from domain import commands
from domain.errors import Refused
from projections.view import View, view_of
from services.bots.choosing import CHANCE_BYTES, choose
from services.bots.manner import MANNERS, Manner
from tests.domain.playing import Played, commands_for


class BotTable(Played):
    """A match between bots, each of another manner than the seat before it unless all are given one."""

    def __init__(
        self,
        options: dict[str, Any],
        seats: int,
        seed: int,
        deal_per: str = "match",
        game: str = "common_hand",
        manner: Manner | None = None,
        **rules: Any,
    ) -> None:
        super().__init__(options, seats, str(seed), game, deal_per=deal_per, pause_ms=0, **rules)
        self.manners = [*MANNERS.values()] if manner is None else [manner]
        self.start()

    def view(self, seat: int | None) -> View:
        """Return what a seat sees."""
        return view_of(self.written, seat, self.keeper, {})

    def drawn(self) -> bytes:
        """Return the chance of the next choice, the same in every run."""
        return hashlib.sha256(f"{self.seed} {self.match.version}".encode()).digest()[:CHANCE_BYTES]

    def chosen(self, seat: int) -> tuple[View, commands.Play | None]:
        """Return what the bot in a seat sees and does."""
        view = self.view(seat)
        return view, choose(view, self.manners[seat % len(self.manners)], self.drawn())

    def turns(self, limit: int) -> Iterator[tuple[View, commands.Play | None]]:
        """Play on, and yield what each bot saw and did before it is done; a refusal is a failure of the test."""
        for _ in range(limit):
            if self.match.ended:
                return
            assert self.match.table is not None
            assert self.match.table.turn is not None
            view, command = self.chosen(self.match.table.turn)
            yield view, command
            assert command is not None, view
            self.do(command)
            self.go_on()

    def act_at_random(self, seat: int, drawn: random.Random) -> None:
        """Do anything this seat may do."""
        possible = [command for move in self.view(seat).moves for command in commands_for(seat, move)]
        drawn.shuffle(possible)
        for command in possible:
            with suppress(Refused):
                self.do(command)
                return
        raise AssertionError(f"nothing that is on offer is accepted: {possible}")
