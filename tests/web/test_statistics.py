"""The statistics as people read them."""

from __future__ import annotations

import html
import random
import re
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx
import pytest
from litestar import Litestar

from domain.statistics.deals import PEOPLE, DealCounts
from domain.statistics.tallies import DiceTally, TallyQuestion
from domain.statistics.uniformity import Statistics, statistics
from services.audit import statistics_text
from services.web.pages import web_handlers
from tests.web.test_pages import OneTable

FACES = TallyQuestion(6, "faces", "all")
HOUSE = TallyQuestion(6, "faces", "player", "house")
TOURNAMENT = "0b5c8a52-7c0f-4b6d-9d6a-0d9c2a5b7e11"
ORDERED = ("nobody", "house", "person")


def tally_of(counts: list[int], waiting: int = 0) -> DiceTally:
    return DiceTally(2, 3, {FACES: counts, HOUSE: counts}, {FACES: waiting, HOUSE: waiting})


class Counted(OneTable):
    """A site with these statistics."""

    def __init__(self, found: Statistics) -> None:
        self.counted = found

    async def statistics(self) -> Statistics:
        return self.counted


@pytest.fixture
def site() -> Counted:
    return Counted(statistics(tally_of([100, 98, 103, 99, 101, 99], waiting=7)))


@pytest.fixture
async def client(site: Counted) -> AsyncIterator[httpx.AsyncClient]:
    app = Litestar(web_handlers(site), openapi_config=None, logging_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast(Any, app)), base_url="http://house") as client:
        yield client


async def page_of(client: httpx.AsyncClient) -> str:
    return " ".join(html.unescape((await client.get("/statistics")).text).replace("\N{NO-BREAK SPACE}", " ").split())


async def test_the_page_says_what_it_claims_and_where_all_numbers_are(client: httpx.AsyncClient) -> None:
    page = await page_of(client)
    assert "Nothing speaks against the dice" in page
    assert "600 dice were counted, of 3 deals in 2 matches. 7 more" in page
    assert "the chance that this page ever raises the alarm" in page
    assert "is at most 5 %" in page
    assert "House bots" in page
    assert 'href="/api/v1/statistics"' in page
    assert 'href="/api/v1/statistics/matches"' in page
    assert "truecup statistics" in page
    assert "uneven" not in page


async def test_an_alarm_is_told_as_one_and_names_what_raised_it(client: httpx.AsyncClient, site: Counted) -> None:
    site.counted = statistics(tally_of([300, 60, 60, 60, 60, 60]))
    page = await page_of(client)
    assert "Something speaks against the dice" in page
    assert page.count(">uneven</strong>") == 2


async def test_one_sentence_and_one_picture_come_first_and_all_else_is_folded(client: httpx.AsyncClient) -> None:
    page = await page_of(client)
    first, _, rest = page.partition("<details>")
    assert "600 dice of 2 matches were counted, and they came as fair dice come." in first
    assert 'aria-label="1: 16.7 %; 2: 16.3 %; 3: 17.2 %; 4: 16.5 %; 5: 16.8 %; 6: 16.5 %"' in first
    assert "<table" not in first
    assert "One coin" in rest


async def test_the_page_speaks_each_language_and_writes_its_figures(client: httpx.AsyncClient, site: Counted) -> None:
    site.counted = statistics(tally_of([500, 498, 503, 499, 501, 499]))
    told = {"de": ("3.000 Würfel aus 2 Partien", "1: 16,7 %;"), "es": ("3000 dados de 2 partidas", "1: 16,7 %;")}
    for language, texts in told.items():
        page = (await client.get(f"/statistics?lang={language}")).text.replace("\N{NO-BREAK SPACE}", " ")
        assert [text for text in texts if text not in page] == []
        assert not re.search(r"\b(dice of|Side|counted|and)\b", re.sub(r"<[^>]*>", "", page))


async def test_letters_are_called_letters_and_digits_begin_with_nought(
    client: httpx.AsyncClient, site: Counted
) -> None:
    kinds = {TallyQuestion(m, "faces", "all"): [m] * m for m in (10, 26)}
    site.counted = statistics(DiceTally(1, 1, kinds))
    page = await page_of(client)
    assert "<h2>Letters</h2>" in page
    assert "<h2>Digits</h2>" in page
    assert "sides</h2>" not in page
    assert [statistics_text.side_name(26, number) for number in (1, 26)] == ["A", "Z"]
    assert [statistics_text.side_name(10, number) for number in (1, 10)] == ["0", "9"]
    assert statistics_text.side_name(6, 6) == "6"


