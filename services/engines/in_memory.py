"""A match played in memory: dealt as a server deals it, from secrets that its caller chooses."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID

from domain import commands, events
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.ids import Seat, Version
from domain.match.decide import Decision, decide
from domain.match.dues import due_at
from domain.match.evolve import Match, new_match, open_match, table_deals
from domain.match.record import GENESIS, MatchAtHead, lines_of
from domain.table.dealer import NO_DICE, Dealer
from domain.table.moves import moves
from domain.table.offers import Move
from domain.table.state import State
from projections.view import View, view_of

Chance = Callable[[Match], commands.Chance]
"""What the next deal of a match is made of."""
Told = Callable[[events.Event, Match], None]
"""Told of each event, with the match after it."""

BEGUN_AT: Final = 1_000_000
"""When every such match begins, in Unix milliseconds."""


class MatchInMemory:
    """A match that has started, and waits for a seat whenever nobody looks.

    Attributes:
        match: The match as it is.
        keeper: Who knows the dice of its deal.
        lines: Its lines so far, as a log would have them.
    """

    def __init__(
        self, match_id: UUID, rules: dict[str, Any], seats: int, chance: Chance, told: Told | None = None
    ) -> None:
        """Open it, seat everybody, and deal.

        Args:
            match_id: The id it has.
            rules: Its rules object, but for the seats.
            seats: How many play.
            chance: What its deals are made of.
            told: Told of each event, and of the match after it.

        Raises:
            Refused: `bad_options`: the rules are none.
        """
        self._id, self._chance, self._told = match_id, chance, told
        self._at = BEGUN_AT
        event = open_match(self._id, {**rules, "seats": seats, "pause_ms": 0})
        self.lines: list[bytes] = []
        self._head = GENESIS
        self._write(0, [event])
        self.match: Match = new_match(event, self._at)
        self.keeper: DealSecrets | None = None
        self._tell([event], [self.match])
        self._names = {f"p{seat}": f"Seat {seat}" for seat in range(1, seats + 1)}
        for player in self._names:
            self.ask(commands.Join(player, "server"))
        self.ask(commands.Start(self._chance(self.match)))
        self._go_on()

    @property
    def state(self) -> State:
        """The table, which there is from the start on."""
        assert self.match.table is not None
        return self.match.table

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.match.ended

    @property
    def head(self) -> str:
        """The hash of the last line."""
        return self._head

    @property
    def dealer(self) -> Dealer:
        """Who knows the dice of the current deal."""
        ceremony = self.match.ceremony
        mixed = None if ceremony is None else ceremony.mix
        return NO_DICE if mixed is None or self.keeper is None else self.keeper.open_deal(mixed)

    def offers(self) -> dict[Seat, tuple[Move, ...]]:
        """Return what each seat may do now; nothing when it is over."""
        return {} if self.over else moves(self.state)

    def view(self, seat: Seat | None) -> View:
        """Return what a seat sees, or a spectator."""
        return view_of(MatchAtHead(self.match, self._head), seat, self.keeper, self._names)

    def allows(self, command: commands.Play) -> bool:
        """Report whether a command would be accepted."""
        try:
            self._decide(command)
        except Refused:
            return False
        return True

    def play(self, command: commands.MatchCommand) -> None:
        """Do something, and then what nobody has to be asked for.

        Raises:
            Refused: A rule says no; nothing has changed.
        """
        self.ask(command)
        self._go_on()

    def ask(self, command: commands.MatchCommand, after_ms: int = 1) -> None:
        """Do something a little later."""
        made = self._decide(command, after_ms)
        self._at += after_ms
        self._write(self.match.version, made.events)
        self.match, self.keeper = made.match, made.keeper
        self._tell(made.events, made.steps)

    def _write(self, version: Version, happened: Sequence[events.Event]) -> None:
        """Add events to the lines, behind a version."""
        written, self._head = lines_of(self._id, version, self._head, self._at, happened)
        self.lines += written

    def _tell(self, happened: Sequence[events.Event], steps: Sequence[Match]) -> None:
        if self._told is not None:
            for event, match in zip(happened, steps, strict=True):
                self._told(event, match)

    def _decide(self, command: commands.MatchCommand, after_ms: int = 1) -> Decision:
        return decide(self.match, command, self._at + after_ms, self.keeper)

    def _go_on(self) -> None:
        """Let the table do what it does by itself, until a seat may act or the match is over."""
        while not self.over:
            ceremony = self.match.ceremony
            if ceremony is not None and ceremony.stage == "sealed":
                self.ask(commands.LogDeal(ceremony.deal, 0, (), "nobody's log"))
            elif table_deals(self.match) or not self.offers():
                due = due_at(self.match)
                assert due is not None, "nobody may act, and the table has nothing to do"
                self.ask(commands.Advance(self._chance(self.match)), max(0, due - self._at))
            else:
                return


def chance_of_versions(seed: int) -> Chance:
    """Return a chance that follows from a seed and from how far the match has come."""

    def chance(match: Match) -> commands.Chance:
        seats, version = match.settings.seats, match.version
        seeds = {seat: drawn(f"{seed}\nseed {version} {seat}") for seat in range(1, seats + 1)}
        return commands.Chance(drawn(f"{seed}\nsecret {version}"), seeds)

    return chance


def id_of(seed: int) -> UUID:
    """Return the id of the match of a seed."""
    return UUID(bytes=drawn(f"{seed}\nmatch")[:16], version=4)


def drawn(name: str) -> bytes:
    """Return 32 bytes that follow from a name."""
    return hashlib.sha256(f"truecup learn\n{name}".encode()).digest()
