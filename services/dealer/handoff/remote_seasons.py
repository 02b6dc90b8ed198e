"""Seasons and players as a node without the dealer's role has them: what is public from the store, all else asked for.

Whose a token is, a dealer says first; then it is shown again with what is asked for, and looked up there once more.
"""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from infra.store import Card, EventStore
from services.dealer.handoff import season_messages as messages
from services.dealer.handoff.envelopes import identity_of
from services.dealer.handoff.remote import Dealers
from services.dealer.handoff.shown import ShownTokens
from services.matches.reads.cards import PLAIN
from services.matches.requests import CommandMetadata, scope_of
from services.seasons.players import PlayerQueries
from services.seasons.reads import SeasonQueries
from services.seasons.requests import PlayerAnswer, SeasonAnswer

HOST: Final = "host"
PLAYER: Final = "player"
"""What tokens of hosts of seasons, and of players, are known as beside the id."""


class RemoteSeasons(SeasonQueries):
    """Every season, read only, and a way to those who decide."""

    def __init__(self, store: EventStore, dealers: Dealers, shown: ShownTokens) -> None:
        """Read from this store, and ask these dealers; tokens are remembered for all who hold `shown`."""
        super().__init__(store)
        self._dealers, self._shown = dealers, shown

    async def create(self, game: str, rules: dict[str, Any], ask: CommandMetadata, card: Card = PLAIN) -> SeasonAnswer:
        """Begin a season; the answer holds its host's token."""
        question = messages.AskSeason(identity_of(ask), game, rules, card.name)
        return (await self._dealers.ask(question, messages.SeasonAccepted)).answer

    async def host_of(self, token: str) -> UUID | None:
        """Return the season whose host has this token; None if there is none. Cost: a question."""
        season = (await self._dealers.ask(messages.AskSeasonHost(token), messages.SeasonHosted)).season
        if season is not None:
            self._shown.keep(token, scope_of(token), (season, HOST))
        return season

    async def close(self, season_id: UUID, ask: CommandMetadata) -> SeasonAnswer:
        """End a season."""
        question = messages.AskSeasonEnd(self._shown.token_of(ask.scope), season_id, identity_of(ask))
        return (await self._dealers.ask(question, messages.SeasonAccepted)).answer


class RemotePlayers(PlayerQueries):
    """Every player, read only, and a way to those who make them known."""

    def __init__(self, store: EventStore, dealers: Dealers, shown: ShownTokens) -> None:
        """Read from this store, and ask these dealers; tokens are remembered for all who hold `shown`."""
        super().__init__(store)
        self._dealers, self._shown = dealers, shown

    async def create(self, name: str, ask: CommandMetadata) -> PlayerAnswer:
        """Make a player known; the answer holds the token."""
        reply = await self._dealers.ask(messages.AskPlayer(identity_of(ask), name), messages.PlayerAccepted)
        assert reply.answer is not None, "who asks for a player gets one"
        return reply.answer

    async def player_of(self, token: str) -> str | None:
        """Return whose token this is, if it counts. Cost: a question."""
        player = (await self._dealers.ask(messages.AskPerson(token), messages.PersonTold)).player
        if player is not None:
            self._shown.keep(token, (player, PLAYER))
        return player

    async def renew(self, token: str, ask: CommandMetadata) -> PlayerAnswer | None:
        """Return another token for the player of this one, which counts no more."""
        question = messages.AskRenewal(token, identity_of(ask))
        return (await self._dealers.ask(question, messages.PlayerAccepted)).answer

    async def erase(self, player: str) -> None:
        """Erase what a player is called, and which tournaments the player has entered."""
        question = messages.AskNameErasure(self._shown.token_of((player, PLAYER)))
        await self._dealers.ask(question, messages.PersonTold)
