"""Time in which nobody was there to stop a clock, given back to the match before anything else is decided of it.

The law of the file: whoever decides a command looks first whether a clock ran on through a gap that the heart knows of.
So it does not matter who comes first to a match, its dealer or a player, nor whether the gap was found long ago: a
process that had not heard of it yet may have let a clock begin at a time inside of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from uuid import UUID

from domain import commands
from domain.ids import Version
from domain.match.evolve import Match
from services.matches.heart import Heart
from services.matches.reads.queries import CachedMatch
from services.matches.requests import Answer, CommandMetadata, People
from services.matches.turns import Turns


class LostTime(ABC):
    """Matches whose clocks lose nothing while nobody is there."""

    _heart: Heart | None
    _turns: Turns

    @abstractmethod
    async def load_match(self, match_id: UUID, at_least: int | None = None) -> CachedMatch:
        """Return the match as of the last line in the store."""

    @abstractmethod
    async def _attempt(
        self, match_id: UUID, hosted: CachedMatch, command: commands.MatchCommand, ask: CommandMetadata, people: People
    ) -> Answer | None:
        """Decide and append once; return None if somebody else was first."""

    async def load_in_time(self, match_id: UUID, at_least: Version | None = None) -> CachedMatch:
        """Return a match that has come at least so far, and whose clock has run through no time that was lost.

        Cost: that of `load_match`; where time was lost, a commit more.
        """
        await self._be_there()
        hosted = await self.load_match(match_id, at_least)
        while self._lost_ms(hosted.match) > 0:
            async with self._turns.of(match_id):
                await self._give_back(match_id, hosted)
            hosted = await self.load_match(match_id)
        return hosted

    async def _be_there(self) -> None:
        """Find out whether nobody was there until now: nothing is decided by a clock before that is known."""
        if self._heart is not None:
            await self._heart.find_gap()

    async def _give_back(self, match_id: UUID, hosted: CachedMatch) -> bool:
        """Move a clock that has run through lost time, and report whether one had: then the match is another now.

        A crash leaves the gap to find. Where somebody else is quicker, the match has moved, and has its time.
        """
        lost_ms = self._lost_ms(hosted.match)
        if lost_ms > 0:
            ask = CommandMetadata("table", f"give-back-{match_id}-{hosted.version}", b"", (hosted.version,))
            await self._attempt(match_id, hosted, commands.GiveBack(lost_ms), ask, ())
        return lost_ms > 0

    def _lost_ms(self, match: Match) -> int:
        """Return how long the clock of a match ran on while nobody was there to stop it, in milliseconds."""
        if self._heart is None or match.clocks is None or match.clocks.running is None:
            return 0
        return self._heart.lost_ms(match.at)
