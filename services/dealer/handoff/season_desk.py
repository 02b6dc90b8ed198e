"""The dealer's desk for seasons and players: decided for the tokens that nodes show; its law is that of `desk`."""

from __future__ import annotations

from uuid import UUID

from infra.store import Card
from services.dealer.handoff import season_messages as messages
from services.dealer.handoff.envelopes import Reply
from services.matches.naming.lawful import lawful
from services.matches.requests import ANONYMOUS, scope_of
from services.seasons.handler import SeasonHandler
from services.seasons.players import PlayerRegister


class NotOfPerson(Exception):  # noqa: N818 - named for what happened
    """The token does not speak for whom the question is about: the node that asked has not looked, or lies."""


class SeasonDesk:
    """Answers with what these seasons and players say."""

    def __init__(self, seasons: SeasonHandler, players: PlayerRegister) -> None:
        """Ask these."""
        self._seasons = seasons
        self._players = players

    async def host_of(self, token: str | None) -> UUID | None:
        """Return the season whose host has a token; None where no token is shown, or it is of none."""
        return None if token is None else await self._seasons.host_of(token)

    async def person_of(self, token: str | None) -> tuple[str | None, str | None]:
        """Return the player of a token, and what the player is called; neither where no token is shown.

        Raises:
            NotOfPerson: It is nobody's.
        """
        if token is None:
            return None, None
        person = await self._person(token)
        return person, await self._players.name(person)

    async def reply(self, question: messages.AnySeasonQuestion) -> Reply:
        """Return the answer.

        Raises:
            BadName, NotOfPerson, Refused, VersionPassed, KeyUsed, UnknownSeason, Unreadable, Unavailable.
        """
        match question:
            case messages.AskSeason(asked, game, rules, title):
                card = Card(None if title is None else lawful(title))
                return messages.SeasonAccepted(await self._seasons.create(game, rules, asked.ask(ANONYMOUS), card))
            case messages.AskSeasonHost(token):
                return messages.SeasonHosted(await self._seasons.host_of(token))
            case messages.AskSeasonEnd(token, season, asked):
                if await self._seasons.host_of(token) != season:
                    raise NotOfPerson
                return messages.SeasonAccepted(await self._seasons.close(season, asked.ask(scope_of(token))))
            case messages.AskPlayer(asked, name):
                return messages.PlayerAccepted(await self._players.create(lawful(name), asked.ask(ANONYMOUS)))
            case messages.AskPerson(token):
                return messages.PersonTold(await self._players.player_of(token))
            case messages.AskRenewal(token, asked):
                return messages.PlayerAccepted(await self._players.renew(token, asked.ask(scope_of(token))))
            case messages.AskNameErasure(token):
                player = await self._person(token)
                await self._players.erase(player)
                return messages.PersonTold(player)

    async def _person(self, token: str) -> str:
        person = await self._players.player_of(token)
        if person is None:
            raise NotOfPerson
        return person
