"""Invitations to a table: the address others open, as a code to scan and as a link, wherever the host's page is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_network
from uuid import UUID

import pytest
from playwright.async_api import expect

from services.http.bounds import Bounds
from services.http.front.proxies import Proxies
from tests.api.conftest import Service, Table, served
from tests.api.test_problems import check
from tests.web.codes import drawn, read_code
from tests.web.conftest import Open, seated

OTHERS = "192.0.2.7"
NAMES = ["dice.example", "dice.example:8443", "192.0.2.9:8000", "[2001:db8::9]:8000"]
OWN = ["localhost:9000", "127.0.0.1", "[::1]:9000", "dice.localhost"]


@pytest.fixture(scope="module")
def house() -> Iterator[Service]:
    """A house that others reach, behind a proxy it believes."""
    with served(Bounds(), proxies=Proxies([ip_network("127.0.0.1")]), reach=lambda: (OTHERS, "2001:db8::7")) as service:
        yield service


@pytest.fixture(scope="module")
def alone() -> Iterator[Service]:
    """A house for its own machine, which believes nobody."""
    with served(Bounds()) as service:
        yield service


def told(service: Service, match: str, **headers: str) -> str:
    """Return the address in the code of a table, which is the one that its page hands out."""
    page = service.client.get(f"/m/{match}", headers=headers).text
    code = service.client.get(f"/m/{match}/qr.svg", headers=headers)
    assert (code.status_code, code.headers["content-type"]) == (200, "image/svg+xml")
    assert re.findall('data-address="([^"]+)"', page) == [read_code(drawn(code.text))]
    return read_code(drawn(code.text))


@pytest.mark.parametrize("host", NAMES)
def test_others_open_a_table_under_the_name_that_its_host_has_used(house: Service, alone: Service, host: str) -> None:
    for service in (house, alone):
        match = Table(service).spell_out().id
        assert told(service, match, Host=host) == f"http://{host}/m/{match}"


@pytest.mark.parametrize("host", OWN)
def test_a_host_at_the_machine_of_the_house_hands_out_an_address_for_others(house: Service, host: str) -> None:
    match = Table(house).spell_out().id
    assert told(house, match, Host=host) == f"http://{OTHERS}:{house.server.port}/m/{match}"


@pytest.mark.parametrize("host", OWN)
def test_a_stranger_who_names_the_house_so_hears_no_address_of_its_network(house: Service, host: str) -> None:
    match = Table(house).spell_out().id
    for client in ("203.0.113.9", "2001:db8::5", "192.0.2.8"):
        said = {"Host": host, "X-Forwarded-For": client}
        assert told(house, match, **said) == f"http://{host}/m/{match}"


@pytest.mark.parametrize("host", OWN)
def test_a_house_that_nobody_else_reaches_hands_out_its_own_address(alone: Service, host: str) -> None:
    match = Table(alone).spell_out().id
    assert told(alone, match, Host=host) == f"http://{host}/m/{match}"


def test_how_a_visitor_reached_the_proxy_is_believed_of_a_named_one_only(house: Service, alone: Service) -> None:
    for service, scheme in ((house, "https"), (alone, "http")):
        match = Table(service).spell_out().id
        said = {"Host": "dice.example", "X-Forwarded-Proto": "https"}
        assert told(service, match, **said) == f"{scheme}://dice.example/m/{match}"


def test_a_code_is_kept_for_a_while_by_whoever_has_it(alone: Service) -> None:
    path = f"/m/{Table(alone).id}/qr.svg"
    code = alone.client.get(path)
    assert code.headers["cache-control"] == "public, max-age=300"
    assert alone.client.get(path, headers={"If-None-Match": code.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("match", [str(UUID(int=0)), "nothing"])
def test_a_table_that_is_not_there_has_no_code(alone: Service, match: str) -> None:
    check(alone.client.get(f"/m/{match}/qr.svg", headers={"Accept": "image/*"}), 404, "unknown_match")


def test_a_code_is_small_however_long_the_name(alone: Service) -> None:
    path = f"/m/{Table(alone).id}/qr.svg"
    longest = ".".join(["a" * 62] * 4) + ":65535"
    code = alone.client.get(path, headers={"Host": longest})
    assert (code.status_code, len(code.content) < 8_000) == (200, True)
    assert read_code(drawn(code.text)) == f"http://{longest}{path.removesuffix('/qr.svg')}"
    check(alone.client.get(path, headers={"Host": "a" * 262}), 400, "bad_host")


NO_COPY = """() => {
  Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
  document.execCommand = () => false;
}"""


async def test_a_host_shows_the_code_and_hands_out_the_link(open_page: Open) -> None:
    page = await open_page()
    match = await seated(page, {"game": "common_hand"})
    link, code = page.get_by_label("Link for others"), page.get_by_role("img", name="QR code of the link")
    await expect(link).to_have_value(page.url)
    await expect(code).to_have_count(0)  # nobody else could open an address of this machine alone
    await expect(page.get_by_role("button", name="Share")).to_have_count(0)

    address = f"http://{OTHERS}:8000/m/{match}"
    await page.evaluate(
        """(address) => {
          navigator.share = async (what) => { window.shared = what; };
          document.querySelector('tc-table').dataset.address = address;
          document.querySelector('tc-host').requestUpdate();
        }""",
        address,
    )
    await expect(link).to_have_value(address)
    assert await code.evaluate("async (image) => { await image.decode(); return image.naturalWidth > 0; }")
    await page.get_by_role("button", name="Share").click()
    assert await page.evaluate("window.shared.url") == address

    # Plain http has no clipboard, but what is selected can be copied, where a browser lets it be.
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    await page.get_by_role("button", name="Copy", exact=True).click()
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    await page.evaluate("delete navigator.clipboard")
    assert await page.evaluate("navigator.clipboard.readText()") == address
    await page.evaluate(NO_COPY)
    await page.get_by_role("button", name="Copied").click()
    await expect(page.get_by_role("button", name="Selected: copy it with Ctrl-C")).to_be_visible()
    assert await page.evaluate("getSelection().toString()") == address

    await page.evaluate("delete navigator.clipboard")
    await page.get_by_role("button", name="Selected").click()
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == address
