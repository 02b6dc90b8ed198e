"""Signed commands that others hand in: a friend, a spectator or a witness, for a player who is shut out.

The law of the file: the signature is asked before the rules are. Whoever does not have a command that its seat has
signed learns nothing, be it of the dice, which some refusals depend on, or of how far a match has come that is shown
late. Source: CUP/1 section 4.14.7.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from domain.ids import Seat, Version
from domain.match.signed_commands import may_be_handed_in
from infra.clock import now_ms
from services.matches.reads.queries import CachedMatch
from services.matches.requests import ANONYMOUS, Answer, CommandMetadata, People
from services.matches.secrets.repeats import SignedCommands

OF_HIDDEN_DICE: Final = frozenset({"bad_dice", "cannot_prove", "cocked_dice"})
"""What tells its seat something of dice that nobody else sees: others are told that it is not allowed."""


class HandedIn(ABC):
    """The commands of seats, for whoever has them."""

    _signed: SignedCommands

    @abstractmethod
    async def load_match(self, match_id: UUID, at_least: int | None = None) -> CachedMatch:
        """Return the match as of the last line in the store."""

    @abstractmethod
    async def submit(
        self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata, people: People = ()
    ) -> Answer:
        """Decide a command and store what it leads to."""

    @abstractmethod
    def _answer(self, match_id: UUID, version: Version, head: str, seat: Seat | None = None) -> Answer:
        """Return the answer with its receipt."""

    async def hand_in(self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata) -> Answer:
        """Decide a command by its signature alone, whoever brings it; whose token he shows is not asked.

        Cost: a query and a verification, and where those pass what `submit` costs.

        Raises:
            Refused: `bad_signature` to whoever has no command of this seat, for whatever reason; else as `submit`.
            UnknownMatch: There is no such match.
            VersionPassed: The asker named a version that has passed.
        """
        signature = ask.signature
        if signature is None or not may_be_handed_in(command, signature):
            raise Refused("bad_signature", why="form")
        written = (await self.load_match(match_id)).written
        if not await self._signed.is_good(written, command, signature, now_ms()):
            stood = await self._signed.find(written, command, signature)
            if stood is None:
                raise Refused("bad_signature", why="head_or_key")
            return self._answer(match_id, *stood)
        try:
            return await self.submit(match_id, command, replace(ask, scope=ANONYMOUS, holder=None, opener=False))
        except Refused as no:
            raise public(no) from no


def public(no: Refused) -> Refused:
    """Return a no as it is told to others than the seat; the note of it, which has the code, is for the seat alone."""
    return Refused("not_allowed") if no.code in OF_HIDDEN_DICE else no
