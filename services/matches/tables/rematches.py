"""Rematches: the next table of those who have just played, under the same rules.

Its id follows from the key of the service and the id of the match before, and so does what seats each of them, so that
all who ask find one table and sit at it once, whoever asks first, wherever and however often. Every step is a command
of its own that a repeat finds done: a crash between two of them leaves a table that the next who asks completes.

Nobody sits there who has not asked. Who signs asks twice: for the table, whose lines they have to know, and then, over
these, for the seat.

Whoever asks first is its host: the host of before may have gone home, and would keep everybody waiting.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final, Literal
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.ids import Seat
from domain.match.evolve import Match, open_match
from domain.match.record import event_of, stream_of
from domain.match.settings import rules_object
from infra.store import Card
from services.matches.chance import NO_CHANCE
from services.matches.reads.queries import MatchQueries, UnknownMatch
from services.matches.requests import AS_BEFORE, Answer, CommandMetadata, People, SitsAgain
from services.matches.secrets.tokens import TokenIssuer

SCOPE: Final = "rematch"
"""The scope of what follows from a match that is over: no token has it."""


class SeatAgain(Struct, frozen=True):
    """Somebody who sat at the table before.

    Attributes:
        seat: The seat there.
        name: What people call them.
        sits: Whether they sit at the next table.
    """

    seat: Seat
    name: str
    sits: bool


class NextTable(Struct, frozen=True):
    """What has become of a match that is over.

    Attributes:
        match: The next table of its people, null while nobody has asked for one.
        started: Whether the next match has begun.
        seats: The people of the match that is over, without the bots of the house.
    """

    match: str | None
    started: bool
    seats: tuple[SeatAgain, ...]


class Rematches(MatchQueries, ABC):
    """Matches, and what follows on them. How a match is opened and a seat is taken is for whoever decides."""

    _tokens: TokenIssuer

    @abstractmethod
    async def _open(
        self, match_id: UUID, event: events.MatchCreated, ask: CommandMetadata, card: Card
    ) -> Answer | None:
        """Open a match, and return its host's token; None if somebody else has opened it."""

    async def _seat(self, match_id: UUID, command: commands.Join, name: str, ask: CommandMetadata) -> Answer:
        """Seat a player and return the seat's token."""
        return await self.submit(match_id, command, ask, ((command.player, name),))

    @abstractmethod
    async def _find_answer(self, match_id: UUID, ask: CommandMetadata) -> Answer | None:
        """Return what a command has led to, with the token that it earned; None if it has led to nothing."""

    @abstractmethod
    async def submit(
        self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata, people: People = ()
    ) -> Answer:
        """Decide a command and store what it leads to, with the names of those whom it seats."""

    async def rematch(self, match_id: UUID, ask: CommandMetadata, again: SitsAgain = AS_BEFORE) -> Answer:
        """Open the next table of a match that is over, or find it, and seat whoever asks under the name of before.

        The bots of the house sit down again, and when all people do, the match begins. The host of before, who asks
        without a seat, gets none, and neither does whoever has got up again: that seat may be another's by now. Whoever
        only has it opened is given the seat that they have there, if they have one.

        Raises:
            Refused: `not_over`, `never_played`, or what keeps the asker from a seat at the next table.
        """
        old = (await self.load_match(match_id)).match
        _check_played(old)
        if ask.holder is not None and not ask.holder.sits_in(old):
            raise Refused("unknown_player")
        next_id = await self._next_id(match_id)
        opened = await self._open_next(old, next_id, ask)
        await self._seat_bots_again(old, next_id)
        seated = None if ask.holder is None else await self._seat_again(old, next_id, ask, again)
        await self._start_when_all_sit(old, next_id)
        answer = seated or opened or await self._as_it_stands(next_id)
        host = None if opened is None else opened.token
        invite = None if (await self._cards.of(match_id)).listed else self._tokens.invite(next_id)
        return replace(answer, token=None if seated is None else seated.token, host=host, invite=invite)

    async def next_table(self, match_id: UUID) -> NextTable:
        """Return whether there is a next table of this match, and who of its people sits there."""
        old = (await self.load_match(match_id)).match
        names, found = await self._names.of([old]), None
        if old.ended:
            with suppress(UnknownMatch):
                found = (await self.load_match(await self._next_id(match_id))).match
        people = tuple(
            SeatAgain(seat, _called(old, seat, names), found is not None and self._sits(old, seat, found))
            for seat, who in sorted(old.seated.items())
            if not who.is_bot
        )
        if found is None:
            return NextTable(None, started=False, seats=people)
        return NextTable(str(found.id), _began(found), people)

    async def _next_id(self, match_id: UUID) -> UUID:
        """Return the id of the table after a match, be it one that a key of before has named."""
        newest, *before = (UUID(bytes=name, version=4) for name in self._tokens.names(SCOPE.encode(), match_id))
        for older in before:
            if await self._store.read(stream_of(older), 0, 1):
                return older
        return newest

    async def _open_next(self, old: Match, next_id: UUID, ask: CommandMetadata) -> Answer | None:
        """Open the next table; None if somebody else has. Whoever has opened it gets the host's token again."""
        asker = "host" if ask.holder is None else f"seat-{ask.holder.seat}"
        # The time at which the first match was to start is over.
        event = open_match(next_id, rules_object(replace(old.settings, starts_at=None)), old.policy)
        return await self._open(next_id, event, _step(old, f"open-{asker}"), await self._cards.of(old.id))

    async def _seat_bots_again(self, old: Match, next_id: UUID) -> None:
        """Seat the house's bots of before; where others have taken the room, they stay away."""
        bots = [(seat, who.player) for seat, who in sorted(old.seated.items()) if who.is_bot]
        if not bots or _began((await self.load_match(next_id)).match):
            return
        names = await self._names.of([old])
        with suppress(Refused):
            for seat, bot in bots:
                step = _step(old, f"bot-{seat}")
                player = f"{bot.rpartition('/')[0]}/{self._tokens.name(step.command, next_id).hex()[:8]}"
                await self._seat(next_id, commands.Join(player, "server"), names.get(bot, bot), step)

    async def _seat_again(self, old: Match, next_id: UUID, ask: CommandMetadata, again: SitsAgain) -> Answer | None:
        """Seat who asks; None if they were seated before and have got up since, or are not to be seated now."""
        assert ask.holder is not None, "somebody asks who sat here"
        seat = ask.holder.seat
        step = replace(_step(old, f"seat-{seat}"), signature=ask.signature)
        sits = again.sits
        seated = await (self._sit(old, next_id, seat, again, step) if sits else self._find_answer(next_id, step))
        return seated if self._sits(old, seat, (await self.load_match(next_id)).match) else None

    async def _sit(self, old: Match, next_id: UUID, seat: Seat, again: SitsAgain, step: CommandMetadata) -> Answer:
        who, name = old.seated[seat], _called(old, seat, await self._names.of([old]))
        # Seeds that the server draws only while a bot stands in are the player's own again at the next table.
        custody: Literal["client", "server"] = "server" if who.custody and not who.lent else "client"
        mark = again.mark
        player = next(self._players(old, seat, next_id))
        join = commands.Join(player, again.custody or custody, None, mark.key, mark.commit_to(name))
        seated = await self._seat(next_id, join, name, step)
        if mark.salt is not None:
            # A crash before this leaves a name that nobody can check.
            await self._keep_salt(next_id, seated, bytes.fromhex(mark.salt), mark.commit_to(name))
        return seated

    async def _keep_salt(self, next_id: UUID, seated: Answer, salt: bytes, fixed: str | None) -> None:
        """Keep the salt of a name, if it is that of the line that seats its player: a repeat may bring another one."""
        for line in await self._store.read(stream_of(next_id), max(0, seated.version - 2), 2):
            event, _ = event_of(line)
            if isinstance(event, events.SeatJoined) and (event.seat, event.name) == (seated.seat, fixed):
                await self._store.keep_salt(event.player, salt)

    async def _start_when_all_sit(self, old: Match, next_id: UUID) -> None:
        found = (await self.load_match(next_id)).match
        people = [seat for seat, who in old.seated.items() if not who.is_bot]
        if people and not _began(found) and all(self._sits(old, seat, found) for seat in people):
            # Refused: somebody else has started it, or closed it.
            with suppress(Refused):
                await self.submit(next_id, commands.Start(NO_CHANCE), _step(old, "start"))

    async def _as_it_stands(self, match_id: UUID) -> Answer:
        written = (await self.load_match(match_id)).written
        return Answer(str(match_id), written.match.version, written.head)

    def _sits(self, old: Match, seat: Seat, found: Match) -> bool:
        """Report whether whoever sat here sits at the next table."""
        sitting = {who.player for who in found.seated.values()}
        return any(player in sitting for player in self._players(old, seat, found.id))

    def _players(self, old: Match, seat: Seat, next_id: UUID) -> Iterator[str]:
        """Yield who the player of a seat may be at the next table, under the newest key first."""
        command = _step(old, f"seat-{seat}").command
        return (f"p{name.hex()[:24]}" for name in self._tokens.names(command, next_id))


def _check_played(old: Match) -> None:
    """Let a match be followed by another if it is over.

    Raises:
        Refused: `not_over`, `never_played`.
    """
    if not old.ended:
        raise Refused("not_over")
    if old.table is None:
        raise Refused("never_played")


def _called(old: Match, seat: Seat, names: Mapping[str, str]) -> str:
    """Return what somebody is called at the next table, whose name may have been erased."""
    return names.get(old.seated[seat].player, f"Seat {seat}")


def _began(match: Match) -> bool:
    return match.table is not None or match.ended


def _step(old: Match, what: str) -> CommandMetadata:
    """Return the identity of a step on the way to the next table: the same for whoever takes it."""
    return CommandMetadata(SCOPE, f"{what}-after-{old.id}", b"")
