"""The command handler of tournaments: load, decide, append at the expected version, answer, as that of matches.

The secrets of lots are stored, wrapped, in the append that commits to them.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.commands import Chance
from domain.errors import Refused
from domain.log import canonical
from domain.match.record import GENESIS
from domain.match.settings import HOUSE_RULES
from domain.seats import BOT_PREFIX
from domain.tournaments import commands, events
from domain.tournaments.deciding.decide import TournamentDecision, decide
from domain.tournaments.deciding.drawing import DRAWERS_MAX
from domain.tournaments.evolve import new_tournament
from domain.tournaments.matches import OF_HOSTS
from domain.tournaments.options import rules_from
from domain.tournaments.record import TournamentAtHead, lines_of, stream_of
from domain.tournaments.rules import object_of
from domain.tournaments.tournament import Tournament
from infra.clock import now_ms
from infra.entropy import draw
from infra.store import Append, Appended, Card, Conflict, EventStore, NotedText
from services.audit.beacons import BeaconSource
from services.audit.dutch import given_pairing, lacks_package
from services.matches import optimistic
from services.matches.anchors import anchors_of
from services.matches.chance import beacon_setting
from services.matches.naming.law import check_free
from services.matches.reads.cards import PLAIN
from services.matches.requests import CommandMetadata, KeyUsed, Signs, VersionPassed
from services.matches.secrets.tokens import TokenIssuer, digest
from services.matches.secrets.vault import Vault
from services.matches.turns import Turns
from services.tournaments.cached import CachedTournament, moved
from services.tournaments.reads import TournamentQueries
from services.tournaments.requests import TournamentAnswer
from services.work.failures import Stuck, Unreadable

LARGE: Final = 24
"""Entrants from which on what is due is decided in a thread: pairing them takes longer than others should wait."""
SALT: Final = 16
"""Bytes hashed before a text that a line names."""
NO_CHANCE: Final = Chance(b"", {})
"""Stands for the secrets of what is due until it is decided: they are drawn anew for each try."""


Custody = Literal["client", "server"]
"""Who draws the seeds of a seat: the player's own program, or the house."""


class Beside(Struct, frozen=True):
    """What is stored beside the lines of a command.

    Attributes:
        people: Display names of those it enters, by id.
        note: The text that its line names by a hash.
        restricted: Whether that text is for officials only.
    """

    people: tuple[tuple[str, str], ...] = ()
    note: str | None = None
    restricted: bool = False


NOTHING: Final = Beside()


