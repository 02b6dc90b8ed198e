"""The pages as they are handed out, and what they say, without a browser."""

from __future__ import annotations

import hashlib
import html
from collections.abc import AsyncIterator, Mapping, Sequence
from time import monotonic
from typing import Any, cast
from uuid import UUID

import httpx
import msgspec
import pytest
from litestar import Litestar

from domain.games import options_of
from domain.statistics.uniformity import Statistics, statistics
from infra.store import TOP, Card, RowPlace, Unavailable
from projections.glass import Eyes
from projections.lobby import row_of
from projections.view import ClaimView, DieView, SeatView, View
from services.audit.findings import Findings, findings
from services.audit.verdict import Verdict
from services.http.game_cards import cards
from services.http.problems import PROBLEMS
from services.matches.requests import CommandMetadata
from services.web.assets import FOLDER, Assets
from services.web.pages import AUDITS_PER_S, PAGE, web_handlers
from services.web.writing.renderer import PageRenderer
from tests.api.house import TALLY, House

ID = UUID("44548c29-18e9-4bcc-a7ed-ea76851ae01f")
NAUGHTY = '<img src=x onerror="alert(1)">'
PATHS = (
    "/",
    "/tables/live",
    f"/m/{ID}",
    f"/m/{ID}/rules",
    f"/m/{ID}/replay",
    f"/m/{ID}/audit",
    "/statistics",
    "/learn",
    "/rules",
    "/rules/common_hand",
    "/problems/claim_not_higher",
)
DEALS = {"0": {"state": "closed", "root": "a", "mix": "b", "values": [[1, 0, 0, 6, 3]]}}
SEEN = {
    "status": "OK",
    "message": "as it should be",
    "viewers": {"seat/1": {"rolls": 7, "dice": 31}, "caster/jo": {"rolls": 1, "dice": 5}},
}
FAIR = {
    "status": "OK",
    "record": "OK",
    "layers": [1, 2, 3],
    "message": "all is as it should be",
    "anchored": True,
    "witnessed": True,
    "head": "0" * 64,
    "deals": DEALS,
    "rules": "every event follows from the rules",
    "seeds": {"own": [1], "server": [2]},
    "voids": [],
    "policy": "all",
    "seen": SEEN,
}
FAULT = {"status": "FAULT", "layers": [1, 2], "message": "a die shows another face", "code": "E_VALUE", "line": 12}


class OneTable:
    """A site with one match, hosted by somebody who calls themselves names."""

    def __init__(self, view: View) -> None:
        self.shown = view
        self.found: Mapping[str, Any] = FAIR

    async def lobby(
        self, state: str | None, limit: int, before: RowPlace = TOP, game: str | None = None
    ) -> Sequence[dict[str, Any]]:
        assert before == TOP or state is not None
        seats = [{"seat": 1, "name": NAUGHTY, "bot": False}]
        told = {"match": str(ID), "title": NAUGHTY, "game": "common_hand", "phase": "claiming", "seats": seats}
        if game not in {None, "common_hand"}:
            return []
        row = {**told, "seats_max": 4, "version": 9, "round": 1, "turn": 1, "at": 1, "winner": None}
        return [{**row, "at": at} for at in range(min(before[0] - 1, 70), 0, -1)][:limit] if state else [row]

    async def view(self, match_id: UUID) -> View | None:
        return self.shown if match_id == ID else None

    async def moment(self, match_id: UUID, version: int, _eyes: Eyes) -> View | None:
        assert match_id == ID
        return self.shown if version <= self.shown.version else None

    async def card(self, match_id: UUID) -> Card:
        assert match_id == ID
        return Card()

    async def report(self, match_id: UUID) -> Mapping[str, Any]:
        assert match_id == ID
        return self.found

    async def games(self) -> Sequence[dict[str, Any]]:
        return msgspec.to_builtins(cards())

    async def statistics(self) -> Statistics:
        return statistics(TALLY)

    async def beacon(self) -> str | None:
        return NAUGHTY


