"""Time that officials of a tournament give somebody back, at a table that is played."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from uuid import UUID

from domain import commands
from domain.errors import Refused
from domain.match.evolve import Match
from services.matches.handler import CommandHandler
from services.matches.requests import CommandMetadata, VersionPassed
from services.matches.tables.event_tables import SCOPE
from services.tournaments.tables import TimeGift


class TimeGifts:
    """What has been given, so that it is not asked for with every look; the log knows it in any case."""

    def __init__(self, matches: CommandHandler) -> None:
        """Give it through this handler."""
        self._matches = matches
        self._given: dict[UUID, set[int]] = {}

    def forget(self, matches: Iterable[UUID]) -> None:
        """Forget matches of which nothing is given any more."""
        for match_id in matches:
            self._given.pop(match_id, None)

    async def give(self, match: Match, gifts: Iterable[TimeGift]) -> Match:
        """Give seats time back, each once its clock runs, and return the match after it.

        Only then is there a deadline to be moved, so a gift waits for its seat's next turn. The command is named after
        the line of the official: whoever asks again after a crash gets the answer that is stored. It is asked for in
        the turn in which it runs, so that nobody else gets it who is in turn by then.
        """
        given = self._given.setdefault(match.id, set()) if gifts else set()
        for gift in gifts:
            running = None if match.clocks is None else match.clocks.running
            if gift.line in given or gift.seat != running:
                continue
            ask = CommandMetadata(SCOPE, f"give/{gift.line}/{match.id}", b"", turn=match.begun.version)
            with suppress(Refused, VersionPassed):
                await self._matches.submit(match.id, commands.GiveBack(gift.ms), ask)
                given.add(gift.line)
            match = (await self._matches.load_match(match.id)).match
        return match
