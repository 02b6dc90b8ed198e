"""Strengths of bots as the front page says them: what was measured, with its interval, and no more."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, cast

import httpx
from litestar import Litestar
from msgspec import structs

from projections.view import View
from services.engines.level_names import LEVELS
from services.gauntlet.ladder import CLAIM_BLOCKS, PLAYED, SETTINGS, ladder
from services.web.pages import web_handlers
from services.web.strengths import strengths_of
from tests.web.test_pages import OneTable


def test_each_level_says_what_it_was_measured_to_be_against_the_one_below() -> None:
    said = strengths_of(ladder())
    pairs = [(f"L{one['level']}", f"L{one['below']}") for one in said]
    assert [level for level, _ in pairs] == [level for level in LEVELS if ladder().of(level)]
    # A ladder of before there was a level has it on neither side.
    measured = [LEVELS[0], *[level for level, _ in pairs]]
    assert [(below, level) for level, below in pairs] == [*pairwise(measured)]
    assert all(0 <= one["low"] <= one["share"] <= one["high"] <= 100 for one in said)


def test_a_level_claims_only_where_its_interval_lies_above_a_fair_share_in_enough_blocks() -> None:
    for rung in ladder().rungs:
        assert rung.claims == (rung.difference > rung.half_width and rung.blocks >= CLAIM_BLOCKS), rung
        assert rung.setting in PLAYED.get(rung.level, tuple(setting.name for setting in SETTINGS))


def test_a_ladder_of_before_there_was_a_level_is_still_told() -> None:
    every = ladder()
    older = structs.replace(every, rungs=tuple([rung for rung in every.rungs if rung.level in {"L1", "L3"}]))
    assert [one["level"] for one in strengths_of(older)] == ["1", "3"]


async def test_the_page_that_opens_a_table_lets_its_host_choose_and_says_how_strong_they_are() -> None:
    # The lobby shows no view.
    app = Litestar(web_handlers(OneTable(cast("View", None))), openapi_config=None, logging_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast("Any", app)), base_url="http://house") as client:
        for language, won in (("en", "Level 2 won"), ("de", "Stufe 2 gewann"), ("es", "El nivel 2 ganó")):
            page = (await client.get("/", headers={"Accept-Language": language})).text
            assert page.count('<option value="L') == len(LEVELS)
            assert won in page
            assert ladder().measured_at in page
            assert "GTO" not in page
