"""Askers of tournaments: officials and entrants, by their tokens, and whoever shows none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias
from uuid import UUID

from litestar.params import FromPath
from msgspec import Struct

from services.api.lists.reading import LIST_MAX
from services.api.requests import AnyRequest, house_of, identity_of, token_of
from services.http.bodies import BODY_MAX
from services.http.front.addresses import network_of
from services.http.front.rates import Rate
from services.http.problems import HttpProblem
from services.matches.requests import CommandMetadata, scope_of
from services.tournaments.requests import TournamentBearer
from services.tournaments.seasons import host_by_season

BearerOf: TypeAlias = Callable[[AnyRequest, str, UUID], Awaitable[TournamentBearer]]
"""Who a token speaks for in a tournament, if it does."""


class TournamentAsker(Struct, frozen=True):
    """Who asks something of a tournament.

    Attributes:
        ask: The request's identity.
        bearer: Who the token speaks for.
        body: What was sent.
    """

    ask: CommandMetadata
    bearer: TournamentBearer
    body: bytes

    @property
    def is_official(self) -> bool:
        """Whether an official asks."""
        return self.bearer.role != "entrant"


async def list_asker(request: AnyRequest, tournament_id: FromPath[UUID]) -> TournamentAsker:
    """Return who asks something of a tournament with a list, which may be long.

    Raises:
        HttpProblem: As `tournament_asker`.
        UnknownTournament: There is no such tournament.
    """
    return await _asker(request, tournament_id, LIST_MAX)


async def tournament_asker(request: AnyRequest, tournament_id: FromPath[UUID]) -> TournamentAsker:
    """Return who asks something of a tournament.

    Raises:
        HttpProblem: `too_many_requests`, `no_token`, `bad_token`, `foreign_token`, or a header that cannot be read.
        UnknownTournament: There is no such tournament.
    """
    return await _asker(request, tournament_id, BODY_MAX)


async def appointing_asker(request: AnyRequest, tournament_id: FromPath[UUID]) -> TournamentAsker:
    """Return who appoints officials: a host, or the host of the season that the tournament is held for.

    Raises:
        HttpProblem: As `tournament_asker`.
        UnknownTournament: There is no such tournament.
    """
    return await _asker(request, tournament_id, BODY_MAX, _appointer)


async def _asker(
    request: AnyRequest, tournament_id: UUID, most: int, bearer_of: BearerOf | None = None
) -> TournamentAsker:
    token = token_of(request)
    if token is None:
        raise HttpProblem("no_token")
    (parts, rates), scope = house_of(request), scope_of(token)
    rates.check("writes", Rate(parts.bounds.writes_per_s), scope)
    bearer = await (bearer_of or _bearer)(request, token, tournament_id)
    ask, body = await identity_of(request, scope, most=most)
    return TournamentAsker(ask, bearer, body)


async def tournament_viewer(request: AnyRequest, tournament_id: FromPath[UUID]) -> TournamentBearer | None:
    """Return who looks at a tournament; None for whoever shows no token.

    Raises:
        HttpProblem: `bad_token`, `foreign_token`.
        UnknownTournament: The token is foreign, and there is no such tournament.
    """
    token = token_of(request)
    return None if token is None else await _bearer(request, token, tournament_id)


async def _bearer(request: AnyRequest, token: str, tournament_id: UUID) -> TournamentBearer:
    parts, rates = house_of(request)
    bearer = await parts.tournaments.bearer(token)
    if bearer is None:
        rates.check("guesses", Rate(parts.bounds.writes_per_s), network_of(request.scope))
        raise HttpProblem("bad_token")
    if bearer.tournament != tournament_id:
        await parts.tournaments.load(tournament_id, 0)
        raise HttpProblem("foreign_token")
    return bearer


async def _appointer(request: AnyRequest, token: str, tournament_id: UUID) -> TournamentBearer:
    parts, _ = house_of(request)
    if await parts.tournaments.bearer(token) is None and (season := await parts.seasons.host_of(token)) is not None:
        host = host_by_season(season, (await parts.tournaments.load(tournament_id)).tournament)
        if host is None:
            raise HttpProblem("foreign_token")
        return host
    return await _bearer(request, token, tournament_id)
