"""The key of an entrant on the own card: which it is, another device that signs instead, one that a host has named."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect

from domain.fairness.signing.keyed_seats import RECOVERY_MS
from tests.web.conftest import Open, posted
from tests.web.test_accessibility import check
from tests.web.test_event_cards import PHONE, RULES, entered, seen

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Keyed:
    """A tournament whose only entrant has registered a key.

    Attributes:
        id: The tournament.
    """

    def __init__(self, service_url: str) -> None:
        told = posted(service_url, "/tournaments", {"rules": RULES, "title": "Keys"})
        self.id, self.host = str(told["tournament"]), str(told["token"])
        self._url = service_url
        self.ask(type="open_entry")

    def ask(self, **body: Any) -> None:
        posted(self._url, f"/tournaments/{self.id}/commands", body, self.host)

    def keys(self) -> tuple[str | None, str | None]:
        """Return the key that holds, and the one that is named."""
        (row,) = seen(self._url, f"{self.id}/entrants")
        return row["key"], row["key_named"]

    def public_page(self) -> str:
        return httpx.get(f"{self._url}/t/{self.id}/entrants/1", timeout=60).text


@pytest.fixture
def event(service_url: str) -> Keyed:
    return Keyed(service_url)


async def holds(page: Page, key: str | None) -> None:
    """Check that the card says that this device has the key, and which it is."""
    await expect(page.locator("#own-key summary")).to_have_text("Your key")
    await page.locator("#own-key summary").click()
    await expect(page.locator("#own-key code")).to_have_attribute("title", key or "")
    await page.locator("#own-key summary").click()


async def asked_on_another(open_page: Open, page: Page) -> tuple[Page, str, str]:
    """Open the card of a page on another device, which asks to sign; return it, and its links for owner and host."""
    await page.get_by_text("My card on another device").click()
    link = await page.locator("#elsewhere a").get_attribute("href")
    other = await open_page(link or "", **PHONE)
    await expect(other.locator("#own-key summary")).to_have_text("This device does not have your key")
    await check(other)
    await other.get_by_role("button", name="Sign with this device from now on").click()
    await expect(other.locator("#own-key-link")).to_be_visible()
    await check(other)
    links = [await other.locator(field).input_value() for field in ("#own-key-link", "#officials-key-link")]
    return other, links[0], links[1]


async def follow(page: Page, link: str) -> None:
    """Follow a link on a page that is open, as from anywhere else."""
    await page.goto("about:blank")
    await page.goto(link)
    await expect(page).not_to_have_url(re.compile("#"))


async def test_another_device_signs_from_now_on_once_the_one_with_the_key_says_so(
    open_page: Open, event: Keyed
) -> None:
    ada = await entered(open_page, event.id, "Ada")
    await expect(ada.locator("#own-key")).to_be_visible()
    first, _ = event.keys()
    await holds(ada, first)
    assert first is not None
    assert first[:16] in event.public_page()
    other, link, _ = await asked_on_another(open_page, ada)
    await follow(ada, link)
    await expect(ada.get_by_role("heading", name="Sign with another device from now on?")).to_be_visible()
    await check(ada)
    await ada.get_by_role("button", name="No").click()
    await expect(ada.locator("#give-key")).to_have_count(0)
    assert event.keys() == (first, None)
    await follow(ada, link)
    await ada.get_by_role("button", name="Change to that key").click()
    await expect(ada.locator("#own-key summary")).to_have_text("This device does not have your key")
    second, _ = event.keys()
    assert second == link.partition("#sign-with=1.")[2]
    await holds(other, second)


async def test_a_key_that_a_host_has_named_is_off_once_the_one_that_holds_says_so(
    open_page: Open, event: Keyed
) -> None:
    ada = await entered(open_page, event.id, "Ada")
    await expect(ada.locator("#own-key")).to_be_visible()
    first, _ = event.keys()
    other, _, link = await asked_on_another(open_page, ada)
    named = link.partition("#name-key=1.")[2]
    stranger = await open_page(link.replace(link.partition("/t/")[0], ""))
    await expect(stranger.locator("#fault")).to_contain_text("This link is for a host")
    console = await open_page(f"/t/{event.id}/host#official={event.host}")
    await follow(console, link)
    await expect(console.get_by_role("dialog")).to_contain_text(f"1 Ada · {named[:16]}…")
    await check(console)
    await console.get_by_role("button", name="Name another key for somebody").last.click()
    await expect(console.get_by_role("dialog")).to_be_hidden()
    assert event.keys() == (first, named)
    assert named[:16] in event.public_page()
    await expect(other.locator("#own-key")).to_contain_text(re.compile(r"It is yours in [12]:\d\d"))
    await expect(ada.get_by_role("heading", name="A host has named another key for you")).to_be_visible()
    await check(ada)
    await ada.get_by_role("button", name="Keep the key of this device").click()
    await expect(ada.locator("#named-key")).to_have_count(0)
    assert event.keys() == (first, None)
    await expect(other.locator("#own-key-link")).to_be_visible()
    # A host may have been told the key by word of mouth.
    await console.locator('[data-act="name_key"]').click()
    await console.get_by_label("The key that their other device has made").fill(named)
    await console.get_by_role("dialog").locator("#act-do").click()
    await expect(console.get_by_role("dialog")).to_be_hidden()
    assert event.keys() == (first, named)


@pytest.mark.long
async def test_a_key_that_a_host_has_named_is_taken_by_the_card_two_minutes_later(
    open_page: Open, event: Keyed
) -> None:
    ada = await entered(open_page, event.id, "Ada")
    await expect(ada.locator("#own-key")).to_be_visible()
    other, _, link = await asked_on_another(open_page, ada)
    named = link.partition("#name-key=1.")[2]
    event.ask(type="name_key", number=1, key=named)
    await expect(other.locator("#own-key summary")).to_have_text("Your key", timeout=2 * RECOVERY_MS)
    assert event.keys() == (named, None)
    await expect(ada.locator("#own-key summary")).to_have_text("This device does not have your key")


async def test_a_key_that_lies_in_a_file_is_brought_back(open_page: Open, event: Keyed) -> None:
    ada = await open_page(f"/t/{event.id}/me", **PHONE)
    # A browser that has no keys of its own: what it makes is plain bytes, which can be put away.
    await ada.add_init_script("delete SubtleCrypto.prototype.generateKey;")
    await ada.reload()
    await ada.get_by_label("Your name").fill("Ada")
    await ada.get_by_role("button", name="Enter").click()
    await ada.locator("#own-key summary").click()
    await check(ada)
    async with ada.expect_download() as downloading:
        await ada.get_by_role("button", name="Download your key").click()
    file = await (await downloading.value).path()
    await ada.get_by_text("My card on another device").click()
    other = await open_page(await ada.locator("#elsewhere a").get_attribute("href") or "", **PHONE)
    field = other.get_by_label("The key as a file")
    await field.set_input_files({"name": "some.key", "mimeType": "text/plain", "buffer": b"ab" * 32})
    await expect(other.get_by_text("This is not your registered key.")).to_be_visible()
    await field.set_input_files(file)
    await holds(other, event.keys()[0])
