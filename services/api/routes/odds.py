"""Odds: `/odds`."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Request, Response, get
from litestar.params import FromPath

from domain.statistics.questions import QUESTIONS
from services.api.answers import json_of
from services.audit.odds_questions import Answered, QuestionCard, answer_of, question_cards
from services.http.documents import Documents
from services.http.injected import Injected
from services.http.problems import HttpProblem

CACHED = {"Cache-Control": "public, max-age=86400"}
"""Odds do not change."""


@get(
    "/odds",
    operation_id="list_questions",
    summary="What may be asked",
    opt={"answers": list[QuestionCard], "unchanged": True},
)
async def questions(request: Request[Any, Any, Any], documents: Injected[Documents]) -> Response[bytes]:
    """Return every question about odds, with what it takes."""
    return documents.answer(request, question_cards, CACHED["Cache-Control"])


@get(
    "/odds/{question:str}",
    operation_id="odds",
    summary="Odds",
    opt={"dear": True, "answers": Answered, "problems": ("unknown_question", "bad_question")},
)
async def odds(
    request: Request[Any, Any, Any], question: FromPath[str], reckoning: Injected[asyncio.Semaphore]
) -> Response[bytes]:
    """Answer a question from what one viewer sees, in exact fractions and in decimals.

    What the question takes stands in the query, as `GET /odds` lists it; a list is a text with commas.
    """
    if question not in QUESTIONS:
        raise HttpProblem("unknown_question", known=list(QUESTIONS))
    try:
        # The dearest takes some 20 ms, so it is worked out in a thread, one at a time.
        async with reckoning:
            found = await asyncio.to_thread(answer_of, question, request.query_params.multi_items())
        return json_of(found, headers=CACHED)
    except ValueError as error:
        raise HttpProblem("bad_question", str(error)) from error