async def view_of_one() -> View:
    house = House()
    seat = SeatView(1, "p1", NAUGHTY, bot=False, custody="client", out=False, balances={}, dice=(), bank_ms=None)
    options = msgspec.to_builtins(options_of("common_hand", {}))
    rules = {"game": "common_hand", "options": options, "deal_per": "match", "seats": 4, "clock": None, "pause_ms": 0}
    answer = await house.open({**rules, "options": {}}, CommandMetadata("test", "k" * 16, b""))
    first = await house.view(UUID(answer.match), None)
    return msgspec.structs.replace(first, match=str(ID), rules=rules, seats=(seat,))


view = pytest.fixture(view_of_one)


@pytest.fixture
def site(view: View) -> OneTable:
    return OneTable(view)


@pytest.fixture
async def client(site: OneTable) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(site) as client:
        yield client


@pytest.fixture(scope="module")
async def reader() -> AsyncIterator[httpx.AsyncClient]:
    """A client of a site that nobody changes: to make the site takes longer than to be handed a page."""
    async with client_of(OneTable(await view_of_one())) as client:
        yield client


def client_of(site: OneTable) -> httpx.AsyncClient:
    app = Litestar(web_handlers(site), openapi_config=None, logging_config=None)
    return httpx.AsyncClient(transport=httpx.ASGITransport(cast(Any, app)), base_url="http://house")


@pytest.mark.parametrize("path", PATHS)
async def test_every_page_has_the_strict_policy_and_nothing_inline(reader: httpx.AsyncClient, path: str) -> None:
    page = await reader.get(path)

    assert page.status_code == 200
    policy = page.headers["content-security-policy"].split("; ")
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert not any("unsafe" in part for part in policy)
    assert " style=" not in page.text
    assert "<style" not in page.text
    assert page.text.count("<script") == page.text.count('<script type="module" src="/static/')


@pytest.mark.parametrize("path", PATHS)
async def test_what_people_call_themselves_is_text_on_every_page(reader: httpx.AsyncClient, path: str) -> None:
    assert "<img src=x" not in (await reader.get(path)).text


@pytest.mark.parametrize("path", ["", "/rules", "/replay", "/audit"])
async def test_an_unknown_match_is_a_page_that_says_so(reader: httpx.AsyncClient, path: str) -> None:
    page = await reader.get(f"/m/00000000-0000-4000-8000-000000000000{path}")

    assert page.status_code == 404
    assert "unknown_match" in page.text


