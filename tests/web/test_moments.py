"""Picture cards: what a moment of a match looks like, for whoever is shown it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Any, cast
from uuid import UUID

import httpx
import pytest
from litestar import Litestar
from msgspec.structs import replace
from PIL import ImageFont

from projections.view import ClaimView, DieView
from services.api.refusals import HANDLERS
from services.matches.naming.law import BadName, name_of
from services.web.pages import web_handlers
from services.web.watching.painting import KNOWN, legible
from services.web.watching.plates import cup_of, plates_of
from tests.web.test_pages import ID, NAUGHTY, OneTable, site, view

__all__ = ["site", "view"]
CARD = f"/matches/{ID}/card.svg"
PAINTED = f"/matches/{ID}/card.png"


@pytest.fixture
async def client(site: OneTable) -> AsyncIterator[httpx.AsyncClient]:
    app = Litestar(web_handlers(site), openapi_config=None, logging_config=None, exception_handlers=HANDLERS)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast(Any, app)), base_url="http://house") as client:
        yield client


async def test_a_card_is_a_picture_of_what_everybody_may_see(client: httpx.AsyncClient, site: OneTable) -> None:
    dice = (DieView(5, shown=False), DieView(None, shown=False))
    seat = replace(site.shown.seats[0], dice=dice)
    site.shown = replace(site.shown, seats=(seat,), standing=ClaimView(1, "three fives", 3, 5), round=2)
    card = await client.get(CARD)
    assert card.headers["content-type"].startswith("image/svg+xml")
    drawn = ET.fromstring(card.text)
    assert (drawn.get("width"), drawn.get("height")) == ("1200", "630")
    told = [text for each in drawn.iter() if (text := (each.text or "").strip())]
    assert "three fives" in told
    assert "?" in told
    assert len([each for each in drawn.iter() if each.tag.endswith("circle")]) == 5
    assert NAUGHTY not in card.text


@pytest.mark.parametrize("seats", [2, 8, 10])
async def test_a_card_shows_the_cup_that_is_passed_on(client: httpx.AsyncClient, site: OneTable, seats: int) -> None:
    sat = tuple(replace(site.shown.seats[0], seat=seat, dice=()) for seat in range(1, seats + 1))
    site.shown = replace(site.shown, seats=sat)
    bare = (await client.get(PAINTED)).content
    cup = (DieView(None, shown=False), *(DieView(face, shown=True) for face in (9, 10, 12, 14)))
    site.shown = replace(site.shown, cup=cup, faces=(9, 6))

    drawn = ET.fromstring((await client.get(CARD)).text)
    told = [text for each in drawn.iter() if (text := (each.text or "").strip())]
    assert [each for each in told if each in {"?", "9", "10", "Q", "A"}] == ["?", "9", "10", "Q", "A"]
    assert (await client.get(PAINTED)).content != bare
    lies = cup_of(site.shown)
    assert lies is not None
    lowest = min(plate.y for plate in plates_of(site.shown))
    assert 0 < lies.x < lies.x + lies.wide * lies.scale < 1200
    assert lies.y + 64 * lies.scale < lowest


async def test_there_is_no_card_of_what_is_not_there(client: httpx.AsyncClient, site: OneTable) -> None:
    for kind in ("svg", "png"):
        for path in (f"/matches/{UUID(int=0)}/card.{kind}", f"/matches/none/card.{kind}"):
            nothing = await client.get(path)
            assert (nothing.status_code, nothing.json()["code"]) == (404, "unknown_match")
    assert (await client.get(f"{CARD}?version={site.shown.version + 1}")).status_code == 409
    assert (await client.get(f"{CARD}?version=0")).status_code == 400
    assert (await client.get(f"{CARD}?version={site.shown.version}")).status_code == 200


async def test_a_painted_card_is_what_messengers_show_and_is_painted_once(
    client: httpx.AsyncClient, site: OneTable
) -> None:
    shown = site.shown
    first = await client.get(PAINTED)
    assert first.headers["content-type"] == "image/png"
    assert first.content.startswith(b"\x89PNG")
    # RFC 2083 section 4.1.1: width and height stand first in its header.
    assert [int.from_bytes(first.content[at : at + 4]) for at in (16, 20)] == [1_200, 630]
    again = await client.get(PAINTED, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    site.shown = replace(shown, standing=ClaimView(1, "three fives", 3, 5), phase="claiming", round=2)
    assert (await client.get(PAINTED)).content != first.content
    site.shown = shown
    assert (await client.get(PAINTED)).content == first.content
    assert (await client.get(f"{PAINTED}?version={shown.version + 1}")).json()["code"] == "version_in_the_future"
    page = (await client.get(f"/m/{ID}")).text
    assert f'<meta property="og:image" content="http://house{PAINTED}?version={shown.version}">' in page


async def test_a_picture_that_spoils_nothing_says_who_plays_and_which_round(
    client: httpx.AsyncClient, site: OneTable
) -> None:
    seat = replace(site.shown.seats[0], dice=(DieView(5, shown=True),))
    site.shown = replace(site.shown, seats=(seat,), phase="finished", winner=seat.seat, round=7)
    spoils, quiet = [(await client.get(f"{CARD}{more}")).text for more in ("", "?spoilers=no")]
    for told in (spoils, quiet):
        assert "round 7" in told
        assert told.count(">Truecup<") == 1
    assert [text.count("<circle") for text in (spoils, quiet)] == [5, 0]
    assert ["#d3941f" in text for text in (spoils, quiet)] == [True, False]
    assert (await client.get(f"{PAINTED}?spoilers=no")).content != (await client.get(PAINTED)).content
    assert (await client.get(f"{CARD}?spoilers=perhaps")).status_code == 400
    page = (await client.get(f"/m/{ID}/replay")).text
    assert f'content="http://house{PAINTED}?version={site.shown.version}&amp;spoilers=no"' in page
    for told in ("wins", "won", "out"):
        assert f" {told}" not in page.partition("<main")[2].partition("</main>")[0].partition("<noscript>")[0]


def test_the_font_has_every_letter_that_is_painted_and_no_name_is_a_row_of_boxes() -> None:
    spans = re.findall("(.)(?:-(.))?", KNOWN)
    letters = [chr(code) for low, high in spans for code in range(ord(low), ord(high or low) + 1)]
    font = ImageFont.truetype(str(files("services.web.watching") / "serif.ttf"), 24)
    assert not any(font.getmask("\u4e00")), "what it has not it leaves blank"
    # A hyphen that is soft is painted by some builds of what paints, and stands in no name.
    blank = {each for each in letters if not any(font.getmask(each))}
    assert blank - {"\u00ad"} == {" ", "\u00a0"}
    with pytest.raises(BadName):
        name_of("so\u00adft", ())
    assert legible("Jose\u0301 \u00d8ystein") == "Jos\u00e9 \u00d8ystein"
    assert legible("Z\u0336a\u0336" + "\u0301" * 40) == "Z\u00e1"
    for other in ("\u674e\u5c0f\u9f8d", "\u0645\u062d\u0645\u062f", "\U0001f3b2"):
        assert legible(other) is None


@pytest.mark.parametrize("seats", [1, 2, 4, 5, 8, 12])
@pytest.mark.parametrize(("first", "count"), [(1, 5), (9, 5), (0, 8)])
def test_every_plate_lies_on_the_card_and_every_die_on_its_plate(
    site: OneTable, seats: int, first: int, count: int
) -> None:
    dice = tuple(DieView(first + place % 6, shown=True) for place in range(count))
    sat = tuple(replace(site.shown.seats[0], seat=seat, dice=dice) for seat in range(1, seats + 1))
    plates = list(plates_of(replace(site.shown, seats=sat, faces=(first, 10 if first == 0 else 6))))
    assert len({(plate.x, plate.y) for plate in plates}) == seats
    for plate in plates:
        assert 0 <= plate.x <= 1200 - 260
        assert 0 <= plate.y <= 630 - 112
        assert all(die.x > 0 and die.x + 40 * die.scale <= 260 for die in plate.dice)
        assert all(bool(die.pips) != bool(die.sign) for die in plate.dice)
