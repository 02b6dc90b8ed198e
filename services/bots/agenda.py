"""The agenda of the house bots: which turn is next, at most one of each match."""

from __future__ import annotations

import heapq
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.ids import Seat, UnixMs, Version
from services.engines.levels import Thought
from services.matches.requests import CommandMetadata

STALE_MAX: Final = 256
"""How many places in the order may be out of date before it is made anew."""


class BotTurn(Struct, frozen=True):
    """A bot's turn.

    Attributes:
        at: When something is to be done about it, in Unix milliseconds.
        due_at: When the bot acts at the earliest, in Unix milliseconds.
        match: Where it is.
        seat: Whose it is.
        version: With which version of the match it began. It is taken at that, or at a later one of the same turn.
        level: By which level the seat is played, and in which style.
        thought: What the bot does unless more has been thought of by then; None before it has chosen.
        began_at: When it began, in Unix milliseconds, without what the table was held up for since.
    """

    at: UnixMs
    due_at: UnixMs
    match: UUID
    seat: Seat
    version: Version
    level: str
    thought: Thought | None = None
    began_at: UnixMs = 0

    @property
    def ask(self) -> CommandMetadata:
        """What the turn's command is stored under: the same, whichever process takes the turn."""
        return CommandMetadata("bots", f"bot-{self.match}-{self.seat}-{self.version}", b"", turn=self.version)


class Agenda:
    """Turns by the time at which something is to be done about them."""

    def __init__(self) -> None:
        """Hold none."""
        self._turns: dict[UUID, BotTurn] = {}
        self._order: list[tuple[int, UUID]] = []

    def __len__(self) -> int:
        """Return how many turns there are."""
        return len(self._turns)

    def has(self, turn: BotTurn) -> bool:
        """Report whether this turn is here, chosen or not, at whatever time; a pause since has made it begin later."""
        known = self._turns.get(turn.match)
        return known is not None and (known.version, known.began_at) == (turn.version, turn.began_at)

    def put(self, turn: BotTurn) -> None:
        """Put a turn in the place of any other of its match, which has passed."""
        self._turns[turn.match] = turn
        heapq.heappush(self._order, (turn.at, turn.match))
        if len(self._order) > STALE_MAX + 2 * len(self._turns):
            self._order = sorted((each.at, each.match) for each in self._turns.values())

    def drop(self, match: UUID) -> None:
        """Forget the turn of a match, if it has one."""
        self._turns.pop(match, None)

    def next_at(self) -> int | None:
        """Return when something is to be done next; None if there is nothing."""
        while self._order:
            at, match = self._order[0]
            if match in self._turns and self._turns[match].at == at:
                return at
            heapq.heappop(self._order)
        return None

    def take(self, now: int, limit: int) -> list[BotTurn]:
        """Take out at most `limit` turns whose time has come, those that have waited longest first."""
        taken: list[BotTurn] = []
        while len(taken) < limit:
            at = self.next_at()
            if at is None or at > now:
                break
            taken.append(self._turns.pop(heapq.heappop(self._order)[1]))
        return taken
