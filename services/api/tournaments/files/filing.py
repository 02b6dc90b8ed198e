"""Files of a tournament: why a table is as it is, its certificate, spreadsheets, TRF26, a calendar."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

from litestar import Request, Response, get
from litestar.params import FromPath, QueryParameter

from domain.errors import Refused
from domain.tournaments.tournament import Place, Tournament
from projections.tournaments.exports.calendars import CalendarWords, calendar_text
from projections.tournaments.exports.csv_files import pairings_csv, results_csv
from projections.tournaments.exports.trf import trf_text
from projections.tournaments.overview import game_of
from projections.tournaments.pairings import PastPairing, certificate_file, pairing_with
from projections.tournaments.reasons import WhyView, why
from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.api.lists.reading import CSV
from services.api.tournaments.following import RoundAsked, StageAsked, csv_response
from services.http.codings.negotiation import language_for
from services.http.injected import Injected
from services.words.catalogue import DEFAULT, LANGUAGES, message, speaking

Asked = Annotated[int, QueryParameter(ge=1, le=4_096)]
NumberAsked = Annotated[int | None, QueryParameter(ge=1, le=4_096)]
Other = Annotated[int | None, QueryParameter(name="with", ge=1, le=4_096)]
Tongue = Annotated[Literal["en", "de", "es"] | None, QueryParameter()]
_PAIRED = ("unknown_tournament", "not_paired")


@get(
    "/tournaments/{tournament_id:uuid}/why",
    operation_id="why_this_table",
    summary="Why an entrant sits at a table",
    opt={"public": True, "dear": True, "answers": WhyView, "problems": (*_PAIRED, "unknown_number")},
)
async def why_this_table(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    number: Asked,
    other: Other = None,
    stage: StageAsked = None,
    round: RoundAsked = None,  # noqa: A002 - what the address calls it
) -> Response[bytes]:
    """Return the terms of the cost at the own table, and what to sit with anybody else would have cost more."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    pairing = await _pairing(parts, tournament_id, stage, round, number)
    ask = partial(why, pairing, await parts.tournaments.names(tournament), number, other)
    return json_of(await asyncio.to_thread(ask), headers={"Cache-Control": "no-cache"})


@get(
    "/tournaments/{tournament_id:uuid}/certificate",
    operation_id="certificate_of_round",
    summary="The certificate of a pairing, with its input",
    opt={"public": True, "dear": True, "media_types": ("application/json",), "problems": _PAIRED},
)
async def certificate_of_round(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    stage: StageAsked = None,
    round: RoundAsked = None,  # noqa: A002 - what the address calls it
    number: NumberAsked = None,
) -> Response[bytes]:
    """Return what anybody can check a pairing with, who has the roll that it names; laws without one have none.

    Of a stage in groups it is that of the group of an entrant; of the first, if none is named.
    """
    pairing = await _pairing(parts, tournament_id, stage, round, number or 0)
    found = await asyncio.to_thread(certificate_file, pairing)
    if found is None:
        raise Refused("not_paired", law=pairing.event.law)
    return Response(found, media_type="application/json", headers={"Cache-Control": "no-cache"})


async def _pairing(
    parts: Dependencies, tournament_id: UUID, stage: int | None, after: int | None, number: int
) -> PastPairing:
    """Return the pairing of a round, the last one if none is named; of several that with an entrant.

    Raises:
        Refused: `not_paired`.
    """
    found = await parts.tournaments.pairings(tournament_id)
    return pairing_with(found[_newest(found, stage, after)], number)


def _newest(paired: Iterable[Place], stage: int | None, number: int | None) -> Place:
    """Return the newest of these rounds that is of a stage and has a number, as far as they are named.

    Raises:
        Refused: `not_paired`.
    """
    asked = [place for place in paired if stage in {None, place[0]} and number in {None, place[1]}]
    if not asked:
        raise Refused("not_paired", stage=stage or 1, round=number or 1)
    return max(asked)


@get(
    "/tournaments/{tournament_id:uuid}/pairings.csv",
    operation_id="pairings_csv",
    summary="Who sits where, for spreadsheets",
    opt={"public": True, "dear": True, "media_types": (CSV,), "problems": _PAIRED},
)
async def pairings_file(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    stage: StageAsked = None,
    round: RoundAsked = None,  # noqa: A002 - what the address calls it
) -> Response[bytes]:
    """Return a round as a spreadsheet; the last that is paired, if none is named."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    rounds = ((each.number, held) for each in tournament.stages for held in each.rounds.values())
    place = _newest(((at, held.number) for at, held in rounds if held.is_paired), stage, round)
    names = await parts.tournaments.names(tournament)
    text = await asyncio.to_thread(pairings_csv, tournament, names, *place)
    return csv_response(text, f"pairings-{place[0]}-{place[1]}.csv")


@get(
    "/tournaments/{tournament_id:uuid}/results.csv",
    operation_id="results_csv",
    summary="What came of every table, for spreadsheets",
    opt={"public": True, "dear": True, "media_types": (CSV,), "problems": ("unknown_tournament",)},
)
async def results_file(tournament_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return every table that has a result, a row a seat."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    names = await parts.tournaments.names(tournament)
    return csv_response(await asyncio.to_thread(results_csv, tournament, names), "results.csv")


@get(
    "/tournaments/{tournament_id:uuid}/event.trf",
    operation_id="event_trf",
    summary="The report of a stage in FIDE's form",
    opt={"public": True, "dear": True, "media_types": ("text/plain",), "problems": (*_PAIRED, "no_trf")},
)
async def event_trf(
    tournament_id: FromPath[UUID], parts: Injected[Dependencies], stage: StageAsked = None
) -> Response[bytes]:
    """Return the report of a stage as TRF26, where all tables have two seats and places count 1, a half and 0."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    names, title = await parts.tournaments.names(tournament), await _title(parts, tournament)
    headers = {"Content-Disposition": 'attachment; filename="event.trf"', "Cache-Control": "no-cache"}
    text = await asyncio.to_thread(trf_text, tournament, names, title, stage)
    return Response(text.encode(), media_type="text/plain", headers=headers)


@get(
    "/tournaments/{tournament_id:uuid}/calendar.ics",
    operation_id="calendar",
    summary="When what begins, for calendars",
    opt={"public": True, "dear": True, "media_types": ("text/calendar",), "problems": ("unknown_tournament",)},
)
async def calendar(
    request: Request[Any, Any, Any],
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    lang: Tongue = None,
) -> Response[bytes]:
    """Return the check-in and the rounds whose times are known, in UTC, which no change of clocks moves.

    It speaks the language `lang`, for programs that ask for none, or else the one wanted most by `Accept-Language`.
    """
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    accepted = ",".join(request.headers.getall("accept-language", []))
    language = lang or language_for(accepted, LANGUAGES) or DEFAULT
    with speaking(language):
        words = message("terminal.explained.calendar")
    title, page = await _title(parts, tournament), f"{str(request.base_url).rstrip('/')}/t/{tournament.id}"
    said = CalendarWords(title, words["check_in"], words["round"], words["stage_round"], page)
    headers = {
        "Content-Disposition": 'attachment; filename="event.ics"',
        "Content-Language": language,
        "Cache-Control": "no-cache",
        "Vary": "Accept-Language",
    }
    return Response(calendar_text(tournament, said).encode(), media_type="text/calendar", headers=headers)


async def _title(parts: Dependencies, tournament: Tournament) -> str:
    """Return what a tournament is called in a file, which needs a title: by its game, where nobody said."""
    return await parts.tournaments.title(tournament.id) or game_of(tournament)
