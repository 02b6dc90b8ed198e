"""Matches of house bots played in memory: the domain, what each seat has seen, and nothing else."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from domain import commands
from domain.errors import Refused
from domain.strategy.sight import Sight
from projections.view import View, view_of
from services.bots.playing import chooser_of
from services.engines.levels import CHANCE_BYTES, POWERS
from services.engines.seen import SeenMatch
from tests.domain.playing import Played, commands_for

STYLES = tuple(f"L1.{style}" for style in POWERS)


class BotTable(Played):
    """A match between bots, each of another style than the seat before it unless all are given one level."""

    def __init__(
        self,
        options: dict[str, Any],
        seats: int,
        seed: int,
        deal_per: str = "match",
        game: str = "common_hand",
        level: str | None = None,
        **rules: Any,
    ) -> None:
        super().__init__(options, seats, str(seed), game, deal_per=deal_per, pause_ms=0, **rules)
        self.levels = STYLES if level is None else (level,)
        self._seen = {seat: SeenMatch(seat) for seat in range(1, seats + 1)}
        self._shown = 0
        self.start()

    def view(self, seat: int | None) -> View:
        """Return what a seat is shown."""
        return view_of(self.written, seat, self.keeper, {})

    def seen(self, seat: int) -> SeenMatch:
        """Return what a seat has seen. Of dice that have gone nobody can tell any more: it is asked every turn."""
        for event, match in zip(self.events[self._shown :], self.steps[self._shown :], strict=True):
            for seen in self._seen.values():
                seen.see(event, match, self.keeper)
        self._shown = len(self.events)
        return self._seen[seat]

    def drawn(self) -> bytes:
        """Return the chance of the next choice, the same in every run."""
        return hashlib.sha256(f"{self.seed} {self.match.version}".encode()).digest()[:CHANCE_BYTES]

    def level(self, seat: int) -> str:
        """Return by which level a seat is played."""
        return self.levels[seat % len(self.levels)]

    def chosen(self, seat: int) -> tuple[Sight, commands.Play | None]:
        """Return what the bot in a seat sees and does."""
        seen = self.seen(seat)
        thought = chooser_of(self.level(seat)).choose(seen, self.drawn())
        assert seen.sight is not None
        return seen.sight, None if thought is None else thought.command

    def turns(self, limit: int) -> Iterator[tuple[View, commands.Play | None]]:
        """Play on, and yield what each bot is shown and does before it is done; a refusal is a failure of the test."""
        for _ in range(limit):
            if self.match.ended:
                return
            _, command = self.chosen(self.turn)
            yield self.view(self.turn), command
            assert command is not None, self.turn
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