@pytest.mark.parametrize("path", ["/nonsense", "/a/b/c", "/m", "/m/nonsense", f"/m/{ID}/nonsense", "/problems/a/b"])
async def test_an_address_where_nothing_is_answers_each_in_their_own_tongue(
    reader: httpx.AsyncClient, path: str
) -> None:
    read = await reader.get(path, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert read.status_code == 404
    assert read.headers["content-type"].startswith("text/html")
    assert "To the tables" in read.text

    if not path.startswith("/m/nonsense"):
        for method in ("GET", "POST", "DELETE"):
            asked = await reader.request(method, path, headers={"Accept": "application/json"})
            assert asked.status_code == 404
            assert "html" not in asked.headers["content-type"]


async def test_older_tables_stand_on_pages_of_their_own(client: httpx.AsyncClient) -> None:
    first = await client.get("/tables/live")
    assert first.text.count('class="ticket"') == PAGE
    assert f"/tables/live?before=11.{ID}" in first.text

    second = await client.get(f"/tables/live?before=11.{ID}")
    assert second.text.count('class="ticket"') == 70 - PAGE
    assert "?before=" not in second.text
    assert (await client.get("/tables/nonsense")).status_code == 404


async def test_a_store_that_is_away_is_a_page_that_says_when_to_come_back(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_asked: object) -> Sequence[dict[str, Any]]:
        raise Unavailable("the store is away")

    monkeypatch.setattr(OneTable, "lobby", away)
    page = await client.get("/")

    assert page.status_code == 503
    assert page.headers["retry-after"] == "1"
    assert "Load this page again" in page.text


@pytest.mark.parametrize("path", ["", "/rules", "/replay", "/audit"])
async def test_a_table_is_called_on_its_pages_what_it_is_called_in_the_lobby(
    client: httpx.AsyncClient, view: View, path: str
) -> None:
    title = row_of(view).title

    page = html.unescape((await client.get(f"/m/{ID}{path}")).text)

    assert title in page.partition("<title>")[2].partition("</title>")[0]
    assert title in page.partition("<main")[2]


async def test_a_standing_hand_is_told_in_words_without_a_script(client: httpx.AsyncClient, site: OneTable) -> None:
    claim = ClaimView(1, "two pair, kings and tens", shape="two_pair", faces=(13, 10))
    site.shown = msgspec.structs.replace(site.shown, standing=claim, cup=(DieView(None, shown=False),) * 5, turn=1)

    page = (await client.get(f"/m/{ID}")).text

    assert "Standing claim: two pair, kings and tens" in page
    assert "A cup with 5 dice" in page


@pytest.mark.parametrize("code", PROBLEMS)
async def test_every_problem_has_a_page_that_says_what_it_leaves_behind(reader: httpx.AsyncClient, code: str) -> None:
    page = await reader.get(f"/problems/{code}")

    assert page.status_code == 200
    told = PROBLEMS[code].title
    assert f"{told[0].upper()}{told[1:]}." in html.unescape(page.text)
    unsure = "Whether the request that met it was recorded is not known" in page.text
    assert unsure == (code in {"broken", "unavailable"})
    assert unsure != ("Nothing was recorded by the request that met it" in page.text)


async def test_an_unknown_problem_is_not_found(client: httpx.AsyncClient) -> None:
    assert (await client.get("/problems/nonsense")).status_code == 404


async def test_a_file_is_kept_for_ever_and_not_sent_twice(client: httpx.AsyncClient) -> None:
    path = await _script(client)
    first = await client.get(path)
    again = await client.get(path, headers={"If-None-Match": first.headers["etag"]})

    assert first.status_code == 200
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in first.headers["cache-control"]
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]


async def test_a_file_of_another_version_is_sent_to_the_present_one(client: httpx.AsyncClient) -> None:
    path = await _script(client)
    old = path.replace(path.split("/")[2], "0" * 16)
    moved = await client.get(old)

    assert moved.status_code == 307
    assert moved.headers["location"] == path


@pytest.mark.parametrize("name", ["nothing.js", "../pages.py", "%2e%2e/pages.py", "templates/page.html"])
async def test_only_files_for_browsers_are_served(client: httpx.AsyncClient, name: str) -> None:
    digest = (await _script(client)).split("/")[2]

    assert (await client.get(f"/static/{digest}/{name}")).status_code == 404


async def _script(client: httpx.AsyncClient) -> str:
    return (await client.get("/")).text.partition('<script type="module" src="')[2].partition('"')[0]


def test_the_file_of_others_code_is_the_one_described_beside_it() -> None:
    vendor = FOLDER / "vendor"

    told = (vendor / "README.txt").read_text()
    for name in ("libraries.js", "noble.js"):
        assert hashlib.sha256((vendor / name).read_bytes()).hexdigest() in told


def found_in(report: Mapping[str, Any]) -> Findings:
    """Return what a page says of a report."""
    return findings(msgspec.convert(report, Verdict), judged_log=True)


async def test_the_policy_offered_beside_a_record_is_the_one_it_was_logged_under(client: httpx.AsyncClient) -> None:
    page = (await client.get(f"/m/{ID}/audit")).text

    assert page.count(f"/api/v1/matches/{ID}/policy") == 2


async def test_one_deal_of_one_match_is_counted_as_one(client: httpx.AsyncClient) -> None:
    text = " ".join((await client.get("/statistics")).text.split())

    assert "of 1 deal in 1 match." in text


async def test_who_asks_for_one_audit_after_another_has_to_wait_a_moment(client: httpx.AsyncClient) -> None:
    began, pages = monotonic(), [await client.get(f"/m/{ID}/audit")]
    while pages[-1].status_code == httpx.codes.OK:
        pages.append(await client.get(f"/m/{ID}/audit"))
        assert len(pages) <= AUDITS_PER_S * (1 + monotonic() - began) + 2

    assert [page.status_code for page in (pages[0], pages[-1])] == [200, 429]
    assert "text/html" in pages[-1].headers["content-type"]
    assert "retry-after" in pages[-1].headers


