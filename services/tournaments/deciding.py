"""Decisions of tournaments, stored: what waits for one tournament is decided on one fold and stored as one.

The law of the file: a command is decided on what is in memory, and on those decided before it in the same commit; only
what is stored is remembered, and only the log says no. The secrets of lots are stored, wrapped, in the append that
commits to them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.commands import Chance
from domain.errors import Refused
from domain.log import canonical
from domain.tournaments import commands, events
from domain.tournaments.deciding.decide import TournamentDecision
from domain.tournaments.deciding.drawing import DRAWERS_MAX
from domain.tournaments.record import lines_of, stream_of
from domain.tournaments.tournament import Tournament
from infra.clock import now_ms
from infra.entropy import draw
from infra.measures.slow import SlowCommands
from infra.measures.watches import Timed
from infra.store import Append, Appended, Conflict, EventStore, KeyReused, NotedText, Repeated
from services.matches import optimistic
from services.matches.anchors import anchors_of
from services.matches.naming.law import taken_among
from services.matches.requests import CommandMetadata, KeyUsed, Signs, VersionPassed
from services.matches.secrets.tokens import Role, TokenIssuer, digest
from services.matches.secrets.vault import Vault
from services.tournaments.cached import CachedTournament, moved
from services.tournaments.reads import TournamentQueries
from services.tournaments.requests import NOTHING, Beside, TournamentAnswer
from services.tournaments.ways.due import DueDecisions
from services.tournaments.ways.keys import check_word
from services.tournaments.ways.lists import EntryList, decide_list, entered_in, with_tokens
from services.tournaments.ways.queue import CommandQueue, WaitingCommand
from services.tournaments.ways.texts import TEXTS_MAX, noted, room
from services.work.failures import Stuck, Unreadable
from services.work.worker import Worker

Asked = commands.AnyCommand | EntryList
"""What is asked: a command, or a list of people to enter, all of them or none."""


class Request(Struct, frozen=True):
    """A command as it came, with the text that its line names."""

    command: Asked
    ask: CommandMetadata
    beside: Beside
    note: NotedText | None


class Decided(Struct, frozen=True):
    """A command that is decided and not stored: what is to be stored, its answer then, the tournament after it."""

    append: Append
    answer: TournamentAnswer
    after: CachedTournament


Holds = Callable[[], Awaitable[CachedTournament]]


class TournamentDecisions(TournamentQueries):
    """Every tournament of the house, and the way of a command into its stream."""

    def __init__(
        self,
        store: EventStore,
        vault: Vault,
        tokens: TokenIssuer,
        signs: Signs | None,
        stuck: Stuck | None,
        worker: Worker | None,
        slow: SlowCommands | None = None,
    ) -> None:
        """Decide against this store, with the secrets of this vault; without `signs` there are no receipts.

        What takes long is done by `worker`, or in a thread where there is none, and told to `slow`.
        """
        super().__init__(store, vault, stuck, slow)
        self._sealing = vault
        self._tokens = tokens
        self._signs = signs
        self._due = DueDecisions(worker)
        self._queue = CommandQueue(self._decide_together, lambda request: request.ask.command)

    async def submit(
        self, tournament_id: UUID, command: Asked, ask: CommandMetadata, beside: Beside = NOTHING
    ) -> TournamentAnswer:
        """Decide a command and store what it leads to.

        Raises:
            Refused: A law says no; nothing is recorded.
            UnknownTournament: There is no such tournament.
            VersionPassed: The asker named a version that has passed.
            KeyUsed: The idempotency key belongs to another request.
            Unavailable: The store cannot say yes now; repeat with the same key.
            Unreadable: This program cannot read the tournament; another may.
        """
        with self._slow.timed(type(command).__name__, stream_of(tournament_id)):
            return await self._submit(tournament_id, command, ask, beside)

    async def _submit(
        self, tournament_id: UUID, command: Asked, ask: CommandMetadata, beside: Beside
    ) -> TournamentAnswer:
        note = None
        if beside.note is not None:
            # Whoever repeats keeps no text twice.
            stored = await self.answered(tournament_id, ask)
            if stored is not None:
                return stored
            note = noted(beside.note, restricted=beside.restricted)
            command = replace(command, note=note.note)
        request = Request(command, ask, beside, note)
        try:
            if isinstance(command, commands.Proceed):
                # What is due may take long, and holds nobody up: whoever is quicker makes it find another version.
                answer = await self._decide_alone(tournament_id, request)
            else:
                answer = await self._queue.submit(tournament_id, request)
        except (Refused, VersionPassed, Unreadable, KeyUsed):
            await self._drop_unnamed(tournament_id, note)
            stored = await self.answered(tournament_id, ask)
            if stored is None:
                raise
            return stored
        await self._drop_unnamed(tournament_id, note, answer.version)
        return await self._with_token(answer, ask)

    async def check(self, tournament_id: UUID, command: Asked, ask: CommandMetadata, beside: Beside) -> None:
        """See that a command would be stored now, or has been, before anything is kept for it that no line would name.

        Raises:
            As `submit`.
        """
        if await self.answered(tournament_id, ask) is None:
            await self._decide(await self.load(tournament_id), Request(command, ask, beside, None), {})

    async def _drop_unnamed(self, tournament_id: UUID, note: NotedText | None, at_least: int | None = None) -> None:
        """Erase a text whose command was refused, or came twice at once: the line names the text of the other one."""
        if note is None:
            return
        with suppress(Unreadable):  # then nobody reads texts of it here
            if note.note not in (await self.load(tournament_id, at_least)).notes:
                await self._store.erase_note(stream_of(tournament_id), note.note)

    async def _decide_alone(self, tournament_id: UUID, request: Request) -> TournamentAnswer:
        async def attempt(cached: CachedTournament) -> TournamentAnswer | None:
            made = await self._decide(cached, request, {})
            outcome = await optimistic.append(self._store, made.append, TournamentAnswer)
            if isinstance(outcome, Appended):
                self._remember(made)
                return made.answer
            return None if isinstance(outcome, Conflict) else outcome

        return await optimistic.decide_with_retries(*self._held(tournament_id), attempt)

    async def _decide_together(self, tournament_id: UUID, waiting: Sequence[WaitingCommand[Request]]) -> None:
        """Decide requests one on the other, store them as one, and answer each; they share what happens to one try.

        A crash before the commit leaves nothing, but perhaps texts that no line names; one after it stored answers.
        """
        cached, load = self._held(tournament_id)
        try:
            if len(waiting) == 1:
                await optimistic.decide_with_retries(cached, load, partial(self._attempt_together, waiting))
                return
            # Where many come, they come to other programs as well: whose turn it is finds the log where it was read.
            async with self._store.turn(stream_of(tournament_id)):
                await load()
                await optimistic.decide_with_retries(cached, load, partial(self._attempt_together, waiting))
        except (Refused, VersionPassed):
            _tell_refusals(waiting)
        except BaseException as trouble:
            for asked in waiting:
                asked.fail(trouble)
            if not isinstance(trouble, Exception):
                raise

    async def _attempt_together(
        self, waiting: Sequence[WaitingCommand[Request]], cached: CachedTournament
    ) -> bool | None:
        """Decide and store whoever still waits; return None if somebody else was first.

        Raises:
            Refused, VersionPassed: All are refused, as far as is known here.
        """
        left = [asked for asked in waiting if asked.waits]
        made = await self._decide_each(cached, left)
        refusals = [asked.refusal for asked in left if asked.refusal is not None]
        if refusals and not made:
            raise refusals[0]
        if not await self._store_together(made):
            return None
        # What is stored now stands right behind what they were refused on: so the log says no as well.
        _tell_refusals(left)
        return True

    def _held(self, tournament_id: UUID) -> tuple[Holds, Holds]:
        return partial(self._cached_or_loaded, tournament_id), partial(self.load, tournament_id)

    async def _decide_each(
        self, cached: CachedTournament, waiting: Sequence[WaitingCommand[Request]]
    ) -> list[tuple[WaitingCommand[Request], Decided]]:
        """Decide each on what those before it have led to, and leave with those that are refused why."""
        made: list[tuple[WaitingCommand[Request], Decided]] = []
        taken: dict[int, str] = {}
        for asked in waiting:
            asked.refusal = None
            try:
                one = await self._decide(cached, asked.request, taken)
            except (Refused, VersionPassed) as refusal:
                asked.refusal = refusal
            except Exception as trouble:  # noqa: BLE001 - a fault of ours with one of them, who is told, and all others go on
                asked.fail(trouble)
            else:
                made.append((asked, one))
                cached = one.after
                numbers = [each.number for each in one.answer.entered] or [one.answer.number or 0]
                taken.update(zip(numbers, asked.request.beside.names, strict=False))
        return made

    async def _store_together(self, made: Sequence[tuple[WaitingCommand[Request], Decided]]) -> bool:
        """Store what was decided, and answer whoever is stored; report whether all are."""
        appends = [one.append for _, one in made]
        if len(appends) > 1:
            outcomes = await self._store.append_chain(appends)
        else:
            outcomes = [await self._store.append(append) for append in appends]
        for (asked, one), outcome in zip(made, outcomes, strict=True):
            match outcome:
                case Appended():
                    asked.tell(one.answer)
                case Repeated():
                    asked.tell(msgspec.json.decode(outcome.answer, type=TournamentAnswer))
                case KeyReused():
                    asked.fail(KeyUsed())
                case Conflict():
                    pass
        stored = all(isinstance(outcome, Appended) for outcome in outcomes)
        if stored and made:
            self._remember(made[-1][1])
        return stored

    def _remember(self, made: Decided) -> None:
        self._sealing.keep(made.append.stream, made.after.keeper)
        self._keep(made.after)

    async def _decide(self, cached: CachedTournament, request: Request, taken: dict[int, str]) -> Decided:
        """Decide a request, with what is to be stored; `taken` are the names of all by number, once they are needed.

        Raises:
            Refused, VersionPassed.
        """
        optimistic.check_version(cached.version, request.ask)
        before = cached.tournament
        at = max(now_ms(), before.at + 1)  # a time of its own: that tells its events from the next one's
        command = await self._with_chance(before, request.command)
        with Timed("decide"):
            if isinstance(command, EntryList):
                made = await asyncio.to_thread(decide_list, cached, command, at)
            else:
                made = await self._due.decide(before, command, at, cached.written.head, cached.keeper)
        await check_word(self._store, before, command)
        await self._check_free(cached, request.beside, taken)
        lines, head = lines_of(before.id, before.version, cached.written.head, at, made.events)
        answer = self._answer(before.id, made.tournament.version, head, made)
        if isinstance(command, EntryList):
            answer = replace(answer, role=None, number=None, by=None, entered=entered_in(made))
        if request.note is not None:
            await self._keep_words(cached, request, request.note)
        append = self._append_of(before.version, lines, made.events, request.ask, answer, made, request.beside)
        return Decided(append, answer, moved(cached, made, head))

    async def _keep_words(self, cached: CachedTournament, request: Request, note: NotedText) -> None:
        """Keep a text beside the lines, if there is room: entrants leave half of it to officials.

        Raises:
            Refused: `too_many_words`.
        """
        stream, by = stream_of(cached.tournament.id), getattr(request.command, "by", None)
        most = TEXTS_MAX if by in cached.tournament.officials else TEXTS_MAX // 2
        kept = (each for each in await self._store.notes(stream) if each.note in cached.notes)
        if room((*kept, note)) > most:
            raise Refused("too_many_words", max=most)
        await self._store.keep_note(stream, note)

    async def _with_chance(self, before: Tournament, command: Asked) -> Asked:
        """Return what is due with fresh secrets for the house and all who may draw, and the line before a deal."""
        if not isinstance(command, commands.Proceed):
            return command
        chance = Chance(draw(32), {seat: draw(32) for seat in range(1, DRAWERS_MAX + 2)})
        if not before.awaits_lot:
            return replace(command, chance=chance)
        (line,) = await self._store.read(stream_of(before.id), before.dealt_seq - 1, 1)
        return replace(command, chance=chance, head=canonical.head(line))

    def _append_of(
        self,
        version: int,
        lines: tuple[bytes, ...],
        happened: Sequence[events.TournamentEvent],
        ask: CommandMetadata,
        answer: TournamentAnswer,
        made: TournamentDecision,
        beside: Beside,
    ) -> Append:
        stream = stream_of(made.tournament.id)
        earned: list[tuple[Role, int | None]] = [("entrant", one.number) for one in answer.entered]
        if answer.role is not None:
            earned.append((answer.role, answer.number))
        issue = self._tokens.issue
        tokens = tuple(
            (digest(issue(made.tournament.id, role, number, ask.command)), role, number) for role, number in earned
        )
        return Append(
            stream=stream,
            expected=version,
            lines=lines,
            command=ask.command,
            fingerprint=ask.fingerprint,
            answer=msgspec.json.encode(answer),
            secrets=self._sealing.wrap(stream, made.secrets),
            anchors=anchors_of(made.tournament.ceremony, happened, lines, version),
            people=beside.people,
            tokens=tokens,
        )

    async def _check_free(self, cached: CachedTournament, beside: Beside, taken: dict[int, str]) -> None:
        """Check that newcomers can be told from all who have entered; bots bring names that the house keeps for them.

        Raises:
            Refused: `name_taken`.
        """
        if beside.names:
            taken.update({} if taken else await self.names(cached.tournament))
            for _, seat in taken_among(beside.called, taken):
                raise Refused("name_taken") if seat is None else Refused("name_taken", seat=seat)

    def _answer(self, tournament_id: UUID, version: int, head: str, made: TournamentDecision) -> TournamentAnswer:
        """Return the answer with its receipt, which nobody gets to see before the lines are stored."""
        receipt = None if self._signs is None else self._signs(stream_of(tournament_id), version - 1, head)
        answer = TournamentAnswer(str(tournament_id), version, head, receipt=receipt)
        for event in made.events:
            if isinstance(event, events.PlayerRegistered) and not event.bot:
                return replace(answer, role="entrant", number=event.number, by=event.player)
            if isinstance(event, events.PlayerRegistered):
                return replace(answer, number=event.number, by=event.player)
            if isinstance(event, events.OfficialAppointed):
                return replace(answer, role=event.role, by=event.official)
        return answer

    async def answered(self, tournament_id: UUID, ask: CommandMetadata) -> TournamentAnswer | None:
        """Return what a command was answered, if it was stored.

        Raises:
            KeyUsed: The idempotency key belongs to another request.
        """
        stored = await optimistic.stored_answer(self._store, stream_of(tournament_id), ask, TournamentAnswer)
        return None if stored is None else await self._with_token(stored, ask)

    async def _with_token(self, answer: TournamentAnswer, ask: CommandMetadata) -> TournamentAnswer:
        """Return an answer with the tokens its command earned, under whichever key they were issued."""
        about = UUID(answer.tournament)
        if answer.entered:
            return replace(answer, entered=await with_tokens(self._store, self._tokens, about, answer.entered, ask))
        if answer.role is None:
            return answer
        token = await optimistic.token_of_command(self._store, self._tokens, about, answer.role, answer.number, ask)
        return replace(answer, token=token)


def _tell_refusals(waiting: Sequence[WaitingCommand[Request]]) -> None:
    for asked in waiting:
        if asked.refusal is not None:
            asked.fail(asked.refusal)
