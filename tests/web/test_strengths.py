"""Strengths of bots as the front page says them: what was measured, with its interval, and no more."""

from __future__ import annotations

import html
import re
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import httpx
import playwright
import pytest
from litestar import Litestar
from msgspec import structs

from domain.statistics.tallies import DiceTally
from domain.statistics.uniformity import statistics
from projections.view import View
from services.engines.level_names import LEVELS, level_of_bot
from services.gauntlet.ladder import CLAIM_BLOCKS, PLAYED, SETTINGS, ladder
from services.web.assets import FOLDER
from services.web.pages import web_handlers
from services.web.strengths import rungs_of, strengths_of
from services.words.catalogue import speaking
from tests.web.test_pages import OneTable
from tests.web.test_statistics import Counted

NODE_RUNS = (Path(playwright.__file__).parent / "driver" / "node", "--no-warnings", "--input-type=module", "-e")
LEVEL_OF = """
const { levelOf } = await import(`${process.argv[1]}/words/levels.js`);
process.stdout.write(levelOf(process.argv[2]));
"""


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


def test_a_host_is_offered_no_level_that_was_nowhere_measured_to_be_the_stronger_one() -> None:
    every = ladder()
    assert every.offered[0] == LEVELS[0]
    for level in every.offered[1:]:
        weak = [structs.replace(rung, claims=False) if rung.level == level else rung for rung in every.rungs]
        others = tuple([each for each in every.offered if each != level])
        assert structs.replace(every, rungs=tuple(weak)).offered == others


def test_where_nothing_is_proved_a_level_is_not_said_to_be_stronger_and_sessions_are_told_in_units() -> None:
    told = dict(rungs_of(ladder()))
    assert list(told) == list(LEVELS)
    assert told["L0"] == []
    for level, rungs in told.items():
        assert [rung.claims for rung in rungs] == [rung.claims for rung in ladder().of(level)]
    with speaking("de"):
        sessions = [rung for rung in dict(rungs_of(ladder()))["L2"] if rung.share.endswith("Einheiten")]
    assert [rung.setting.partition(",")[0] for rung in sessions] == ["Mäxchen", "Lügenpoker"]
    assert sessions[0].share.startswith("\N{MINUS SIGN}5,4")


@pytest.mark.parametrize(
    ("player", "level"),
    [
        ("bot/L3.bold/2", "L3"),
        ("bot/L5.steady/1", "L5"),
        ("bot/L9.steady/1", "L1"),
        ("bot/L2.wild/1", "L1"),
        ("bot/bold/3", "L1"),
        ("bot", "L1"),
    ],
)
def test_the_level_of_a_bot_is_what_its_id_says_on_pages_and_in_scripts(player: str, level: str) -> None:
    assert level_of_bot(player).partition(".")[0] == level
    done = subprocess.run([*NODE_RUNS, LEVEL_OF, FOLDER, player], capture_output=True, check=True)
    assert done.stdout.decode() == level


async def test_the_page_of_statistics_says_what_was_measured_of_every_level_and_when() -> None:
    app = Litestar(web_handlers(Counted(statistics(DiceTally()))), openapi_config=None, logging_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast("Any", app)), base_url="http://house") as client:
        page = html.unescape((await client.get("/statistics")).text).partition('id="levels"')[2]
    assert ladder().measured_at in page
    assert [level for level in LEVELS if f'id="{level}"' in page] == list(LEVELS)
    claims, modest = (
        "<td>stronger than level\N{NO-BREAK SPACE}",
        "<td>not measured to be stronger than level\N{NO-BREAK SPACE}",
    )
    assert page.count(claims) == sum(rung.claims for rung in ladder().rungs)
    assert page.count(modest) == sum(not rung.claims for rung in ladder().rungs)


async def test_the_page_that_opens_a_table_lets_its_host_choose_and_says_how_strong_they_are() -> None:
    # The lobby shows no view.
    app = Litestar(web_handlers(OneTable(cast("View", None))), openapi_config=None, logging_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast("Any", app)), base_url="http://house") as client:
        for language, won in (("en", "Level 2 won"), ("de", "Stufe 2 gewann"), ("es", "El nivel 2 ganó")):
            page = (await client.get("/", headers={"Accept-Language": language})).text
            assert tuple(re.findall('<option value="(L[^"]*)"', page)) == ladder().offered
            assert won in page
            assert ladder().measured_at in page
            assert 'href="/statistics#levels"' in page
            assert "GTO" not in page
