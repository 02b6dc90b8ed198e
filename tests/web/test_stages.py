"""Stages: a match in the page of another site, over a stream, on a television; as spectators see it, whoever looks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import pytest
from litestar import Litestar
from playwright.async_api import WebSocket, expect

from services.web.pages import web_handlers
from tests.web.conftest import PATIENCE_MS, Open, posted
from tests.web.test_accessibility import check_with_axe
from tests.web.test_pages import ID, NAUGHTY, OneTable, site, view

__all__ = ["site", "view"]
STAGES = (f"/embed/matches/{ID}", f"/overlay/matches/{ID}?theme=light&feed=caster", "/tv")


@pytest.fixture
async def client(site: OneTable) -> AsyncIterator[httpx.AsyncClient]:
    app = Litestar(web_handlers(site), openapi_config=None, logging_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast(Any, app)), base_url="http://house") as client:
        yield client


async def test_only_what_is_made_for_it_may_stand_in_the_page_of_another_site(client: httpx.AsyncClient) -> None:
    for path in STAGES:
        page = await client.get(path)
        policy = page.headers["content-security-policy"]
        assert page.status_code == 200
        assert NAUGHTY not in page.text
        assert "require-trusted-types-for 'script'" in policy
        assert "unsafe" not in policy
        framed = path.startswith("/embed")
        assert ("frame-ancestors *" in policy, "frame-ancestors 'none'" in policy) == (framed, not framed)
        assert (page.headers.get("cross-origin-resource-policy") == "cross-origin") == framed


@pytest.mark.parametrize("asked", ["eyes=2", "seat=1", "token=truecup_seat_x", "viewer=1"])
async def test_an_embed_shows_the_view_of_no_seat_and_says_so(client: httpx.AsyncClient, asked: str) -> None:
    page = await client.get(f"{STAGES[0]}?{asked}")
    assert page.status_code == 403
    assert "as spectators see it" in page.text
    assert "frame-ancestors *" in page.headers["content-security-policy"]
    assert "<tc-stage" not in page.text


async def test_a_stage_of_nothing_says_so(client: httpx.AsyncClient, site: OneTable) -> None:
    for path in (f"/embed/matches/{UUID(int=0)}", "/embed/matches/none", f"/overlay/matches/{UUID(int=0)}"):
        assert (await client.get(path)).status_code == 404
    evil = await client.get(f"/overlay/matches/{ID}?theme=evil")
    assert (evil.status_code, evil.headers["content-type"]) == (400, "text/html; charset=utf-8")
    assert "The address may be mistyped" in evil.text

    async def nothing(*_given: object) -> list[dict[str, Any]]:
        return []

    shown, site.lobby = (await client.get("/tv")).text, nothing  # type: ignore[method-assign, assignment]
    empty = (await client.get("/tv")).text
    assert "No table is playing just now" in empty
    for text in (shown, empty):
        # It makes room, with all that stands there, for the heading of the table that is shown.
        assert text.index("<tc-stage") < text.index("<h1") < text.index("</tc-stage")
        assert text.count("<h1") == 1


WIDE = """() => {
  const stage = document.querySelector('tc-stage');
  stage.disconnectedCallback();
  const name = 'W'.repeat(40);
  stage.view = { ...stage.view, seats: stage.view.seats.map((seat) => ({ ...seat, name })) };
}"""
"""Names as wide as can be, and nothing that follows on it."""


@pytest.mark.parametrize("stage", ["embed", "overlay", "tv"])
async def test_a_stage_shows_the_table_and_never_the_dice_of_the_seat_that_opens_it(
    open_page: Open, running: str, stage: str
) -> None:
    path = "/tv" if stage == "tv" else f"/{stage}/matches/{running}"
    page = await open_page("/problems/not_found", viewport={"width": 320, "height": 640}, color_scheme="dark")
    kept = json.dumps({"token": f"truecup_seat_{'x' * 43}"})
    await page.evaluate("([match, kept]) => localStorage.setItem(`truecup.match.${match}`, kept)", [running, kept])
    said: list[str] = []

    def hear(socket: WebSocket) -> None:
        socket.on("framesent", lambda sent: said.append(str(sent)))

    page.on("websocket", hear)
    page.on("request", lambda request: said.append(f"{request.url} {request.headers}"))
    await page.goto(path)
    await expect(page.locator(".player, .seat").first).to_be_visible()

    await expect(page.locator("tc-crowd")).to_contain_text("watch")
    assert said
    assert not [each for each in said if "truecup_seat" in each or "authorization" in each]
    await check_with_axe(page)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if stage == "tv":
        await page.evaluate(WIDE)
        await expect(page.locator("h1")).to_contain_text("W" * 40)
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if stage == "embed":
        await page.goto(f"{path}?lang=de")
        await expect(page.locator(".from")).to_contain_text("Lügenwürfeln (Perudo)")
    if stage == "overlay":
        await page.goto(f"{path}?theme=felt")
        await expect(page.locator(".seat")).to_have_count(5)
        await expect(page.locator(".felt")).to_have_count(1)


COVERED = """(width) => {
  if (document.querySelector('.die') === null) return null;
  const box = (one) => one.getBoundingClientRect();
  const plate = document.querySelector('.player');
  const claim = plate.appendChild(Object.assign(document.createElement('p'), { className: 'claim' }));
  const laid = claim.appendChild(Object.assign(document.createElement('span'), { className: 'laid' }));
  laid.append(...Array.from({ length: 5 }, () => document.querySelector('.die').cloneNode(true)));
  const common = (one, other) =>
    Math.min(one.right, other.right, width) > Math.max(one.left, other.left) &&
    Math.min(one.bottom, other.bottom) > Math.max(one.top, other.top);
  const plates = '.player:not(:first-child), .player .name, .strip > .telling:not(:empty)';
  const others = [...document.querySelectorAll(plates)];
  return others.filter((one) => common(box(claim), box(one))).map((one) => one.textContent.trim());
}"""


async def test_a_claim_over_a_stream_covers_no_name_and_no_other_plate(open_page: Open, running: str) -> None:
    page = await open_page(f"/overlay/matches/{running}", viewport={"width": 844, "height": 390})
    await expect(page.locator(".player .die").first).to_be_visible()
    covered = await page.wait_for_function(COVERED, arg=844)
    assert await covered.json_value() == []


async def test_another_site_shows_a_match_in_its_page(open_page: Open, running: str, service_url: str) -> None:
    page = await open_page("/problems/not_found")
    frame = f'<title>other</title><iframe src="{service_url}/embed/matches/{running}" width=700 height=500></iframe>'
    await page.route("http://elsewhere.test/", lambda route: route.fulfill(body=frame, content_type="text/html"))
    await page.goto("http://elsewhere.test/")
    inside = page.frame_locator("iframe")
    await expect(inside.locator(".seat")).to_have_count(5)
    await expect(inside.get_by_role("link", name="Open the table")).to_have_attribute("target", "_blank")


async def test_no_other_page_of_the_house_stands_in_the_page_of_another_site(
    open_page: Open, running: str, service_url: str
) -> None:
    open_page.expected = "frame-ancestors"
    page = await open_page("/problems/not_found")
    paths = (f"/overlay/matches/{running}", f"/m/{running}", "/tv", "/")
    frames = "".join(f'<iframe src="{service_url}{path}"></iframe>' for path in paths)
    await page.route("http://elsewhere.test/", lambda route: route.fulfill(body=frames, content_type="text/html"))
    await page.goto("http://elsewhere.test/")
    inside = [frame for frame in page.frames if frame is not page.main_frame]
    assert len(inside) == len(paths)
    async with asyncio.timeout(PATIENCE_MS / 1_000):
        while sum("frame-ancestors" in text for text in open_page.complaints) < len(paths):
            await asyncio.sleep(0.05)
    assert [frame.url for frame in inside if frame.url.startswith(service_url)] == []


async def test_a_name_that_is_markup_is_a_name_on_a_card_that_is_opened_or_shown(
    open_page: Open, service_url: str
) -> None:
    name = "</text><script>alert(1)</script>"
    match = posted(service_url, "/matches", {"rules": {"game": "common_hand"}, "name": name})["match"]
    page = await open_page(f"/m/{match}")
    drawn = await page.evaluate(
        """async (src) => {
          const image = Object.assign(new Image(), { src });
          await image.decode();
          return [image.naturalWidth, image.naturalHeight];
        }""",
        f"/matches/{match}/card.svg",
    )
    assert drawn == [1200, 630]
    alerts: list[str] = []
    page.on("dialog", lambda dialog: alerts.append(dialog.message))
    opened = await page.goto(f"/matches/{match}/card.svg")
    assert opened is not None
    assert "default-src 'none'" in opened.headers["content-security-policy"]
    assert await page.locator("text").first.text_content() == name
    assert await page.locator("script").count() == 0
    assert alerts == []


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
async def test_the_front_page_shows_a_table_live_over_one_stream_unless_rest_is_wanted(
    open_page: Open, motion: Any
) -> None:
    page = await open_page("/problems/not_found", reduced_motion=motion)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    glance = page.locator("tc-glance")
    async with asyncio.timeout(PATIENCE_MS / 1_000):
        # A match that has just begun may not be in the list yet.
        while not await glance.count():
            asked.clear()
            await page.goto("/")
    await expect(page.locator("#tables[data-live]")).to_be_visible()
    moves = motion != "reduce"
    if moves:
        await expect(glance.locator("svg").first).to_be_visible()
    assert (await glance.locator("svg").count() > 0) == moves
    round_them = await glance.locator("li").evaluate_all("all => all.map((one) => one.getBoundingClientRect().height)")
    high = await glance.evaluate("each => each.getBoundingClientRect().height")
    size = await page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert high == pytest.approx(8.3 * size, abs=1), "whatever stands there, nothing below it moves"
    assert all(each < 2 * size for each in round_them), "what is round a name cuts none of its letters"
    streams = [url for url in asked if "/stream" in url]
    assert bool(streams) == moves
    # Where another table is looked at most meanwhile, that one is shown: one stream each.
    assert len({urlsplit(url).path for url in streams}) == len(streams)
    assert all("glance=true" in url for url in streams), "it is counted nowhere"
    await check_with_axe(page)
