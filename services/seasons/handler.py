"""The command handler of seasons: load, decide, append at the expected version, answer; as that of tournaments.

What a tournament counts follows from its record and from the season before it, so it is worked out anew whenever
somebody else was first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.errors import Refused
from domain.games import GAMES
from domain.ids import Version
from domain.match.record import GENESIS
from domain.seasons import events
from domain.seasons.counting import TournamentOutcome
from domain.seasons.deciding import AdmitTournament, CloseSeason, SeasonCommand, decide_season
from domain.seasons.record import SeasonAtHead, season_lines, stream_of_season
from domain.seasons.rules import rules_to_begin, season_object
from domain.seasons.season import Season, new_season
from infra.clock import now_ms
from infra.measures.slow import SlowCommands
from infra.measures.watches import Timed
from infra.store import Append, Appended, Card, Conflict, EventStore
from services.audit.seasons.counts import count
from services.matches import optimistic
from services.matches.anchors import anchors_of
from services.matches.reads.cards import PLAIN
from services.matches.requests import CommandMetadata, KeyUsed, Signs, VersionPassed
from services.matches.secrets.tokens import TokenIssuer, digest
from services.seasons.reads import SeasonQueries
from services.seasons.requests import SeasonAnswer


class SeasonInMemory(Struct, frozen=True):
    """A season as of its last line, for the loop of all handlers."""

    written: SeasonAtHead

    @property
    def version(self) -> Version:
        """How many lines it has."""
        return self.written.season.version


class SeasonHandler(SeasonQueries):
    """Every season of the house, and the commands that change it."""

    def __init__(
        self, store: EventStore, tokens: TokenIssuer, signs: Signs | None = None, slow: SlowCommands | None = None
    ) -> None:
        """Handle commands against this store, and tell `slow` of them; without `signs` there are no receipts."""
        super().__init__(store)
        self._slow = slow or SlowCommands()
        self._tokens = tokens
        self._signs = signs

    async def create(self, game: str, rules: dict[str, Any], ask: CommandMetadata, card: Card = PLAIN) -> SeasonAnswer:
        """Begin a season of a game under these rules, and return its host's token.

        Its id follows from the request, so that a repeat finds the same one. A crash before the append leaves the card
        of no season.

        Raises:
            Refused: `bad_options`, naming the first option that is wrong.
        """
        if game not in GAMES:
            raise Refused("bad_options", option="game", why="no game of this name is known", known=sorted(GAMES))
        season_id = await optimistic.id_of(self._store, self._tokens, ask, stream_of_season)
        stream, at = stream_of_season(season_id), now_ms()
        created = events.SeasonCreated(str(season_id), game, season_object(rules_to_begin(rules)))
        if card != PLAIN and await self._store.keep_card(stream, card) != card:
            raise KeyUsed
        lines, head = season_lines(season_id, 0, GENESIS, at, [created])
        answer = replace(self._answer(season_id, len(lines), head), role="host")
        token = self._tokens.issue(season_id, "host", None, ask.command)
        outcome = await self._append(0, lines, [created], ask, answer, token)
        if isinstance(outcome, Conflict):
            raise KeyUsed
        if not isinstance(outcome, SeasonAnswer):
            self._cached[season_id] = SeasonAtHead(new_season(created, at), head)
            return replace(answer, token=token)
        issued = await optimistic.token_of_command(self._store, self._tokens, season_id, "host", None, ask)
        return replace(outcome, token=issued)

    async def admit(self, season_id: UUID, tournament: str) -> SeasonAnswer:
        """Hold a tournament for a season; whoever is second gets the same answer.

        Raises:
            Refused: `season_over`, `season_full`, `already_registered`.
        """
        ask = CommandMetadata(f"season/{season_id}", f"admit/{tournament}", b"")
        return await self._submit(season_id, "AdmitTournament", lambda _: AdmitTournament(tournament), ask)

    async def count(self, season_id: UUID, outcome: TournamentOutcome) -> SeasonAnswer:
        """Count a tournament that is closed, once; whoever is second gets the same answer.

        Raises:
            Refused: `season_over`, `too_late`, `already_registered`.
        """
        ask = CommandMetadata(f"season/{season_id}", f"count/{outcome.tournament}", b"")
        return await self._submit(season_id, "CountTournament", lambda season: count(season, outcome), ask)

    async def close(self, season_id: UUID, ask: CommandMetadata) -> SeasonAnswer:
        """End a season.

        Raises:
            Refused: `season_over`, `season_running`.
        """
        return await self._submit(season_id, "CloseSeason", lambda _: CloseSeason(), ask)

    async def _submit(
        self, season_id: UUID, what: str, command_for: Callable[[Season], SeasonCommand], ask: CommandMetadata
    ) -> SeasonAnswer:
        """Decide a command of a kind and store what it leads to.

        A crash after the append leaves a stored answer for a repeat.
        """

        async def load() -> SeasonInMemory:
            return SeasonInMemory(await self.load(season_id))

        async def attempt(held: SeasonInMemory) -> SeasonAnswer | None:
            return await self._attempt(held.written, command_for, ask)

        try:
            with self._slow.timed(what, stream_of_season(season_id)):
                return await optimistic.decide_with_retries(load, load, attempt)
        except (Refused, VersionPassed):
            stored = await optimistic.stored_answer(self._store, stream_of_season(season_id), ask, SeasonAnswer)
            if stored is None:
                raise
            return stored

    async def _attempt(
        self, written: SeasonAtHead, command_for: Callable[[Season], SeasonCommand], ask: CommandMetadata
    ) -> SeasonAnswer | None:
        """Decide and append once; return None if somebody else was first."""
        before = written.season
        optimistic.check_version(before.version, ask)
        # Ratings of a large event take seconds, in which others are served.
        with Timed("decide"):
            command = await asyncio.to_thread(command_for, before)
        at = max(now_ms(), before.at + 1)
        made = decide_season(before, command, at)
        lines, head = season_lines(before.id, before.version, written.head, at, made.events)
        answer = self._answer(before.id, made.season.version, head)
        outcome = await self._append(before.version, lines, made.events, ask, answer)
        if isinstance(outcome, Conflict):
            return None
        return outcome if isinstance(outcome, SeasonAnswer) else answer

    async def _append(
        self,
        version: int,
        lines: tuple[bytes, ...],
        happened: Sequence[events.SeasonEvent],
        ask: CommandMetadata,
        answer: SeasonAnswer,
        token: str | None = None,
    ) -> SeasonAnswer | Appended | Conflict:
        """Append, and return the stored answer of a repeat."""
        command = Append(
            stream=stream_of_season(UUID(answer.season)),
            expected=version,
            lines=lines,
            command=ask.command,
            fingerprint=ask.fingerprint,
            answer=msgspec.json.encode(answer),
            anchors=anchors_of(None, happened, lines, version),
            tokens=() if token is None else ((digest(token), "host", None),),
        )
        return await optimistic.append(self._store, command, SeasonAnswer)

    def _answer(self, season_id: UUID, version: int, head: str) -> SeasonAnswer:
        """Return the answer with its receipt, which nobody gets to see before the lines are stored."""
        receipt = None if self._signs is None else self._signs(stream_of_season(season_id), version - 1, head)
        return SeasonAnswer(str(season_id), version, head, receipt=receipt)