class TournamentHandler(TournamentQueries):
    """Every tournament of the house, and the commands that change it."""

    def __init__(
        self,
        store: EventStore,
        vault: Vault,
        tokens: TokenIssuer,
        signs: Signs | None = None,
        beacon: BeaconSource | None = None,
        stuck: Stuck | None = None,
    ) -> None:
        """Handle commands against this store, with the secrets of this vault.

        Without `signs` there are no receipts; lots may wait for `beacon`; `stuck` is told what cannot be read.
        """
        super().__init__(store, vault, stuck)
        self._sealing = vault
        self._tokens = tokens
        self._signs = signs
        self._beacon = beacon
        self._turns = Turns()

    async def create(self, rules: dict[str, Any], ask: CommandMetadata, card: Card = PLAIN) -> TournamentAnswer:
        """Announce a tournament under these rules, and return its host's token.

        Its id follows from the request, so that a repeat finds the same one. Matches that say nothing of people who
        stop take the rules of the house. A crash before the append leaves the card of no tournament.

        Raises:
            Refused: `bad_options`, naming the first option that is wrong.
        """
        created = self._created(await optimistic.id_of(self._store, self._tokens, ask, stream_of), rules)
        tournament_id = UUID(created.tournament)
        stream, at = stream_of(tournament_id), now_ms()
        if card != PLAIN and await self._store.keep_card(stream, card) != card:
            raise KeyUsed
        host = self._official_of(tournament_id, ask)
        before = new_tournament(created, at)
        made = decide(before, commands.Appoint(by=host, official=host, role="host"), at, GENESIS, None)
        happened = (created, *made.events)
        lines, head = lines_of(tournament_id, 0, GENESIS, at, happened)
        answer = self._answer(tournament_id, len(lines), head, made)
        outcome = await self._append(stream, 0, lines, happened, ask, answer, made, NOTHING)
        if isinstance(outcome, Conflict):
            raise KeyUsed
        if isinstance(outcome, TournamentAnswer):
            return await self._with_token(outcome, ask)
        self._keep(CachedTournament(TournamentAtHead(made.tournament, head), {}))
        return await self._with_token(answer, ask)

    def _created(self, tournament_id: UUID, rules: dict[str, Any]) -> events.TournamentCreated:
        given = dict(rules)
        if isinstance(given.get("match"), dict):
            usual = {name: value for name, value in HOUSE_RULES.items() if name not in OF_HOSTS}
            given["match"] = {**usual, **given["match"]}
            for name in OF_HOSTS:
                if given["match"].get(name) is not None:
                    why = "at a table of a tournament its officials do what hosts do"
                    raise Refused("bad_options", option=f"match.{name}", why=why)
        lots = given.get("lots")
        if isinstance(lots, dict) and isinstance(lots.get("beacon"), str):
            setting = beacon_setting(self._beacon, lots["beacon"])
            given["lots"] = {**lots, "beacon": msgspec.to_builtins(setting)}
        read = rules_from(given)
        if lacks_package(read):
            why = "this house has no package that pairs so: truecup[dutch]"
            raise Refused("bad_options", option="stages.0.format", why=why)
        return events.TournamentCreated(str(tournament_id), object_of(read), "all")

    def _official_of(self, tournament_id: UUID, ask: CommandMetadata) -> str:
        return "o" + self._tokens.name(ask.command, tournament_id).hex()[:24]

    async def appoint(self, tournament_id: UUID, by: str, role: events.Role, ask: CommandMetadata) -> TournamentAnswer:
        """Give somebody powers, and return the token they are had with."""
        command = commands.Appoint(by=by, official=self._official_of(tournament_id, ask), role=role)
        return await self.submit(tournament_id, command, ask)

    async def register(
        self,
        tournament_id: UUID,
        by: str | None,
        name: str,
        ask: CommandMetadata,
        club: str | None = None,
        custody: Custody = "server",
    ) -> TournamentAnswer:
        """Enter somebody under this name, as `by` asks or of themselves, and return the entrant's token.

        With the `custody` of the client, the entrant's program draws the seeds of the seats at its tables.
        """
        player = "e" + self._tokens.name(ask.command, tournament_id).hex()[:24]
        club_id = None if club is None else self._club_of(tournament_id, club)
        command = commands.Register(by=by or player, player=player, club=club_id)
        if custody == "client":
            # A refusal or a crash behind this leaves a row of nobody.
            await self._store.keep_own_seeds(stream_of(tournament_id), player)
        return await self.submit(tournament_id, command, ask, Beside(people=((player, name),)))

    async def register_bot(
        self, tournament_id: UUID, by: str, manner: str, name: str, ask: CommandMetadata
    ) -> TournamentAnswer:
        """Enter a bot of the house of this manner, openly marked as one in its id."""
        player = f"bot/{manner}/{self._tokens.name(ask.command, tournament_id).hex()[:8]}"
        command = commands.Register(by=by, player=player, bot=True)
        answer = await self.submit(tournament_id, command, ask, Beside(people=((player, name),)))
        return replace(answer, role=None, token=None)

    def _club_of(self, tournament_id: UUID, club: str) -> str:
        about = hashlib.sha256(b"truecup club\n" + club.strip().casefold().encode()).digest()
        return "c" + self._tokens.name(about, tournament_id).hex()[:24]

    async def proceed(self, tournament_id: UUID, by: str, ask: CommandMetadata) -> TournamentAnswer:
        """Do what is due."""
        return await self.submit(tournament_id, commands.Proceed(by=by, chance=NO_CHANCE), ask)

    async def submit(
        self, tournament_id: UUID, command: commands.AnyCommand, ask: CommandMetadata, beside: Beside = NOTHING
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
        try:
            if isinstance(command, commands.Proceed):
                # What is due may take long, and holds nobody up: whoever is quicker makes it find another version.
                return await self._decide_with_retries(tournament_id, command, ask, beside)
            async with self._turns.of(tournament_id):
                return await self._decide_with_retries(tournament_id, command, ask, beside)
        except (Refused, VersionPassed, Unreadable):
            stored = await self._find_answer(tournament_id, ask)
            if stored is None:
                raise
            return stored

    async def _decide_with_retries(
        self, tournament_id: UUID, command: commands.AnyCommand, ask: CommandMetadata, beside: Beside
    ) -> TournamentAnswer:
        note = None
        if beside.note is not None:
            # Whoever repeats keeps no text twice.
            stored = await self._find_answer(tournament_id, ask)
            if stored is not None:
                return stored
            note = _noted(beside.note, restricted=beside.restricted)
            command = replace(command, note=note.note)

        async def attempt(cached: CachedTournament) -> TournamentAnswer | None:
            return await self._attempt(cached, command, ask, beside, note)

        held, load = partial(self._cached_or_loaded, tournament_id), partial(self.load, tournament_id)
        answer = await optimistic.decide_with_retries(held, load, ask.expected, attempt)
        return await self._with_token(answer, ask)

    async def _attempt(
        self,
        cached: CachedTournament,
        command: commands.AnyCommand,
        ask: CommandMetadata,
        beside: Beside,
        note: NotedText | None,
    ) -> TournamentAnswer | None:
        """Decide and append once; return None if somebody else was first.

        A crash after the append leaves a stored answer, which the repeat gets; a crash before it leaves nothing but
        perhaps a text that no line names.
        """
        before = cached.tournament
        at = max(now_ms(), before.at + 1)  # a time of its own: that tells its events from the next one's
        made = await _decide(cached, await self._with_chance(before, command), at)
        await self._check_free(cached, beside)
        lines, head = lines_of(before.id, before.version, cached.written.head, at, made.events)
        answer = self._answer(before.id, made.tournament.version, head, made)
        stream = stream_of(before.id)
        if note is not None:
            await self._store.keep_note(stream, note)
        outcome = await self._append(stream, before.version, lines, made.events, ask, answer, made, beside)
        if isinstance(outcome, Conflict):
            return None
        if isinstance(outcome, TournamentAnswer):
            return outcome
        self._sealing.keep(stream, made.keeper)
        self._keep(moved(cached, made, head))
        return answer

    async def _with_chance(self, before: Tournament, command: commands.AnyCommand) -> commands.AnyCommand:
        """Return what is due with fresh secrets for the house and all who may draw, and the line before a deal."""
        if not isinstance(command, commands.Proceed):
            return command
        chance = Chance(draw(32), {seat: draw(32) for seat in range(1, DRAWERS_MAX + 2)})
        # It may take seconds, in which others are served.
        command = replace(command, given=await asyncio.to_thread(given_pairing, before))
        if not before.awaits_lot:
            return replace(command, chance=chance)
        (line,) = await self._store.read(stream_of(before.id), before.dealt_seq - 1, 1)
        return replace(command, chance=chance, head=canonical.head(line))

    async def _append(
        self,
        stream: str,
        version: int,
        lines: tuple[bytes, ...],
        happened: Sequence[events.TournamentEvent],
        ask: CommandMetadata,
        answer: TournamentAnswer,
        made: TournamentDecision,
        beside: Beside,
    ) -> TournamentAnswer | Appended | Conflict:
        """Append, and return the stored answer of a repeat."""
        tokens: tuple[tuple[bytes, str, int | None], ...] = ()
        if answer.role is not None:
            token = self._tokens.issue(made.tournament.id, answer.role, answer.number, ask.command)
            tokens = ((digest(token), answer.role, answer.number),)
        append = Append(
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
        return await optimistic.append(self._store, append, TournamentAnswer)

    async def _check_free(self, cached: CachedTournament, beside: Beside) -> None:
        """Check that newcomers can be told from all who have entered; bots bring names that the house keeps for them.

        Raises:
            Refused: `name_taken`.
        """
        if beside.people:
            taken = await self.names(cached.tournament)
            for name in (name for player, name in beside.people if not player.startswith(BOT_PREFIX)):
                check_free(name, taken)

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

    async def _find_answer(self, tournament_id: UUID, ask: CommandMetadata) -> TournamentAnswer | None:
        stored = await optimistic.stored_answer(self._store, stream_of(tournament_id), ask, TournamentAnswer)
        return None if stored is None else await self._with_token(stored, ask)

    async def _with_token(self, answer: TournamentAnswer, ask: CommandMetadata) -> TournamentAnswer:
        """Return an answer with the token its command earned, under whichever key it was issued."""
        if answer.role is None:
            return answer
        about = UUID(answer.tournament)
        token = await optimistic.token_of_command(self._store, self._tokens, about, answer.role, answer.number, ask)
        return replace(answer, token=token)


async def _decide(cached: CachedTournament, command: commands.AnyCommand, at: int) -> TournamentDecision:
    """Decide a command; what may take long, in a thread."""
    asked = (cached.tournament, command, at, cached.written.head, cached.keeper)
    if isinstance(command, commands.Proceed) and len(cached.tournament.entrants) >= LARGE:
        return await asyncio.to_thread(decide, *asked)
    return decide(*asked)


def _noted(text: str, *, restricted: bool) -> NotedText:
    salt = draw(SALT)
    return NotedText(hashlib.sha256(salt + text.encode()).hexdigest(), salt, text, restricted)
