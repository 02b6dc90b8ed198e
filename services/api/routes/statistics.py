"""Open statistics of all dice: `/statistics`, and the sheet of each match for whoever adds up again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from litestar import Response, get
from litestar.response import Stream

from domain.statistics.uniformity import Statistics
from infra.store import ProjectionRow
from projections.sheets import Sheet
from services.api.answers import json_of
from services.api.dependencies import Dependencies, MatchPort
from services.http.injected import Injected

PAGE: Final = 256
"""Sheets read from the store at once."""
NDJSON: Final = "application/x-ndjson"
CACHED: Final = {"Cache-Control": "public, max-age=5"}
"""Dice are counted about once a second."""


@get(
    "/statistics",
    operation_id="statistics",
    summary="What all dice of the house came to, and whether they came evenly",
    opt={"public": True, "dear": True, "answers": Statistics},
)
async def statistics(parts: Injected[Dependencies]) -> Response[bytes]:
    """Return all counts, and the evidence and bounds that follow from them.

    They may be looked at as often as one likes: if all dice are fair, the chance that `even` is ever false is at most
    5 %. `truecup statistics` works out the same from records alone.
    """
    return json_of(await parts.matches.statistics(), headers=CACHED)


@get(
    "/statistics/matches",
    operation_id="sheets",
    summary="What the dice of each match came to",
    opt={"public": True, "dear": True, "items": Sheet, "media_types": (NDJSON,)},
)
async def sheets(parts: Injected[Dependencies]) -> Stream:
    """Return a sheet for every match that has rolled dice, one JSON document a line, the latest first.

    The rows of all sheets add up to the counts of `/statistics`, but for what matches in play rolled in between.
    """
    first = await parts.matches.sheets(PAGE)
    headers = {"Content-Disposition": 'attachment; filename="statistics.ndjson"', **CACHED}
    return Stream(_lines(parts.matches, first), media_type=NDJSON, headers=headers)


async def _lines(matches: MatchPort, rows: list[ProjectionRow]) -> AsyncIterator[bytes]:
    """Yield the sheets in pages, so that they never lie in memory all together."""
    while rows:
        yield b"".join(row.doc + b"\n" for row in rows)
        rows = await matches.sheets(PAGE, rows[-1].place)
