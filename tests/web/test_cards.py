"""The card of a page, which a link shows where it is shared, and the manifest by which a device installs the house."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from services.http.bounds import Bounds
from tests.api.conftest import Service, Table, served
from tests.web.conftest import Open, seated


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds()) as running:
        yield running


def card(page: str) -> dict[str, str]:
    """Return what a page says of itself to whoever shows a link to it."""
    found = re.findall(r'<meta (?:name|property)="(description|og:\w+)" content="([^"]*)">', page)
    assert len(found) == len(dict(found)), "each is said once"
    return {name: html.unescape(text) for name, text in found}


@pytest.mark.parametrize("path", ["/", "/audit", "/statistics", "/tables/live", "/problems/not_found"])
def test_every_page_says_what_it_is_and_where_the_manifest_is(service: Service, path: str) -> None:
    page = service.client.get(path).text
    assert card(page)["description"]
    assert '<link rel="manifest" href="/manifest.webmanifest">' in page


def test_a_link_to_a_table_shows_whose_it_is_and_what_is_played(service: Service) -> None:
    table = Table(service).spell_out()
    for path in (f"/m/{table.id}", f"/m/{table.id}/replay"):
        told = card(service.client.get(path).text)
        picture = service.client.get(told.pop("og:image"))
        assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
        assert told == {
            "description": "a table. Waiting for players, 0 of 10 seats are taken.",
            "og:site_name": "Truecup",
            "og:type": "website",
            "og:title": "An empty table",
            "og:description": "a table. Waiting for players, 0 of 10 seats are taken.",
        }


def test_icons_of_the_manifest_are_there_and_of_the_size_it_says(service: Service) -> None:
    told = service.client.get("/manifest.webmanifest")
    assert told.headers["content-type"] == "application/manifest+json"
    assert told.json()["start_url"] == "/"
    for icon in told.json()["icons"]:
        picture = service.client.get(icon["src"])
        assert (picture.status_code, picture.headers["content-type"]) == (200, icon["type"])
        if icon["type"] == "image/png":  # width and height are the first of its header (RFC 2083 section 4.1.1)
            wide, high = (int.from_bytes(picture.content[at : at + 4]) for at in (16, 20))
            assert icon["sizes"] == f"{wide}x{high}"
    assert {"any", "192x192", "512x512"} == {icon["sizes"] for icon in told.json()["icons"]}


async def test_a_browser_can_install_the_house_and_a_card_holds_no_die(open_page: Open) -> None:
    page = await open_page("/")
    session = await page.context.new_cdp_session(page)
    told = await session.send("Page.getAppManifest")
    assert (told["errors"], told["url"].endswith("/manifest.webmanifest")) == ([], True)
    against = (await session.send("Page.getInstallabilityErrors"))["installabilityErrors"]
    assert {each["errorId"] for each in against} <= {"in-incognito"}, "this browser keeps nothing, whatever the house"

    match = await seated(page, {"game": "common_hand", "seats": 2}, bots=1, name='A"da <b>')
    await page.get_by_role("button", name="Start the match").click()
    await expect(page.locator(".own-dice .die").first).to_be_visible()
    shown = card(await (await page.request.get(f"/m/{match}")).text())
    names = r"(A\"da <b>, \S.*|\S.*, A\"da <b>)"
    assert re.fullmatch(rf"Liar\u2019s Dice \(Perudo\)\. {names}\. Round 1 is being played\.", shown["description"])
    assert shown["og:description"] == shown["description"]
