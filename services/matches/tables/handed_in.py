"""Signed commands that others hand in: a friend, a spectator or a witness, for a player who is shut out.

The law of the file: the signature is asked before the rules are. Whoever does not have a command that its seat has
signed learns nothing, be it of the dice, which some refusals depend on, or of how far a match has come that is shown
late. Whoever has one learns whether it was taken. Why it was not he learns only of what no hidden die decides: neither
the code nor the note, nor how long it took, may say more. Source: CUP/1 section 4.14.7.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from uuid import UUID

from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from domain.ids import Seat, Version
from domain.match.evolve import Match
from domain.match.signed_commands import may_be_handed_in
from domain.table.interludes.cocked import Cocked, ShowCocked
from infra.clock import now_ms
from services.matches.reads.queries import CachedMatch
from services.matches.requests import ANONYMOUS, Answer, CommandMetadata, People
from services.matches.secrets.repeats import SignedCommands
from services.matches.secrets.signatures import NotTaken


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
            Refused: `bad_signature` to whoever has no command of this seat, for whatever reason; else as `submit`, but
                `not_allowed` wherever hidden dice may have decided.
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
            if hangs_on_dice((await self.load_match(match_id)).match, command):
                raise Refused("not_allowed") from no
            raise

    async def _find_or_note(
        self, no: NotTaken, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata
    ) -> Answer | None:
        """Return what a signed command came to before, or put a note beside the no to another, if its asker may know.

        Whether there is one hangs on the rules, whatever else the command was refused for: so none is even made of what
        hidden dice decide, where somebody hands it in.
        """
        if ask.signature is None:
            return None
        hosted = await self.load_match(match_id)
        if ask.scope == ANONYMOUS and hangs_on_dice(hosted.match, command):
            stood = await self._signed.find(hosted.written, command, ask.signature)
        else:
            stood = await self._signed.find_or_note(no, hosted, command, ask.signature, now_ms())
        return None if stood is None else self._answer(match_id, *stood)


def hangs_on_dice(match: Match, command: commands.MatchCommand) -> bool:
    """Report whether hidden dice may decide if the rules let a command, that can be handed in, be done.

    A special has to lie in the cup, and dice that lie cocked keep a seat from claiming, before its claim is looked at.
    """
    if isinstance(command, commands.Declare | ShowCocked):
        return True
    state = match.table
    return isinstance(command, commands.Bid) and state is not None and state.interlude(Cocked) is not None
