"""The handler of commands: read the match, decide, append at the expected version, answer (`optimistic`)."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, Self
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain import commands
from domain.audit import access
from domain.audit.access import AccessStream
from domain.errors import Refused
from domain.events import MatchCreated
from domain.fairness.deal import Policy
from domain.fairness.openings import DealSecrets
from domain.fairness.shapes import Signed
from domain.ids import Seat, UnixMs, Version
from domain.match.decide import Decision
from domain.match.evolve import Match, new_match, open_match
from domain.match.record import GENESIS, MatchAtHead, at_head, lines_of, stream_of
from domain.match.settings import HOUSE_RULES
from domain.seats import is_person
from infra.clock import now_ms
from infra.measures.slow import SlowCommands
from infra.store import Access, Append, Appended, Card, Conflict, EventStore
from infra.store.people import StoredBotTurn
from services.audit.beacons import BeaconSource
from services.engines.level_names import USUAL, Level
from services.matches import optimistic
from services.matches.anchors import anchors_of
from services.matches.attendance import BotTables, WaitingTables, is_endless
from services.matches.chance import CHANCED, NO_CHANCE, beacon_setting, with_chance
from services.matches.heart import GivesBack, Heart
from services.matches.naming.bots import HOUSE_BOTS
from services.matches.naming.law import check_free
from services.matches.reads.cards import PLAIN
from services.matches.reads.queries import CachedMatch, seat_of
from services.matches.reads.shared import SharedReads
from services.matches.requests import NO_MARK, Answer, CommandMetadata, KeyUsed, People, SeatMark, Signs, VersionPassed
from services.matches.seating import Invitations, check_asker, check_host, seat_taken
from services.matches.secrets.repeats import SignedCommands
from services.matches.secrets.signatures import Refuses, decide_signed
from services.matches.secrets.tokens import Role, TokenIssuer, digest
from services.matches.secrets.vault import Vault
from services.matches.tables.bulk import BulkTables
from services.matches.tables.handed_in import HandedIn
from services.matches.turns import Turns
from services.work.failures import Stuck, Unreadable

OnRecord = tuple[Access | None, AccessStream | None]  # what goes to the access stream, and the stream after it


class CommandHandler(BulkTables, HandedIn, GivesBack):
    """Every match of the house: its library, and the commands that change it."""

    def __init__(
        self,
        store: EventStore,
        vault: Vault,
        tokens: TokenIssuer,
        signs: Signs | None = None,
        beacon: BeaconSource | None = None,
        shared: SharedReads | None = None,
        stuck: Stuck | None = None,
        bot_tables: BotTables | None = None,
        heart: Heart | None = None,
        waiting: WaitingTables | None = None,
        refuses: Refuses | None = None,
        slow: SlowCommands | None = None,
    ) -> None:
        """Handle commands against this store, with the secrets of this vault.

        Without `signs` there are no receipts, nor notes of refusals without `refuses`; deals may wait for `beacon`.
        Matches are kept in `shared` memory, `stuck` is told what cannot be read, `bot_tables` and `waiting` count
        tables; `heart` knows when nobody kept the time, `slow` tells what took long.
        """
        super().__init__(store, vault, shared, stuck)
        self._bot_tables, self._waiting = bot_tables or BotTables(), waiting or WaitingTables()
        self._scheduled = self._waiting.scheduled
        self._sealing = vault
        self._tokens = tokens
        self._invitations = Invitations(store, tokens)
        self._signs, self._signed = signs, SignedCommands(store, refuses)
        self._beacon = beacon
        self._turns = Turns(slow)
        self._heart = heart

    async def open(
        self, rules: dict[str, Any], ask: CommandMetadata, policy: Policy = "all", card: Card = PLAIN
    ) -> Answer:
        """Open a match under these rules, with deals that publish this, and return its host's token.

        Rules that say nothing of people who stop, or of the host, take those of the house, which `null` switches off.
        The match's id follows from the request, so that a repeat finds the same match.
        """
        given = {**HOUSE_RULES, **rules, "beacon": beacon_setting(self._beacon, rules.get("beacon"))}
        match_id = await self.id_of(ask)
        if self._waiting.is_full(ask.network) and await self._store.answer(stream_of(match_id), ask.command) is None:
            await self._waiting.check_room(ask.network, self._match_as_stored)
        opened = await self._open(match_id, open_match(match_id, given, policy), ask, card)
        if opened is None:
            raise KeyUsed
        self._waiting.note(match_id, ask.network)
        return opened

    async def _open(self, match_id: UUID, event: MatchCreated, ask: CommandMetadata, card: Card) -> Answer | None:
        """Open a match, and return its host's token; None if somebody else has opened it."""
        at = now_ms()
        await self._invitations.keep(match_id, card)
        invite = self._invitations.of(match_id, card)
        lines, head = lines_of(match_id, 0, GENESIS, at, [event])
        answer = self._answer(match_id, 1, head)
        first, book = access.new_access_stream(match_id, at)
        token = self._tokens.issue(match_id, "host", None, ask.command)
        outcome = await self._append(
            match_id,
            0,
            lines,
            ask,
            answer,
            tokens=((digest(token), "host", None),),
            seen=Access(access.stream_of(match_id), 0, first),
        )
        if isinstance(outcome, Answer):
            return replace(outcome, token=await self._token_of_command(match_id, "host", None, ask), invite=invite)
        if isinstance(outcome, Conflict):
            return None
        self._ledger.keep(match_id, book)
        self._keep(match_id, CachedMatch(at_head(None, new_match(event, at), event, lines[0]), None))
        return replace(answer, token=token, invite=invite)

    def _may_be_issued(self, token: str) -> bool:
        """Report whether a token is sealed under one of our keys."""
        return self._tokens.ours(token)

    def for_token(self, token: str) -> Self:  # noqa: ARG002 - looked up already, and by this program
        """Return these matches: whoever shows this token may be answered here."""
        return self

    async def id_of(self, ask: CommandMetadata) -> UUID:
        """Return the id of the match that this request opens, or has opened, be it under a key of before.

        Cost: a query for each key of before.
        """
        return await optimistic.id_of(self._store, self._tokens, ask, stream_of)

    async def join(
        self,
        match_id: UUID,
        name: str,
        custody: Literal["client", "server"],
        ask: CommandMetadata,
        invite: str | None = None,
        mark: SeatMark = NO_MARK,
    ) -> Answer:
        """Seat a person under this name and return the seat's token; a private table takes its invitation."""
        self._invitations.check(match_id, await self.card(match_id), invite)
        player = "p" + self._tokens.name(ask.command, match_id).hex()[:24]
        seated = await self._seat(
            match_id, commands.Join(player, custody, None, mark.key, mark.commit_to(name)), name, ask
        )
        if mark.salt is not None:
            # A crash before this leaves a name that nobody can check, until the request is repeated.
            await self._store.keep_salt(player, bytes.fromhex(mark.salt))
        return seated

    async def seat_bot(self, match_id: UUID, manner: str, name: str, ask: CommandMetadata) -> Answer:
        """Seat a house bot that plays so, a style or `<level>.<style>`, openly marked as one in its player id."""
        player = f"bot/{manner}/{self._tokens.name(ask.command, match_id).hex()[:8]}"
        return await self._seat(match_id, commands.Join(player, "server"), name, ask)

    async def seat_bots(self, match_id: UUID, count: int, ask: CommandMetadata, level: Level = USUAL) -> Answer:
        """Seat this many house bots of a level, one after the other; a repeat seats those that are still missing.

        Raises:
            Refused: `too_many_players`, `not_allowed` where they would play without an end; before any is seated.
        """
        await self._check_room(match_id, count, ask)
        answer = None
        for number in range(count):
            style, name = HOUSE_BOTS[(number + ask.command[0]) % len(HOUSE_BOTS)]
            one = replace(ask, key=f"{ask.key}/{number}", expected=None if number else ask.expected)
            answer = await self.seat_bot(match_id, f"{level}.{style}", name, one)
        assert answer is not None, "the request names at least one"
        return replace(answer, seat=None, token=None)

    async def _check_room(self, match_id: UUID, count: int, ask: CommandMetadata) -> None:
        check_host(match := (await self.load_match(match_id)).match, ask)
        free, endless = match.settings.seats - len(match.seated), is_endless(match)
        if match.table is not None or (count <= free and not endless):
            return
        each = (replace(ask, key=f"{ask.key}/{number}") for number in range(count))
        missing = [one for one in each if await self._find_answer(match_id, one) is None]
        if missing and endless:
            raise Refused("not_allowed", why="bots would play here without an end: the table needs the idle rule")
        if len(missing) > free:
            raise Refused("too_many_players", seats=match.settings.seats, free=free)

    async def keep_bot_turn(self, match_id: UUID, turn: StoredBotTurn) -> StoredBotTurn:
        """Keep how a bot of the house is about to take a turn, and return what is kept of it. Cost: one commit."""
        return await self._store.keep_bot_turn(stream_of(match_id), turn)

    async def start(self, match_id: UUID, ask: CommandMetadata) -> Answer:
        """Close the lobby and begin the first deal."""
        return await self.submit(match_id, commands.Start(NO_CHANCE), ask)

    async def advance(self, match_id: UUID, ask: CommandMetadata) -> Answer:
        """Let the table do what is due."""
        return await self.submit(match_id, commands.Advance(NO_CHANCE), ask)

    async def submit(
        self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata, people: People = ()
    ) -> Answer:
        """Decide a command and store what it leads to.

        Raises:
            Refused: A rule says no; nothing is recorded.
            UnknownMatch: There is no such match.
            VersionPassed: The asker named a version that has passed.
            KeyUsed: The idempotency key belongs to another request.
            Unavailable: The store cannot say yes now; repeat with the same key.
            Unreadable: This program cannot read the match; another may.
        """
        async with self._turns.of(match_id, type(command).__name__):
            try:
                return await self._decide_with_retries(match_id, command, ask, people)
            except (Refused, VersionPassed, Unreadable) as no:
                # What was stored is answered as it was, whatever has come of the match since.
                stored = await self._find_answer(match_id, ask)
                if stored is None and not isinstance(no, Unreadable):
                    stored = await self._find_or_note(no, match_id, command, ask)
                if stored is None:
                    raise
                return stored

    async def _decide_with_retries(
        self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata, people: People
    ) -> Answer:
        async def attempt(hosted: CachedMatch) -> Answer | None:
            await self._check_version(hosted, ask)
            check_asker(hosted.match, command, ask)
            with self._bot_tables.counting(hosted.match, command, ask.network):
                return await self._attempt(match_id, hosted, command, ask, people)

        cached, load = partial(self._cached_in_time, match_id), partial(self.load_match, match_id)
        return await optimistic.decide_with_retries(cached, load, attempt)

    async def _check_version(self, hosted: CachedMatch, ask: CommandMetadata) -> None:
        """Check that a command is meant for the match as it is, or as its asker is shown it who holds no seat.

        Who is shown the match late learns from no answer how far it has come; only whoever opened it may know of that.
        """
        seen = hosted.version
        if ask.expected is not None and ask.network is not None and seat_of(ask.holder, hosted.match) is None:
            seen = (await self._shown(hosted)).match.version
        if not (ask.opener and ask.expected is not None and hosted.version in ask.expected):
            optimistic.check_version(seen, ask)

    async def _attempt(
        self, match_id: UUID, hosted: CachedMatch, command: commands.MatchCommand, ask: CommandMetadata, people: People
    ) -> Answer | None:
        """Decide and append once; return None if somebody else was first, or the time has leapt since it was asked.

        A crash after the append leaves a stored answer, which the repeat gets; a crash before it leaves nothing.
        """
        at = max(now_ms(), hosted.match.at + 1)  # a time of its own: that tells its events from the next one's
        if self._has_leapt(hosted.match, command):
            return None
        made, signed = await self._decide(hosted, command, at, ask)
        await self._check_free(hosted.match, people)
        lines, head = lines_of(match_id, hosted.match.version, hosted.written.head, at, made.events, signed)
        seat = seat_taken(made)
        answer = self._answer(match_id, made.match.version, head, seat)
        token = None if seat is None else self._tokens.issue(match_id, "seat", seat, ask.command)
        seen, book = await self._access_lines(hosted.match, made, at)
        written = self._milestones.recent.note(stream_of(match_id), hosted.written, lines, made.events, made.steps)
        outcome = await self._append(
            match_id,
            hosted.match.version,
            lines,
            ask,
            answer,
            secrets=self._sealing.wrap(stream_of(match_id), made.secrets),
            anchors=anchors_of(made.match.ceremony, made.events, lines, hosted.match.version),
            people=people,
            tokens=() if token is None else ((digest(token), "seat", seat),),
            seen=seen,
        )
        if isinstance(outcome, Conflict):
            if seen is not None:
                await self._ledger.load_stream(match_id)
            return None
        if isinstance(outcome, Answer):
            return await self._with_token(match_id, outcome, ask)
        self._remember(made, written, book)
        return replace(answer, token=token)

    async def _decide(
        self, hosted: CachedMatch, command: commands.MatchCommand, at: UnixMs, ask: CommandMetadata
    ) -> tuple[Decision, Signed | None]:
        """Decide a command as the rules do, and as they would who knew when nobody was there."""
        chanced = with_chance(command, hosted.match) if isinstance(command, CHANCED) else command
        keeper = await self._secrets_for(hosted, command)
        decided = decide_signed(hosted.written, chanced, at, keeper, ask.signature)
        self._check_away(hosted.match, command, at)
        return decided

    async def _secrets_for(self, hosted: CachedMatch, command: commands.MatchCommand) -> DealSecrets | None:
        """Return the secrets that a command is decided with: of the deal there is, or that it says is shared."""
        if isinstance(command, commands.ShareDeal) and hosted.match.settings.board is not None:
            return await self._sealing.keeper_of_board(hosted.match, command.deal)
        return hosted.keeper

    def _remember(self, made: Decision, written: MatchAtHead, book: AccessStream | None) -> None:
        if book is not None:
            self._ledger.keep(made.match.id, book)
        self._sealing.keep(stream_of(made.match.id), made.keeper)
        self._keep(made.match.id, CachedMatch(written, made.keeper))

    async def _access_lines(self, before: Match, made: Decision, at: UnixMs) -> OnRecord:
        """Return what goes to the access stream with a decision: which hidden dice it lets whom know."""
        if not access.touches(made.events):
            return None, None
        book = await self._ledger.book(before.id)
        lines, grown = access.lines_of_events(book, before, made.events, at)
        return (Access(access.stream_of(before.id), book.version, lines), grown) if lines else (None, None)

    def _answer(self, match_id: UUID, version: Version, head: str, seat: Seat | None = None) -> Answer:
        """Return the answer with its receipt, which nobody gets to see before the lines are stored."""
        receipt = None if self._signs is None else self._signs(stream_of(match_id), version - 1, head)
        return Answer(str(match_id), version, head, seat, receipt=receipt)

    async def _append(
        self,
        match_id: UUID,
        version: Version,
        lines: tuple[bytes, ...],
        ask: CommandMetadata,
        answer: Answer,
        *,
        secrets: tuple[tuple[str, bytes], ...] = (),
        anchors: tuple[tuple[int, str, str], ...] = (),
        people: People = (),
        tokens: tuple[tuple[bytes, str, int | None], ...] = (),
        seen: Access | None = None,
    ) -> Answer | Appended | Conflict:
        """Append, and return the stored answer of a repeat."""
        command = Append(
            stream=stream_of(match_id),
            expected=version,
            lines=lines,
            command=ask.command,
            fingerprint=ask.fingerprint,
            answer=msgspec.json.encode(answer),
            secrets=secrets,
            anchors=anchors,
            people=people,
            tokens=tokens,
            access=seen,
        )
        return await optimistic.append(self._store, command, Answer)

    async def _check_free(self, match: Match, people: People) -> None:
        """Check that newcomers can be told from all who sit here; bots bring names the house keeps for them.

        Names are no events, so no rule of the domain can ask for them. They are stored with the seat, so whoever finds
        the match at this version finds everybody's.

        Raises:
            Refused: `name_taken`.
        """
        for name in (name for player, name in people if is_person(player)):
            known = await self._names.of([match])
            check_free(name, {seat: known.get(who.player, "") for seat, who in match.seated.items()})

    async def _find_answer(self, match_id: UUID, ask: CommandMetadata) -> Answer | None:
        stored = await optimistic.stored_answer(self._store, stream_of(match_id), ask, Answer)
        return None if stored is None else await self._with_token(match_id, stored, ask)

    async def _with_token(self, match_id: UUID, answer: Answer, ask: CommandMetadata) -> Answer:
        if answer.seat is None:
            return answer
        token = await self._token_of_command(match_id, "seat", answer.seat, ask)
        return replace(answer, token=token)

    async def _token_of_command(self, match_id: UUID, role: Role, seat: Seat | None, ask: CommandMetadata) -> str:
        return await optimistic.token_of_command(self._store, self._tokens, match_id, role, seat, ask)
