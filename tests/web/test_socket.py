"""The socket of a page: commands and frames go over it where it can be had, and over HTTP where it cannot."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Page, Request, Route, WebSocket, WebSocketRoute, expect

from tests.web.conftest import NO_SOCKET, ROAMED, WOKEN, Open, seated, sit_down

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Watched:
    """What a page sends: over its socket, and to the addresses that a socket stands for."""

    def __init__(self, page: Page) -> None:
        self.sent: list[str] = []
        self.sockets: list[WebSocket] = []
        self.posted: list[str] = []
        self.streams: list[str] = []
        page.on("websocket", self._opens)
        page.on("request", self._asks)

    def _opens(self, socket: WebSocket) -> None:
        self.sockets.append(socket)
        socket.on("framesent", lambda text: self.sent.append(str(text)))

    def _asks(self, request: Request) -> None:
        if request.url.endswith("/commands"):
            self.posted.append(request.url)
        # The lobby, where the page begins, shows a table of others: that is no table of this page.
        if "/stream" in request.url and "glance=true" not in request.url:
            self.streams.append(request.url)

    def said(self, what: str) -> list[str]:
        """Return the messages that ask for this."""
        return [text for text in self.sent if f'"do":"{what}"' in text]


async def played(page: Page) -> None:
    """Make one claim, and see that the table shows it."""
    story = page.locator(".story")
    await page.locator(".quick button:enabled").first.click()
    await expect(story).to_contain_text("You bid")


async def at_table(open_page: Open, script: str = "") -> tuple[Page, Watched]:
    """Return a page at whose table it is its turn, and what it sends."""
    host = await open_page()
    if script:
        await host.context.add_init_script(script)
    watched = Watched(host)
    await seated(host, {"game": "common_hand", "seats": 2, "pause_ms": 0}, bots=1)
    await host.get_by_role("button", name="Start the match").click()
    await expect(host.locator(".quick button:enabled").first).to_be_visible()
    return host, watched


async def test_a_page_plays_and_watches_over_one_socket(open_page: Open) -> None:
    page, watched = await at_table(open_page)
    await played(page)
    assert len(watched.said("command")) >= 1
    assert len(watched.said("watch")) >= 1
    assert (watched.posted, watched.streams) == ([], [])
    assert all("truecup_" not in socket.url for socket in watched.sockets)
    await expect(page.locator(".alarm")).to_have_count(0)


async def test_a_page_without_a_socket_plays_over_http(open_page: Open) -> None:
    page, watched = await at_table(open_page, NO_SOCKET)
    await played(page)
    assert watched.sockets == []
    assert watched.posted
    assert watched.streams


async def test_where_a_proxy_lets_no_socket_through_the_page_goes_on_over_http(open_page: Open) -> None:
    page = await open_page("about:blank")

    async def refuse(route: WebSocketRoute) -> None:
        await route.close(code=1011)

    await page.context.route_web_socket("**/api/v1/socket", refuse)
    watched = Watched(page)
    await page.goto("/")
    await seated(page, {"game": "common_hand", "seats": 2, "pause_ms": 0}, bots=1)
    await page.get_by_role("button", name="Start the match").click()
    await played(page)
    assert watched.posted
    assert watched.streams


async def test_a_second_page_sits_down_and_its_socket_follows_with_its_token(open_page: Open) -> None:
    host = await open_page()
    match = await seated(host, {"game": "common_hand", "seats": 3}, signs=False)
    page = await open_page("about:blank")
    await page.add_init_script(FULL)
    watched = Watched(page)
    await page.goto(f"/m/{match}")
    await sit_down(page, "Bea")
    await expect(page.get_by_label("Your place")).to_be_visible()
    watches = watched.said("watch")
    assert "token" not in watches[0]
    assert "truecup_seat_" in watches[-1]
    assert len(watched.sockets) >= 1
    await comes_back_to_a_seat_that_no_browser_kept(page)
    await keeps_a_newer_seat_of_the_same_browser(host, match)


FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
"""A browser that has no room for anything, before the page begins."""


async def comes_back_to_a_seat_that_no_browser_kept(page: Page) -> None:
    await expect(page.get_by_role("alert")).to_contain_text("This browser cannot keep your seat: use the link")
    link, table = await page.get_by_label("Link to your own seat").input_value(), page.url
    await page.reload()
    await expect(page.get_by_role("button", name="Sit down")).to_be_visible()
    await page.evaluate("(link) => location.assign(link)", link)
    await expect(page.locator(".seat.you .name")).to_contain_text("Bea")
    await expect(page).to_have_url(table)


async def keeps_a_newer_seat_of_the_same_browser(host: Page, match: str) -> None:
    # Another page of the browser has got up and sat down again, and this one hears of it last.
    kept = await host.evaluate(
        """async (match) => {
          const kept = JSON.parse(localStorage.getItem(`truecup.match.${match}`));
          localStorage.setItem(`truecup.match.${match}`, JSON.stringify({ ...kept, token: 'truecup_seat_newer' }));
          const headers = { Authorization: `Bearer ${kept.token}`, 'Idempotency-Key': crypto.randomUUID() };
          return (await fetch(`/api/v1/matches/${match}/seats/me`, { method: 'DELETE', headers })).ok;
        }""",
        match,
    )
    assert kept
    await expect(host.get_by_role("button", name="Return to your seat")).to_be_visible()
    name = f"truecup.match.{match}"
    assert "truecup_seat_newer" in await host.evaluate("(name) => localStorage.getItem(name)", name)


class Cut:
    """What stands between a page and the service: it throws one answer away, with the connection it came on.

    Attributes:
        key: The key of the command whose answer was lost.
        sockets: How many the page has opened.
    """

    def __init__(self, kind: str) -> None:
        self.key: str | None = None
        self.sockets = 0
        self._kind = kind

    async def stand_between(self, route: WebSocketRoute) -> None:
        self.sockets += 1
        service, waits_for = route.connect_to_server(), dict[int, str]()

        def ask(message: str | bytes) -> None:
            asked = json.loads(message)
            if asked["do"] == "command" and asked["command"]["type"] == self._kind and self.key is None:
                waits_for[asked["id"]] = asked["key"]
            service.send(message)

        async def answer(message: str | bytes) -> None:
            said = json.loads(message)
            if self.key is None and said.get("id") in waits_for:
                assert said["status"] == 200
                self.key = waits_for[said["id"]]
                await service.close()
                await route.close(code=1011)
            elif self.key not in waits_for.values():
                route.send(message)

        route.on_message(ask)
        service.on_message(answer)


@pytest.mark.parametrize("kind", ["commit_seed", "bid"])
async def test_a_command_whose_answer_is_lost_after_the_commit_is_done_once_and_shown_once(
    open_page: Open, kind: str
) -> None:
    page, cut, posted = await open_page("about:blank"), Cut(kind), list[str | None]()
    await page.context.route_web_socket("**/api/v1/socket", cut.stand_between)

    def note(request: Request) -> None:
        if request.url.endswith("/commands"):
            posted.append(request.headers.get("idempotency-key"))

    page.on("request", note)
    await page.goto("/")
    match = await seated(page, {"game": "common_hand", "seats": 2, "pause_ms": 0}, bots=1)
    await page.get_by_role("button", name="Start the match").click()
    await played(page)
    await expect(page.locator(".quick button:enabled").first).to_be_visible()
    assert cut.key is not None
    assert posted.count(cut.key) == 1
    assert cut.sockets > 1
    frames = (await (await page.request.get(f"/api/v1/matches/{match}/replay")).json())["frames"]
    done = [frame for frame in frames if frame["event"]["type"] == EVENTS[kind] and frame["event"].get("seat") == 1]
    assert len(done) == 1
    await expect(page.locator(".story").get_by_text("You bid")).to_have_count(1)
    await expect(page.locator(".alarm")).to_have_count(0)


class Gone:
    """What stands between a page and the service: a line that can be lost without a word, as on a phone.

    Attributes:
        is_gone: Whether nothing gets through.
    """

    def __init__(self) -> None:
        self.is_gone = False

    async def stand_between(self, route: WebSocketRoute) -> None:
        service = route.connect_to_server()
        route.on_message(lambda message: None if self.is_gone else service.send(message))
        service.on_message(lambda message: None if self.is_gone else route.send(message))

    async def hold(self, route: Route) -> None:
        await (route.abort() if self.is_gone else route.continue_())


@pytest.mark.parametrize("happens", [WOKEN, ROAMED], ids=["woken", "roamed"])
async def test_a_phone_that_wakes_up_or_roams_asks_anew_for_what_it_heard(open_page: Open, happens: str) -> None:
    page, _ = await at_table(open_page)
    async with page.expect_event("websocket", timeout=10_000):
        await page.evaluate(happens)
    await played(page)


@pytest.mark.long
async def test_a_line_lost_without_a_word_is_noticed_and_what_was_chosen_meanwhile_is_kept(open_page: Open) -> None:
    open_page.expected = "ERR_FAILED"
    page, line = await open_page("about:blank"), Gone()
    await page.clock.install()
    await page.context.route_web_socket("**/api/v1/socket", line.stand_between)
    await page.route("**/stream*", line.hold)
    await page.route("**/commands", line.hold)
    await page.goto("/")
    await page.set_viewport_size({"width": 390, "height": 844})
    match = await seated(page, {"game": "common_hand", "seats": 2, "pause_ms": 0}, bots=1)
    await page.get_by_role("button", name="Start the match").click()
    note = page.locator(".connection")
    await expect(note).to_be_hidden()
    await expect(page.locator(".quick button:enabled").first).to_be_visible()
    line.is_gone = True
    await page.locator(".quick button:enabled").first.click()
    await page.clock.fast_forward(3_100)
    await expect(note).to_have_text("No answer yet. What you chose is kept and asked again; it counts once.")
    await page.clock.fast_forward(9_000)
    await expect(note).to_contain_text("The connection is lost; trying again…")
    where, players = await note.bounding_box(), await page.locator(".seats").bounding_box()
    assert where is not None
    assert players is not None
    assert where["y"] + where["height"] <= players["y"]
    line.is_gone = False
    await expect(page.locator(".story").get_by_text("You bid")).to_have_count(1)
    await expect(note).to_be_hidden()
    frames = (await (await page.request.get(f"/api/v1/matches/{match}/replay")).json())["frames"]
    assert len([one for one in frames if one["event"]["type"] == "game.bid" and one["event"]["seat"] == 1]) == 1


EVENTS = {"commit_seed": "seed.committed", "bid": "game.bid"}
