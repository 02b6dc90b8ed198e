"""Picture cards: what a moment of a match looks like, for whoever is shown it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from typing import Any, cast
from uuid import UUID

import httpx
import pytest
from litestar import Litestar
from msgspec.structs import replace

from projections.view import ClaimView, DieView
from services.api.refusals import HANDLERS
from services.web.pages import web_handlers
from services.web.watching.cards import plates_of
from tests.web.test_pages import ID, NAUGHTY, OneTable, site, view

__all__ = ["site", "view"]
CARD = f"/matches/{ID}/card.svg"


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


async def test_there_is_no_card_of_what_is_not_there(client: httpx.AsyncClient, site: OneTable) -> None:
    for path in (f"/matches/{UUID(int=0)}/card.svg", "/matches/none/card.svg"):
        assert (await client.get(path)).status_code == 404
    assert (await client.get(f"{CARD}?version={site.shown.version + 1}")).status_code == 409
    assert (await client.get(f"{CARD}?version=0")).status_code == 400
    assert (await client.get(f"{CARD}?version={site.shown.version}")).status_code == 200


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
