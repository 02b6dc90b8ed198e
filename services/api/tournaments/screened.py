"""Cases over HTTP: `/tournaments/{id}/cases`, pairs that a screening has found, for officials alone."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from litestar import Response, get
from litestar.params import FromPath
from msgspec import Struct

from domain.errors import Refused
from domain.statistics.screening.screening import CaseFile
from domain.tournaments.tournament import Tournament
from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.api.tournaments.entering import TOKENS
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.tournaments.requests import TournamentBearer

_SAFE: Final = {"Cache-Control": "no-store"}


class CaseListed(Struct, frozen=True):
    """A case as it is listed.

    Attributes:
        case: Its name, which stands in `case.opened` and says nothing of whom it is about.
        stage: The stage of the round after which it was found last.
        round: That round.
        opened: Whether an official has looked into it: until then its file is not read.
    """

    case: str
    stage: int
    round: int
    opened: bool


class CasesListed(Struct, frozen=True):
    """What a screening has looked at and found.

    Attributes:
        stage: The stage of the last round that was screened; null before there is one.
        round: That round.
        pairs: How many ordered pairs had three tables or more in common.
        tests: How many statistics of them were looked at.
        judged: Whether the game has an exact chance of claims, so that decisions were looked at.
        cases: The pairs that stand out, or stood out after a round before.
    """

    stage: int | None
    round: int | None
    pairs: int
    tests: int
    judged: bool
    cases: tuple[CaseListed, ...]


class CaseSeen(Struct, frozen=True):
    """A case.

    Attributes:
        case: Its name.
        opened: Whether an official has looked into it.
        file: Its file; null before an official has opened it.
    """

    case: str
    opened: bool
    file: CaseFile | None


@get(
    "/tournaments/{tournament_id:uuid}/cases",
    operation_id="list_cases",
    summary="What a screening for collusion has found",
    security=[{"bearer": []}],
    opt={"answers": CasesListed, "problems": ("unknown_tournament", *TOKENS, "not_an_official")},
)
async def list_cases(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    tournament_viewer: Injected[TournamentBearer | None],
) -> Response[bytes]:
    """Return, for officials, what was looked at after the last round that is closed, and which cases there are.

    A case proves nothing, and nothing follows from it. `open_case` looks into one: everybody sees that somebody does,
    and nobody else of whom.
    """
    tournament, by = await _looked_at(parts, tournament_id, tournament_viewer)
    found = await parts.tournaments.screening(tournament_id, by)
    if found is None:
        return json_of(CasesListed(None, None, 0, 0, judged=False, cases=()), headers=_SAFE)
    cases = tuple(
        CaseListed(each.case, each.file.stage, each.file.round, each.case in tournament.cases) for each in found.cases
    )
    return json_of(CasesListed(found.stage, found.round, found.pairs, found.tests, found.judged, cases), headers=_SAFE)


@get(
    "/tournaments/{tournament_id:uuid}/cases/{case:str}",
    operation_id="view_case",
    summary="The file of a case",
    security=[{"bearer": []}],
    opt={"answers": CaseSeen, "problems": ("unknown_tournament", *TOKENS, "not_an_official", "unknown_case")},
)
async def view_case(
    tournament_id: FromPath[UUID],
    case: FromPath[str],
    parts: Injected[Dependencies],
    tournament_viewer: Injected[TournamentBearer | None],
) -> Response[bytes]:
    """Return, for officials, the file of a case that one of them has opened.

    It holds both statistics with what chance alone makes of them, all decisions with the lines of the matches in which
    they stand, and what else would explain it.
    """
    tournament, by = await _looked_at(parts, tournament_id, tournament_viewer)
    found = await parts.tournaments.screening(tournament_id, by)
    file = None if found is None else found.case(case)
    if file is None:
        raise Refused("unknown_case")
    opened = case in tournament.cases
    return json_of(CaseSeen(case, opened, file if opened else None), headers=_SAFE)


async def _looked_at(
    parts: Dependencies, tournament_id: UUID, viewer: TournamentBearer | None
) -> tuple[Tournament, str]:
    """Return a tournament as it is now, and the official who looks at it: whoever was dismissed is none any more.

    Raises:
        HttpProblem: `no_token`.
        Refused: `not_an_official`.
    """
    if viewer is None:
        raise HttpProblem("no_token")
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    if viewer.by not in tournament.officials:
        raise Refused("not_an_official")
    return tournament, viewer.by
