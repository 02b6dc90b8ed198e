"""Players: people who are known beyond one tournament, by an opaque id and a token of their own.

The id and the token follow from the request that asked for them, so that a repeat gets the same. What a player is
called can be erased; the id stays in records, and every proof stays whole.
"""

from __future__ import annotations

import re
from typing import Final
from uuid import UUID

from domain.tournaments.record import tournament_of
from infra.store import EventStore
from services.matches.requests import CommandMetadata, KeyUsed
from services.matches.secrets.tokens import TokenIssuer, digest
from services.seasons.requests import PlayerAnswer, UnknownPerson

NOWHERE = UUID(int=0)
"""Stands for the match where a token is for none."""


_ID: Final = re.compile(r"\A[!-~]{1,64}\Z")
"""What an id may look like; nothing else is asked of a store, some of which take no text with zeros in it."""


class PlayerQueries:
    """What everybody may read of players."""

    def __init__(self, store: EventStore) -> None:
        """Read from this store."""
        self._store = store

    async def name(self, player: str) -> str | None:
        """Return what a player is called; None if that was erased.

        Raises:
            UnknownPerson: There is no such player.
        """
        # Names are kept of guests and of seats as well, who are known at their tables alone.
        if _ID.match(player) is None or not await self._store.is_player(player):
            raise UnknownPerson(player)
        return (await self._store.names([player])).get(player)

    async def entries(self, player: str) -> list[UUID]:
        """Return the tournaments that a player entered, or was about to."""
        return [tournament_of(stream) for stream in await self._store.entries(player)]


class PlayerRegister(PlayerQueries):
    """Everybody who is a player of this house."""

    def __init__(self, store: EventStore, tokens: TokenIssuer) -> None:
        """Keep them in this store, by tokens of this issuer."""
        super().__init__(store)
        self._tokens = tokens

    async def create(self, name: str, ask: CommandMetadata) -> PlayerAnswer:
        """Make a player known under this name, and return the token. A crash leaves the player known, or nothing.

        Raises:
            KeyUsed: The idempotency key belongs to another request.
            Unavailable: Repeat with the same key.
        """
        newest, *before = ("u" + each.hex()[:24] for each in self._tokens.names(ask.command))
        player = newest
        for older in before:
            if await self._store.is_player(older):
                player = older
        tokens = self._possible(ask)
        if await self._store.keep_player(player, ask.fingerprint, name, digest(tokens[0])) != ask.fingerprint:
            raise KeyUsed
        return PlayerAnswer(player, await self._counting(tokens, player))

    async def _counting(self, tokens: list[str], player: str) -> str:
        """Return which of the tokens that a request may have earned it has earned: the newest, if none counts now."""
        for token in tokens:
            if await self._store.player_of(digest(token)) == player:
                return token
        return tokens[0]

    async def player_of(self, token: str) -> str | None:
        """Return whose token this is; None if it is nobody's, or was renewed. Cost: a query."""
        return await self._store.player_of(digest(token))

    async def renew(self, token: str, ask: CommandMetadata) -> PlayerAnswer | None:
        """Return another token for the player of this one, which counts no more; None if it had been renewed before.

        A repeat gets the same token, for as long as that one counts.
        """
        for renewed in self._possible(ask):
            player = await self._store.renew_player_token(digest(token), digest(renewed))
            if player is not None and await self.player_of(renewed) == player:
                return PlayerAnswer(player, renewed)
        return None

    async def erase(self, player: str) -> None:
        """Erase what a player is called, and which tournaments the player has entered."""
        await self._store.erase_player(player)

    def _possible(self, ask: CommandMetadata) -> list[str]:
        return self._tokens.possible_tokens(NOWHERE, "player", None, ask.command)
