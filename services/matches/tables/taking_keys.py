"""Seats that the house gave out without a key, taken again with one by whoever holds their token.

A key comes with a join (CUP/1 section 4.14.4), and a join is signed over a line that the player has. So the player gets
up and sits down again in one append, and signs over the line of getting up, which follows from what everybody knows but
for its time: that the player names. Nobody else can take the seat in between, and a crash leaves both lines or none.
"""

from __future__ import annotations

from abc import ABC
from functools import partial
from typing import Final
from uuid import UUID

from domain import commands
from domain.errors import Refused
from domain.match.decide import decide
from domain.match.evolve import Match
from domain.match.record import lines_of, written_after
from infra.clock import now_ms
from infra.store import Conflict
from services.matches import optimistic
from services.matches.reads.queries import CachedMatch
from services.matches.requests import Answer, CommandMetadata, TakesKey
from services.matches.secrets.signatures import decide_signed
from services.matches.tables.event_tables import EventTables
from services.matches.turns import Turns

AGO_MS: Final = 30_000
"""How long ago somebody may say that they got up."""
AHEAD_MS: Final = 2_000
"""How far ahead of ours their clock, or that of another node, may be."""


class KeyedTables(EventTables, ABC):
    """Matches, and seats of theirs that get keys."""

    _turns: Turns

    async def take_key(self, match_id: UUID, asked: TakesKey, ask: CommandMetadata) -> Answer:
        """Have whoever holds a seat without a key take it again with one, before the match starts.

        Raises:
            Refused: `unknown_player`, `already_started`, `has_key`, `bad_key`, `key_taken`, `bad_signature`.
            UnknownMatch: There is no such match.
            KeyUsed: The idempotency key belongs to another request.
        """
        assert ask.holder is not None, "somebody asks who has a seat"
        cached, load = partial(self._cached_or_loaded, match_id), partial(self.load_match, match_id)
        async with self._turns.of(match_id):
            try:
                attempt = partial(self._take_key, asked, ask)
                answer = await optimistic.decide_with_retries(cached, load, attempt)
            except Refused:
                stored = await self._find_answer(match_id, ask)
                if stored is None:
                    raise
                answer = stored
        if asked.mark.salt is not None:
            # A crash before this leaves a name that nobody can check, until the request is repeated.
            await self._store.keep_salt(ask.holder.player, bytes.fromhex(asked.mark.salt))
        return answer

    async def _take_key(self, asked: TakesKey, ask: CommandMetadata, hosted: CachedMatch) -> Answer | None:
        """Decide and append once; return None if somebody else was first."""
        match = hosted.match
        if ask.holder is None or not ask.holder.sits_in(match):
            raise Refused("unknown_player")
        optimistic.check_version(hosted.version, ask)
        now = now_ms()
        if not (max(match.at, now - AGO_MS) < asked.left_at <= now + AHEAD_MS):
            raise Refused("bad_signature", why="version")
        up = decide(match, commands.StandUp(ask.holder.seat), asked.left_at, None)
        first, head = lines_of(match.id, match.version, hosted.written.head, asked.left_at, up.events)
        *_, standing = written_after(hosted.written, first, up.events, up.steps)
        at = max(now, asked.left_at + 1)  # a time of its own: that tells its events from the one before
        down, signed = decide_signed(standing, await self._join_of(match, ask, asked), at, None, ask.signature)
        second, head = lines_of(match.id, standing.match.version, head, at, down.events, signed)
        *_, written = written_after(standing, second, down.events, down.steps)
        answer = self._answer(match.id, written.match.version, head)
        outcome = await self._append(match.id, match.version, (*first, *second), ask, answer)
        if isinstance(outcome, Conflict):
            return None
        if isinstance(outcome, Answer):
            return outcome
        self._remember(down, written, None)
        return answer

    async def _join_of(self, match: Match, ask: CommandMetadata, asked: TakesKey) -> commands.Join:
        assert ask.holder is not None, "it was looked at"
        seat, player = ask.holder.seat, ask.holder.player
        name = (await self._names.of([match])).get(player)
        return commands.Join(player, asked.custody, seat, asked.mark.key, asked.mark.commit_to(name))
