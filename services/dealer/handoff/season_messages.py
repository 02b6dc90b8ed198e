"""Messages about seasons and players between a node without the dealer's role and a dealer.

Their law is that of `messages`.
"""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta

from services.dealer.handoff.envelopes import Asked, Question, Reply, Token
from services.seasons.requests import PlayerAnswer, SeasonAnswer

Name = Annotated[str, Meta(min_length=1, max_length=40)]


class AskSeason(Question, frozen=True, tag="season"):
    """Ask for a season to begin."""

    asked: Asked
    game: Annotated[str, Meta(max_length=40)]
    rules: dict[str, Any]
    title: Name | None = None


class AskSeasonHost(Question, frozen=True, tag="season_host"):
    """Ask which season's host a token is of."""

    token: Token


class AskSeasonEnd(Question, frozen=True, tag="season_end"):
    """Ask for a season to end, with its host's token."""

    token: Token
    season: UUID
    asked: Asked


class AskPlayer(Question, frozen=True, tag="player"):
    """Ask for somebody to be made known as a player."""

    asked: Asked
    name: Name


class AskPerson(Question, frozen=True, tag="person"):
    """Ask which player's a token is."""

    token: Token


class AskRenewal(Question, frozen=True, tag="player_renewal"):
    """Ask for another token in the place of a player's."""

    token: Token
    asked: Asked


class AskNameErasure(Question, frozen=True, tag="player_erasure"):
    """Ask for the name of the player whose token this is to be erased."""

    token: Token


AnySeasonQuestion = AskSeason | AskSeasonHost | AskSeasonEnd | AskPlayer | AskPerson | AskRenewal | AskNameErasure


class SeasonAccepted(Reply, frozen=True, tag="season_accepted"):
    """The command was accepted, now or before."""

    answer: SeasonAnswer


class SeasonHosted(Reply, frozen=True, tag="season_host"):
    """The season whose host has the token, if any."""

    season: UUID | None


class PlayerAccepted(Reply, frozen=True, tag="player_accepted"):
    """A player and the token that counts; None where a renewal found none to renew."""

    answer: PlayerAnswer | None


class PersonTold(Reply, frozen=True, tag="person"):
    """Whose token it is, if anybody's."""

    player: str | None


class NoSeason(Reply, frozen=True, tag="unknown_season"):
    """There is no such season."""

    season: str


AnySeasonReply = SeasonAccepted | SeasonHosted | PlayerAccepted | PersonTold | NoSeason
