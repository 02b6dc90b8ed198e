"""The command handler of seasons: load, decide, append at the expected version, answer; as that of tournaments.

What a tournament counts follows from its record and from the season before it, so it is worked out anew whenever
somebody else was first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.errors import Refused
from domain.games import GAMES
from domain.match.record import GENESIS
from domain.seasons import events
from domain.seasons.counting import TournamentOutcome
from domain.seasons.deciding import AdmitTournament, CloseSeason, SeasonCommand, decide_season
from domain.seasons.record import SeasonAtHead, season_lines, stream_of_season
from domain.seasons.rules import season_object, season_rules
from domain.seasons.season import Season, new_season
from infra.clock import now_ms
from infra.store import Append, Appended, Card, Conflict, EventStore, KeyReused, Repeated, Unavailable
from services.audit.seasons.counts import count
from services.matches.anchors import anchors_of
from services.matches.reads.cards import PLAIN
from services.matches.requests import CommandMetadata, KeyUsed, Signs, VersionPassed
from services.matches.secrets.tokens import TokenIssuer, digest
from services.seasons.reads import SeasonQueries
from services.seasons.requests import SeasonAnswer

TRIES_MAX: Final = 5
"""How often a command is decided anew after somebody else was first."""


class SeasonHandler(SeasonQueries):
    """Every season of the house, and the commands that change it."""

    def __init__(self, store: EventStore, tokens: TokenIssuer, signs: Signs | None = None) -> None:
        """Handle commands against this store; without `signs` there are no receipts."""
        super().__init__(store)
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
        season_id = await self._id_of(ask)
        stream, at = stream_of_season(season_id), now_ms()
        created = events.SeasonCreated(str(season_id), game, season_object(season_rules(rules)))
        if card != PLAIN and await self._store.keep_card(stream, card) != card:
            raise KeyUsed
        lines, head = season_lines(season_id, 0, GENESIS, at, [created])
        answer = replace(self._answer(season_id, len(lines), head), role="host")
        token = self._tokens.issue(season_id, "host", None, ask.command)
        outcome = await self._append(season_id, 0, lines, [created], ask, answer, token)
        if isinstance(outcome, Conflict):
            raise KeyUsed
        if not isinstance(outcome, SeasonAnswer):
            self._cached[season_id] = SeasonAtHead(new_season(created, at), head)
            return replace(answer, token=token)
        return replace(outcome, token=await self._token_of(season_id, ask))

    async def _id_of(self, ask: CommandMetadata) -> UUID:
        """Return the id of the season that this request begins, or has begun, under a key of before."""
        newest, *before = (UUID(bytes=name, version=4) for name in self._tokens.names(ask.command))
        for older in before:
            if await self._store.answer(stream_of_season(older), ask.command) is not None:
                return older
        return newest

    async def _token_of(self, season_id: UUID, ask: CommandMetadata) -> str:
        *newer, oldest = self._tokens.possible_tokens(season_id, "host", None, ask.command)
        for token in newer:
            if await self._store.token(digest(token)) is not None:
                return token
        return oldest

    async def admit(self, season_id: UUID, tournament: str) -> SeasonAnswer:
        """Hold a tournament for a season; whoever is second gets the same answer.

        Raises:
            Refused: `season_over`, `season_full`, `already_registered`.
        """
        ask = CommandMetadata(f"season/{season_id}", f"admit/{tournament}", b"")
        return await self._submit(season_id, lambda _: AdmitTournament(tournament), ask)

    async def count(self, season_id: UUID, outcome: TournamentOutcome) -> SeasonAnswer:
        """Count a tournament that is closed, once; whoever is second gets the same answer.

        Raises:
            Refused: `season_over`, `too_late`, `already_registered`.
        """
        ask = CommandMetadata(f"season/{season_id}", f"count/{outcome.tournament}", b"")
        return await self._submit(season_id, lambda season: count(season, outcome), ask)

    async def close(self, season_id: UUID, ask: CommandMetadata) -> SeasonAnswer:
        """End a season.

        Raises:
            Refused: `season_over`, `season_running`.
        """
        return await self._submit(season_id, lambda _: CloseSeason(), ask)

    async def _submit(
        self, season_id: UUID, command_for: Callable[[Season], SeasonCommand], ask: CommandMetadata
    ) -> SeasonAnswer:
        """Decide a command and store what it leads to. A crash after the append leaves a stored answer for a repeat."""
        for _ in range(TRIES_MAX):
            try:
                answer = await self._attempt(await self.load(season_id), command_for, ask)
            except (Refused, VersionPassed):
                stored = await self._find_answer(season_id, ask)
                if stored is None:
                    raise
                return stored
            if answer is not None:
                return answer
        raise Unavailable("others were first too often")

    async def _attempt(
        self, written: SeasonAtHead, command_for: Callable[[Season], SeasonCommand], ask: CommandMetadata
    ) -> SeasonAnswer | None:
        """Decide and append once; return None if somebody else was first."""
        before = written.season
        if ask.expected is not None and before.version not in ask.expected:
            raise VersionPassed(before.version)
        # Ratings of a large event take seconds, in which others are served.
        command = await asyncio.to_thread(command_for, before)
        at = max(now_ms(), before.at + 1)
        made = decide_season(before, command, at)
        lines, head = season_lines(before.id, before.version, written.head, at, made.events)
        answer = self._answer(before.id, made.season.version, head)
        outcome = await self._append(before.id, before.version, lines, made.events, ask, answer)
        if isinstance(outcome, Conflict):
            return None
        return outcome if isinstance(outcome, SeasonAnswer) else answer

    async def _append(
        self,
        season_id: UUID,
        version: int,
        lines: tuple[bytes, ...],
        happened: tuple[events.SeasonEvent, ...] | list[events.SeasonCreated],
        ask: CommandMetadata,
        answer: SeasonAnswer,
        token: str | None = None,
    ) -> SeasonAnswer | Appended | Conflict:
        """Append, and return the stored answer of a repeat."""
        outcome = await self._store.append(
            Append(
                stream=stream_of_season(season_id),
                expected=version,
                lines=lines,
                command=ask.command,
                fingerprint=ask.fingerprint,
                answer=msgspec.json.encode(answer),
                anchors=anchors_of(None, happened, lines, version),
                tokens=() if token is None else ((digest(token), "host", None),),
            )
        )
        if isinstance(outcome, KeyReused):
            raise KeyUsed
        if isinstance(outcome, Repeated):
            return msgspec.json.decode(outcome.answer, type=SeasonAnswer)
        return outcome

    def _answer(self, season_id: UUID, version: int, head: str) -> SeasonAnswer:
        """Return the answer with its receipt, which nobody gets to see before the lines are stored."""
        receipt = None if self._signs is None else self._signs(stream_of_season(season_id), version - 1, head)
        return SeasonAnswer(str(season_id), version, head, receipt=receipt)

    async def _find_answer(self, season_id: UUID, ask: CommandMetadata) -> SeasonAnswer | None:
        stored = await self._store.answer(stream_of_season(season_id), ask.command)
        if stored is None:
            return None
        fingerprint, answer = stored
        if fingerprint != ask.fingerprint:
            raise KeyUsed
        return msgspec.json.decode(answer, type=SeasonAnswer)
