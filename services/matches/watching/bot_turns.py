"""Turns of house bots: by which level each was taken, and with which chance, once the deal it was taken in is over.

A bot's move is a function of its seat's frames and of that chance, so whoever has the dice that the deal has published
works it out again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol
from uuid import UUID

from msgspec import Struct

from domain import events
from domain.ids import DealNumber, Seat, Version
from domain.match.evolve import Match
from domain.match.record import MatchAtHead, stream_of
from infra.store.people import StoredBotTurn
from services.matches.secrets.turn_chance import chance_of_turn


class BotTurnStore(Protocol):
    """Where it is kept how turns of bots were taken."""

    async def bot_turns(self, stream: str) -> list[StoredBotTurn]:
        """Return them, by version."""


class MatchSteps(Protocol):
    """Where a match is folded."""

    def walk(self, stream: str) -> AsyncIterator[list[tuple[MatchAtHead, events.Event]]]:
        """Yield the match after each of its lines, page by page."""


class ToldTurn(Struct, frozen=True):
    """A turn that a bot of the house has taken.

    Attributes:
        version: With which version of the match the turn began; its move is the next line of the seat behind that.
        seat: Whose it was.
        level: By which level it was taken, and in which style: that of the seat, or one below where that had nothing to
            say, or came too late.
        program: The release that chose.
        chance: What it chose with, in hex; null where the deal keeps its secret for ever.
    """

    version: Version
    seat: Seat
    level: str
    program: str
    chance: str | None


class _Turn(Struct, frozen=True):
    """A turn by its place in the match: whose, and in which deal, whose seeds came to this mix."""

    seat: Seat
    deal: DealNumber
    mix: bytes


class BotTurns:
    """How bots have chosen, in any match."""

    def __init__(self, store: BotTurnStore, steps: MatchSteps) -> None:
        """Read here."""
        self._store, self._steps = store, steps

    async def told(self, shown: MatchAtHead) -> list[ToldTurn]:
        """Return the turns in deals that are over, up to this version of a match.

        Cost: the fold of all its lines to there, whether a turn is kept or none is yet: the moment at which the first
        one is kept is that at which a bot has thought, which nobody is to be told.
        """
        match = shown.match
        kept = {turn.version: turn for turn in await self._store.bot_turns(stream_of(match.id))}
        turns: dict[Version, _Turn] = {}
        closed: dict[DealNumber, str | None] = {}
        before: Match | None = None
        async for written, event in self._up_to(match):
            if isinstance(event, events.DealClosed):
                closed[event.deal] = event.secret
            turn = None if before is None else _turn_of(before, event)
            # Turns that were taken before they had a beginning are kept under the version they were taken at.
            began = () if before is None else (before.version, before.begun.version)
            version = next((each for each in began if each in kept), None)
            if turn is not None and version is not None:
                turns[version] = turn
            before = written.match
        return [
            _told(match.id, kept[version], turn, closed[turn.deal])
            for version, turn in turns.items()
            if turn.deal in closed
        ]

    async def _up_to(self, match: Match) -> AsyncIterator[tuple[MatchAtHead, events.Event]]:
        """Yield the lines of a match up to this version of it, and read none behind."""
        async for steps in self._steps.walk(stream_of(match.id)):
            for written, event in steps:
                if written.match.version > match.version:
                    return
                yield written, event


def _turn_of(before: Match, event: events.Event) -> _Turn | None:
    """Return the turn that was taken with this line; None where the clock took it, or somebody else acted."""
    seat, deal = None if before.table is None else before.table.turn, before.ceremony
    if seat is None or deal is None or deal.mix is None or deal.stage != "ready":
        return None
    if isinstance(event, events.TimedOut) or getattr(event, "seat", None) != seat:
        return None
    return _Turn(seat, deal.deal, deal.mix)


def _told(match: UUID, kept: StoredBotTurn, turn: _Turn, secret: str | None) -> ToldTurn:
    chance = None if secret is None else chance_of_turn(bytes.fromhex(secret), turn.mix, match, kept.version).hex()
    return ToldTurn(kept.version, turn.seat, kept.level, kept.program, chance)