async def test_before_the_first_die_nothing_is_said_of_dice(client: httpx.AsyncClient, site: Counted) -> None:
    site.counted = statistics(DiceTally())
    assert "No dice have been counted yet" in await page_of(client)


async def test_dice_that_only_wait_have_no_share_yet(client: httpx.AsyncClient, site: Counted) -> None:
    site.counted = statistics(DiceTally(0, 0, {}, {FACES: 12}))
    page = await page_of(client)
    assert "0 counted, 12 waiting" in page
    assert "<circle" not in page


async def test_dice_that_are_only_shown_stand_apart(client: httpx.AsyncClient, site: Counted) -> None:
    site.counted = statistics(DiceTally(shown={10: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}))
    page = await page_of(client)
    assert "Shown, and not tested" in page
    assert "1, 2, 3, 4, 5, 6, 7, 8, 9, 10" in page


@pytest.mark.parametrize("path", ["/", "/tables/live", "/problems/claim_not_higher"])
async def test_every_page_leads_to_the_statistics(client: httpx.AsyncClient, site: Counted, path: str) -> None:
    assert (await client.get(path)).text.count('href="/statistics"') == 2, site


def test_a_bar_holds_its_range_its_dot_and_the_fair_share() -> None:
    drawn = random.Random(1)
    for _ in range(50):
        counts = [drawn.randrange(200) for _ in range(6)]
        (kind,) = statistics_text.dice(statistics(tally_of(counts, drawn.randrange(50))))
        assert 0 <= kind.fair <= statistics_text.LENGTH
        for side in kind.sides:
            assert 0 <= side.begins <= side.begins + side.spans <= statistics_text.LENGTH + 0.1
            assert 0 <= side.at <= statistics_text.LENGTH


def test_lines_stand_in_the_order_of_players_seats_slots_and_rolls() -> None:
    asked = [
        ("roll", "16+"),
        ("roll", "2"),
        ("slot", "10"),
        ("slot", "9"),
        ("seat", "255"),
        ("seat", "0"),
        ("seat", "3"),
    ]
    asked += [("player", "person"), ("player", "house"), ("all", "")]
    counts = {TallyQuestion(6, "faces", of, which): [1] * 6 for of, which in asked}  # type: ignore[arg-type]
    (kind,) = statistics_text.dice(statistics(DiceTally(1, 1, counts)))
    assert [line.name for line in kind.lines] == [
        "All",
        "House bots",
        "People",
        "The cup of the table",
        "Seat 3",
        "The cup that is passed on",
        "Slot 10",
        "Slot 11",
        "Roll 3",
        "Roll 17 and later",
    ]


@pytest.mark.parametrize(
    ("evidence", "told"),
    [(-9.0, "less than 0.01"), (-2.0, "0.01"), (0.0, "1.00"), (1.301, "20.00"), (7.0, "more than 1,000,000")],
)
def test_what_a_coin_has_become_is_told_in_a_few_digits(evidence: float, told: str) -> None:
    assert statistics_text.coins(evidence) == told


# ---- deals that were thrown away ----------------------------------------------------------------


async def test_the_page_counts_deals_that_were_thrown_away_and_seeds_of_the_house(
    site: Counted, client: httpx.AsyncClient
) -> None:
    page = await page_of(client)
    assert "The log has had no deal yet." in page
    site.counted = statistics(DiceTally(dealt={PEOPLE: DealCounts(400, 3, 17), TOURNAMENT: DealCounts(100, 1)}))
    page = await page_of(client)
    assert "4 of 500 deals were thrown away after the log had them: 0.8 %." in page
    assert "In 17 deals that were played the house drew the seed of a player;" in page
    assert (f"Tournament {TOURNAMENT}" in page, "Tables of people" in page) == (True, True)
    assert "<details open>" not in page
    assert "more often than chance explains" not in page


async def test_a_host_who_throws_away_too_much_is_named_above_all_else(
    site: Counted, client: httpx.AsyncClient
) -> None:
    site.counted = statistics(DiceTally(dealt={PEOPLE: DealCounts(400, 3), TOURNAMENT: DealCounts(50, 9)}))
    page = await page_of(client)
    assert "Deals were thrown away more often than chance explains." in page.partition("<details")[0]
    assert '< 0.0001 <strong class="error">too often</strong>' in page
    assert "<details open>" in page