async def test_the_audit_lists_who_saw_which_hidden_dice(client: httpx.AsyncClient) -> None:
    text = " ".join((await client.get(f"/m/{ID}/audit")).text.split())
    served = "On record, each seat was served the hidden dice that the rules let it know, and nobody any others."
    assert served in text
    assert "(seat 1)</bdi></td><td>7</td><td>31</td>" in text
    assert "<bdi>caster/jo</bdi></td><td>1</td><td>5</td>" in text


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        (
            {"status": "FAULT", "message": "a seat may not", "code": "E_ACCESS", "line": 12, "viewers": {}},
            "Line 12 of the access record: hidden dice",
        ),
        ({"status": "INCOMPLETE", "message": "it has no end yet", "viewers": {}}, "or a final proof is missing."),
    ],
)
async def test_the_audit_says_what_the_access_record_comes_to(
    client: httpx.AsyncClient, site: OneTable, seen: Mapping[str, Any], says: str
) -> None:
    report = {**FAIR, "seen": seen, "status": seen["status"]}
    site.found = report | ({"code": "E_ACCESS", "line": 12} if seen["status"] == "FAULT" else {})
    assert says in (await client.get(f"/m/{ID}/audit")).text


async def test_a_match_without_an_access_record_is_audited_without_it(
    client: httpx.AsyncClient, site: OneTable
) -> None:
    site.found = {name: value for name, value in FAIR.items() if name != "seen"}
    text = (await client.get(f"/m/{ID}/audit")).text
    assert "<h2>Who saw which hidden dice" not in text
    assert "no access record was given" in text


async def test_the_audit_says_what_stays_secret_for_ever(client: httpx.AsyncClient, site: OneTable) -> None:
    assert "stay secret for ever" not in (await client.get(f"/m/{ID}/audit")).text
    site.found = {**FAIR, "policy": "shown"}
    assert "stay secret for ever" in (await client.get(f"/m/{ID}/audit")).text


@pytest.mark.parametrize(("beacons", "mark"), [("checked", "yes"), ("unchecked", "open")])
def test_the_audit_says_what_became_of_a_beacons_signature(beacons: str, mark: str) -> None:
    told = [finding for finding in found_in({**FAIR, "beacons": beacons}).findings if "beacon" in finding.text]
    assert [finding.mark for finding in told] == [mark]
    assert not [finding for finding in found_in(FAIR).findings if "beacon" in finding.text]


def test_a_part_of_a_page_is_written_again_only_when_what_it_is_of_has_changed() -> None:
    paper, written = PageRenderer(Assets()), []

    def part(of: object) -> str:
        def given() -> dict[str, Any]:
            written.append(of)
            return {"tables": tables, "all": tables, "limit": 1}

        return paper.part("lobby_tables.html", (of,), given)

    tables: dict[str, list[Any]] = {"live": [], "open": [], "ended": []}
    texts = [part(of) for of in (["a"], ["a"], ["b"], ["b"], ["a"])]
    assert written == [["a"], ["b"], ["a"]]
    assert texts[0] is texts[1]


async def test_the_lobby_lists_one_game_if_it_is_named_in_the_address(client: httpx.AsyncClient) -> None:
    every, finska, none = [(await client.get(path)).text for path in ("/", "/?game=finska", "/?game=chess")]
    ticket = f'<a href="/m/{ID}">'
    assert (ticket in every, ticket in finska, ticket in none) == (True, False, True), "a game that nobody has is none"
    assert '<a href="/?game=finska" aria-current="true">' in finska
    assert '<a href="/tables/live?game=common_hand">' not in finska
    assert ticket not in (await client.get("/tables/live?game=finska")).text
    older = (await client.get("/tables/live?game=common_hand")).text
    assert "&amp;game=common_hand" in older
