"""Tables of tournaments: opened by their director with all who play at them, in one append.

The id of such a match follows from its place in the tournament, so whoever opens it second finds it there. The token of
a seat follows from what opened the match, or from its place where it was kept for who takes it with a key; it is given
to whoever holds the entrant's token, as often as it is asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final, Literal
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from domain import commands
from domain.audit import access
from domain.audit.access import AccessStream
from domain.commands.base import Hash
from domain.ids import Seat, Version
from domain.match.decide import Decision, Newcomer, open_seated
from domain.match.dues import kept_seats, ready_awaited
from domain.match.evolve import Match, open_match
from domain.match.record import GENESIS, MatchAtHead, event_of, lines_of, stream_of, written_after
from domain.match.signed_commands import SeatSignature
from domain.tournaments import record as tournaments
from infra.clock import now_ms
from infra.store import Access, Appended, Conflict
from services.matches.reads.queries import UnknownMatch
from services.matches.requests import Answer, CommandMetadata
from services.matches.secrets.tokens import Role, digest
from services.matches.tables.rematches import Rematches

Custody = Literal["client", "server"]
"""Who draws the seeds of a seat: the player's own program, or the house."""
SCOPE: Final = "tournament"
"""The scope of what a director does: no token has it."""


def opening(match_id: UUID) -> CommandMetadata:
    """Return the identity of the opening of a table: the same for whoever opens it."""
    return CommandMetadata(SCOPE, f"open/{match_id}", b"")


def sitting(match_id: UUID, seat: Seat) -> CommandMetadata:
    """Return the identity of the taking of a seat that was kept: the same however often its player asks."""
    return CommandMetadata(SCOPE, f"sit/{seat}/{match_id}", b"")


class SeatAtTable(Struct, frozen=True):
    """What somebody plays with at the table of a tournament.

    Attributes:
        token: The token of the seat; None while it is kept for its player to take.
        waits: Whether the match waits for this seat to say that it is there.
        custody: Who is to draw the seeds of a seat that is kept, as its entrant has chosen.
    """

    token: str | None
    waits: bool
    custody: Custody | None = None


class SitsAtTable(Struct, frozen=True):
    """What somebody takes a seat with that was kept.

    Attributes:
        custody: Who draws its seeds; None for who its entrant has chosen.
        key: What it signs with from then on, as hex; None for a seat that signs nothing.
        signed: The join, signed with that key.
    """

    custody: Custody | None = None
    key: Hash | None = None
    signed: SeatSignature | None = None


class AnotherMatch(Exception):  # noqa: N818 - named for what happened
    """A match has the id of a table, and is under other rules: so somebody else has opened it."""


class EventTables(Rematches, ABC):
    """Matches, and the tables of tournaments among them. How lines are stored is for whoever decides."""

    @abstractmethod
    def _answer(self, match_id: UUID, version: Version, head: str, seat: Seat | None = None) -> Answer:
        """Return the answer with its receipt."""

    @abstractmethod
    async def _append(
        self,
        match_id: UUID,
        version: Version,
        lines: tuple[bytes, ...],
        ask: CommandMetadata,
        answer: Answer,
        *,
        tokens: tuple[tuple[bytes, str, int | None], ...] = (),
        seen: Access | None = None,
    ) -> Answer | Appended | Conflict:
        """Append, and return the stored answer of a repeat."""

    @abstractmethod
    def _remember(self, made: Decision, written: MatchAtHead, book: AccessStream | None) -> None:
        """Keep in memory what a decision came to, which is stored."""

    @abstractmethod
    async def _find_answer(self, match_id: UUID, ask: CommandMetadata) -> Answer | None:
        """Return what a command has led to, with the token that it earned; None if it has led to nothing."""

    @abstractmethod
    async def _token_of_command(self, match_id: UUID, role: Role, seat: Seat | None, ask: CommandMetadata) -> str:
        """Return the token that a stored command earned."""

    async def open_table(self, match_id: UUID, rules: dict[str, Any], players: Sequence[Newcomer | None]) -> None:
        """Open the match of a table with its seats; where it is open, nothing is done.

        A crash behind the append leaves it open, and whoever opens it next finds it so.

        Args:
            match_id: Its id, which follows from its place.
            rules: Its rules object, which says at which table it is.
            players: Who plays, in seat order; None where the seat is kept for who takes it with a key.

        Raises:
            AnotherMatch: There is a match of this id under other rules.
            Refused: `bad_options`, `too_many_players`.
        """
        at, ask, event = now_ms(), opening(match_id), open_match(match_id, rules)
        made = open_seated(event, at, players)
        lines, head = lines_of(match_id, 0, GENESIS, at, made.events)
        first, book = access.new_access_stream(match_id, at)
        people = [seat for seat, who in made.match.seated.items() if not who.is_bot]
        tokens = tuple(
            (digest(self._tokens.issue(match_id, "seat", seat, ask.command)), "seat", seat) for seat in people
        )
        answer = self._answer(match_id, made.match.version, head)
        seen = Access(access.stream_of(match_id), 0, first)
        outcome = await self._append(match_id, 0, lines, ask, answer, tokens=tokens, seen=seen)
        if isinstance(outcome, Appended):
            *_, written = written_after(None, lines, made.events, made.steps)
            self._remember(made, written, book)
        elif isinstance(outcome, Conflict):
            stored = await self._store.read(stream_of(match_id), 0, 1)
            if event_of(stored[0])[0] != event:
                raise AnotherMatch(str(match_id))

    async def seat_at(
        self, match_id: UUID, seat: Seat, player: str, sits: SitsAtTable | None = None
    ) -> SeatAtTable | None:
        """Return what the player of a seat plays with; None where the match is not open, or the seat is not theirs.

        With `sits`, a seat that was kept is taken first: that it was kept for this player, whoever asks has seen to.

        Raises:
            Refused: What keeps somebody from the seat, or the join is not signed as the match stands.

        Cost: a query for the match, another for its seat, and as that of a repeat.
        """
        try:
            match = (await self.load_match(match_id)).match
        except UnknownMatch:
            return None
        waits = seat in (ready_awaited(match) or ())
        if waits and seat in kept_seats(match):
            custody = await self._custody_of(match, player)
            if sits is None:
                return SeatAtTable(None, waits, custody)
            ask = replace(sitting(match_id, seat), signature=sits.signed)
            await self.submit(match_id, commands.Join(player, sits.custody or custody, seat, sits.key), ask)
            return await self.seat_at(match_id, seat, player)
        who = match.seated.get(seat)
        if who is None or who.player != player or match.settings.event is None:
            return None
        taken = await self._find_answer(match_id, sitting(match_id, seat))
        if taken is not None:
            return SeatAtTable(taken.token, waits)
        return SeatAtTable(await self._token_of_command(match_id, "seat", seat, opening(match_id)), waits)

    async def _custody_of(self, match: Match, player: str) -> Custody:
        assert match.settings.event is not None, "its seats are kept"
        own = await self._store.own_seeds(tournaments.stream_of(UUID(match.settings.event.tournament)))
        return "client" if player in own else "server"
