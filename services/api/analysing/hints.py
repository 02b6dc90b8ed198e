"""Hints: `/matches/{id}/hint`, what an analysis would say of what the seat in turn of a practice table is to decide."""

from __future__ import annotations

from functools import partial
from typing import Final
from uuid import UUID

from litestar import Response, get
from litestar.params import FromPath

from domain.analysis.hints import Hint
from projections.view import View
from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.api.requests import ViewerOf
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.live.hint_desk import AskedTwice, HintsBusy, PlayedTooLong, why_no_hints

AGAIN_S: Final = 2
"""When to ask again where too many wait."""


@get(
    "/matches/{match_id:uuid}/hint",
    operation_id="hint",
    summary="A hint for the seat in turn at a practice table",
    security=[{"bearer": []}],
    opt={
        "dear": True,
        "untold": True,
        "answers": Hint,
        "problems": (
            *("unknown_match", "bad_token", "foreign_token", "no_token", "not_a_seat"),
            *("no_hints", "nothing_to_decide", "too_many_requests"),
        ),
    },
)
async def hint(match_id: FromPath[UUID], viewer: Injected[ViewerOf], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return what an analysis would say of the decision of the token's seat, by its frames alone, best move first.

    It is help of a program, so for practice: the host allows hints, all others are bots, and no tournament is played.
    """
    holder = viewer.own_seat()
    await _check_practice(parts, match_id, await viewer.matches.view(match_id, holder))
    try:
        found = await parts.hints.ask(match_id, holder.seat, partial(viewer.matches.frames, match_id, holder))
    except AskedTwice as twice:
        facts = {"key": "hints", "seconds": AGAIN_S}
        trouble = HttpProblem("too_many_requests", "this seat waits for a hint already", ratelimit=facts)
        raise trouble.with_headers({"Retry-After": str(AGAIN_S)}) from twice
    except HintsBusy as busy:
        trouble = HttpProblem("unavailable", "as many hints wait as may")
        raise trouble.with_headers({"Retry-After": str(AGAIN_S)}) from busy
    except PlayedTooLong as long:
        raise HttpProblem("no_hints", why="long") from long
    if found is None:
        raise HttpProblem("nothing_to_decide")
    return json_of(found, headers={"Cache-Control": "no-store"})


async def _check_practice(parts: Dependencies, match_id: UUID, view: View) -> None:
    """Check that help of a program is nobody's loss at a table.

    Raises:
        HttpProblem: `no_hints`, `not_a_seat`.
    """
    if view.viewer is None:
        raise HttpProblem("not_a_seat")
    why = why_no_hints(view, (await parts.matches.card(match_id)).choices)
    if why is not None:
        raise HttpProblem("no_hints", why=why)
